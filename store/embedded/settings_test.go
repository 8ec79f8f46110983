package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTuned(t *testing.T) {
	t.Parallel()
	type memory struct{ Shared, Cache, Work, Maintenance, Workers string }
	for _, test := range []struct {
		name   string
		memory int64
		cores  int
		want   memory
	}{
		{"a small container", 256 * mb, 1, memory{"128MB", "256MB", "16MB", "64MB", "0"}},
		{"2 GB", 2 * gb, 2, memory{"512MB", "1228MB", "32MB", "128MB", "0"}},
		{"8 GB", 8 * gb, 8, memory{"2048MB", "4915MB", "64MB", "512MB", "1"}},
		{"a large machine", 256 * gb, 64, memory{"4096MB", "157286MB", "64MB", "1024MB", "2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tuned(test.memory, test.cores)
			got := memory{s["shared_buffers"], s["effective_cache_size"], s["work_mem"], s["maintenance_work_mem"], s["max_parallel_workers_per_gather"]}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMeminfo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"MemTotal:       24731580 kB\nMemFree:  1 kB\n": 24731580 << 10,
		"MemFree:  1 kB\nMemTotal: 2 kB":                2 << 10,
		"":                                              0,
		"MemTotal: lots kB\n":                           0,
	} {
		if got := parseMeminfo(text); got != want {
			t.Errorf("parseMeminfo(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"psql": "psql", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a&b?c": "'a&b?c'", "/usr/bin/psql": "/usr/bin/psql",
	} {
		if got := shellQuote(word); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", word, got, want)
		}
	}
}
