package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
	"github.com/rowansearch/rowan/service/remembered"
	"github.com/rowansearch/rowan/store/sqltext"
	"github.com/rowansearch/rowan/store/table"
)

// catalogCache remembers indices and what searches resolve to. An entry may be out of date: its user checks the application's version in the snapshot
// that it reads (searches), or the index's version under its lock (writes), and forgets the application's entries if the version has changed.
type catalogCache struct {
	indices remembered.Map[name, *service.Index]
	targets remembered.Map[name, *service.Target]
	shapes  remembered.Map[versionKey, table.Shape]
}

type name struct{ application, name string }

// maxCached bounds the number of entries of caches that keep little for each index.
const maxCached = 10000

// maxCatalog bounds the memory for indices, and for the targets of searches, in bytes: most of it is for synonyms and stop words.
const maxCatalog = 32 << 20

func newCatalogCache() catalogCache {
	return catalogCache{
		indices: remembered.Map[name, *service.Index]{Room: maxCatalog, Weigh: func(_ name, ix *service.Index) int { return weightOfIndex(ix) }},
		targets: remembered.Map[name, *service.Target]{Room: maxCatalog, Weigh: func(_ name, t *service.Target) int { return weightOfIndex(t.Index) }},
		shapes:  remembered.Map[versionKey, table.Shape]{Room: maxShapeFields, Weigh: func(_ versionKey, sh table.Shape) int { return 1 + len(sh.Fields) }},
	}
}

// weightOfIndex returns the approximate size of an index in memory, in bytes.
func weightOfIndex(ix *service.Index) int {
	const entry = 32 // overhead of a list element
	n := 1024
	add := func(texts []string) {
		for _, text := range texts {
			n += entry + len(text)
		}
	}
	for _, m := range ix.Mappings {
		n += 2*entry + len(m.Name)
	}
	for _, s := range ix.Settings.Synonyms {
		n += 3 * entry
		add(s.Equivalent)
		add(s.From)
		add(s.To)
	}
	add(ix.Settings.StopWords)
	return n
}

// forget drops what is remembered about an application.
func (c *catalogCache) forget(application string) {
	of := func(n name) bool { return n.application == application }
	c.indices.Forget(of)
	c.targets.Forget(of)
}

const selectedOfIndex = `
SELECT i.id, i.application_id, i.name, i.version, i.language, i.autocomplete_fields, i.created_at, i.updated_at,
       coalesce((SELECT array_agg(m.name ORDER BY m.position) FROM rowan.mappings m WHERE m.index_id = i.id), '{}'),
       coalesce((SELECT array_agg(m.type ORDER BY m.position) FROM rowan.mappings m WHERE m.index_id = i.id), '{}'),
       `

const selectIndex = selectedOfIndex + `i.stop_words,
       coalesce((SELECT jsonb_agg(jsonb_build_object('one_way', s.one_way, 'words', s.words, 'finds', s.finds) ORDER BY s.position)
                 FROM rowan.synonyms s WHERE s.index_id = i.id), '[]')
FROM rowan.indices i`

// selectListed selects indices without their stop words and synonyms: those of many indices may take hundreds of megabytes, and only searches and
// changes of a single index need them.
const selectListed = selectedOfIndex + `'{}'::text[], '[]'::jsonb FROM rowan.indices i`

func scanIndex(row pgx.CollectableRow) (*service.Index, error) {
	ix := &service.Index{}
	var names, types []string
	var synonyms []struct {
		OneWay bool     `json:"one_way"`
		Words  []string `json:"words"`
		Finds  []string `json:"finds"`
	}
	err := row.Scan(&ix.ID, &ix.Application, &ix.Name, &ix.Version, &ix.Settings.Language, &ix.Settings.Autocomplete.Fields,
		&ix.CreatedAt, &ix.UpdatedAt, &names, &types, &ix.Settings.StopWords, &synonyms)
	if err != nil {
		return nil, err
	}
	ix.Mappings = make([]mapping.Mapping, len(names))
	for i := range names {
		ix.Mappings[i] = mapping.Mapping{Name: names[i], Type: mapping.Type(types[i])}
	}
	for _, s := range synonyms {
		if s.OneWay {
			ix.Settings.Synonyms = append(ix.Settings.Synonyms, service.Synonym{From: s.Words, To: s.Finds})
		} else {
			ix.Settings.Synonyms = append(ix.Settings.Synonyms, service.Synonym{Equivalent: s.Words})
		}
	}
	return ix, nil
}

