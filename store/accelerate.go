package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/posting"
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

// accelerationLimits say what is accelerated; tests lower them.
type accelerationLimits struct {
	// documents is the size from which an index is accelerated: in smaller ones a search ranks all that there is in a few
	// milliseconds. lexemes is how many lexemes have postings at most.
	documents, lexemes int
	// frequency is the number of documents from which a lexeme has postings, a lower one in indices of few blocks: frequencyInBlock
	// for each block. Postings of fewer documents would hardly save a look at these.
	frequency, frequencyInBlock int
	// counted is the number of documents from which the builder counts those of a lexeme without postings: fewer are
	// counted by the search that asks for them.
	counted int
	// blockSize is the number of documents in a block.
	blockSize int
	// changed is the number of documents up to which a search looks at those themselves that are not as their block has
	// them; where it expects more, up to the share changedShare of these, but at most mostChanged.
	changed, changedShare, mostChanged int
	// remembered is the number of looks at logged documents from which the lexemes of few are remembered.
	remembered int
	// expected is the number of documents with all words from which the postings are used, if each word were in any
	// document as likely as in another: to rank fewer takes less than to read postings. rarest is the number of
	// documents with the rarest word from which they are used all the same: the index goes through all of these.
	expected, rarest float64
	// postingsARow is how many documents of a word PostgreSQL goes through in the search index in the time in which it reads a
	// row and looks for a word in it: 13 ns and 4 µs. With half or twice as many, rare searches took as long.
	postingsARow float64
	// together is the number of documents up to which those that may have a phrase are looked at one by one, although the
	// index could find it.
	together int
	// placed is the number of documents of a block with a lexeme above which its positions are stored, and of those that may have a
	// phrase above which they are read.
	placed int
	// rebuild is the number of log rows from which blocks are rebuilt, restingRebuild that where none has come for resting:
	// each of them is looked at by every search.
	rebuild, restingRebuild int
	resting                 time.Duration
	// stages are how many candidates are ranked before the last hit of the page is compared with the next bound. What the
	// last does not settle goes the plain way. kept is how many candidates are found at once.
	stages []int
	kept   int
	// values is the number of distinct values of a field in a block up to which they are kept: maxBlockValues at the most.
	values int
	// begun is the number of documents above which those with the beginning of a word are counted from postings.
	begun int64
	// occurrences is how many of the lexemes without postings are kept of a block.
	occurrences int
	// tied is the number of documents with the last value of a page, in the order of a field, above which it is looked at how they are
	// ordered among themselves; where these are to be ranked it is less (fewTied).
	tied int
	// walkedAtOnce is how many rows of an index on ids are read at once, mostWalked how many in all: ids may go with what is
	// searched for, and the first be far.
	walkedAtOnce, mostWalked int
	// unproven is the number of documents above which a page is taken as it is after the last stage.
	unproven int
}

// standardLimits are those of every store but those of tests.
var standardLimits = accelerationLimits{
	documents:        1000,
	lexemes:          16384,
	frequency:        250,
	frequencyInBlock: 20,
	counted:          50,
	blockSize:        32768,
	changed:          3000,
	changedShare:     10,
	mostChanged:      20000,
	remembered:       50,
	expected:         20,
	rarest:           3000,
	postingsARow:     300,
	together:         2000,
	placed:           128,
	rebuild:          300,
	restingRebuild:   30,
	resting:          time.Minute,
	stages:           []int{30, 150, 600, 4000},
	kept:             150,
	values:           maxBlockValues,
	begun:            fewDocuments,
	occurrences:      posting.MaxOccurrences,
	tied:             4000,
	walkedAtOnce:     4000,
	mostWalked:       20000,
	unproven:         20000,
}

// frequencyOf is the number of documents from which a lexeme has postings, in an index whose last document has this number.
func (l accelerationLimits) frequencyOf(last int64) int64 {
	blocks := last/int64(l.blockSize) + 1
	return min(int64(l.frequency), blocks*int64(l.frequencyInBlock))
}

