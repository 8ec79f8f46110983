package highlight_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/highlight"
	"github.com/rowansearch/rowan/service/mapping"
)

// Of the pairs in which a letter is found, only the letter is marked: its neighbours were not searched for.
func TestLettersInPairs(t *testing.T) {
	t.Parallel()
	word := func(text string) highlight.Sequence { return highlight.Sequence{{Text: text}} }
	letter := func(letter string, pairs ...string) highlight.Term {
		term := highlight.Term{word(letter), {{Text: letter, Prefix: true}}}
		for _, pair := range pairs {
			term = append(term, word(pair))
		}
		return term
	}
	for name, test := range map[string]struct {
		terms []highlight.Term
		text  string
		want  string
	}{
		"the second of a pair":             {[]highlight.Term{letter("猫", "い猫")}, "黒い猫", "黒い<b>猫</b>"},
		"the first of a pair":              {[]highlight.Term{letter("猫")}, "猫の写真", "<b>猫</b>の写真"},
		"several times":                    {[]highlight.Term{letter("で", "ンで", "料で")}, "クーポンで無料で", "クーポン<b>で</b>無料<b>で</b>"},
		"by itself":                        {[]highlight.Term{letter("猫")}, "Cat 猫", "Cat <b>猫</b>"},
		"both of a pair":                   {[]highlight.Term{letter("猫", "猫猫")}, "黒猫猫", "黒<b>猫猫</b>"},
		"two letters":                      {[]highlight.Term{letter("猫", "子猫"), letter("犬", "と犬")}, "子猫と犬", "子<b>猫</b>と<b>犬</b>"},
		"beside a pair":                    {[]highlight.Term{letter("で", "で無"), {word("無料")}}, "で無料だ", "<b>で無料</b>だ"},
		"in a pair":                        {[]highlight.Term{{word("黒猫")}, letter("猫", "黒猫")}, "黒猫の", "<b>黒猫</b>の"},
		"of half width":                    {[]highlight.Term{letter("ガ")}, "ｶﾞﾗｽ", "<b>ｶﾞ</b>ﾗｽ"},
		"with a mark":                      {[]highlight.Term{letter("ก")}, "ก้อน", "<b>ก้</b>อน"},
		"in one sign with others":          {[]highlight.Term{letter("式", "株式")}, "㍿", "<b>㍿</b>"},
		"that is not in the text":          {[]highlight.Term{letter("猫", "い猫")}, "黒い犬", ""},
		"beside a pair with its neighbour": {[]highlight.Term{{word("黒い")}, letter("猫", "い猫")}, "黒い猫", "<b>黒い猫</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			if test.want != "" {
				want = []string{test.want}
			}
			for _, a := range []mapping.Analysis{mapping.Plain, mapping.Stemmed} {
				if diff := cmp.Diff(want, field(a, highlight.NewMatcher(test.terms), test.text)); diff != "" {
					t.Errorf("analysis %d (-want +got):\n%s", a, diff)
				}
			}
		})
	}
}
