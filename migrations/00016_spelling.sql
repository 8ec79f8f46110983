-- +goose NO TRANSACTION
-- +goose Up
-- Accents, and other marks that people leave out, stand for nothing more than they did on Latin letters; and stemmers see the
-- endings of words as they know them.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.fold(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE f text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t COLLATE "C"); END IF;
    f := lower(normalize(t, NFKD) COLLATE "default");
    -- What is not seen: soft hyphens, joiners, directions of writing; points of Hebrew, vowel signs and tatweel of Arabic.
    IF f ~ '[\u00ad\u0591-\u0670\u200b-\u206f\ufeff]' THEN
        f := regexp_replace(f, '[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]+', '', 'g');
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
COMMENT ON FUNCTION rowan.fold(text) IS 'Text without case, accents, marks that are left out in writing, and compatibility forms: strings are compared by it.';

CREATE OR REPLACE FUNCTION rowan.words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(t) <> length(t) THEN
        -- What English text has outside ASCII. The soft hyphen and the zero-width joiner stand inside words.
        t := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(t, '’', ' '), '‘', ' '), '“', ' '), '”', ' '),
            '–', ' '), '—', ' '), '™', ' '), '℠', ' '), U&'\00A0', ' '), U&'\00AD', ''), U&'\200D', '');
        -- A zero-width space parts words, a zero-width non-joiner what is put together of a word and its endings.
        IF octet_length(t) <> length(t) THEN t := rowan.fold(translate(t, U&'\200B\200C', '  ')); END IF;
        IF octet_length(t) <> length(t) THEN RETURN rowan.bigrams(rowan.spaced(t)); END IF;
    END IF;
    RETURN replace(replace(replace(replace(replace(replace(replace(t,
        '.', ' '), '-', ' '), '/', ' '), '&', ' '), '<', ' '), '+', ' '), '~', ' ');
END $$;

