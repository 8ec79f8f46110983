package filter_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/filter"
)

// FuzzParse checks that no string makes the parser panic, that every error has its place within the string, and
// that a parsed filter prints as one that parses to the same.
func FuzzParse(f *testing.F) {
	for _, src := range corpus(f, "strings") {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := filter.Parse(src)
		if err != nil {
			e, ok := errors.AsType[*filter.Error](err)
			if !ok || e.Message == "" || e.Column < 1 || e.Column > utf8.RuneCountInString(src)+1 {
				t.Fatalf("the error has no place: %#v", err)
			}
			return
		}
		checkPrinted(t, n)
	})
}

// FuzzParseJSON does the same with the object form.
func FuzzParseJSON(f *testing.F) {
	for _, src := range corpus(f, "objects") {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := filter.ParseJSON(json.RawMessage(src))
		if err != nil {
			e, ok := errors.AsType[*filter.Error](err)
			if !ok || e.Message == "" || (e.Column < 1) == (e.Path == "") {
				t.Fatalf("the error has no place: %#v", err)
			}
			return
		}
		checkPrinted(t, n)
	})
}

// FuzzExpressions does the same with sort expressions and lists of names.
func FuzzExpressions(f *testing.F) {
	for _, src := range []string{"price,-brand:asc", "_score desc, `two words`", "a b,`c d`", "``", "-", "a:", "\xff"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		keys, err := filter.ParseSort(src, kindOf)
		if e, ok := errors.AsType[*filter.Error](err); err != nil && (!ok || e.Column < 1) {
			t.Fatalf("the error has no place: %#v", err)
		}
		for _, key := range keys {
			if again, err := filter.ParseSort(filter.QuoteName(key.Field), kindOf); err != nil || len(again) != 1 || again[0].Field != key.Field {
				t.Fatalf("%q: %v, %v", key.Field, again, err)
			}
		}
		names, err := filter.ParseNames(src)
		if e, ok := errors.AsType[*filter.Error](err); err != nil && (!ok || e.Column < 1) {
			t.Fatalf("the error has no place: %#v", err)
		}
		for _, name := range names {
			if again, err := filter.ParseNames(filter.QuoteName(name)); err != nil || len(again) != 1 || again[0] != name {
				t.Fatalf("%q: %v, %v", name, again, err)
			}
		}
	})
}

// corpus returns the filters of a golden file: seeds that reach every branch.
func corpus(f *testing.F, name string) []string {
	f.Helper()
	return lines(f, filepath.Join("testdata", "golden", name+".filter"))
}
