-- +goose Up
-- A number or date that is read from a string is never an error. White space and digits outside ASCII, which regular expressions know (digits with ICU), are
-- none to the conversion that follows: a change of mappings with "5" and an ideographic space in a document was answered 500, and psql could not write it.
-- Nothing that is stored changes.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.parse_number(s text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF length(s) <= 1000 AND s ~ '^[ \t-\r]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?[ \t-\r]*$' THEN RETURN s::numeric; END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION rowan.to_instant(s text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    p text[];
    y int; mo int; d int; h int := 0; mi int := 0; sec double precision := 0;
    shift interval;
    at timestamp;
BEGIN
    CASE translate(s, '123456789', '000000000')
    WHEN '0000-00-00' THEN
        y := left(s, 4); mo := substr(s, 6, 2); d := substr(s, 9, 2);
    WHEN '0000-00-00T00:00:00Z', '0000-00-00T00:00:00' THEN
        y := left(s, 4); mo := substr(s, 6, 2); d := substr(s, 9, 2);
        h := substr(s, 12, 2); mi := substr(s, 15, 2); sec := substr(s, 18, 2);
    ELSE
        p := regexp_match(s, '^\s*([0-9]{4})-([0-9][0-9])-([0-9][0-9])(?:[Tt ]([0-9][0-9]):([0-9][0-9])(?::([0-9][0-9](?:\.[0-9]{1,9})?))?\s*([Zz]|[+-][0-9][0-9]:?[0-9][0-9])?)?\s*$');
        IF p IS NULL THEN
            IF s ~ '^[ \t-\r]*-?[0-9]{1,15}[ \t-\r]*$' THEN RETURN rowan.from_millis(s::numeric); END IF;
            RETURN NULL;
        END IF;
        y := p[1]; mo := p[2]; d := p[3];
        -- Nine characters are microseconds: make_timestamp rounds to these, so it is to see no more.
        IF p[4] IS NOT NULL THEN h := p[4]; mi := p[5]; sec := coalesce(left(p[6], 9), '0'); END IF;
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
    IF shift IS NULL AND sec < 60 THEN RETURN make_timestamp(y, mo, d, h, mi, sec) AT TIME ZONE 'UTC'; END IF;
    at := make_timestamp(y, mo, d, h, mi, sec) - coalesce(shift, interval '0');
    IF at < timestamp '0001-01-01' OR at >= timestamp '10000-01-01' THEN RETURN NULL; END IF;
    RETURN at AT TIME ZONE 'UTC';
END $$;

CREATE OR REPLACE FUNCTION rowan.tsv_digits(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY rowan.texts(v) LOOP
        -- 12.50 is found by 12.50 and by 12.5, "0012" by 0012 and by 12.
        wholes := wholes || regexp_replace(e, '[^0-9]', '', 'g');
        IF e ~ '^[ \t-\r]*[-+]?[0-9]{1,200}(\.[0-9]{0,200})?([eE][-+]?[0-9]{1,2})?[ \t-\r]*$' THEN
            wholes := wholes || regexp_replace(trim_scale(e::numeric)::text, '[^0-9]', '', 'g');
        END IF;
    END LOOP;
    RETURN rowan.with_wholes('', wholes, '~');
END $$;
-- +goose StatementEnd

-- +goose Down
-- The functions fail less, and find the same.
SELECT;
