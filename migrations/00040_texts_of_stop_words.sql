-- +goose Up
-- A text of nothing but stop words keeps them, marked: no search found the titles It, They, or To Be or Not to Be. Documents of indices with stemmed texts are
-- compared in the background, and those with such texts are computed anew.

-- +goose StatementBegin
CREATE FUNCTION rowan.stop_words(texts text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE words CONSTANT tsvector := rowan.lexemes('pg_catalog.simple', texts);
BEGIN
    IF words = '' THEN RETURN ''; END IF;
    -- The mark tells them from stems: but is none of buts.
    RETURN (SELECT string_agg('''^' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':' || array_to_string(positions, ','), ' ')::tsvector FROM unnest(words));
END $$;
COMMENT ON FUNCTION rowan.stop_words(text[]) IS 'The lexemes of texts that have nothing but stop words: these, marked with ^.';

CREATE OR REPLACE FUNCTION rowan.tsv_stemmed(cfg regconfig, v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE stems tsvector;
BEGIN
    IF jsonb_typeof(v) = 'string' THEN stems := rowan.lexemes(cfg, v #>> '{}', false); ELSE stems := rowan.lexemes(cfg, rowan.texts(v)); END IF;
    IF stems <> '' THEN RETURN stems; END IF;
    RETURN rowan.stop_words(rowan.texts(v));
END $$;

CREATE OR REPLACE FUNCTION rowan.tsv_html(cfg regconfig, v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts text[];
    stems tsvector;
BEGIN
    IF jsonb_typeof(v) = 'string' THEN texts := ARRAY[rowan.plain_html(v #>> '{}')];
    ELSE texts := ARRAY(SELECT rowan.plain_html(e) FROM unnest(rowan.texts(v)) WITH ORDINALITY AS x(e, o) ORDER BY o); END IF;
    stems := rowan.lexemes(cfg, texts);
    IF stems <> '' THEN RETURN stems; END IF;
    RETURN rowan.stop_words(texts);
END $$;
-- +goose StatementEnd

UPDATE rowan.indices SET computed_by = NULL WHERE id IN (SELECT index_id FROM rowan.mappings WHERE type IN ('sentence', 'text', 'long_text', 'html'));

-- +goose Down
-- More is found.
SELECT;
