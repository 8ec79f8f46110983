package blockvalues

import (
	"math"
	"sync"

	"github.com/rowansearch/rowan/store/posting"
)

// Space is working memory of a search from postings, passed on to the next search: allocating half a megabyte for each would keep the garbage
// collector busy. Neither the Space nor anything taken from it may be used after Release.
type Space struct {
	Size    int // of a block, in documents
	bitmaps []posting.Bitmap
	taken   int // number of bitmaps in use
	bytes   []byte
	tallies [2][]int32
}

// What the documents of a block are counted by.
const (
	countsOfSets = iota
	countsOfValues
)

const (
	// spaceChunk is the number of bytes allocated at once; the others limit what is kept for the next search.
	spaceChunk  = 512 << 10
	keptBitmaps = 256
	keptBytes   = 1 << 20
)

var spaces sync.Pool

// NewSpace returns a space for blocks of the given number of documents.
func NewSpace(size int) *Space {
	if s, ok := spaces.Get().(*Space); ok && s.Size == size {
		return s
	}
	return &Space{Size: size}
}

// Release passes the space on to the next search.
func (s *Space) Release() {
	if len(s.bitmaps) > keptBitmaps {
		clear(s.bitmaps[keptBitmaps:])
		s.bitmaps = s.bitmaps[:keptBitmaps]
	}
	if cap(s.bytes) > keptBytes {
		s.bytes = nil
	}
	s.taken, s.bytes = 0, s.bytes[:0]
	spaces.Put(s)
}

// Bitmap returns an empty bitmap of a block.
func (s *Space) Bitmap() posting.Bitmap {
	if s.taken == len(s.bitmaps) {
		s.bitmaps = append(s.bitmaps, posting.NewBitmap(s.Size))
	} else {
		clear(s.bitmaps[s.taken])
	}
	s.taken++
	return s.bitmaps[s.taken-1]
}

// Given returns the number of bitmaps in use.
func (s *Space) Given() int { return s.taken }

// GiveBack takes back all bitmaps except the first n. So the memory used for one block is reused for the next, which would otherwise need another
// half megabyte.
func (s *Space) GiveBack(n int) { s.taken = n }

// Full returns a bitmap with all documents of a block.
func (s *Space) Full() posting.Bitmap {
	b := s.Bitmap()
	for i := range b {
		b[i] = math.MaxUint64
	}
	return b
}

// Clone returns a copy of a bitmap.
func (s *Space) Clone(b posting.Bitmap) posting.Bitmap {
	c := s.Bitmap()
	copy(c, b)
	return c
}

// Copy returns a copy of data.
func (s *Space) Copy(data []byte) []byte {
	if cap(s.bytes)-len(s.bytes) < len(data) {
		s.bytes = make([]byte, 0, max(spaceChunk, len(data), min(2*cap(s.bytes), keptBytes)))
	}
	from := len(s.bytes)
	s.bytes = append(s.bytes, data...)
	return s.bytes[from:len(s.bytes):len(s.bytes)]
}

// counts returns n zeros, for each kind in the same memory every time: a facet with many values used to allocate a megabyte for each search.
func (s *Space) counts(kind, n int) []int32 {
	if cap(s.tallies[kind]) < n {
		s.tallies[kind] = make([]int32, n)
		return s.tallies[kind]
	}
	counts := s.tallies[kind][:n]
	clear(counts)
	return counts
}
