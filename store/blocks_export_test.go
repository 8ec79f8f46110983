package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/pgbinary"
	"github.com/rowansearch/rowan/store/posting"
	"github.com/rowansearch/rowan/store/searchsql"
	"github.com/rowansearch/rowan/store/table"
)

// CheckedBlocks is how much CheckBlocks has compared, and the existing blocks, with the transactions that wrote them.
type CheckedBlocks struct {
	Documents, Phrases int
	Blocks             map[int64]uint32
}

// CheckBlocks compares, in one snapshot, each document of an index that is not in the log with its block and with what is remembered of phrases. It
// compares nothing if there are no postings, or if they have been replaced.
func (s *Store) CheckBlocks(ctx context.Context, ix *service.Index) (CheckedBlocks, error) {
	x, err := s.accelerator(ctx, ix.ID)
	if x == nil || err != nil {
		return CheckedBlocks{}, err
	}
	plan, err := checkedPlan(ctx, s, ix)
	if err != nil {
		return CheckedBlocks{}, err
	}
	c := &blockCheck{accelerated: newAccelerated(x, table.ShapeOf(ix), plan)}
	err = s.inSnapshot(ctx, func(conn *pgx.Conn) error {
		c.history = historyOf(ctx, conn)
		results := conn.SendBatch(ctx, c.beginSQL())
		if err := errors.Join(c.begun(results), results.Close()); err != nil {
			return err
		}
		for _, step := range []func(context.Context, *pgx.Conn) error{c.readTable, c.readLog, c.readBlocks, c.compare} {
			if err := step(ctx, conn); err != nil {
				return err
			}
		}
		return c.comparePhrases(ctx, conn, &s.phraseCache)
	})
	if errors.Is(err, errRebuilt) || errors.Is(err, service.ErrStale) || gone(err) {
		return CheckedBlocks{}, nil
	}
	return c.CheckedBlocks, err
}

// checkedPlan returns a currently valid plan without words.
func checkedPlan(ctx context.Context, s *Store, ix *service.Index) (*service.Plan, error) {
	p := &service.Plan{Index: ix, Match: service.MatchAll}
	return p, s.pool.QueryRow(ctx, "SELECT version FROM rowan.applications WHERE id = $1", ix.Application).Scan(&p.Version)
}

type blockCheck struct {
	*accelerated
	table  map[int64]map[string]string // by document and lexeme: its positions
	logged map[int64]bool
	built  map[int64]map[string]string
	CheckedBlocks
}

func (c *blockCheck) readTable(ctx context.Context, conn *pgx.Conn) error {
	columns := []string{"_seq"}
	vectors := searchsql.Builder{Shape: c.sh}
	for _, f := range c.searched {
		columns = append(columns, vectors.Vector(f))
	}
	formats := make(pgx.QueryResultFormats, len(columns))
	for i := range formats {
		formats[i] = 1
	}
	rows, err := conn.Query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+c.sh.Table+" t", formats)
	if err != nil {
		return err
	}
	defer rows.Close()
	c.table = map[int64]map[string]string{}
	for rows.Next() {
		raw := rows.RawValues()
		found := map[string]string{}
		for field, vector := range raw[1:] {
			err := pgbinary.EachLexeme(vector, func(l []byte, o pgbinary.Occurrences) {
				if _, common := c.frequencies[string(l)]; !common {
					return
				}
				found[string(l)] += fmt.Sprintf("%d×%d ", o.Count, field)
				for i := range len(o.Positions) / 2 {
					found[posting.PositionsOf+string(l)] += fmt.Sprintf("%d:%d ", field, o.Position(i))
				}
			})
			if err != nil {
				return err
			}
		}
		c.table[int64(binary.BigEndian.Uint64(raw[0]))] = found
	}
	return rows.Err()
}

func (c *blockCheck) readLog(ctx context.Context, conn *pgx.Conn) error {
	c.logged = map[int64]bool{}
	rows, _ := conn.Query(ctx, "SELECT _seq FROM "+c.sh.Touched())
	var seq int64
	_, err := pgx.ForEachRow(rows, []any{&seq}, func() error { c.logged[seq] = true; return nil })
	return err
}

func (c *blockCheck) readBlocks(ctx context.Context, conn *pgx.Conn) error {
	c.built, c.Blocks = map[int64]map[string]string{}, map[int64]uint32{}
	rows, _ := conn.Query(ctx, "SELECT p.lexeme, p.block, p.documents, p.postings, p.xmin, q.postings FROM "+c.sh.Postings()+" p LEFT JOIN "+c.sh.Postings()+" q ON q.lexeme = $1 || p.lexeme AND q.block = p.block AND p.lexeme <> '' ORDER BY p.lexeme", posting.PositionsOf)
	var lexeme string
	var block int64
	var documents int
	var data, positions []byte
	var writer uint32
	_, err := pgx.ForEachRow(rows, []any{&lexeme, &block, &documents, &data, &writer, &positions}, func() error {
		first := block * int64(c.blockSize)
		if lexeme == posting.EveryDocument {
			c.Blocks[block] = writer
			p, _, ok := posting.DecodeMeasures(documents, data, c.blockSize)
			if !ok {
				return posting.ErrForm
			}
			bits := posting.NewBitmap(c.blockSize)
			p.AddTo(bits)
			bits.Each(func(offset int) { c.built[first+int64(offset)] = map[string]string{} })
			return nil
		}
		if c.Blocks[block] != writer {
			return fmt.Errorf("block %d of %q: transaction %d, that of all documents %d", block, lexeme, writer, c.Blocks[block])
		}
		if _, common := c.frequencies[lexeme]; !common {
			return nil
		}
		return c.readLexeme(lexeme, first, documents, data, positions)
	})
	return err
}

