package analysis_test

import (
	"slices"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

func TestWithoutParticle(t *testing.T) {
	t.Parallel()
	const none = "-"
	for _, test := range []struct{ before, word, want string }{
		{"", "서울에서", "서울"}, {"", "서울에서는", "서울"}, {"", "한글을", "한글"}, {"", "사람들에게", "사람"}, {"", "개발했다", "개발"}, {"", "개발한", "개발"},
		{"", "학교로", "학교"}, {"", "학교를", "학교"}, {"", "사람으로", "사람"}, {"", "서울로", "서울"}, // 로 behind a vowel and ㄹ, 으로 behind other consonants
		{"", "사람로", none}, {"", "서울를", none}, {"", "학교을", none},
		{"", "고양이", "고양"},                                                   // a noun itself, as its forms tell
		{"", "책을", none}, {"", "회의", none}, {"", "는", none}, {"", "", none}, // what is left is too short
		{"", "서울", none}, {"", "서울역", none}, {"", "컴퓨터", none}, {"", "\u1100는", none},
		// Behind something in other letters.
		{"2024", "년에", "년"}, {"2024", "년", none}, {"3", "월부터", "월"}, {"lg", "가", ""}, {"lg", "이", ""}, {"東京", "에서는", ""}, {"lg", "전자는", "전자"}, {"lg", "전자", none},
		{"10", "만", none}, {"10", "도", none}, {"lg", "도", ""}, {"10", "만의", "만"}, {"2024", "에", ""},
	} {
		got := analysis.WithoutParticle(test.before, test.word)
		if got == test.word {
			got = none
		}
		if got != test.want {
			t.Errorf("%s behind %q is %q with a particle, want %q", test.word, test.before, got, test.want)
		}
	}
}

func TestNounForms(t *testing.T) {
	t.Parallel()
	if got, want := analysis.NounForms("고양이"), []string{"고양이가", "고양이를", "고양이와", "고양이에"}; !slices.Equal(got, want) {
		t.Errorf("noun forms: %v, want %v", got, want)
	}
	if got, want := analysis.NounForms("한글"), []string{"한글이", "한글을", "한글과", "한글에"}; !slices.Equal(got, want) {
		t.Errorf("noun forms: %v, want %v", got, want)
	}
	for _, test := range []struct {
		before, noun string
		want         []string
	}{
		{"", "책", []string{"책은", "책을", "책으로", "책에", "책에서"}},
		{"", "물", []string{"물은", "물을", "물로", "물에", "물에서"}},
		{"", "차", []string{"차는", "차가", "차를", "차로", "차에", "차에서"}},
		{"2024", "년", []string{"년의", "년에", "년에서", "년도", "년만", "년은", "년이", "년을", "년과", "년으로"}},
		{"1", "호", []string{"호의", "호에", "호에서", "호도", "호만", "호는", "호가", "호를", "호와", "호로"}},
	} {
		if got := analysis.ShortForms(test.before, test.noun); !slices.Equal(got, test.want) {
			t.Errorf("short forms of %s behind %q: %v, want %v", test.noun, test.before, got, test.want)
		}
	}
	for _, test := range []struct {
		word, noun string
		want       bool
	}{{"김치냉장고", "냉장고", true}, {"김치냉장고를", "냉장고", true}, {"신제품들", "제품들", true}, {"신제품", "제품", false}, {"무선충전", "충전", true}, {"냉장고", "냉장고", false}, {"냉장고문", "냉장고", false}, {"", "냉장", false}} {
		if got := analysis.Within(test.word, test.noun); got != test.want {
			t.Errorf("%s is within %s: %v", test.noun, test.word, got)
		}
	}
	for word, want := range map[string]bool{"서울": true, "책": false, "lg": false, "": false, "한글\u1100": false} {
		if got := analysis.IsSyllables(word); got != want {
			t.Errorf("%q ends in two syllables: %v", word, got)
		}
	}
}
