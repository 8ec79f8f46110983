//go:build long

package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/store"
	"github.com/rowansearch/rowan/store/storetest"
)

// everything is an index with a field of each type, and documents that fill them.
func everything(t *testing.T, s *site) {
	t.Helper()
	var fields []string
	for _, typ := range mapping.Types {
		fields = append(fields, "f_"+string(typ)+" "+string(typ))
	}
	s.create(t, "all", append(fields, "author.name name", "select keyword")...)
	if _, err := s.svc.UpdateIndexSettings(t.Context(), "demo", "all", []byte(`{"language":"german","autocomplete":{"fields":["f_name"]},"synonyms":[["tv","television"]],"stop_words":["foo"]}`), true); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		s.put(t, "all", fmt.Sprint(i), fmt.Sprintf(`{"f_name":"Émile Zola %[1]d","f_int":%[1]d,"f_long":9007199254740993,"f_float":1.5e%[1]d,"f_price":[1.10,%[1]d],
			"f_bool":true,"f_date":"2024-05-01T10:00:00+02:00","f_path":"/a/b/%[1]d","f_category":"Häuser > Dächer","f_tags":["Red","red","blue"],
			"f_email":"Ann.%[1]d@mail.example.org","f_identifier":"AB-12/%[1]d","f_html":"<p>Die Häuser &amp; <b>Gärten</b></p>","f_keyword":"Groß","f_case_sensitive_keyword":"Groß",
			"f_sentence":"Die Häuser der Stadt","f_text":["Straßen","Brücken"],"f_long_text":"東京都の家","f_searchable_number":"0012","f_address":"Hauptstraße 5","f_completion":"Zürich",
			"author":{"name":"Ann"},"select":"x","other":"hello world","boost":1.5}`, i))
	}
	s.put(t, "films", "1", `{"title":"Alien"}`)
	key := service.NewKey{Application: "demo", Type: service.AdminKey, Secret: "a-key-of-some-length"}
	if _, _, err := s.svc.CreateKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

// contents returns a digest of each table of the database, including generated columns, and of its indexes.
func contents(t *testing.T, url string) map[string]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, _ := conn.Query(t.Context(), `SELECT c.oid::regclass::text FROM pg_class c WHERE relkind = 'r'
		AND (relnamespace::regnamespace::text = 'rowan' OR starts_with(relnamespace::regnamespace::text, 'app_')) ORDER BY 1`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, table := range tables {
		var digest, indexes string
		err := conn.QueryRow(t.Context(), "SELECT count(*) || ' ' || coalesce(md5(string_agg(x::text, '|' ORDER BY x::text)), '') FROM "+table+" x").Scan(&digest)
		if err == nil {
			err = conn.QueryRow(t.Context(), "SELECT coalesce(string_agg(indexdef, E'\n' ORDER BY indexdef), '') FROM pg_indexes WHERE format('%I.%I', schemaname, tablename)::regclass = $1::text::regclass", table).Scan(&indexes)
		}
		if err != nil {
			t.Fatal(err)
		}
		found[table] = digest + "\n" + indexes
	}
	return found
}

// works checks that a restored database can be searched, written to and changed as before.
func works(t *testing.T, url string) {
	t.Helper()
	s := serverOn(t, store.Config{URL: url})
	for _, query := range []string{"haus", "zola", "ab123", "mail.example.org", "東京", "hauptstraße", "hello", "12", "red"} {
		found, err := s.svc.Search(t.Context(), demo, "all", ask(forWords(query)))
		if err != nil || found.Total == 0 {
			t.Errorf("a search for %q finds %+v, %v", query, found, err)
		}
	}
	if _, err := s.svc.Authenticate(t.Context(), "demo", "a-key-of-some-length"); err != nil {
		t.Errorf("the key: %v", err)
	}
	s.put(t, "all", "after", `{"f_sentence":"Ein Wolkenkratzer"}`)
	if found, err := s.svc.Search(t.Context(), demo, "all", ask(forWords("wolkenkratzer"))); err != nil || found.Total != 1 {
		t.Errorf("a new document: %+v, %v", found, err)
	}
	if _, err := s.svc.UpdateIndex(t.Context(), "demo", "all", []mapping.Mapping{{Name: "other", Type: mapping.Sentence}}, true); err != nil {
		t.Errorf("a change of mappings: %v", err)
	}
}

// The commands are those of docs/operations/backup.md.
func TestDumpAndRestore(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t, nil)
	s := serverOn(t, store.Config{URL: c.URL()})
	everything(t, s)
	for _, name := range []string{"films", "all"} {
		ix, err := s.CurrentIndex(t.Context(), "demo", name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
	}
	want := contents(t, c.URL())
	dump := filepath.Join(c.Scratch(), "rowan.dump")
	run(t, c, "pg_dump", "--format=custom", "--file="+dump, c.URL())
	for name, args := range map[string][]string{"restored": nil, "restored_by_two": {"--jobs=2"}} {
		c.Exec("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LC_CTYPE 'C.UTF-8'")
		run(t, c, "pg_restore", append(args, "--exit-on-error", "--no-owner", "--dbname="+c.URLAt("", name), dump)...)
		if diff := cmp.Diff(want, contents(t, c.URLAt("", name))); diff != "" {
			t.Errorf("%s (-dumped +restored):\n%s", name, diff)
		}
		works(t, c.URLAt("", name))
	}
}

func run(t *testing.T, c *storetest.Cluster, program string, args ...string) {
	t.Helper()
	if out, err := c.Program(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// Documents deleted by mistake are back in a cluster that is restored to the moment before.
func TestPointInTimeRecovery(t *testing.T) {
	t.Parallel()
	archive := storetest.NewFolder(t)
	c := storetest.NewCluster(t, map[string]string{"archive_mode": "on", "archive_command": "test ! -f " + archive + "/%f && cp %p " + archive + "/%f"})
	c.Own(archive)
	s := serverOn(t, store.Config{URL: c.URL()})
	everything(t, s)
	base := filepath.Join(c.Scratch(), "base")
	run(t, c, "pg_basebackup", "--dbname="+c.URLAt("", "postgres"), "--pgdata="+base, "--wal-method=none", "--checkpoint=fast")
	s.put(t, "films", "2", `{"title":"Solaris"}`)
	want := contents(t, c.URL())
	c.Exec("SELECT pg_create_restore_point('before_the_mistake')")
	if err := s.svc.ClearIndex(t.Context(), "demo", "films"); err != nil {
		t.Fatal(err)
	}
	c.Exec("SELECT pg_switch_wal()")
	c.Stop() // archives the remaining log

	text := "\nrestore_command = 'cp " + archive + "/%f %p'\nrecovery_target_name = 'before_the_mistake'\nrecovery_target_action = 'promote'\narchive_mode = 'off'\n"
	conf, err := os.OpenFile(filepath.Join(base, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = conf.WriteString(text)
	}
	if err == nil {
		err = conf.Close()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(base, "recovery.signal"), nil, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	restored := c.At(base)
	eventually(t, "the end of the recovery", func() bool {
		var recovering bool
		restored.Query("SELECT pg_is_in_recovery()", &recovering)
		return !recovering
	})
	if diff := cmp.Diff(want, contents(t, restored.URL())); diff != "" {
		t.Errorf("(-before the mistake +restored):\n%s", diff)
	}
	works(t, restored.URL())
}
