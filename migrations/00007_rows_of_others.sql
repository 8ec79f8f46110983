-- +goose Up
-- Rows that somebody writes through psql rather than the API. A write through the API logs what it touches itself, many
-- documents at once, and names its index in the setting rowan.logged; of all others these triggers log each row. The triggers of
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
    EXECUTE 'INSERT INTO ' || TG_ARGV[2] || ' (_seq) SELECT unnest($1)' USING touched;
    -- The other logs are only there while somebody reads them: as of now, not of this transaction's snapshot. Whoever makes
    -- one waits for the transactions that were under way. Who takes one away has the index's lock; where that cannot be had
    -- at once, what is just being taken away may be gone. A block that catches errors takes a number of transactions, hence
    -- it is not the rule.
    IF pg_try_advisory_xact_lock_shared(TG_ARGV[0]::int, TG_ARGV[1]::int) THEN
        IF to_regclass(TG_ARGV[3]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[3] || ' (_seq) SELECT unnest($1)' USING touched; END IF;
        IF to_regclass(TG_ARGV[4]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[4] || ' (_id) SELECT unnest($1)' USING ids; END IF;
        RETURN NULL;
    END IF;
    BEGIN
        IF to_regclass(TG_ARGV[3]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[3] || ' (_seq) SELECT unnest($1)' USING touched; END IF;
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
    BEGIN
        IF to_regclass(TG_ARGV[4]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[4] || ' (_id) SELECT unnest($1)' USING ids; END IF;
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
    RETURN NULL;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.log_row() IS 'Trigger on a table of documents: logs a row that was not written through the API, for its words, suggestions and postings.';

-- +goose StatementBegin
CREATE FUNCTION rowan.number_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW._seq := OLD._seq;
        NEW._updated_at := now();
    ELSIF NOT coalesce(NEW._seq BETWEEN 1 AND pg_sequence_last_value(TG_ARGV[0]::regclass), false) THEN
        NEW._seq := nextval(TG_ARGV[0]::regclass);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.number_row() IS 'Trigger on a table of documents: numbers and dates a row that was not written through the API. A number is the sequence''s, and stays.';

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
DROP FUNCTION rowan.number_row() CASCADE;
DROP FUNCTION rowan.refuse_truncate() CASCADE;
DROP FUNCTION rowan.appeared();
