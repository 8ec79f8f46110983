package analysis_test

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/text/unicode/norm"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/storetest"
)

// wholes are the lexemes of a text as one value of a keyword.
func wholes(text string) []string {
	if w := analysis.Whole(analysis.Fold(text)); w != "" {
		return []string{"=" + w}
	}
	return []string{}
}

// TestEveryCharacter compares every character of the Basic Multilingual Plane, alone, within a word, and between
// letters of a script without spaces. Characters that the C library does not know are newer than it.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for i, around := range [][2]string{{"", ""}, {"X", "y"}, {"1", "e5"}, {"漢", "字"}, {"한", "글"}} {
		every, least := 1, 50000
		if i > 0 { // among others, neighbours in the code table behave alike
			every, least = 3, 16000
		}
		rows, err := db.Pool.Query(context.Background(), `
			SELECT c.text, rowan.fold(c.text), tsvector_to_array(rowan.tsv_whole(to_jsonb(c.text))), coalesce((SELECT array_agg(u.lexeme ORDER BY p)
				FROM unnest(to_tsvector('simple', rowan.words(c.text))) AS u, unnest(u.positions) AS p), '{}')
			FROM (SELECT $1 || chr(n) || $2 AS text, chr(n) AS char FROM generate_series(1, 65535) AS n WHERE n NOT BETWEEN 55296 AND 57343 AND n % $3 = $4 % $3) AS c
			WHERE c.char ~ '[[:graph:][:space:][:cntrl:]]'`, around[0], around[1], every, i)
		if err != nil {
			t.Fatal(err)
		}
		var text, fold string
		var whole, lexemes []string
		tag, err := pgx.ForEachRow(rows, []any{&text, &fold, &whole, &lexemes}, func() error {
			if got := analysis.Fold(text); got != fold {
				t.Errorf("Fold(%+q) = %+q, the database has %+q", text, got, fold)
			}
			if got := wholes(text); !slices.Equal(got, whole) {
				t.Errorf("as a whole %+q is %+q, the database has %+q", text, got, whole)
			}
			if got := words(text); !slices.Equal(got, lexemes) {
				t.Errorf("Words(%+q) = %+q, the database has %+q", text, got, lexemes)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if tag.RowsAffected() < int64(least) {
			t.Errorf("only %d characters were compared", tag.RowsAffected())
		}
	}
}

// TestEveryEntity compares what the named entities stand for, and those numbers that are not the number of a character, here and in the
// database, with what the standard library takes them for.
func TestEveryEntity(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var texts []string
	for name := range analysis.Entities {
		texts = append(texts, "&"+name+";", "&"+name, "&"+strings.ToUpper(name)+";")
	}
	for code := range 0x180 {
		texts = append(texts, fmt.Sprintf("&#%d;", code), fmt.Sprintf("&#x%X;", code))
	}
	texts = append(texts, "&#xd7ff;", "&#xd800;", "&#xdfff;", "&#xe000;", "&#x10ffff;", "&#x110000;", "&#1114111;", "&#99999999;", "&#128674;")
	rows, err := db.Pool.Query(t.Context(), "SELECT text, rowan.plain_html(text) FROM unnest($1::text[]) AS text", texts)
	if err != nil {
		t.Fatal(err)
	}
	var text, plain string
	if _, err := pgx.ForEachRow(rows, []any{&text, &plain}, func() error {
		if got := analysis.PlainHTML(text); got != plain {
			t.Errorf("%s is %+q, the database has %+q", text, got, plain)
		}
		// HTML 5 has more entities than HTML 4, some without a semicolon, and other angle brackets.
		name, whole := strings.CutSuffix(text[1:], ";")
		_, known := analysis.Entities[name]
		if whole && (known || name[0] == '#') && name != "lang" && name != "rang" && plain != html.UnescapeString(text) {
			t.Errorf("%s is %+q in the database, in HTML %+q", text, plain, html.UnescapeString(text))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestLimits gives the functions of generated columns what no tsvector can hold: a document is indexed as far as
// it fits, without an error or a notice.
func TestLimits(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	config, err := pgx.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { t.Errorf("notice: %s", n.Message) }
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()

	const distinct = `(SELECT string_agg(md5(g::text), ' ') FROM generate_series(1, 36000) AS g)`
	values := map[string]string{
		"many distinct words":    `to_jsonb(` + distinct + `)`,
		"one long word":          `to_jsonb(repeat('x', 1000000))`,
		"one long run of Han":    `to_jsonb(repeat('日本語', 50000))`,
		"many values":            `(SELECT jsonb_agg(md5(g::text) || ' ' || g) FROM generate_series(1, 30000) AS g)`,
		"many levels":            `to_jsonb(repeat('abc > ', 20000))`,
		"many segments":          `to_jsonb(repeat('/abc', 20000))`,
		"many labels":            `to_jsonb('a@' || repeat('b.', 20000))`,
		"unclosed tags":          `to_jsonb(repeat('<b x="&lt;"', 2000))`,
		"deep":                   `(repeat('[', 2000) || '"deep"' || repeat(']', 2000))::jsonb`,
		"quotes and backslashes": `'["''", "\\", "a''b\\c", "\\''"]'::jsonb`,
		"numbers out of range":   `'["9e999", "1e-99", 1e300, "--5", "1.2.3"]'::jsonb`,
		"entities out of range":  `'"&#0; &#55296; &#99999999; &#xffffff; &; &amp &bogus;"'::jsonb`,
		"an object":              `'{"a": ["b"]}'::jsonb`,
		"empty":                  `'[null, [], {}, ""]'::jsonb`,
		"null":                   `'null'::jsonb`,
		"missing":                `NULL::jsonb`,
	}
	for name, value := range values {
		var null bool
		err := conn.QueryRow(ctx, `
			SELECT rowan.join_tsv(rowan.tsv_stemmed('english', v), rowan.tsv_plain(v), rowan.tsv_html('english', v), rowan.tsv_identifier(v),
				rowan.tsv_levels('english', v, ' > '), rowan.tsv_tags('english', v), rowan.tsv_whole(v), rowan.tsv_whole_exact(v), rowan.tsv_email(v),
				rowan.tsv_path(v), rowan.tsv_digits(v), rowan.tsv_rest('english', jsonb_build_object('a', v), '{b}', '{a.b}')) IS NULL
			FROM (SELECT `+value+` AS v) AS x`).Scan(&null)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if null {
			t.Errorf("%s: null, which would make scores null", name)
		}
	}

	var first bool
	err = conn.QueryRow(ctx, `SELECT rowan.tsv_stemmed('simple', to_jsonb('first ' || `+distinct+`)) @@ 'first'`).Scan(&first)
	if err != nil || !first {
		t.Errorf("the first word of a text that is too long is not found (%v)", err)
	}
}

// TestManyMarks folds what normalize alone would take a minute for: text of nothing but marks that it has to bring into an order.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var marks []string
	for r := range unicode.MaxRune {
		if norm.NFD.PropertiesString(string(r)).CCC() != 0 {
			marks = append(marks, string(r))
		}
	}
	var kept []string
	err := db.Pool.QueryRow(t.Context(), "SELECT coalesce(array_agg(m), '{}') FROM unnest($1::text[]) AS m WHERE length(rowan.few_marks(repeat(m, 600))) <> 30", marks).Scan(&kept)
	if err != nil || len(marks) < 900 || len(kept) > 0 {
		t.Errorf("of %d marks stay %+q, %v", len(marks), kept, err)
	}
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "SET LOCAL statement_timeout = '30s'"); err != nil {
		t.Fatal(err)
	}
	var folded, level string
	err = tx.QueryRow(t.Context(), `SELECT rowan.fold('x' || $1 || 'y'), (rowan.levels_all(to_jsonb('A ＞ B' || $1), ' > '))[1]`,
		strings.Repeat("\u0301\u0323", 40000)).Scan(&folded, &level)
	if err != nil || folded != "xy" || level != "A" {
		t.Errorf("%q, %q, %v", folded, level, err)
	}
}
