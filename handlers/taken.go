package handlers

import (
	"net/http"
	"time"
)

// takenPiece is how many bytes of an answer are written at once: the least that a client has to receive within each limit.
const takenPiece = 256 << 10

// takenWriter is a ResponseWriter whose client has to receive the answer, however slowly. A client that receives nothing
// would keep the answer for as long as the connection lives, and with it the room that bodies and answers share.
type takenWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
	limit      time.Duration // for each piece
}

// Unwrap returns the ResponseWriter underneath, for http.ResponseController.
func (w takenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes p piece by piece. It fails if the client does not receive one in time.
func (w takenWriter) Write(p []byte) (written int, err error) {
	for {
		piece := p[written:min(written+takenPiece, len(p))]
		_ = w.connection.SetWriteDeadline(time.Now().Add(w.limit))
		n, err := w.ResponseWriter.Write(piece)
		if written += n; err != nil || written >= len(p) {
			return written, err
		}
	}
}
