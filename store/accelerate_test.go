package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// bothWays is a store that runs every search from postings and by the plain statement, in one snapshot, and compares the answers.
type bothWays struct {
	*store.Store
	t           *testing.T
	db          *storetest.DB
	accelerated atomic.Int64
	faceted     atomic.Int64
	filtered    atomic.Int64
	disjunctive atomic.Int64
	sorted      atomic.Int64
	byTexts     atomic.Int64
	ranged      atomic.Int64 // on values of which blocks only keep the order
	byUnique    atomic.Int64 // by values of which blocks only keep the order
	phrased     atomic.Int64
	inSome      atomic.Int64 // in some fields
	inOrder     atomic.Int64 // with facets that are counted from the order of their fields
	ofTexts     atomic.Int64 // with facets of texts that repeat
	onTexts     atomic.Int64 // with a filter on texts
	byOthers    atomic.Int64 // with facets that the blocks know nothing about
	present     atomic.Int64 // with a filter on the presence of a field that most documents lack
}

func (b *bothWays) Search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	accelerated, plain, err := b.SearchBothWays(ctx, p)
	if err != nil {
		return nil, err
	}
	if accelerated != nil {
		b.accelerated.Add(1)
		if len(p.Facets) > 0 {
			b.faceted.Add(1)
			if slices.Contains(p.Facets, "at") || slices.Contains(p.Facets, "paid") {
				b.inOrder.Add(1)
			}
			if slices.Contains(p.Facets, "artist") {
				b.ofTexts.Add(1)
			}
			if slices.Contains(p.Facets, "rest") {
				b.byOthers.Add(1)
			}
		}
		if f, ok := p.Filter.(filter.And); ok && len(f) > 0 {
			b.filtered.Add(1)
			if text := fmt.Sprintf("%+v", f); strings.Contains(text, "cost") || strings.Contains(text, "serial") {
				b.ranged.Add(1)
			} else if strings.Contains(text, "artist") || strings.Contains(text, "title") || strings.Contains(text, "email") {
				b.onTexts.Add(1)
			} else if strings.Contains(text, "note") {
				b.present.Add(1)
			}
		}
		if len(p.Sort) > 0 {
			b.sorted.Add(1)
			switch p.Sort[0].Field {
			case "title", "author", "shelf", "note":
				b.byTexts.Add(1)
			case "serial", "cost", "at", "id", "paid":
				b.byUnique.Add(1)
			}
		}
		if slices.ContainsFunc(slices.Concat(p.Terms, p.Excluded), severalWords) {
			b.phrased.Add(1)
		}
		if !p.All {
			b.inSome.Add(1)
		}
		if len(p.Own) > 0 {
			b.disjunctive.Add(1)
		}
		if diff := difference(plain, accelerated); diff != "" {
			b.t.Errorf("%s %v %v: (-plain +accelerated)\n%s", p.Match, p.Terms, p.Filter, diff)
		}
	}
	return plain, nil
}

var acceleratedMappings = []mapping.Mapping{
	{Name: "title", Type: mapping.Sentence}, {Name: "text", Type: mapping.LongText}, {Name: "author", Type: mapping.Name},
	{Name: "brand", Type: mapping.Keyword}, {Name: "tags", Type: mapping.Tags}, {Name: "shelf", Type: mapping.Category},
	{Name: "sold", Type: mapping.Bool}, {Name: "made", Type: mapping.Date}, {Name: "id", Type: mapping.Keyword},
	{Name: "price", Type: mapping.Price}, {Name: "weight", Type: mapping.Float}, {Name: "year", Type: mapping.Int},
	{Name: "serial", Type: mapping.Long}, {Name: "cost", Type: mapping.Price}, {Name: "at", Type: mapping.Date},
	{Name: "paid", Type: mapping.Price}, {Name: "artist", Type: mapping.Name}, {Name: "note", Type: mapping.Text}, {Name: "email", Type: mapping.Email},
	{Name: "box.label", Type: mapping.Keyword},
}

var acceleratedWords = strings.Fields("river mountain house tree road cloud stone bridge rivers houses smith garden window paper light silver train night walking walks")

// severalWords reports whether a term has alternatives of several lexemes.
func severalWords(t service.Term) bool {
	for _, list := range t.Alternatives {
		if slices.ContainsFunc(list, func(one service.Alternative) bool { return len(one.Sequence) > 1 }) {
			return true
		}
	}
	return false
}

// someWords returns n words, among which the first are more frequent.
func someWords(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = acceleratedWords[int(float64(len(acceleratedWords))*r.Float64()*r.Float64())]
	}
	return strings.Join(list, " ")
}

