package vocabulary

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// A word of German, Dutch or a Scandinavian language is the head of the compounds that end in it. The vocabularies of these languages have an index on
// their words read backwards. Many longer words that end in a word are no compounds of it, so what stands before must be a word of the index, too.
// (Koehn and Knight, Empirical Methods for Compound Splitting, 2003, decide by how frequent the parts are. In a small index that says little.)

const (
	// maxOfForm bounds the words that end in a form of a head, maxOfHead those of all of its forms whose first parts are looked up: in both cases, those
	// in the most documents. maxRead bounds the words among which they are: more end only in what is hardly ever a word itself, as ung.
	maxOfForm, maxOfHead, maxRead = 100, 200, 2000
	// shortPart is the number of letters up to which a first part must be in as many documents as the compound; a longer one, in a twentieth of these
	// (nearRarer). Otherwise it is probably no word, as bri in britisch, which is no Tisch.
	shortPart = 3
)

// heads finds the compounds of words of a query.
type heads struct {
	found       *Found
	compounding *analysis.Compounding
	words       []string
	stems       map[string]string
	compounds   [][]compound // that each of the words may have, those in the most documents first
}

// compound is a word that may be a compound.
type compound struct {
	service.Completion
	parts []string // words of which one must stand before the head
}

// AddCompounds adds the compounds of the asked heads.
func (found *Found) AddCompounds(ctx context.Context, ix Index, r table.Relations, asked service.AskedWords, language string) error {
	h := &heads{found: found, compounding: analysis.CompoundingOf(language), words: asked.Heads, compounds: make([][]compound, len(asked.Heads))}
	if h.compounding == nil || len(h.words) == 0 {
		return nil
	}
	var err error
	if h.stems, err = ix.Stems(ctx, h.words); err != nil {
		return err
	}
	if err := h.find(ctx, ix, r, asked.Gone); err != nil {
		return err
	}
	var parts []string
	for _, list := range h.compounds {
		for _, c := range list {
			parts = append(parts, c.parts...)
		}
	}
	known, err := found.known(ctx, ix, r, parts)
	if err != nil {
		return err
	}
	for i, head := range h.words {
		for _, c := range h.compounds[i] {
			if len(found.Compounds[head]) < asked.Limit && slices.ContainsFunc(c.parts, func(part string) bool { return mayBePart(part, known[part], c.Documents) }) {
				found.Compounds[head] = append(found.Compounds[head], c.Completion)
			}
		}
	}
	return nil
}

// find finds words that end in a form of each head.
func (h *heads) find(ctx context.Context, ix Index, r table.Relations, gone []string) error {
	forms := make([][]string, len(h.words))
	var backwards []string
	var places []int
	for i, head := range h.words {
		forms[i] = h.compounding.HeadForms(head, h.stems[head])
		for _, form := range forms[i] {
			backwards, places = append(backwards, reversed(form)), append(places, i+1)
		}
	}
	words := make([]map[string]int64, len(h.words))
	for i := range words {
		words[i] = map[string]int64{}
	}
	err := ix.Ask(ctx, endingInSQL(r, backwards, places), func(place int, word string, documents int64) { words[place-1][word] = documents })
	if err != nil {
		return err
	}
	for i, head := range h.words {
		stem := h.stems[head]
		for word, documents := range h.found.log.Words {
			if slices.ContainsFunc(forms[i], func(form string) bool { return strings.HasSuffix(word, form) }) {
				words[i][word] = max(words[i][word]+documents, 1)
			}
		}
		for word, documents := range words[i] {
			if parts := h.firstParts(word, stem, forms[i]); len(parts) > 0 && !slices.Contains(gone, word) {
				h.compounds[i] = append(h.compounds[i], compound{service.Completion{Word: word, Documents: documents}, parts})
			}
		}
		slices.SortFunc(h.compounds[i], func(a, b compound) int { return ByFrequency(a.Completion, b.Completion) })
		h.compounds[i] = h.compounds[i][:min(len(h.compounds[i]), maxOfHead)]
	}
	return nil
}

// endingInSQL selects the most frequent words that end in each form of a head. The forms are read backwards; places are the indices of their heads. It
// selects none while the vocabulary has no index for that.
func endingInSQL(r table.Relations, forms []string, places []int) sqltext.Statement {
	return sqltext.Statement{SQL: fmt.Sprintf(`SELECT f.place, w.word, w.documents
FROM unnest((SELECT $1::text[]), (SELECT $2::int[])) AS f(form, place)
CROSS JOIN LATERAL (SELECT r.word, r.documents
  FROM (SELECT w.word, w.documents FROM %s w WHERE reverse(w.word) > f.form AND reverse(w.word) < f.form || chr(1114111) LIMIT %d) r
  ORDER BY r.documents DESC, r.word LIMIT %d) w
WHERE NOT (%s)`, r.Words(), maxRead, maxOfForm, r.OutdatedWords()), Args: []any{forms, places}, Prepared: true}
}

// firstParts returns the words of which one must stand before a head with the given stem, in a word that ends in one of its forms; none in others.
func (h *heads) firstParts(word, stem string, forms []string) (parts []string) {
	for _, form := range forms {
		if before, ends := strings.CutSuffix(word, form); ends {
			parts = append(parts, h.compounding.FirstParts(before, stem)...)
		}
	}
	return parts
}

// mayBePart reports whether a word in the given number of documents may be a part of a compound in as many as that has.
func mayBePart(part string, documents, compound int64) bool {
	if utf8.RuneCountInString(part) > shortPart {
		documents *= nearRarer
	}
	return documents > 0 && documents >= compound
}

// reversed returns a word read backwards, as PostgreSQL's reverse does.
func reversed(word string) string {
	letters := []rune(word)
	slices.Reverse(letters)
	return string(letters)
}
