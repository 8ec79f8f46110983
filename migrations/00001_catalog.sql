-- +goose Up
-- The catalog: what exists, who may use it, and how it is searched. Tables of indices are not made here
-- but when an index is created, in a schema of each application (app_<application>).
CREATE SCHEMA IF NOT EXISTS rowan;
COMMENT ON SCHEMA rowan IS 'Catalog of Rowan: applications, keys, indices, mappings, searches; and the functions of generated columns.';

CREATE TABLE rowan.applications (
    id         text COLLATE "C" PRIMARY KEY
               CHECK (id ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$' AND id !~ '-[abc]$'),
    per_page   integer NOT NULL DEFAULT 10 CHECK (per_page BETWEEN 0 AND 1000),
    version    bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE rowan.applications IS 'Tenants. The indices of one are tables in the schema app_<id>, what is derived from them is in app_<id>_derived.';
COMMENT ON COLUMN rowan.applications.per_page IS 'Hits on a page where neither the request nor the search says.';
COMMENT ON COLUMN rowan.applications.version IS 'Grows with every change of the application''s indices, searches or settings; servers compare it, in the snapshot of each search, with what they have cached.';

CREATE TABLE rowan.keys (
    id             uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    application_id text COLLATE "C" NOT NULL REFERENCES rowan.applications ON DELETE CASCADE,
    type           text NOT NULL CHECK (type IN ('admin', 'search')),
    hash           bytea NOT NULL CHECK (octet_length(hash) = 32),
    description    text NOT NULL DEFAULT '',
    indices        text[] NOT NULL DEFAULT '{}',
    filter         text NOT NULL DEFAULT '',
    created_at     timestamptz NOT NULL DEFAULT now(),
    expires_at     timestamptz,
    last_used_at   timestamptz,
    UNIQUE (application_id, hash)
);
COMMENT ON TABLE rowan.keys IS 'API keys. The secret itself is stored nowhere.';
COMMENT ON COLUMN rowan.keys.hash IS 'SHA-256 of the secret.';
COMMENT ON COLUMN rowan.keys.indices IS 'Indices and searches that the key is limited to; empty: all.';
COMMENT ON COLUMN rowan.keys.filter IS 'Filter that is always applied to what the key searches; empty: none.';

CREATE TABLE rowan.indices (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id      text COLLATE "C" NOT NULL REFERENCES rowan.applications,
    name                text COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$'),
    version             bigint NOT NULL DEFAULT 1,
    language            text NOT NULL DEFAULT 'english',
    autocomplete_fields text[] NOT NULL DEFAULT '{}',
    stop_words          text[] NOT NULL DEFAULT '{}',
    rebuilding          boolean NOT NULL DEFAULT false,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    UNIQUE (application_id, name)
);
COMMENT ON TABLE rowan.indices IS 'Indices. The documents of one are in the table app_<application_id>.<name>.';
COMMENT ON COLUMN rowan.indices.version IS 'Grows with every change of mappings or settings; a write that was planned with another version is planned again.';
COMMENT ON COLUMN rowan.indices.language IS 'Text-search configuration of the stemmed fields.';
COMMENT ON COLUMN rowan.indices.autocomplete_fields IS 'Fields whose values are suggested, besides those of type completion.';
COMMENT ON COLUMN rowan.indices.stop_words IS 'Words of a query that are left out, besides those of the language.';
COMMENT ON COLUMN rowan.indices.rebuilding IS 'A table with other mappings is being built beside this one: writers also note in <name>_rebuild_log what they touch.';

CREATE TABLE rowan.mappings (
    index_id    bigint NOT NULL REFERENCES rowan.indices ON DELETE CASCADE,
    position    integer NOT NULL CHECK (position >= 0),
    name        text COLLATE "C" NOT NULL CHECK (name <> ''),
    type        text NOT NULL CHECK (type IN ('name', 'address', 'float', 'int', 'text', 'price', 'long_text',
                'sentence', 'tags', 'searchable_number', 'keyword', 'case_sensitive_keyword', 'identifier', 'html',
                'email', 'category', 'path', 'long', 'completion', 'bool', 'date')),
    column_name name NOT NULL,
    PRIMARY KEY (index_id, name),
    UNIQUE (index_id, position),
    UNIQUE (index_id, column_name)
);
COMMENT ON TABLE rowan.mappings IS 'Types of the fields of each index.';
COMMENT ON COLUMN rowan.mappings.name IS 'Property of the documents, or a dotted path into its objects.';
COMMENT ON COLUMN rowan.mappings.column_name IS 'Column of the index''s table that holds the value; <column_name>_tsv holds its lexemes.';

CREATE TABLE rowan.synonyms (
    index_id bigint NOT NULL REFERENCES rowan.indices ON DELETE CASCADE,
    position integer NOT NULL CHECK (position >= 0),
    one_way  boolean NOT NULL DEFAULT false,
    words    text[] NOT NULL,
    finds    text[] NOT NULL,
    PRIMARY KEY (index_id, position)
);
COMMENT ON TABLE rowan.synonyms IS 'A query that has one of words also finds each of finds. Where one_way is false both lists are the same.';

CREATE TABLE rowan.searches (
    application_id text COLLATE "C" NOT NULL REFERENCES rowan.applications ON DELETE CASCADE,
    name           text COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$'),
    index_name     text COLLATE "C" NOT NULL,
    per_page       integer CHECK (per_page BETWEEN 0 AND 1000),
    facets         text[] NOT NULL DEFAULT '{}',
    filter         jsonb,
    sort           text NOT NULL DEFAULT '',
    match          text NOT NULL DEFAULT '' CHECK (match IN ('', 'all', 'any', 'auto')),
    typo_tolerance boolean,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application_id, name)
);
COMMENT ON TABLE rowan.searches IS 'Searches with a name: an index and how it is searched.';
COMMENT ON COLUMN rowan.searches.index_name IS 'Name, not a reference: the index may be gone, and come back.';

CREATE TABLE rowan.search_fields (
    application_id text COLLATE "C" NOT NULL,
    search_name    text COLLATE "C" NOT NULL,
    field          text COLLATE "C" NOT NULL,
    weight         double precision NOT NULL CHECK (weight > 0 AND weight <= 1000),
    PRIMARY KEY (application_id, search_name, field),
    FOREIGN KEY (application_id, search_name) REFERENCES rowan.searches ON DELETE CASCADE
);
COMMENT ON TABLE rowan.search_fields IS 'Fields that a search looks at, with their weights; none: all, with the weights of their types.';

-- +goose Down
DROP SCHEMA rowan CASCADE;