// lookedFor returns a name in a form that PostgreSQL accepts: nothing has a name with U+0000, or one that is not valid UTF-8.
func lookedFor(name string) string {
	if !service.Storable(name) {
		return ""
	}
	return name
}

func indexNotFound(name string) error {
	return service.Errorf(service.CodeIndexNotFound, "There is no index %q.", name)
}

// lookups returns the pool for what each request reads from the catalog, its keys and its index: the pool for writes, but the one for searches while
// the first has no connection left. Writes that wait for a lock may take all connections of the first, and searches must still go on.
func (s *Store) lookups() *pgxpool.Pool {
	if exhausted(s.pool) && !exhausted(s.reads) {
		return s.reads
	}
	return s.pool
}

// exhausted reports whether all connections of a pool are in use or being opened.
func exhausted(pool *pgxpool.Pool) bool {
	st := pool.Stat()
	return st.AcquiredConns()+st.ConstructingConns() >= st.MaxConns()
}

// Index returns an index by name. It may have changed since it was remembered; its user finds out.
func (s *Store) Index(ctx context.Context, application, index string) (*service.Index, error) {
	key := name{application, index}
	if ix, ok := s.indices.Get(key); ok {
		return ix, nil
	}
	return s.CurrentIndex(ctx, application, index)
}

// CurrentIndex returns an index as the catalog has it now, and remembers it.
func (s *Store) CurrentIndex(ctx context.Context, application, index string) (*service.Index, error) {
	ix, err := oneOn(ctx, s.lookups(), scanIndex, selectIndex+" WHERE i.application_id = $1 AND i.name = $2", application, lookedFor(index))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, indexNotFound(index)
	}
	if err == nil {
		s.indices.Put(name{application, index}, ix)
	}
	return ix, clientError(err)
}

// Target returns what a search with the given name refers to: a defined search, or an index. Like the result of Index, it may be out of date.
func (s *Store) Target(ctx context.Context, application, search string) (*service.Target, error) {
	key := name{application, search}
	if t, ok := s.targets.Get(key); ok {
		return t, nil
	}
	return s.CurrentTarget(ctx, application, search)
}

// CurrentTarget returns what a search with the given name refers to now, and remembers it.
func (s *Store) CurrentTarget(ctx context.Context, application, search string) (*service.Target, error) {
	// The version is read first: if anything changes while the rest is read, the version differs from that in the snapshot of the search.
	pool := s.lookups()
	t, err := onPool(ctx, pool, func() (*service.Target, error) {
		t := &service.Target{}
		return t, pool.QueryRow(ctx, "SELECT version, per_page FROM rowan.applications WHERE id = $1", application).Scan(&t.Version, &t.PerPage)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, service.Errorf(service.CodeApplicationNotFound, "There is no application %q.", application)
	}
	if err != nil {
		return nil, clientError(err)
	}
	t.Search, err = s.FindSearch(ctx, application, search)
	if err != nil {
		return nil, err
	}
	index := search
	if t.Search != nil {
		index = t.Search.Index
	}
	t.Index, err = s.CurrentIndex(ctx, application, index)
	if service.ErrorCode(err) == service.CodeIndexNotFound && t.Search == nil {
		return nil, service.Errorf(service.CodeSearchNotFound, "There is no search or index %q: check the name in the list of indices, or create it.", search)
	}
	if err != nil {
		return nil, err
	}
	s.targets.Put(name{application, search}, t)
	return t, nil
}

// Indices returns an application's indices by name, without their stop words and synonyms.
func (s *Store) Indices(ctx context.Context, application string) ([]*service.Index, error) {
	list, err := listOn(ctx, s.pool, scanIndex, selectListed+" WHERE i.application_id = $1 ORDER BY i.name", application)
	return list, clientError(err)
}

// IndexStats counts the documents of an index and the bytes of its tables and indexes.
func (s *Store) IndexStats(ctx context.Context, ix *service.Index) (service.IndexStats, error) {
	r := table.RelationsOf(ix.Application, ix.Name)
	st, err := oneOn(ctx, s.pool, pgx.RowToStructByPos[service.IndexStats], "SELECT count(*), pg_total_relation_size("+sqltext.Literal(r.Table)+") FROM "+r.Table)
	if gone(err) {
		s.forget(ix.Application)
		return st, stale(err)
	}
	return st, clientError(err)
}

// IndexSizes returns the bytes of the tables and indexes of each index, by its name.
func (s *Store) IndexSizes(ctx context.Context, application string) (map[string]int64, error) {
	type size struct {
		Name  string
		Bytes int64
	}
	// A table that is being dropped has no size any more.
	list, err := listOn(ctx, s.pool, pgx.RowToStructByPos[size], `SELECT c.relname::text, coalesce(pg_total_relation_size(c.oid), 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`, table.SchemaOf(application))
	sizes := make(map[string]int64, len(list))
	for _, of := range list {
		sizes[of.Name] = of.Bytes
	}
	return sizes, clientError(err)
}

// Languages lists the text-search configurations.
func (s *Store) Languages(ctx context.Context) ([]string, error) {
	list, err := listOn(ctx, s.pool, pgx.RowTo[string], "SELECT cfgname::text FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY 1")
	return list, clientError(err)
}

// inCatalog runs f in a transaction that changes an application's catalog, one at a time for each application; the version tells every server about
// the change. While it waits for other changes of this server, it holds no connection: otherwise all connections could end up waiting for the
// application's row, and nothing else would be answered.
func (s *Store) inCatalog(ctx context.Context, application string, f func(tx pgx.Tx) error) error {
	waiting, cancel := context.WithTimeout(ctx, lockPatience)
	done, err := s.changes.Take(waiting, application)
	cancel()
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case err != nil:
		return unavailable("Other changes to the application's indices or settings take too long; nothing was applied. Try again.", err)
	}
	defer done()
	defer s.forget(application)
	return retry(ctx, func() error {
		return s.transact(ctx, func(tx pgx.Tx) error {
			if err := raiseVersion(ctx, tx, application); err != nil {
				return err
			}
			return f(tx)
		})
	})
}

