-- +goose NO TRANSACTION
-- +goose Up
-- PostgreSQL refuses to change tables without a key that are published, as CREATE PUBLICATION … FOR ALL TABLES does with all there are. New ones have
-- their whole rows as their identity (store/table/ddl.go). Nothing else depends on it: what cannot be had at once, or is somebody else's, is left alone.
-- One transaction for each table, for there may be thousands.
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN
        SELECT format('ALTER TABLE %s REPLICA IDENTITY FULL', r.oid::regclass) AS change
        FROM rowan.applications a JOIN pg_namespace n ON n.nspname = 'app_' || a.id || '_derived' JOIN pg_class r ON r.relnamespace = n.oid
        WHERE r.relkind = 'r' AND r.relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = r.oid AND i.indisprimary)
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '2s', true);
            EXECUTE c.change;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available OR insufficient_privilege THEN
            RAISE NOTICE 'not done: %', c.change;
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What is written to the log of PostgreSQL by it does no harm.
SELECT;
