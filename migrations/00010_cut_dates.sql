-- +goose Up
-- A date has microseconds, and what is written beyond is cut off. Rounded, the last instant of a year (9999-12-31T23:59:59.9999999Z
-- means "never" to many) is in the next one. Nothing leaves the years 1 to 9999, neither by its zone nor by a leap second: documents
-- are checked for it, but not those that had no mapping when they were written. What is stored stays as it is until it is written again.

-- +goose StatementBegin
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
        p := regexp_match(s, '^\s*(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?\s*([Zz]|[+-]\d\d:?\d\d)?)?\s*$');
        IF p IS NULL THEN
            IF s ~ '^\s*-?\d{1,15}\s*$' THEN RETURN rowan.from_millis(s::numeric); END IF;
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

-- In whole microseconds: what is multiplied as a double is a whole number of seconds, or of less than a million microseconds.
CREATE OR REPLACE FUNCTION rowan.from_millis(n numeric) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE micros bigint;
BEGIN
    IF n >= -62135596800000 AND n < 253402300800000 THEN
        micros := floor(n * 1000);
        RETURN (timestamp 'epoch' + (micros / 1000000)::double precision * interval '1 second' + (micros % 1000000)::double precision * interval '1 microsecond') AT TIME ZONE 'UTC';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION rowan.to_instant(text) IS 'The instant that a string stands for, in UTC where it names no zone, cut to microseconds; null outside of the years 1 to 9999.';

-- +goose Down
-- Dates that are cut do no harm.
SELECT;
