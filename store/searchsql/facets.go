package searchsql

import (
	"fmt"

	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/table"
)

// MaxFacetValues is the maximum number of values returned for a facet.
const MaxFacetValues = 100

// facetColumns returns the columns of found from which a facet is counted: key<i> and value<i> for a single value, keys<i> and values<i> for several,
// or json<i> for a field without a mapping.
func (b *Builder) facetColumns(i int, name string) []string {
	f, mapped := b.Field(name)
	if !mapped {
		return []string{fmt.Sprintf("%s AS json%d", table.BodySource(name), i)}
	}
	columns := []string{fmt.Sprintf("t.%s AS key%d", f.Key(), i), fmt.Sprintf("t.%s AS keys%d", f.Keys(), i)}
	if f.HasKey() {
		columns = append(columns, fmt.Sprintf("t.%s AS value%d", f.Value(), i), fmt.Sprintf("t.%s AS values%d", f.All(), i))
	}
	return columns
}

// facet counts one facet: each document once for each of its distinct values; the most frequent spelling represents those that differ in case.
// Numbers and dates also get statistics.
func (b *Builder) facet(i int, name string) string {
	f, mapped := b.Field(name)
	rows := "found"
	if len(b.owned) > 0 {
		rows = "(SELECT * FROM found WHERE " + b.ownExcept(name) + ") found"
	}
	elements := b.facetElements(i, name, rows)
	documents, byValue := "count(*)", "key"
	if !mapped {
		// The key is text: numbers come in numerical order, before everything else.
		documents, byValue = "sum(n)", "min(CASE jsonb_typeof(value) WHEN 'number' THEN value::numeric END) NULLS LAST, key"
	}
	counts := fmt.Sprintf(`(SELECT %d, %d, sum(n)::bigint, 0::float8, NULL::text, to_jsonb((array_agg(value ORDER BY n DESC, value::text COLLATE "C"))[1]), NULL::text[], NULL::jsonb
  FROM (SELECT key, value, %s AS n FROM (%s) elements GROUP BY 1, 2) spellings GROUP BY key ORDER BY sum(n) DESC, %s LIMIT %d)`,
		RowFacet, i, documents, elements, byValue, MaxFacetValues)
	var stats string
	switch {
	case !mapped:
		stats = fmt.Sprintf("SELECT jsonb_build_array(min(v), max(v), trim_scale(%s)), count(*) FROM (%s) numbers", meanOfNumerics("v", "v"), unmappedNumbers(i, rows))
	case f.Type == mapping.Float:
		stats = fmt.Sprintf("SELECT jsonb_build_array(min(key), max(key), "+meanOfFloats+"), count(*) FROM (%s) elements", elements)
	case f.Info.Kind == mapping.KindNumber:
		// The same numbers as divideAsNumeric. For int and long, no sum is too large, and the smallest value has no abs.
		mean := "avg(key)"
		if f.Type == mapping.Price || f.Type == mapping.SearchableNumber {
			mean = meanOfNumerics("key", "trim_scale(key)")
		}
		stats = fmt.Sprintf("SELECT jsonb_build_array(trim_scale(min(key)), trim_scale(max(key)), trim_scale(%s)), count(*) FROM (%s) elements",
			mean, elements)
	case f.Info.Kind == mapping.KindDate:
		stats = fmt.Sprintf(DateStats, elements)
	default:
		return counts
	}
	return counts + fmt.Sprintf("\nUNION ALL SELECT %d, %d, s.n, 0::float8, NULL::text, NULL::jsonb, NULL::text[], s.a FROM (%s) AS s(a, n) WHERE s.n > 0", RowStats, i, stats)
}

// facetElements selects the values of a facet in rows of found: key, by which they compare, and value, in the type of the column, because counting
// jsonb values takes twice as long. For a field without a mapping, it also selects n, the number of documents that have the value.
func (b *Builder) facetElements(i int, name, rows string) string {
	f, mapped := b.Field(name)
	switch {
	case !mapped:
		return unmappedElements(i, rows)
	case f.HasKey():
		// Rows that migration 14 could not repair have more keys than values, or fewer.
		return fmt.Sprintf(`SELECT key%[2]d AS key, value%[2]d COLLATE "C" AS value FROM %[1]s WHERE keys%[2]d IS NULL AND key%[2]d IS NOT NULL
  UNION ALL SELECT e.key, coalesce(e.value, e.key) COLLATE "C" FROM %[1]s, unnest(keys%[2]d, values%[2]d) AS e(key, value) WHERE keys%[2]d IS NOT NULL AND e.key IS NOT NULL`, rows, i)
	default:
		shown := "%s"
		if f.Info.Kind == mapping.KindNumber && f.Type != mapping.Float {
			shown = "trim_scale(%s)" // 2.50 and 2.5 are one value
		}
		single, element := fmt.Sprintf("key%d", i), "e.key"
		if f.Info.Kind == mapping.KindDate {
			single, element = fmt.Sprintf(shownDate, single), fmt.Sprintf(shownDate, element)
		}
		return fmt.Sprintf(`SELECT %[3]s AS key, %[4]s AS value FROM %[1]s WHERE keys%[2]d IS NULL AND key%[2]d IS NOT NULL
  UNION ALL SELECT %[5]s, %[6]s FROM %[1]s, unnest(keys%[2]d) AS e(key) WHERE keys%[2]d IS NOT NULL`,
			rows, i, single, fmt.Sprintf(shown, single), element, fmt.Sprintf(shown, element))
	}
}

