package service

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rowansearch/rowan/service/analysis"
	"github.com/rowansearch/rowan/service/query"
)

// maxSuggestions is how many suggestions there are at most.
const maxSuggestions = 10

// Suggest completes q. Error codes: search_not_found, index_not_found, key_not_allowed, search_timeout,
// too_many_requests, unavailable.
func (s *Service) Suggest(ctx context.Context, who Principal, name, q string) (_ Suggestions, err error) {
	ended := Suggested{Application: who.Application, Refused: true}
	ctx, span := s.span(ctx, "suggest", who.Application)
	defer func() {
		ended.Err = err
		for _, o := range s.config.SuggestionObservers {
			o.Suggested(ctx, ended)
		}
		endSpan(span, err)
	}()
	leave, err := s.searching.enter(ctx, who.Application, 1)
	if err != nil {
		return Suggestions{}, err
	}
	defer leave()
	start := time.Now()
	defer func() { ended.Refused, ended.Took = false, time.Since(start) }()
	if err := allowed(who, name); err != nil {
		return Suggestions{}, err
	}
	var list []string
	err = s.withTarget(ctx, who.Application, name, func(target *Target) (err error) {
		if list, err = s.suggest(ctx, start, who, target, q, nil); err == nil && len(list) == 0 {
			// The store may not have been asked.
			err = s.store.Current(ctx, target.Index, target.Version, "")
		}
		return err
	})
	return Suggestions{Query: q, Autocomplete: list}, err
}

// suggest completes q for a request that began at start. related are the related words that a search for q has found, nil if there was none.
func (s *Service) suggest(ctx context.Context, start time.Time, who Principal, target *Target, q string, related *RelatedWords) ([]string, error) {
	// Suggestions are of a whole index: a key, or a defined search, that sees only some of its documents gets none.
	// Nor has any value the character U+0000, or the length that a query may have.
	partly := who.Filter != "" || target.Search != nil && target.Search.filtered()
	if partly || len(q) > query.MaxBytes || strings.TrimSpace(q) == "" || strings.ContainsRune(q, 0) {
		return []string{}, nil
	}
	list, whole, err := s.store.Suggest(ctx, target.Index, target.Version, q, maxSuggestions)
	if err == nil && whole == 0 && (target.Search == nil || target.Search.tolerant()) {
		first := list
		list, err = inTime(ctx, s, start, " while suggestions for what the query may be a misspelling of were being looked up. Finish the query's last word.", func(ctx context.Context) ([]string, error) {
			return s.suggestRespelled(ctx, target, q, related, first)
		})
	}
	if list == nil {
		list = []string{}
	}
	return list, err
}

// suggestRespelled completes what q may be a misspelling of: first, in turn, the best suggestions for each way to
// read it that have all words, then those for its last words alone, including last.
func (s *Service) suggestRespelled(ctx context.Context, target *Target, q string, related *RelatedWords, last []string) ([]string, error) {
	ways, err := s.respelled(ctx, target, q, related)
	if err != nil {
		return nil, err
	}
	var all [][]string
	var others []string
	for i, meant := range ways {
		if len(all) == maxRespelled {
			break
		}
		list, whole, err := s.store.Suggest(ctx, target.Index, target.Version, meant, maxSuggestions)
		if err != nil {
			return nil, err
		}
		if whole > 0 {
			all = append(all, list[:whole])
		}
		if i < maxRespelled {
			others = append(others, list[whole:]...)
		}
	}
	var list []string
	for i := range maxSuggestions {
		for _, of := range all {
			if i < len(of) {
				list = append(list, of[i])
			}
		}
	}
	var distinct []string
	for _, value := range slices.Concat(list, others, last) {
		if len(distinct) < maxSuggestions && !slices.Contains(distinct, value) {
			distinct = append(distinct, value)
		}
	}
	return distinct, nil
}

// maxRespelled bounds the ways to read a query that have suggestions, maxReadings those that are tried: of the words close to poter, the one that is
// next to harry need not be the most frequent.
const maxRespelled, maxReadings = 3, 8

// respelled returns the ways to read q: with words that the index has as one, then with close words in place of those that it does not have, or hardly,
// the closest first.
func (s *Service) respelled(ctx context.Context, target *Target, q string, related *RelatedWords) (ways []string, err error) {
	words := analysis.Texts(q)
	if len(words) == 0 || len(words) > query.MaxWords {
		return nil, nil
	}
	if related == nil {
		parsed := query.Parse(q)
		finishContractions(parsed.Clauses, target.Index.Settings.Language)
		if related, err = s.store.Related(ctx, target.Index, askedOf(parsed)); err != nil {
			return nil, err
		}
		if related.Seen != "" { // no search checks whether they are still valid
			if err := s.store.Current(ctx, target.Index, target.Version, related.Seen); err != nil {
				return nil, err
			}
		}
	}
	together := writtenTogether(words, related)
	ways = []string{""}
	misspelled := false
	for i, w := range words {
		meant := []string{w}
		if near := related.Near[w]; len(near) > 0 && (i < len(words)-1 || len(related.Completions) == 0) {
			misspelled = true
			if !related.Known[w] {
				meant = nil
			}
			for _, n := range near {
				meant = append(meant, n.Word)
			}
		}
		ways = continued(ways, meant)
	}
	if !misspelled {
		ways = nil
	}
	ways = slices.DeleteFunc(ways, func(way string) bool { return way == " "+strings.Join(words, " ") }) // which has been tried
	ways = slices.Concat(together, ways)
	ways = ways[:min(len(ways), maxReadings)]
	end := q[len(strings.TrimRightFunc(q, unicode.IsSpace)):]
	for i, way := range ways {
		ways[i] = strings.TrimPrefix(way, " ") + end
	}
	return ways, nil
}

// writtenTogether returns the ways to read words with some that follow each other as the one word that the index has, or has the beginning of: keep
// alive is keepalive.
func writtenTogether(words []string, related *RelatedWords) (ways []string) {
	one := map[string]bool{}
	for pair := range related.Joined {
		one[pair.Joined()] = true
	}
	for i := range words {
		for end := i + 2; end <= min(len(words), i+maxSeries); end++ {
			joined := strings.Join(words[i:end], "")
			going := end == len(words) && slices.ContainsFunc(related.Going, func(c Completion) bool { return strings.HasPrefix(c.Word, joined) })
			if one[joined] || going {
				ways = append(ways, " "+strings.Join(slices.Concat(words[:i], []string{joined}, words[end:]), " "))
			}
		}
	}
	return ways
}

// continued returns the first maxReadings of ways with each of words appended.
func continued(ways, words []string) (list []string) {
	for _, way := range ways {
		for _, w := range words {
			if len(list) < maxReadings {
				list = append(list, way+" "+w)
			}
		}
	}
	return list
}