func someDocument(r *rand.Rand) string {
	d := map[string]any{"title": someWords(r, 1+r.IntN(4)), "text": someWords(r, r.IntN(30))}
	id := r.IntN(1e9)
	d["id"] = fmt.Sprint(id)
	d["brand"] = []any{"Acme", "ACME", "Über", "uber", "Zeta", []string{"Acme", "Zeta"}, nil}[r.IntN(7)]
	d["tags"] = [][]string{{"red"}, {"red", "Blue"}, {}, {"blue", "green"}}[r.IntN(4)]
	d["shelf"] = []string{"A", "A > B", "A > C", "D"}[r.IntN(4)]
	d["made"] = fmt.Sprintf("2024-0%d-1%d", 1+r.IntN(4), r.IntN(3))
	if id%13 == 0 { // texts of nothing but stop words, which keep them
		d["title"] = []string{"The", "It is", "To be", "That there", "Is it the other"}[id/13%5]
	}
	if id%11 == 0 {
		d["shelf"] = "A & B" // before A > B, though A comes before it
	}
	if id%5 == 0 {
		d["made"] = []any{"9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.9999999Z", "2024-02-10T23:59:59.999999999Z", -1,
			[]string{"0001-01-01", "9999-12-31"}}[id/5%6]
	}
	if r.IntN(3) > 0 {
		d["sold"] = r.IntN(2) == 0
	}
	switch r.IntN(9) {
	case 0, 1, 2:
		d["author"] = someWords(r, 2)
	case 3:
		d["author"] = []string{someWords(r, 2), "", someWords(r, 1)}
	case 4:
		d["author"] = []string{"", "ÿ", "riv", "日本語の本", "Rivers and mountains"}[r.IntN(5)]
	}
	if r.IntN(4) == 0 {
		d["boost"] = []float64{0.5, 2, 3.25}[r.IntN(3)]
	}
	d["price"] = []any{0, -1.5, 2.25, json.Number("9.990"), 10, []float64{2.25, 30}, nil, 0.00012, 142857.125, 1234567890123}[r.IntN(10)]
	d["weight"] = []any{0.1, 1e-300, math.Copysign(0, -1), 12345.678901234567, 2, r.Float64(), 1e200, -1.7e308}[[]int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 5, 6, 7}[r.IntN(14)]]
	d["year"] = 2000 + r.IntN(5)
	// Nearly every document has values of its own, some of which only a statement can tell apart.
	if r.IntN(30) == 0 {
		d["price"], d["brand"], d["sold"], d["paid"] = []any{nil}, []any{nil, nil}, []any{nil}, []any{nil}
	}
	d["serial"] = json.Number(fmt.Sprint(9007199254740993000 + r.Int64N(2000)))
	d["cost"] = json.Number(fmt.Sprintf("%d.%02d", r.IntN(2000)-300, r.IntN(100)))
	d["at"] = fmt.Sprintf("2024-03-01T10:%02d:%02d.%06dZ", r.IntN(60), r.IntN(60), r.IntN(1e6))
	switch r.IntN(12) {
	case 0:
		d["serial"], d["cost"], d["at"] = nil, nil, nil
	case 1:
		d["serial"], d["cost"], d["at"] = []json.Number{"-9223372036854775808", "9223372036854775807"}, []any{-1e30, 12.5, json.Number("123456789012345678.25")}, []string{"0001-01-01", "2024-03-01T10:30"}
	}
	if r.IntN(8) == 0 {
		d["cost"] = []json.Number{"12.5", "12.500000000000000001", "12.499999999999999999"}[r.IntN(3)] // one double
	}
	d["paid"] = []any{float64(r.IntN(1e9)-2e8) / []float64{1, 100, 1e6}[r.IntN(3)], r.IntN(1e6), r.IntN(20), json.Number(fmt.Sprint(r.IntN(9), "e", 9-r.IntN(30))), nil, []any{1, 2.5, 1e9}}[min(5, r.IntN(40)%12)]
	d["artist"] = []any{"Ana Über", "ana uber", "Bo", []string{"Bo", "Cy"}, []any{nil}, []string{}, "Rivers and mountains", "Rivers and roads", ""}[r.IntN(9)]
	switch r.IntN(15) {
	case 0:
		d["note"] = []any{nil}
	case 1, 2:
		d["note"] = []string{"", someWords(r, 3), "Éa"}[r.IntN(3)]
	}
	d["email"] = []any{fmt.Sprintf("user%d@example.org", id%300), fmt.Sprintf("%d@example.org", id), nil}[min(2, r.IntN(8)/3)]
	d["box"] = []any{nil, map[string]any{"label": []any{nil}}, map[string]any{"label": "x"}, []any{map[string]any{"label": "x"}, map[string]any{"label": "y"}}}[r.IntN(4)]
	if r.IntN(10) == 0 {
		d["rest"] = someWords(r, 3)
	}
	if r.IntN(3) == 0 { // some of these numbers are rare: postings cannot tell what begins with them
		d["title"] = fmt.Sprint(d["title"], " ", 200+int(60*r.Float64()*r.Float64()))
	}
	raw, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func someBatch(r *rand.Rand, n int) []byte {
	actions := make([]string, n)
	for i := range actions {
		id := r.IntN(400)
		if r.IntN(4) == 0 {
			actions[i] = fmt.Sprintf(`{"action":"delete","_id":"%d"}`, id)
		} else {
			actions[i] = fmt.Sprintf(`{"action":"upsert","_id":"%d","body":%s}`, id, someDocument(r))
		}
	}
	return []byte("[" + strings.Join(actions, ",") + "]")
}

