package store_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
)

func TestDevBench(t *testing.T) {
	url := os.Getenv("DEVBENCH")
	if url == "" {
		t.Skip()
	}
	ctx := context.Background()
	st, err := store.Open(ctx, store.Config{URL: url, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	svc := service.New(st, service.Config{})
	load := os.Getenv("LOAD") != ""
	if load {
		st.CreateApplication(ctx, "demo")
		if ix, err := st.CurrentIndex(ctx, "demo", "arxiv"); err == nil {
			st.DeleteIndex(ctx, ix)
		}
		ms := []mapping.Mapping{{Name: "title", Type: mapping.Completion}, {Name: "abstract", Type: mapping.LongText}, {Name: "authors", Type: mapping.Name}, {Name: "primary_category", Type: mapping.Keyword}, {Name: "categories", Type: mapping.Keyword}, {Name: "created", Type: mapping.Date}, {Name: "updated", Type: mapping.Date}, {Name: "num_authors", Type: mapping.Int}}
		if err := svc.CreateIndex(ctx, "demo", "arxiv", ms); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv("NOWORKER") == "" {
		st.Start(ctx)
	}
	if load {
		f, _ := os.Open("/work/shared/data/arxiv-100k.ndjson.gz")
		z, _ := gzip.NewReader(f)
		sc := bufio.NewScanner(z)
		sc.Buffer(nil, 1<<24)
		var batches [][]byte
		var buf bytes.Buffer
		n, total := 0, 0
		flush := func() {
			if n > 0 {
				buf.WriteByte(']')
				batches = append(batches, bytes.Clone(buf.Bytes()))
				buf.Reset()
				n = 0
			}
		}
		for sc.Scan() {
			var d struct{ ID string }
			json.Unmarshal(sc.Bytes(), &d)
			if n == 0 {
				buf.WriteByte('[')
			} else {
				buf.WriteByte(',')
			}
			id, _ := json.Marshal(d.ID)
			fmt.Fprintf(&buf, `{"action":"upsert","_id":%s,"body":%s}`, id, sc.Bytes())
			n++
			total++
			if n == 1000 {
				flush()
			}
		}
		flush()
		start := time.Now()
		ch := make(chan []byte)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for b := range ch {
					if _, err := svc.WriteBatch(ctx, "demo", "arxiv", b); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for _, b := range batches {
			ch <- b
		}
		close(ch)
		wg.Wait()
		el := time.Since(start)
		fmt.Printf("loaded %d in %v: %.0f docs/s\n", total, el, float64(total)/el.Seconds())
		conn, _ := pgx.Connect(ctx, url)
		defer conn.Close(ctx)
		for {
			var logn int
			conn.QueryRow(ctx, `SELECT count(*) FROM app_demo_derived.arxiv_changes`).Scan(&logn)
			if logn == 0 || os.Getenv("NOWORKER") != "" {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Printf("log empty after %v\n", time.Since(start))
		time.Sleep(4 * time.Second)
	}
	ix, err := st.CurrentIndex(ctx, "demo", "arxiv")
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile("/work/shared/data/queries/arxiv-titles.txt")
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	measure := func(name string, n int, f func(i int)) {
		f(0)
		var ds []time.Duration
		for i := range n {
			s := time.Now()
			f(i)
			ds = append(ds, time.Since(s))
		}
		slices.Sort(ds)
		fmt.Printf("%-30s p50 %v p95 %v max %v\n", name, ds[n/2], ds[n*95/100], ds[n-1])
	}
	measure("Near, clean query", 500, func(i int) {
		if _, err := st.Near(ctx, ix, strings.Fields(strings.ToLower(lines[i]))); err != nil {
			t.Fatal(err)
		}
	})
	found, tries := 0, 0
	measure("Near, one typo word", 500, func(i int) {
		ws := strings.Fields(strings.ToLower(lines[i]))
		w := ""
		for _, x := range ws {
			if len(x) > len(w) {
				w = x
			}
		}
		if len(w) < 6 {
			return
		}
		j := 1 + i%(len(w)-3)
		m := w[:j] + w[j+1:j+2] + w[j:j+1] + w[j+2:]
		if len(w) >= 9 {
			m = m[:len(m)-2] + "x" + m[len(m)-1:]
		}
		r, err := st.Near(ctx, ix, []string{m})
		if err != nil {
			t.Fatal(err)
		}
		tries++
		for _, x := range r[m] {
			if x.Word == w {
				found++
			}
		}
	})
	fmt.Println("found", found, "of", tries)
	for _, p := range []int{1, 2, 3, 5, 8, 15} {
		measure(fmt.Sprintf("Suggest %d letters", p), 500, func(i int) {
			q := lines[i]
			if len(q) > p {
				q = q[:p]
			}
			if _, err := st.Suggest(ctx, ix, q, 10); err != nil {
				t.Fatal(err)
			}
		})
	}
	measure("Suggest whole", 500, func(i int) { st.Suggest(ctx, ix, lines[i], 10) })
	for _, p := range []int{3, 4, 6} {
		measure(fmt.Sprintf("Completions %d", p), 500, func(i int) {
			q := strings.ToLower(lines[i])
			if len(q) > p {
				q = q[:p]
			}
			st.Completions(ctx, ix, q, 50)
		})
	}
	r, err := st.Near(ctx, ix, []string{"quantm", "supersymetric", "telivisoin", "gravty"})
	fmt.Println(r, err)
	l, err := st.Suggest(ctx, ix, "the qu", 10)
	fmt.Println(l, err)
	l, err = st.Suggest(ctx, ix, "t", 10)
	fmt.Println(l, err)
	l, err = st.Completions(ctx, ix, "gene", 10)
	fmt.Println(l, err)
}
