-- +goose Up
-- Of each value of a category, the first hundred levels are found whole, not of all values together: in an array, levels of a stop word (The Who) were found
-- only among the first thirty values or so. Documents of indices with categories are compared in the background, and those with so many are computed anew.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.tsv_levels(cfg regconfig, v jsonb, sep text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts  CONSTANT text[] := rowan.texts(v);
    longest CONSTANT int := 2000; -- with_wholes leaves out what is longer
    e      text;
    part   text;
    path   text;
    wholes text[] := '{}';
    n      int; -- levels of a value
    size   bigint := 0;
BEGIN
    FOREACH e IN ARRAY texts LOOP
        path := NULL;
        n := 0;
        EXIT WHEN size > 8000000; -- with_wholes keeps a megabyte
        FOREACH part IN ARRAY string_to_array(rowan.whole(rowan.fold(e)), sep) LOOP
            part := btrim(part);
            CONTINUE WHEN part = '';
            IF path IS NULL THEN path := part; ELSIF octet_length(path) <= longest THEN path := path || sep || part; END IF;
            -- One at a time: that is done in place, two copy the array.
            wholes := wholes || CASE WHEN octet_length(part) <= longest THEN part ELSE '' END;
            wholes := wholes || CASE WHEN octet_length(path) <= longest THEN path ELSE '' END;
            size := size + least(octet_length(part), longest) + least(octet_length(path), longest);
            n := n + 1;
            EXIT WHEN n = 100; -- as in rowan.levels
        END LOOP;
    END LOOP;
    RETURN rowan.with_wholes(rowan.lexemes(cfg, texts), wholes);
END $$;
-- +goose StatementEnd

UPDATE rowan.indices SET computed_by = NULL WHERE id IN (SELECT index_id FROM rowan.mappings WHERE type = 'category');

-- +goose Down
-- More is found.
SELECT;