// catalogVersionSQL selects the version of the catalog of application $1.
const catalogVersionSQL = "SELECT version FROM rowan.applications WHERE id = $1::text"

// Current returns ErrStale if version is not that of the application's catalog, or if the vocabulary of an index has changed since it was seen
// (RelatedWords.Seen; "" if that does not matter), and then forgets what is remembered of both.
func (s *Store) Current(ctx context.Context, ix *service.Index, version int64, seen string) error {
	p := &service.Plan{Index: ix, Version: version}
	if seen != "" {
		p.Words = &service.SeenWords{State: seen}
	}
	_, err := reading(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.checkCurrent(ctx, p) })
	if errors.Is(err, service.ErrStale) || gone(err) {
		s.forget(ix.Application)
		s.words.seen.changed(ix.ID)
		return stale(err)
	}
	return s.searchError(err)
}

// nextVersionSQL is the version that follows that of a row.
const nextVersionSQL = "greatest(version + 1, " + sqltext.Moment + ")"

func raiseVersion(ctx context.Context, tx pgx.Tx, application string) error {
	tag, err := tx.Exec(ctx, "UPDATE rowan.applications SET version = "+nextVersionSQL+" WHERE id = $1", application)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return service.Errorf(service.CodeApplicationNotFound, "There is no application %q.", application)
	}
	return nil
}

// CreateIndex creates an index with its table.
func (s *Store) CreateIndex(ctx context.Context, application, index string, mappings []mapping.Mapping) error {
	ix := &service.Index{Application: application, Name: index, Mappings: mappings,
		Settings: service.IndexSettings{Language: service.DefaultLanguage}}
	sh := table.ShapeOf(ix)
	err := s.inCatalog(ctx, application, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `INSERT INTO rowan.indices (application_id, name, language, version)
			VALUES ($1, $2, $3, `+sqltext.Moment+`) ON CONFLICT DO NOTHING RETURNING id`, application, index, ix.Settings.Language).Scan(&ix.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return service.Errorf(service.CodeIndexExists, "The index %q already exists; PUT changes its mappings.", index)
		}
		if err != nil {
			return err
		}
		var taken bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM rowan.searches WHERE application_id = $1 AND name = $2)", application, index).Scan(&taken); err != nil {
			return err
		}
		if taken {
			return service.Errorf(service.CodeNameTaken, "There is a search %q, and an index cannot have the name of a search. Choose another name.", index)
		}
		// Names must be compared here: some tables are created only if they do not exist, others later.
		rows, _ := tx.Query(ctx, "SELECT name FROM rowan.indices WHERE application_id = $1 AND name <> $2 AND octet_length(name) >= $3", application, index, table.LeastCut)
		others, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, other := range others {
			if table.CutAlike(index, other) {
				return tablesTaken(index, fmt.Errorf("the tables of the index %q have the same names once these are cut to PostgreSQL's limit", other))
			}
		}
		if err := insertMappings(ctx, tx, ix.ID, sh); err != nil {
			return err
		}
		statements := slices.Concat(
			[]string{"CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(sh.Schema), "CREATE SCHEMA IF NOT EXISTS " + sqltext.Quote(sh.Derived)},
			sh.CreateDerived(), sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table), createTriggers(sh, ix.ID))
		return execAll(ctx, tx, statements)
	})
	if state(err) == stateDuplicateTable {
		return tablesTaken(index, err) // a table that somebody else has created in the schema
	}
	return err
}

