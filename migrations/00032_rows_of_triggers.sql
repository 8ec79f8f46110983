-- +goose NO TRANSACTION
-- +goose Up
-- A row that is copied with its number (COPY of a whole table, a dump of the data only, logical replication) may have one that another row
-- has: the sequence of this table gave it out for that. Such a row gets a number of its own.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.number_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reserved text;
    drawn    boolean := false;
    taken    boolean;
BEGIN
    IF jsonb_typeof(NEW._body) = 'object' THEN
        SELECT k INTO reserved FROM jsonb_object_keys(NEW._body) k WHERE left(k, 1) = '_' LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'a property of a document cannot be called "%": names that begin with _ are Rowan''s', reserved
                USING ERRCODE = 'check_violation', HINT = 'Leave it out of _body.';
        END IF;
        IF NEW._body ? 'autocomplete' THEN
            NEW._body := NEW._body - 'autocomplete';
        END IF;
    END IF;
    IF TG_OP = 'INSERT' OR NEW._id IS DISTINCT FROM OLD._id THEN
        IF NEW._id IN ('.', '..') OR NEW._id ~ '[\u0001-\u001f\u007f-\u009f]' THEN
            RAISE EXCEPTION 'a document cannot have the _id %', to_json(NEW._id)
                USING ERRCODE = 'check_violation', HINT = 'Use 1 to 512 bytes without control characters, and not "." or "..": clients cannot put these into a path.';
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        NEW._seq := OLD._seq;
        NEW._updated_at := now();
        RETURN NEW;
    END IF;
    -- The default has drawn the number for this row if it is the last that this session has drawn, and not that of the row before. Others are looked
    -- up, which takes longer than all the rest.
    BEGIN
        drawn := NEW._seq = currval(TG_ARGV[0]::regclass) AND NEW._seq::text IS DISTINCT FROM current_setting('rowan.numbered', true);
    EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; -- This session has drawn none.
    END;
    IF drawn IS DISTINCT FROM true THEN
        IF NEW._seq BETWEEN 1 AND pg_sequence_last_value(TG_ARGV[0]::regclass) THEN
            EXECUTE 'SELECT EXISTS (SELECT FROM ' || TG_RELID::regclass || ' WHERE _seq = $1)' INTO taken USING NEW._seq;
        END IF;
        IF taken IS DISTINCT FROM false THEN
            NEW._seq := nextval(TG_ARGV[0]::regclass);
        END IF;
    END IF;
    PERFORM set_config('rowan.numbered', NEW._seq::text, false);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- What somebody's trigger or foreign key writes to a table while the API writes to it is not the API's, and must be logged like all other rows of
-- others. So must what logical replication applies, for which only triggers that are always enabled fire (store/rowsofothers.go).
-- One transaction for each table, for there may be thousands.
-- +goose StatementBegin
DO $$
DECLARE c record;
BEGIN
    FOR c IN
        SELECT r.oid::regclass::text AS documents, coalesce(string_agg(format('CREATE OR REPLACE TRIGGER %I %s ON %s FOR EACH ROW WHEN (current_setting(''rowan.logged'', true) IS DISTINCT FROM %L OR pg_trigger_depth() > 0) %s; ',
                t.tgname, CASE t.tgname WHEN 'rowan_log' THEN 'AFTER INSERT OR UPDATE OR DELETE' ELSE 'BEFORE INSERT OR UPDATE' END,
                r.oid::regclass, i.id, substring(pg_get_triggerdef(t.oid) FROM 'EXECUTE FUNCTION .*')), '') FILTER (WHERE t.tgname <> 'rowan_truncate'), '')
            || format('ALTER TABLE %s %s', r.oid::regclass, string_agg(format('ENABLE ALWAYS TRIGGER %I', t.tgname), ', ')) AS change
        FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id
            JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name AND r.relkind = 'r'
            JOIN pg_trigger t ON t.tgrelid = r.oid AND t.tgname IN ('rowan_log', 'rowan_row', 'rowan_truncate')
        GROUP BY r.oid
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE c.change;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'somebody has been writing to % for 10 s: end that transaction (pg_locks tells which it is), then run the migration again', c.documents
                USING ERRCODE = 'lock_not_available';
        WHEN insufficient_privilege THEN
            RAISE WARNING 'rows of % that triggers of others or logical replication write are not followed by words, suggestions and postings', c.documents
                USING ERRCODE = '01R01', HINT = 'have its owner run ' || c.change;
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- More is logged than before, which does no harm.
SELECT;
