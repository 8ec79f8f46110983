package highlight

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service/mapping"
)

// Marks within others are merged into them, with their terms: fragments are chosen by how many marks and terms they have.
func TestMarksAreNotNested(t *testing.T) {
	t.Parallel()
	const value = "Long Dark Ships"
	word := func(start, end, term int) mark { return mark{start, end, bit(term)} }
	for name, test := range map[string]struct {
		whole string // the term 9 looks for
		words []mark
		want  []mark
	}{
		"at the beginning of another": {"long dark ships", []mark{word(0, 4, 0)}, []mark{{0, 15, bit(0) | bit(9)}}},
		"within another":              {"long dark ships", []mark{word(5, 9, 1)}, []mark{{0, 15, bit(1) | bit(9)}}},
		"at the end of another":       {"long dark ships", []mark{word(10, 15, 2)}, []mark{{0, 15, bit(2) | bit(9)}}},
		"the same, and several":       {"long dark ships", []mark{word(0, 15, 0), word(5, 9, 1), word(10, 15, 2)}, []mark{{0, 15, bit(0) | bit(1) | bit(2) | bit(9)}}},
		"beside each other":           {"ships", []mark{word(0, 4, 0), word(5, 9, 1)}, []mark{word(0, 4, 0), word(5, 9, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wholes := make([]Term, 10)
			wholes[9] = Term{{{Text: test.whole}}}
			got := Spec{Analysis: mapping.TagWords, Matcher: NewMatcher(wholes)}.partMarks(value, test.words)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(mark{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
