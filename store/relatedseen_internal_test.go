package store

import (
	"reflect"
	"testing"

	"github.com/rowansearch/rowan/service"
)

// Whatever is asked is part of the key under which the answer is cached, except for Gone: such answers are not cached.
func TestSeenKeyHasAllThatIsAsked(t *testing.T) {
	t.Parallel()
	ix := &service.Index{ID: 1}
	none := seenKey(ix, service.AskedWords{})
	for i := range reflect.TypeFor[service.AskedWords]().NumField() {
		var ask service.AskedWords
		switch field := reflect.ValueOf(&ask).Elem().Field(i); field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.String:
			field.SetString("word")
		default:
			field.SetInt(1)
		}
		if name := reflect.TypeFor[service.AskedWords]().Field(i).Name; (seenKey(ix, ask) == none) != (name == "Gone") {
			t.Errorf("%s is not in the key as it should be", name)
		}
	}
}

// Every list and map of an answer counts for its size.
func TestSizeOfRelatedWordsHasAllOfThem(t *testing.T) {
	t.Parallel()
	for i := range reflect.TypeFor[service.RelatedWords]().NumField() {
		var words service.RelatedWords
		switch field := reflect.ValueOf(&words).Elem().Field(i); field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
			field.SetMapIndex(reflect.Zero(field.Type().Key()), reflect.Zero(field.Type().Elem()))
		default:
			continue
		}
		if sizeOf(&words) == 0 {
			t.Errorf("%s does not count", reflect.TypeFor[service.RelatedWords]().Field(i).Name)
		}
	}
}
