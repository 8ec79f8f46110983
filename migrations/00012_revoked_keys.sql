-- +goose Up
-- A key that has leaked is reset or deleted. Where it is one of the settings, the next start must not make it again.
CREATE TABLE rowan.revoked_keys (
    application_id text COLLATE "C" NOT NULL REFERENCES rowan.applications ON DELETE CASCADE,
    hash           bytea NOT NULL CHECK (octet_length(hash) = 32),
    revoked_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (application_id, hash)
);
COMMENT ON TABLE rowan.revoked_keys IS 'Keys that were reset or deleted: they are never made again. The secret itself is stored nowhere.';
COMMENT ON COLUMN rowan.revoked_keys.hash IS 'SHA-256 of the secret.';

-- What a row holds that was not written through the API is checked as a document is there: answers would have such names twice.
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
DROP TABLE rowan.revoked_keys;
