-- +goose NO TRANSACTION
-- +goose Up
-- C++, C#, F#, g++ and A++ are words: of a single letter, what stands behind it is all that tells it from others. Longer words
-- say enough without their signs, and are found without them (Notepad++, PoE++, PO#).

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.signs(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF position('++' IN t) > 0 THEN t := regexp_replace(t, '(?<![a-zA-Z0-9])([a-zA-Z])\+\+', '\1plusplus ', 'g'); END IF;
    -- Not where a letter follows (/a#section), but c++11 and C#8 are of these languages.
    IF position('#' IN t) > 0 THEN t := regexp_replace(t, '(?<![a-zA-Z0-9])([a-zA-Z])#(?![a-zA-Z])', '\1sharp ', 'g'); END IF;
    RETURN t;
END $$;
COMMENT ON FUNCTION rowan.signs(text) IS 'Text with words for single letters that have ++ or # behind them: cplusplus for C++, csharp for C#.';

CREATE OR REPLACE FUNCTION rowan.words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(t) <> length(t) THEN
        -- What English text has outside ASCII. The soft hyphen and the zero-width joiner stand inside words.
        t := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(t, '’', ' '), '‘', ' '), '“', ' '), '”', ' '),
            '–', ' '), '—', ' '), '™', ' '), '℠', ' '), U&'\00A0', ' '), U&'\00AD', ''), U&'\200D', '');
        -- A zero-width space parts words, a zero-width non-joiner what is put together of a word and its endings.
        IF octet_length(t) <> length(t) THEN t := rowan.fold(translate(t, U&'\200B\200C', '  ')); END IF;
        IF octet_length(t) <> length(t) THEN RETURN rowan.bigrams(rowan.spaced(rowan.signs(t))); END IF;
    END IF;
    -- Most texts have neither, and pluses go with the signs, so that this costs one look for #.
    IF position('+' IN t) > 0 OR position('#' IN t) > 0 THEN t := replace(rowan.signs(t), '+', ' '); END IF;
    RETURN replace(replace(replace(replace(replace(replace(t,
        '.', ' '), '-', ' '), '/', ' '), '&', ' '), '<', ' '), '~', ' ');
END $$;
-- +goose StatementEnd

-- What is stored is computed anew where it may be another now. The letter and the signs may be of full width or superscript, have
-- between them what is not seen, and be written as markup.
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
                '[^ -:<=?@\[-`{-~](?:[+＋﹢⁺₊﬩](?:[^ -~]|<[^>]*>)*[+＋﹢⁺₊﬩]|[#＃﹟](?![a-zA-Z])|&#(?:0*(?:35|43)|[xX]0*2[3bB]);)'$q$, c.documents);
            GET DIAGNOSTICS n = ROW_COUNT;
            IF n > 0 THEN RAISE NOTICE '% rows of % have their words anew', n, c.documents; END IF;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'somebody has kept documents of % locked for 10 s: end that transaction (pg_locks tells which it is), then run the migration again', c.documents
                USING ERRCODE = 'lock_not_available';
        WHEN insufficient_privilege THEN
            RAISE WARNING 'documents of % that have C++ or C# are not found by these: the table may not be written', c.documents
                USING ERRCODE = '01R01', HINT = format('have its owner run UPDATE %s SET _body = _body', c.documents);
        END;
        COMMIT;
    END LOOP;
    -- Their index is on the words of keys, which it takes anew only of rows that are written anew.
    FOR c IN
        SELECT format('%I.%I', n.nspname, r.relname) AS suggestions
        FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace JOIN rowan.applications a ON n.nspname = 'app_' || a.id || '_derived'
        WHERE r.relkind = 'r' AND obj_description(r.oid, 'pg_class') LIKE 'Suggestions of %'
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '10s', true);
            EXECUTE format('WITH gone AS (DELETE FROM %1$s WHERE rowan.signs(key) <> key RETURNING *) INSERT INTO %1$s SELECT * FROM gone', c.suggestions);
        EXCEPTION WHEN undefined_table THEN NULL;
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What was computed stays, and so do the functions that it was computed by.
SELECT;
