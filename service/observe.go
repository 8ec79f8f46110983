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
	// Continued tells that it is not the beginning of a list: another page than the first, or what follows a cursor.
	Continued bool
	// Took is the time from the request's turn to the answer, without the wait for its turn.
	Took time.Duration
	// Remembered tells that the answer is an earlier one, which still holds.
	Remembered bool
	// Refused searches were not let in, because as many were under way as may be. Err tells whose doing it was.
	Refused bool
	// Unrecorded searches are those of the dashboard: analytics leave them out.
	Unrecorded bool
	// Err is why there is no answer.
	Err error
}

// Observer is told of each search when it has ended. It is called by the goroutine that answers, and must not
// keep it.
type Observer interface {
	Searched(ctx context.Context, s Searched)
}

// Suggested tells of one request for suggestions, of their own rather than beside a search, that has ended.
type Suggested struct {
	Application string
	// Took is the time from the request's turn to the answer.
	Took time.Duration
	// Refused requests were not let in.
	Refused bool
	// Err is why there is no answer.
	Err error
}

// SuggestionObserver is told of each request for suggestions when it has ended, as Observer is of searches.
type SuggestionObserver interface {
	Suggested(ctx context.Context, s Suggested)
}

// Watcher tells how the database went about a search that was slow.
type Watcher interface {
	// Watch returns a context for one search. explain is for the end of a slow one: it calls tell once, with the
	// plan of the statement that took longest, from another goroutine and within seconds; or with "" where there
	// is none to tell. A plan holds no value of the search.
	Watch(ctx context.Context) (watched context.Context, explain func(tell func(plan string)))
}
