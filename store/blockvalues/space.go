package blockvalues

import (
	"math"
	"sync"

	"github.com/rowansearch/rowan/store/posting"
)

// Space is memory that one search from postings works in, and the next one after it: to take half a megabyte anew
// for each would keep the collector busy. It must not be used after Release, nor anything that was taken from it.
type Space struct {
	Size    int // documents of a block
	bitmaps []posting.Bitmap
	taken   int // of these
	bytes   []byte
	tallies [2][]int32
}

// What documents of a block are counted by.
const (
	countsOfSets = iota
	countsOfValues
)

const (
	// spaceChunk is how many bytes are taken at once, the others what is kept from one search to another.
	spaceChunk  = 512 << 10
	keptBitmaps = 256
	keptBytes   = 1 << 20
)

var spaces sync.Pool

// NewSpace is for blocks of so many documents.
func NewSpace(size int) *Space {
	if s, ok := spaces.Get().(*Space); ok && s.Size == size {
		return s
	}
	return &Space{Size: size}
}

// Release gives the space to the next search.
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

// Given is how many bitmaps are taken.
func (s *Space) Given() int { return s.taken }

// GiveBack takes back all bitmaps but the first n that were taken. What is worked in for one block is for the next: fresh memory
// for each would be half a megabyte.
func (s *Space) GiveBack(n int) { s.taken = n }

// Full returns a bitmap of all documents of a block.
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

// counts returns n times 0, of one kind the same memory each time: a facet of many values took a megabyte for each search.
func (s *Space) counts(kind, n int) []int32 {
	if cap(s.tallies[kind]) < n {
		s.tallies[kind] = make([]int32, n)
		return s.tallies[kind]
	}
	counts := s.tallies[kind][:n]
	clear(counts)
	return counts
}
