// Package dashboard is Rowan's web page for administrators: indices, documents, defined searches, keys, settings and a
// search preview, rendered on the server and usable without JavaScript. It calls service and knows nothing of the
// database. A session lives only in a cookie, so any replica can answer any request.
package dashboard

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/rowansearch/rowan/service"
)

// Config configures the dashboard. The zero value of every field has a sensible meaning.
type Config struct {
	// Logger gets the causes of internal errors; nil means slog.Default().
	Logger *slog.Logger
	// BaseDomain, when set, is the domain of the applications' host names: on the host of an application,
	// only that application can sign in.
	BaseDomain string
	// SessionLife is how long a session lasts; 0 means 12 hours.
	SessionLife time.Duration
	// MaxDocumentBytes limits a document in the editor, in bytes; 0 means 16 MiB.
	MaxDocumentBytes int64
	// Metrics are shown on the overview; nil leaves them out.
	Metrics Metrics
	// Analytics have a page of their own; nil leaves it out.
	Analytics Analytics
}

// Metrics measures the searches of applications.
type Metrics interface {
	// SearchMetrics returns recent measurements; ok is false if there are none yet.
	SearchMetrics(ctx context.Context, application string) (m SearchMetrics, ok bool)
}

// SearchMetrics are measured over a window of time that ends now.
type SearchMetrics struct {
	Window    time.Duration
	PerSecond float64
	// Median and P95 are latencies: half of the searches, and 95 of 100, took no longer.
	Median, P95 time.Duration
	// Where names what was measured: "this server", "all servers".
	Where string
}

// Analytics reports what applications are searched for.
type Analytics interface {
	// QueryReport returns up to limit queries of each kind since the given time.
	QueryReport(ctx context.Context, application string, since time.Time, limit int) (service.QueryReport, error)
}

// root is the path of the dashboard.
const root = "/dashboard"

// maxFormBytes limits every form except the document editor, in bytes; the longest lists of synonyms and stop words (2 MiB) fit, of
// which percent-encoding makes up to three times as much.
const maxFormBytes = 8 << 20

type dashboard struct {
	svc *service.Service
	cfg Config
	mux *http.ServeMux
}

// New returns the handler of the dashboard, to be served at /dashboard and below.
func New(svc *service.Service, cfg Config) http.Handler {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.SessionLife == 0 {
		cfg.SessionLife = 12 * time.Hour
	}
	if cfg.MaxDocumentBytes == 0 {
		cfg.MaxDocumentBytes = 16 << 20
	}
	d := &dashboard{svc: svc, cfg: cfg, mux: http.NewServeMux()}
	d.routes()
	return withHeaders(d.mux)
}

func (d *dashboard) routes() {
	d.mux.HandleFunc("GET "+root+"/static/{name}", serveAsset)
	d.mux.HandleFunc("GET "+root+"/sign-in", d.showSignIn)
	d.mux.HandleFunc("POST "+root+"/sign-in", d.signIn)

	d.page("POST /sign-out", d.signOut)
	d.page("GET /{$}", d.showOverview)
	d.page("GET /indices", d.listIndices)
	d.page("POST /indices", d.createIndex)
	d.page("GET /create-index", d.newIndex) // not below /indices: "new" is a valid name of an index
	d.page("GET /indices/{index}", d.showIndex)
	d.page("GET /indices/{index}/mappings", d.editMappings)
	d.page("POST /indices/{index}/mappings", d.changeMappings)
	d.page("GET /indices/{index}/settings", d.editIndexSettings)
	d.page("POST /indices/{index}/settings", d.saveIndexSettings)
	d.page("GET /indices/{index}/clear", d.confirmClear)
	d.page("POST /indices/{index}/clear", d.clearIndex)
	d.page("GET /indices/{index}/delete", d.confirmDelete)
	d.page("POST /indices/{index}/delete", d.deleteIndex)
	d.page("GET /indices/{index}/documents", d.listDocuments)
	// The _id of a document may contain slashes and dots, so it is a parameter and not part of the path.
	d.page("GET /indices/{index}/document", d.editDocument)
	d.page("POST /indices/{index}/document", d.saveDocument)
	d.page("GET /indices/{index}/document/new", d.newDocument)
	d.page("GET /indices/{index}/document/delete", d.confirmDeleteDocument)
	d.page("POST /indices/{index}/document/delete", d.deleteDocument)
	d.page("GET /searches", d.listSearches)
	d.page("POST /searches", d.createDefinition)
	d.page("GET /searches/{search}", d.editDefinition)
	d.page("POST /searches/{search}", d.saveDefinition)
	d.page("GET /searches/{search}/delete", d.confirmDeleteDefinition)
	d.page("POST /searches/{search}/delete", d.deleteDefinition)
	// Not below /searches: "new" is a valid name of a search.
	d.page("GET /define-search", d.newDefinition)
	d.page("GET /search", d.showSearch)
	d.page("GET /search/results", d.showResults)
	d.page("GET /keys", d.listKeys)
	d.page("POST /keys", d.createKey)
	d.page("GET /keys/{id}/reset", d.confirmReset)
	d.page("POST /keys/{id}/reset", d.resetKey)
	d.page("GET /keys/{id}/delete", d.confirmDeleteKey)
	d.page("POST /keys/{id}/delete", d.deleteKey)
	d.page("GET /settings", d.editSettings)
	d.page("POST /settings", d.saveSettings)
	if d.cfg.Analytics != nil {
		d.page("GET /analytics", d.showAnalytics)
	}
	d.mux.Handle("GET "+root, http.RedirectHandler(root+"/", http.StatusSeeOther))
	d.mux.HandleFunc(root, d.unrouted())
	d.mux.HandleFunc(root+"/", d.unrouted())
}

// contentPolicy allows what the dashboard itself serves and nothing else: no inline script or style, no other
// host, no frame.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: with that, browsers send "Origin: null" even for our own forms, which then cannot be
		// told from those of other sites if there is no Sec-Fetch-Site (plain HTTP).
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
