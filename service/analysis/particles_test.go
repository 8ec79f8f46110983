package analysis_test

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestWithoutParticle(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"서울에서": "서울", "서울에서는": "서울", "한글을": "한글", "사람들에게": "사람", "개발했다": "개발", "개발한": "개발",
		"학교로": "학교", "학교를": "학교", "사람으로": "사람", "서울로": "서울", // 로 behind a vowel and ㄹ, 으로 behind other consonants
		"사람로": "", "서울를": "", "학교을": "",
		"고양이": "고양",                          // a noun itself, as its forms tell
		"책을":  "", "회의": "", "는": "", "": "", // what is left is too short
		"서울": "", "서울역": "", "컴퓨터": "",
		"2024년에": "2024년", "lg가": "lg", "lg이": "lg", "seoul": "", "東京에": "東京",
	} {
		if got := analysis.WithoutParticle(word); got != want {
			t.Errorf("%s is %q with a particle, want %q", word, got, want)
		}
	}
}

func TestNounForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what string
		of   func(string) []string
		word string
		want []string
	}{
		{"noun", analysis.NounForms, "고양이", []string{"고양이가", "고양이를", "고양이와", "고양이에"}},
		{"noun", analysis.NounForms, "한글", []string{"한글이", "한글을", "한글과", "한글에"}},
		{"short", analysis.ShortForms, "책", []string{"책은", "책을", "책으로", "책에", "책에서"}},
		{"short", analysis.ShortForms, "물", []string{"물은", "물을", "물로", "물에", "물에서"}},
		{"short", analysis.ShortForms, "차", []string{"차는", "차가", "차를", "차로", "차에", "차에서"}},
		{"short", analysis.ShortForms, "lg", []string{"lg의", "lg에", "lg에서", "lg도", "lg만", "lg은", "lg이", "lg을", "lg과", "lg으로", "lg는", "lg가", "lg를", "lg와", "lg로"}},
	} {
		if got := test.of(test.word); !slices.Equal(got, test.want) {
			t.Errorf("%s forms of %s: %v, want %v", test.what, test.word, got, test.want)
		}
	}
	for word, want := range map[string]bool{"서울": true, "2024년": false, "책": false, "lg": false, "": false, "한글\u1100": false} {
		if got := analysis.IsSyllables(word); got != want {
			t.Errorf("%q ends in two syllables: %v", word, got)
		}
	}
}