// accelerator is what the catalog knows of an index's postings.
type accelerator struct {
	generation  int64
	blockSize   int
	formula     formula
	counted     time.Time
	documents   int64            // in all blocks when they were counted
	frequencies map[string]int64 // of the lexemes that have postings
	least       int64            // nearly all of these are at least
	rarer       lexemeCounts     // of others that are counted with them
	ordered     map[string]bool  // fields whose order the blocks keep
	kept        map[string]bool  // fields whose values all blocks have; nil where there is no block yet
	bytes       int              // that the lexemes take, about
	// averageLength is read by servers of earlier versions alone.
	averageLength float64
}

// acceleratorCache remembers accelerators. One may be out of date; the snapshot of the search shows.
type acceleratorCache struct {
	accelerators remembered.Map[int64, knownAccelerator]
	accelMu      sync.Mutex
	// unfits are the versions of indices whose documents postings cannot be made of.
	unfits map[int64]int64
	limits accelerationLimits
	logs   restingLogs
	valuesCache
	phraseCache
	postingsCache
	logged loggedCache
}

type knownAccelerator struct {
	*accelerator // nil: there is none
	read         time.Time
}

// maxAccelerators bounds the remembered accelerators in bytes: an index may have tens of thousands of lexemes, and a database
// thousands of indices.
const maxAccelerators = 128 << 20

// size is about how many bytes it takes.
func (k knownAccelerator) size() int {
	const alone = 128
	if k.accelerator == nil {
		return alone
	}
	return alone + k.bytes
}

func newAcceleratorCache() acceleratorCache {
	return acceleratorCache{
		accelerators: remembered.Map[int64, knownAccelerator]{Room: maxAccelerators, Weigh: func(_ int64, k knownAccelerator) int { return k.size() }},
		unfits:       map[int64]int64{},
		limits:       standardLimits,
		logs:         restingLogs{known: map[int64]restingLog{}},
		valuesCache:  newValuesCache(), phraseCache: newPhraseCache(), postingsCache: newPostingsCache(), logged: newLoggedCache(),
	}
}

// builtPostings tells which postings of an index there are, and when their documents were counted.
type builtPostings struct {
	Generation int64
	Counted    time.Time
}

// acceleratorLife is how long it is believed that there is none or that there is one.
const acceleratorLife = time.Second

func (s *Store) forgetAccelerator(id int64) {
	s.accelerators.Put(id, knownAccelerator{})
}

