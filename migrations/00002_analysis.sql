-- +goose Up
-- Analysis: how text becomes lexemes. service/analysis mirrors it in Go, and a property test holds the two
-- together: change both. Generated columns and the GIN index of every table use these functions, so all are
-- immutable and never fail, whatever the jsonb; changing one here does not recompute what is stored. They are
-- plpgsql, because its plans are kept: a SQL function that is not inlined is planned at every statement. The
-- database's encoding is UTF-8 and its LC_CTYPE a UTF-8 one.

-- +goose StatementBegin
CREATE FUNCTION rowan.fold(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE f text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t COLLATE "C"); END IF;
    f := lower(normalize(t, NFKD) COLLATE "default");
    -- Marks go only from Latin letters: й is another letter than и, and が another than か.
    IF f ~ '[\u0300-\u036f]' THEN
        f := regexp_replace(f, '(?<=[a-z\u00df-\u00f6\u00f8-\u02af])[\u0300-\u036f]+', '', 'g');
    END IF;
    IF f ~ '[ßæœøłđðþı]' THEN
        f := replace(replace(replace(replace(replace(replace(replace(replace(replace(f,
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ð', 'd'), 'þ', 'th'), 'ı', 'i');
    END IF;
    -- normalize is what costs most here: without a character in these ranges nothing composes.
    IF f ~ '[\u0300-\u036f\u0653-\u1b35\u3099\u309a\U000110ba-\U00011930]' THEN RETURN normalize(f, NFC); END IF;
    RETURN f;
END $$;
COMMENT ON FUNCTION rowan.fold(text) IS 'Text without case, accents on Latin letters and compatibility forms: strings are compared by it.';

-- The characters of words outside ASCII (letters, decimal digits, marks), as of Unicode 14 and in folded text;
-- unassigned characters between them count. Spelled out, so that words do not depend on the C library.
-- \x01 stays, it parts the elements of an array.
CREATE FUNCTION rowan.spaced(folded text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(folded) = length(folded) THEN
        RETURN regexp_replace(folded, '[^a-z0-9\x01]+', ' ', 'g');
    END IF;
    RETURN regexp_replace(folded,
            '[^a-z0-9\x01'
            '\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02c1\u02c6-\u02d1\u02ec\u02ee\u0300-\u0373\u0376-\u03f3\u03f7-\u0481'
            '\u0483-\u0559\u0560-\u0588\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7-\u05f2\u0610-\u061a\u0620-\u0669'
            '\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06fc\u06ff\u0710-\u07f5\u07fa-\u07fd\u0800-\u082d\u0840-\u085b'
            '\u0860-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u0963\u0966-\u096f\u0971-\u09f1\u09fc\u09fe-\u0a75\u0a81-\u0aef'
            '\u0af9-\u0b6f\u0b71\u0b82-\u0bef\u0c00-\u0c6f\u0c80-\u0c83\u0c85-\u0cf2\u0d00-\u0d4e\u0d54-\u0d57\u0d5f-\u0d6f'
            '\u0d7a-\u0df3\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0ecd\u0ed0-\u0f00\u0f18-\u0f19\u0f20-\u0f29\u0f35'
            '\u0f37\u0f39\u0f40-\u0f84\u0f86-\u0fbc\u0fc6\u1000-\u1049\u1050-\u109d\u10a0-\u10fa\u10fd-\u135f\u1380-\u138f'
            '\u13a0-\u13fd\u1401-\u166c\u166f-\u167f\u1681-\u169a\u16a0-\u16ea\u16ee-\u1714\u171f-\u1733\u1740-\u17d3\u17d7'
            '\u17dc-\u17e9\u180b-\u180d\u180f-\u193b\u1946-\u19d9\u1a00-\u1a1b\u1a20-\u1a99\u1aa7\u1ab0-\u1b43\u1b45-\u1b59'
            '\u1b6b-\u1b73\u1b80-\u1ba9\u1bab-\u1bf1\u1c00-\u1c37\u1c40-\u1c7d\u1c80-\u1cbf\u1cd0-\u1cd2\u1cd4-\u1ce0'
            '\u1ce2-\u1cf6\u1cf8-\u1ffc\u20d0-\u20f0\u2132\u214e\u2180-\u2188\u2c00-\u2ce4\u2ceb-\u2cf3\u2d00-\u2d67'
            '\u2d7f-\u2dff\u2e2f\u3005-\u3007\u3021-\u302d\u3031-\u3035\u303b-\u303c\u3041-\u309e\u30a1-\u30fa\u30fc-\u312f'
            '\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48c\ua4d0-\ua4fd\ua500-\ua60c\ua610-\ua672\ua674-\ua67d'
            '\ua67f-\ua6f1\ua717-\ua71f\ua722-\ua788\ua78b-\ua827\ua82c\ua840-\ua873\ua880-\ua8c5\ua8d0-\ua8f7\ua8fb'
            '\ua8fd-\ua92d\ua930-\ua952\ua960-\ua9bf\ua9cf-\ua9d9\ua9e0-\uaa59\uaa60-\uaa76\uaa7a-\uaadd\uaae0-\uaaef'
            '\uaaf2-\uab5a\uab60-\uab68\uab70-\uabea\uabed-\ud7fb\uf900-\ufb1e\ufe00-\ufe2f\ufe73\U00010000-\U000100fa'
            '\U00010140-\U00010174\U000101fd-\U000102e0\U00010300-\U0001031f\U0001032d-\U0001039d\U000103a0-\U000103cf'
            '\U000103d1-\U00010563\U00010570-\U00010855\U00010860-\U00010876\U00010880-\U0001089e\U000108e0-\U000108f5'
            '\U00010900-\U00010915\U00010920-\U00010939\U00010980-\U000109b7\U000109be-\U000109bf\U00010a00-\U00010a3f'
            '\U00010a60-\U00010a7c\U00010a80-\U00010a9c\U00010ac0-\U00010ac7\U00010ac9-\U00010ae6\U00010b00-\U00010b35'
            '\U00010b40-\U00010b55\U00010b60-\U00010b72\U00010b80-\U00010b91\U00010c00-\U00010cf2\U00010d00-\U00010d39'
            '\U00010e80-\U00010eac\U00010eb0-\U00010eb1\U00010f00-\U00010f1c\U00010f27-\U00010f50\U00010f70-\U00010f85'
            '\U00010fb0-\U00010fc4\U00010fe0-\U00011046\U00011066-\U000110ba\U000110c2\U000110d0-\U0001113f'
            '\U00011144-\U00011173\U00011176-\U000111bf\U000111c1-\U000111c4\U000111c9-\U000111cc\U000111ce-\U000111da'
            '\U000111dc\U00011200-\U00011234\U00011236-\U00011237\U0001123e\U00011280-\U000112a8\U000112b0-\U0001134c'
            '\U00011350-\U0001144a\U00011450-\U00011459\U0001145e-\U000114c5\U000114c7-\U000115c0\U000115d8-\U00011640'
            '\U00011644-\U00011659\U00011680-\U000116b5\U000116b7-\U000116b8\U000116c0-\U00011739\U00011740-\U0001183a'
            '\U000118a0-\U000118e9\U000118ff-\U0001193c\U0001193e-\U00011943\U00011950-\U000119e1\U000119e3-\U00011a3e'
            '\U00011a47-\U00011a99\U00011a9d\U00011ab0-\U00011af8\U00011c00-\U00011c40\U00011c50-\U00011c59'
            '\U00011c72-\U00011ef6\U00011fb0\U00012000-\U0001246e\U00012480-\U00012ff0\U00013000-\U0001342e'
            '\U00014400-\U00016a69\U00016a70-\U00016af4\U00016b00-\U00016b36\U00016b40-\U00016b43\U00016b50-\U00016b59'
            '\U00016b63-\U00016e7f\U00016f00-\U00016fe1\U00016fe3-\U0001b122\U0001b150-\U0001b152\U0001b164-\U0001bc99'
            '\U0001bc9d-\U0001bc9e\U0001cf00-\U0001cf46\U0001d167-\U0001d169\U0001d17b-\U0001d182\U0001d185-\U0001d18b'
            '\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75\U0001da84'
            '\U0001da9b-\U0001df1e\U0001e000-\U0001e02a\U0001e100-\U0001e14e\U0001e290-\U0001e2f9\U0001e7e0-\U0001e8c4'
            '\U0001e8d0-\U0001e959\U00020000-\U0002b738\U0002b740-\U0003134a\U000e0100-\U000e01ef'
            ']+', ' ', 'g');
END $$;
COMMENT ON FUNCTION rowan.spaced(text) IS 'Folded text with a space for every run of characters that are not part of a word.';

-- A unit is a letter with its marks. A\x02A for each unit A makes A\x02AB\x02BC\x02C of ABC, which is the pairs
-- but for the first and the last one.
CREATE FUNCTION rowan.bigrams(spaced text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    base CONSTANT text := '['
                 '\u3005-\u3007\u3021-\u3029\u303b\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff'
                 '\u3400-\u4dbf\u4e00-\u9fff\ufa0e-\ufa29\U0001b000-\U0001b16f\U00020000-\U0003134a\u0e01-\u0e30\u0e32'
                 '\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0ebd\u0ec0-\u0ec6\u0ede\u0edf\u1780-\u17b3\u17d7\u17dc\u1000-\u102a'
                 '\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e\ua9e0-\ua9e4'
                 '\ua9e6-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a\uaa7e\uaa7f'
                 ']';
    unit CONSTANT text := base || '['
                 '\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u17b4-\u17d3\u17dd\u102b-\u103e'
                 '\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\ua9e5'
                 '\uaa7b-\uaa7d\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef'
                 ']*';
    f text;
BEGIN
    IF spaced !~ base THEN RETURN spaced; END IF;
    f := regexp_replace(spaced, '((?:' || unit || ')+)', ' \1 ', 'g');
    f := regexp_replace(f, '(' || unit || ')', E'\\1\x02\\1', 'g');
    f := regexp_replace(f, ' ' || unit || E'\x02', ' ', 'g');
    f := regexp_replace(f, E'\x02' || unit || ' ', ' ', 'g');
    RETURN replace(f, E'\x02', ' ');
END $$;
COMMENT ON FUNCTION rowan.bigrams(text) IS 'Runs of scripts without spaces (Han, kana, Thai, Lao, Khmer, Myanmar) as overlapping pairs of letters.';

-- Only . / - + & < ~ make the parser see urls, hosts, files, floats, versions, signed numbers, tags, entities and
-- hyphenated words; without them its tokens are the runs of letters and digits, except that 1e5x is 1e5 and x.
CREATE FUNCTION rowan.words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(t) <> length(t) THEN
        -- What English text has outside ASCII. The soft hyphen and the zero-width joiner stand inside words.
        t := replace(replace(replace(replace(replace(replace(replace(replace(replace(t, '’', ' '), '‘', ' '), '“', ' '), '”', ' '),
            '–', ' '), '—', ' '), U&'\00A0', ' '), U&'\00AD', ''), U&'\200D', '');
        IF octet_length(t) <> length(t) THEN t := rowan.fold(t); END IF;
        IF octet_length(t) <> length(t) THEN RETURN rowan.bigrams(rowan.spaced(t)); END IF;
    END IF;
    RETURN replace(replace(replace(replace(replace(replace(replace(t,
        '.', ' '), '-', ' '), '/', ' '), '&', ' '), '<', ' '), '+', ' '), '~', ' ');
END $$;
COMMENT ON FUNCTION rowan.words(text) IS 'Text of which PostgreSQL''s parser makes nothing but words: the runs of letters and digits.';

-- The texts of a property -----------------------------------------------------------------------------------

CREATE FUNCTION rowan.flat(v jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    -- Level by level: a recursive function would run out of stack. In lax mode what is no array stays.
    WHILE jsonb_path_exists(v, 'strict $[*] ? (@.type() == "array")') LOOP
        v := jsonb_path_query_array(v, 'lax $[*][*][*][*]');
    END LOOP;
    RETURN v;
END $$;
COMMENT ON FUNCTION rowan.flat(jsonb) IS 'An array with the elements of the arrays in it, at any depth, in order.';

CREATE FUNCTION rowan.texts(v jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE result text[] := '{}';
BEGIN
    CASE jsonb_typeof(v)
    WHEN 'string', 'number', 'boolean' THEN
        RETURN ARRAY[v #>> '{}'];
    WHEN 'array' THEN
        -- Without a query for short arrays, which are the rule.
        IF jsonb_array_length(v) <= 8 THEN
            FOR i IN 0 .. jsonb_array_length(v) - 1 LOOP
                EXIT WHEN jsonb_typeof(v -> i) = 'array';
                IF jsonb_typeof(v -> i) IN ('string', 'number', 'boolean') THEN result := result || (v ->> i); END IF;
                IF i = jsonb_array_length(v) - 1 THEN RETURN result; END IF;
            END LOOP;
        END IF;
        RETURN ARRAY(SELECT e #>> '{}' FROM jsonb_array_elements(rowan.flat(v)) AS e
                     WHERE jsonb_typeof(e) IN ('string', 'number', 'boolean'));
    ELSE
        RETURN '{}';
    END CASE;
END $$;
COMMENT ON FUNCTION rowan.texts(jsonb) IS 'The strings, numbers and booleans of a value as text: itself, or those of an array of any depth. Objects and nulls have none.';

CREATE FUNCTION rowan.whole(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    -- With its spaces collapsed. \x20 alone is by far the commonest.
    IF t ~ '[\x01-\x1f\x7f-\x9f\u00a0\u1680\u2028\u2029]|  |^ | $' THEN
        t := btrim(regexp_replace(t, '[\x01-\x20\x7f-\x9f\u00a0\u1680\u2028\u2029]+', ' ', 'g'));
    END IF;
    RETURN t;
END $$;
COMMENT ON FUNCTION rowan.whole(text) IS 'A whole value as one lexeme: trimmed, inner white space and control characters collapsed to single spaces.';

-- Vectors ---------------------------------------------------------------------------------------------------

-- A tsvector takes at most 1,048,575 bytes; pg_column_size is its size, which is never less than what
-- PostgreSQL compares with that limit.
CREATE FUNCTION rowan.merge(a tsvector, b tsvector) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    most CONSTANT int := 1048000;
    room int;
    n    int;
    part tsvector;
BEGIN
    IF pg_column_size(a) + pg_column_size(b) <= most THEN RETURN a || b; END IF;
    -- What does not fit goes in this order: positions of the longer, of the other, the last lexemes of b.
    IF pg_column_size(a) > pg_column_size(b) THEN a := strip(a); ELSE b := strip(b); END IF;
    IF pg_column_size(a) + pg_column_size(b) <= most THEN RETURN a || b; END IF;
    a := strip(a);
    b := ts_delete(strip(b), tsvector_to_array(a));
    room := most - pg_column_size(a);
    IF pg_column_size(b) <= room THEN RETURN a || b; END IF;
    n := length(b)::bigint * greatest(room, 0) / pg_column_size(b);
    LOOP
        part := array_to_tsvector((tsvector_to_array(b))[1:n]);
        EXIT WHEN n = 0 OR pg_column_size(part) <= room;
        n := n / 2;
    END LOOP;
    RETURN CASE WHEN n = 0 THEN a ELSE a || part END;
END $$;
COMMENT ON FUNCTION rowan.merge(tsvector, tsvector) IS 'a || b, as much of it as fits into a tsvector.';

CREATE FUNCTION rowan.join_tsv(VARIADIC parts tsvector[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    result tsvector;
    part   tsvector;
BEGIN
    FOREACH part IN ARRAY parts LOOP
        IF result IS NULL THEN result := part;
        ELSIF part IS NOT NULL THEN
            IF pg_column_size(result) + pg_column_size(part) < 1000000 THEN result := result || part;
            ELSE result := rowan.merge(result, part);
            END IF;
        END IF;
    END LOOP;
    RETURN coalesce(result, '');
END $$;
COMMENT ON FUNCTION rowan.join_tsv(tsvector[]) IS 'All parts in one tsvector, as much of them as fits. Nulls are empty.';

-- ª is a letter to the parser and never in folded text: between two elements of an array it takes a position,
-- so that no phrase reaches from one into the next.
CREATE FUNCTION rowan.parsed(cfg regconfig, t text, elements boolean) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF elements THEN
        RETURN ts_delete(to_tsvector(cfg, replace(rowan.words(t), E'\x01', ' ª ')), 'ª');
    END IF;
    RETURN to_tsvector(cfg, rowan.words(t));
END $$;
COMMENT ON FUNCTION rowan.parsed(regconfig, text, boolean) IS 'Lexemes of the words of a text that fits into a tsvector; the elements of an array are parted by \x01.';

-- PostgreSQL leaves out words over 2 kB with a notice each.
CREATE FUNCTION rowan.parsed_long(cfg regconfig, t text, elements boolean) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET client_min_messages = warning AS $$
DECLARE
    half  int;
    later text;
    space int;
BEGIN
    -- The lexemes of 60 kB fit whatever the script; where a text is cut, no phrase and no word should be.
    IF octet_length(t) <= 60000 THEN RETURN rowan.parsed(cfg, t, elements); END IF;
    half := length(t) / 2;
    later := substr(t, half + 1);
    space := position(' ' IN translate(left(later, 300), E'\n\t\r\x01', '    '));
    RETURN rowan.merge(rowan.parsed_long(cfg, left(t, half + greatest(space, 1) - 1), elements),
                       rowan.parsed_long(cfg, substr(later, greatest(space, 1)), elements));
END $$;
COMMENT ON FUNCTION rowan.parsed_long(regconfig, text, boolean) IS 'As parsed, of a text of any length: as many of its lexemes as fit.';

CREATE FUNCTION rowan.lexemes(cfg regconfig, t text, elements boolean) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF t IS NULL THEN RETURN ''; END IF;
    IF octet_length(t) > 2000 THEN RETURN rowan.parsed_long(cfg, t, elements); END IF;
    RETURN rowan.parsed(cfg, t, elements);
END $$;
COMMENT ON FUNCTION rowan.lexemes(regconfig, text, boolean) IS 'Lexemes of the words of a text of any length.';

CREATE FUNCTION rowan.lexemes(cfg regconfig, elements text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF cardinality(elements) = 1 THEN RETURN rowan.lexemes(cfg, elements[1], false); END IF;
    RETURN rowan.lexemes(cfg, array_to_string(elements, E'\x01'), true);
END $$;
COMMENT ON FUNCTION rowan.lexemes(regconfig, text[]) IS 'Lexemes of the words of several texts.';

-- All at one position, two after the last word: a phrase of words does not reach them.
-- A whole value is marked by a first character that no word has, so that a word never finds a value, nor a value a
-- word, however they are spelled: "science" is not the beginning of the keyword "Science Fiction". The mark is another
-- where a value is also found by its beginning, so that this is not that of a keyword beside it.
CREATE FUNCTION rowan.with_wholes(words tsvector, wholes text[], mark text DEFAULT '=') RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    w       text;
    literal text := '';
BEGIN
    IF cardinality(wholes) <= 16 THEN
        FOREACH w IN ARRAY wholes LOOP
            CONTINUE WHEN w IS NULL OR w = '' OR octet_length(w) > 2000;
            literal := literal || '''' || mark || replace(replace(w, '\', '\\'), '''', '''''') || ''':2 ';
        END LOOP;
    ELSE
        SELECT coalesce(string_agg(d.quoted, ' '), '') INTO literal FROM (
            SELECT u.quoted, sum(octet_length(u.quoted) + 1) OVER (ORDER BY u.o) AS size FROM (
                SELECT '''' || mark || replace(replace(x, '\', '\\'), '''', '''''') || ''':2' AS quoted, min(n) AS o
                FROM unnest(wholes) WITH ORDINALITY AS e(x, n) WHERE x <> '' AND octet_length(x) <= 2000 GROUP BY x) u) d
        WHERE d.size <= 1000000;
    END IF;
    IF length(words) = 0 THEN RETURN literal::tsvector; END IF;
    IF pg_column_size(words) < 500000 AND octet_length(literal) < 200000 THEN RETURN words || literal::tsvector; END IF;
    RETURN rowan.merge(words, literal::tsvector);
END $$;
COMMENT ON FUNCTION rowan.with_wholes(tsvector, text[], text) IS 'Adds whole values, each as one lexeme after a mark. Those over 2,000 bytes are left out.';

-- The analyses of mapping.Analysis. Only of a property that is not there they return null, without a call -------

CREATE FUNCTION rowan.tsv_stemmed(cfg regconfig, v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN rowan.lexemes(cfg, v #>> '{}', false); END IF;
    RETURN rowan.lexemes(cfg, rowan.texts(v));
END $$;
COMMENT ON FUNCTION rowan.tsv_stemmed(regconfig, jsonb) IS 'Stemmed: the words of a property in a language, without its stop words.';

CREATE FUNCTION rowan.tsv_plain(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    RETURN rowan.tsv_stemmed('pg_catalog.simple', v);
END $$;
COMMENT ON FUNCTION rowan.tsv_plain(jsonb) IS 'Plain: folded words, not stemmed, no stop words.';

CREATE FUNCTION rowan.tsv_html(cfg regconfig, v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN rowan.lexemes(cfg, rowan.plain_html(v #>> '{}'), false); END IF;
    RETURN rowan.lexemes(cfg, (SELECT string_agg(rowan.plain_html(e), E'\x01' ORDER BY o)
        FROM unnest(rowan.texts(v)) WITH ORDINALITY AS x(e, o)), true);
END $$;
COMMENT ON FUNCTION rowan.tsv_html(regconfig, jsonb) IS 'StemmedHTML: as tsv_stemmed, of what a reader of the markup sees.';

CREATE FUNCTION rowan.tsv_whole(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    wholes text[] := '{}';
BEGIN
    IF jsonb_typeof(v) = 'string' THEN RETURN rowan.with_wholes('', ARRAY[rowan.whole(rowan.fold(v #>> '{}'))]); END IF;
    FOREACH e IN ARRAY rowan.texts(v) LOOP wholes := wholes || rowan.whole(rowan.fold(e)); END LOOP;
    RETURN rowan.with_wholes('', wholes);
END $$;
COMMENT ON FUNCTION rowan.tsv_whole(jsonb) IS 'Whole: each value as one folded lexeme.';

CREATE FUNCTION rowan.tsv_whole_exact(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY rowan.texts(v) LOOP wholes := wholes || rowan.whole(e); END LOOP;
    RETURN rowan.with_wholes('', wholes, '≡');
END $$;
COMMENT ON FUNCTION rowan.tsv_whole_exact(jsonb) IS 'WholeExact: each value as one lexeme, as it is written.';

CREATE FUNCTION rowan.tsv_tags(cfg regconfig, v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts  CONSTANT text[] := rowan.texts(v);
    e      text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY texts LOOP wholes := wholes || rowan.whole(rowan.fold(e)); END LOOP;
    RETURN rowan.with_wholes(rowan.lexemes(cfg, texts), wholes);
END $$;
COMMENT ON FUNCTION rowan.tsv_tags(regconfig, jsonb) IS 'TagWords: each whole tag, and its stemmed words.';

CREATE FUNCTION rowan.tsv_levels(cfg regconfig, v jsonb, sep text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts  CONSTANT text[] := rowan.texts(v);
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
            path := CASE WHEN path IS NULL THEN part ELSE path || sep || part END;
            wholes := wholes || part; -- one at a time: that is done in place, two copy the array
            wholes := wholes || path;
            EXIT WHEN cardinality(wholes) >= 200; -- a hundred levels, as in rowan.levels
        END LOOP;
    END LOOP;
    RETURN rowan.with_wholes(rowan.lexemes(cfg, texts), wholes);
END $$;
COMMENT ON FUNCTION rowan.tsv_levels(regconfig, jsonb, text) IS 'Levels: stemmed words; each level alone and with all above it, the whole among these.';

CREATE FUNCTION rowan.tsv_identifier(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    texts  CONSTANT text[] := rowan.texts(v);
    e      text;
    wholes text[] := '{}';
    parts  tsvector;
BEGIN
    FOREACH e IN ARRAY texts LOOP
        e := rowan.whole(rowan.fold(e));
        wholes := wholes || e;
        wholes := wholes || replace(replace(rowan.spaced(e), ' ', ''), E'\x01', '');
    END LOOP;
    parts := rowan.lexemes('pg_catalog.simple', texts);
    -- The parts are marked, too: a word of another field, or one close to a word, is not looked for in identifiers.
    SELECT coalesce(string_agg('''~' || replace(replace(l.lexeme, '\', '\\'), '''', '''''') || ''':' || array_to_string(l.positions, ','), ' '), '')::tsvector
    INTO parts FROM unnest(CASE WHEN pg_column_size(parts) < 400000 THEN parts ELSE '' END) AS l WHERE octet_length(l.lexeme) <= 2000;
    RETURN rowan.with_wholes(parts, wholes, '~');
END $$;
COMMENT ON FUNCTION rowan.tsv_identifier(jsonb) IS 'IdentifierParts: the whole, the whole without punctuation, and its parts.';

CREATE FUNCTION rowan.tsv_email(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    domain text;
    part   text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY rowan.texts(v) LOOP
        e := rowan.whole(rowan.fold(e));
        wholes := wholes || e;
        CONTINUE WHEN position('@' IN e) = 0;
        domain := substring(e FROM '@([^@]*)$');
        wholes := wholes || btrim(left(e, length(e) - length(domain) - 1));
        wholes := wholes || btrim(domain);
        FOREACH part IN ARRAY string_to_array(btrim(domain), '.') LOOP wholes := wholes || part; END LOOP;
    END LOOP;
    RETURN rowan.with_wholes('', wholes, '~');
END $$;
COMMENT ON FUNCTION rowan.tsv_email(jsonb) IS 'EmailParts: the whole, the local part, the domain, and the labels of the domain.';

CREATE FUNCTION rowan.tsv_path(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    part   text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY rowan.texts(v) LOOP
        e := rowan.whole(rowan.fold(e));
        wholes := wholes || coalesce(nullif(rtrim(e, '/'), ''), e);
        FOREACH part IN ARRAY string_to_array(e, '/') LOOP wholes := wholes || btrim(part); END LOOP;
    END LOOP;
    RETURN rowan.with_wholes('', wholes, '~');
END $$;
COMMENT ON FUNCTION rowan.tsv_path(jsonb) IS 'PathSegments: the whole without a last slash, and each segment.';

CREATE FUNCTION rowan.tsv_digits(v jsonb) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    e      text;
    wholes text[] := '{}';
BEGIN
    FOREACH e IN ARRAY rowan.texts(v) LOOP
        -- 12.50 is found by 12.50 and by 12.5, "0012" by 0012 and by 12.
        wholes := wholes || regexp_replace(e, '[^0-9]', '', 'g');
        IF e ~ '^\s*[-+]?[0-9]{1,200}(\.[0-9]{0,200})?([eE][-+]?[0-9]{1,2})?\s*$' THEN
            wholes := wholes || regexp_replace(trim_scale(e::numeric)::text, '[^0-9]', '', 'g');
        END IF;
    END LOOP;
    RETURN rowan.with_wholes('', wholes, '~');
END $$;
COMMENT ON FUNCTION rowan.tsv_digits(jsonb) IS 'Digits: the digits of each number as one word, as they are written and without zeros that say nothing.';

-- Markup ----------------------------------------------------------------------------------------------------

CREATE FUNCTION rowan.plain_html(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    -- What browsers take &#128; to &#159; for: windows-1252.
    windows CONSTANT int[] := '{8364,129,8218,402,8222,8230,8224,8225,710,8240,352,8249,338,141,381,143,144,8216,8217,8220,8221,8226,8211,8212,732,8482,353,8250,339,157,382,376}';
    attributes CONSTANT text := '(?:=[ \t\r\n\f]*"[^"]*"|=[ \t\r\n\f]*''[^'']*''|[^>=]|=)*';
    parts text[];
    name  text;
    code  bigint;
BEGIN
    IF position('<' IN t) > 0 THEN
        IF position('<!--' IN t) > 0 THEN t := regexp_replace(t, '<!--.*?(?:-->|$)', ' ', 'g'); END IF;
        IF t ~* '<script' THEN t := regexp_replace(t, '<script(?=[ \t\r\n\f/>]).*?(?:</script[ \t\r\n\f]*>|$)', ' ', 'gi'); END IF;
        IF t ~* '<style' THEN t := regexp_replace(t, '<style(?=[ \t\r\n\f/>]).*?(?:</style[ \t\r\n\f]*>|$)', ' ', 'gi'); END IF;
        -- Tags that only change the looks of letters do not end a word: H<sub>2</sub>O.
        t := regexp_replace(t, '</?(?:b|big|del|em|font|i|ins|mark|s|small|strong|sub|sup|tt|u|wbr)(?:[ \t\r\n\f/]' || attributes || ')?>', '', 'gi');
        t := regexp_replace(t, '<[a-z/!?]' || attributes || '>', ' ', 'gi');
    END IF;
    IF position('&' IN t) = 0 THEN RETURN t; END IF;
    parts := string_to_array(t, '&');
    FOR i IN 2 .. cardinality(parts) LOOP
        name := substring(parts[i] FROM '^(#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,8});');
        IF name IS NULL THEN code := NULL;
        ELSIF name ~ '^#[xX]' THEN code := ('x' || lpad(substr(name, 3), 16, '0'))::bit(64)::bigint;
        ELSIF left(name, 1) = '#' THEN code := substr(name, 2)::bigint;
        -- The named entities of HTML 4, and &apos;. Written here it is parsed once; a variable would be at every call.
        ELSE code := (('{'
            '"AElig":198,"Aacute":193,"Acirc":194,"Agrave":192,"Alpha":913,"Aring":197,"Atilde":195,"Auml":196,"Beta":914,'
            '"Ccedil":199,"Chi":935,"Dagger":8225,"Delta":916,"ETH":208,"Eacute":201,"Ecirc":202,"Egrave":200,'
            '"Epsilon":917,"Eta":919,"Euml":203,"Gamma":915,"Iacute":205,"Icirc":206,"Igrave":204,"Iota":921,"Iuml":207,'
            '"Kappa":922,"Lambda":923,"Mu":924,"Ntilde":209,"Nu":925,"OElig":338,"Oacute":211,"Ocirc":212,"Ograve":210,'
            '"Omega":937,"Omicron":927,"Oslash":216,"Otilde":213,"Ouml":214,"Phi":934,"Pi":928,"Prime":8243,"Psi":936,'
            '"Rho":929,"Scaron":352,"Sigma":931,"THORN":222,"Tau":932,"Theta":920,"Uacute":218,"Ucirc":219,"Ugrave":217,'
            '"Upsilon":933,"Uuml":220,"Xi":926,"Yacute":221,"Yuml":376,"Zeta":918,"aacute":225,"acirc":226,"acute":180,'
            '"aelig":230,"agrave":224,"alefsym":8501,"alpha":945,"amp":38,"and":8743,"ang":8736,"apos":39,"aring":229,'
            '"asymp":8776,"atilde":227,"auml":228,"bdquo":8222,"beta":946,"brvbar":166,"bull":8226,"cap":8745,"ccedil":231,'
            '"cedil":184,"cent":162,"chi":967,"circ":710,"clubs":9827,"cong":8773,"copy":169,"crarr":8629,"cup":8746,'
            '"curren":164,"dArr":8659,"dagger":8224,"darr":8595,"deg":176,"delta":948,"diams":9830,"divide":247,'
            '"eacute":233,"ecirc":234,"egrave":232,"empty":8709,"emsp":8195,"ensp":8194,"epsilon":949,"equiv":8801,'
            '"eta":951,"eth":240,"euml":235,"euro":8364,"exist":8707,"fnof":402,"forall":8704,"frac12":189,"frac14":188,'
            '"frac34":190,"frasl":8260,"gamma":947,"ge":8805,"gt":62,"hArr":8660,"harr":8596,"hearts":9829,"hellip":8230,'
            '"iacute":237,"icirc":238,"iexcl":161,"igrave":236,"image":8465,"infin":8734,"int":8747,"iota":953,'
            '"iquest":191,"isin":8712,"iuml":239,"kappa":954,"lArr":8656,"lambda":955,"lang":9001,"laquo":171,"larr":8592,'
            '"lceil":8968,"ldquo":8220,"le":8804,"lfloor":8970,"lowast":8727,"loz":9674,"lrm":8206,"lsaquo":8249,'
            '"lsquo":8216,"lt":60,"macr":175,"mdash":8212,"micro":181,"middot":183,"minus":8722,"mu":956,"nabla":8711,'
            '"nbsp":160,"ndash":8211,"ne":8800,"ni":8715,"not":172,"notin":8713,"nsub":8836,"ntilde":241,"nu":957,'
            '"oacute":243,"ocirc":244,"oelig":339,"ograve":242,"oline":8254,"omega":969,"omicron":959,"oplus":8853,'
            '"or":8744,"ordf":170,"ordm":186,"oslash":248,"otilde":245,"otimes":8855,"ouml":246,"para":182,"part":8706,'
            '"permil":8240,"perp":8869,"phi":966,"pi":960,"piv":982,"plusmn":177,"pound":163,"prime":8242,"prod":8719,'
            '"prop":8733,"psi":968,"quot":34,"rArr":8658,"radic":8730,"rang":9002,"raquo":187,"rarr":8594,"rceil":8969,'
            '"rdquo":8221,"real":8476,"reg":174,"rfloor":8971,"rho":961,"rlm":8207,"rsaquo":8250,"rsquo":8217,"sbquo":8218,'
            '"scaron":353,"sdot":8901,"sect":167,"shy":173,"sigma":963,"sigmaf":962,"sim":8764,"spades":9824,"sub":8834,'
            '"sube":8838,"sum":8721,"sup":8835,"sup1":185,"sup2":178,"sup3":179,"supe":8839,"szlig":223,"tau":964,'
            '"there4":8756,"theta":952,"thetasym":977,"thinsp":8201,"thorn":254,"tilde":732,"times":215,"trade":8482,'
            '"uArr":8657,"uacute":250,"uarr":8593,"ucirc":251,"ugrave":249,"uml":168,"upsih":978,"upsilon":965,"uuml":252,'
            '"weierp":8472,"xi":958,"yacute":253,"yen":165,"yuml":255,"zeta":950,"zwj":8205,"zwnj":8204'
            '}')::jsonb -> name)::bigint;
        END IF;
        IF code BETWEEN 128 AND 159 THEN code := windows[code - 127]; END IF;
        IF code IS NULL THEN
            parts[i] := '&' || parts[i];
        ELSE
            IF code = 0 OR code > 1114111 OR code BETWEEN 55296 AND 57343 THEN code := 65533; END IF;
            parts[i] := chr(code::int) || substr(parts[i], length(name) + 2);
        END IF;
    END LOOP;
    RETURN array_to_string(parts, '');
END $$;
COMMENT ON FUNCTION rowan.plain_html(text) IS 'What a reader of HTML sees: no tags, comments, scripts and styles, entities decoded.';

-- Properties ------------------------------------------------------------------------------------------------

-- A property whose own name has the dots wins at every level, the longest first.
CREATE FUNCTION rowan.field(body jsonb, name text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    steps  text[];
    head   text;
    e      jsonb;
    found  jsonb;
    result jsonb;
BEGIN
    IF jsonb_typeof(body) = 'array' THEN
        FOR e IN SELECT x FROM jsonb_array_elements(rowan.flat(body)) AS x WHERE jsonb_typeof(x) = 'object' LOOP
            found := rowan.field(e, name);
            CONTINUE WHEN found IS NULL;
            IF jsonb_typeof(found) <> 'array' THEN found := jsonb_build_array(found); END IF;
            result := coalesce(result, '[]') || found;
        END LOOP;
        RETURN result;
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
COMMENT ON FUNCTION rowan.field(jsonb, text) IS 'The value of a mapped name: a property, or a dotted path into objects and arrays of objects.';

CREATE FUNCTION rowan.without_field(body jsonb, name text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    steps text[];
    head  text;
    rest  text;
BEGIN
    IF jsonb_typeof(body) = 'array' THEN
        RETURN (SELECT jsonb_agg(CASE WHEN jsonb_typeof(x) = 'object' THEN rowan.without_field(x, name) ELSE x END)
            FROM jsonb_array_elements(rowan.flat(body)) AS x);
    END IF;
    IF jsonb_typeof(body) <> 'object' THEN RETURN body; END IF;
    IF body ? name THEN RETURN body - name; END IF;
    IF position('.' IN name) = 0 THEN RETURN body; END IF;
    steps := string_to_array(name, '.');
    FOR i IN REVERSE cardinality(steps) - 1 .. 1 LOOP
        head := array_to_string(steps[1:i], '.');
        rest := array_to_string(steps[i + 1:], '.');
        IF body ? head AND rowan.field(body -> head, rest) IS NOT NULL THEN
            RETURN body || jsonb_build_object(head, rowan.without_field(body -> head, rest));
        END IF;
    END LOOP;
    RETURN body;
END $$;
COMMENT ON FUNCTION rowan.without_field(jsonb, text) IS 'The body without what rowan.field finds in it.';

CREATE FUNCTION rowan.tsv_rest(cfg regconfig, body jsonb, names text[], dotted text[]) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    rest jsonb;
    name text;
    n    int;
    t    text;
BEGIN
    IF jsonb_typeof(body) IS DISTINCT FROM 'object' THEN RETURN ''; END IF;
    rest := body - (names || '{boost,autocomplete}'::text[]);
    IF cardinality(dotted) > 0 THEN
        FOREACH name IN ARRAY dotted LOOP rest := rowan.without_field(rest, name); END LOOP;
    END IF;
    IF rest = '{}' THEN RETURN ''; END IF;
    rest := jsonb_path_query_array(rest, 'strict $.** ? (@.type() == "string")');
    n := jsonb_array_length(rest);
    IF n > 64 THEN
        t := (SELECT string_agg(s, E'\x01') FROM jsonb_array_elements_text(rest) AS s);
    ELSE
        -- Without a query for few strings, which are the rule.
        t := rest ->> 0;
        FOR i IN 1 .. n - 1 LOOP t := t || E'\x01' || (rest ->> i); END LOOP;
    END IF;
    RETURN rowan.lexemes(cfg, t, n > 1);
END $$;
COMMENT ON FUNCTION rowan.tsv_rest(regconfig, jsonb, text[], text[]) IS 'Stemmed words of all strings of a body but those of the properties in names, and of the dotted names.';
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION rowan.tsv_rest, rowan.without_field, rowan.field, rowan.plain_html, rowan.tsv_digits, rowan.tsv_path, rowan.tsv_email,
    rowan.tsv_identifier, rowan.tsv_levels, rowan.tsv_tags, rowan.tsv_whole_exact, rowan.tsv_whole, rowan.tsv_html, rowan.tsv_plain,
    rowan.tsv_stemmed, rowan.with_wholes, rowan.lexemes(regconfig, text[]), rowan.lexemes(regconfig, text, boolean), rowan.parsed_long, rowan.parsed, rowan.join_tsv, rowan.merge,
    rowan.whole, rowan.texts, rowan.flat, rowan.words, rowan.bigrams, rowan.spaced, rowan.fold;
