-- +goose Up
-- Functions of the value columns: what a field is filtered, faceted and sorted by. Each takes the jsonb value
-- of one property, of any shape, and never fails: what does not fit the type is no value. All are immutable,
-- because generated columns use them; changing one here does not recompute what is stored. The common case, a
-- scalar, is SQL that the planner inlines; arrays and strings that stand for numbers take plpgsql, whose plans
-- are kept (a SQL function that is not inlined is planned at every call).

-- +goose StatementBegin
CREATE FUNCTION rowan.leaves(v jsonb) RETURNS SETOF jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT leaf FROM jsonb_path_query(v, 'strict $.** ? (@.type() == "string" || @.type() == "number" || @.type() == "boolean")') AS leaf
$$;
COMMENT ON FUNCTION rowan.leaves(jsonb) IS 'The scalar values of a property: itself, or the elements of an array of any depth, in order.';

-- Comparison keys are cut at 512 characters: an entry of a btree or GIN index takes at most about 2,700 bytes.
CREATE FUNCTION rowan.text_array(v jsonb, folded boolean, keys boolean) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF keys THEN
        RETURN (SELECT array_agg(d.key ORDER BY d.key) FROM (
            SELECT DISTINCT left(CASE WHEN folded THEN rowan.fold(l #>> '{}') ELSE l #>> '{}' END, 512) COLLATE "C" AS key
            FROM rowan.leaves(v) AS l) d);
    END IF;
    RETURN (SELECT array_agg(d.raw ORDER BY d.key) FROM (
        SELECT DISTINCT ON (e.key) e.key, e.raw FROM (
            SELECT left(CASE WHEN folded THEN rowan.fold(l #>> '{}') ELSE l #>> '{}' END, 512) COLLATE "C" AS key, l #>> '{}' AS raw, o
            FROM rowan.leaves(v) WITH ORDINALITY AS x(l, o)) e
        ORDER BY e.key, e.o) d);
END $$;
COMMENT ON FUNCTION rowan.text_array(jsonb, boolean, boolean) IS 'Distinct values in the order of their keys: the keys themselves, or for each the spelling that comes first.';

CREATE FUNCTION rowan.several(a anyarray) RETURNS anyarray LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN cardinality(a) > 1 THEN a END
$$;
COMMENT ON FUNCTION rowan.several(anyarray) IS 'The array if it has more than one element: columns <name>_all and <name>_keys are null where <name> says it all.';

CREATE FUNCTION rowan.text_value(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
        WHEN 'string' THEN v #>> '{}' WHEN 'number' THEN v #>> '{}' WHEN 'boolean' THEN v #>> '{}'
        WHEN 'array' THEN (rowan.text_array(v, true, false))[1] END
$$;
CREATE FUNCTION rowan.text_key(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
        WHEN 'string' THEN left(rowan.fold(v #>> '{}'), 512) WHEN 'number' THEN v #>> '{}' WHEN 'boolean' THEN v #>> '{}'
        WHEN 'array' THEN (rowan.text_array(v, true, true))[1] END
$$;
CREATE FUNCTION rowan.text_all(v jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.text_array(v, true, false)) END
$$;
CREATE FUNCTION rowan.text_keys(v jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.text_array(v, true, true)) END
$$;
COMMENT ON FUNCTION rowan.text_value(jsonb) IS 'A string as it was stored; of an array, the one that sorts first.';
COMMENT ON FUNCTION rowan.text_key(jsonb) IS 'What a string compares by: case- and accent-folded, at most 512 characters; of an array, the smallest.';
COMMENT ON FUNCTION rowan.text_all(jsonb) IS 'The distinct strings of an array as they were stored, in the order of their keys; null where there are not several.';
COMMENT ON FUNCTION rowan.text_keys(jsonb) IS 'The distinct keys of an array, sorted; null where there are not several.';

CREATE FUNCTION rowan.exact_value(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
        WHEN 'string' THEN v #>> '{}' WHEN 'number' THEN v #>> '{}' WHEN 'boolean' THEN v #>> '{}'
        WHEN 'array' THEN (rowan.text_array(v, false, false))[1] END
$$;
CREATE FUNCTION rowan.exact_key(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
        WHEN 'string' THEN left(v #>> '{}', 512) WHEN 'number' THEN v #>> '{}' WHEN 'boolean' THEN v #>> '{}'
        WHEN 'array' THEN (rowan.text_array(v, false, true))[1] END
$$;
CREATE FUNCTION rowan.exact_all(v jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.text_array(v, false, false)) END
$$;
CREATE FUNCTION rowan.exact_keys(v jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.text_array(v, false, true)) END
$$;
COMMENT ON FUNCTION rowan.exact_value(jsonb) IS 'As text_value, of a field whose case counts.';
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
        END LOOP;
        RETURN result;
    END IF;
    -- The padding makes separators of a ">" at either end.
    FOREACH part IN ARRAY string_to_array(' ' || value || ' ', separator) LOOP
        part := btrim(part, ' ');
        CONTINUE WHEN part = '';
        level := concat(level || separator, part);
        result := result || level;
    END LOOP;
    IF cardinality(result) = 0 THEN RETURN ARRAY['']; END IF;
    RETURN result;
END $$;
COMMENT ON FUNCTION rowan.levels(text, text) IS 'The levels of a category or path, from the highest to the whole.';

CREATE FUNCTION rowan.levels_all(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(d.raw ORDER BY d.key) FROM (
        SELECT DISTINCT ON (e.key) e.key, e.raw FROM (
            SELECT left(rowan.fold(r), 512) COLLATE "C" AS key, r AS raw, o
            FROM rowan.leaves(v) WITH ORDINALITY AS x(l, o), unnest(rowan.levels(l #>> '{}', separator)) AS r) e
        ORDER BY e.key, e.o) d);
END $$;
CREATE FUNCTION rowan.levels_keys(v jsonb, separator text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(d.key ORDER BY d.key) FROM (
        SELECT DISTINCT left(r, 512) COLLATE "C" AS key
        FROM rowan.leaves(v) AS l, unnest(rowan.levels(rowan.fold(l #>> '{}'), separator)) AS r) d);
END $$;
CREATE FUNCTION rowan.levels_key(v jsonb, separator text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE levels text[];
BEGIN
    IF jsonb_typeof(v) = 'array' THEN
        RETURN (SELECT min(left((x.a)[cardinality(x.a)], 512) COLLATE "C")
            FROM (SELECT rowan.levels(rowan.fold(l #>> '{}'), separator) AS a FROM rowan.leaves(v) AS l) x);
    END IF;
    IF v IS NULL OR jsonb_typeof(v) NOT IN ('string', 'number', 'boolean') THEN RETURN NULL; END IF;
    levels := rowan.levels(rowan.fold(v #>> '{}'), separator);
    RETURN left(levels[cardinality(levels)], 512);
END $$;
COMMENT ON FUNCTION rowan.levels_all(jsonb, text) IS 'All distinct levels of all values, as they were stored, in the order of their keys.';
COMMENT ON FUNCTION rowan.levels_keys(jsonb, text) IS 'Comparison keys of all levels of all values, sorted.';
COMMENT ON FUNCTION rowan.levels_key(jsonb, text) IS 'Comparison key of the whole value; of an array, the smallest.';

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
CREATE FUNCTION rowan.number_value(v jsonb) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'number' THEN v::numeric WHEN 'string' THEN rowan.parse_number(v #>> '{}')
        WHEN 'array' THEN (rowan.number_array(v))[1] END
$$;
CREATE FUNCTION rowan.number_all(v jsonb) RETURNS numeric[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.number_array(v)) END
$$;
CREATE FUNCTION rowan.to_int(n numeric) RETURNS integer LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -2147483648 AND 2147483647 AND n % 1 = 0 THEN n::integer END; END $$;
CREATE FUNCTION rowan.to_long(n numeric) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -9223372036854775808 AND 9223372036854775807 AND n % 1 = 0 THEN n::bigint END; END $$;
CREATE FUNCTION rowan.to_float(n numeric) RETURNS double precision LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN RETURN CASE WHEN n BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN
    CASE WHEN n = 0 OR abs(n) >= 2.3e-308 THEN n::double precision ELSE 0 END END; END $$;
CREATE FUNCTION rowan.int_value(v jsonb) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT rowan.to_int(rowan.number_value(v))
$$;
CREATE FUNCTION rowan.long_value(v jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT rowan.to_long(rowan.number_value(v))
$$;
CREATE FUNCTION rowan.float_value(v jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT rowan.to_float(rowan.number_value(v))
$$;
CREATE FUNCTION rowan.int_all(v jsonb) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN
        rowan.several(ARRAY(SELECT rowan.to_int(n) FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_int(n) IS NOT NULL)) END
$$;
CREATE FUNCTION rowan.long_all(v jsonb) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN
        rowan.several(ARRAY(SELECT rowan.to_long(n) FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_long(n) IS NOT NULL)) END
$$;
CREATE FUNCTION rowan.float_all(v jsonb) RETURNS double precision[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN
        rowan.several(ARRAY(SELECT rowan.to_float(n) FROM unnest(rowan.number_array(v)) AS n WHERE rowan.to_float(n) IS NOT NULL)) END
$$;
COMMENT ON FUNCTION rowan.number_array(jsonb) IS 'The distinct numbers of a property, sorted.';
COMMENT ON FUNCTION rowan.number_value(jsonb) IS 'A number; of an array, the smallest. int_value, long_value and float_value are the same within their ranges.';
COMMENT ON FUNCTION rowan.number_all(jsonb) IS 'The distinct numbers of an array, sorted; null where there are not several. int_all, long_all and float_all are the same within their ranges.';

CREATE FUNCTION rowan.to_bool(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE lower(btrim(v #>> '{}')) WHEN 'true' THEN true WHEN 'false' THEN false END
$$;
CREATE FUNCTION rowan.bool_array(v jsonb) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(DISTINCT rowan.to_bool(l)) FROM rowan.leaves(v) AS l WHERE rowan.to_bool(l) IS NOT NULL);
END $$;
CREATE FUNCTION rowan.bool_value(v jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'boolean' THEN v::boolean WHEN 'string' THEN rowan.to_bool(v)
        WHEN 'array' THEN (rowan.bool_array(v))[1] END
$$;
CREATE FUNCTION rowan.bool_all(v jsonb) RETURNS boolean[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.bool_array(v)) END
$$;
COMMENT ON FUNCTION rowan.bool_value(jsonb) IS 'A boolean or the string of one; of an array, false if it has one.';

-- Only forms that mean the same whatever TimeZone and DateStyle are: that makes the cast below immutable in effect.
CREATE FUNCTION rowan.to_instant(s text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    p text[];
    y int; mo int; d int; h int := 0; mi int := 0; sec double precision := 0;
    shift interval := '0';
BEGIN
    p := regexp_match(s, '^\s*(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?\s*([Zz]|[+-]\d\d:?\d\d)?)?\s*$');
    IF p IS NULL THEN
        IF s ~ '^\s*-?\d{1,15}\s*$' THEN RETURN rowan.from_millis(s::numeric); END IF;
        RETURN NULL;
    END IF;
    y := p[1]; mo := p[2]; d := p[3];
    IF p[4] IS NOT NULL THEN h := p[4]; mi := p[5]; sec := coalesce(p[6], '0'); END IF;
    IF y < 1 OR mo < 1 OR mo > 12 OR d < 1 OR h > 23 OR mi > 59 OR sec > 60
       OR d > (CASE WHEN mo IN (4, 6, 9, 11) THEN 30 WHEN mo <> 2 THEN 31
               WHEN y % 4 = 0 AND (y % 100 <> 0 OR y % 400 = 0) THEN 29 ELSE 28 END) THEN
        RETURN NULL;
    END IF;
    IF p[7] IS NOT NULL AND p[7] NOT IN ('Z', 'z') THEN
        shift := make_interval(hours => substr(p[7], 2, 2)::int, mins => right(p[7], 2)::int);
        IF left(p[7], 1) = '-' THEN shift := -shift; END IF;
    END IF;
    RETURN (make_timestamp(y, mo, d, h, mi, sec) - shift) AT TIME ZONE 'UTC';
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
CREATE FUNCTION rowan.date_value(v jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'string' THEN rowan.to_instant(v #>> '{}') WHEN 'number' THEN rowan.from_millis(v::numeric)
        WHEN 'array' THEN (rowan.date_array(v))[1] END
$$;
CREATE FUNCTION rowan.date_all(v jsonb) RETURNS timestamptz[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v) WHEN 'array' THEN rowan.several(rowan.date_array(v)) END
$$;
COMMENT ON FUNCTION rowan.to_instant(text) IS 'The instant that a string stands for, in UTC where it names no zone, or null.';
COMMENT ON FUNCTION rowan.from_millis(numeric) IS 'The instant so many milliseconds after 1970, or null outside of the years 1 to 9999.';
COMMENT ON FUNCTION rowan.date_value(jsonb) IS 'An instant; of an array, the earliest.';

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
BEGIN
    RETURN (SELECT array_agg(d.raw ORDER BY d.o) FROM (
        SELECT DISTINCT ON (e.raw) e.raw, e.o FROM (
            SELECT btrim(l #>> '{}') AS raw, row_number() OVER (ORDER BY n.o, x.o) AS o
            FROM unnest(names) WITH ORDINALITY AS n(name, o), rowan.leaves(rowan.field(body, n.name)) WITH ORDINALITY AS x(l, o)
            WHERE jsonb_typeof(l) = 'string' AND btrim(l #>> '{}') <> '' AND length(l #>> '{}') <= 200) e
        ORDER BY e.raw, e.o) d);
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
    rowan.exact_keys, rowan.exact_all, rowan.exact_key, rowan.exact_value,
    rowan.text_keys, rowan.text_all, rowan.text_key, rowan.text_value, rowan.several, rowan.text_array, rowan.leaves;
