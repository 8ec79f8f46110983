package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store"
)

const accelURL = "postgres://postgres@127.0.0.1:5499/accel"

func TestAccelBuild(t *testing.T) {
	if os.Getenv("ACCEL") != "build" {
		t.Skip()
	}
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: accelURL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := error(nil); err != nil {
		t.Fatal(err)
	}
	ix, err := st.CurrentIndex(ctx, "demo", "arxiv")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := st.DevBuild(ctx, ix); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(l, "VmHWM") {
			fmt.Println(l)
		}
	}
	fmt.Println("built in", time.Since(start))
}

type one struct {
	q, filter, facets string
	n                 int64
}

func queries(t *testing.T) map[string][]string {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, accelURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	raw, err := os.ReadFile("/tmp/accel_queries.json")
	out := map[string][]string{}
	if err == nil {
		json.Unmarshal(raw, &out)
		return out
	}
	words := strings.Fields("model theory quantum field system result paper show study method energy state phase data equation function magnetic structure space time interaction mass observation galaxy star network algorithm learning graph group algebra measurement temperature density scale spectrum symmetry gauge string black hole matter dark decay neutrino lattice dynamics wave spin electron optical linear problem solution bound random statistical analysis simulation approach large small high low property general")
	seed := uint64(1)
	rnd := func(n int) int { seed = seed*6364136223846793005 + 1442695040888963407; return int(seed>>33) % n }
	for tries := 0; tries < 3000; tries++ {
		n := 1 + rnd(3)
		var q []string
		for range n {
			w := words[rnd(len(words))]
			if !slices.Contains(q, w) {
				q = append(q, w)
			}
		}
		if tries%3 == 0 { // a rarer word from a vocabulary sample
			q[0] = rare[rnd(len(rare))]
		}
		var c int
		conn.QueryRow(ctx, `select count(*) from app_demo.arxiv where rowan.join_tsv(authors_tsv, title_tsv, categories_tsv, primary_category_tsv, abstract_tsv, _rest_tsv) @@ plainto_tsquery('english',$1)`, strings.Join(q, " ")).Scan(&c)
		class := ""
		switch {
		case c >= 5 && c < 100:
			class = "rare"
		case c >= 1000 && c < 10000:
			class = "medium"
		case c >= 28000 && c < 260000:
			class = "common"
		}
		s := strings.Join(q, " ") + " "
		if class != "" && len(out[class]) < 40 && !slices.Contains(out[class], s) {
			out[class] = append(out[class], s)
		}
		if len(out["rare"]) == 40 && len(out["medium"]) == 40 && len(out["common"]) == 40 {
			break
		}
	}
	b, _ := json.Marshal(out)
	os.WriteFile("/tmp/accel_queries.json", b, 0o644)
	return out
}

var rare = strings.Fields("quasar supernova entanglement chalcogenide octupole perovskite topos motive hodge skyrmion instanton orbifold blazar magnetar plethysm quiver antiferromagnet chirp ghost anomaly holography polariton excimer monodromy zeta bosonic fermionic renormalon axion tachyon dilaton sphaleron kagome cuprate pnictide graphene nanotube quasicrystal percolation turbulence")

func TestAccelBench(t *testing.T) {
	if os.Getenv("ACCEL") != "bench" {
		t.Skip()
	}
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: accelURL})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	qs := queries(t)
	if os.Getenv("OFF") != "" {
		st.DevOff()
	}
	svc := service.New(st, service.Config{})
	who := service.Principal{Application: "demo"}
	reps := 5
	if os.Getenv("OFF") != "" {
		reps = 1
	}
	for _, class := range []string{"rare", "medium", "common"} {
		for _, kind := range []string{"plain", "facets", "filter", "prefix"} {
			if kind == "prefix" && os.Getenv("PREFIX") == "" {
				continue
			}
			var ds []time.Duration
			for rep := range reps + 1 {
				for _, q := range qs[class] {
					if kind == "prefix" {
						q = strings.TrimSpace(q)
					}
					req := service.SearchRequest{Query: q, Match: service.MatchAll}
					if os.Getenv("AUTO") != "" {
						req.Match = ""
					}
					off := false
					typo := off
					_ = typo
					if kind == "facets" {
						f := "categories, primary_category"
						req.Facets = &f
					}
					if kind == "filter" {
						req.Filter.Raw = json.RawMessage(`"categories = hep-th AND created 1997-01-01 TO 2003-12-31"`)
					}
					s := time.Now()
					_, err := svc.Search(ctx, who, "arxiv", req)
					if err != nil {
						t.Fatal(q, err)
					}
					d := time.Since(s)
					if rep > 0 {
						ds = append(ds, d)
					}
					if os.Getenv("V") != "" && rep == 1 && d > 10*time.Millisecond {
						fmt.Println(class, kind, q, d)
					}
				}
			}
			slices.Sort(ds)
			fmt.Printf("%-8s %-8s n=%d p50 %.1f p95 %.1f max %.1f ms\n", class, kind, len(ds), ms(ds[len(ds)/2]), ms(ds[len(ds)*95/100]), ms(ds[len(ds)-1]))
		}
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
