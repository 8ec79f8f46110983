-- +goose Up
-- Filters on properties without a mapping called these functions, until they were written out (store/searchsql/unmapped.go). No generated column
-- was ever made of them. What somebody else has made of one in this database keeps it.
-- +goose StatementBegin
DO $$
DECLARE f text;
BEGIN
    FOREACH f IN ARRAY ARRAY['any_text', 'any_number', 'any_bool'] LOOP
        BEGIN
            EXECUTE format('DROP FUNCTION IF EXISTS rowan.%I(jsonb)', f);
        EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
        END;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.any_text(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT rowan.fold(l #>> '{}') COLLATE "C" FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'string');
END $$;
CREATE OR REPLACE FUNCTION rowan.any_number(v jsonb) RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT l::numeric FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'number');
END $$;
CREATE OR REPLACE FUNCTION rowan.any_bool(v jsonb) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT l::boolean FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'boolean');
END $$;
-- +goose StatementEnd
