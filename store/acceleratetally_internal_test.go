package store

import (
	"context"
	"errors"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/table"
)

// tallyOfBrands returns a search that has found one document, which has a brand, in a block. The facet of brands is counted among the documents that
// another facet's condition admits.
func tallyOfBrands(t *testing.T) *blockTally {
	t.Helper()
	a := newAccelerated(&accelerator{blockSize: 64, kept: map[string]bool{"brand": true}}, table.Shape{}, &service.Plan{Index: &service.Index{}, Facets: []string{"brand"}})
	a.cache = &acceleratorCache{}
	a.limits = standardLimits
	a.own = map[string]blockFilter{"other": func(_ *block, among posting.Bitmap) posting.Bitmap { return among }}
	a.value("brand")
	brands := blockvalues.NewBuilder(64, 10)
	brands.Add([]byte("acme"), []byte("Acme"))
	brands.End(1)
	of, err := blockvalues.Decode(brands.Encode(), 64)
	if err != nil {
		t.Fatal(err)
	}
	tally := newBlockTally(a, blockvalues.NewSpace(64), changedDocuments{})
	tally.values.blocks = map[int64][]*blockvalues.Values{0: {of}}
	b := newBlock(a, blockVersion{})
	b.Found = posting.NewBitmap(64)
	b.Found.Set(1)
	tally.blocks = []*block{b}
	return tally
}

// The space in which facets are counted is reused for the next block: there may be hundreds of blocks and dozens of facets.
func TestFacetsTakeNoSpaceForEachBlock(t *testing.T) {
	t.Parallel()
	tally := tallyOfBrands(t)
	before := tally.space.Given()
	if done, err := tally.filter(t.Context(), nil); !done || err != nil {
		t.Fatal(done, err)
	}
	if n := tally.facets[0].Values[blockvalues.Value{Key: "acme", Spelling: "Acme"}]; n != 1 {
		t.Errorf("%d documents have the brand", n)
	}
	if tally.space.Given() != before {
		t.Errorf("%d bitmaps are taken, before %d", tally.space.Given(), before)
	}
}

// The work that Go does on blocks also ends with the search: the time limit of its statements does not cover it.
func TestFiltersOfBlocksEndWithTheSearch(t *testing.T) {
	t.Parallel()
	tally := tallyOfBrands(t)
	ctx, end := context.WithCancel(t.Context())
	if done, err := tally.filter(ctx, nil); !done || err != nil || tally.total != 1 {
		t.Errorf("a search under way: %v, %v, %d found", done, err, tally.total)
	}
	end()
	if _, err := tally.filter(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a search that has ended: %v", err)
	}
}
