package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// document is one to be stored.
type document struct {
	id   string
	body json.RawMessage
}

// corpus is a set of documents, with their mappings and queries.
type corpus struct {
	name     string
	language string // Rowan and PostgreSQL have the same names
	mappings []mapping
	queries  []string
	seed     uint64
	// each calls f for every document, in the same order each time, until f says errStop.
	each func(f func(document) error) error
}

// errStop ends each without an error.
var errStop = errors.New("enough")

// maxLine is the longest line of a file of documents.
const maxLine = 16 << 20

// fieldsOf returns the fields of a type among these, in their order.
func fieldsOf(mappings []mapping, types ...string) []string {
	var names []string
	for _, m := range mappings {
		for _, t := range types {
			if m.Type == t {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// titles and texts are the fields that hand-written SQL searches, keywords and dates those that it filters by.
func (c *corpus) titles() []string { return fieldsOf(c.mappings, "name", "completion", "sentence") }
func (c *corpus) texts() []string  { return fieldsOf(c.mappings, "text", "long_text", "html") }
func (c *corpus) keywords() []string {
	return fieldsOf(c.mappings, "keyword", "case_sensitive_keyword", "tags")
}
func (c *corpus) date() string {
	if f := fieldsOf(c.mappings, "date"); len(f) > 0 {
		return f[0]
	}
	return ""
}

// suggested is the field that suggestions come from.
func (c *corpus) suggested() string {
	if f := append(c.titles(), fieldsOf(c.mappings, "text")...); len(f) > 0 {
		return f[0]
	}
	return ""
}

// read returns the first n documents.
func (c *corpus) read(n int) ([]document, error) {
	var docs []document
	err := c.each(func(d document) error {
		docs = append(docs, d)
		if len(docs) >= n {
			return errStop
		}
		return nil
	})
	return docs, err
}

// corpus is the one that latency and writes are measured with.
func (c *command) corpus() (*corpus, error) {
	if c.Docs == "" {
		return generated(c.Generate, c.Seed), nil
	}
	out := &corpus{name: dataName(c.Docs), language: c.languageOf(""), seed: c.Seed, each: documentsOf(c.Docs, c.IDField)}
	var err error
	if out.mappings, err = c.mappingsOf(""); err != nil {
		return nil, err
	}
	if len(out.titles())+len(out.texts()) == 0 {
		return nil, errors.New("no field is searched: map one, --mapping title:sentence")
	}
	if c.Queries != "" {
		text, err := os.ReadFile(c.Queries)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if q := strings.TrimSpace(line); q != "" {
				out.queries = append(out.queries, q)
			}
		}
	}
	return out, nil
}

// english is the language of documents unless another one is given.
const english = "english"

// languageOf reads --language for one judged set, or for none.
func (c *command) languageOf(set string) string {
	language := english
	for _, text := range c.Language {
		of, rest, ok := strings.Cut(text, "/")
		switch {
		case !ok:
			language = text
		case of == set:
			return rest
		}
	}
	return language
}

// mappingsOf reads --mapping for one judged set, or for none.
func (c *command) mappingsOf(set string) ([]mapping, error) {
	var out []mapping
	for _, text := range c.Mapping {
		i := strings.LastIndexByte(text, ':')
		if i < 1 {
			return nil, fmt.Errorf("--mapping: %q is not FIELD:TYPE", text)
		}
		field := text[:i]
		if of, rest, ok := strings.Cut(field, "/"); ok && c.isSet(of) {
			if of != set {
				continue
			}
			field = rest
		}
		out = append(out, mapping{field, text[i+1:]})
	}
	return out, nil
}

func (c *command) isSet(name string) bool {
	for _, dir := range c.Relevance {
		if filepath.Base(dir) == name {
			return true
		}
	}
	return false
}

// dataName is the name of a file in the report: without its folder and extensions.
func dataName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// documentsOf reads a file of documents.
func documentsOf(path, idField string) func(func(document) error) error {
	return func(f func(document) error) (err error) {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // it was only read
		buffered := bufio.NewReaderSize(file, 1<<20)
		var r io.Reader = buffered
		if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			if r, err = gzip.NewReader(buffered); err != nil {
				return err
			}
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 1<<20), maxLine)
		for n := 1; lines.Scan(); n++ {
			body := bytes.TrimSpace(lines.Bytes())
			if len(body) == 0 {
				continue
			}
			var properties map[string]json.RawMessage
			if err := json.Unmarshal(body, &properties); err != nil {
				return fmt.Errorf("%s, line %d: %w", filepath.Base(path), n, err)
			}
			id := string(properties[idField])
			if strings.HasPrefix(id, `"`) {
				if err := json.Unmarshal(properties[idField], &id); err != nil {
					return fmt.Errorf("%s, line %d: %w", filepath.Base(path), n, err)
				}
			}
			if id == "" {
				return fmt.Errorf("%s, line %d: no property %q (--id-field)", filepath.Base(path), n, idField)
			}
			if err := f(document{id, bytes.Clone(body)}); err != nil {
				if errors.Is(err, errStop) {
					return nil
				}
				return err
			}
		}
		return lines.Err()
	}
}