// writeByPsql stores or deletes one of the documents of someBatch in the way of psql.
func writeByPsql(ctx context.Context, checked *bothWays, r *rand.Rand) error {
	id := fmt.Sprint(r.IntN(400))
	sql, args := "DELETE FROM app_demo.things WHERE _id = $1", []any{id}
	if r.IntN(4) > 0 {
		sql, args = "INSERT INTO app_demo.things (_id, _body) VALUES ($1, $2) ON CONFLICT (_id) DO UPDATE SET _body = excluded._body", []any{id, someDocument(r)}
	}
	_, err := checked.db.Pool.Exec(ctx, sql, args...)
	return err
}

func someSearch(r *rand.Rand) service.SearchRequest {
	req := service.SearchRequest{Query: someWords(r, []int{0, 1, 2, 3, 3, 12}[r.IntN(6)]) + []string{" ", ""}[r.IntN(2)], Match: []service.Match{service.MatchAll, service.MatchAuto, service.MatchAny, service.MatchAny}[r.IntN(4)]}
	if r.IntN(6) == 0 {
		req.Query = someWords(r, 1)[:1+r.IntN(3)] // a prefix alone
	}
	if r.IntN(12) == 0 {
		req.Query = []string{"the", "the ", "it is ", "is it th", "to be r", "it", `"is it" `, "it OR the ", "of the"}[r.IntN(9)]
	}
	if r.IntN(3) == 0 {
		words := someWords(r, 2+r.IntN(2))
		if r.IntN(3) == 0 { // the same lexemes in stemmed fields, different ones in names
			words += `" "` + strings.ReplaceAll(words, "rivers", "river")
		}
		phrase := []string{` "` + words + `" `, " " + strings.ReplaceAll(words, " ", "-"), " " + words + ` OR "` + someWords(r, 2) + `" `, ` -"` + words + `" `}[r.IntN(4)]
		req.Query = []string{req.Query + phrase, phrase + req.Query, req.Query + phrase[:len(phrase)-r.IntN(4)]}[r.IntN(3)]
	}
	if r.IntN(5) == 0 {
		req.Query += " -" + someWords(r, 1) + " "
	}
	if r.IntN(6) == 0 {
		req.Query += []string{" 2", " 20", " 21"}[r.IntN(3)]
	}
	if r.IntN(2) == 0 {
		facets := []string{"brand", "brand, tags, shelf, sold", "sold", "price, year", "made, price", "at", "paid, brand", "at, paid, made", "cost, serial", "weight", "artist", "artist brand", "artist box.label", "author", "rest", "brand, rest, title", "title, price", "email, sold"}[r.IntN(18)]
		req.Facets.Expression = &facets
	}
	if r.IntN(2) == 0 {
		filters := []string{"brand = acme", "NOT tags = red", "shelf = A AND made 2024-01-11 TO 2024-03-01", "sold = true OR brand IN [zeta, uber]",
			"made > 2024-02-10", "price < 9.99", "price = 2.25 OR year IN [2001, 2003]", "weight >= 0.1 AND NOT price 2 TO 10", "weight = 12345.678901234567", "weight <= 0 AND price > -2",
			"sold != true", "shelf = \"A > B\"", "made = 2024-02-11", "made <= 9999", "made = 9999-12-31T23:59:59.9999999Z", "made < 1970 OR made = 2024-02-10",
			"cost < 500", "cost >= 12.5 AND cost <= 20", "NOT cost < 0", "serial > 9007199254740994000", "serial 9007199254740993500 TO 9007199254740994500", "serial < 9007199254740993", "at > 2024-03-01T10:30", "at < 2024-03-01T10:30:00.5 OR cost = 12.5",
			"at 2024-03-01T10:10 TO 2024-03-01T10:40", "cost IN [12.5, 1, 2] OR NOT at >= 2024-03-01T10:20", "serial = 9223372036854775807", "cost > 12.5", "cost <= 12.5 AND NOT cost < 12.5",
			"price EXISTS", "sold IS NULL", "author EXISTS", "NOT author EXISTS OR cost < 100", "tags EXISTS AND at EXISTS", "paid IS NULL", "brand IS NULL AND title EXISTS",
			"note IS NULL", "note EXISTS", "note IS NULL AND artist EXISTS", "artist IS NULL", "box.label EXISTS", "note EXISTS OR artist = bo", "artist = x OR artist != \"ana über\"", "artist STARTS WITH \"rivers and\"", "artist > b AND NOT artist >= \"rivers and n\"",
			"title != \"river mountain\"", "title = \"river house\" OR title = river", "title > m", "title >= \"river house\"", "title > \"mountain house\" AND price < 20", "title < \"river mo\"", "title STARTS WITH riv", "title STARTS WITH \"river mou\"", "NOT title STARTS WITH \"mountain h\"", "NOT email = \"user7@example.org\"", "NOT email STARTS WITH user1",
			"email != \"user7@example.org\" AND artist = bo", "title \"house\" TO \"mountain\"", "_id != \"7\"", "NOT _id IN [\"1\", \"2\", \"300\", \"none\"] AND brand = acme", "NOT (_id = \"5\" OR sold = true)", "shelf STARTS WITH a", "NOT shelf STARTS WITH \"a > b\"", "shelf STARTS WITH \"A >\""}
		raw, err := json.Marshal(filters[r.IntN(len(filters))])
		if err != nil {
			panic(err)
		}
		req.Filter.Raw = raw
	}
	if req.Facets.Expression != nil && r.IntN(2) == 0 {
		own := []string{"brand = acme", "brand IN [zeta, uber] AND tags = red", "sold = true", "brand = acme AND sold = false AND shelf = A"}
		raw, err := json.Marshal(own[r.IntN(len(own))])
		if err != nil {
			panic(err)
		}
		req.Filter.Raw = raw
		req.Disjunctive, _ = filter.ParseNames(*req.Facets.Expression)
	}
	if r.IntN(3) == 0 {
		sort := []string{"-made", "made,-_score", "price", "-price,price,brand", "brand", "-tags", "weight,_id", "-sold", "-year,-shelf", "shelf", "_id", "-_id", "title", "-title", "author", "-author,_id", "_score,-made", "_score,-_id", "_score,title,brand",
			"serial", "-serial", "cost,-serial", "-cost", "at,_score", "-at", "-id", "-paid", "artist", "-artist", "note", "-note", "note", "email", "-sold,_score", "sold,-made,title", "brand,year,_score", "-sold,-_id", "note,sold", "brand,-_score", "-year,weight"}[r.IntN(40)]
		req.Sort = &sort
	}
	page, size := 1+r.IntN(2), []int{0, 1, 3, 10}[r.IntN(4)]
	req.Page, req.PerPage = &page, &size
	req.Explain = r.IntN(4) == 0
	return req
}

