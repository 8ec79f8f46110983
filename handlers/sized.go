package handlers

import (
	"io"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// sized holds back the status of an answer until its body comes, so that the answer can have a Content-Length. Otherwise
// net/http sends more than 2 kB in chunks, and the client gets the end of these only after the request has been logged.
func (a *api) sized(ctx huma.Context, next func(huma.Context)) {
	held := &heldAnswer{humaContext: ctx}
	next(held)
	held.send()
}

// humaContext has a name other than that of its method Context, so that it can be embedded.
type humaContext huma.Context

// heldAnswer is a context that holds back its status until the body is written.
type heldAnswer struct {
	humaContext
	status int // 0: none is held back
}

// Unwrap returns the context underneath.
func (c *heldAnswer) Unwrap() huma.Context { return c.humaContext }

// SetStatus holds the status back.
func (c *heldAnswer) SetStatus(code int) { c.status = code }

// Status returns the status that is held back or has been sent.
func (c *heldAnswer) Status() int {
	if c.status != 0 {
		return c.status
	}
	return c.humaContext.Status()
}

// BodyWriter returns a writer that sends the status first.
func (c *heldAnswer) BodyWriter() io.Writer { return c }

// Write sends the status if it has not been sent, and then p.
func (c *heldAnswer) Write(p []byte) (int, error) {
	c.send()
	return c.humaContext.BodyWriter().Write(p)
}

// writeWhole writes a body that is the whole answer, and so sets its Content-Length.
func (c *heldAnswer) writeWhole(body []byte) error {
	if c.status != 0 {
		c.SetHeader("Content-Length", strconv.Itoa(len(body)))
	}
	_, err := c.Write(body)
	return err
}

func (c *heldAnswer) send() {
	if c.status == 0 {
		return
	}
	c.humaContext.SetStatus(c.status)
	c.status = 0
}
