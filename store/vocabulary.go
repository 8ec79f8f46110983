package store

import (
	"context"

	"github.com/rowansearch/rowan/service"
)

func (s *Store) Near(ctx context.Context, ix *service.Index, words []string) (map[string][]service.NearWord, error) {
	return nil, nil
}

func (s *Store) Completions(ctx context.Context, ix *service.Index, prefix string, limit int) ([]string, error) {
	return nil, nil
}

func (s *Store) Suggest(ctx context.Context, ix *service.Index, q string, limit int) ([]string, error) {
	return nil, nil
}