// newChecked returns a store that accelerates small indices, and a service that checks it.
func newChecked(t *testing.T, stages ...int) (*store.Store, *bothWays, *service.Service) {
	t.Helper()
	ctx := context.Background()
	db := storetest.New(t)
	st, err := store.Open(ctx, store.Config{URL: db.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	st.AccelerateSmall(stages...)
	if _, err := st.CreateApplication(ctx, "demo"); err != nil {
		t.Fatal(err)
	}
	checked := &bothWays{Store: st, t: t, db: db}
	return st, checked, service.New(checked, service.Config{})
}

// newAccelerated is newChecked with an index of some 300 documents.
func newAccelerated(t *testing.T) (*store.Store, *bothWays, *service.Service) {
	t.Helper()
	ctx := context.Background()
	st, checked, svc := newChecked(t, 6, 15, 40)
	st.SizeBlocks(128) // so that the bits of a block are several machine words, as in practice
	if err := svc.CreateIndex(ctx, "demo", "things", acceleratedMappings); err != nil {
		t.Fatal(err)
	}
	stopWord(t, svc, "things")
	fill(t, svc)
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	return st, checked, svc
}

func fill(t *testing.T, svc *service.Service) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 6 {
		if _, err := svc.WriteBatch(context.Background(), "demo", "things", someBatch(r, 80)); err != nil {
			t.Fatal(err)
		}
	}
}

func buildPostings(ctx context.Context, st *store.Store, steps int) error {
	return buildPostingsOf(ctx, st, "things", steps)
}

// things returns the current state of newAccelerated's index.
func things(t *testing.T, st *store.Store) *service.Index {
	t.Helper()
	ix, err := st.CurrentIndex(t.Context(), "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func (s *site) buildPostings(t *testing.T) {
	t.Helper()
	if err := buildPostings(t.Context(), s.Store, 100); err != nil {
		t.Fatal(err)
	}
}

func buildPostingsOf(ctx context.Context, st *store.Store, index string, steps int) error {
	for range steps {
		ix, err := st.CurrentIndex(ctx, "demo", index)
		if err != nil {
			return err
		}
		if again, err := st.Accelerate(ctx, ix); err != nil || !again {
			return err
		}
	}
	return nil
}

// A document's bound is at least its score and, for words, equal to it, in however many ways they are found: only then are few documents ranked.
func TestBoundsAreCloseToScores(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, _, filled := newAccelerated(t)
	// Words that occur often, one of them more often than is counted, and a document that has two of them.
	batch := fmt.Sprintf(`[{"action":"upsert","_id":"often","body":{"title":"x","text":%q}},{"action":"upsert","_id":"both","body":{"text":%q,"boost":900}},{"action":"upsert","_id":"more","body":{"text":%q}},
		{"action":"upsert","_id":"rare","body":{"title":"2579","text":%[5]q}},{"action":"upsert","_id":"number","body":{"title":"20","text":%[4]q}},{"action":"upsert","_id":"numbers","body":{"title":%[4]q}}]`,
		strings.Repeat("silver ", 100), strings.Repeat("silver ", 80)+"smith", strings.Repeat("stone ", 300), strings.Repeat("20 ", 60), "stone"+strings.Repeat(" 2579", 60))
	if _, err := filled.WriteBatch(ctx, "demo", "things", []byte(batch)); err != nil {
		t.Fatal(err)
	}
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := filled.PutSearch(ctx, "demo", service.SearchDefinition{Name: "texts", Index: "things", Fields: map[string]float64{"text": 1, "title": 2}}); err != nil {
		t.Fatal(err)
	}
	settings := `{"synonyms":[{"from":["silver train"],"to":["garden"]},{"from":["light silver paper"],"to":["window","smith"]}]}`
	if _, err := filled.UpdateIndexSettings(ctx, "demo", "things", json.RawMessage(settings), true); err != nil {
		t.Fatal(err)
	}
	seen := 0
	svc := service.New(planned{st, func(p *service.Plan) {
		both := p.Terms[0].Text == "paper" // PostgreSQL counts a word that is also a prefix as either of them
		if both {
			for a := range p.Terms[0].Alternatives {
				p.Terms[0].Alternatives[a] = []service.Alternative{{Sequence: []service.Lexeme{{Text: "silver"}}, Factor: 0.8}, {Sequence: []service.Lexeme{{Text: "silver", Prefix: true}}, Factor: 0.8}}
			}
		}
		bounds, err := st.Bounds(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		found, err := st.Search(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if bounds == nil {
			return // a word without postings
		}
		for _, h := range found.Hits {
			bound, ok := bounds[h.Document.ID]
			seen++
			if !ok || float64(bound) < h.Score {
				t.Errorf("%s: the score of %s is %g, its bound %g", p.Terms[0].Text, h.Document.ID, h.Score, bound)
			}
			if looked := bound == math.MaxFloat32; float64(bound) > (1+3e-5)*h.Score && !looked && !slices.ContainsFunc(p.Terms, severalWords) && h.Document.ID != "more" && !both {
				t.Errorf("%s: the bound %g is above the score %g of %s", p.Terms[0].Text, bound, h.Score, h.Document.ID)
			}
		}
	}}, service.Config{})
	size := 1000
	for _, q := range []string{"stone ", "house ", "houses river ", "mountain tree ", "paper light silver ", "house OR river ", "river OR mountain OR tree OR road ", "hous", "ri", "bridge st",
		`"river mountain" OR tree `, "river-mountain", "river-mou", "strret mountian ", "walks OR walking ", "s", "t", "si", "smi stone ", "silver ", "2", "stone 2", "20", "stone 20", "21", "silver train ", "light silver paper ", "paper "} {
		for _, target := range []string{"things", "texts"} {
			_, err := svc.Search(ctx, service.Principal{Application: "demo"}, target, service.SearchRequest{Query: q, PerPage: &size, Match: service.MatchAll})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d scores were compared, want more", seen)
	}
}

// planned is a store that passes every plan to a function before running it.
type planned struct {
	*store.Store
	look func(p *service.Plan)
}

func (s planned) Search(ctx context.Context, p *service.Plan) (*service.Found, error) {
	s.look(p)
	return s.Store.Search(ctx, p)
}

// Whatever exchanges the table of an index removes its postings, and they are built again.
func TestPostingsFollowTheirIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	expect := func(when string, want bool) {
		t.Helper()
		ix, err := st.CurrentIndex(ctx, "demo", "things")
		if err != nil {
			t.Fatal(err)
		}
		ready, logged, err := st.Accelerated(ctx, ix)
		if err != nil || ready != want || logged != want {
			t.Errorf("%s: ready %t, logged %t, %v; want %t", when, ready, logged, err, want)
		}
	}
	search := func() {
		t.Helper()
		facets := "brand, sold"
		_, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: "river ", Facets: service.FacetsInput{Expression: &facets}})
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("built", true)
	// The tables that a server leaves when it ends while building.
	if _, err := checked.db.Pool.Exec(ctx, "CREATE TABLE app_demo_derived.things_nexttouched (); CREATE TABLE app_demo_derived.things_nextpostings ()"); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.UpdateIndex(ctx, "demo", "things", append([]mapping.Mapping{{Name: "rest", Type: mapping.Text}}, acceleratedMappings...), true); err != nil {
		t.Fatal(err)
	}
	expect("with another mapping", true)
	before := checked.accelerated.Load()
	search()
	if checked.accelerated.Load() == before {
		t.Error("a search right after a change of mappings was not accelerated")
	}
	if again, err := st.Accelerate(ctx, things(t, st)); again || err != nil {
		t.Errorf("right after a change of mappings there is more to build: %t, %v", again, err)
	}
	expect("built no more than they were", true)

	// If the mappings change, a block that the builder was about to build for the old table is not built for the new one.
	err := st.BuildOutrun(ctx, things(t, st), func() error {
		_, err := svc.UpdateIndex(ctx, "demo", "things", acceleratedMappings, false)
		return err
	})
	if !errors.Is(err, service.ErrStale) {
		t.Errorf("a block of before a change of mappings was built: %v", err)
	}
	search()
	if err := st.ClearIndex(ctx, things(t, st)); err != nil {
		t.Fatal(err)
	}
	expect("cleared", false)
	search()
	fill(t, svc)
	if err := buildPostings(ctx, st, 100); err != nil {
		t.Fatal(err)
	}
	expect("built again", true)
	before = checked.accelerated.Load()
	search()
	if checked.accelerated.Load() == before {
		t.Error("a search after the building was not accelerated")
	}
}

// outrun reports whether the builder failed because the mappings have changed since: the next step is for the new table.
func outrun(err error) bool {
	var of *pgconn.PgError
	return errors.Is(err, service.ErrStale) || errors.As(err, &of) && slices.Contains([]string{"42P01", "42703", "55P03"}, of.Code)
}

// Whatever the interleaving of writes, the builder, changes of mappings and searches, postings answer what the plain statement does.
func TestAcceleratedSearchesEqualPlainOnes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	build := func(steps int) error { return buildPostings(ctx, st, steps) }
	withSynonyms(t, svc, "things")
	r := rand.New(rand.NewPCG(1, 2))
	for name, fields := range map[string]map[string]float64{"titles": {"title": 3, "text": 1}, "authors": {"author": 1, "title": 0.5, "brand": 2}} {
		if _, err := svc.PutSearch(ctx, "demo", service.SearchDefinition{Name: name, Index: "things", Fields: fields}); err != nil {
			t.Fatal(err)
		}
	}
	search := func(r *rand.Rand) {
		req := someSearch(r)
		target := []string{"things", "things", "titles", "authors"}[r.IntN(4)]
		resp, err := svc.Search(ctx, service.Principal{Application: "demo"}, target, req)
		for err == nil && resp.Cursor != "" && r.IntN(2) == 0 {
			req.Cursor, req.Page = resp.Cursor, nil
			resp, err = svc.Search(ctx, service.Principal{Application: "demo"}, target, req)
		}
		if err != nil {
			t.Errorf("%+v: %v", req, err)
		}
	}
	for range 100 {
		search(r)
	}
	if checked.accelerated.Load() < 33 {
		t.Fatalf("%d of 100 searches were accelerated, want more", checked.accelerated.Load())
	}

	const rounds = 40
	var wg sync.WaitGroup
	for seed := range uint64(2) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for range rounds {
				if _, err := svc.WriteBatch(ctx, "demo", "things", someBatch(r, 1+r.IntN(8))); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 4))
			for range 2 * rounds {
				search(r)
			}
		})
	}
	wg.Go(func() { // psql
		r := rand.New(rand.NewPCG(1, 5))
		for range rounds {
			if err := writeByPsql(ctx, checked, r); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for i := range 5 {
			mappings := acceleratedMappings
			if i%2 == 0 {
				mappings = slices.Concat(mappings, []mapping.Mapping{{Name: "maker", Type: mapping.Keyword}})
			}
			if _, err := svc.UpdateIndex(ctx, "demo", "things", mappings, false); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for i := range rounds {
			err := build(2)
			if err != nil && !outrun(err) {
				t.Error(err)
			}
			ix, err := st.CurrentIndex(ctx, "demo", "things")
			switch {
			case err != nil:
			case i == rounds/2:
				err = st.StopAccelerating(ctx, ix)
			case i%5 == 0:
				err = st.Outgrow(ctx, ix)
			}
			if err != nil && !outrun(err) {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if err := build(100); err != nil {
		t.Fatal(err)
	}
	before := checked.accelerated.Load()
	for range 100 {
		search(r)
	}
	if s := st.Stats(); s.PostingsHits < 100 || s.Held < 5 {
		t.Errorf("postings of %d lexemes were remembered, %d searches were ahead and held, want more", s.PostingsHits, s.Held)
	}
	for what, n := range map[string]*atomic.Int64{"facets of texts": &checked.ofTexts, "facets of what the blocks do not have": &checked.byOthers, "a filter on texts": &checked.onTexts, "a filter on a field that most lack": &checked.present} {
		if n.Load() == 0 {
			t.Errorf("no search with %s was accelerated", what)
		}
		t.Logf("with %s %d", what, n.Load())
	}
	if n := checked.accelerated.Load() - before; n < 30 || checked.faceted.Load() == 0 || checked.filtered.Load() == 0 || checked.disjunctive.Load() == 0 || checked.sorted.Load() == 0 || checked.byTexts.Load() == 0 || checked.byUnique.Load() == 0 || checked.ranged.Load() == 0 || checked.phrased.Load() == 0 || checked.inSome.Load() == 0 || checked.inOrder.Load() == 0 {
		t.Errorf("%d of 100 searches were accelerated, %d with facets, %d with a filter, %d disjunctive, %d sorted, %d by texts, %d by unique values, %d with ranges of such, %d with phrases, %d in some fields, %d with facets of unique values in all, want more", n, checked.faceted.Load(), checked.filtered.Load(), checked.disjunctive.Load(), checked.sorted.Load(), checked.byTexts.Load(), checked.byUnique.Load(), checked.ranged.Load(), checked.phrased.Load(), checked.inSome.Load(), checked.inOrder.Load())
	}
	t.Logf("accelerated %d, with facets %d, with a filter %d, disjunctive %d, sorted %d, by texts %d, by unique values %d, with ranges of such %d, with phrases %d, in some fields %d, with facets of unique values %d", checked.accelerated.Load(), checked.faceted.Load(), checked.filtered.Load(), checked.disjunctive.Load(), checked.sorted.Load(), checked.byTexts.Load(), checked.byUnique.Load(), checked.ranged.Load(), checked.phrased.Load(), checked.inSome.Load(), checked.inOrder.Load())
}

// A search that is worked out ahead finds what its snapshot has: if blocks were rebuilt, if documents are in the log, and if neither is the case.
func TestSearchesAhead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	asked := 0
	query := ""
	search := func() {
		asked++ // an identical search would be answered from memory
		if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: strings.Repeat(" ", asked) + query, Match: service.MatchAll}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 8 {
		// What is found in several ways must have the same bounds ahead and afterwards.
		query = []string{"stone river ", "stone OR river "}[i%2]
		before, accelerated := st.Stats(), checked.accelerated.Load()
		for range 4 { // asked for, asked for again, nothing has changed, ahead
			search()
		}
		if now := st.Stats(); now.Held == before.Held {
			t.Errorf("round %d: none of four searches was ahead and held", i)
		}
		if _, err := svc.WriteBatch(ctx, "demo", "things", []byte(fmt.Sprintf(`[{"action":"upsert","_id":"ahead%d","body":{"title":"stone river"}},{"action":"upsert","_id":"%d","body":{"title":"river"}}]`, i%2, i))); err != nil {
			t.Fatal(err)
		}
		search() // the blocks are the same, the log is not
		if err := buildPostings(ctx, st, 100); err != nil {
			t.Fatal(err)
		}
		inVain := st.Stats().InVain
		search()
		if st.Stats().InVain == inVain {
			t.Errorf("round %d: a search after the building was not ahead in vain", i)
		}
		if n := checked.accelerated.Load() - accelerated; n < 6 {
			t.Errorf("round %d: %d of 6 searches were accelerated", i, n)
		}
	}
}

// A term with several common words, or with several ways to find it, is counted from postings: the documents that have all words of one of the ways.
func TestTermsOfSeveralWordsAreCounted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, _, _ := newAccelerated(t)
	counted := 0
	svc := service.New(planned{st, func(p *service.Plan) {
		fromPostings, fromTable, err := st.CountBothWays(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range fromPostings {
			if n >= 0 {
				counted++
			}
			if n >= 0 && n != fromTable[i] {
				t.Errorf("%s: %d documents in the postings, %d in the table", p.Terms[i].Text, n, fromTable[i])
			}
		}
	}}, service.Config{})
	for _, q := range []string{`"stone river" `, "road-tree river-stone ", `"tree road" stone OR light `, `houses OR trees `, `"river zzz" `} {
		if _, err := svc.Search(ctx, service.Principal{Application: "demo"}, "things", service.SearchRequest{Query: q}); err != nil {
			t.Fatal(err)
		}
	}
	if counted < 3 {
		t.Errorf("%d terms were counted from postings, want more", counted)
	}
}

// An index without any lexeme, or without a common one, gets postings, and searches find its documents.
func TestPostingsWithoutCommonLexemes(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]struct {
		fields []string
		body   func(i int) string
	}{
		"numbers only": {[]string{"n int", "price price"}, func(i int) string { return fmt.Sprintf(`{"n":%d,"price":%d.5}`, i%4, i) }},
		"rare words":   {[]string{"n int", "title name"}, func(i int) string { return fmt.Sprintf(`{"n":%d,"title":"w%dx"}`, i%4, i) }},
	} {
		s := newSite(t)
		s.AccelerateSmall(30, 150)
		s.create(t, "things", index.fields...)
		s.many(t, "things", 200, index.body)
		if err := buildPostings(t.Context(), s.Store, 100); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ix, err := s.CurrentIndex(t.Context(), "demo", "things")
		if err != nil {
			t.Fatal(err)
		}
		if ready, _, err := s.Accelerated(t.Context(), ix); err != nil || !ready {
			t.Errorf("%s: postings are built: %t, %v", name, ready, err)
		}
		checked := &site{Store: s.Store, svc: service.New(&bothWays{Store: s.Store, t: t}, service.Config{})}
		for _, s := range []*site{s, checked} {
			resp := s.search(t, "things", filtered("n >= 2"), withFacets("n"))
			if got := facet(t, resp, "n"); resp.Total != 100 || len(resp.IDs) != 100 || got != "2=50 3=50" {
				t.Errorf("%s: of 100 documents %d are found, %d shown, by n %s", name, resp.Total, len(resp.IDs), got)
			}
			if got := s.found(t, "things", forWords("w7x "), withFacets("n")); got != "" && got != "000007" {
				t.Errorf("%s: a word finds %q", name, got)
			}
		}
	}
}

// Counts of common words follow blocks that are rebuilt, about once a minute.
func TestCommonWordsAreCountedAnew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title name")
	s.many(t, "things", 200, func(i int) string { return fmt.Sprintf(`{"title":"common %d"}`, i%2) })
	if err := buildPostings(t.Context(), s.Store, 100); err != nil {
		t.Fatal(err)
	}
	ix, err := s.CurrentIndex(t.Context(), "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	s.many(t, "things", 200, func(i int) string { return fmt.Sprintf(`{"title":"other %d"}`, i%2) })
	for _, age := range []string{"0 s", "2 min"} {
		if err := s.AgeCounts(t.Context(), ix, age); err != nil {
			t.Fatal(err)
		}
		for again := true; again; {
			if again, err = s.Accelerate(t.Context(), ix); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string]int64{"0 s": 200, "2 min": 0}[age]
		if got, err := s.Frequency(t.Context(), ix, "common"); err != nil || got != want {
			t.Errorf("counts of %s ago have common in %d documents, want %d (%v)", age, got, want, err)
		}
	}
}

// A few changed documents, which every search examines, get into their blocks once no more are added.
func TestBlocksAreRebuiltAtRest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.AccelerateSmall(30, 150)
	s.create(t, "things", "title name")
	round := 0
	write := func(documents int) {
		t.Helper()
		round++ // an unchanged document would not be written
		s.many(t, "things", documents, func(i int) string { return fmt.Sprintf(`{"title":"common %d","round":%d}`, i%2, round) })
	}
	write(200)
	s.buildPostings(t)
	ix, err := s.CurrentIndex(t.Context(), "demo", "things")
	if err != nil {
		t.Fatal(err)
	}
	rests := func(after time.Duration) { s.RebuildResting(5, 1000, after) }
	logged := func(want int, when string) {
		t.Helper()
		n, err := s.Touched(t.Context(), ix)
		if err != nil || n != want {
			t.Errorf("%s the log has %d rows, want %d (%v)", when, n, want, err)
		}
	}
	rests(0)
	write(4)
	s.buildPostings(t)
	s.buildPostings(t)
	logged(4, "with too few to be worth it")
	rests(time.Hour)
	write(4)
	s.buildPostings(t)
	s.buildPostings(t)
	logged(8, "after more")
	rests(0)
	s.buildPostings(t)
	logged(0, "at rest")
}

// Postings include rows that somebody was writing when the building began.
func TestPostingsHaveRowsOfOthers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	st, checked, svc := newAccelerated(t)
	ix := things(t, st)
	if err := st.StopAccelerating(ctx, ix); err != nil {
		t.Fatal(err)
	}
	tx, err := checked.db.Pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO app_demo.things (_id, _body) SELECT 'late' || i, '{"title":"river","text":"river mountain"}' FROM generate_series(1, 300) i`); err != nil {
		t.Fatal(err)
	}
	built := make(chan error, 1)
	go func() { built <- buildPostings(ctx, st, 100) }()
	awaitsWriters(t, checked.db)
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-built; err != nil {
		t.Fatal(err)
	}
	before := checked.accelerated.Load()
	if _, err := svc.Search(ctx, demo, "things", service.SearchRequest{Query: "river ", Match: service.MatchAll}); err != nil {
		t.Fatal(err)
	}
	if checked.accelerated.Load() == before {
		t.Error("the postings were not used")
	}
}

// holdingIndex takes the lock of an index, like a writer.
func holdingIndex(t *testing.T, db *storetest.DB, ix *service.Index) (release func()) {
	t.Helper()
	return holding(t, db, fmt.Sprintf("SELECT pg_advisory_xact_lock(1919907694, %d)", ix.ID))
}

// awaitsIndex waits until somebody waits for the lock of an index.
func awaitsIndex(t *testing.T, db *storetest.DB, ix *service.Index) {
	t.Helper()
	eventually(t, "somebody to wait for the index", func() (waits bool) {
		err := db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 1919907694 AND objid = $1::int AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`, ix.ID).Scan(&waits)
		return err == nil && waits
	})
}

