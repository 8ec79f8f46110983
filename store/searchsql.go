package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/mapping"
)

// ts_rank of one lexeme with equal weights is the sum of 1/j² for j from 1 to its frequency tf, divided by
// what the series tends to (π²/6). The rest of the series is about 1/(tf+½), so that the frequency follows
// from the rank without reading the positions again; the last constant makes it 0 for no occurrence
// (1/1.64493407 = 0.60793). Its error is below 0.06.
const frequencyOf = "(1 / (1.64493407 - 1.64493407 * %s) - 0.60793)"

// frequencyOfSeveral is that of several lexemes together, from the sum of their ranks. One of them alone has less
// than 1.1, two have at least twice 0.608: then their frequencies are taken for the sum divided by the rank of one
// occurrence, which is how often they are there where each is there once, and less than that otherwise.
const frequencyOfSeveral = "CASE WHEN %[1]s < 1.1 THEN 1 / (1.64493407 - 1.64493407 * least(%[1]s, 0.99)) - 0.60793 ELSE 1.64493407 * %[1]s END"

// saturation is K of BM25: tf / (tf + K), with K from the length of the document (the number of its distinct
// lexemes) against the mean. These two are k1·(1-b) and k1·b of BM25F with k1 = 1.2 and b = 0.75 (Robertson
// and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
const (
	saturationBase   = 0.3
	saturationLength = 0.9
)

// minFrequency is the least frequency that counts as found: less is the error of the inversion.
const minFrequency = 0.01

// maxFacetValues is how many values of a facet are returned.
const maxFacetValues = 100

// statement is SQL with its parameters.
type statement struct {
	sql  string
	args []any
	// prepared tells that the text is that of many searches, and its best plan the same for all of them: a
	// connection that has prepared it need not read and plan it again, which takes longer than to run it for a
	// rare word.
	prepared bool
}

