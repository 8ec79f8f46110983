package handlers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/rowansearch/rowan/service"
)

// requestBody is the whole body of a request.
type requestBody struct {
	data []byte
	// mergePatch reports whether the body was sent as application/merge-patch+json.
	mergePatch bool
}

// bodyOf returns the body of the request; its data is nil if there was none.
func bodyOf(ctx context.Context) requestBody {
	body, _ := ctx.Value(bodyKey).(requestBody)
	return body
}

// bodied reads the bodies of operations that take one. huma could, too, but refuses a body of exactly the limit, and
// decodes numbers into float64.
func (a *api) bodied(ctx huma.Context, next func(huma.Context)) {
	room := a.svc.BodyRoom(application(ctx.Context()))
	defer room.Release() // once the request has been answered
	ctx = huma.WithContext(ctx, service.WithRoom(ctx.Context(), room))
	op := specOf(ctx.Operation())
	if op.body == nil {
		next(ctx)
		return
	}
	r, w := humachi.Unwrap(ctx)
	body, err := a.readBody(w, r, op.body, room)
	if err != nil {
		writeProblem(w, r, err)
		return
	}
	next(huma.WithValue(ctx, bodyKey, body))
}

func (a *api) readBody(w http.ResponseWriter, r *http.Request, spec *bodySpec, room *service.BodyRoom) (requestBody, error) {
	if r.ContentLength > spec.limit {
		finish(r, r.Body, spec.limit+maxFinished)
		return requestBody{}, tooLarge(spec.limit, "")
	}
	zipped, encodingErr := isZipped(r.Header)
	data, err := a.readAll(w, r, spec.limit, zipped, room)
	if err != nil {
		return requestBody{}, err
	}
	given := bytes.TrimSpace(data)
	if len(given) == 0 {
		if spec.optional {
			return requestBody{}, nil
		}
		return requestBody{}, service.Errorf(service.CodeInvalidJSON, "The request needs a JSON body.")
	}
	mergePatch, err := mediaType(r.Header, spec.mergePatch)
	if err = cmp.Or(encodingErr, err); err != nil {
		return requestBody{}, err
	}
	if !utf8.Valid(data) {
		return requestBody{}, service.Errorf(service.CodeInvalidJSON, "The body is not UTF-8, so it is not JSON.")
	}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return requestBody{}, service.Errorf(service.CodeInvalidJSON, "The body begins with a byte order mark, which is not JSON: omit it.")
	}
	if spec.optional && string(given) == "null" { // some generated clients send it instead of no body
		return requestBody{}, nil
	}
	return requestBody{data: data, mergePatch: mergePatch}, nil
}

// readAll reads a body, and uncompresses it if it is zipped. Neither the body nor its uncompressed content may be larger than limit.
func (a *api) readAll(w http.ResponseWriter, r *http.Request, limit int64, zipped bool, room *service.BodyRoom) ([]byte, error) {
	body := http.MaxBytesReader(w, r.Body, limit)
	content, length := io.Reader(body), r.ContentLength
	if zipped {
		content = http.MaxBytesReader(nil, io.NopCloser(&unzipper{body: faultKeeper{Reader: body}}), limit)
		length = -1 // the length of the content is unknown
	}
	data, err := fill(r.Context(), content, length, room)
	_, over := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil:
		return data, nil
	case service.ErrorCode(err) != service.CodeInternal:
		room.Release() // there was not enough room: what was read is dropped
		finish(r, body, limit)
		return nil, err
	case over:
		if zipped {
			return nil, tooLarge(limit, ", uncompressed,")
		}
		return nil, tooLarge(limit, "")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, service.Errorf(service.CodeInvalidJSON, "The body did not arrive within %s.", a.cfg.BodyTimeout)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, service.Errorf(service.CodeInvalidJSON, "The body ended before its Content-Length.")
	default:
		return nil, service.Errorf(service.CodeInvalidJSON, "The body could not be read.").Because(err)
	}
}

// fill reads a body once there is room for it. If length is negative, the length is unknown: then room and memory are
// doubled as the body arrives.
func fill(ctx context.Context, body io.Reader, length int64, room *service.BodyRoom) ([]byte, error) {
	if err := room.Grow(ctx, length); err != nil {
		return nil, err
	}
	const first = 4 << 10
	size := length + 1 // for the read that finds the end
	if length < 0 {
		size = first
	}
	data := make([]byte, 0, size)
	for {
		if len(data) == cap(data) {
			if err := room.Grow(ctx, 2*int64(cap(data))); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, 2*cap(data)), data...)
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// maxFinished is how many bytes of a refused body are read all the same; for a body that is too large, in addition to its
// limit. The connection of a client that sends more is closed.
const maxFinished = 16 << 20

// finish reads the rest of a refused body, up to most bytes. Many clients read the answer only once they have sent everything:
// if the connection were closed before, they would see a broken one. A client that waits for permission to send gets the
// refusal instead, and a body declared longer than most bytes is not read either.
func finish(r *http.Request, body io.Reader, most int64) {
	if awaited, ok := r.Body.(*awaitedBody); r.ContentLength > most || ok && !awaited.asked {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(body, most)) // at most until the deadline of the body
}

// awaitedBody is the body of a client that waits for permission to send it, which the first Read gives.
type awaitedBody struct {
	io.ReadCloser
	asked bool
}

// Read asks the client for the body, and reads from it.
func (b *awaitedBody) Read(p []byte) (int, error) {
	b.asked = true
	return b.ReadCloser.Read(p)
}

// timed sets a deadline for the body of every request and for each piece of its answer. It also reads bodies that were
// refused unread: net/http would read no more than 256 KiB of them before it sends the answer. Errors are ignored: a
// ResponseWriter without deadlines needs none.
func timed(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection := http.NewResponseController(w)
		if r.ContentLength != 0 {
			_ = connection.SetReadDeadline(time.Now().Add(limit))
		}
		if strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
			r = r.WithContext(r.Context()) // net/http checks the body of its own request to see whether it was asked for
			r.Body = &awaitedBody{ReadCloser: r.Body}
		}
		next.ServeHTTP(takenWriter{w, connection, limit}, r)
		finish(r, r.Body, maxFinished)
	})
}

func tooLarge(limit int64, uncompressed string) error {
	return service.Errorf(service.CodeTooLarge, "The body%s is larger than %d bytes. Split a batch; make anything else smaller, or have the operator raise the limit.", uncompressed, limit)
}

// mediaType checks the Content-Type of a body. A body without one is JSON.
func mediaType(h http.Header, mergePatchTaken bool) (mergePatch bool, err error) {
	// One of two might ask for a document to be replaced, and the other for it to be changed.
	if differ(h.Values("Content-Type")) {
		return false, service.Errorf(service.CodeUnsupportedMediaType, "The request has the header Content-Type more than once, with different values. Send it once.")
	}
	given := h.Get("Content-Type")
	if given == "" {
		return false, nil
	}
	kind, params, err := mime.ParseMediaType(given)
	charset, hasCharset := params["charset"]
	switch {
	case err != nil, hasCharset && !isUTF8(charset):
	case kind == jsonType:
		return false, nil
	case kind == mergePatchType && mergePatchTaken:
		return true, nil
	}
	taken := "application/json"
	if mergePatchTaken {
		taken += " or application/merge-patch+json"
	}
	return false, service.Errorf(service.CodeUnsupportedMediaType, "Send the body as Content-Type: %s, in UTF-8 (this one is %s).", taken, cut(given, 100))
}

// isUTF8 reports whether a charset is UTF-8. Some clients write it without the hyphen.
func isUTF8(charset string) bool {
	return strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8")
}
