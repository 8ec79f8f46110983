package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store/posting"
)

// Facets of numbers and dates that are counted from values by block have their statistics computed here, as PostgreSQL
// computes them, to the last digit.

// errUncountable tells that a number has more digits than are kept by block, or that values are too large together.
var errUncountable = errors.New("store: the values of a facet cannot be counted here")

// takenBack tells that the plain statement has to answer because of errUncountable, and takes back what is in an answer.
func takenBack(err error, p *service.Plan, r ranking, found *service.Found) bool {
	if !errors.Is(err, errUncountable) {
		return false
	}
	*found = *newFound(p, r)
	return true
}

// summed tells whether a facet of the field has statistics.
func (f field) summed() bool {
	return f.info.Kind == mapping.KindDate || f.info.Kind == mapping.KindNumber
}

// valueKey is the key, by which values are kept by block, of a value as a statement gives it.
func (f field) valueKey(value json.RawMessage) (string, error) {
	if f.Type == mapping.Float {
		return roundedKey(string(value)), nil
	}
	if f.info.Kind == mapping.KindNumber {
		key, ok := numberKey(string(value))
		if !ok {
			return "", errUncountable
		}
		return key, nil
	}
	t, err := dateOf(value)
	return timeKey(t), err
}

// writeNumbers writes a facet of numbers or dates, and its statistics.
func (f field) writeNumbers(numbers numberCounts, found *service.Found) {
	show, mean := showNumber, meanOfNumbers
	switch {
	case f.Type == mapping.Float:
		mean = meanOfDoubles
	case f.info.Kind == mapping.KindDate:
		show, mean = showDate, meanOfDates
	}
	for _, c := range numbers.top(maxFacetValues) {
		found.Facets[f.Name] = append(found.Facets[f.Name], service.FacetValue{Value: show(c.key), Count: c.documents})
	}
	var stats service.FacetStats
	var last uint64
	for key, n := range numbers.all() {
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

// meanOfNumbers is the mean of n values.
func meanOfNumbers(counts numberCounts, n int64) any {
	total, scale := sumOfNumbers(counts)
	return json.RawMessage(divideAsNumeric(total, scale, n))
}

// meanOfDoubles is the mean of n doubles as they are written, as meanOfFloats has it: a double.
func meanOfDoubles(counts numberCounts, n int64) any {
	total, scale := sumOfNumbers(counts)
	return showNumber(posting.BeginningOf([]byte(floatKey(doubleOf(divideAsNumeric(total, scale, n))))))
}

// meanOfDates is the mean of n instants, as dateStats has it: cut to whole microseconds since 1970.
func meanOfDates(counts numberCounts, n int64) any {
	return showTime(new(big.Int).Quo(sumOfDates(counts), big.NewInt(n)).Int64())
}

// numberOf is the number of a key that floatKey made.
func numberOf(key uint64) float64 {
	if key>>63 == 1 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}

// appendDecimal writes the number of a key as PostgreSQL writes it without zeros at its end: it has no more digits than a
// floating-point number can tell apart.
func appendDecimal(to []byte, key uint64) []byte {
	return strconv.AppendFloat(to, numberOf(key), 'f', -1, 64)
}

func showNumber(key uint64) any { return json.RawMessage(appendDecimal(nil, key)) }

// The instants that facets show, in microseconds since 1970.
var (
	firstMicro = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	lastMicro  = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1
)

// microsOf is the instant of a key that timeKey made, in microseconds since 1970, within the years of shownDate.
func microsOf(key uint64) int64 {
	micros := int64(key^1<<63) + epoch.UnixMicro()
	return min(max(micros, firstMicro), lastMicro)
}

func showDate(key uint64) any { return showTime(microsOf(key)) }

// showTime writes an instant as facetValue does.
func showTime(micros int64) string {
	return time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
}

// sumOfNumbers adds up the values of a facet: the sum is total / 10^scale.
func sumOfNumbers(counts numberCounts) (total *big.Int, scale int) {
	// By the number of digits behind the point: what a word cannot hold is carried over to sums.
	sums := map[int]*big.Int{}
	carried := func(scale int, digits *big.Int) {
		if sums[scale] == nil {
			sums[scale] = new(big.Int)
		}
		sums[scale].Add(sums[scale], digits)
	}
	const few = 20
	var small [few]int64
	var one, times big.Int
	var text []byte
	for key, documents := range counts.all() {
		text = appendDecimal(text[:0], key)
		before, after, _ := bytes.Cut(text, []byte("."))
		scale = max(scale, len(after)) // also of numbers that cancel each other out: it is that of PostgreSQL's sum
		text = append(before, after...)
		if n, err := strconv.ParseInt(string(text), 10, 64); err == nil && len(after) < few {
			most := (1<<62 - max(small[len(after)], -small[len(after)])) / documents
			if n <= most && n >= -most {
				small[len(after)] += n * documents
				continue
			}
		}
		one.SetString(string(text), 10)
		carried(len(after), one.Mul(&one, times.SetInt64(documents)))
	}
	for of, n := range small {
		if n != 0 {
			carried(of, big.NewInt(n))
		}
	}
	total = new(big.Int)
	for of, sum := range sums {
		total.Add(total, sum.Mul(sum, one.Exp(big.NewInt(10), times.SetInt64(int64(scale-of)), nil)))
	}
	return total, scale
}

// sumOfDates adds up instants in microseconds since 1970.
func sumOfDates(counts numberCounts) *big.Int {
	total := new(big.Int)
	var one, times big.Int
	for key, documents := range counts.all() {
		one.SetInt64(microsOf(key))
		total.Add(total, one.Mul(&one, times.SetInt64(documents)))
	}
	return total
}

// divideAsNumeric divides total / 10^scale by n above 0 as PostgreSQL's numeric does, with as many digits
// (select_div_scale in numeric.c), and takes the zeros at the end away, as trim_scale.
func divideAsNumeric(total *big.Int, scale int, n int64) string {
	weight1, first1 := leadingDigit(total, scale)
	weight2, first2 := leadingDigit(big.NewInt(n), 0)
	weight := weight1 - weight2
	if first1 <= first2 {
		weight--
	}
	digits := min(max(16-4*weight, scale, 0), 1000)
	// total · 10^(digits - scale) / n, half away from zero
	q := new(big.Int).Abs(total)
	q.Mul(q, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits-scale)), nil))
	q.Mul(q, big.NewInt(2)).Add(q, big.NewInt(n)).Quo(q, big.NewInt(2*n))
	text := q.String()
	if len(text) <= digits {
		text = strings.Repeat("0", digits-len(text)+1) + text
	}
	if digits > 0 {
		text = text[:len(text)-digits] + "." + text[len(text)-digits:]
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if total.Sign() < 0 && text != "0" {
		text = "-" + text
	}
	return text
}

// leadingDigit is the first digit of x / 10^scale to the base of 10,000, and its weight; 0 and 0 for 0.
func leadingDigit(x *big.Int, scale int) (weight, digit int) {
	if x.Sign() == 0 {
		return 0, 0
	}
	text := new(big.Int).Abs(x).String()
	// The number of decimal digits before the point; negative: of zeros behind it.
	before := len(text) - scale
	weight = (before+3)/4 - 1
	if before <= 0 {
		weight = -(-before/4 + 1)
	}
	// The digit ends 4·weight digits before the point.
	n := before - 4*weight
	for len(text) < n {
		text += "0"
	}
	digit, _ = strconv.Atoi(text[:n])
	return weight, digit
}
