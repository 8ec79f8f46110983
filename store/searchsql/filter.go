package searchsql

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// maxKey is the maximum length of a text's comparison key in characters.
const maxKey = 512

// condition returns a filter as SQL over the columns of the table t. The SQL may be null instead of false, so negations are IS NOT TRUE.
func condition(sh table.Shape, c filter.Cond, a *sqltext.Args) string {
	switch c := c.(type) {
	case filter.And:
		return junction(sh, []filter.Cond(c), " AND ", "true", a)
	case filter.Or:
		return junction(sh, []filter.Cond(c), " OR ", "false", a)
	case filter.Not:
		return "(" + condition(sh, c.Cond, a) + ") IS NOT TRUE"
	case filter.Exists:
		present := "rowan.present(" + table.BodySource(c.Field) + ")"
		if f, mapped := sh.Field(c.Field); mapped && f.HasValue() {
			return "(t." + f.Value() + " IS NOT NULL OR " + present + ")" // reading bodies takes longer
		}
		return present
	case filter.Equal:
		return equal(sh, c, a)
	case filter.Range:
		return within(sh, c, a)
	case filter.Prefix:
		return prefix(sh, c, a)
	default:
		panic(fmt.Sprintf("searchsql: a filter condition of type %T has no SQL", c))
	}
}

func junction(sh table.Shape, list []filter.Cond, operator, empty string, a *sqltext.Args) string {
	if len(list) == 0 {
		return empty
	}
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = condition(sh, c, a)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, operator) + ")"
}

// anyElement returns a condition that holds if a value of the field passes test, which is given the SQL of one value.
func anyElement(f table.Field, test func(value string) string) string {
	return fmt.Sprintf("(%s OR (t.%s IS NOT NULL AND EXISTS (SELECT FROM unnest(t.%s) AS e(v) WHERE %s)))",
		test("t."+f.Key()), f.Keys(), f.Keys(), test("e.v"))
}

func equal(sh table.Shape, c filter.Equal, a *sqltext.Args) string {
	if c.Kind == mapping.KindID {
		return "t._id = ANY(" + a.Add(Texts(c.Values), "text[]") + ")"
	}
	f, mapped := sh.Field(c.Field)
	if !mapped {
		return equalUnmapped(c, a)
	}
	switch c.Kind {
	case mapping.KindLevels:
		wholes := WholeTexts(f, c.Values)
		keys, long := CutAll(wholes)
		test := "t." + f.Keys() + " && " + a.Add(keys, "text[]")
		if long {
			test = "(" + test + " AND " + anyLeafOf(f, levelsOf(f, "l")+" && "+a.Add(wholes, "text[]")) + ")"
		}
		return test
	case mapping.KindFolded, mapping.KindExact:
		wholes := WholeTexts(f, c.Values)
		keys, long := CutAll(wholes)
		p := a.Add(keys, "text[]")
		test := "(t." + f.Key() + " = ANY(" + p + ") OR t." + f.Keys() + " && " + p + ")"
		if long {
			test = "(" + test + " AND " + anyLeafOf(f, wholeOf(f, "l")+" = ANY("+a.Add(wholes, "text[]")+")") + ")"
		}
		return test
	case mapping.KindBool:
		var tests []string
		for _, v := range c.Values {
			p := a.Add(v.Bool, "boolean")
			tests = append(tests, "t."+f.Value()+" = "+p, p+" = ANY(t."+f.All()+")")
		}
		return "(" + strings.Join(tests, " OR ") + ")"
	case mapping.KindNumber:
		var tests []string
		for _, v := range c.Values {
			tests = append(tests, anyElement(f, numberTest(f, "=", v.Number, a)))
		}
		return "(" + strings.Join(tests, " OR ") + ")"
	case mapping.KindDate:
		p := a.Add(times(c.Values), "timestamptz[]")
		return anyElement(f, func(v string) string { return v + " = ANY(" + p + ")" })
	default:
		panic(fmt.Sprintf("searchsql: values of kind %d do not compare", c.Kind))
	}
}

// Texts returns the texts of values.
func Texts(values []filter.Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.Text
	}
	return list
}

// WholeTexts returns the texts of values, normalized for comparison with those of a field, but not cut.
func WholeTexts(f table.Field, values []filter.Value) []string {
	list := Texts(values)
	if f.Info.Kind == mapping.KindLevels {
		for i := range list {
			list[i] = filter.NormalizeLevels(f.Info.Separator, list[i])
		}
	}
	return list
}

func times(values []filter.Value) []time.Time {
	list := make([]time.Time, len(values))
	for i, v := range values {
		list[i] = v.Time
	}
	return list
}

// mayBeCut reports whether a text has the same comparison key as longer texts.
func mayBeCut(s string) bool { return len(s) >= maxKey && utf8.RuneCountInString(s) >= maxKey }

// CutAll cuts texts to the length of comparison keys; long says that some key does not represent its text completely.
func CutAll(wholes []string) (keys []string, long bool) {
	keys = make([]string, len(wholes))
	for i, s := range wholes {
		keys[i] = Cut(s)
		long = long || mayBeCut(s)
	}
	return keys, long
}

