package blockvalues

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
)

// Mean returns the mean of n numbers exactly as PostgreSQL computes it for numerics, without trailing zeros.
func (c NumberCounts) Mean(n int64) string {
	total, scale := sumOfNumbers(c)
	return divideAsNumeric(total, scale, n)
}

// MeanInstant returns the mean of n instants, truncated to whole microseconds since 1970.
func (c NumberCounts) MeanInstant(n int64) int64 {
	return new(big.Int).Quo(sumOfDates(c), big.NewInt(n)).Int64()
}

// sumOfNumbers adds up the values of a facet: the sum is total / 10^scale.
func sumOfNumbers(counts NumberCounts) (total *big.Int, scale int) {
	// By the number of decimals: what does not fit into a machine word is carried over to sums.
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
		scale = max(scale, len(after)) // also of numbers that cancel out: PostgreSQL's sum has this scale
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

// divideAsNumeric divides total / 10^scale by n > 0 as PostgreSQL's numeric does, with as many digits (select_div_scale in numeric.c), and removes
// trailing zeros like trim_scale.
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

// leadingDigit returns the first base-10,000 digit of x / 10^scale and its weight; 0 and 0 if x is 0.
func leadingDigit(x *big.Int, scale int) (weight, digit int) {
	if x.Sign() == 0 {
		return 0, 0
	}
	text := new(big.Int).Abs(x).String()
	// The number of decimal digits before the point; if negative, of zeros after it.
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
