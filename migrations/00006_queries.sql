-- +goose Up
CREATE TABLE rowan.queries (
    application_id text COLLATE "C" NOT NULL REFERENCES rowan.applications ON DELETE CASCADE,
    hour           timestamptz NOT NULL,
    search         text COLLATE "C" NOT NULL,
    query          text COLLATE "C" NOT NULL CHECK (query <> '' AND char_length(query) <= 200),
    searches       bigint NOT NULL CHECK (searches > 0),
    nothing_found  bigint NOT NULL CHECK (nothing_found BETWEEN 0 AND searches),
    total_ms       double precision NOT NULL CHECK (total_ms >= 0),
    max_ms         double precision NOT NULL CHECK (max_ms >= 0),
    last_at        timestamptz NOT NULL,
    last_found     bigint NOT NULL CHECK (last_found >= 0),
    PRIMARY KEY (application_id, hour, search, query)
) WITH (fillfactor = 80); -- room for rows that are counted up every few seconds
COMMENT ON TABLE rowan.queries IS 'What was searched for, summed up by hour. Kept for as long as ROWAN_ANALYTICS_RETENTION says; rows may be deleted at any time.';
COMMENT ON COLUMN rowan.queries.hour IS 'Beginning of the hour.';
COMMENT ON COLUMN rowan.queries.search IS 'Name that was searched under: of a defined search or of an index.';
COMMENT ON COLUMN rowan.queries.query IS 'The query in lower case, its spaces collapsed, its first 200 characters.';
COMMENT ON COLUMN rowan.queries.searches IS 'How many searches had it. First pages only, none of the dashboard.';
COMMENT ON COLUMN rowan.queries.nothing_found IS 'How many of them found nothing.';
COMMENT ON COLUMN rowan.queries.total_ms IS 'How long all of them took together, in milliseconds; by searches it is the mean.';
COMMENT ON COLUMN rowan.queries.last_found IS 'How many documents the latest of them found.';
CREATE INDEX queries_hour_idx ON rowan.queries (hour);

CREATE TABLE rowan.query_hours (
    application_id text COLLATE "C" NOT NULL REFERENCES rowan.applications ON DELETE CASCADE,
    hour           timestamptz NOT NULL,
    searches       bigint NOT NULL CHECK (searches > 0),
    recorded       bigint NOT NULL CHECK (recorded BETWEEN 0 AND searches),
    PRIMARY KEY (application_id, hour)
);
COMMENT ON TABLE rowan.query_hours IS 'How many searches with a query there were in an hour, and how many of them rowan.queries counts.';

-- +goose Down
DROP TABLE rowan.query_hours;
DROP TABLE rowan.queries;
