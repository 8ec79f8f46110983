package store

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/table"
	"github.com/rowansearch/rowan/store/vocabulary"
)

// related looks words up in one round trip. No document has the words in ask.Gone. A word is known to be frequent from surely documents on.
func (s *Store) related(ctx context.Context, ix *service.Index, r table.Relations, peek int, ask service.AskedWords, surely int64) (found *vocabulary.Found, err error) {
	question := &vocabulary.Question{AskedWords: ask, Surely: surely, ManyBegun: s.words.manyBegun}
	if ask.Prefix != "" {
		if question.Common, err = s.surelyCommon(ctx, ix.ID); err != nil {
			return nil, err
		}
	}
	// The log comes first: what is processed between the two is in both.
	batch := &pgx.Batch{}
	batch.Queue(peekSQL(r, peek))
	st := question.Statement(r, freshLog)
	batch.Queue(st.SQL, st.Args...)
	// Callers that ask for words close to these will ask for their lexemes next.
	language := ix.Settings.Language
	unknown := s.unknownWords(language, append([]string{ask.Prefix}, ask.Words...)...)
	if len(unknown) > 0 {
		batch.Queue(lexemesSQL, language, unknown)
	}
	conn, err := s.readPool(ctx).Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Release()
	results := conn.SendBatch(ctx, batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	peeked, err := readPeeked(ix, rows, peek)
	if err != nil {
		return nil, err
	}
	if rows, err = results.Query(); err != nil {
		return nil, err
	}
	lookup := question.Lookup(&peeked.Logged)
	var row vocabulary.Row
	if _, err = pgx.ForEachRow(rows, row.Columns(), func() error {
		lookup.Take(row)
		return nil
	}); err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		if rows, err = results.Query(); err != nil {
			return nil, err
		}
		if err = s.takeLexemes(language, rows, map[string][]string{}); err != nil {
			return nil, err
		}
	}
	found = lookup.Settle()
	found.State = seenIn(historyOf(ctx, conn.Conn()), found.State)
	return found, nil
}
