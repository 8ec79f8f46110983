-- +goose Up
-- A major version of PostgreSQL may bring other stemmers and other tables of Unicode (18 stems one in ten Turkish words otherwise than
-- 17 does). pg_upgrade keeps what generated columns have; words of a query are looked for as the new version has them. So servers
-- compare the documents of an index that another version has computed, and compute anew what differs. What there is now is taken for
-- computed by the version that runs now.
ALTER TABLE rowan.indices ADD COLUMN computed_by integer DEFAULT current_setting('server_version_num')::int / 10000;
COMMENT ON COLUMN rowan.indices.computed_by IS 'Major version of the PostgreSQL that the generated columns of the documents are of. Set it to NULL after dictionaries or the C library have changed: servers then compare all documents in the background, and compute anew those that differ.';

-- +goose Down
ALTER TABLE rowan.indices DROP COLUMN computed_by;
