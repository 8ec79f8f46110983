package store

import "testing"

// A tally made ahead knows how many documents the blocks have, although this is read only afterwards: it decides whether a few documents are looked
// up in the index on ids, or sorted.
func TestTallyMadeAheadKnowsTheDocuments(t *testing.T) {
	blocks := func(documents ...int) *blockTally {
		tally := &blockTally{}
		for i, n := range documents {
			tally.blocks = append(tally.blocks, &block{blockVersion: blockVersion{number: int64(i)}, documents: n})
		}
		return tally
	}
	h := &ahead{cache: &postingsCache{}, tally: blocks(0, 0)}
	if n := h.settle(blocks(32768, 1000)).documents(); n != 33768 {
		t.Errorf("it knows of %d documents, want 33768", n)
	}
}
