package store

import (
	"context"
	"slices"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// Searches for common words are answered from tables of their own (store/posting) rather than from
// every document that they find: the total and the facets by counting bits, the hits by ranking only the
// documents that can be among them.
//
//   - The numbers of the documents are cut into blocks. For each block and each common lexeme there is a row of
//     postings, with how often the lexeme is in each field of each document; for each block and each field of
//     repeated values a row of these.
//   - While an index has these tables, each write also logs the numbers that it touches in a table of their own,
//     in its transaction. The builder rebuilds blocks, each in one transaction that also deletes the log rows
//     that it saw of the block.
//   - So in every snapshot a document is either as its block has it or in the log. A search reads log and blocks
//     in one snapshot, takes the logged documents out of the blocks, and puts the plain statement to them.
//   - The documents are ranked as all others are, those with the largest bounds first, until the last hit of the page has
//     a higher score than the next bound.
//
// Whatever they cannot answer goes the plain way.

// builtIn are the postings that something was read of, and the history that it was read in: only there do numbers of transactions
// tell whether it is still so.
type builtIn struct {
	generation int64
	history    history
}

// accelerated is a search that is answered from postings.
type accelerated struct {
	*accelerator
	history history // of the connection that it asks
	sh      table.Shape
	plan    *service.Plan
	ranking searchsql.Ranking
	limits  accelerationLimits
	cache   *acceleratorCache

	// searched are the fields that the postings are of, inPattern the places of the plan's fields among these.
	searched  []service.Field
	inPattern []int

	terms    []acceleratedTerm
	excluded []acceleratedTerm
	lexemes  []string // all that are read
	// everything tells that all documents are found but for excluded ones and the filter.
	everything bool
	// rare are the excluded lexemes without postings, as those of terms.
	rare    []rareLexeme
	phrases []phrase // of all terms
	// begins are the lexemes with postings that begin with each prefix of the terms.
	begins  map[string][]string
	filter  blockFilter
	own     map[string]blockFilter     // of the plan's own conditions
	valued  []string                   // fields whose values are read
	ranges  []blockvalues.OrderedRange // the conditions on fields whose order is read
	present []string                   // fields that there is a condition on the presence of
	others  []string                   // facets that the plain statement counts
	ids     []string                   // of the documents that are not let through if they have one of these
	negated bool                       // the condition at hand is in a Not
	byScore bool
	further bool               // what has the same score is in another order than that of ids
	sorted  *blockvalues.Order // nil: by score, by boost or by id
	byID    bool               // in the order of ids
	// mostLogged is the number of documents that are not as their block has them up to which the log is read, mostLooked that up to which
	// they are looked at.
	mostLogged, mostLooked int
	// unknown is how many logged documents are to be looked at of which nothing is remembered, though there may be room.
	unknown int
	// stay has the transaction go on after the hits: a statement counts other facets, tests run the plain one in the same snapshot.
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
	// maxPlace is the last place of a page that is ranked from postings. Where many documents are expected for each place up to that of
	// the page, foundForPlace, it is mostPlaces: to rank all of them would take longer.
	maxPlace, mostPlaces = 1000, 10000
	foundForPlace        = 20
	// loggedForFound is how many rows of the log are read in the time in which the plain statement finds and ranks a document.
	loggedForFound = 3
)

// accelerate tells how a search can be answered from postings; nil if it cannot.
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

// any tells whether the search is for any of the words rather than all.
func (a *accelerated) any() bool { return a.plan.Match == service.MatchAny && len(a.plan.Terms) > 0 }

// takeOrder tells whether the hits are in one of the two orders that postings or an index can give: by score, whatever comes
// behind it, or by boost.
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

// leadingKey is the column that hits in an order are sorted by, largest first and then by their ids; "" in any other order.
func leadingKey(keys []searchsql.OrderKey) string {
	if len(keys) != 2 || !keys[0].Desc || keys[1].Column != "_id" || keys[1].Desc {
		return ""
	}
	return keys[0].Column
}

// takeFilter tells whether the filter and the facets can be answered from values.
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

// value returns the place of a field among the values that are read.
func (a *accelerated) value(name string) int {
	if i := slices.Index(a.valued, name); i >= 0 {
		return i
	}
	a.valued = append(a.valued, name)
	return len(a.valued) - 1
}
