package store

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// Searches for common words are answered from tables of their own (store/posting) instead of from every document that matches: the total and the
// facets by counting bits, the hits by ranking only the documents that can be among them.
//
//   - Document numbers are divided into blocks. Each block has a row of postings for each common lexeme, with how often the lexeme occurs in each
//     field of each document, and a row for each field whose values repeat.
//   - While an index has these tables, each write also logs the numbers that it touches, in the same transaction, in a table kept for this purpose.
//     The builder rebuilds blocks, each in one transaction that also deletes the log rows of the block that it saw.
//   - So in every snapshot a document is either as its block has it or in the log. A search reads log and blocks in one snapshot, removes the
//     logged documents from the blocks, and runs the plain statement on them.
//   - Documents are ranked as in any other search, those with the largest bounds first, until the last hit of the page scores higher than the
//     next bound.
//
// Searches that postings cannot answer use the plain statement.

// builtIn identifies the postings that something was read from and the history in which it was read: only within one history do transaction numbers
// tell whether it is still current.
type builtIn struct {
	generation int64
	history    history
}

// accelerated is a search that is answered from postings.
type accelerated struct {
	*accelerator
	history history // of the connection that runs the search
	sh      table.Shape
	plan    *service.Plan
	ranking searchsql.Ranking
	limits  accelerationLimits
	cache   *acceleratorCache

	// searched are the fields that the postings cover, inPattern the indices of the plan's fields in searched.
	searched  []service.Field
	inPattern []int

	terms    []acceleratedTerm
	excluded []acceleratedTerm
	lexemes  []string // all lexemes that are read
	// everything says that all documents match, except for excluded ones and the filter.
	everything bool
	// rare are the excluded lexemes without postings, as in terms.
	rare    []rareLexeme
	phrases []phrase // of all terms
	// begins maps each prefix of the terms to the lexemes with postings that begin with it.
	begins  map[string][]string
	filter  blockFilter
	own     map[string]blockFilter     // for the plan's own conditions
	valued  []string                   // fields whose values are read
	ranges  []blockvalues.OrderedRange // conditions on fields whose order is read
	present []string                   // fields whose presence is a condition
	others  []string                   // facets that the plain statement counts
	ids     []string                   // ids that a negated condition excludes
	negated bool                       // the current condition is inside a Not
	byScore bool
	further bool               // equal scores are ordered by something other than ids
	sorted  *blockvalues.Order // nil: by score, by boost or by id
	byID    bool               // in the order of ids
	// mostLogged is the number of changed documents up to which the log is read; mostLooked is the number up to which they are examined.
	mostLogged, mostLooked int
	// unknown is the number of logged documents to examine about which nothing is remembered although there may be room.
	unknown int
	// stay keeps the transaction open after the hits: a statement counts other facets, and tests run the plain statement in the same snapshot.
	stay bool
}

func (a *accelerated) builtIn() builtIn { return builtIn{a.generation, a.history} }

func newAccelerated(x *accelerator, sh table.Shape, p *service.Plan) *accelerated {
	a := &accelerated{accelerator: x, sh: sh, plan: p, searched: service.SearchedFields(p.Index)}
	for _, f := range p.Fields {
		a.inPattern = append(a.inPattern, slices.IndexFunc(a.searched, func(of service.Field) bool { return of.Name == f.Name }))
	}
	return a
}

const (
	// maxPlace is the last rank of a page that is answered from postings. It is mostPlaces if at least foundForPlace documents are expected for each
	// rank up to the end of the page: the plain statement would take longer to rank all of them.
	maxPlace, mostPlaces = 1000, 10000
	foundForPlace        = 20
	// loggedForFound is how many log rows can be read in the time that the plain statement takes to find and rank one document.
	loggedForFound = 3
)

// accelerate prepares a search that is answered from postings. It returns nil if they cannot answer it.
func (s *Store) accelerate(ctx context.Context, p *service.Plan, sh table.Shape, r searchsql.Ranking) (*accelerated, error) {
	if p.Nothing || p.Offset+p.Limit > mostPlaces {
		return nil, nil
	}
	x, err := s.accelerator(ctx, p.Index.ID)
	if x == nil || err != nil {
		return nil, err
	}
	a := newAccelerated(x, sh, p)
	a.ranking, a.limits, a.cache = r, s.limits, &s.acceleratorCache
	ordered := p.Limit == 0 || a.takeOrder() || a.takeSort() // no hits have no order
	if !x.formula.readable(formulaOf(a.searched)) || !ordered || !a.takeTerms() || !a.takeFilter() {
		return nil, nil
	}
	expected, rarest := a.expected()
	if expected < a.limits.expected && rarest < a.limits.rarest {
		return nil, nil
	}
	a.mostLogged, a.mostLooked = a.limits.changed, a.limits.changed
	if place := p.Offset + p.Limit; place > maxPlace && expected < foundForPlace*float64(place) {
		return nil, nil
	}
	if share := a.limits.changedShare; share > 0 {
		most := float64(a.limits.mostChanged)
		a.mostLooked = max(a.mostLooked, int(min(expected/float64(share), most)))
		a.mostLogged = max(a.mostLooked, int(min(expected*loggedForFound, most)))
	}
	return a, nil
}

// any reports whether the search is for any of the words rather than all.
func (a *accelerated) any() bool { return a.plan.Match == service.MatchAny && len(a.plan.Terms) > 0 }

// takeOrder reports whether the hits are in one of the two orders that postings or an index can provide: by score, whatever follows it, or by boost.
func (a *accelerated) takeOrder() bool {
	keys := searchsql.OrderOf(a.sh, a.plan)
	key := leadingKey(keys)
	if len(a.plan.Terms) == 0 {
		return key == "_boost"
	}
	a.byScore = keys[0].Column == "score" && keys[0].Desc
	a.further = a.byScore && key == ""
	return a.byScore
}

// leadingKey returns the column that the hits are sorted by, largest first and then by id; "" for any other order.
func leadingKey(keys []searchsql.OrderKey) string {
	if len(keys) != 2 || !keys[0].Desc || keys[1].Column != "_id" || keys[1].Desc {
		return ""
	}
	return keys[0].Column
}

// takeFilter reports whether the filter and the facets can be answered from values.
func (a *accelerated) takeFilter() bool {
	if !a.takeFacets() {
		return false
	}
	a.own = map[string]blockFilter{}
	for name, c := range a.plan.Own {
		of, ok := a.blockFilter(c)
		if !ok {
			return false
		}
		a.own[name] = of
	}
	if a.plan.Filter != nil {
		var ok bool
		if a.filter, ok = a.blockFilter(a.plan.Filter); !ok {
			return false
		}
	}
	slices.Sort(a.lexemes)
	a.lexemes = slices.Compact(a.lexemes)
	return true
}

// value returns the index of a field in a.valued, adding it if necessary.
func (a *accelerated) value(name string) int {
	if i := slices.Index(a.valued, name); i >= 0 {
		return i
	}
	a.valued = append(a.valued, name)
	return len(a.valued) - 1
}
