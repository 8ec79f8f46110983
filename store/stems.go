package store

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// stemCache remembers of which text-search configurations it is known what their lexemes look like.
type stemCache struct {
	stemMu sync.Mutex
	stems  map[string]bool // by configuration: that it stems as English does
}

// stemsEnglish tells that a configuration leaves words as they are or has them stemmed by Snowball's English stemmer, and
// nothing else: no dictionary of synonyms, of Ispell or of a DBA's.
func (s *Store) stemsEnglish(ctx context.Context, language string) (bool, error) {
	s.stemMu.Lock()
	is, known := s.stems[language]
	s.stemMu.Unlock()
	if known {
		return is, nil
	}
	err := s.readPool(ctx).QueryRow(ctx, `SELECT coalesce(bool_and(t.tmplnamespace = 'pg_catalog'::regnamespace
			AND (t.tmplname = 'simple' OR t.tmplname = 'snowball' AND d.dictinitoption LIKE '%language = ''english''%')), false)
		FROM pg_ts_config_map m JOIN pg_ts_dict d ON d.oid = m.mapdict JOIN pg_ts_template t ON t.oid = d.dicttemplate
		WHERE m.mapcfg = $1::text::regconfig`, language).Scan(&is)
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

// LexemesAmong is Lexemes for those that look for some lexemes, or for beginnings of lexemes, and for nothing else: words
// that can have none of these may be given none.
func (s *Store) LexemesAmong(ctx context.Context, language string, words, sought []string) ([][]string, error) {
	english, err := s.stemsEnglish(ctx, language)
	if err != nil {
		return nil, clientError(err)
	}
	if !english {
		return s.Lexemes(ctx, language, words)
	}
	var first [256]bool
	for _, l := range sought {
		if l != "" {
			first[l[0]] = true
		}
	}
	found := make([][]string, len(words))
	var likely []string
	var places []int
	for i, w := range words {
		if w == "" {
			continue
		}
		// PostgreSQL may take a word with characters beyond ASCII for several.
		beyond := strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf })
		if beyond || first[w[0]] && slices.ContainsFunc(sought, func(l string) bool { return mayStemTo(w, l) }) {
			likely, places = append(likely, w), append(places, i)
		}
	}
	if len(likely) == 0 {
		return found, nil
	}
	lexemes, err := s.Lexemes(ctx, language, likely)
	for i, l := range lexemes {
		found[places[i]] = l
	}
	return found, err
}

// mayStemTo tells whether the English stemmer may make a lexeme, or one that begins so, of a word. It cuts endings off and
// puts up to one letter in their place (happy, happi), or two where ability becomes able; dying, lying and tying, which
// become die, lie and tie, keep one letter. See https://snowballstem.org/algorithms/english/stemmer.html.
func mayStemTo(word, lexeme string) bool {
	kept := max(1, len(lexeme)-2)
	return len(word) >= kept && word[:kept] == lexeme[:min(kept, len(lexeme))]
}
