package store

import (
	"context"
	"errors"

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
	return service.Errorf(service.CodeIndexNotFound, "There is no index %q: check the name in the list of indices, or create it first.", name)
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

// Languages lists the text-search configurations as statements name them: with quotes around a name that has capitals or spaces.
func (s *Store) Languages(ctx context.Context) ([]string, error) {
	list, err := listOn(ctx, s.pool, pgx.RowTo[string], "SELECT oid::regconfig::text FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY 1")
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
