-- +goose Up
-- Of the levels of a long category or path only those up to the first of 512 characters are put together: all further ones begin alike, and are cut to the
-- same key. To put together a hundred levels of megabytes, of which nothing was kept, kept a write busy for a minute and took gigabytes.

-- +goose StatementBegin
CREATE FUNCTION rowan.first_levels(value text, separator text, most int, long int) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    part   text;
    level  text;
    result text[] := '{}';
BEGIN
    IF separator = '/' THEN
        IF rtrim(value, '/') <> '' THEN value := rtrim(value, '/'); ELSE RETURN ARRAY[left(value, 1)]; END IF;
        FOREACH part IN ARRAY string_to_array(value, '/') LOOP
            level := concat(level || '/', part);
            -- A path may have empty segments (https://…): what ends in a slash is no level of its own.
            CONTINUE WHEN part = '';
            result := result || level;
            EXIT WHEN cardinality(result) = most OR length(level) >= long;
        END LOOP;
        RETURN result;
    END IF;
    -- The padding makes separators of a ">" at either end.
    FOREACH part IN ARRAY string_to_array(' ' || value || ' ', separator) LOOP
        part := btrim(part, ' ');
        CONTINUE WHEN part = '';
        level := concat(level || separator, part);
        result := result || level;
        EXIT WHEN cardinality(result) = most OR length(level) >= long;
    END LOOP;
    IF cardinality(result) = 0 THEN RETURN ARRAY['']; END IF;
    RETURN result;
END $$;
COMMENT ON FUNCTION rowan.first_levels(text, text, int, int) IS 'The levels of a category or path, from the highest on: a number at the most, and none behind one of so many characters or more, unless that is null.';

CREATE OR REPLACE FUNCTION rowan.levels(value text, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN rowan.first_levels(value, separator, 100, NULL);
END $$;

CREATE FUNCTION rowan.count_levels(value text, separator text) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF separator <> '/' THEN value := ' ' || value || ' '; END IF;
    RETURN greatest(1, least(100, (SELECT count(*) FROM unnest(string_to_array(value, separator)) AS part WHERE CASE separator WHEN '/' THEN part ELSE btrim(part, ' ') END <> '')));
END $$;
COMMENT ON FUNCTION rowan.count_levels(text, text) IS 'How many levels rowan.levels finds.';

CREATE FUNCTION rowan.spelled_first_levels(value text, separator text, folded text, keys text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE n int;
BEGIN
    IF length(folded) <= 512 THEN RETURN rowan.spelled_levels(value, separator, keys); END IF; -- the keys are all
    n := rowan.count_levels(folded, separator);
    IF rowan.count_levels(value, separator) <> n THEN value := normalize(value, NFKC); END IF;
    IF rowan.count_levels(value, separator) <> n THEN RETURN keys; END IF;
    RETURN rowan.first_levels(value, separator, cardinality(keys), NULL);
END $$;
COMMENT ON FUNCTION rowan.spelled_first_levels(text, text, text, text[]) IS 'As spelled_levels, for the first of the levels of a folded value.';

CREATE OR REPLACE FUNCTION rowan.several_levels(v jsonb, separator text, keys boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(CASE WHEN keys THEN d.key ELSE d.raw END ORDER BY d.key) FROM (
        SELECT DISTINCT ON (e.key) e.key, e.raw FROM (
            SELECT left(p.key, 512) COLLATE "C" AS key, p.raw, x.o, p.i
            FROM (SELECT w.value, w.o, w.folded, rowan.first_levels(w.folded, separator, 100, 512) AS levels
                    FROM (SELECT l #>> '{}' AS value, o, rowan.fold(l #>> '{}') AS folded FROM rowan.leaves(v) WITH ORDINALITY AS y(l, o) OFFSET 0) w OFFSET 0) x,
                unnest(x.levels, rowan.spelled_first_levels(x.value, separator, x.folded, x.levels)) WITH ORDINALITY AS p(key, raw, i)) e
        ORDER BY e.key, e.o, e.i) d);
END $$;

CREATE OR REPLACE FUNCTION rowan.levels_key(v jsonb, separator text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE levels text[];
BEGIN
    v := rowan.single(v);
    IF v IS NULL THEN RETURN NULL; END IF;
    levels := rowan.first_levels(rowan.fold(v #>> '{}'), separator, 100, 512);
    RETURN left(levels[cardinality(levels)], 512);
END $$;

CREATE OR REPLACE FUNCTION rowan.tsv_levels(cfg regconfig, v jsonb, sep text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts  CONSTANT text[] := rowan.texts(v);
    longest CONSTANT int := 2000; -- with_wholes leaves out what is longer
    e      text;
    part   text;
    path   text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY texts LOOP
        path := NULL;
        FOREACH part IN ARRAY string_to_array(rowan.whole(rowan.fold(e)), sep) LOOP
            part := btrim(part);
            CONTINUE WHEN part = '';
            IF path IS NULL THEN path := part; ELSIF octet_length(path) <= longest THEN path := path || sep || part; END IF;
            -- One at a time: that is done in place, two copy the array.
            wholes := wholes || CASE WHEN octet_length(part) <= longest THEN part ELSE '' END;
            wholes := wholes || CASE WHEN octet_length(path) <= longest THEN path ELSE '' END;
            EXIT WHEN cardinality(wholes) >= 200; -- a hundred levels, as in rowan.levels
        END LOOP;
    END LOOP;
    RETURN rowan.with_wholes(rowan.lexemes(cfg, texts), wholes);
END $$;
-- +goose StatementEnd

COMMENT ON COLUMN rowan.indices.rebuilding IS 'A table with other mappings is being built beside this one: writers also note in <name>_rebuild what they touch.';

-- +goose Down
-- Both versions of the functions find the same.
SELECT;
