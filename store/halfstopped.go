package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/tsquery"
)

// leastStopped is the minimum number of letters of a stop word that people write together with the next or previous word (thebeatles, ofposeidon).
// A single letter is looked for with a hyphen or an apostrophe only.
const leastStopped = 2

// addHalfStopped fills related.HalfStopped. The index of a text lacks its stop words, so some of the documents that have the other word are read: not every
// word that begins with a stop word is meant so (sword is not s-word, and forest is not for est). A word that is being typed may go on to one of
// completions.
func (s *Store) addHalfStopped(ctx context.Context, ix *service.Index, related *service.RelatedWords, prefix string, completions []service.Completion) error {
	related.HalfStopped = map[service.WordPair]bool{}
	for word, list := range related.Parted {
		for _, p := range list {
			first, second := utf8.RuneCountInString(p.First), utf8.RuneCountInString(p.Second)
			goesOn := word == prefix && len(completions) > 0
			if related.Known[word] || p.Shared || first > 1 && (min(first, second) < leastStopped || goesOn) {
				continue
			}
			halfStopped, err := s.halfStopped(ctx, ix, p)
			if err != nil {
				return err
			}
			related.HalfStopped[p] = halfStopped
		}
	}
	return nil
}

// halfStopped reports whether one part of a pair is a stop word that documents have next to the other, in a text: a first letter with a hyphen or an
// apostrophe behind it, or a longer word also with a space.
func (s *Store) halfStopped(ctx context.Context, ix *service.Index, p service.WordPair) (has bool, err error) {
	lexemes, err := s.Lexemes(ctx, ix.Settings.Language, []string{p.First, p.Second})
	if err != nil {
		return false, err
	}
	first, second := lexemes[0], lexemes[1]
	letter := utf8.RuneCountInString(p.First) == 1
	if (len(first) > 0) == (len(second) > 0) || letter && len(first) > 0 {
		return false, nil
	}
	rest := slices.Concat(first, second)
	query := tsquery.Lexeme(service.Lexeme{Text: rest[0]})
	return oneOn(ctx, s.readPool(ctx), pgx.RowTo[bool], halfStoppedSQL(s.shape(ix)), query, halfStoppedText(p))
}

// maxHalfStopped is the maximum number of documents that are read, maxHalfStoppedSize the maximum stored size of such a document in bytes.
const maxHalfStopped, maxHalfStoppedSize = 100, 32 << 10

func halfStoppedSQL(sh table.Shape) string {
	return fmt.Sprintf(`SELECT EXISTS (SELECT FROM (SELECT _body FROM %s t WHERE %s @@ $1::tsquery LIMIT %d) d
  WHERE CASE WHEN pg_column_size(_body) <= %d THEN _body::text ~* $2 END)`, sh.Table, sh.AllLexemes("t."), maxHalfStopped, maxHalfStoppedSize)
}

// halfStoppedText returns a regular expression for the two parts with a hyphen or an apostrophe in between, or a space after more than a letter, in JSON,
// where a letter may belong to an escape such as \n. The parts only have letters and digits; in documents they may have accents.
func halfStoppedText(p service.WordPair) string {
	between, behind := `[-‐‑'’]`, ""
	if utf8.RuneCountInString(p.First) > 1 {
		between, behind = `[- ‐‑'’]`, `(?![[:alnum:]])`
	}
	return `(?:[^[:alnum:]]|\\[bfnrt])` + unfolded.Replace(p.First) + between + unfolded.Replace(p.Second) + behind
}

// unfolded replaces letters of a folded word by all single characters that fold to them in the alphabets of Europe: é, œ.
var unfolded = func() *strings.Replacer {
	forms := map[string]string{}
	for r := 'À'; r <= 'ž'; r++ {
		if unicode.IsLower(r) {
			forms[analysis.Fold(string(r))] += string(r)
		}
	}
	var pairs []string
	for _, letters := range slices.SortedFunc(maps.Keys(forms), func(a, b string) int { return len(b) - len(a) }) { // longest first
		first, rest := letters[:1], letters[1:]
		switch {
		case rest == "":
			pairs = append(pairs, letters, "["+letters+forms[letters]+"]")
		case len(letters) == 2 && forms[letters] != letters:
			pairs = append(pairs, letters, "(?:["+first+forms[first]+"]["+rest+forms[rest]+"]|["+forms[letters]+"])")
		}
	}
	return strings.NewReplacer(pairs...)
}()
