package store

import "slices"

const (
	// maxTiedTexts bounds the documents that are put to the plain statement for a page in the order of texts: many may begin with the
	// same letters. tiedShare is the least share of what is found that it takes less time not to read.
	maxTiedTexts, tiedShare = 50000, 4
)

// textCandidates returns the found documents from the place of the cursor up to the last text of the page, by the beginnings of
// texts; ok is false where they are too many, or blocks do not have them.
func (t *blockTally) textCandidates() (list []int64, ok bool) {
	by := t.search.sorted
	place, most := t.places[keysOf+by.field], max(t.search.limits.tied, min(t.total/tiedShare, maxTiedTexts))
	for _, b := range t.blocks {
		if !b.found.empty() && !textKeys(b.postings[place].codes).fits(b.size) {
			return nil, false
		}
	}
	each := func(do func(b *block, offset int, key uint64)) {
		for _, b := range t.blocks {
			keys := textKeys(b.postings[place].codes)
			b.found.each(func(offset int) { do(b, offset, keys.of(offset, by.desc)) })
		}
	}
	from, wanted := uint64(0), t.search.plan.Offset+t.search.plan.Limit
	if by.after != nil {
		from = by.after.beginning(by.desc)
		// Which of those that begin like the place of the cursor come after it, the statement knows.
		each(func(_ *block, _ int, key uint64) {
			if key == from {
				wanted++
			}
		})
	}
	if wanted > most {
		return nil, false
	}
	last := smallest{n: wanted, bound: noKey}
	each(func(_ *block, _ int, key uint64) {
		if key >= from {
			last.add(key)
		}
	})
	last.settle()
	each(func(b *block, offset int, key uint64) {
		if key >= from && key <= last.bound && len(list) <= most {
			list = append(list, b.number*int64(b.size)+int64(offset))
		}
	})
	return list, len(list) <= most
}

// beginning is that of the text of a place, as textKeys.of has it.
func (k sortKey) beginning(desc bool) uint64 {
	n := beginningOf([]byte(k.key))
	switch {
	case k.null:
		return noKey
	case desc:
		return noKey - n
	}
	return n
}

// smallest finds the n-th smallest of the keys that are added: bound, once they are settled, which is the largest where there are fewer.
type smallest struct {
	n     int
	bound uint64
	keys  []uint64
}

func (s *smallest) add(key uint64) {
	if key >= s.bound && len(s.keys) >= s.n {
		return
	}
	if s.keys = append(s.keys, key); len(s.keys) >= 2*s.n+1000 {
		s.settle()
	}
}

func (s *smallest) settle() {
	slices.Sort(s.keys)
	if len(s.keys) >= s.n {
		s.keys, s.bound = s.keys[:s.n], s.keys[s.n-1]
	}
}