// readLexeme reads the postings of a lexeme in the block whose first document has the given number, with its positions if they are stored.
func (c *blockCheck) readLexeme(lexeme string, first int64, documents int, data, positions []byte) error {
	p, ok := posting.Decode(documents, data, c.blockSize)
	if !ok {
		return posting.ErrForm
	}
	has := posting.NewBitmap(c.blockSize)
	p.AddTo(has)
	var list posting.CodeList
	list.Take(p, has)
	reader := posting.PositionReader{List: p, Data: positions}
	for i, offset := range list.Offsets {
		of := c.built[first+int64(offset)]
		if of == nil {
			return fmt.Errorf("document %d has %q, and is in no block", first+int64(offset), lexeme)
		}
		pattern := p.Patterns[int(list.Codes[i])*p.Width():][:p.Width()]
		for field := range c.searched {
			if column := p.Column(field); column >= 0 && pattern[column] > 0 {
				of[lexeme] += fmt.Sprintf("%d×%d ", pattern[column], field)
			}
		}
		if positions == nil {
			continue
		}
		places, ok := reader.Read(i)
		if !ok {
			return posting.ErrForm
		}
		for _, place := range places {
			of[posting.PositionsOf+lexeme] += fmt.Sprintf("%d:%d ", place.Field(), int(place)&(1<<20-1)) // the position is in the low 20 bits, below the field
		}
	}
	return nil
}

func (c *blockCheck) compare(context.Context, *pgx.Conn) error {
	for seq, is := range c.table {
		of, built := c.built[seq]
		if c.logged[seq] {
			continue
		}
		if !built {
			return fmt.Errorf("document %d is in no block and not in the log", seq)
		}
		c.Documents++
		for lexeme, where := range is {
			if lexeme[:1] == posting.PositionsOf && of[lexeme] == "" {
				continue
			}
			if of[lexeme] != where {
				return fmt.Errorf("document %d has %q at %s, in block %d of transaction %d at %s", seq, lexeme, where, seq/int64(c.blockSize), c.Blocks[seq/int64(c.blockSize)], of[lexeme])
			}
		}
		for lexeme, where := range of {
			if is[lexeme] == "" {
				return fmt.Errorf("document %d has %q at %s in its block, and not in the table", seq, lexeme, where)
			}
		}
	}
	for seq := range c.built {
		if c.table[seq] == nil && !c.logged[seq] {
			return fmt.Errorf("document %d is in block %d, and neither in the table nor in the log", seq, seq/int64(c.blockSize))
		}
	}
	return nil
}

func (c *blockCheck) comparePhrases(ctx context.Context, conn *pgx.Conn, cache *phraseCache) error {
	const atOnce = 5 // the table is read for each phrase
	var keys []phraseKey
	have := map[string][]int64{}
	cache.phrases.Forget(func(k phraseKey) bool {
		if k.builtIn != c.builtIn() || c.Blocks[k.block.number] != k.block.writer {
			return false
		}
		if _, chosen := have[k.phrase]; chosen || len(have) < atOnce {
			have[k.phrase] = nil
			keys = append(keys, k)
		}
		return false
	})
	for _, k := range keys {
		known, ok := cache.phrases.Get(k)
		if !ok {
			continue
		}
		if have[k.phrase] == nil {
			i := strings.LastIndex(k.phrase, ") ")
			ph := phrase{columns: strings.Split(k.phrase[i+2:], " ")}
			rows, _ := conn.Query(ctx, "SELECT _seq FROM "+c.sh.Table+" t WHERE "+ph.tests("$1"), k.phrase[:i+1])
			list, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			if err != nil {
				return fmt.Errorf("%s: %w", k.phrase, err)
			}
			have[k.phrase] = list
		}
		seen, has := posting.NewBitmap(c.blockSize), posting.NewBitmap(c.blockSize)
		known.seen.AddTo(seen)
		known.has.AddTo(has)
		for offset := range c.blockSize {
			seq := k.block.number*int64(c.blockSize) + int64(offset)
			if c.logged[seq] || c.table[seq] == nil || !seen.Has(offset) {
				continue
			}
			c.Phrases++
			if is := slices.Contains(have[k.phrase], seq); is != has.Has(offset) {
				return fmt.Errorf("document %d in block %d of transaction %d has the phrase %s: %t, remembered is %t", seq, k.block.number, k.block.writer, k.phrase, is, has.Has(offset))
			}
		}
		for offset := range c.blockSize {
			if has.Has(offset) && !seen.Has(offset) {
				return fmt.Errorf("%s in block %d: %d is not seen", k.phrase, k.block.number, offset)
			}
		}
	}
	return nil
}
