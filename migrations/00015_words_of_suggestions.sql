-- +goose Up
-- Suggestions are found by words within them, too (store/suggestwords.go).
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN
        SELECT r.oid::regclass AS name
        FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace JOIN rowan.applications a ON n.nspname = 'app_' || a.id || '_derived'
        WHERE r.relkind = 'r' AND obj_description(r.oid, 'pg_class') LIKE 'Suggestions of %'
    LOOP
        EXECUTE format('CREATE INDEX ON %s USING gin ((to_tsvector(''simple''::regconfig, rowan.words(key)))) WITH (fastupdate = on, gin_pending_list_limit = 1024)', c.name);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- An index more does no harm.
SELECT;
