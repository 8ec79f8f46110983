package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// Searches for common words are answered from tables of their own (postings.go, values.go) rather than from
// every document that they find: the total and the facets by counting bits, the hits by ranking only the
// documents that can be among them.
//
//   - The numbers of the documents are cut into blocks. For each block and each common lexeme there is a row of
//     postings, with the most that the lexeme adds to each document's score; for each block and each field of
//     repeated values a row of these.
//   - While an index has these tables, each write also logs the numbers that it touches in a table of their own,
//     in its transaction. The builder rebuilds blocks, each in one transaction that also deletes the log rows
//     that it saw of the block.
//   - So in every snapshot a document is either as its block has it or in the log. A search reads log and blocks
//     in one snapshot, takes the logged documents out of the blocks, and puts the plain statement to them.
//   - The documents are ranked as all others are, those with the largest sums of impacts first, until the last hit of
//     the page has a higher score than the next sum.
//
// Whatever they cannot answer goes the plain way.

// accelerationLimits say what is accelerated; tests lower them.
type accelerationLimits struct {
	// documents is the size from which an index is accelerated, frequency the number of documents from which a
	// lexeme has postings, lexemes how many of these there are at most.
	documents, frequency, lexemes int
	// blockSize is the number of documents in a block.
	blockSize int
	// changed is the number of documents up to which a search puts the plain statement to those that are not
	// as their block has them.
	changed int
	// expected is the number of documents with all words from which the postings are used, if each word were in any
	// document as likely as in another: to rank fewer takes less than to read postings. rarest is the number of
	// documents with the rarest word from which they are used all the same: the index goes through all of these.
	expected, rarest float64
	// together is the number of documents up to which those that may have all words of a search are looked at for its
	// phrases; where there are more, all that may have a phrase are, and it is remembered.
	together int
	// rebuild is the number of log rows from which blocks are rebuilt.
	rebuild int
	// stages are how many candidates are ranked before the last hit of the page is compared with the next bound. What the
	// last does not settle goes the plain way. kept is how many candidates are found at once.
	stages []int
	kept   int
	// unproven is the number of documents above which a page is taken as it is after the last stage.
	unproven int
}

var standardLimits = accelerationLimits{documents: 50000, frequency: 1000, lexemes: 8192, blockSize: 32768, changed: 3000, expected: 20, rarest: 3000, together: 2000, rebuild: 300,
	stages: []int{30, 150, 600, 4000}, kept: 150, unproven: 20000}

// accelerator is what the catalog knows of an index's postings.
type accelerator struct {
	generation    int64
	blockSize     int
	averageLength float64
	formula       string
	documents     int64            // in all blocks when they were built
	frequencies   map[string]int64 // of the lexemes that have postings
}

// acceleratorCache remembers accelerators. One may be out of date; the snapshot of the search shows.
type acceleratorCache struct {
	accelMu      sync.Mutex
	accelerators map[int64]knownAccelerator
	limits       accelerationLimits
	valuesCache
	phraseCache
}

type knownAccelerator struct {
	*accelerator // nil: there is none
	read         time.Time
}

func newAcceleratorCache() acceleratorCache {
	return acceleratorCache{accelerators: map[int64]knownAccelerator{}, limits: standardLimits, valuesCache: newValuesCache(), phraseCache: newPhraseCache()}
}

// acceleratorLife is how long it is believed that there is none or that there is one.
const acceleratorLife = time.Second

func (s *Store) forgetAccelerator(id int64) {
	s.accelMu.Lock()
	defer s.accelMu.Unlock()
	delete(s.accelerators, id)
}

// accelerator returns that of an index, or nil.
func (s *Store) accelerator(ctx context.Context, id int64) (*accelerator, error) {
	s.accelMu.Lock()
	known, ok := s.accelerators[id]
	s.accelMu.Unlock()
	if ok && time.Since(known.read) < acceleratorLife {
		return known.accelerator, nil
	}
	var generation int64
	err := s.readPool(ctx).QueryRow(ctx, "SELECT generation FROM rowan.accelerators WHERE index_id = $1 AND ready", id).Scan(&generation)
	fresh := knownAccelerator{read: time.Now()}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, err
	case known.accelerator != nil && known.generation == generation:
		fresh.accelerator = known.accelerator
	default:
		if fresh.accelerator, err = readAccelerator(ctx, s.readPool(ctx), id); err != nil {
			return nil, err
		}
	}
	s.accelMu.Lock()
	defer s.accelMu.Unlock()
	if len(s.accelerators) > maxCached {
		clear(s.accelerators)
	}
	s.accelerators[id] = fresh
	return fresh.accelerator, nil
}

