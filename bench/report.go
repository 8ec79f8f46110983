package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// report is one section of docs/performance.md.
type report struct {
	name string
	top  string
	body strings.Builder
}

// head writes what was measured, and on which machine.
func (r *report) head(e *environment, took time.Duration, quick bool) {
	note := ""
	if e.busy != "" {
		note = "; load before it " + e.busy
	}
	if quick {
		note += "; a quick run, on few documents and queries"
	}
	r.top = fmt.Sprintf("### %s\n\n%s; PostgreSQL %s; %s; took %s%s.\n\n", r.name, machine(), e.version,
		time.Now().UTC().Format(time.DateOnly), took.Round(time.Second), note)
}

// table adds a table; the first column is text, the others are numbers.
func (r *report) table(title string, header []string, rows [][]string) {
	fmt.Fprintf(&r.body, "**%s**\n\n| %s |\n|---|%s\n", title, strings.Join(header, " | "), strings.Repeat("---:|", len(header)-1))
	for _, row := range rows {
		row = append(row, make([]string, max(0, len(header)-len(row)))...)
		fmt.Fprintf(&r.body, "| %s |\n", strings.Join(row, " | "))
	}
	r.body.WriteByte('\n')
	say("%s", title)
}

// fields writes the mappings of a set's documents, so that the measurement can be reproduced.
func (r *report) fields(c *corpus) {
	list := make([]string, len(c.mappings))
	for i, m := range c.mappings {
		list[i] = "`" + m.Name + ":" + m.Type + "`"
	}
	language := ""
	if c.language != english {
		language = "; language: `" + c.language + "`"
	}
	r.line("Mappings of %s: %s%s.", c.name, strings.Join(list, ", "), language)
}

func (r *report) line(format string, args ...any) { fmt.Fprintf(&r.body, format+"\n\n", args...) }

// write replaces the section of the same name in a file, or adds it at the end.
func (r *report) write(path string) error {
	text := r.top + r.body.String()
	if path == "-" {
		_, err := fmt.Print(text)
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.WriteFile(path, []byte(replaceSection(string(old), r.name, text)), 0o644); err != nil {
		return err
	}
	say("wrote the section %s of %s", r.name, path)
	return nil
}

// replaceSection returns the page with text between the markers of a name.
func replaceSection(page, name, text string) string {
	begin, end := "<!-- bench:"+name+" -->\n", "<!-- /bench:"+name+" -->\n"
	section := begin + strings.TrimSpace(text) + "\n" + end
	if before, rest, ok := strings.Cut(page, begin); ok {
		if _, after, ok := strings.Cut(rest, end); ok {
			return before + section + after
		}
	}
	if page != "" {
		page = strings.TrimRight(page, "\n") + "\n\n"
	}
	return page + section
}

// ms writes milliseconds with two or three significant digits.
func ms(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	switch {
	case d == 0:
		return "–"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func three(v float64) string   { return fmt.Sprintf("%.3f", v) }
func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func times(v float64) string {
	if v != v || v > 1e6 {
		return "–"
	}
	if v >= 10 {
		return fmt.Sprintf("%.0f ×", v)
	}
	return fmt.Sprintf("%.2f ×", v)
}

// thousands writes a number as 12,345.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func mib(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
}
