-- +goose Up
-- ™ and ℠ are TM and SM by their compatibility forms, and became the end of the word before them: Velocity™ was velocitytm.
-- What is stored stays as it is until it is written again, or the index's language is changed to another one and back.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(t) <> length(t) THEN
        -- What English text has outside ASCII. The soft hyphen and the zero-width joiner stand inside words.
        t := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(t, '’', ' '), '‘', ' '), '“', ' '), '”', ' '),
            '–', ' '), '—', ' '), '™', ' '), '℠', ' '), U&'\00A0', ' '), U&'\00AD', ''), U&'\200D', '');
        IF octet_length(t) <> length(t) THEN t := rowan.fold(t); END IF;
        IF octet_length(t) <> length(t) THEN RETURN rowan.bigrams(rowan.spaced(t)); END IF;
    END IF;
    RETURN replace(replace(replace(replace(replace(replace(replace(t,
        '.', ' '), '-', ' '), '/', ' '), '&', ' '), '<', ' '), '+', ' '), '~', ' ');
END $$;
-- +goose StatementEnd

-- +goose Down
-- Words that end before a sign do no harm.
SELECT;