type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readAccelerator(ctx context.Context, db rowQuerier, id int64) (*accelerator, error) {
	x := &accelerator{}
	var lexemes []string
	var frequencies []int64
	err := db.QueryRow(ctx, "SELECT generation, block_size, average_length, formula, documents, lexemes, frequencies FROM rowan.accelerators WHERE index_id = $1", id).
		Scan(&x.generation, &x.blockSize, &x.averageLength, &x.formula, &x.documents, &lexemes, &frequencies)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x.frequencies = make(map[string]int64, len(lexemes))
	for i, l := range lexemes {
		x.frequencies[l] = frequencies[i]
	}
	return x, nil
}

func (r relations) touched() string  { return quote(r.derived) + "." + quote(fit(r.name, "_touched")) }
func (r relations) postings() string { return quote(r.derived) + "." + quote(fit(r.name, "_postings")) }
func (r relations) values() string   { return quote(r.derived) + "." + quote(fit(r.name, "_values")) }

// accelerated is a search that is answered from postings.
type accelerated struct {
	*accelerator
	sh      shape
	plan    *service.Plan
	ranking ranking
	limits  accelerationLimits

	terms    []acceleratedTerm
	excluded []string
	lexemes  []string // all that are read
	// rare are the tsqueries of the excluded lexemes without postings, as those of terms.
	rare []string
	// phrases are those of all terms; unwanted are the places of excluded ones.
	phrases  []phrase
	unwanted []int
	filter   blockFilter
	own      map[string]blockFilter // of the plan's own conditions
	valued   []string               // fields whose values are read
	byScore  bool
	sorted   *sortedBy // nil: by score or by boost
	// stay has the transaction go on after the answer: tests run the plain statement in the same snapshot.
	stay bool
}

// acceleratedTerm is a word with its lexemes that have postings, and the most that each counts for.
type acceleratedTerm struct {
	lexemes  []string
	weights  []float64
	phrases  []weightedPhrase
	required bool
	// rare are the tsqueries of its lexemes without postings: the documents that have one of them, and the other
	// terms, are looked at one by one.
	rare []string
	// query is all of the term as a tsquery.
	query string
	// weight is what the term counts for, prefix the largest factor of an alternative that is a prefix, 0 where
	// there is none. How much a prefix adds is known only from all lexemes that begin with it.
	weight, prefix float64
	// optional terms add to the score and are no condition; rarity is the term's share of the query's.
	optional bool
	rarity   float64
}

// maxExpansions bounds the lexemes with postings that a prefix stands for.
const maxExpansions = 100

// maxPlace is the last place of a page that is ranked from postings.
const maxPlace = 1000

// accelerate tells how a search can be answered from postings; nil if it cannot.
func (s *Store) accelerate(ctx context.Context, p *service.Plan, sh shape, r ranking) (*accelerated, error) {
	if !p.All || p.Nothing || p.Offset+p.Limit > maxPlace {
		return nil, nil
	}
	x, err := s.accelerator(ctx, p.Index.ID)
	if x == nil || err != nil {
		return nil, err
	}
	a := &accelerated{accelerator: x, sh: sh, plan: p, ranking: r, limits: s.limits}
	// Where all words must be there, it does not matter in which field but for what has phrases.
	unclear := func(t service.Term) bool { return hasPhrase(t) && ambiguous(t, p.Fields) }
	if slices.ContainsFunc(p.Terms, unclear) || slices.ContainsFunc(p.Excluded, unclear) ||
		a.any() && slices.ContainsFunc(p.Terms, func(t service.Term) bool { return ambiguous(t, p.Fields) }) {
		return nil, nil
	}
	if x.formula != formulaOf(p.Fields) || !(a.takeOrder() || a.takeSort()) || !a.takeTerms() || !a.takeFilter() || !a.worthwhile() {
		return nil, nil
	}
	return a, nil
}

