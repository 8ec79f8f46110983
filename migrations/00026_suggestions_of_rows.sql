-- +goose Up
-- The suggestions of a document are Rowan's, whoever writes it: what a client calls "autocomplete" is dropped over HTTP, and now here,
-- too. A document that had both was returned with two members of that name. What is stored stays as it is until it is written again.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.number_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE reserved text;
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
    ELSIF NOT coalesce(NEW._seq BETWEEN 1 AND pg_sequence_last_value(TG_ARGV[0]::regclass), false) THEN
        NEW._seq := nextval(TG_ARGV[0]::regclass);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Whoever goes back keeps more.
SELECT;
