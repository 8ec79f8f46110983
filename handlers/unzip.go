package handlers

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/rowansearch/rowan/service"
)

// isZipped reports whether a body is compressed with gzip. Any other compression is an error.
func isZipped(h http.Header) (bool, error) {
	zipped := false
	given := strings.Join(h.Values("Content-Encoding"), ",")
	for encoding := range strings.SplitSeq(given, ",") {
		switch encoding = strings.TrimSpace(encoding); {
		case encoding == "" || strings.EqualFold(encoding, "identity"):
		case !zipped && (strings.EqualFold(encoding, "gzip") || strings.EqualFold(encoding, "x-gzip")):
			zipped = true
		default:
			return false, service.Errorf(service.CodeUnsupportedMediaType, "Send the body with Content-Encoding: gzip, or without one (this one has %s).", cut(given, 100))
		}
	}
	return zipped, nil
}

// unzipper reads the content of a body that is compressed with gzip. An empty body has empty content.
type unzipper struct {
	body faultKeeper
	zip  *gzip.Reader
}

// Read reads the content. Its errors are those of the body, or else invalid_json.
func (u *unzipper) Read(p []byte) (n int, err error) {
	if u.zip == nil {
		u.zip, err = gzip.NewReader(&u.body)
	}
	if err == nil {
		n, err = u.zip.Read(p)
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case u.body.fault != nil:
		return n, u.body.fault
	}
	return n, service.Errorf(service.CodeInvalidJSON, "The body is not complete, valid gzip, as its Content-Encoding says.").Because(err)
}

// faultKeeper keeps the error of reading a body, to distinguish it from errors in the compressed data.
type faultKeeper struct {
	io.Reader
	fault error // nil at EOF
}

func (r *faultKeeper) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.fault = err
	}
	return n, err
}
