package service

import (
	"context"
	"time"
)

// Searched describes a search that has ended, with an answer or without.
type Searched struct {
	Application, Search string
	// Index is the searched index; empty if the search ended before it was known.
	Index string
	// Query is the text as it was sent.
	Query string
	// Match, Total and Facets are those of the answer; zero if there is none.
	Match  Match
	Total  int64
	Facets int
	// Continued reports whether the search is not for the beginning of a list: it is for another page than the first, or for what follows a cursor.
	Continued bool
	// Took is the time from the request's turn to the answer, without the wait for its turn.
	Took time.Duration
	// Remembered reports whether the answer is an earlier one that is still valid.
	Remembered bool
	// Refused searches were not let in, because as many were under way as may be. Err tells whether those were the application's own.
	Refused bool
	// Unrecorded searches are those of the dashboard: analytics leave them out.
	Unrecorded bool
	// Err is why there is no answer.
	Err error
}

// Observer is told of each search when it has ended. It is called by the goroutine that answers, and must not block it.
type Observer interface {
	Searched(ctx context.Context, s Searched)
}

// Suggested describes a request for suggestions alone, not those beside a search, that has ended.
type Suggested struct {
	Application string
	// Took is the time from the request's turn to the answer.
	Took time.Duration
	// Refused requests were not let in.
	Refused bool
	// Err is why there is no answer.
	Err error
}

// SuggestionObserver is told of each request for suggestions when it has ended, like Observer of searches.
type SuggestionObserver interface {
	Suggested(ctx context.Context, s Suggested)
}

// Watcher finds out how the database executed a slow search.
type Watcher interface {
	// Watch returns a context for one search. explain is for the end of a slow search: it calls tell once, with the plan of the statement
	// that took longest, from another goroutine and within seconds; or with "" if there is no plan. A plan holds no value of the search.
	Watch(ctx context.Context) (watched context.Context, explain func(tell func(plan string)))
}
