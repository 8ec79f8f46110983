-- +goose Up
-- What a dotted name finds in an array of a few objects takes no query: on connections that plan every execution anew it was planned for
-- each document, which was most of the time of a filter on a property of objects that has no mapping.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.field(body jsonb, name text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    steps text[];
    head  text;
    found jsonb;
    step  jsonb;
BEGIN
    IF jsonb_typeof(body) = 'array' THEN
        IF jsonb_array_length(body) > 8 OR jsonb_path_exists(body, 'strict $[*] ? (@.type() == "array")') THEN
            -- In lax mode what is no array stays.
            RETURN (SELECT jsonb_path_query_array(jsonb_agg(f.found ORDER BY f.n), 'lax $[*][*]')
                FROM (SELECT rowan.field(x, name) AS found, n FROM jsonb_array_elements(rowan.flat(body)) WITH ORDINALITY AS e(x, n)
                      WHERE jsonb_typeof(x) = 'object' OFFSET 0) f
                WHERE f.found IS NOT NULL);
        END IF;
        FOR i IN 0 .. jsonb_array_length(body) - 1 LOOP
            step := rowan.field(body -> i, name);
            IF step IS NOT NULL THEN found := coalesce(found, '[]') || step; END IF;
        END LOOP;
        RETURN found;
    END IF;
    IF jsonb_typeof(body) <> 'object' THEN RETURN NULL; END IF;
    IF body ? name THEN RETURN body -> name; END IF;
    IF position('.' IN name) = 0 THEN RETURN NULL; END IF;
    steps := string_to_array(name, '.');
    FOR i IN REVERSE cardinality(steps) - 1 .. 1 LOOP
        head := array_to_string(steps[1:i], '.');
        CONTINUE WHEN NOT body ? head;
        found := rowan.field(body -> head, array_to_string(steps[i + 1:], '.'));
        IF found IS NOT NULL THEN RETURN found; END IF;
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- Both versions of the function find the same.
SELECT;
