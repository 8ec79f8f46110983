package store

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// stemCache remembers, for text-search configurations, whether they stem like English.
type stemCache struct {
	stemMu sync.Mutex
	stems  map[string]bool // by configuration: whether it stems as English does
}

// stemsEnglish reports whether a configuration uses nothing but Snowball's English stemmer and dictionaries that leave words as they are: no
// synonyms, no Ispell, nothing from a DBA.
func (s *Store) stemsEnglish(ctx context.Context, language string) (bool, error) {
	s.stemMu.Lock()
	is, known := s.stems[language]
	s.stemMu.Unlock()
	if known {
		return is, nil
	}
	is, err := oneOn(ctx, s.readPool(ctx), pgx.RowTo[bool], `SELECT coalesce(bool_and(t.tmplnamespace = 'pg_catalog'::regnamespace
			AND (t.tmplname = 'simple' OR t.tmplname = 'snowball' AND d.dictinitoption LIKE '%language = ''english''%')), false)
		FROM pg_ts_config_map m JOIN pg_ts_dict d ON d.oid = m.mapdict JOIN pg_ts_template t ON t.oid = d.dicttemplate
		WHERE m.mapcfg = $1::text::regconfig`, language)
	if err != nil {
		return false, err
	}
	s.stemMu.Lock()
	defer s.stemMu.Unlock()
	if s.stems == nil {
		s.stems = map[string]bool{}
	}
	s.stems[language] = is
	return is, nil
}

// Likely returns a function that returns false only for words that have none of the sought lexemes, and none that begins with one of them. It returns
// nil if the dictionaries may make anything of a word.
func (s *Store) Likely(ctx context.Context, language string, sought []string) (likely func(word string) bool, err error) {
	english, err := s.stemsEnglish(ctx, language)
	if err != nil || !english {
		return nil, clientError(err)
	}
	return likelyWords(sought), nil
}

// likelyWords is Likely for languages with the English stemmer. A page of hits may have millions of words, and a query hundreds of lexemes: so each
// word is looked up by its beginnings of the lengths that occur.
func likelyWords(sought []string) func(word string) bool {
	var first [256]bool
	kept, lengths := map[string]bool{}, []int{}
	for _, l := range sought {
		if l == "" {
			continue
		}
		n := keptOfStem(l)
		if first[l[0]] = true; !slices.Contains(lengths, n) {
			lengths = append(lengths, n)
		}
		kept[l[:n]] = true
	}
	return func(w string) bool {
		if w == "" {
			return false
		}
		if first[w[0]] && slices.ContainsFunc(lengths, func(n int) bool { return n <= len(w) && kept[w[:n]] }) {
			return true
		}
		// PostgreSQL may split a word with characters beyond ASCII into several.
		for i := range len(w) {
			if w[i] >= utf8.RuneSelf {
				return true
			}
		}
		return false
	}
}

// keptOfStem returns how many bytes of a lexeme begin every word that the English stemmer turns into it, or into a lexeme that begins with it. The
// stemmer removes endings and puts up to one letter in their place: i (happy, happi), e (hoping, hope), or the l that ability becomes (possibility,
// possibl); two if that is le. In words of three letters, and those that become such (dying, die; skies, sky), it may be any. See
// https://snowballstem.org/algorithms/english/stemmer.html.
func keptOfStem(lexeme string) int {
	kept := len(lexeme)
	switch {
	case kept <= 3:
		kept = max(1, kept-2)
	case strings.HasSuffix(lexeme, "le"):
		kept -= 2
	case strings.ContainsRune("iel", rune(lexeme[kept-1])):
		kept--
	}
	return min(kept, len(lexeme))
}
