package handlers_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rowansearch/rowan/examples"
	"github.com/rowansearch/rowan/handlers"
)

// TestSearchPage runs the examples of docs/search.md on the sample index.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.loadFilms()
	c.runExamples(readPage(t, "search.md"), 8)
}

// TestComingFromPage runs the examples of docs/coming-from.md, and each of its filters. How data is moved is tested in cmd/rowan.
func TestComingFromPage(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.loadFilms()
	page := readPage(t, "coming-from.md")
	examples, _, found := strings.Cut(page, "\n## Move the data\n")
	if !found {
		t.Error("the page does not say how data is moved")
	}
	c.runExamples(examples, 3)

	_, section, _ := strings.Cut(page, "\n## Filters\n")
	section, _, _ = strings.Cut(section, "\n## ")
	code := regexp.MustCompile("`([^`]+)`")
	tried := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 6 {
			continue
		}
		for _, filter := range code.FindAllStringSubmatch(cells[5], -1) {
			body, err := json.Marshal(map[string]any{"filter": filter[1], "per_page": 0})
			if err != nil {
				t.Fatal(err)
			}
			if a := c.do("POST", "/v1/search/films", string(body)); a.status != 200 {
				t.Errorf("%s: %s", filter[1], a.body)
			}
			tried++
		}
	}
	if tried < 10 {
		t.Errorf("only %d filters were tried", tried)
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// runExamples runs the examples of a page, one after the other. Each block of commands is followed by what the answer to its
// last command contains, with two digits of fractions.
func (c *client) runExamples(page string, least int) {
	t := c.t
	t.Helper()
	for _, tool := range []string{"sh", "sed", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the examples need %s: %v", tool, err)
		}
	}
	blocks := regexp.MustCompile("(?ms)^```(sh|json)\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	setup := regexp.MustCompile(`(?m)^export U=.*\n`).ReplaceAllString(blocks[0][2], "")
	fraction := regexp.MustCompile(`[0-9]+\.[0-9]{3,}`)
	ran := 0
	for i := 1; i+1 < len(blocks); i += 2 {
		commands, want := blocks[i], blocks[i+1]
		if commands[1] != "sh" || want[1] != "json" {
			t.Fatalf("no answer follows, or no commands go before:\n%s%s", commands[2], want[2])
		}
		shell := exec.CommandContext(t.Context(), "sh", "-c", setup+commands[2])
		shell.Env = append(os.Environ(), "U="+c.url, "ADMIN=demo:"+c.admin, "SEARCH=demo:"+c.search)
		out, err := shell.CombinedOutput()
		if err != nil {
			t.Errorf("%s%v: %s", commands[2], err, out)
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n") // an answer is one line
		got := fraction.ReplaceAllStringFunc(lines[len(lines)-1], func(number string) string {
			f, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%.2f", f)
		})
		if fault := contains(want[2], got); fault != "" {
			t.Errorf("%s%s\nin %.3000s", commands[2], fault, got)
		}
		ran++
	}
	if ran < least {
		t.Errorf("only %d examples ran", ran)
	}
}

// loadFilms creates the sample index, and returns once the data derived from the films is there: searches wait for that only a second.
func (c *client) loadFilms() {
	c.t.Helper()
	mappings, err := examples.FilmMappings()
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"mappings": mappings})
	if err != nil {
		c.t.Fatal(err)
	}
	if a := c.do("POST", "/v1/index/films", string(body)); a.status != 202 {
		c.t.Fatal(a.body)
	}
	var batch []map[string]any
	for _, film := range examples.Films() {
		batch = append(batch, map[string]any{"action": "upsert", "body": film})
	}
	if body, err = json.Marshal(batch); err != nil {
		c.t.Fatal(err)
	}
	if a := c.do("PUT", "/v1/index/films/batch", string(body)); a.status != 200 {
		c.t.Fatal(a.body)
	}
	for logged := true; logged; {
		if a := c.do("GET", "/v1/search/films/autocomplete?q=war", ""); a.status != 200 {
			c.t.Fatal(a.body)
		}
		if err := c.db.Pool.QueryRow(c.t.Context(), "SELECT EXISTS (SELECT FROM app_demo_derived.films_changes)").Scan(&logged); err != nil {
			c.t.Fatal(err)
		}
	}
}
