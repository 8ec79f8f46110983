package service

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

// CreateIndex creates an index. Error codes: invalid_request, invalid_mapping, index_exists, name_taken.
func (s *Service) CreateIndex(ctx context.Context, application, name string, mappings []mapping.Mapping) error {
	if err := document.CheckIndexName(name); err != nil {
		return invalidName("index", name, err)
	}
	if err := CheckMappings(mappings); err != nil {
		return err
	}
	return inMappings(s.store.CreateIndex(ctx, application, name, mappings))
}

// inMappings names the list of mappings as the place of an error if the database has refused the list as a whole, for the columns that it needs.
func inMappings(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeInvalidMapping && len(e.Fields) == 0 {
		e.With(FieldError{Location: "body.mappings", Message: "need more columns than a table can have"})
	}
	return err
}

// CheckMappings returns what is wrong with the mappings of an index, apart from the documents in it. Error code: invalid_mapping.
func CheckMappings(mappings []mapping.Mapping) error {
	return problems(CodeInvalidMapping, "The mappings do not fit; nothing was changed.", document.CheckMappings(mappings, "body.mappings"))
}

// UpdateIndex replaces the mappings (merge false) or adds and changes those given (merge true). With nil mappings nothing
// changes, and it returns what is in force, even while somebody is changing that. Otherwise it returns once searches see the
// new mappings; until then the old ones apply. Error codes: index_not_found, invalid_mapping, mapping_conflict, index_in_use.
func (s *Service) UpdateIndex(ctx context.Context, application, name string, mappings []mapping.Mapping, merge bool) (*Index, error) {
	if err := CheckMappings(mappings); err != nil {
		return nil, err
	}
	if mappings == nil || merge && len(mappings) == 0 {
		return s.store.CurrentIndex(ctx, application, name)
	}
	var updated *Index
	err := s.reshaping(ctx, application, name, func(ix *Index) (err error) {
		next := mappings
		if merge {
			next = mergeMappings(ix.Mappings, mappings)
			if err := CheckMappings(next); err != nil {
				return err
			}
		}
		if slices.Equal(next, ix.Mappings) {
			updated = ix
			return nil
		}
		updated, err = s.store.Reshape(ctx, ix, next, ix.Settings)
		return inMappings(err)
	})
	return updated, err
}

func mergeMappings(old, changed []mapping.Mapping) []mapping.Mapping {
	next := slices.Clone(old)
	for _, m := range changed {
		if i := slices.IndexFunc(next, func(o mapping.Mapping) bool { return o.Name == m.Name }); i >= 0 {
			next[i] = m
		} else {
			next = append(next, m)
		}
	}
	return next
}

// CurrentIndex returns an index as it is, even while it is being changed, and without counts, which may take long. Error code: index_not_found.
func (s *Service) CurrentIndex(ctx context.Context, application, name string) (*Index, error) {
	return s.store.CurrentIndex(ctx, application, name)
}

// SettledIndex returns an index once no change of its mappings or settings is under way on this server, for
// requests that are checked against them before they change them. Error code: index_not_found.
func (s *Service) SettledIndex(ctx context.Context, application, name string) (settled *Index, err error) {
	err = s.reshaping(ctx, application, name, func(ix *Index) error {
		settled = ix
		return nil
	})
	return settled, err
}

// Index returns an index with its counts. Error code: index_not_found.
func (s *Service) Index(ctx context.Context, application, name string) (*Index, IndexStats, error) {
	var found *Index
	var stats IndexStats
	err := s.withCurrentIndex(ctx, application, name, func(ix *Index) (err error) {
		found = ix
		stats, err = s.store.IndexStats(ctx, ix)
		return err
	})
	return found, stats, err
}

// IndexSizes returns the bytes that each index of an application takes, by its name. Unlike Index, it reads no documents.
func (s *Service) IndexSizes(ctx context.Context, application string) (map[string]int64, error) {
	return s.store.IndexSizes(ctx, application)
}

// Indices lists the indices whose names match pattern (* and ?, anything else literal; empty means all), sorted by
// name and without their stop words and synonyms. Error code: invalid_request.
func (s *Service) Indices(ctx context.Context, application, pattern string) ([]*Index, error) {
	list, err := s.store.Indices(ctx, application)
	if err != nil || pattern == "" {
		return list, err
	}
	fits, err := namePattern(pattern)
	if err != nil {
		return nil, Errorf(CodeInvalidRequest, "The pattern cannot be used.").With(FieldError{Location: "query.filter", Message: "must be UTF-8, with * and ? for any characters", Value: pattern})
	}
	return slices.DeleteFunc(list, func(ix *Index) bool { return !fits.MatchString(ix.Name) }), nil
}

// runsOfStars matches runs of stars: they mean what one star does, but matching would go through all of them at each character of a name.
var runsOfStars = regexp.MustCompile(`\*+`)

// namePattern compiles a pattern of names, in which * stands for any number of characters and ? for one.
func namePattern(pattern string) (*regexp.Regexp, error) {
	expression := regexp.QuoteMeta(runsOfStars.ReplaceAllString(pattern, "*"))
	expression = strings.ReplaceAll(expression, `\*`, `.*`)
	expression = strings.ReplaceAll(expression, `\?`, `.`)
	return regexp.Compile(`(?s)\A` + expression + `\z`)
}

// ClearIndex removes all documents. Error codes: index_not_found, index_in_use.
func (s *Service) ClearIndex(ctx context.Context, application, name string) error {
	return s.withIndex(ctx, application, name, func(ix *Index) error { return s.store.ClearIndex(ctx, ix) })
}

// DeleteIndex removes an index. Error codes: index_not_found, index_in_use.
func (s *Service) DeleteIndex(ctx context.Context, application, name string) error {
	return s.withIndex(ctx, application, name, func(ix *Index) error { return s.store.DeleteIndex(ctx, ix) })
}
