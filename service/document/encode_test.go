package document

import "testing"

func TestEncode(t *testing.T) {
	t.Parallel()
	got, err := Encode(map[string]any{"a": "<b>&</b>\n", "n": 0.5})
	if want := `{"a":"<b>&</b>\n","n":0.5}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err := Encode(func() {}); err == nil {
		t.Errorf("a function became %s", got)
	}
}
