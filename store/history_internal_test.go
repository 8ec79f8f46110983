package store

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// A primary on an earlier timeline of its cluster than was seen is a former one, until it is on a later one.
func TestFormerPrimaries(t *testing.T) {
	t.Parallel()
	var p primaryPools
	for i, c := range []struct {
		address, file, cluster string
		former                 bool
	}{
		{"a", "000000010000000000000087", "7713518488977600466", false},
		{"b", "000000020000000000000032", "7713518488977600466", false},
		{"a", "000000010000000000000088", "7713518488977600466", true},
		{"b", "000000020000000000000033", "7713518488977600466", false},
		{"c", "000000010000000000000001", "7713518488977600467", false}, // another cluster, such as a restored dump
		{"a", "0000000B0000000000000034", "7713518488977600466", false},
		{"b", "0000000A0000000000000035", "7713518488977600466", true},
	} {
		o, ok := originOf(&pgconn.Result{Rows: [][][]byte{{[]byte(c.file), []byte(c.cluster)}}})
		if !ok {
			t.Fatalf("%d: the origin is unknown", i)
		}
		if former := p.outlived(c.address, o); former != c.former || p.suspected(c.address) != c.former {
			t.Errorf("%d: a former primary: %v, suspected: %v", i, former, p.suspected(c.address))
		}
	}
	for _, rows := range [][][][]byte{nil, {{nil, []byte("1")}}, {{[]byte("0000000"), []byte("1")}}, {{[]byte("00000001"), nil}}} {
		if o, ok := originOf(&pgconn.Result{Rows: rows}); ok {
			t.Errorf("%v is %+v", rows, o)
		}
	}
}