// query runs a statement.
func (st statement) query(ctx context.Context, db querier) (pgx.Rows, error) {
	if st.prepared {
		return db.Query(ctx, st.sql, append([]any{pgx.QueryExecModeCacheStatement}, st.args...)...)
	}
	return db.Query(ctx, st.sql, st.args...)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// ranking is what the score needs to know of an index.
type ranking struct {
	averageLength float64
}

// searchSQL builds the whole search as one statement, so that hits, totals and facets are of one snapshot.
// The rows that it returns have the columns kind, place, n, score, id, body, words, more:
//
//	totals  n = found documents, place = those with all words, words = {version of the catalog}
//	hit     score, id, body, words = suggestions, more = {place in the order, frequencies}; in rank order
//	facet   place = number of the facet, n = documents, body = value
//	stats   place = number of the facet, n = values, more = [min, max, avg]
func (s shape) searchSQL(p *service.Plan, r ranking) statement {
	// A filter may be rarer or more frequent than the words: then the plan depends on what they are.
	b := &searchBuilder{shape: s, plan: p, ranking: r, prepared: p.Filter == nil && len(p.Own) == 0 && p.After == nil}
	sql := b.build()
	return statement{sql, b.args.values, b.prepared}
}

// The kinds of rows.
const (
	rowTotals = iota
	rowHit
	rowFacet
	rowStats
)

type searchBuilder struct {
	shape
	plan    *service.Plan
	ranking ranking
	args    args
	// owned are the facets with a condition of their own, in order: found has a column own<i> for each.
	owned []string
	// among limits the search to some documents; nil: all.
	among *among
	// ranks are the ranks of lexemes in fields that the statement computes for each row, each once; inline
	// writes them out instead, where there are no such rows.
	ranks  []lexemeRank
	inline bool
	// prepared statements have no numbers of one search in their text, and no tsquery that the planner sees: it
	// would take the plan for this one to be better than the one for all.
	prepared bool
}

// lexemeRank is the ts_rank of a lexeme in a field, or the sum of those of several.
type lexemeRank struct {
	vector, query string
	lexemes       int
	several       bool
}

// number writes a number of this search.
func (b *searchBuilder) number(n float64) string { return b.args.add(n, "float8") }

// tsquery writes what the rows of the table are searched for.
func (b *searchBuilder) tsquery(q string) string {
	if b.prepared {
		return "(SELECT " + b.args.add(q, "tsquery") + ")"
	}
	return b.args.add(q, "tsquery")
}

func (b *searchBuilder) build() string {
	p := b.plan
	b.owned = ownedFacets(p)
	var sql strings.Builder
	sql.WriteString("WITH found AS MATERIALIZED (\n" + b.found() + "\n),\n")
	hits := "SELECT * FROM found"
	if len(b.owned) > 0 {
		hits += " WHERE " + b.ownExcept("")
	}
	sql.WriteString("hits AS (" + hits + "),\n")
	sql.WriteString("top AS (SELECT * FROM hits" + b.after() + " " + b.orderBy("") + fmt.Sprintf(" LIMIT %d OFFSET %d)\n", p.Limit, p.Offset))
	fmt.Fprintf(&sql, `SELECT %d AS kind, count(*) FILTER (WHERE every) AS place, count(*) AS n, 0::float8 AS score, NULL::text AS id, NULL::jsonb AS body, ARRAY[(SELECT version::text FROM rowan.applications WHERE id = %s)] AS words, NULL::jsonb AS more FROM hits`,
		rowTotals, b.args.add(p.Index.Application, "text"))
	if p.Limit > 0 {
		fmt.Fprintf(&sql, "\nUNION ALL (SELECT %d, 0, 0, top.score, t._id, t._body, t._autocomplete, %s FROM top JOIN %s t ON t.ctid = top.tid %s)",
			rowHit, b.more(), b.table, b.orderBy("top."))
	}
	for i, name := range p.Facets {
		sql.WriteString("\nUNION ALL " + b.facet(i, name))
	}
	return sql.String()
}

// ownedFacets are the facets with a condition of their own.
func ownedFacets(p *service.Plan) []string {
	var list []string
	for _, name := range p.Facets {
		if _, ok := p.Own[name]; ok {
			list = append(list, name)
		}
	}
	return list
}

// found selects the matching rows with what ranking, sorting and the facets need of them. The inner query
// computes the frequencies once; OFFSET 0 keeps the planner from copying their expressions into each use.
func (b *searchBuilder) found() string {
	p := b.plan
	inner := []string{"t.ctid AS tid", "t._id", "t._boost"}
	if b.among != nil {
		inner = append(inner, "t._seq = ANY("+b.args.add(b.among.others, "bigint[]")+") AS other")
	}
	for i, k := range p.Sort {
		inner = append(inner, b.sortColumns(i, k)...)
	}
	for i, name := range p.Facets {
		inner = append(inner, b.facetColumns(i, name)...)
	}
	for i, name := range b.owned {
		inner = append(inner, fmt.Sprintf("(%s) IS TRUE AS own%d", b.condition(p.Own[name], &b.args), i))
	}
	for i, t := range p.Terms {
		for g, factor := range factors(t) {
			inner = append(inner, fmt.Sprintf("%s AS tf%d_%d", b.frequency(t, factor), i, g))
		}
		if b.hasBonus(t) {
			inner = append(inner, fmt.Sprintf("%s AS bonus%d", b.bonus(t), i))
		}
	}
	if len(p.Terms) > 0 {
		inner = append(inner, b.saturation()+" AS k")
	}
	if near := b.adjacent(); near != "" {
		inner = append(inner, near+" AS near")
	}
	outer := "SELECT *, " + b.score() + " AS score, " + b.every() + " AS every FROM (\n  SELECT " + strings.Join(inner, ",\n    ") +
		"\n  FROM " + b.table + " t" + b.lateral() + "\n  WHERE " + b.rows() + "\n  OFFSET 0) matched"
	if threshold := b.threshold(); threshold != "" {
		outer += " WHERE " + threshold
	}
	return outer
}

// where is the condition on the rows of the table.
func (b *searchBuilder) where() string {
	p := b.plan
	if p.Nothing {
		return "false"
	}
	all := b.allLexemes("t.")
	var conditions []string
	var parts []string
	operator := " & "
	if p.Match == service.MatchAny {
		operator = " | "
	}
	for _, t := range p.Terms {
		if t.Optional && p.Match != service.MatchAny {
			continue
		}
		if q := inIndex(t, p.Fields); q != "" {
			parts = append(parts, "("+q+")")
		}
	}
	if len(parts) > 0 {
		conditions = append(conditions, all+" @@ "+b.tsquery(strings.Join(parts, operator)))
	}
	if p.Match != service.MatchAny {
		for _, t := range p.Terms {
			if !t.Optional && (!p.All || hasPhrase(t)) {
				conditions = append(conditions, b.inFields(t))
			}
		}
	}
	for _, t := range p.Excluded {
		if q := inIndex(t, p.Fields); q != "" {
			exclusion := all + " @@ " + b.tsquery(q)
			if !p.All || hasPhrase(t) {
				exclusion += " AND " + b.inFields(t)
			}
			conditions = append(conditions, "NOT ("+exclusion+")")
		}
	}
	if p.Filter != nil {
		if c := b.condition(p.Filter, &b.args); c != "true" {
			conditions = append(conditions, c)
		}
	}
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, "\n    AND ")
}

