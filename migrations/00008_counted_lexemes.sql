-- +goose Up
ALTER TABLE rowan.accelerators
    ADD COLUMN counted text[] COLLATE "C" NOT NULL DEFAULT '{}',
    ADD COLUMN counts bigint[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN rowan.accelerators.counted IS 'Lexemes that are too rare for postings and too common to be counted by each search.';
COMMENT ON COLUMN rowan.accelerators.counts IS 'Documents with each of counted when they were counted: the sum of <name>_counts over its blocks.';

-- +goose Down
ALTER TABLE rowan.accelerators DROP COLUMN counts, DROP COLUMN counted;