// unmappedElements selects the values of a facet without a mapping, as rowan.facet_values returns them: calling that function for each document would
// take ten times as long. Single values are counted as written and only then get a key, because there are few distinct ones. An array or object
// counts each of its values once.
func unmappedElements(i int, rows string) string {
	const key = `CASE jsonb_typeof(%[1]s) WHEN 'string' THEN 's' || rowan.fold(%[1]s #>> '{}')
    WHEN 'number' THEN 'n' || trim_scale(%[1]s::numeric)::text ELSE 'b' || (%[1]s #>> '{}') END COLLATE "C" AS key,
    CASE jsonb_typeof(%[1]s) WHEN 'number' THEN to_jsonb(trim_scale(%[1]s::numeric)) ELSE %[1]s END AS value`
	json := fmt.Sprintf("json%d", i)
	return fmt.Sprintf(`SELECT %[3]s, n FROM (SELECT written::jsonb AS %[2]s, n FROM (SELECT %[2]s::text COLLATE "C" AS written, count(*) AS n FROM %[1]s WHERE jsonb_typeof(%[2]s) IN ('string', 'number', 'boolean') GROUP BY 1) texts OFFSET 0) alone
  UNION ALL SELECT e.key, e.value, 1 FROM %[1]s, LATERAL (SELECT DISTINCT ON (key) key, value FROM (SELECT %[4]s, place
    FROM %[5]s WITH ORDINALITY AS l(leaf, place)) leaves
    ORDER BY key, place) AS e WHERE jsonb_typeof(%[2]s) IN ('array', 'object')`,
		rows, json, fmt.Sprintf(key, json), fmt.Sprintf(key, "leaf"), leavesOf(json, anyLeaf))
}

// unmappedNumbers selects the numbers of a facet without a mapping.
func unmappedNumbers(i int, rows string) string {
	json := fmt.Sprintf("json%d", i)
	return fmt.Sprintf(`SELECT trim_scale(%[2]s::numeric) AS v FROM %[1]s WHERE jsonb_typeof(%[2]s) = 'number'
  UNION ALL SELECT e.v FROM %[1]s, LATERAL (SELECT DISTINCT trim_scale(leaf::numeric) AS v FROM %[3]s AS leaf) AS e
    WHERE jsonb_typeof(%[2]s) IN ('array', 'object')`, rows, json, leavesOf(json, unmappedNumber.leafTypes))
}

// DateStats computes the statistics of the dates that the query %s returns as key. The mean is computed in whole microseconds, as in
// NumberCounts.MeanInstant of blockvalues: in the year 9999 a double has no microseconds left, and a rounded mean may be later than all dates, in a
// year of five digits.
const DateStats = `SELECT jsonb_build_array(low, high, to_timestamp(div(mean, 1000000)::float8) + mod(mean, 1000000)::float8 * interval '1 microsecond'), n
  FROM (SELECT min(key) AS low, max(key) AS high, div(sum(extract(epoch FROM key)) * 1000000, nullif(count(*), 0)) AS mean, count(*) AS n FROM (%s) elements) sums`

// shownDate limits a date to the years 1 to 9999, for which ISO 8601 has dates. Others were stored before migration 10 and still exist:
// 9999-12-31T23:59:59.9999999Z was rounded.
const shownDate = `least(greatest(%s, timestamptz '0001-01-01 00:00:00+00'), timestamptz '9999-12-31 23:59:59.999999+00')`

// meanOfFloats is the mean of doubles in their decimal notation: avg(key) depends on the order of addition, and fails if the squares are too large
// for a double. A mean too close to zero for a double is zero, as such a value is.
const meanOfFloats = "rowan.to_float(avg(key::text::numeric))"

// meanOfNumerics returns an expression for avg(v) that works for numerics of any size; size is an expression for their magnitude. avg itself fails if
// their sum has more digits than a numeric may have, so if there are large ones, all are scaled down by a hundred digits before they are added up.
func meanOfNumerics(size, v string) string {
	const small, large = "FILTER (WHERE abs(%[1]s) < 1e131000)", "FILTER (WHERE abs(%[1]s) >= 1e131000)"
	return fmt.Sprintf("coalesce((sum(%[2]s * 1e-100) "+large+" + coalesce(sum(%[2]s) "+small+", 0) * 1e-100) / count(*) * 1e100, avg(%[2]s) "+small+")", size, v)
}
