package service

import (
	"context"
	"time"
)

// Searched tells of one search that has ended, with an answer or without.
type Searched struct {
	Application, Search string
	// Index is the searched one; empty where the search ended before it was known.
	Index string
	// Query is the text as it was sent.
	Query string
	// Match, Total and Facets are those of the answer; zero where there is none.
	Match  Match
	Total  int64
	Facets int
	// Page is that of the answer; above 1 where a client went on in a list.
	Page int
	// Took is the time from the request's turn to the answer, without the wait for its turn.
	Took time.Duration
	// Unrecorded searches are an administrator's own: analytics leave them out.
	Unrecorded bool
	// Err is why there is no answer.
	Err error
}

// Observer is told of each search when it has ended. It is called by the goroutine that answers, and must not
// keep it.
type Observer interface {
	Searched(ctx context.Context, s Searched)
}
