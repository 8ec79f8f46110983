-- +goose NO TRANSACTION
-- +goose Up
-- Korean is written without a space behind names and numbers in other letters: LG전자, 코로나19, and 2024년에, in which year. People look for 전자,
-- 코로나 and 2024. So words end where Korean begins or ends, as in Lucene's analysis of Korean.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION rowan.korean(folded text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    hangul CONSTANT text := '[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb]';
    other CONSTANT text := '[0-9a-z\u0080-\u10ff\u1200-\ua95f\ua97d-\uabff\ud7a4-\ud7af\ud7fc-\U0010ffff]';
BEGIN
    IF folded !~ hangul THEN RETURN folded; END IF;
    RETURN regexp_replace(folded, other || '(?=' || hangul || ')|' || hangul || '(?=' || other || ')', '\& ', 'g');
END $$;
COMMENT ON FUNCTION rowan.korean(text) IS 'Folded text with a space between Korean and other letters and digits.';

CREATE OR REPLACE FUNCTION rowan.words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
    IF octet_length(t) <> length(t) THEN
        -- What English text has outside ASCII. The soft hyphen and the zero-width joiner stand inside words.
        t := replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(t, '’', ' '), '‘', ' '), '“', ' '), '”', ' '),
            '–', ' '), '—', ' '), '™', ' '), '℠', ' '), U&'\00A0', ' '), U&'\00AD', ''), U&'\200D', '');
        -- A zero-width space parts words, a zero-width non-joiner what is put together of a word and its endings.
        IF octet_length(t) <> length(t) THEN t := rowan.fold(replace(replace(t, U&'\200B', ' '), U&'\200C', ' ')); END IF;
    END IF;
    -- Most texts have neither, and pluses go with the signs, so that this costs one look for #.
    IF position('+' IN t) > 0 OR position('#' IN t) > 0 THEN t := replace(rowan.signs(t), '+', ' '); END IF;
    -- \x02 is what pairs of letters are made with.
    IF octet_length(t) <> length(t) THEN t := rowan.bigrams(rowan.korean(rowan.parted(replace(t, E'\x02', ' ')))); END IF;
    RETURN replace(replace(replace(replace(replace(replace(t,
        '.', ' '), '-', ' '), '/', ' '), '&', ' '), '<', ' '), '~', ' ');
END $$;
-- +goose StatementEnd

-- What is stored is computed anew where it may be another now: beside Korean there are letters or digits, which may be of other scripts and fold to
-- those of ASCII, or markup, or Korean is written as markup.
-- One transaction for each index: PostgreSQL keeps a lock on each table and each of its indexes until the end of one, and has
-- too few of them for some hundreds. What ends before the last index is repeated whole.
-- +goose StatementBegin
DO $$
DECLARE
    -- As in documents: not folded, and with what folds to Korean.
    letters CONSTANT text := '\u1100-\u11ff\u3131-\u318e\u3200-\u321e\u3260-\u327e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc';
    korean CONSTANT text := '[' || letters || ']';
    other CONSTANT text := '[^ -%''-/:=?@\[-`{-~' || letters || ']';
    markup CONSTANT text := '&#(?:0*(?:4[3-6]|12[56]|43[34]|4[4-9]\d|5[0-5]\d|65[45])\d\d|[xX]0*(?:11|31|[aA]9|[aA][c-fC-F]|[b-cB-C][0-9a-fA-F]|[dD][0-7]|[fF]{2})[0-9a-fA-F]{2});';
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
            EXECUTE format('UPDATE %s SET _body = _body WHERE _body::text ~ %L', c.documents, other || korean || '|' || korean || other || '|' || markup);
            GET DIAGNOSTICS n = ROW_COUNT;
            IF n > 0 THEN RAISE NOTICE '% rows of % have their words anew', n, c.documents; END IF;
        EXCEPTION WHEN undefined_table THEN NULL; -- The index has been deleted meanwhile.
        WHEN lock_not_available THEN
            RAISE EXCEPTION 'somebody has kept documents of % locked for 10 s: end that transaction (pg_locks tells which it is), then run the migration again', c.documents
                USING ERRCODE = 'lock_not_available';
        WHEN insufficient_privilege THEN
            RAISE WARNING 'documents of % that have Korean beside other letters are not found by each: the table may not be written', c.documents
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
            EXECUTE format('WITH gone AS (DELETE FROM %1$s WHERE octet_length(key) <> length(key) AND rowan.korean(key) <> key RETURNING *) INSERT INTO %1$s SELECT * FROM gone', c.suggestions);
        EXCEPTION WHEN undefined_table THEN NULL;
        END;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What was computed stays, and so do the functions that it was computed by.
SELECT;
