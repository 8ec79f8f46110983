package client

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Problem is an unsuccessful answer: the problem (RFC 9457) that the service has sent, or what is known about
// an answer of something else, such as a proxy. Every method of the client returns it as an error;
// errors.AsType finds it:
//
//	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Code == "index_not_found" { … }
type Problem struct {
	// Type points at the explanation of the code.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what happened this time, and what to do about it.
	Detail string `json:"detail"`
	// Code is stable: programs should look at it. It is empty if the answer is not from the service.
	Code string `json:"code"`
	// Errors are the faults with their locations; there may be none.
	Errors    []Fault `json:"errors"`
	RequestID string  `json:"request_id"`
	// RetryAfter is how long the server asked the client to wait; 0 if it did not ask.
	RetryAfter time.Duration `json:"-"`
}

// Fault is one fault in what was sent.
type Fault struct {
	// Location points at the value: body[17].body.price, query.action, path.index.
	Location string `json:"location"`
	Message  string `json:"message"`
	// Value is the value at the location, cut short; nil if there was none. A number is a json.Number.
	Value any `json:"value"`
}

// shownFaults is how many faults the text of a problem lists.
const shownFaults = 5

// Error returns what happened, followed by the first few faults that the detail does not mention, with their locations.
func (p *Problem) Error() string {
	var b strings.Builder
	what := p.Detail
	if what == "" {
		what = p.Title
	}
	if what == "" {
		what = http.StatusText(p.Status)
	}
	fmt.Fprintf(&b, "%s (%d", what, p.Status)
	if p.Code != "" {
		fmt.Fprintf(&b, " %s", p.Code)
	}
	b.WriteByte(')')
	said := map[string]bool{}
	unsaid := slices.DeleteFunc(slices.Clone(p.Errors), func(f Fault) bool {
		first := !said[f.Message] // of several faults with the same message, the detail mentions one
		said[f.Message] = true
		return first && strings.Contains(what, f.Message)
	})
	for i, fault := range unsaid {
		if i == shownFaults {
			fmt.Fprintf(&b, "; and %d more", len(unsaid)-shownFaults)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", fault.Location, fault.Message)
	}
	if p.Status == http.StatusInternalServerError && p.RequestID != "" {
		fmt.Fprintf(&b, "; request id %s", p.RequestID)
	}
	return b.String()
}

// maxProblem limits how many bytes of an unsuccessful answer are read.
const maxProblem = 1 << 20

// readProblem reads and closes an unsuccessful answer.
func readProblem(response *http.Response) *Problem {
	defer func() { _ = response.Body.Close() }() // only read
	problem := &Problem{}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxProblem))
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || kind != "application/problem+json" || decodeNumbers(body, problem) != nil {
		problem = &Problem{Detail: "the server answered " + response.Status}
	}
	problem.Status = response.StatusCode
	problem.RetryAfter = retryAfter(response.Header.Get("Retry-After"))
	return problem
}

// retryAfter reads a Retry-After header: seconds, as Rowan sends it, or a date, as proxies may.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 0), 24*60*60)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