func tablesTaken(index string, cause error) error {
	return service.Errorf(service.CodeNameTaken, "The database already contains something with a name that the tables of the index %q need. Choose another index name, or rename the existing object.", index).Because(cause)
}

func insertMappings(ctx context.Context, tx pgx.Tx, id int64, sh table.Shape) error {
	names, types, columns := make([]string, len(sh.Fields)), make([]string, len(sh.Fields)), make([]string, len(sh.Fields))
	for i, f := range sh.Fields {
		names[i], types[i], columns[i] = f.Name, string(f.Type), f.Column
	}
	_, err := tx.Exec(ctx, `INSERT INTO rowan.mappings (index_id, position, name, type, column_name)
		SELECT $1, o - 1, n, t, c FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS m(n, t, c, o)`, id, names, types, columns)
	return err
}

// lockIndex returns the statement that takes an index's lock in a transaction: shared for writers of documents, exclusive for exchanging the table.
// It is an advisory lock, because row locks of each writer on one catalog row would themselves be writes.
func lockIndex(id int64, exclusive bool) (sql string, arg int64) {
	if exclusive {
		return "SELECT pg_advisory_xact_lock(" + lockClass + ", $1::int)", id
	}
	return "SELECT pg_advisory_xact_lock_shared(" + lockClass + ", $1::int)", id
}

// takeIndex takes an index's lock exclusively. lockTimeout is a statement that limits the wait for it and for the tables.
func takeIndex(ctx context.Context, tx pgx.Tx, id int64, lockTimeout string) error {
	if _, err := tx.Exec(ctx, lockTimeout); err != nil {
		return err
	}
	sql, arg := lockIndex(id, true)
	_, err := tx.Exec(ctx, sql, arg)
	return err
}

// lockClass distinguishes Rowan's advisory locks from those of others ("rown").
const lockClass = "1919907694"

// DeleteIndex removes an index.
func (s *Store) DeleteIndex(ctx context.Context, ix *service.Index) error {
	err := s.withTable(ctx, func(lockTimeout string) error {
		return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
			if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, "DELETE FROM rowan.indices WHERE id = $1", ix.ID)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return service.ErrStale
			}
			return execAll(ctx, tx, table.ShapeOf(ix).Drop())
		})
	})
	if err == nil {
		s.dropped(ix.ID)
	}
	return err
}

// ClearIndex removes all documents of an index.
func (s *Store) ClearIndex(ctx context.Context, ix *service.Index) error {
	return s.withTable(ctx, func(lockTimeout string) error {
		return s.inCatalog(ctx, ix.Application, func(tx pgx.Tx) error {
			if err := takeIndex(ctx, tx, ix.ID, lockTimeout); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, "UPDATE rowan.indices SET version = "+nextVersionSQL+", rebuilding = false, accelerated = false WHERE id = $1 AND version = $2", ix.ID, ix.Version)
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				return service.ErrStale // another server may have changed the mappings, which the new table must have
			}
			// A new table instead of TRUNCATE: TRUNCATE is not MVCC-safe, so a search that began before it would find the table empty.
			sh := table.ShapeOf(ix)
			grants, err := grantsOn(ctx, tx, sh)
			if err != nil {
				return err
			}
			statements := slices.Concat(sh.Drop(), sh.CreateDerived(), sh.CreateTable(sh.Table), sh.CreateIndexes(sh.Table), createTriggers(sh, ix.ID), grants)
			if err := execAll(ctx, tx, statements); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "DELETE FROM rowan.accelerators WHERE index_id = $1", ix.ID)
			return err
		})
	})
}