// anyLeafOf returns a condition on some value l of a field, read from the body because its key does not represent it completely.
func anyLeafOf(f table.Field, test string) string {
	return "EXISTS (SELECT FROM rowan.leaves(" + table.BodySource(f.Name) + ") AS l WHERE " + test + ")"
}

// wholeOf returns what a text of the body compares by, of which the key has the beginning.
func wholeOf(f table.Field, leaf string) string {
	switch f.Info.Kind {
	case mapping.KindLevels:
		return fmt.Sprintf("(SELECT w.a[cardinality(w.a)] FROM (SELECT %s AS a) w)", levelsOf(f, leaf))
	case mapping.KindExact:
		return leaf + " #>> '{}'"
	default:
		return "rowan.fold(" + leaf + " #>> '{}')"
	}
}

// levelsOf returns what the levels of a text of the body compare by.
func levelsOf(f table.Field, leaf string) string {
	return fmt.Sprintf("rowan.levels(rowan.fold(%s #>> '{}'), %s)", leaf, sqltext.Literal(f.Info.Separator))
}

// Cut cuts a text to the length of comparison keys.
func Cut(s string) string {
	if len(s) <= maxKey {
		return s
	}
	n := 0
	for i := range s {
		if n == maxKey {
			return s[:i]
		}
		n++
	}
	return s
}

// never and present are tests of numbers that no value of the column's type can pass, or that all pass.
func never(string) string         { return "false" }
func present(value string) string { return value + " IS NOT NULL" }

// leastDouble is the smallest positive double that a column of doubles has: smaller ones have lost digits.
const leastDouble = 2.3e-308

// DoubleOf returns the double that a column has for a number in decimal notation, like rowan.to_float: zero if the number is too close to zero,
// infinite beyond the largest double.
func DoubleOf(decimal string) float64 {
	v, err := strconv.ParseFloat(decimal, 64)
	if err != nil && !math.IsInf(v, 0) {
		panic("searchsql: a number that is none: " + decimal)
	}
	if math.Abs(v) < leastDouble {
		return 0
	}
	return v
}

// numberTest returns a test that compares a value of a numeric field with an exact number, in the column's own type, so that an index on it can be
// used.
func numberTest(f table.Field, operator, decimal string, a *sqltext.Args) func(value string) string {
	compare := func(operator, p string) func(string) string {
		return func(value string) string { return value + " " + operator + " " + p }
	}
	switch f.Type {
	case mapping.Int, mapping.Long:
	case mapping.Float:
		v := DoubleOf(decimal)
		switch {
		case math.IsInf(v, 0) && (operator == "=" || (v > 0) == (operator[0] == '>')):
			return never
		case math.IsInf(v, 0):
			return present
		}
		// The column has the double of what was sent, and v is such a double, too: equal decimals stay equal, and the order of different ones is never
		// reversed.
		return compare(operator, a.Add(v, "double precision"))
	default:
		return compare(operator, a.Add(decimal, "numeric"))
	}
	low, high := big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32)
	if f.Type == mapping.Long {
		low, high = big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	}
	floor, whole := floorOf(decimal)
	switch {
	case !whole && operator == "=":
		return never
	case !whole && operator[0] == '>':
		operator = ">" // than the integer below it
	case !whole:
		operator = "<="
	}
	switch {
	case floor.Cmp(low) < 0 && operator[0] == '>', floor.Cmp(high) > 0 && operator[0] == '<':
		return present
	case floor.Cmp(low) < 0, floor.Cmp(high) > 0:
		return never
	}
	return compare(operator, a.Add(floor.Int64(), f.SQLType()))
}

// floorOf returns the largest integer that is not above a decimal, and whether they are equal. For a number far outside 64 bits, any such integer
// will do.
func floorOf(decimal string) (*big.Int, bool) {
	if mantissa, exponent, ok := strings.Cut(strings.ToLower(decimal), "e"); ok {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > 40 || e < -40 {
			sign := int64(1)
			if strings.HasPrefix(mantissa, "-") {
				sign = -1
			}
			if err == nil && e < -40-len(mantissa) {
				if sign < 0 {
					return big.NewInt(-1), false
				}
				return big.NewInt(0), false
			}
			if e > 40 {
				huge := new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)
				return huge.Mul(huge, big.NewInt(sign)), true
			}
		}
	}
	r, ok := new(big.Rat).SetString(decimal)
	if !ok {
		panic("searchsql: a number that is none: " + decimal)
	}
	floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: towards minus infinity for a positive divisor
	return floor, r.IsInt()
}

