package handlers

import (
	"io"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// sized keeps the status of an answer back until its body comes, so that the answer can say how long it is: net/http
// sends what is longer than 2 kB in chunks otherwise, whose end a client gets only after the request has been logged.
func (a *api) sized(ctx huma.Context, next func(huma.Context)) {
	held := &heldAnswer{humaContext: ctx}
	next(held)
	held.send()
}

// humaContext has another name than its method Context, so that it can be embedded.
type humaContext huma.Context

// heldAnswer is a context whose status is sent with the body, and writes that.
type heldAnswer struct {
	humaContext
	status int // 0: none is kept back
}

// Unwrap returns the context underneath.
func (c *heldAnswer) Unwrap() huma.Context { return c.humaContext }

// SetStatus keeps the status back.
func (c *heldAnswer) SetStatus(code int) { c.status = code }

// Status returns the status that is kept back or has been sent.
func (c *heldAnswer) Status() int {
	if c.status != 0 {
		return c.status
	}
	return c.humaContext.Status()
}

// BodyWriter returns a writer that sends the status first.
func (c *heldAnswer) BodyWriter() io.Writer { return c }

// Write sends the status if that has not been done, and p.
func (c *heldAnswer) Write(p []byte) (int, error) {
	c.send()
	return c.humaContext.BodyWriter().Write(p)
}

// writeWhole writes a body that is all of the answer.
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