// any tells whether the search is for any of the words rather than all.
func (a *accelerated) any() bool { return a.plan.Match == service.MatchAny && len(a.plan.Terms) > 0 }

// ambiguous tells whether the fields are searched for different lexemes of a word: stemmed fields for its stem,
// others for itself. Postings do not know in which field a lexeme stands, so they cannot tell a document with
// the stem in a field that is not stemmed from one that has the word. Phrases are looked for in their fields.
func ambiguous(t service.Term, fields []service.Field) bool {
	var sets [][]string
	done := map[mapping.Analysis]bool{}
	for _, f := range fields {
		if done[f.Analysis] {
			continue
		}
		done[f.Analysis] = true
		var words []string
		for _, one := range t.Alternatives[f.Analysis] {
			if len(one.Sequence) == 1 && !isWhole(one.Sequence[0].Text) {
				words = append(words, tsLexeme(one.Sequence[0]))
			}
		}
		switch f.Analysis {
		case mapping.Whole, mapping.WholeExact, mapping.EmailParts, mapping.PathSegments, mapping.Digits:
			continue // all of their lexemes are marked
		}
		slices.Sort(words)
		sets = append(sets, slices.Compact(words))
	}
	for _, words := range sets {
		if !slices.Equal(words, sets[0]) {
			return true
		}
	}
	return false
}

// takeOrder tells whether the hits are in one of the two orders that postings or an index can give.
func (a *accelerated) takeOrder() bool {
	key := a.sh.leadingKey(a.plan)
	a.byScore = key == "score"
	return a.byScore == (len(a.plan.Terms) > 0) && (a.byScore || key == "_boost")
}

// leadingKey is the column that the hits are sorted by, largest first and then by their ids; "" in any other order.
// That documents with all words come before others does not count.
func (s shape) leadingKey(p *service.Plan) string {
	keys := (&searchBuilder{shape: s, plan: p}).order()
	if len(p.Terms) > 0 && p.Match == service.MatchAny && len(keys) > 0 && keys[0].column == "every" && keys[0].desc {
		keys = keys[1:]
	}
	if len(keys) != 2 || !keys[0].desc || keys[1].column != "_id" || keys[1].desc {
		return ""
	}
	return keys[0].column
}

