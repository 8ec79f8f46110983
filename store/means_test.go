package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/store/blockvalues"
	"github.com/rowansearch/rowan/store/storetest"
)

// Means are the same as PostgreSQL's, to the last digit.
func TestMeansOfNumbers(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	r := rand.New(rand.NewPCG(7, 11))
	lists := [][]string{{"0"}, {"-0.5", "0.5"}, {"0.00000012"}, {"1e300", "1"}, {"99999999", "1"}, {"9999", "10000"}, {"123456789012345"}, {"-7", "-7", "-6"}, {"1e20", "0.5", "-0.5"}, {"0.00000000000000000001", "-3"}}
	for range 400 {
		list := make([]string, 1+r.IntN(12))
		digits, size := r.IntN(8), math.Pow(10, float64(r.IntN(16)-7))
		for i := range list {
			list[i] = fmt.Sprintf("%.*f", digits, (r.Float64()-0.3)*size)
			if r.IntN(3) == 0 {
				list[i] = fmt.Sprint(r.IntN(100000))
			}
		}
		lists = append(lists, list)
	}
	for _, list := range lists {
		got, ok := meanOfNumbers(list)
		if !ok {
			t.Fatalf("%v cannot be told apart", list)
		}
		var want string
		if err := db.Pool.QueryRow(t.Context(), "SELECT trim_scale(avg(trim_scale(x)))::text FROM unnest($1::text::numeric[]) AS x", "{"+strings.Join(list, ",")+"}").Scan(&want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("the mean of %v is %s, want %s", list, got, want)
		}
	}
	for _, text := range []string{"1234567890.1234567", "1e-300", "1e400"} {
		if _, ok := meanOfNumbers([]string{text}); ok {
			t.Errorf("%s can be told apart from others", text)
		}
	}
}

// meanOfNumbers returns the mean of decimals; ok is false if they have too many digits.
func meanOfNumbers(decimals []string) (mean string, ok bool) {
	counts := blockvalues.NewCounts()
	for _, text := range decimals {
		key, ok := blockvalues.NumberKey(text)
		if !ok {
			return "", false
		}
		counts.Values[blockvalues.Value{Key: key}]++
	}
	return counts.Numbers().Mean(int64(len(decimals))), true
}
