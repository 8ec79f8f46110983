package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// seenWords remembers what the words of queries meant in an index that nobody writes to: looking them up for each search, such as each page and each
// chosen facet, would take a round trip. A search that relies on it also checks, in a round trip of its own statements, whether the vocabulary is
// unchanged; if not, it is planned again.
type seenWords struct {
	known remembered.Map[string, *service.RelatedWords]
	// now is the state in which each index was last seen. Only entries of that state are worth trying.
	now remembered.Map[int64, string]
}

func newSeenWords() seenWords {
	return seenWords{
		known: remembered.Map[string, *service.RelatedWords]{Life: seenLife, Room: maxSeenWords, Weigh: func(key string, r *service.RelatedWords) int { return 256 + len(key) + sizeOf(r) }},
		now:   remembered.Map[int64, string]{Room: maxCached},
	}
}

const (
	// maxSeenWords bounds the memory for entries, in bytes.
	maxSeenWords = 1 << 20
	// seenLife is how long an entry is remembered: it may depend on an earlier list of frequent words.
	seenLife = time.Minute
)

// seenKey returns a key of everything that related words depend on except the state of the vocabulary.
func seenKey(ix *service.Index, ask service.AskedWords) string {
	return fmt.Sprintf("%d %d %s %q %q %q %q %q %q %q %q %d %v %v", ix.ID, ix.Version, ix.Settings.Language, ask.Words, ask.Forms, ask.Lexemes, ask.Letters, ask.Nouns, ask.Heads, ask.Prefix, ask.Beside, ask.Limit, ask.Pairs, ask.Initials)
}

// get returns what is remembered, if the index was last seen in the same state.
func (c *seenWords) get(ix *service.Index, key string) (*service.RelatedWords, bool) {
	r, ok := c.known.Get(key)
	if !ok {
		return nil, false
	}
	now, _ := c.now.Get(ix.ID)
	return r, now == r.Seen
}

// put remembers what was looked up in a state, unless the state is unknown.
func (c *seenWords) put(ix *service.Index, key, state string, related *service.RelatedWords) {
	if c.now.Put(ix.ID, state); state == "" {
		return
	}
	seen := *related
	seen.Seen = state
	c.known.Put(key, &seen)
}

// changed notes that the vocabulary of an index may have changed.
func (c *seenWords) changed(index int64) { c.now.Put(index, "") }

// sizeOf returns about how many bytes the words take.
func sizeOf(r *service.RelatedWords) (n int) {
	const entry = 96 // of a list or a map, with a short word
	n = entry * (len(r.Known) + len(r.Lexemes) + len(r.Joined) + len(r.HalfStopped) + len(r.Completions) + len(r.Going) + len(r.Seldom) + len(r.Beside) + len(r.Split))
	for _, near := range r.Near {
		n += entry * (1 + len(near))
	}
	for _, ways := range r.Parted {
		n += entry * (1 + len(ways))
	}
	for _, around := range []map[string][]service.Completion{r.Around, r.Compounds} {
		for _, words := range around {
			n += entry * (1 + len(words))
		}
	}
	for _, series := range r.Series {
		n += entry * (1 + len(series))
	}
	for _, names := range r.Initials {
		n += entry * (1 + len(names))
	}
	for _, forms := range r.JoinedForms {
		n += entry * (1 + len(forms))
	}
	return n
}

// seenIn returns the state that was seen in a history. Without that, what is lost in a crash and then done again could result in the same number.
func seenIn(h history, seen string) string {
	if seen == "" {
		return ""
	}
	return fmt.Sprint(h, " ", seen)
}

// vocabularyState returns the current state of an index's vocabulary, as seenIn does; "" also if it is gone.
func (s *Store) vocabularyState(ctx context.Context, ix *service.Index) (string, error) {
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	var seen string
	if err := conn.QueryRow(ctx, "SELECT "+vocabulary.StateSQL(table.RelationsOf(ix.Application, ix.Name))).Scan(&seen); err != nil && !gone(err) {
		return "", err
	}
	return seenIn(historyOf(ctx, conn.Conn()), seen), nil
}

// catalogSQL selects the version of the catalog of application $1, more columns and, if the plan relies on what words were seen to mean, the current
// state of their vocabulary.
func catalogSQL(p *service.Plan, more ...string) string {
	columns := append([]string{"a.version"}, more...)
	if p.Words != nil {
		columns = append(columns, vocabulary.StateSQL(table.RelationsOf(p.Index.Application, p.Index.Name)))
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM rowan.applications a WHERE a.id = $1::text"
}

// checkSeen returns ErrStale if words that a plan relies on may mean something else now, unless a statement has checked that.
func (s *Store) checkSeen(ctx context.Context, p *service.Plan) error {
	if p.Words == nil || p.Words.Current {
		return nil
	}
	return s.checkCurrent(ctx, p)
}

// checkCurrent returns ErrStale if the catalog is not the one that a plan was made from, or words that it relies on may mean something else now.
func (s *Store) checkCurrent(ctx context.Context, p *service.Plan) error {
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return checkVersion(conn.QueryRow(ctx, catalogSQL(p), p.Index.Application), p, historyOf(ctx, conn.Conn()))
}