// takeTerms sorts the lexemes into those with postings and others.
func (a *accelerated) takeTerms() bool {
	// The mean length has changed since: that many times the impact may be more now.
	grown := max(1, a.ranking.averageLength/max(a.averageLength, 1))
	vectors := searchBuilder{shape: a.sh}
	take := func(t service.Term, weight float64) (term acceleratedTerm, ok bool) {
		byLexeme := map[string]float64{}
		prefixes := map[string]bool{}
		phrases := map[int]float64{}
		term.weight = weight * grown
		for _, f := range a.plan.Fields {
			for _, one := range t.Alternatives[f.Analysis] {
				if len(one.Sequence) != 1 {
					common, begun := a.common(one)
					if begun {
						return term, false
					}
					if !common {
						term.rare = append(term.rare, tsSequence(one, false))
						continue
					}
					place := a.phrase(one, vectors.vector(f))
					phrases[place] = max(phrases[place], one.Factor)
					continue
				}
				lexeme := one.Sequence[0].Text
				if one.Sequence[0].Prefix {
					prefixes[lexeme] = true
					term.prefix = max(term.prefix, one.Factor)
					continue
				}
				if _, common := a.frequencies[lexeme]; !common {
					term.rare = append(term.rare, tsSequence(one, false))
					continue
				}
				byLexeme[lexeme] = max(byLexeme[lexeme], one.Factor)
			}
		}
		if !a.expand(prefixes, byLexeme, &term.rare) {
			return term, false
		}
		for _, place := range slices.Sorted(maps.Keys(phrases)) {
			term.phrases = append(term.phrases, weightedPhrase{place, phrases[place] * weight * grown})
		}
		for lexeme, factor := range byLexeme {
			term.lexemes = append(term.lexemes, lexeme)
			term.weights = append(term.weights, factor*weight*grown)
		}
		slices.Sort(term.rare)
		term.rare = slices.Compact(term.rare)
		return term, true
	}
	for _, t := range a.plan.Terms {
		term, ok := take(t, float64(t.Repeats)*t.Rarity)
		if !ok {
			return false
		}
		// As in the plain statement, a word that no field knows is no condition.
		term.query = inIndex(t, a.plan.Fields)
		term.required = !t.Optional && term.query != ""
		term.optional, term.rarity = t.Optional, float64(t.Repeats)*t.Rarity
		if term.required && len(term.lexemes)+len(term.phrases) == 0 && !a.any() {
			return false // few documents have it: the index on the lexemes finds them
		}
		a.terms = append(a.terms, term)
		a.lexemes = append(a.lexemes, term.lexemes...)
	}
	for _, t := range a.plan.Excluded {
		term, ok := take(t, 0)
		if !ok || term.prefix > 0 {
			return false
		}
		a.excluded, a.rare = append(a.excluded, term.lexemes...), append(a.rare, term.rare...)
		for _, w := range term.phrases {
			a.unwanted = append(a.unwanted, w.place)
		}
		a.lexemes = append(a.lexemes, term.lexemes...)
	}
	if a.any() {
		if len(a.lexemes) == 0 {
			return false
		}
	} else if !slices.ContainsFunc(a.terms, func(t acceleratedTerm) bool { return t.required }) {
		if len(a.terms) > 0 {
			return false
		}
		a.lexemes = append(a.lexemes, everyDocument)
	}
	if slices.ContainsFunc(a.terms, func(t acceleratedTerm) bool { return t.prefix > 0 }) {
		a.lexemes = append(a.lexemes, everyDocument) // for the largest boost
	}
	slices.Sort(a.lexemes)
	a.lexemes = slices.Compact(a.lexemes)
	return len(a.phrases) <= maxPhrases
}

// common tells whether all lexemes of a phrase have postings, and whether one is only the beginning of some.
func (a *accelerated) common(one service.Alternative) (common, begun bool) {
	common = true
	for _, l := range one.Sequence {
		_, has := a.frequencies[l.Text]
		common, begun = common && has, begun || l.Prefix
	}
	return common, begun
}

// expand adds the lexemes with postings that begin with one of prefixes, and asks for the documents that have
// none of them but others that do.
func (a *accelerated) expand(prefixes map[string]bool, lexemes map[string]float64, rare *[]string) bool {
	if len(prefixes) == 0 {
		return true
	}
	for lexeme := range a.frequencies {
		for prefix := range prefixes {
			if _, there := lexemes[lexeme]; !there && strings.HasPrefix(lexeme, prefix) {
				lexemes[lexeme] = 0
			}
		}
	}
	if len(lexemes) > maxExpansions {
		return false
	}
	var others strings.Builder
	for _, lexeme := range slices.Sorted(maps.Keys(lexemes)) {
		others.WriteString(" & !" + tsLexeme(service.Lexeme{Text: lexeme}))
	}
	for prefix := range prefixes {
		*rare = append(*rare, "("+tsLexeme(service.Lexeme{Text: prefix, Prefix: true})+others.String()+")")
	}
	return true
}

// takeFilter tells whether the filter and the facets can be answered from values.
func (a *accelerated) takeFilter() bool {
	if !a.sh.countable(a.plan.Facets) {
		return false
	}
	for _, name := range a.plan.Facets {
		a.value(name)
	}
	a.own = map[string]blockFilter{}
	for name, c := range a.plan.Own {
		of, ok := a.blockFilter(c)
		if !ok {
			return false
		}
		a.own[name] = of
	}
	if a.plan.Filter == nil {
		return true
	}
	var ok bool
	a.filter, ok = a.blockFilter(a.plan.Filter)
	return ok
}

// value returns the place of a field among the values that are read.
func (a *accelerated) value(name string) int {
	if i := slices.Index(a.valued, name); i >= 0 {
		return i
	}
	a.valued = append(a.valued, name)
	return len(a.valued) - 1
}
