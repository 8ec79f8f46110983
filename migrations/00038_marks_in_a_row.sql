-- +goose Up
-- To bring the marks of a letter into their order, normalize exchanges neighbours: a text of nothing but marks, which people do write, takes time in the
-- square of its length, and cannot be interrupted. 120 kB kept a write busy for half a minute, and a document of megabytes for days. Of more than 255 marks
-- in a row, which no language has, only the first thirty count. Nothing else that is stored changes.

-- +goose StatementBegin
CREATE FUNCTION rowan.few_marks(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    -- The characters that normalize brings into an order (those with a combining class), as of Unicode 15.
    mark CONSTANT text := '[\u0300-\u034e\u0350-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670'
            '\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823'
            '\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u093c\u094d\u0951-\u0954\u09bc\u09cd\u09fe'
            '\u0a3c\u0a4d\u0abc\u0acd\u0b3c\u0b4d\u0bcd\u0c3c\u0c4d\u0c55-\u0c56\u0cbc\u0ccd\u0d3b-\u0d3c\u0d4d\u0dca\u0e38-\u0e3a'
            '\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f72\u0f74\u0f7a-\u0f7d\u0f80\u0f82-\u0f84'
            '\u0f86-\u0f87\u0fc6\u1037\u1039-\u103a\u108d\u135d-\u135f\u1714-\u1715\u1734\u17d2\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18'
            '\u1a60\u1a75-\u1a7c\u1a7f\u1ab0-\u1abd\u1abf-\u1ace\u1b34\u1b44\u1b6b-\u1b73\u1baa-\u1bab\u1be6\u1bf2-\u1bf3\u1c37'
            '\u1cd0-\u1cd2\u1cd4-\u1ce0\u1ce2-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2cef-\u2cf1'
            '\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f\ua674-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua806\ua82c\ua8c4\ua8e0-\ua8f1'
            '\ua92b-\ua92d\ua953\ua9b3\ua9c0\uaab0\uaab2-\uaab4\uaab7-\uaab8\uaabe-\uaabf\uaac1\uaaf6\uabed\ufb1e\ufe20-\ufe2f\U000101fd'
            '\U000102e0\U00010376-\U0001037a\U00010a0d\U00010a0f\U00010a38-\U00010a3a\U00010a3f\U00010ae5-\U00010ae6\U00010d24-\U00010d27'
            '\U00010eab-\U00010eac\U00010efd-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011046\U00011070\U0001107f'
            '\U000110b9-\U000110ba\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111c0\U000111ca\U00011235-\U00011236'
            '\U000112e9-\U000112ea\U0001133b-\U0001133c\U0001134d\U00011366-\U0001136c\U00011370-\U00011374\U00011442\U00011446\U0001145e'
            '\U000114c2-\U000114c3\U000115bf-\U000115c0\U0001163f\U000116b6-\U000116b7\U0001172b\U00011839-\U0001183a\U0001193d-\U0001193e'
            '\U00011943\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d42\U00011d44-\U00011d45\U00011d97\U00011f41-\U00011f42'
            '\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016ff0-\U00016ff1\U0001bc9e\U0001d165-\U0001d169\U0001d16d-\U0001d172'
            '\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001e000-\U0001e006'
            '\U0001e008-\U0001e018\U0001e01b-\U0001e021\U0001e023-\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae'
            '\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a]';
BEGIN
    IF t !~ (mark || '{255}') THEN RETURN t; END IF;
    RETURN regexp_replace(t, '(' || mark || '{30})' || mark || '+', '\1', 'g');
END $$;
COMMENT ON FUNCTION rowan.few_marks(text) IS 'A text that may be normalized: with at most thirty marks in a row, if it has very many in one.';

CREATE OR REPLACE FUNCTION rowan.fold(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE f text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t COLLATE "C"); END IF;
    IF octet_length(t) > 1000 THEN t := rowan.few_marks(t); END IF;
    f := lower(normalize(t, NFKD) COLLATE "default");
    -- What is not seen: soft hyphens, joiners, directions of writing; points of Hebrew, vowel signs and tatweel of Arabic; the
    -- nukta of Devanagari, which many leave out.
    IF f ~ '[\u00ad\u0591-\u0670\u093c\u200b-\u206f\ufeff]' THEN
        f := regexp_replace(f, '[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670\u093c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+', '', 'g');
    END IF;
    -- Marks go only from letters that stay what they are: й is another letter than и, and が another than か.
    IF f ~ '[\u0300-\u036f]' THEN
        f := regexp_replace(f, '(?<=[a-z\u00df-\u00f6\u00f8-\u02af\u03b1-\u03c9])[\u0300-\u036f]+', '', 'g');
        -- Stress, and ё.
        f := regexp_replace(f, '(?<=[аиоуыэюяєі])[\u0300\u0301]+|(?<=е)[\u0300\u0301\u0308]+', '', 'g');
    END IF;
    IF f ~ '[ßæœøłđðþıς]' THEN
        f := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(f,
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ð', 'd'), 'þ', 'th'), 'ı', 'i'), 'ς', 'σ');
    END IF;
    -- As Lucene's normalization of Arabic and Persian has it: alef is one letter, yeh and kaf have one form.
    IF f ~ '[\u02bc\u0649\u0653-\u0655\u0671\u06a9\u06cc]' THEN
        f := regexp_replace(f, '(?<=\u0627)[\u0653-\u0655]+', '', 'g');
        f := translate(f, U&'\02bc\0671\0649\06cc\06a9', U&'\2019\0627\064a\064a\0643');
    END IF;
    -- Anusvara is written for chandrabindu as often, and for the nasal before a stop of its class: हिंदी is हिन्दी.
    IF f ~ '[\u0901\u094d]' THEN
        f := replace(f, U&'\0901', U&'\0902');
        f := regexp_replace(f, '(?:\u0919\u094d(?=[\u0915-\u0918])|\u091e\u094d(?=[\u091a-\u091d])|\u0923\u094d(?=[\u091f-\u0922])|\u0928\u094d(?=[\u0924-\u0927])|\u092e\u094d(?=[\u092a-\u092d]))', U&'\0902', 'g');
    END IF;
    -- Digits of other scripts are 0 to 9, as those of full width are by their compatibility forms.
    IF f ~ '[\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0de6-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9\u1810-\u1819]' THEN
        f := translate(f,
            U&'\0660\0661\0662\0663\0664\0665\0666\0667\0668\0669\06f0\06f1\06f2\06f3\06f4\06f5\06f6\06f7\06f8\06f9'
            '\07c0\07c1\07c2\07c3\07c4\07c5\07c6\07c7\07c8\07c9\0966\0967\0968\0969\096a\096b\096c\096d\096e\096f'
            '\09e6\09e7\09e8\09e9\09ea\09eb\09ec\09ed\09ee\09ef\0a66\0a67\0a68\0a69\0a6a\0a6b\0a6c\0a6d\0a6e\0a6f'
            '\0ae6\0ae7\0ae8\0ae9\0aea\0aeb\0aec\0aed\0aee\0aef\0b66\0b67\0b68\0b69\0b6a\0b6b\0b6c\0b6d\0b6e\0b6f'
            '\0be6\0be7\0be8\0be9\0bea\0beb\0bec\0bed\0bee\0bef\0c66\0c67\0c68\0c69\0c6a\0c6b\0c6c\0c6d\0c6e\0c6f'
            '\0ce6\0ce7\0ce8\0ce9\0cea\0ceb\0cec\0ced\0cee\0cef\0d66\0d67\0d68\0d69\0d6a\0d6b\0d6c\0d6d\0d6e\0d6f'
            '\0de6\0de7\0de8\0de9\0dea\0deb\0dec\0ded\0dee\0def\0e50\0e51\0e52\0e53\0e54\0e55\0e56\0e57\0e58\0e59'
            '\0ed0\0ed1\0ed2\0ed3\0ed4\0ed5\0ed6\0ed7\0ed8\0ed9\0f20\0f21\0f22\0f23\0f24\0f25\0f26\0f27\0f28\0f29'
            '\1040\1041\1042\1043\1044\1045\1046\1047\1048\1049\17e0\17e1\17e2\17e3\17e4\17e5\17e6\17e7\17e8\17e9'
            '\1810\1811\1812\1813\1814\1815\1816\1817\1818\1819',
            repeat('0123456789', 19));
    END IF;
    -- normalize is what costs most here: without a character in these ranges nothing composes.
    IF f ~ '[\u0300-\u036f\u0653-\u1b35\u3099\u309a\U000110ba-\U00011930]' THEN RETURN normalize(f, NFC); END IF;
    RETURN f;
END $$;

CREATE OR REPLACE FUNCTION rowan.spelled_levels(value text, separator text, keys text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE spelled text[] := rowan.levels(value, separator);
BEGIN
    IF cardinality(spelled) <> cardinality(keys) THEN spelled := rowan.levels(normalize(rowan.few_marks(value), NFKC), separator); END IF;
    IF cardinality(spelled) <> cardinality(keys) THEN RETURN keys; END IF;
    RETURN spelled;
END $$;

CREATE OR REPLACE FUNCTION rowan.spelled_first_levels(value text, separator text, folded text, keys text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE n int;
BEGIN
    IF length(folded) <= 512 THEN RETURN rowan.spelled_levels(value, separator, keys); END IF; -- the keys are all
    n := rowan.count_levels(folded, separator);
    IF rowan.count_levels(value, separator) <> n THEN value := normalize(rowan.few_marks(value), NFKC); END IF;
    IF rowan.count_levels(value, separator) <> n THEN RETURN keys; END IF;
    RETURN rowan.first_levels(value, separator, cardinality(keys), NULL);
END $$;
-- +goose StatementEnd

-- +goose Down
-- The functions find the same in texts that people write.
SELECT;