func within(sh table.Shape, c filter.Range, a *sqltext.Args) string {
	low, high := ">=", "<="
	if c.LowOpen {
		low = ">"
	}
	if c.HighOpen {
		high = "<"
	}
	// both returns a test that a single element has to pass for both bounds.
	both := func(test func(operator string, v filter.Value) func(value string) string) func(value string) string {
		var tests []func(string) string
		if c.Low != nil {
			tests = append(tests, test(low, *c.Low))
		}
		if c.High != nil {
			tests = append(tests, test(high, *c.High))
		}
		return func(value string) string {
			parts := make([]string, len(tests))
			for i, t := range tests {
				parts[i] = t(value)
			}
			return strings.Join(parts, " AND ")
		}
	}
	param := func(sqlType string, of func(filter.Value) any) func(string, filter.Value) func(string) string {
		return func(operator string, v filter.Value) func(string) string {
			p := a.Add(of(v), sqlType)
			return func(value string) string { return value + " " + operator + " " + p }
		}
	}
	text := func(v filter.Value) any { return Cut(v.Text) }
	if c.Kind == mapping.KindID {
		return "(" + both(param("text", func(v filter.Value) any { return v.Text }))("t._id") + ")"
	}
	f, mapped := sh.Field(c.Field)
	if !mapped {
		return withinUnmapped(c, both, param)
	}
	switch c.Kind {
	case mapping.KindLevels:
		test := both(param("text", func(v filter.Value) any { return Cut(filter.NormalizeLevels(f.Info.Separator, v.Text)) }))
		return "(" + test("t."+f.Key()) + " OR EXISTS (SELECT FROM unnest(" + wholes(f) + ") AS e(v) WHERE " + test("e.v") + "))"
	case mapping.KindFolded, mapping.KindExact:
		return anyElement(f, both(param("text", text)))
	case mapping.KindDate:
		return anyElement(f, both(param("timestamptz", func(v filter.Value) any { return v.Time })))
	case mapping.KindNumber:
		return anyElement(f, both(func(operator string, v filter.Value) func(string) string { return numberTest(f, operator, v.Number, a) }))
	default:
		panic(fmt.Sprintf("searchsql: values of kind %d have no order", c.Kind))
	}
}

// wholes returns the keys of the whole values of a field of levels, for rows that have several; the levels above them do not count in an order.
func wholes(f table.Field) string {
	return fmt.Sprintf(`(SELECT array_agg(w.a[cardinality(w.a)] COLLATE "C") FROM (SELECT %s AS a FROM rowan.leaves(%s) AS l WHERE jsonb_typeof(%s) = 'array') w)`,
		levelsOf(f, "l"), table.BodySource(f.Name), table.BodySource(f.Name))
}

func prefix(sh table.Shape, c filter.Prefix, a *sqltext.Args) string {
	if c.Kind == mapping.KindID {
		return "t._id ^@ " + a.Add(c.Value.Text, "text")
	}
	f, mapped := sh.Field(c.Field)
	if !mapped {
		p := a.Add(c.Value.Text, "text")
		return unmappedText.anyOf(table.BodySource(c.Field), func(v string) string { return v + " ^@ " + p })
	}
	begin := c.Value.Text
	if c.Kind == mapping.KindLevels {
		begin = filter.NormalizeBeginning(f.Info.Separator, begin)
	}
	p := a.Add(Cut(begin), "text")
	test := func(v string) string { return v + " ^@ " + p }
	begins := anyElement(f, test)
	if c.Kind == mapping.KindLevels {
		begins = "(" + test("t."+f.Key()) + " OR EXISTS (SELECT FROM unnest(" + wholes(f) + ") AS e(v) WHERE " + test("e.v") + "))"
	}
	if len(Cut(begin)) < len(begin) {
		begins = "(" + begins + " AND " + anyLeafOf(f, wholeOf(f, "l")+" ^@ "+a.Add(begin, "text")) + ")"
	}
	return begins
}

func equalUnmapped(c filter.Equal, a *sqltext.Args) string {
	var strs []string
	var numbers []string
	var bools []bool
	for _, v := range c.Values {
		if v.JSON.Has(filter.JSONString) {
			strs = append(strs, v.Text)
		}
		if v.JSON.Has(filter.JSONNumber) {
			numbers = append(numbers, v.Number)
		}
		if v.JSON.Has(filter.JSONBool) {
			bools = append(bools, v.Bool)
		}
	}
	src := table.BodySource(c.Field)
	var tests []string
	is := func(u unmappedValue, among string) {
		tests = append(tests, u.anyOf(src, func(v string) string { return v + " = ANY(" + among + ")" }))
	}
	if strs != nil {
		is(unmappedText, a.Add(strs, "text[]"))
	}
	if numbers != nil {
		is(unmappedNumber, a.Add(numbers, "text[]")+"::numeric[]")
	}
	if bools != nil {
		is(unmappedBool, a.Add(bools, "boolean[]"))
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}

func withinUnmapped(c filter.Range, both func(func(string, filter.Value) func(string) string) func(string) string,
	param func(string, func(filter.Value) any) func(string, filter.Value) func(string) string) string {
	bound := c.Low
	if bound == nil {
		bound = c.High
	}
	if bound.JSON.Has(filter.JSONNumber) {
		return unmappedNumber.anyOf(table.BodySource(c.Field), both(param("numeric", func(v filter.Value) any { return v.Number })))
	}
	return unmappedText.anyOf(table.BodySource(c.Field), both(param(`text COLLATE "C"`, func(v filter.Value) any { return v.Text })))
}
