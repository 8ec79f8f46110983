-- +goose Up
-- Rows that somebody writes through psql rather than the API. A write through the API logs what it touches itself, many
-- documents at once, and says so by the setting rowan.logged; of all others these triggers log each row. The triggers of
-- an index's table are made with it.

-- +goose StatementBegin
CREATE FUNCTION rowan.log_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    touched bigint[] := '{}';
    ids     text[] := '{}';
BEGIN
    IF TG_OP <> 'INSERT' THEN touched := touched || OLD._seq; ids := ids || OLD._id; END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NOT NEW._seq = ANY (touched) THEN touched := touched || NEW._seq; END IF;
        IF NOT NEW._id = ANY (ids) THEN ids := ids || NEW._id; END IF;
    END IF;
    -- Of the logs two are only there while somebody reads them, as of now, not of this transaction's snapshot. Whoever
    -- makes one waits for the transactions that were under way.
    EXECUTE 'INSERT INTO ' || TG_ARGV[0] || ' (_seq) SELECT unnest($1)' USING touched;
    BEGIN
        IF to_regclass(TG_ARGV[1]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[1] || ' (_seq) SELECT unnest($1)' USING touched; END IF;
    EXCEPTION WHEN undefined_table THEN NULL; -- it has just gone
    END;
    BEGIN
        IF to_regclass(TG_ARGV[2]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[2] || ' (_id) SELECT unnest($1)' USING ids; END IF;
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
    RETURN NULL;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.log_row() IS 'Trigger on a table of documents: logs a row that was not written through the API, for its words, suggestions and postings.';

-- +goose StatementBegin
CREATE FUNCTION rowan.date_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW._updated_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.date_row() IS 'Trigger on a table of documents: dates a row that was not updated through the API.';

-- +goose StatementBegin
CREATE FUNCTION rowan.refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the documents of a Rowan index cannot be truncated: searches under way would find none, and those after them words that are gone'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'POST /v1/index/<index>/clear does it at once, and so does DELETE FROM, slowly.';
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.refuse_truncate() IS 'Trigger on a table of documents: TRUNCATE calls no trigger for its rows.';

-- +goose StatementBegin
CREATE FUNCTION rowan.appeared() RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a document has been created meanwhile' USING ERRCODE = 'serialization_failure';
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.appeared() IS 'Fails, for a write through the API to be repeated.';

-- +goose Down
DROP FUNCTION rowan.log_row() CASCADE;
DROP FUNCTION rowan.date_row() CASCADE;
DROP FUNCTION rowan.refuse_truncate() CASCADE;
DROP FUNCTION rowan.appeared();