// accelerator returns that of an index, or nil; those of other versions are none.
func (s *Store) accelerator(ctx context.Context, id int64) (*accelerator, error) {
	known, ok := s.accelerators.Get(id)
	if ok && time.Since(known.read) < acceleratorLife {
		return known.accelerator, nil
	}
	now, err := oneOn(ctx, s.readPool(ctx), pgx.RowToStructByPos[builtPostings],
		"SELECT generation, counted_at FROM rowan.accelerators WHERE index_id = $1 AND ready AND split_part(formula, ' ', 1) = ANY($2)", id, readableVersions())
	fresh := knownAccelerator{read: time.Now()}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return nil, err
	case known.accelerator != nil && known.generation == now.Generation && known.counted.Equal(now.Counted):
		fresh.accelerator = known.accelerator
	default:
		// It is thousands of lexemes: one search reads them for all that ask at once.
		fresh.accelerator, err = onceForAll(ctx, s, fmt.Sprint("accelerator ", id), func(ctx context.Context) (*accelerator, error) {
			pool := s.readPool(ctx)
			return onPool(ctx, pool, func() (*accelerator, error) {
				x, err := readAccelerator(ctx, pool, id)
				if x == nil || err != nil {
					return nil, err
				}
				there, err := x.readBuilt(ctx, pool, id)
				if !there || err != nil {
					return nil, err
				}
				return x, nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	s.accelerators.Put(id, fresh)
	return fresh.accelerator, nil
}

// unfit tells that postings cannot be made of an index as it is, as this server has found.
func (s *Store) unfit(ix *service.Index) bool {
	s.accelMu.Lock()
	defer s.accelMu.Unlock()
	version, ok := s.unfits[ix.ID]
	return ok && version == ix.Version
}

func (s *Store) setUnfit(ix *service.Index) {
	s.accelMu.Lock()
	defer s.accelMu.Unlock()
	s.unfits[ix.ID] = ix.Version
}

func (s *Store) forgetUnfit(index int64) {
	s.accelMu.Lock()
	defer s.accelMu.Unlock()
	delete(s.unfits, index)
}

type rowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readAccelerator(ctx context.Context, db rowQuerier, id int64) (*accelerator, error) {
	x := &accelerator{}
	var lexemes, rarer []string
	var frequencies, counts []int64
	err := db.QueryRow(ctx, "SELECT generation, block_size, formula, counted_at, documents, lexemes, frequencies, counted, counts FROM rowan.accelerators WHERE index_id = $1", id).
		Scan(&x.generation, &x.blockSize, &x.formula, &x.counted, &x.documents, &lexemes, &frequencies, &rarer, &counts)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x.frequencies = make(map[string]int64, len(lexemes))
	for i, l := range lexemes {
		x.frequencies[l] = frequencies[i]
		x.bytes += len(l) + 48
	}
	x.least = leastOfAll(frequencies)
	x.rarer, err = newLexemeCounts(rarer, counts)
	x.bytes += len(x.rarer.text) + 12*len(counts)
	return x, err
}

// readBuilt tells whether there are postings of an index, and reads which of its fields are ordered. The catalog may say that there
// are and be wrong: a dump can leave out what is derived, and searches would find nothing.
func (x *accelerator) readBuilt(ctx context.Context, db rowQuerier, id int64) (there bool, err error) {
	var application, name string
	err = db.QueryRow(ctx, "SELECT application_id, name FROM rowan.indices WHERE id = $1", id).Scan(&application, &name)
	if err == nil {
		r := relationsOf(application, name)
		if err = db.QueryRow(ctx, r.hasPostingsSQL(), pgx.QueryExecModeExec).Scan(&there); err == nil {
			err = x.readFields(ctx, db, r, false)
		}
	}
	if errors.Is(err, pgx.ErrNoRows) || gone(err) {
		return false, nil
	}
	return there, err
}

func (r relations) hasPostingsSQL() string {
	return "SELECT EXISTS (SELECT FROM " + r.postings() + ")"
}

// postingsSet tells which tables of an index's postings are meant.
type postingsSet string

const (
	postingsInUse   postingsSet = ""     // those that searches read
	postingsRenewed postingsSet = "new"  // those that are built beside them, with the same log
	postingsOfNext  postingsSet = "next" // those of the table that a rebuild fills, with a log of their own
)

// withPostings are the relations with other tables of postings.
func (r relations) withPostings(set postingsSet) relations {
	r.set = set
	return r
}

func (r relations) touched() string  { return r.tableOfPostings(logKind) }
func (r relations) postings() string { return r.tableOfPostings("postings") }
func (r relations) counts() string   { return r.tableOfPostings("counts") }
func (r relations) values() string   { return r.tableOfPostings("values") }

// logKind is the log among the tables of the postings, kindsOfPostings the others.
const logKind = "touched"

var kindsOfPostings = []string{"postings", "counts", "values"}

func (r relations) tableOfPostings(kind string) string {
	return quote(r.derived) + "." + quote(r.ofPostings(kind))
}

// ofPostings names a table of the postings.
func (r relations) ofPostings(kind string) string {
	set := r.set
	if kind == logKind && set == postingsRenewed {
		set = postingsInUse
	}
	return fit(r.name, "_"+string(set)+kind)
}

// accelerator are the tables of the postings, with their log.
func (r relations) accelerator() []string {
	return []string{r.touched(), r.postings(), r.counts(), r.values()}
}

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
	sh      shape
	plan    *service.Plan
	ranking ranking
	limits  accelerationLimits
	cache   *acceleratorCache

	// searched are the fields that the postings are of, inPattern the places of the plan's fields among these.
	searched  []service.Field
	inPattern []int
	// titleWords are service.TitleWords of the plan's fields.
	titleWords []int

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
	own     map[string]blockFilter // of the plan's own conditions
	valued  []string               // fields whose values are read
	ranges  []orderedRange         // the conditions on fields whose order is read
	present []string               // fields that there is a condition on the presence of
	others  []string               // facets that the plain statement counts
	ids     []string               // of the documents that are not let through if they have one of these
	negated bool                   // the condition at hand is in a Not
	byScore bool
	further bool      // what has the same score is in another order than that of ids
	sorted  *sortedBy // nil: by score, by boost or by id
	// rough tells that a word is also looked for as a beginning for the same factor: bounds count it twice.
	rough bool
	byID  bool // in the order of ids
	// mostLooked is the number of documents up to which those that are not as their block has them are looked at.
	mostLooked int
	// stay has the transaction go on after the hits: a statement counts other facets, tests run the plain one in the same snapshot.
	stay bool
}

func (a *accelerated) builtIn() builtIn { return builtIn{a.generation, a.history} }

func newAccelerated(x *accelerator, sh shape, p *service.Plan) *accelerated {
	a := &accelerated{accelerator: x, sh: sh, plan: p, searched: service.SearchedFields(p.Index)}
	for _, f := range p.Fields {
		a.inPattern = append(a.inPattern, slices.IndexFunc(a.searched, func(of service.Field) bool { return of.Name == f.Name }))
		a.titleWords = append(a.titleWords, p.TitleWords(f))
	}
	return a
}

const (
	// maxPlace is the last place of a page that is ranked from postings. Where many documents are expected for each place up to that of
	// the page, foundForPlace, it is mostPlaces: to rank all of them would take longer.
	maxPlace, mostPlaces = 1000, 10000
	foundForPlace        = 20
)

// accelerate tells how a search can be answered from postings; nil if it cannot.
func (s *Store) accelerate(ctx context.Context, p *service.Plan, sh shape, r ranking) (*accelerated, error) {
	if p.Nothing || p.Offset+p.Limit > mostPlaces {
		return nil, nil
	}
	x, err := s.accelerator(ctx, p.Index.ID)
	if x == nil || err != nil {
		return nil, err
	}
	a := newAccelerated(x, sh, p)
	a.ranking, a.limits, a.cache = r, s.limits, &s.acceleratorCache
	if !x.formula.readable(formulaOf(a.searched)) || !(a.takeOrder() || a.takeSort()) || !a.takeTerms() || !a.takeFilter() || !a.worthwhile() {
		return nil, nil
	}
	a.mostLooked = a.limits.changed
	expected, _ := a.expected()
	if place := p.Offset + p.Limit; place > maxPlace && expected < foundForPlace*float64(place) {
		return nil, nil
	}
	if share := a.limits.changedShare; share > 0 {
		a.mostLooked = max(a.mostLooked, min(int(expected)/share, a.limits.mostChanged))
	}
	return a, nil
}

// any tells whether the search is for any of the words rather than all.
func (a *accelerated) any() bool { return a.plan.Match == service.MatchAny && len(a.plan.Terms) > 0 }

// takeOrder tells whether the hits are in one of the two orders that postings or an index can give: by score, whatever comes
// behind it, or by boost.
func (a *accelerated) takeOrder() bool {
	keys := a.sh.orderOf(a.plan)
	key := leadingKey(keys)
	if len(a.plan.Terms) == 0 {
		return key == "_boost"
	}
	a.byScore = keys[0].column == "score" && keys[0].desc
	a.further = a.byScore && key == ""
	return a.byScore
}

// orderOf is the order of the hits, where it is left out that documents with all words come before others.
func (s shape) orderOf(p *service.Plan) []orderKey {
	keys := (&searchBuilder{shape: s, plan: p}).order()
	if len(p.Terms) > 0 && p.Match == service.MatchAny && keys[0].column == "every" && keys[0].desc {
		keys = keys[1:]
	}
	return keys
}

// leadingKey is the column that hits in an order are sorted by, largest first and then by their ids; "" in any other order.
func leadingKey(keys []orderKey) string {
	if len(keys) != 2 || !keys[0].desc || keys[1].column != "_id" || keys[1].desc {
		return ""
	}
	return keys[0].column
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
