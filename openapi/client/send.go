package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

type streaming struct{}

// Streaming returns a context whose requests return answers as they arrive. It is for answers that are too
// large to hold, and for the methods that return an *http.Response. An answer that breaks off is then not
// retried; its reader has to notice.
func Streaming(ctx context.Context) context.Context {
	return context.WithValue(ctx, streaming{}, true)
}

// failure is why an attempt has no answer to return.
type failure struct {
	err error
	// temporary reports whether another attempt, or another host, may succeed.
	temporary bool
	// unapplied reports whether the request has certainly changed nothing.
	unapplied bool
	// asked is how long the host asked to be left alone.
	asked time.Duration
}

// Do sends a request to a host, and to the next one as long as that may help and does no harm. It makes hosts
// the HTTP client of the generated code.
func (h *hosts) Do(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	for attempt := 1; ; attempt++ {
		now := time.Now()
		host, wait := h.next(now)
		if attempt == 1 {
			wait = host.left(now) // all rest, but that was for earlier requests: the network may be back
		}
		if err := sleep(ctx, min(wait, h.config.MaxWait)); err != nil {
			return nil, err
		}
		response, failed := h.attempt(request, host)
		if failed == nil {
			host.worked()
			return response, nil
		}
		if ctx.Err() != nil {
			return nil, failed.err // this says nothing about the host
		}
		if !failed.temporary {
			host.worked()
			return nil, failed.err
		}
		host.failed(time.Now(), failed.asked)
		if attempt >= h.config.Attempts || !(failed.unapplied || repeatable(request)) || !rewind(request) {
			return nil, failed.err
		}
		if wait := h.rest(time.Now()); wait > h.config.MaxWait || beyond(ctx, wait) {
			return nil, failed.err
		}
	}
}

// attempt sends the request once.
func (h *hosts) attempt(request *http.Request, to *host) (*http.Response, *failure) {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	response, err := h.config.Transport.RoundTrip(h.address(request.Clone(ctx), to))
	if err != nil {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return nil, &failure{err: &unanswered{to.url.Host, err}, temporary: !untrusted, unapplied: !connected.Load()}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		problem := readProblem(response)
		return nil, &failure{
			err: problem, temporary: temporary(problem), asked: problem.RetryAfter,
			unapplied: response.Header.Get("Retry-After") != "" &&
				(problem.Status == http.StatusTooManyRequests || problem.Status == http.StatusServiceUnavailable),
		}
	}
	if request.Context().Value(streaming{}) == nil {
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close() // only read
		if err != nil {
			return nil, &failure{err: &unanswered{to.url.Host, err}, temporary: true}
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	return response, nil
}

// address directs a request to a host, and signs it.
func (h *hosts) address(request *http.Request, to *host) *http.Request {
	u := *to.url
	u.Path, u.RawPath = to.url.Path+request.URL.Path, to.url.EscapedPath()+request.URL.EscapedPath()
	u.RawQuery = request.URL.RawQuery
	request.URL, request.Host = &u, u.Host
	request.Header.Set("User-Agent", h.config.UserAgent)
	request.Header.Set("Accept", "application/json")
	if h.config.SignWithHeaders {
		request.Header.Set("X-Service-Application", h.config.Application)
		request.Header.Set("X-Service-API-Key", h.config.Key)
	} else {
		request.SetBasicAuth(h.config.Application, h.config.Key)
	}
	return request
}

// unanswered is the error of a request that a host has not answered, or not completely.
type unanswered struct {
	host string
	err  error
}

func (u *unanswered) Error() string { return u.host + " does not answer: " + u.err.Error() }
func (u *unanswered) Unwrap() error { return u.err }

// Unreachable reports whether err means that no host has answered.
func Unreachable(err error) bool {
	_, ok := errors.AsType[*unanswered](err)
	return ok && Temporary(err)
}

// Temporary reports whether the same request may succeed later: no host could be reached, an answer broke
// off, or the service, or a proxy before it, answered 429, 502, 503 or 504.
func Temporary(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if problem, ok := errors.AsType[*Problem](err); ok {
		return temporary(problem) || problem.Status == http.StatusGatewayTimeout
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return !untrusted
}

// temporary reports whether another host may give a better answer. A search that took too long would take as
// long there, and its load is the last thing that the service needs then.
func temporary(problem *Problem) bool {
	switch problem.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
		return true
	case http.StatusGatewayTimeout:
		return problem.Code == ""
	}
	return false
}

// rewind prepares the request to be sent again, and reports whether that is possible.
func rewind(request *http.Request) bool {
	if request.Body == nil || request.Body == http.NoBody {
		return true
	}
	if request.GetBody == nil {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	request.Body = body
	return true
}

func beyond(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= wait
}

func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
