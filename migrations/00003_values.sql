-- +goose Up
-- Functions of the value columns: what a field is filtered, faceted and sorted by. Each takes the jsonb value
-- of one property, of any shape, and never fails: what does not fit the type is no value. All are immutable,
-- because generated columns use them; changing one here does not recompute what is stored. They are plpgsql,
-- whose plans are kept: a SQL function that is not inlined is planned at every statement.
--
-- A field has its value in <name> and <name>_key, or, if it is an array of several, its values in <name>_all
-- and <name>_keys; the other two are null.

-- +goose StatementBegin
CREATE FUNCTION rowan.leaves(v jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT leaf FROM jsonb_path_query(v, 'strict $.** ? (@.type() == "string" || @.type() == "number" || @.type() == "boolean")') AS leaf
$$;
COMMENT ON FUNCTION rowan.leaves(jsonb) IS 'The scalar values of a property: itself, or the elements of an array of any depth, in order.';

CREATE FUNCTION rowan.single(v jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    CASE jsonb_typeof(v)
    WHEN 'string', 'number', 'boolean' THEN RETURN v;
    WHEN 'array' THEN
        IF jsonb_array_length(v) = 1 AND jsonb_typeof(v -> 0) IN ('string', 'number', 'boolean') THEN RETURN v -> 0; END IF;
    ELSE
    END CASE;
    RETURN NULL;
END $$;
CREATE FUNCTION rowan.several(v jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN jsonb_typeof(v) = 'array' AND (jsonb_array_length(v) > 1 OR jsonb_typeof(v -> 0) = 'array');
END $$;
COMMENT ON FUNCTION rowan.single(jsonb) IS 'A scalar, or the only element of an array; else null.';
COMMENT ON FUNCTION rowan.several(jsonb) IS 'Whether a property is an array of several values.';

-- Comparison keys are cut at 512 characters: an entry of a btree or GIN index takes at most about 2,700 bytes.
CREATE FUNCTION rowan.text_array(v jsonb, folded boolean, keys boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    found text[] COLLATE "C" := '{}';
    raws  text[] := '{}';
    raw   text;
    key   text COLLATE "C";
    j     int;
BEGIN
    IF jsonb_array_length(v) <= 24 AND NOT jsonb_path_exists(v, 'strict $[*] ? (@.type() == "array" || @.type() == "object")') THEN
        -- Insertion into sorted arrays: for the short ones, which are the rule, much cheaper than a query.
        FOR i IN 0 .. jsonb_array_length(v) - 1 LOOP
            raw := v ->> i;
            CONTINUE WHEN raw IS NULL;
            IF folded THEN key := left(rowan.fold(raw), 512); ELSE key := left(raw, 512); END IF;
            CONTINUE WHEN key = ANY (found);
            j := cardinality(found);
            IF j = 0 OR found[j] < key THEN
                found := found || key;
                IF NOT keys THEN raws := raws || raw; END IF;
                CONTINUE;
            END IF;
            WHILE j > 0 AND found[j] > key LOOP j := j - 1; END LOOP;
            found := found[1:j] || key || found[j + 1:];
            IF NOT keys THEN raws := raws[1:j] || raw || raws[j + 1:]; END IF;
        END LOOP;
        RETURN nullif(CASE WHEN keys THEN found ELSE raws END, '{}');
    END IF;
    IF keys THEN
        RETURN (SELECT array_agg(d.key ORDER BY d.key) FROM (
            SELECT DISTINCT left(CASE WHEN folded THEN rowan.fold(l #>> '{}') ELSE l #>> '{}' END, 512) COLLATE "C" AS key
            FROM rowan.leaves(v) AS l) d);
    END IF;
    RETURN (SELECT array_agg(d.raw ORDER BY d.key) FROM (
        SELECT DISTINCT ON (x.key) x.key, x.raw FROM (
            SELECT left(CASE WHEN folded THEN rowan.fold(l #>> '{}') ELSE l #>> '{}' END, 512) COLLATE "C" AS key, l #>> '{}' AS raw, o
            FROM rowan.leaves(v) WITH ORDINALITY AS y(l, o)) x
        ORDER BY x.key, x.o) d);
END $$;
COMMENT ON FUNCTION rowan.text_array(jsonb, boolean, boolean) IS 'Distinct values in the order of their keys: the keys themselves, or for each the spelling that comes first.';

CREATE FUNCTION rowan.text_value(v jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN v #>> '{}'; END IF; -- by far the commonest: a call less
    RETURN rowan.single(v) #>> '{}';
END $$;
CREATE FUNCTION rowan.text_key(v jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN left(rowan.fold(v #>> '{}'), 512); END IF;
    RETURN left(rowan.fold(rowan.single(v) #>> '{}'), 512);
END $$;
CREATE FUNCTION rowan.text_all(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.text_array(v, true, false); END IF; RETURN NULL; END $$;
CREATE FUNCTION rowan.text_keys(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.text_array(v, true, true); END IF; RETURN NULL; END $$;
COMMENT ON FUNCTION rowan.text_value(jsonb) IS 'A string as it was stored.';
COMMENT ON FUNCTION rowan.text_key(jsonb) IS 'What a string compares by: case- and accent-folded, at most 512 characters.';
COMMENT ON FUNCTION rowan.text_all(jsonb) IS 'The distinct strings of an array as they were stored, in the order of their keys.';
COMMENT ON FUNCTION rowan.text_keys(jsonb) IS 'What the distinct strings of an array compare by, sorted.';

CREATE FUNCTION rowan.exact_key(v jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN RETURN left(rowan.single(v) #>> '{}', 512); END $$;
CREATE FUNCTION rowan.exact_all(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.text_array(v, false, false); END IF; RETURN NULL; END $$;
CREATE FUNCTION rowan.exact_keys(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.text_array(v, false, true); END IF; RETURN NULL; END $$;
COMMENT ON FUNCTION rowan.exact_key(jsonb) IS 'As text_key, of a field whose case counts.';
COMMENT ON FUNCTION rowan.exact_all(jsonb) IS 'As text_all, of a field whose case counts.';
COMMENT ON FUNCTION rowan.exact_keys(jsonb) IS 'As text_keys, of a field whose case counts.';

-- Levels: "A > B" has the levels "A" and "A > B"; "/a/b" has "/a" and "/a/b".
CREATE FUNCTION rowan.levels(value text, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
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
            EXIT WHEN cardinality(result) = 100;
        END LOOP;
        RETURN result;
    END IF;
    -- The padding makes separators of a ">" at either end.
    FOREACH part IN ARRAY string_to_array(' ' || value || ' ', separator) LOOP
        part := btrim(part, ' ');
        CONTINUE WHEN part = '';
        level := concat(level || separator, part);
        result := result || level;
        EXIT WHEN cardinality(result) = 100;
    END LOOP;
    IF cardinality(result) = 0 THEN RETURN ARRAY['']; END IF;
    RETURN result;
END $$;
COMMENT ON FUNCTION rowan.levels(text, text) IS 'The levels of a category or path, from the highest to the whole; 100 at the most.';

-- The levels of one value are distinct and in order as they come.
CREATE FUNCTION rowan.levels_all(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE one CONSTANT text := rowan.single(v) #>> '{}';
BEGIN
    IF length(one) <= 512 THEN RETURN rowan.levels(one, separator); END IF;
    RETURN (SELECT array_agg(d.raw ORDER BY d.key) FROM (
        SELECT DISTINCT ON (e.key) e.key, e.raw FROM (
            SELECT left(rowan.fold(r), 512) COLLATE "C" AS key, r AS raw, o
            FROM rowan.leaves(v) WITH ORDINALITY AS x(l, o), unnest(rowan.levels(l #>> '{}', separator)) AS r) e
        ORDER BY e.key, e.o) d);
END $$;
CREATE FUNCTION rowan.levels_keys(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE one CONSTANT text := rowan.fold(rowan.single(v) #>> '{}');
BEGIN
    IF length(one) <= 512 THEN RETURN rowan.levels(one, separator); END IF;
    RETURN (SELECT array_agg(d.key ORDER BY d.key) FROM (
        SELECT DISTINCT left(r, 512) COLLATE "C" AS key
        FROM rowan.leaves(v) AS l, unnest(rowan.levels(rowan.fold(l #>> '{}'), separator)) AS r) d);
END $$;
CREATE FUNCTION rowan.levels_key(v jsonb, separator text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE levels text[];
BEGIN
    v := rowan.single(v);
    IF v IS NULL THEN RETURN NULL; END IF;
    levels := rowan.levels(rowan.fold(v #>> '{}'), separator);
    RETURN left(levels[cardinality(levels)], 512);
END $$;
COMMENT ON FUNCTION rowan.levels_all(jsonb, text) IS 'All distinct levels of all values, as they were stored, in the order of their keys.';
COMMENT ON FUNCTION rowan.levels_keys(jsonb, text) IS 'Comparison keys of all levels of all values, sorted.';
COMMENT ON FUNCTION rowan.levels_key(jsonb, text) IS 'Comparison key of the whole value.';

CREATE FUNCTION rowan.parse_number(s text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF length(s) <= 1000 AND s ~ '^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$' THEN RETURN s::numeric; END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION rowan.parse_number(text) IS 'The number that a string stands for, or null.';

CREATE FUNCTION rowan.number_array(v jsonb) RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(d.n ORDER BY d.n) FROM (
        SELECT DISTINCT CASE jsonb_typeof(l) WHEN 'number' THEN l::numeric WHEN 'string' THEN rowan.parse_number(l #>> '{}') END AS n
        FROM rowan.leaves(v) AS l) d WHERE d.n IS NOT NULL);
END $$;
CREATE FUNCTION rowan.number_value(v jsonb) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'number' THEN RETURN v::numeric; END IF;
    v := rowan.single(v);
    CASE jsonb_typeof(v)
    WHEN 'number' THEN RETURN v::numeric;
    WHEN 'string' THEN RETURN rowan.parse_number(v #>> '{}');
    ELSE RETURN NULL;
    END CASE;
END $$;
CREATE FUNCTION rowan.number_all(v jsonb) RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.number_array(v); END IF; RETURN NULL; END $$;
CREATE FUNCTION rowan.to_int(n numeric) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -2147483648 AND 2147483647 AND n % 1 = 0 THEN n::integer END; END $$;
CREATE FUNCTION rowan.to_long(n numeric) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -9223372036854775808 AND 9223372036854775807 AND n % 1 = 0 THEN n::bigint END; END $$;
CREATE FUNCTION rowan.to_float(n numeric) RETURNS double precision LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN
    CASE WHEN n = 0 OR abs(n) >= 2.3e-308 THEN n::double precision ELSE 0 END END; END $$;
CREATE FUNCTION rowan.int_value(v jsonb) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN RETURN rowan.to_int(rowan.number_value(v)); END $$;
CREATE FUNCTION rowan.long_value(v jsonb) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN RETURN rowan.to_long(rowan.number_value(v)); END $$;
CREATE FUNCTION rowan.float_value(v jsonb) RETURNS double precision LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN RETURN rowan.to_float(rowan.number_value(v)); END $$;
CREATE FUNCTION rowan.int_all(v jsonb) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) <> 'array' OR NOT rowan.several(v) THEN RETURN NULL; END IF;
    RETURN nullif(ARRAY(SELECT rowan.to_int(n) FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_int(n) IS NOT NULL), '{}');
END $$;
CREATE FUNCTION rowan.long_all(v jsonb) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) <> 'array' OR NOT rowan.several(v) THEN RETURN NULL; END IF;
    RETURN nullif(ARRAY(SELECT rowan.to_long(n) FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_long(n) IS NOT NULL), '{}');
END $$;
CREATE FUNCTION rowan.float_all(v jsonb) RETURNS double precision[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) <> 'array' OR NOT rowan.several(v) THEN RETURN NULL; END IF;
    RETURN nullif(ARRAY(SELECT DISTINCT rowan.to_float(n) AS f FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_float(n) IS NOT NULL ORDER BY f), '{}');
END $$;
COMMENT ON FUNCTION rowan.number_array(jsonb) IS 'The distinct numbers of a property, sorted.';
COMMENT ON FUNCTION rowan.number_value(jsonb) IS 'A number. int_value, long_value and float_value are the same within their ranges.';
COMMENT ON FUNCTION rowan.number_all(jsonb) IS 'The distinct numbers of an array, sorted. int_all, long_all and float_all are the same within their ranges.';

CREATE FUNCTION rowan.to_bool(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE lower(btrim(v #>> '{}')) WHEN 'true' THEN true WHEN 'false' THEN false END
$$;
CREATE FUNCTION rowan.bool_array(v jsonb) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(DISTINCT rowan.to_bool(l)) FROM rowan.leaves(v) AS l WHERE rowan.to_bool(l) IS NOT NULL);
END $$;
CREATE FUNCTION rowan.bool_value(v jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    v := rowan.single(v);
    CASE jsonb_typeof(v) WHEN 'boolean' THEN RETURN v::boolean; WHEN 'string' THEN RETURN rowan.to_bool(v); ELSE RETURN NULL; END CASE;
END $$;
CREATE FUNCTION rowan.bool_all(v jsonb) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.bool_array(v); END IF; RETURN NULL; END $$;
COMMENT ON FUNCTION rowan.bool_value(jsonb) IS 'A boolean or the string of one.';
COMMENT ON FUNCTION rowan.bool_all(jsonb) IS 'The distinct booleans of an array, false first.';

-- Only forms that mean the same whatever TimeZone and DateStyle are. The commonest are told apart without a
-- regular expression, which costs ten times as much as the rest.
CREATE FUNCTION rowan.to_instant(s text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    p text[];
    y int; mo int; d int; h int := 0; mi int := 0; sec double precision := 0;
    shift interval;
BEGIN
    CASE translate(s, '123456789', '000000000')
    WHEN '0000-00-00' THEN
        y := left(s, 4); mo := substr(s, 6, 2); d := substr(s, 9, 2);
    WHEN '0000-00-00T00:00:00Z', '0000-00-00T00:00:00' THEN
        y := left(s, 4); mo := substr(s, 6, 2); d := substr(s, 9, 2);
        h := substr(s, 12, 2); mi := substr(s, 15, 2); sec := substr(s, 18, 2);
    ELSE
        p := regexp_match(s, '^\s*(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?\s*([Zz]|[+-]\d\d:?\d\d)?)?\s*$');
        IF p IS NULL THEN
            IF s ~ '^\s*-?\d{1,15}\s*$' THEN RETURN rowan.from_millis(s::numeric); END IF;
            RETURN NULL;
        END IF;
        y := p[1]; mo := p[2]; d := p[3];
        IF p[4] IS NOT NULL THEN h := p[4]; mi := p[5]; sec := coalesce(p[6], '0'); END IF;
        IF p[7] NOT IN ('Z', 'z') THEN
            shift := make_interval(hours => substr(p[7], 2, 2)::int, mins => right(p[7], 2)::int);
            IF left(p[7], 1) = '-' THEN shift := -shift; END IF;
        END IF;
    END CASE;
    IF y < 1 OR mo < 1 OR mo > 12 OR d < 1 OR h > 23 OR mi > 59 OR sec > 60
       OR d > 28 AND d > (CASE WHEN mo IN (4, 6, 9, 11) THEN 30 WHEN mo <> 2 THEN 31
               WHEN y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0) THEN 29 ELSE 28 END) THEN
        RETURN NULL;
    END IF;
    IF shift IS NOT NULL THEN RETURN (make_timestamp(y, mo, d, h, mi, sec) - shift) AT TIME ZONE 'UTC'; END IF;
    RETURN make_timestamp(y, mo, d, h, mi, sec) AT TIME ZONE 'UTC';
END $$;
CREATE FUNCTION rowan.from_millis(n numeric) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF n BETWEEN -62135596800000 AND 253402300799999 THEN
        RETURN (timestamp 'epoch' + floor(n / 1000)::double precision * interval '1 second' + (n - floor(n / 1000) * 1000)::double precision * interval '1 millisecond') AT TIME ZONE 'UTC';
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION rowan.date_array(v jsonb) RETURNS timestamptz[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(d.t ORDER BY d.t) FROM (
        SELECT DISTINCT CASE jsonb_typeof(l) WHEN 'string' THEN rowan.to_instant(l #>> '{}') WHEN 'number' THEN rowan.from_millis(l::numeric) END AS t
        FROM rowan.leaves(v) AS l) d WHERE d.t IS NOT NULL);
END $$;
CREATE FUNCTION rowan.date_value(v jsonb) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN rowan.to_instant(v #>> '{}'); END IF;
    v := rowan.single(v);
    CASE jsonb_typeof(v)
    WHEN 'string' THEN RETURN rowan.to_instant(v #>> '{}');
    WHEN 'number' THEN RETURN rowan.from_millis(v::numeric);
    ELSE RETURN NULL;
    END CASE;
END $$;
CREATE FUNCTION rowan.date_all(v jsonb) RETURNS timestamptz[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN IF jsonb_typeof(v) = 'array' AND rowan.several(v) THEN RETURN rowan.date_array(v); END IF; RETURN NULL; END $$;
COMMENT ON FUNCTION rowan.to_instant(text) IS 'The instant that a string stands for, in UTC where it names no zone, or null.';
COMMENT ON FUNCTION rowan.from_millis(numeric) IS 'The instant so many milliseconds after 1970, or null outside of the years 1 to 9999.';
COMMENT ON FUNCTION rowan.date_value(jsonb) IS 'An instant.';
COMMENT ON FUNCTION rowan.date_all(jsonb) IS 'The distinct instants of an array, sorted.';

CREATE FUNCTION rowan.present(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT v IS NOT NULL AND v <> 'null'::jsonb AND v <> '[]'::jsonb
$$;
COMMENT ON FUNCTION rowan.present(jsonb) IS 'Whether a property is there: not null, not an empty array.';

CREATE FUNCTION rowan.boost(body jsonb) RETURNS double precision LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE n numeric;
BEGIN
    IF jsonb_typeof(body -> 'boost') = 'number' THEN
        n := (body -> 'boost')::numeric;
        IF n > 0 AND n <= 1000 THEN RETURN greatest(n, 1e-300); END IF;
    END IF;
    RETURN 1;
END $$;
COMMENT ON FUNCTION rowan.boost(jsonb) IS 'The factor of a document''s score: its boost, or 1.';

CREATE FUNCTION rowan.autocomplete(body jsonb, names text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    name   text;
    v      jsonb;
    t      text;
    result text[];
BEGIN
    FOREACH name IN ARRAY names LOOP
        v := body -> name;
        IF v IS NULL THEN v := rowan.field(body, name); END IF;
        -- Strings and short arrays are the rule, and cost a twentieth of a query.
        IF jsonb_typeof(v) = 'string' THEN v := jsonb_build_array(v);
        ELSIF jsonb_typeof(v) = 'object' OR jsonb_typeof(v) = 'array'
              AND (jsonb_array_length(v) > 24 OR jsonb_path_exists(v, 'strict $[*] ? (@.type() == "array" || @.type() == "object")')) THEN
            RETURN (SELECT array_agg(d.raw ORDER BY d.o) FROM (
                SELECT DISTINCT ON (e.raw) e.raw, e.o FROM (
                    SELECT btrim(l #>> '{}') AS raw, row_number() OVER (ORDER BY n.o, x.o) AS o
                    FROM unnest(names) WITH ORDINALITY AS n(name, o), rowan.leaves(rowan.field(body, n.name)) WITH ORDINALITY AS x(l, o)
                    WHERE jsonb_typeof(l) = 'string' AND btrim(l #>> '{}') <> '' AND length(l #>> '{}') <= 200) e
                ORDER BY e.raw, e.o) d);
        END IF;
        CONTINUE WHEN jsonb_typeof(v) IS DISTINCT FROM 'array';
        FOR i IN 0 .. jsonb_array_length(v) - 1 LOOP
            CONTINUE WHEN jsonb_typeof(v -> i) <> 'string';
            t := v ->> i;
            CONTINUE WHEN length(t) > 200;
            t := btrim(t);
            CONTINUE WHEN t = '' OR t = ANY (result);
            result := result || t;
        END LOOP;
    END LOOP;
    RETURN result;
END $$;
COMMENT ON FUNCTION rowan.autocomplete(jsonb, text[]) IS 'The suggestions of a document: the strings of up to 200 characters in the named fields, or null.';

CREATE FUNCTION rowan.fits(v jsonb, type text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF v IS NULL OR jsonb_typeof(v) = 'null' THEN RETURN true; END IF;
    IF jsonb_typeof(v) IN ('object', 'array') AND jsonb_path_exists(v, 'strict $.** ? (@.type() == "object")') THEN RETURN false; END IF;
    RETURN NOT EXISTS (SELECT FROM rowan.leaves(v) AS l WHERE CASE type
        WHEN 'int' THEN rowan.int_value(l) IS NULL
        WHEN 'long' THEN rowan.long_value(l) IS NULL
        WHEN 'float' THEN rowan.float_value(l) IS NULL
        WHEN 'price' THEN rowan.number_value(l) IS NULL
        WHEN 'searchable_number' THEN rowan.number_value(l) IS NULL
        WHEN 'bool' THEN rowan.bool_value(l) IS NULL
        WHEN 'date' THEN rowan.date_value(l) IS NULL
        ELSE false END);
END $$;
COMMENT ON FUNCTION rowan.fits(jsonb, text) IS 'Whether a stored property fits a mapping type.';

-- What an unmapped property is compared by: no column backs it.
CREATE FUNCTION rowan.any_text(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT rowan.fold(l #>> '{}') COLLATE "C" FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'string');
END $$;
CREATE FUNCTION rowan.any_number(v jsonb) RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT l::numeric FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'number');
END $$;
CREATE FUNCTION rowan.any_bool(v jsonb) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(SELECT l::boolean FROM rowan.leaves(v) AS l WHERE jsonb_typeof(l) = 'boolean');
END $$;
CREATE FUNCTION rowan.facet_values(v jsonb) RETURNS TABLE (key text, value jsonb) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT ON (e.k) e.k, e.l FROM (
        SELECT CASE jsonb_typeof(l) WHEN 'string' THEN 's' || rowan.fold(l #>> '{}')
               WHEN 'number' THEN 'n' || trim_scale(l::numeric)::text ELSE 'b' || (l #>> '{}') END COLLATE "C" AS k,
               CASE jsonb_typeof(l) WHEN 'number' THEN to_jsonb(trim_scale(l::numeric)) ELSE l END AS l, o
        FROM rowan.leaves(v) WITH ORDINALITY AS x(l, o)) e
    ORDER BY e.k, e.o;
END $$;
COMMENT ON FUNCTION rowan.facet_values(jsonb) IS 'The distinct values of a property without a mapping, with what tells them apart.';
COMMENT ON FUNCTION rowan.any_text(jsonb) IS 'The strings of a property without a mapping, folded.';
COMMENT ON FUNCTION rowan.any_number(jsonb) IS 'The numbers of a property without a mapping.';
COMMENT ON FUNCTION rowan.any_bool(jsonb) IS 'The booleans of a property without a mapping.';
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION rowan.facet_values, rowan.any_bool, rowan.any_number, rowan.any_text, rowan.fits, rowan.autocomplete, rowan.boost, rowan.present,
    rowan.date_all, rowan.date_value, rowan.date_array, rowan.from_millis, rowan.to_instant,
    rowan.bool_all, rowan.bool_value, rowan.bool_array, rowan.to_bool,
    rowan.float_all, rowan.long_all, rowan.int_all, rowan.float_value, rowan.long_value, rowan.int_value,
    rowan.to_float, rowan.to_long, rowan.to_int, rowan.number_all, rowan.number_value, rowan.number_array, rowan.parse_number,
    rowan.levels_key, rowan.levels_keys, rowan.levels_all, rowan.levels,
    rowan.exact_keys, rowan.exact_all, rowan.exact_key,
    rowan.text_keys, rowan.text_all, rowan.text_key, rowan.text_value, rowan.text_array, rowan.several, rowan.single, rowan.leaves;