// inFields tells whether a term is in one of the searched fields, phrases included.
func (b *searchBuilder) inFields(t service.Term) string {
	var tests []string
	for _, f := range b.plan.Fields {
		if list := t.Alternatives[f.Analysis]; len(list) > 0 {
			tests = append(tests, b.vector(f)+" @@ "+b.args.add(tsAny(list, true), "tsquery"))
		}
	}
	if len(tests) == 0 {
		return "false"
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}

// vector is the lexemes of a searched field.
func (b *searchBuilder) vector(f service.Field) string {
	if f.Name == "" {
		return "t." + quote(restColumn)
	}
	column, ok := b.field(f.Name)
	if !ok {
		panic("store: searched field without a column: " + f.Name)
	}
	return "t." + column.tsv()
}

// factors are the different factors of a term's alternatives, largest first. Each is a group of its own: the
// factor is of what a find gives to the score, not of how often it is there, so that the word as written
// gives more than one close to it however often that is there.
func factors(t service.Term) []float64 {
	var list []float64
	for _, alternatives := range t.Alternatives {
		for _, a := range alternatives {
			if !slices.Contains(list, a.Factor) {
				list = append(list, a.Factor)
			}
		}
	}
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
	return list
}

// frequency is how often the alternatives of one factor are in a row, its fields weighted.
func (b *searchBuilder) frequency(t service.Term, factor float64) string {
	var sum []string
	for _, f := range b.plan.Fields {
		if one := b.alternatives(f, t, factor); one != "" {
			sum = append(sum, fmt.Sprintf("%g * %s", f.Weight, one))
		}
	}
	if len(sum) == 0 {
		return "0::float8"
	}
	return "greatest(" + strings.Join(sum, " + ") + ", 0)"
}

// alternatives is the frequency in a field of the alternatives of one factor; "" where there are none. Words that
// are only like the query's are counted together. Of the ways to find the word itself that counts which is there
// most: the same place in a text may be found in two ways.
func (b *searchBuilder) alternatives(f service.Field, t service.Term, factor float64) string {
	var parts []string
	words, others := alternativesOf(f, t, factor)
	if factor != 1 && len(words) > 0 {
		parts = append(parts, b.wordFrequency(b.vector(f), words...))
	} else {
		others = slices.Concat(words, others)
	}
	for _, a := range others {
		parts = append(parts, b.sequence(b.vector(f), a))
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return "greatest(" + strings.Join(parts, ", ") + ")"
}

// alternativesOf are the alternatives of a factor in a field: single words, and phrases.
func alternativesOf(f service.Field, t service.Term, factor float64) (words, phrases []service.Alternative) {
	for _, a := range t.Alternatives[f.Analysis] {
		switch {
		case a.Factor != factor:
		case isWord(a):
			words = append(words, a)
		default:
			phrases = append(phrases, a)
		}
	}
	return words, phrases
}

// wordFrequency is how often any of some words is in a field.
func (b *searchBuilder) wordFrequency(vector string, words ...service.Alternative) string {
	rank, several := b.rank(vector, words...)
	if several {
		return fmt.Sprintf(frequencyOfSeveral, rank)
	}
	return fmt.Sprintf(frequencyOf, rank)
}

// sequence is the frequency of a lexeme, or of the rarest lexeme of a phrase where the phrase is there.
func (b *searchBuilder) sequence(vector string, a service.Alternative) string {
	parts := make([]string, len(a.Sequence))
	for i, l := range a.Sequence {
		parts[i] = b.wordFrequency(vector, service.Alternative{Sequence: []service.Lexeme{l}})
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "CASE WHEN " + vector + " @@ " + b.args.add(tsSequence(a, true), "tsquery") + " THEN least(" + strings.Join(parts, ", ") + ") ELSE 0 END"
}

// rank is the ts_rank of a word in a field, or the sum of those of several, which may be above 1.
func (b *searchBuilder) rank(vector string, words ...service.Alternative) (rank string, several bool) {
	query := tsAny(words, false)
	r := lexemeRank{vector: vector, query: query, lexemes: 1, several: words[0].Sequence[0].Prefix}
	if len(words) > 1 {
		seen := map[string]bool{}
		for _, w := range words {
			seen[w.Sequence[0].Text] = true
		}
		r.lexemes, r.several = len(seen), true
	}
	if b.inline {
		return b.rankOf(r), r.several
	}
	i := slices.Index(b.ranks, r)
	if i < 0 {
		i = len(b.ranks)
		b.ranks = append(b.ranks, r)
	}
	return fmt.Sprintf("%s.r%d", rankTable(i), i), r.several
}

// maxColumns is less than the 1664 columns that a SELECT of PostgreSQL may have.
const maxColumns = 1600

// rankTable names the row that a rank is a column of.
func rankTable(i int) string {
	if i < maxColumns {
		return "rank"
	}
	return fmt.Sprintf("rank%d", i/maxColumns)
}

// maxRanks bounds the ranks of a row: each is a parameter, of which a statement has 65,535 at most, and takes a
// microsecond.
const maxRanks = 12000

// tooManyRanks is the error for a query of more words than can be ranked in that many fields; nil for others.
func tooManyRanks(p *service.Plan) error {
	n := 0
	for _, t := range p.Terms {
		for _, f := range p.Fields {
			seen := map[float64]bool{}
			for _, a := range t.Alternatives[f.Analysis] {
				if a.Factor == 1 || !seen[a.Factor] || !isWord(a) {
					n += len(a.Sequence)
				}
				seen[a.Factor] = true
			}
		}
	}
	if n <= maxRanks {
		return nil
	}
	return service.Errorf(service.CodeInvalidRequest, "The query has %d words, too many to be ranked in %d fields. Send fewer words, or define a search with fewer fields.",
		len(p.Terms), len(p.Fields)).With(service.FieldError{Location: "body.query", Message: "has too many words for the fields of the index"})
}

// rankOf is a rank written out. That of several lexemes joined by OR is the mean of theirs.
func (b *searchBuilder) rankOf(r lexemeRank) string {
	rank := "ts_rank('{1,1,1,1}', " + r.vector + ", " + b.args.add(r.query, "tsquery") + ")::float8"
	if r.lexemes > 1 {
		rank = b.args.add(r.lexemes, "int") + " * " + rank
	}
	return rank
}

// lateral computes the ranks of a row, each once. A field that has none of a query's lexemes, as most fields but
// the long ones do, is asked only that: it spares most of the ranks. OFFSET 0 keeps both from being copied into
// each of their uses.
func (b *searchBuilder) lateral() string {
	if len(b.ranks) == 0 {
		return ""
	}
	lexemes := map[string][]string{}
	for _, r := range b.ranks {
		lexemes[r.vector] = append(lexemes[r.vector], r.query)
	}
	var flags []string
	flag := map[string]string{}
	for _, f := range b.plan.Fields {
		vector := b.vector(f)
		long := f.Name != "" && f.Weight <= 1
		if _, done := flag[vector]; !done && !long && len(lexemes[vector]) > 1 {
			flag[vector] = fmt.Sprintf("has.f%d", len(flags))
			flags = append(flags, fmt.Sprintf("%s @@ %s AS f%d", vector, b.args.add(strings.Join(lexemes[vector], " | "), "tsquery"), len(flags)))
		}
	}
	ranks := make([]string, len(b.ranks))
	for i, r := range b.ranks {
		ranks[i] = b.rankOf(r)
		if f, ok := flag[r.vector]; ok {
			ranks[i] = "CASE WHEN " + f + " THEN " + ranks[i] + " ELSE 0 END"
		}
		ranks[i] += fmt.Sprintf(" AS r%d", i)
	}
	var sql string
	if len(flags) > 0 {
		sql = "\n  CROSS JOIN LATERAL (SELECT " + strings.Join(flags, ", ") + " OFFSET 0) has"
	}
	for i := 0; i < len(ranks); i += maxColumns {
		sql += "\n  CROSS JOIN LATERAL (SELECT " + strings.Join(ranks[i:min(i+maxColumns, len(ranks))], ",\n    ") + " OFFSET 0) " + rankTable(i)
	}
	return sql
}

// hasBonus tells whether a term can be found in a title.
func (b *searchBuilder) hasBonus(t service.Term) bool {
	return slices.ContainsFunc(b.plan.Fields, func(f service.Field) bool {
		return f.Title && slices.ContainsFunc(t.Alternatives[f.Analysis], isWord)
	})
}

func isWord(a service.Alternative) bool { return len(a.Sequence) == 1 }

// bonus is the best rank of a term in a title.
func (b *searchBuilder) bonus(t service.Term) string {
	var ranks []string
	for _, f := range b.plan.Fields {
		if !f.Title {
			continue
		}
		for _, factor := range factors(t) {
			words, _ := alternativesOf(f, t, factor)
			if factor != 1 && len(words) > 0 {
				rank, several := b.rank(b.vector(f), words...)
				if several {
					rank = "least(" + rank + ", 1)"
				}
				ranks = append(ranks, fmt.Sprintf("%g * %s", factor, rank))
				continue
			}
			for _, w := range words {
				rank, _ := b.rank(b.vector(f), w)
				ranks = append(ranks, rank)
			}
		}
	}
	return "greatest(" + strings.Join(ranks, ", ") + ")"
}

func (b *searchBuilder) saturation() string {
	lengths := make([]string, len(b.plan.Fields))
	for i, f := range b.plan.Fields {
		lengths[i] = "length(" + b.vector(f) + ")"
	}
	return fmt.Sprintf("%g + %s * (%s)", saturationBase, b.number(saturationLength/max(b.ranking.averageLength, 1)), strings.Join(lengths, " + "))
}

func (b *searchBuilder) score() string {
	if len(b.plan.Terms) == 0 {
		return "0::float8"
	}
	parts := make([]string, len(b.plan.Terms))
	for i, t := range b.plan.Terms {
		parts[i] = fmt.Sprintf("%s * (%s", b.number(float64(t.Repeats)*t.Rarity), saturated("", i, t))
		if b.hasBonus(t) {
			parts[i] += fmt.Sprintf(" + %g * bonus%d", service.TitleBonus, i)
		}
		parts[i] += ")"
	}
	score := "_boost * (" + strings.Join(parts, " + ") + ")"
	if len(b.neighbours()) > 0 {
		score += fmt.Sprintf(" * CASE WHEN near THEN %g ELSE 1 END", 1+service.AdjacentShare)
	}
	return score
}

// maxNeighbours bounds the pairs of words that are looked for next to each other.
const maxNeighbours = 8

// neighbours are the phrases, by analysis, of words that follow each other in the query.
func (b *searchBuilder) neighbours() map[mapping.Analysis][]service.Alternative {
	pairs := map[mapping.Analysis][]service.Alternative{}
	for i := 1; i < len(b.plan.Terms) && i <= maxNeighbours; i++ {
		for _, f := range b.plan.Fields {
			first, second := asWritten(b.plan.Terms[i-1], f.Analysis), asWritten(b.plan.Terms[i], f.Analysis)
			if first == "" || second == "" {
				continue
			}
			pair := service.Alternative{Sequence: []service.Lexeme{{Text: first}, {Text: second}}}
			if !slices.ContainsFunc(pairs[f.Analysis], func(p service.Alternative) bool { return slices.Equal(p.Sequence, pair.Sequence) }) {
				pairs[f.Analysis] = append(pairs[f.Analysis], pair)
			}
		}
	}
	return pairs
}

// asWritten is the lexeme of a term that is one word, "" where it is not, or where it has no place in a text.
func asWritten(t service.Term, a mapping.Analysis) string {
	for _, one := range t.Alternatives[a] {
		if one.Factor == 1 && isWord(one) && !one.Sequence[0].Prefix && !isWhole(one.Sequence[0].Text) {
			return one.Sequence[0].Text
		}
	}
	return ""
}

// isWhole tells whether a lexeme is a whole value.
func isWhole(lexeme string) bool {
	return strings.HasPrefix(lexeme, analysis.WholeMark) || strings.HasPrefix(lexeme, analysis.ExactMark)
}

// adjacent tells whether words that follow each other in the query do so in a field; "" where it has none.
func (b *searchBuilder) adjacent() string {
	pairs := b.neighbours()
	var tests []string
	for _, f := range b.plan.Fields {
		if list := pairs[f.Analysis]; len(list) > 0 {
			tests = append(tests, b.vector(f)+" @@ "+b.args.add(tsAny(list, true), "tsquery"))
		}
	}
	if len(tests) == 0 {
		return ""
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}

// saturated is what the best group of a term gives, from 0 to 1.
func saturated(prefix string, i int, t service.Term) string {
	var groups []string
	for g, factor := range factors(t) {
		group := fmt.Sprintf("%[1]stf%[2]d_%[3]d / (%[1]stf%[2]d_%[3]d + %[1]sk)", prefix, i, g)
		if factor != 1 {
			group = fmt.Sprintf("%g * %s", factor, group)
		}
		groups = append(groups, group)
	}
	switch len(groups) {
	case 0:
		return "0"
	case 1:
		return groups[0]
	}
	return "greatest(" + strings.Join(groups, ", ") + ")"
}

// has tells whether a row has a term.
func (b *searchBuilder) has(i int, t service.Term) string {
	least := minFrequency
	for _, f := range b.plan.Fields {
		least = min(least, minFrequency*f.Weight)
	}
	var groups []string
	for g := range factors(t) {
		groups = append(groups, fmt.Sprintf("tf%d_%d > %g", i, g, least))
	}
	if len(groups) == 0 {
		return "false"
	}
	return "(" + strings.Join(groups, " OR ") + ")"
}

// every tells whether a row has all words that must be there.
func (b *searchBuilder) every() string {
	if b.plan.Match != service.MatchAny {
		return "true"
	}
	var tests []string
	for i, t := range b.plan.Terms {
		if !t.Optional {
			tests = append(tests, b.has(i, t))
		}
	}
	if len(tests) == 0 {
		return "true"
	}
	return strings.Join(tests, " AND ")
}

// threshold keeps the rows whose found words carry enough of the query's rarity.
func (b *searchBuilder) threshold() string {
	p := b.plan
	if p.Match != service.MatchAny || len(p.Terms) == 0 {
		return ""
	}
	var found, all []string
	total := 0.0
	for i, t := range p.Terms {
		all = append(all, b.has(i, t))
		if t.Optional {
			continue
		}
		if p.Threshold == 0 {
			continue
		}
		weight := float64(t.Repeats) * t.Rarity
		total += weight
		found = append(found, fmt.Sprintf("CASE WHEN %s THEN %s ELSE 0 END", b.has(i, t), b.number(weight)))
	}
	if p.Threshold == 0 {
		return "(" + strings.Join(all, " OR ") + ")"
	}
	return strings.Join(found, " + ") + " >= " + b.number(p.Threshold*total*(1-1e-9))
}

// more is what a hit carries besides: its place in the order, for the cursor, and frequencies, for the
// explanation.
func (b *searchBuilder) more() string {
	keys := b.order()
	place := make([]string, len(keys))
	for i, k := range keys {
		place[i] = "top." + k.column + "::text"
	}
	members := "'place', jsonb_build_array(" + strings.Join(place, ", ") + ")"
	if b.plan.Explain {
		members += ", 'boost', top._boost, 'words', " + b.explanation()
		if len(b.neighbours()) > 0 {
			members += ", 'adjacent', top.near"
		}
	}
	return "jsonb_build_object(" + members + ")"
}

func (b *searchBuilder) explanation() string {
	b.inline = true
	defer func() { b.inline = false }()
	words := make([]string, len(b.plan.Terms))
	for i, t := range b.plan.Terms {
		fields := make([]string, len(b.plan.Fields))
		for j, f := range b.plan.Fields {
			var groups []string
			for _, factor := range factors(t) {
				if one := b.alternatives(f, t, factor); one != "" {
					groups = append(groups, one)
				}
			}
			fields[j] = "0"
			if len(groups) > 0 {
				fields[j] = "greatest(" + strings.Join(groups, ", ") + ", 0)"
			}
		}
		bonus := "0"
		if b.hasBonus(t) {
			bonus = fmt.Sprintf("top.bonus%d", i)
		}
		words[i] = fmt.Sprintf("jsonb_build_object('fields', to_jsonb(ARRAY[%s]::float8[]), 'saturated', %s, 'bonus', %s)",
			strings.Join(fields, ", "), saturated("top.", i, t), bonus)
	}
	return "jsonb_build_array(" + strings.Join(words, ", ") + ")"
}

// ownExcept joins the own conditions of all facets but one.
func (b *searchBuilder) ownExcept(name string) string {
	var tests []string
	for i, n := range b.owned {
		if n != name {
			tests = append(tests, fmt.Sprintf("own%d", i))
		}
	}
	if len(tests) == 0 {
		return "true"
	}
	return strings.Join(tests, " AND ")
}
