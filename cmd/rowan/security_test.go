package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each line of the table in docs/security.md names tests that verify it, and these exist.
func TestSecurityNamesItsTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if path != root && entry.IsDir() && (entry.Name()[0] == '.' || entry.Name() == "data" || entry.Name() == "node_modules") {
			return fs.SkipDir // not part of the source; data may be unreadable for us
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			tests[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`")
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| threat ") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		found := named.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(found) == 0 {
			t.Errorf("no test holds %q", strings.TrimSpace(cells[0]))
		}
		for _, match := range found {
			if !tests[match[1]] {
				t.Errorf("%q names %s, which is no test", strings.TrimSpace(cells[0]), match[1])
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d lines were found in the table", rows)
	}
}

// Nobody can start the containers with secrets that everybody knows: the example to copy has none, and Compose stops without them.
func TestNoSecretIsKnown(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	example, compose := read(".env.example"), read("docker-compose.yml")
	for _, secret := range []string{"POSTGRES_PASSWORD", "ROWAN_ADMIN_KEY", "ROWAN_SEARCH_KEY"} {
		if !strings.Contains(example, "\n"+secret+"=\n") {
			t.Errorf("%s has a value in .env.example, or is not there", secret)
		}
		uses, guarded := strings.Count(compose, "${"+secret), strings.Count(compose, "${"+secret+":?")
		if uses == 0 || uses != guarded {
			t.Errorf("docker-compose.yml uses %s %d times, and %d times it must not be empty", secret, uses, guarded)
		}
	}
}
