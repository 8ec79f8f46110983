-- +goose Up
ALTER TABLE rowan.indices ADD COLUMN accelerated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN rowan.indices.accelerated IS 'Common words are kept beside the table: writers also note in <name>_touched what they touch.';

CREATE TABLE rowan.accelerators (
    index_id       bigint PRIMARY KEY REFERENCES rowan.indices ON DELETE CASCADE,
    generation     bigint NOT NULL,
    ready          boolean NOT NULL DEFAULT false,
    block_size     integer NOT NULL CHECK (block_size > 0 AND block_size % 64 = 0 AND block_size <= 65536),
    documents      bigint NOT NULL DEFAULT 0,
    numbered_to    bigint NOT NULL,
    average_length double precision NOT NULL,
    formula        text NOT NULL,
    lexemes        text[] COLLATE "C" NOT NULL,
    frequencies    bigint[] NOT NULL,
    counted_at     timestamptz NOT NULL DEFAULT now(),
    rebuilt_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE rowan.accelerators IS 'State of the postings of common words, <name>_postings and <name>_values in the schema of what is derived. Delete a row to have them built anew.';
COMMENT ON COLUMN rowan.accelerators.generation IS 'Another with every new choice of lexemes.';
COMMENT ON COLUMN rowan.accelerators.ready IS 'Every block was built: from now on a document is in its block or in <name>_touched.';
COMMENT ON COLUMN rowan.accelerators.block_size IS 'Numbers of documents in a block.';
COMMENT ON COLUMN rowan.accelerators.documents IS 'Documents in all blocks when they were counted.';
COMMENT ON COLUMN rowan.accelerators.numbered_to IS 'Largest number of a document when the lexemes were chosen.';
COMMENT ON COLUMN rowan.accelerators.average_length IS 'Mean length of documents that the impacts were computed with.';
COMMENT ON COLUMN rowan.accelerators.formula IS 'What the impacts depend on besides: fields with their weights, constants of the ranking.';
COMMENT ON COLUMN rowan.accelerators.lexemes IS 'Lexemes that have postings.';
COMMENT ON COLUMN rowan.accelerators.frequencies IS 'Documents with each of the lexemes when they were counted.';
COMMENT ON COLUMN rowan.accelerators.counted_at IS 'When the documents were counted.';
COMMENT ON COLUMN rowan.accelerators.rebuilt_at IS 'When a block was last rebuilt.';

-- +goose Down
DROP TABLE rowan.accelerators;
ALTER TABLE rowan.indices DROP COLUMN accelerated;
