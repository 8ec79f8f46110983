package blockvalues

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// Mean is that of n numbers, as PostgreSQL computes it of numerics, to the last digit, without zeros at its end.
func (c NumberCounts) Mean(n int64) string {
	total, scale := sumOfNumbers(c)
	return divideAsNumeric(total, scale, n)
}

// MeanInstant is the mean of n instants, cut to whole microseconds since 1970.
func (c NumberCounts) MeanInstant(n int64) int64 {
	return new(big.Int).Quo(sumOfDates(c), big.NewInt(n)).Int64()
}

// sumOfNumbers adds up the values of a facet: the sum is total / 10^scale.
func sumOfNumbers(counts NumberCounts) (total *big.Int, scale int) {
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
	for key, documents := range counts.All() {
		text = AppendDecimal(text[:0], key)
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
func sumOfDates(counts NumberCounts) *big.Int {
	total := new(big.Int)
	var one, times big.Int
	for key, documents := range counts.All() {
		one.SetInt64(MicrosOf(key))
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
