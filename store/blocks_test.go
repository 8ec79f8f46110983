package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
)

// However writes, the builder and changes of mappings are interleaved, each document is as its block has it, or in the log; and what searches
// remember of phrases is correct.
func TestDocumentsAreAsTheirBlocksHaveThemOrLogged(t *testing.T) {
	t.Parallel()
	t.Run("documents that stay", func(t *testing.T) {
		t.Parallel()
		c := newChurn(t)
		c.run(100, func(r *rand.Rand, i int) []byte { return someBatch(r, 1+r.IntN(8)) }, func(i int, ix *service.Index) error { return nil })
		c.inTurn(20)
		if c.rebuilt < 20 {
			t.Errorf("documents were compared in %d blocks that had been rebuilt, want more", c.rebuilt)
		}
	})
	t.Run("documents that come and go", func(t *testing.T) {
		t.Parallel()
		c := newChurn(t)
		c.mappings = 4
		c.run(50, func(r *rand.Rand, i int) []byte {
			if i%2 == 0 {
				return passingBatch(r, 20*i)
			}
			return someBatch(r, 1+r.IntN(8))
		}, func(i int, ix *service.Index) (err error) {
			switch {
			case i == 30:
				err = c.st.StopAccelerating(t.Context(), ix)
			case i%20 == 10:
				err = c.st.Outgrow(t.Context(), ix)
			}
			return err
		})
		c.inTurn(5)
	})
}

// churn is an index that is written to and searched while its postings are being built.
type churn struct {
	t       *testing.T
	st      *store.Store
	checked *bothWays
	svc     *service.Service

	searches *service.Service // of what is remembered
	mappings int              // how often mappings change
	versions map[int64]uint32 // versions of the blocks at the previous check
	// Numbers of documents and phrases compared, and of blocks whose version differed from the previous check.
	documents, phrases, rebuilt int
}

func newChurn(t *testing.T) *churn {
	st, checked, svc := newAccelerated(t)
	return &churn{t: t, st: st, checked: checked, svc: svc, searches: service.New(st, service.Config{}), versions: map[int64]uint32{}}
}

// run makes two writers of batches, and psql, write the given number of times, while the builder works, more runs after each of its steps, and
// searches and checks go on.
func (c *churn) run(rounds int, batch func(r *rand.Rand, i int) []byte, more func(i int, ix *service.Index) error) {
	ctx := c.t.Context()
	var writing, beside sync.WaitGroup
	var ended atomic.Bool
	for seed := range uint64(2) {
		writing.Go(func() {
			r := rand.New(rand.NewPCG(seed, 13))
			for i := range rounds {
				raw := strings.ReplaceAll(string(batch(r, i)), `"passing`, fmt.Sprintf(`"passing%d-`, seed))
				if _, err := c.svc.WriteBatch(ctx, "demo", "things", []byte(raw)); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	writing.Go(func() {
		r := rand.New(rand.NewPCG(1, 15))
		for range rounds {
			if err := writeByPsql(ctx, c.checked, r); err != nil {
				c.t.Error(err)
			}
		}
	})
	writing.Go(func() {
		for i := range c.mappings {
			fields := acceleratedMappings
			if i%2 == 0 { // shifts the indices of the fields after it
				fields = slices.Concat(fields, []mapping.Mapping{{Name: "maker", Type: mapping.Keyword}})
			}
			if _, err := c.svc.UpdateIndex(ctx, "demo", "things", fields, false); err != nil {
				c.t.Error(err)
			}
		}
	})
	beside.Go(func() {
		for i := 0; !ended.Load(); i++ {
			err := buildPostings(ctx, c.st, 2)
			if err == nil {
				var ix *service.Index
				if ix, err = c.st.CurrentIndex(ctx, "demo", "things"); err == nil {
					err = more(i, ix)
				}
			}
			if err != nil && !outrun(err) {
				c.t.Error(err)
			}
		}
	})
	beside.Go(func() {
		r := rand.New(rand.NewPCG(1, 14))
		for !ended.Load() {
			c.search(ctx, r)
		}
	})
	beside.Go(func() {
		for !ended.Load() {
			c.check(ctx)
		}
	})
	writing.Wait()
	ended.Store(true)
	beside.Wait()
}

// inTurn writes, searches, builds and checks in turn.
func (c *churn) inTurn(rounds int) {
	ctx := c.t.Context()
	r := rand.New(rand.NewPCG(1, 16))
	for range rounds {
		if _, err := c.svc.WriteBatch(ctx, "demo", "things", someBatch(r, 8)); err != nil {
			c.t.Fatal(err)
		}
		if err := buildPostings(ctx, c.st, 100); err != nil {
			c.t.Fatal(err)
		}
		for range 4 {
			c.search(ctx, r)
		}
		c.check(ctx)
	}
	c.t.Logf("compared %d documents, %d phrases of them, %d times in blocks that had been rebuilt", c.documents, c.phrases, c.rebuilt)
	if c.documents < 1000 || c.phrases < 500 {
		c.t.Errorf("%d documents and %d phrases of them were compared, want more", c.documents, c.phrases)
	}
}

// search looks for a phrase, a prefix of one, and words.
func (c *churn) search(ctx context.Context, r *rand.Rand) {
	req := service.SearchRequest{Query: someWords(r, 1) + ` "` + someWords(r, 2) + `" ` + someWords(r, 2)[:6], Match: []service.Match{service.MatchAll, service.MatchAny}[r.IntN(2)]}
	if _, err := c.searches.Search(ctx, service.Principal{Application: "demo"}, "things", req); err != nil {
		c.t.Error(err)
	}
}

func (c *churn) check(ctx context.Context) {
	ix, err := c.st.CurrentIndex(ctx, "demo", "things")
	if err != nil {
		c.t.Error(err)
		return
	}
	checked, err := c.st.CheckBlocks(ctx, ix)
	if err != nil {
		c.t.Error(err)
	}
	c.documents, c.phrases = c.documents+checked.Documents, c.phrases+checked.Phrases
	for block, writer := range checked.Blocks {
		if before, ok := c.versions[block]; ok && before != writer {
			c.rebuilt++
		}
		c.versions[block] = writer
	}
}

// passingBatch stores 40 documents, from the given number on, and deletes most of the previous 40.
func passingBatch(r *rand.Rand, from int) []byte {
	var actions []string
	for i := range 40 {
		if r.IntN(20) > 0 {
			actions = append(actions, fmt.Sprintf(`{"action":"delete","_id":"passing%d"}`, from-40+i))
		}
		actions = append(actions, fmt.Sprintf(`{"action":"upsert","_id":"passing%d","body":%s}`, from+i, someDocument(r)))
	}
	return []byte("[" + strings.Join(actions, ",") + "]")
}
