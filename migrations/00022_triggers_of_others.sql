-- +goose Up
-- Two trigger functions have the rights of Rowan's role, so that whoever writes a table of documents needs none on what follows it. Only
-- that role may make triggers of them: anybody who may use the schema rowan could put one on a table of his own, with arguments of his
-- choice. A trigger that is there is called for all who write.
REVOKE EXECUTE ON FUNCTION rowan.log_row(), rowan.number_row() FROM PUBLIC;

-- And an argument is the name of a table, whatever is in it: rights may be missing from a dump.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.log_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    touched bigint[] := '{}';
    ids     text[] := '{}';
BEGIN
    IF TG_OP <> 'INSERT' THEN touched := touched || OLD._seq; ids := ids || OLD._id; END IF;
    IF TG_OP <> 'DELETE' THEN
        IF NOT NEW._seq = ANY (touched) THEN touched := touched || NEW._seq; END IF;
        IF NOT NEW._id = ANY (ids) THEN ids := ids || NEW._id; END IF;
    END IF;
    EXECUTE 'INSERT INTO ' || TG_ARGV[2]::regclass || ' (_seq) SELECT unnest($1)' USING touched;
    -- The other logs are only there while somebody reads them: as of now, not of this transaction's snapshot. Whoever makes
    -- one waits for the transactions that were under way. Who takes one away has the index's lock; where that cannot be had
    -- at once, what is just being taken away may be gone. A block that catches errors takes a number of transactions, hence
    -- it is not the rule.
    IF pg_try_advisory_xact_lock_shared(TG_ARGV[0]::int, TG_ARGV[1]::int) THEN
        IF to_regclass(TG_ARGV[3]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[3]::regclass || ' (_seq) SELECT unnest($1)' USING touched; END IF;
        IF to_regclass(TG_ARGV[4]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[4]::regclass || ' (_id) SELECT unnest($1)' USING ids; END IF;
        RETURN NULL;
    END IF;
    BEGIN
        IF to_regclass(TG_ARGV[3]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[3]::regclass || ' (_seq) SELECT unnest($1)' USING touched; END IF;
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
    BEGIN
        IF to_regclass(TG_ARGV[4]) IS NOT NULL THEN EXECUTE 'INSERT INTO ' || TG_ARGV[4]::regclass || ' (_id) SELECT unnest($1)' USING ids; END IF;
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Whoever goes back needs no more.
SELECT;
