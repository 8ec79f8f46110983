package vocabulary

import (
	"fmt"
	"testing"
)

// Of very many compounds of frequent words, those in the most documents are kept.
func TestDropRareCompounds(t *testing.T) {
	t.Parallel()
	f := &Frequent{compounds: map[string]int64{"rare": leastMeant}}
	for i := range maxFrequentWords {
		f.compounds[fmt.Sprint("word", i)] = leastMeant + 1
	}
	f.dropRareCompounds()
	if _, rare := f.compounds["rare"]; rare || len(f.compounds) != maxFrequentWords {
		t.Errorf("%d are left, the rarest among them: %t", len(f.compounds), rare)
	}
}
