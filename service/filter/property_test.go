package filter_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rowansearch/rowan/service/filter"
	"github.com/rowansearch/rowan/service/filter/filtertest"
)

func match(c filter.Cond, doc map[string]any) bool {
	return filtertest.Match(c, doc, filtertest.Types)
}

func bind(t *rapid.T, n filter.Node) filter.Cond {
	c, err := filter.Bind(n, kindOf)
	if err != nil {
		t.Fatalf("%s: %v", n, err)
	}
	return c
}

// checkPrinted fails unless n prints as a filter that parses to n again, and means the same.
func checkPrinted(t interface{ Fatalf(string, ...any) }, n filter.Node) {
	printed := n.String()
	again, err := filter.Parse(printed)
	if err != nil {
		t.Fatalf("printed as %s: %v", printed, err)
	}
	if diff := cmp.Diff(n, again, sameTree); diff != "" {
		t.Fatalf("printed as %s: -before +after:\n%s", printed, diff)
	}
	if twice := again.String(); twice != printed {
		t.Fatalf("%s is printed as %s", printed, twice)
	}
	before, errBefore := filter.Bind(n, kindOf)
	after, errAfter := filter.Bind(again, kindOf)
	if (errBefore == nil) != (errAfter == nil) {
		t.Fatalf("%s: bound with %v before, with %v after", printed, errBefore, errAfter)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatalf("%s means something else: -before +after:\n%s", printed, diff)
	}
}

func TestPrintIsFixedPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkPrinted(t, filtertest.Filters().Draw(t, "filter")) })
}

// anyObject generates filters in the object form with little regard for what is allowed.
func anyObject(depth int) *rapid.Generator[any] {
	name := rapid.SampledFrom([]string{
		"and", "or", "not", "`and`", "price", "a b", "-a", "a.b", "``x", "eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "prefix", "",
	})
	leaf := rapid.SampledFrom([]any{nil, true, false, json.Number("1"), json.Number("-1.5e3"), "", "a", `"\`, "null", "AND", "*", "ünï code"})
	if depth == 0 {
		return leaf
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anyObject(depth - 1) })
	object := rapid.Map(rapid.MapOfN(name, inner, 0, 3), func(m map[string]any) any { return m })
	array := rapid.Map(rapid.SliceOfN(inner, 0, 3), func(s []any) any { return s })
	return rapid.OneOf(leaf, object, object, array)
}

func TestPrintedObjectIsFixedPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(rapid.SampledFrom([]string{"and", "or", "not", "price", "free", "a b"}), anyObject(3), 0, 3).Draw(t, "object")
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		n, err := filter.ParseObject(raw)
		if err != nil {
			if e, ok := errors.AsType[*filter.Error](err); !ok || !strings.HasPrefix(e.Path, "filter") {
				t.Fatalf("%s: %v has no path", raw, err)
			}
			return
		}
		checkPrinted(t, n)
	})
}

// TestComplements compares the negative operators with their positives, on whole documents.
func TestComplements(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := filtertest.Documents().Draw(t, "document")
		n := filtertest.Filters().Draw(t, "filter")
		positive := match(bind(t, n), doc)
		if match(bind(t, filter.Negation{Node: n}), doc) == positive {
			t.Fatalf("%s and its NOT are both %v", n, positive)
		}
		c, ok := n.(filter.Comparison)
		opposite, has := map[filter.Op]filter.Op{filter.Eq: filter.Ne, filter.In: filter.NotIn, filter.Has: filter.Lacks}[c.Op]
		if !ok || !has {
			return
		}
		c.Op = opposite
		if match(bind(t, c), doc) == positive {
			t.Fatalf("%s and %s are both %v", n, c, positive)
		}
	})
}

// TestListIsAlternatives compares IN with OR, and a chain of conditions with its parts.
func TestListIsAlternatives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := filtertest.Documents().Draw(t, "document")
		a := filtertest.Filters().Draw(t, "a")
		b := filtertest.Filters().Draw(t, "b")
		inA, inB := match(bind(t, a), doc), match(bind(t, b), doc)
		parse := func(src string) filter.Cond {
			n, err := filter.Parse(src)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			return bind(t, n)
		}
		if got := match(parse("("+a.String()+") OR ("+b.String()+")"), doc); got != (inA || inB) {
			t.Fatalf("%v OR %v is %v", inA, inB, got)
		}
		if got := match(parse("("+a.String()+") AND ("+b.String()+")"), doc); got != (inA && inB) {
			t.Fatalf("%v AND %v is %v", inA, inB, got)
		}
		c, ok := a.(filter.Comparison)
		if !ok || c.Op != filter.In {
			return
		}
		either := false
		for _, v := range c.Values {
			either = either || match(bind(t, filter.Comparison{Field: c.Field, Op: filter.Eq, Values: []filter.Literal{v}}), doc)
		}
		if either != inA {
			t.Fatalf("%s is %v, its values one by one %v", c, inA, either)
		}
	})
}