-- Snowball's stemmers know many endings only with their accents: informação and informações have one stem, informacao and
-- informacoes two. What stands here are the endings that are hardly ever written otherwise, of the languages in which folded
-- words lost more than one in twenty of the pairs with the same stem (vocabularies of snowballstem.org, docs/search.md).
-- Not in a loop over a table: this is run for each text of each document.
CREATE OR REPLACE FUNCTION rowan.spelled(cfg regconfig, words text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE t text := translate(lower(words COLLATE "C"), E'!"#$%\'()*,:;=?@[\\]^_`{|}\t\n\r', repeat(' ', 29)) || ' ';
BEGIN
    CASE cfg
    WHEN 'pg_catalog.french'::regconfig THEN
        t := replace(replace(replace(t, 'ees ', 'ées '), 'ee ', 'ée '), 'erent ', 'èrent ');
        -- Adjectives, that have no such ending: différent stays with différents.
        RETURN replace(replace(replace(replace(t, 'diffèrent ', 'different '), 'cohèrent ', 'coherent '), 'adhèrent ', 'adherent '), 'inhèrent ', 'inherent ');
    WHEN 'pg_catalog.spanish'::regconfig THEN
        t := replace(replace(replace(t, 'cion ', 'ción '), 'rian ', 'rían '), 'riamos ', 'ríamos ');
        -- Of verbs in -ir only: miran and respiran are of others, and abrirán is too short for the stemmer.
        t := replace(replace(replace(replace(t, 'idiran ', 'idirán '), 'ediran ', 'edirán '), 'ibiran ', 'ibirán '), 'iviran ', 'ivirán ');
        RETURN replace(replace(replace(t, 'mitiran ', 'mitirán '), 'rtiran ', 'rtirán '), 'uiran ', 'uirán ');
    WHEN 'pg_catalog.portuguese'::regconfig THEN
        t := replace(replace(replace(t, 'cao ', 'ção '), 'coes ', 'ções '), 'rao ', 'rão ');
        t := replace(replace(replace(replace(t, 'avel ', 'ável '), 'ivel ', 'ível '), 'aveis ', 'áveis '), 'iveis ', 'íveis ');
        t := replace(replace(replace(replace(t, 'ancia ', 'ância '), 'encia ', 'ência '), 'ancias ', 'âncias '), 'encias ', 'ências ');
        RETURN replace(replace(t, 'avamos ', 'ávamos '), 'riamos ', 'ríamos ');
    WHEN 'pg_catalog.catalan'::regconfig THEN
        t := replace(replace(replace(t, 'io ', 'ió '), 'ancia ', 'ància '), 'ancies ', 'àncies ');
        RETURN replace(replace(t, 'atoria ', 'atòria '), 'atories ', 'atòries ');
    WHEN 'pg_catalog.romanian'::regconfig THEN
        t := replace(replace(replace(replace(t, 'eaza ', 'ează '), 'and ', 'ând '), 'andu ', 'ându '), 'sera ', 'seră ');
        t := replace(replace(t, 'easca ', 'ească '), 'asca ', 'ască ');
        -- Not este, peste and aceste. The stemmer knows ţ, and not ț.
        t := regexp_replace(t, '([a-z]{3})es(ti|te) ', '\1eş\2 ', 'g');
        -- Not universităţii.
        RETURN regexp_replace(t, '(?<=[iu]|[^t]a)t(i(?:a|e|i|ei|ile|ilor)|iun(?:e|ea|i|ii|ile|ilor)) ', 'ţ\1 ', 'g');
    WHEN 'pg_catalog.irish'::regconfig THEN
        RETURN replace(replace(replace(t, 'iocht ', 'íocht '), 'iochta ', 'íochta '), 'eail ', 'eáil ');
    WHEN 'pg_catalog.hungarian'::regconfig THEN
        t := replace(replace(replace(t, 'nal ', 'nál '), 'nel ', 'nél '), 'kent ', 'ként ');
        -- The vowel before them says which of -ról and -ről it is.
        t := regexp_replace(t, '(?<=[aou][b-df-hj-np-tv-z]*[rtb])ol ', 'ól ', 'g');
        t := regexp_replace(t, '(?<=[ei][b-df-hj-np-tv-z]*[rtb])ol ', 'ől ', 'g');
        -- Not embert and módszert.
        t := regexp_replace(t, '(?<=[aou][b-df-hj-np-tv-z]+|er|e[gks])ert ', 'ért ', 'g');
        RETURN replace(t, 'szért ', 'szert ');
    WHEN 'pg_catalog.lithuanian'::regconfig THEN
        t := replace(replace(replace(t, 'uju ', 'ųjų '), 'asias ', 'ąsias '), 'ejes ', 'ėjęs ');
        t := regexp_replace(t, '(?<!i)e(je|mis|ms|j(?:o|a|ai|as|au|u|us|ui|ams|ais|os|oms|omis|usi|usio|usios)) ', 'ė\1 ', 'g');
        t := regexp_replace(t, '(?:(?<=n)c(?=i)|c(?=i[aou]))', 'č', 'g');
        RETURN regexp_replace(t, '(?<=i)s(?=k[aiouy])', 'š', 'g');
    WHEN 'pg_catalog.turkish'::regconfig THEN
        -- The harmony of vowels: after an a, and the ı that follow it, i is ı. Between vowels g is ğ.
        t := regexp_replace(t, '(?<=a[^aeou ]*)i', 'ı', 'g');
        -- But -ki is always that.
        t := regexp_replace(t, '([dt]ak)ı(?= |le|n)', '\1i', 'g');
        t := regexp_replace(t, '(?<=[aeıiou])g(?=[ıiu]|[ae] )', 'ğ', 'g');
        t := regexp_replace(t, '(?<=m[ıi])s(?=(?:(?:t[ıi]|l[ae]r|s[ae]|ken|[ıi][mz])[a-zı]*)? )', 'ş', 'g');
        -- Words of foreign origin that are stop words.
        RETURN replace(replace(' ' || t, ' sankı ', ' sanki '), ' yanı ', ' yani ');
    WHEN 'pg_catalog.serbian'::regconfig THEN
        -- One alphabet, without accents as the Latin one.
        RETURN translate(replace(replace(replace(t, 'љ', 'lj'), 'њ', 'nj'), 'џ', 'dz'), 'абвгдђежзијклмнопрстћуфхцчш', 'abvgddezzijklmnoprstcufhccs');
    ELSE RETURN words;
    END CASE;
END $$;
COMMENT ON FUNCTION rowan.spelled(regconfig, text) IS 'Folded words with the accents that a language''s stemmer expects in their endings.';

CREATE OR REPLACE FUNCTION rowan.stemmed(cfg regconfig, words text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE v tsvector;
BEGIN
    IF cfg <> ALL ('{pg_catalog.french,pg_catalog.spanish,pg_catalog.portuguese,pg_catalog.catalan,pg_catalog.romanian,pg_catalog.irish,pg_catalog.hungarian,pg_catalog.lithuanian,pg_catalog.turkish,pg_catalog.serbian}'::regconfig[]) THEN
        RETURN to_tsvector(cfg, words);
    END IF;
    -- ª stands between two elements of an array, and is to fold to nothing.
    v := ts_delete(to_tsvector(cfg, rowan.spelled(cfg, words)), 'ª');
    -- An accent that belongs to no ending here (nação) is not to stay in the lexeme.
    IF v::text ~ '[à-ž]' THEN RETURN rowan.fold(v::text)::tsvector; END IF;
    RETURN v;
END $$;
COMMENT ON FUNCTION rowan.stemmed(regconfig, text) IS 'Lexemes of folded words in a language, without accents.';

CREATE OR REPLACE FUNCTION rowan.parsed(cfg regconfig, t text, elements boolean) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF elements THEN RETURN ts_delete(rowan.stemmed(cfg, replace(rowan.words(t), E'\x01', ' ª ')), 'ª'); END IF;
    RETURN rowan.stemmed(cfg, rowan.words(t));
END $$;
-- +goose StatementEnd

-- What is stored is computed anew where it is another now: the documents of indices in these languages, and those with
-- characters that fold to others. They are as good as written: their words and suggestions follow.
-- One transaction for each index: PostgreSQL keeps a lock on each table and each of its indexes until the end of one, and has
-- too few of them for some hundreds. What ends before the last index is repeated whole.
-- +goose StatementBegin
DO $$
DECLARE
    c record;
    n bigint;
    writers text[];
    until CONSTANT timestamptz := clock_timestamp() + interval '1 minute';
BEGIN
    -- Transactions that were writing when the functions were exchanged may go on with those before.
    SELECT array_agg(l.virtualtransaction) INTO writers FROM pg_locks l WHERE l.mode = 'RowExclusiveLock' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.relation IN (SELECT r.oid FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name);
    WHILE EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY (writers)) LOOP
        IF clock_timestamp() > until THEN
            RAISE EXCEPTION 'a transaction has been writing documents for a minute: end it (pg_locks tells which it is), then run the migration again' USING ERRCODE = 'lock_not_available';
        END IF;
        PERFORM pg_sleep(0.02);
    END LOOP;
    COMMIT;
    FOR c IN
        SELECT format('%I.%I', n.nspname, r.relname) AS documents, format('UPDATE %I.%I SET _body = _body', n.nspname, r.relname) || CASE
            WHEN i.language IN ('french', 'spanish', 'portuguese', 'catalan', 'romanian', 'irish', 'hungarian', 'lithuanian', 'turkish', 'serbian') THEN ''
            ELSE $q$ WHERE _body::text ~ '[\u00ad\u02bc\u0300\u0301\u0308\u0345\u0386-\u0390\u03aa-\u03b0\u03c2\u03ca-\u03d4\u0400\u0401\u040d\u0450\u0451\u045d\u0591-\u05c7\u0622\u0623\u0625\u0640\u0649\u064b-\u0655\u0660-\u0671\u06a9\u06cc\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0de6-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u17e0-\u17e9\u1810-\u1819\u1f00-\u1fff\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufb1d-\ufdff\ufe70-\ufeff]'$q$
            END AS change
        FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id
            JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name AND r.relkind = 'r'
    LOOP
        BEGIN
            -- A lock that somebody holds ends the migration, which may be tried again: passed over, the documents would never be found as written.
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE c.change;
            GET DIAGNOSTICS n = ROW_COUNT;
            IF n > 0 THEN RAISE NOTICE '% rows: %', n, left(c.change, 100); END IF;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'somebody has kept documents of % locked for 10 s: end that transaction (pg_locks tells which it is), then run the migration again', c.documents
                USING ERRCODE = 'lock_not_available';
        WHEN insufficient_privilege THEN
            RAISE WARNING 'documents of % keep words that an earlier version has spelled, and are not found by others: the table may not be written', c.documents
                USING ERRCODE = '01R01', HINT = format('have its owner run UPDATE %s SET _body = _body', c.documents);
        END;
        COMMIT;
    END LOOP;
    -- What documents give is the same, and so nothing is suggested by another key than before: those of one key now are one.
    FOR c IN
        SELECT format('%I.%I', n.nspname, r.relname) AS suggestions
        FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace JOIN rowan.applications a ON n.nspname = 'app_' || a.id || '_derived'
        WHERE r.relkind = 'r' AND obj_description(r.oid, 'pg_class') LIKE 'Suggestions of %'
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE format($q$
                WITH again AS (SELECT DISTINCT rowan.fold(key) COLLATE "C" AS key FROM %1$s WHERE octet_length(key) <> length(key) AND rowan.fold(key) <> key),
                gone AS (DELETE FROM %1$s s USING again WHERE rowan.fold(s.key) = again.key RETURNING again.key, s.value, s.documents, s.spellings),
                spelled AS (
                    SELECT g.key, e.key AS value, sum(e.value::int)::int AS documents
                    FROM gone g, jsonb_each_text(coalesce(g.spellings, jsonb_build_object(g.value, g.documents))) AS e
                    GROUP BY g.key, e.key)
                INSERT INTO %1$s (key, value, documents, spellings)
                SELECT key, (array_agg(value ORDER BY documents DESC, value COLLATE "C"))[1], sum(documents),
                    CASE WHEN count(*) > 1 THEN jsonb_object_agg(value, documents) END
                FROM spelled GROUP BY key$q$, c.suggestions);
        EXCEPTION WHEN undefined_table THEN NULL;
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What was computed stays, and so do the functions that it was computed by.
SELECT;
