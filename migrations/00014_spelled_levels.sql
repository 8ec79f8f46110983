-- +goose NO TRANSACTION
-- +goose Up
-- The levels of a category or path have as many spellings as keys, in the same order. Folding makes separators of what is none
-- as it is written (a no-break space or ＞ around them, ／), and longer what is folded; so the spellings were others, or fewer.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.spelled_levels(value text, separator text, keys text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE spelled text[] := rowan.levels(value, separator);
BEGIN
    IF cardinality(spelled) <> cardinality(keys) THEN spelled := rowan.levels(normalize(value, NFKC), separator); END IF;
    IF cardinality(spelled) <> cardinality(keys) THEN RETURN keys; END IF;
    RETURN spelled;
END $$;
COMMENT ON FUNCTION rowan.spelled_levels(text, text, text[]) IS 'The levels of a value as it was stored, one for each key: where it has others by itself, those of its compatible form, or the keys.';

CREATE OR REPLACE FUNCTION rowan.several_levels(v jsonb, separator text, keys boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(CASE WHEN keys THEN d.key ELSE d.raw END ORDER BY d.key) FROM (
        SELECT DISTINCT ON (e.key) e.key, e.raw FROM (
            SELECT left(p.key, 512) COLLATE "C" AS key, p.raw, x.o, p.i
            FROM (SELECT l #>> '{}' AS value, o, rowan.levels(rowan.fold(l #>> '{}'), separator) AS folded FROM rowan.leaves(v) WITH ORDINALITY AS y(l, o)) x,
                unnest(x.folded, rowan.spelled_levels(x.value, separator, x.folded)) WITH ORDINALITY AS p(key, raw, i)) e
        ORDER BY e.key, e.o, e.i) d);
END $$;
COMMENT ON FUNCTION rowan.several_levels(jsonb, text, boolean) IS 'The distinct levels of all values in the order of their keys: the keys, or for each the spelling that comes first.';

CREATE OR REPLACE FUNCTION rowan.levels_all(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    one    CONSTANT text := rowan.single(v) #>> '{}';
    folded CONSTANT text := rowan.fold(one);
BEGIN
    -- The levels of one value are distinct and in order as they come.
    IF length(folded) <= 512 THEN
        IF octet_length(one) = length(one) THEN RETURN rowan.levels(one, separator); END IF;
        RETURN rowan.spelled_levels(one, separator, rowan.levels(folded, separator));
    END IF;
    RETURN rowan.several_levels(v, separator, false);
END $$;
CREATE OR REPLACE FUNCTION rowan.levels_keys(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE folded CONSTANT text := rowan.fold(rowan.single(v) #>> '{}');
BEGIN
    IF length(folded) <= 512 THEN RETURN rowan.levels(folded, separator); END IF;
    RETURN rowan.several_levels(v, separator, true);
END $$;
-- +goose StatementEnd

-- What is stored is computed anew where it is wrong.
-- One transaction for each index: PostgreSQL keeps a lock on each table and each of its indexes until the end of one, and has
-- too few of them for some hundreds. What ends before the last index is repeated whole.
-- +goose StatementBegin
DO $$
DECLARE
    c record;
    n bigint;
    writers text[];
    until CONSTANT timestamptz := clock_timestamp() + interval '1 minute';
BEGIN
    -- Transactions that were writing when the functions were exchanged may go on with those before.
    SELECT array_agg(l.virtualtransaction) INTO writers FROM pg_locks l WHERE l.mode = 'RowExclusiveLock' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.relation IN (SELECT r.oid FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name);
    WHILE EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY (writers)) LOOP
        IF clock_timestamp() > until THEN
            RAISE EXCEPTION 'a transaction has been writing documents for a minute: end it (pg_locks tells which it is), then run the migration again' USING ERRCODE = 'lock_not_available';
        END IF;
        PERFORM pg_sleep(0.02);
    END LOOP;
    COMMIT;
    FOR c IN
        SELECT format('%I.%I', n.nspname, r.relname) AS documents, format('UPDATE %I.%I SET _body = _body WHERE cardinality(%I) <> cardinality(%I)', n.nspname, r.relname, m.column_name || '_all', m.column_name || '_keys') AS change
        FROM rowan.indices i JOIN rowan.mappings m ON m.index_id = i.id AND m.type IN ('category', 'path')
            JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name AND r.relkind = 'r'
        WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attname = m.column_name || '_all')
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE c.change;
            GET DIAGNOSTICS n = ROW_COUNT;
            IF n > 0 THEN RAISE NOTICE '% rows: %', n, c.change; END IF;
        EXCEPTION WHEN undefined_table OR undefined_column THEN NULL; -- Deleted meanwhile, or rebuilt for other mappings.
        WHEN lock_not_available OR insufficient_privilege THEN
            RAISE WARNING 'documents of % keep levels that an earlier version has spelled: the table is locked, or may not be written', c.documents
                USING ERRCODE = '01R01', HINT = format('have its owner run UPDATE %s SET _body = _body', c.documents);
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What was computed stays, and is right.
SELECT;
