-- +goose Up
-- Rows that are written from now on stand whole on a page of the table where they take up to half of one (store/table/ddl.go):
-- what is there stays as it is. Nothing depends on it: what cannot be had at once, or is somebody else's, is left alone.
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN
        SELECT format('ALTER TABLE %s SET (toast_tuple_target = 4080)', r.oid::regclass) AS change
        FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name AND r.relkind = 'r'
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '2s', true);
            EXECUTE c.change;
        EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
            RAISE NOTICE 'not done: %', c.change;
        END;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Where rows stand makes no difference to who reads them.
SELECT;