// Postings include rows written while the builder waits for API writers before it creates the log: these rows are not in the log.
func TestPostingsHaveRowsFromBeforeTheLog(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, checked, svc := newAccelerated(t)
	ix := things(t, st)
	if err := st.StopAccelerating(ctx, ix); err != nil {
		t.Fatal(err)
	}
	release := holdingIndex(t, checked.db, ix)
	built := make(chan error, 1)
	go func() { built <- buildPostings(ctx, st, 100) }()
	awaitsIndex(t, checked.db, ix)
	is := func(sql string) bool {
		t.Helper()
		var is bool
		if err := checked.db.Pool.QueryRow(ctx, "SELECT EXISTS ("+sql+")").Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	tx, err := checked.db.Pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `INSERT INTO app_demo.things (_id, _body) SELECT 'late' || i, '{"title":"river","text":"river mountain"}' FROM generate_series(1, 300) i`); err != nil {
		t.Fatal(err)
	}
	release()
	eventually(t, "the log", func() bool { return is("SELECT FROM rowan.accelerators") })
	time.Sleep(1500 * time.Millisecond) // longer than one step of the builder waits
	if is("SELECT FROM app_demo_derived.things_postings") {
		t.Error("blocks were built before the transaction had ended")
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-built; err != nil {
		t.Fatal(err)
	}
	if n := withAllWords(t, svc, "river "); n < 300 || checked.accelerated.Load() == 0 {
		t.Errorf("%d documents are found, %d times from postings, want at least 300", n, checked.accelerated.Load())
	}
}
