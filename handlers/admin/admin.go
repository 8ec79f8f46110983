// Package admin serves operators: metrics, profiles, liveness and readiness. It asks for no credentials, so its listener
// belongs on an address that only the operators' systems reach. It knows nothing of the database: its caller supplies what
// it shows.
package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
)

// Check is the state of one thing that the server needs in order to serve.
type Check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Needed checks make the server not ready when they fail; the others only inform.
	Needed bool   `json:"needed"`
	Detail string `json:"detail,omitempty"`
	// BehindBytes is how many bytes of the primary's log a read replica had yet to replay.
	BehindBytes *int64 `json:"behind_bytes,omitempty"`
}

// Config says what is shown.
type Config struct {
	// Metrics is served at /metrics.
	Metrics http.Handler
	// Checks returns the state of what the server needs. It should return within a second or two.
	Checks func(ctx context.Context) []Check
}

// New returns the handler of the listener.
func New(config Config) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", config.Metrics)
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) { ready(w, config.Checks(r.Context())) })
	// Index serves every profile but those that have handlers of their own. The command line is not served, as it may
	// contain keys.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

// readiness is the answer of /ready.
type readiness struct {
	Status string  `json:"status"` // ok or unavailable
	Checks []Check `json:"checks"`
}

func ready(w http.ResponseWriter, checks []Check) {
	answer, status := readiness{Status: "ok", Checks: checks}, http.StatusOK
	for _, c := range checks {
		if c.Needed && !c.OK {
			answer.Status, status = "unavailable", http.StatusServiceUnavailable
		}
	}
	writeJSON(w, status, answer)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // only the connection can fail
}
