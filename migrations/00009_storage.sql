-- +goose Up
-- What the planner is never asked about need not be measured (store/tables.go).
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN
        SELECT a.attrelid::regclass AS relation, a.attname, a.attnum, r.relkind
        FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid JOIN pg_namespace n ON n.oid = r.relnamespace
        WHERE n.nspname LIKE 'app\_%' AND n.nspname NOT LIKE '%\_derived' AND NOT a.attisdropped
            AND (r.relkind = 'i' AND a.attstattarget = 1000
                OR r.relkind = 'r' AND (a.atttypid = 'tsvector'::regtype OR a.attname = '_body') AND coalesce(a.attstattarget, -1) < 0)
    LOOP
        IF c.relkind = 'i' THEN EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS 500', c.relation, c.attnum);
        ELSE EXECUTE format('ALTER TABLE %s ALTER %I SET STATISTICS 0', c.relation, c.attname);
        END IF;
    END LOOP;
    -- Postings that are built from now on stand in line, where they fit on a page.
    FOR c IN
        SELECT a.attrelid::regclass AS relation FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid JOIN pg_namespace n ON n.oid = r.relnamespace
        WHERE n.nspname LIKE 'app\_%\_derived' AND r.relkind = 'r' AND a.attname = 'postings' AND a.atttypid = 'bytea'::regtype
    LOOP
        EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', c.relation);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- An ANALYZE that knows more does no harm, and one that knows less neither.
SELECT;
