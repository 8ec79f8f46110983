package facets

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/table"
)

// Value returns a facet's value as clients see it, from the value in a statement's row: as it was stored, a number without trailing zeros, a date as
// ISO 8601 in UTC. For a property without a mapping, f is the zero Field.
func Value(f table.Field, raw json.RawMessage) (any, error) {
	if f.Info.Kind != mapping.KindDate {
		return raw, nil
	}
	t, err := dateOf(raw)
	if err != nil {
		return nil, err
	}
	return t.UTC().Format(time.RFC3339Nano), nil
}

// Stats reads the statistics of a facet of n values from JSON: the minimum, the maximum and the mean.
func Stats(f table.Field, raw json.RawMessage, n int64) (service.FacetStats, error) {
	stats := service.FacetStats{Count: n}
	var of []json.RawMessage
	if err := json.Unmarshal(raw, &of); err != nil {
		return stats, err
	}
	for i, to := range []*any{&stats.Min, &stats.Max, &stats.Avg} {
		v, err := Value(f, of[i])
		if err != nil {
			return stats, err
		}
		*to = v
	}
	return stats, nil
}

// dateOf parses an instant as PostgreSQL writes it in JSON.
func dateOf(raw json.RawMessage) (time.Time, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, strings.Replace(text, " ", "T", 1))
}
