package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an answer that is not a success: the problem (RFC 9457) that the server sent, or what can be
// said about an answer of something else, such as a proxy.
type Error struct {
	Status    int          `json:"status"`
	Title     string       `json:"title"`
	Detail    string       `json:"detail"`
	Code      string       `json:"code"`
	Errors    []FieldError `json:"errors"`
	RequestID string       `json:"request_id"`
	// RetryAfter is how long the server asked to wait; 0 when it did not.
	RetryAfter time.Duration `json:"-"`
}

// FieldError is one fault in what was sent.
type FieldError struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Value    any    `json:"value"`
}

// Error names the fault, its places (the first few), and what to do about a wrong key.
func (e *Error) Error() string {
	var b strings.Builder
	what := e.Detail
	if what == "" {
		what = e.Title
	}
	if what == "" {
		what = http.StatusText(e.Status)
	}
	fmt.Fprintf(&b, "%s (%d", what, e.Status)
	if e.Code != "" {
		fmt.Fprintf(&b, " %s", e.Code)
	}
	b.WriteByte(')')
	const shown = 5
	for i, f := range e.Errors {
		if i == shown {
			fmt.Fprintf(&b, "; and %d more", len(e.Errors)-shown)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", f.Location, f.Message)
	}
	switch e.Status {
	case http.StatusUnauthorized:
		b.WriteString("; check --application and --key")
	case http.StatusInternalServerError:
		if e.RequestID != "" {
			fmt.Fprintf(&b, "; the server's log has more under request id %s", e.RequestID)
		}
	}
	return b.String()
}

// maxProblem bounds what is read of an answer that is not a success, in bytes.
const maxProblem = 1 << 20

func readProblem(resp *http.Response) error {
	problem := &Error{}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "application/problem+json" || json.Unmarshal(body, problem) != nil {
		problem = &Error{Detail: "the server answered " + resp.Status}
	}
	problem.Status = resp.StatusCode
	problem.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	return problem
}

// retryAfter reads the seconds of a Retry-After header. Its other form, a date, is not sent by Rowan.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
