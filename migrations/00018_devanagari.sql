-- +goose NO TRANSACTION
-- +goose Up
-- Devanagari has words that are spelled in two ways, of which people type either: with a nukta and without (सफ़र), with chandrabindu
-- or anusvara (चाँद), with the nasal before a consonant or anusvara (हिन्दी, हिंदी). Folded they are one, as in Lucene's
-- IndicNormalizer and HindiNormalizer.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.fold(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE f text;
BEGIN
    IF octet_length(t) = length(t) THEN RETURN lower(t COLLATE "C"); END IF;
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
-- +goose StatementEnd

-- What is stored is computed anew where it is another now. It is as good as written: its words and suggestions follow.
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
        SELECT format('%I.%I', n.nspname, r.relname) AS documents
        FROM rowan.indices i JOIN pg_namespace n ON n.nspname = 'app_' || i.application_id
            JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.name AND r.relkind = 'r'
    LOOP
        BEGIN
            -- A lock that somebody holds ends the migration, which may be tried again: passed over, the documents would never be found as written.
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE format($q$UPDATE %s SET _body = _body WHERE _body::text ~
                '[\u0901\u0929\u0931\u0934\u093c\u0958-\u095f]|[\u0919\u091e\u0923\u0928\u092e]\u200d?\u094d(?:[^ -~\u0904-\u0939]|<[^>]*>)*[\u0915-\u0918\u091a-\u091d\u091f-\u0922\u0924-\u0927\u092a-\u092d]|&#(?:0*23|[xX]0*9)'$q$, c.documents);
            GET DIAGNOSTICS n = ROW_COUNT;
            IF n > 0 THEN RAISE NOTICE '% rows of % have their words anew', n, c.documents; END IF;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'somebody has kept documents of % locked for 10 s: end that transaction (pg_locks tells which it is), then run the migration again', c.documents
                USING ERRCODE = 'lock_not_available';
        WHEN insufficient_privilege THEN
            RAISE WARNING 'documents of % in Devanagari are not found in all spellings: the table may not be written', c.documents
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
