package facets

import (
	"encoding/json"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// HasStats reports whether a facet of the field has statistics.
func HasStats(f table.Field) bool {
	return f.Info.Kind == mapping.KindDate || f.Info.Kind == mapping.KindNumber
}

// keyOfJSON returns the key under which blocks keep a value, from the value in a statement's row.
func keyOfJSON(f table.Field, value json.RawMessage) (string, error) {
	if f.Type == mapping.Float {
		return blockvalues.RoundedKey(string(value)), nil
	}
	if f.Info.Kind == mapping.KindNumber {
		key, ok := blockvalues.NumberKey(string(value))
		if !ok {
			return "", ErrUncountable
		}
		return key, nil
	}
	t, err := dateOf(value)
	return blockvalues.TimeKey(t), err
}

// writeNumbers writes a facet of numbers or dates and its statistics.
func writeNumbers(f table.Field, numbers blockvalues.NumberCounts, found *service.Found) {
	show, mean := showNumber, meanOfNumbers
	switch {
	case f.Type == mapping.Float:
		mean = meanOfDoubles
	case f.Info.Kind == mapping.KindDate:
		show, mean = showDate, meanOfDates
	}
	for _, c := range numbers.Top(searchsql.MaxFacetValues) {
		found.Facets[f.Name] = append(found.Facets[f.Name], service.FacetValue{Value: show(c.Key), Count: c.Documents})
	}
	var stats service.FacetStats
	var last uint64
	for key, n := range numbers.All() {
		if stats.Count == 0 {
			stats.Min = show(key)
		}
		last = key
		stats.Count += n
	}
	if stats.Count == 0 {
		return
	}
	stats.Max = show(last)
	stats.Avg = mean(numbers, stats.Count)
	found.Stats[f.Name] = stats
}

// meanOfNumbers returns the mean of n values.
func meanOfNumbers(counts blockvalues.NumberCounts, n int64) any {
	return json.RawMessage(counts.Mean(n))
}

// meanOfDoubles returns the mean of n doubles, as a double, like meanOfFloats of searchsql.
func meanOfDoubles(counts blockvalues.NumberCounts, n int64) any {
	return showNumber(posting.BeginningOf([]byte(blockvalues.FloatKey(searchsql.DoubleOf(counts.Mean(n))))))
}

// meanOfDates returns the mean of n instants, truncated to whole microseconds since 1970, like DateStats of searchsql.
func meanOfDates(counts blockvalues.NumberCounts, n int64) any {
	return showTime(counts.MeanInstant(n))
}

func showNumber(key uint64) any { return json.RawMessage(blockvalues.AppendDecimal(nil, key)) }

func showDate(key uint64) any { return showTime(blockvalues.MicrosOf(key)) }

// showTime formats an instant as Value does.
func showTime(micros int64) string {
	return time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
}
