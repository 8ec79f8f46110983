// Package handlers is Rowan's HTTP API: routes, authentication, the decoding of requests, the encoding of
// answers and errors, and the OpenAPI document that describes all of it. It calls service and knows
// nothing of the database.
package handlers

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"go.opentelemetry.io/otel/trace"

	"github.com/rowansearch/rowan/service"
)

// Config configures the API. The zero value of every field has a sensible meaning.
type Config struct {
	// Logger gets one line for each request; nil means slog.Default().
	Logger *slog.Logger
	// BaseDomain, when set, is the domain under which each application has its host names: <app>,
	// <app>-a, <app>-b and <app>-c. It is in lower case, without dots at its ends. Empty accepts any host.
	BaseDomain string
	// MaxBatchBytes limits the body of a batch, in bytes; 0 means 64 MiB.
	MaxBatchBytes int64
	// MaxDocumentBytes limits the bodies of single documents and of an index's settings, in bytes; 0 means 16 MiB.
	MaxDocumentBytes int64
	// MaxSearchBytes limits the body of a search and every other body, in bytes; 0 means 1 MiB.
	MaxSearchBytes int64
	// BodyTimeout limits how long the body of a request may take to arrive, and how long the client may take to receive each
	// 256 KiB of the answer; 0 means one minute.
	BodyTimeout time.Duration
	// CORSOrigins are origins whose pages may search: https://shop.example.org, or only * for all. Empty means none.
	CORSOrigins []string
	// Dashboard is served at /dashboard and below; nil leaves it out.
	Dashboard http.Handler
	// Observer is told of each request; nil tells nobody.
	Observer Observer
	// Tracer makes a span of each request; nil makes none.
	Tracer trace.Tracer
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.MaxBatchBytes == 0 {
		c.MaxBatchBytes = 64 << 20
	}
	if c.MaxDocumentBytes == 0 {
		c.MaxDocumentBytes = 16 << 20
	}
	if c.MaxSearchBytes == 0 {
		c.MaxSearchBytes = 1 << 20
	}
	if c.BodyTimeout == 0 {
		c.BodyTimeout = time.Minute
	}
	if c.Observer == nil {
		c.Observer = unobserved{}
	}
	return c
}

// api holds what the operations share.
type api struct {
	svc *service.Service
	cfg Config
	oas huma.API
}

// New returns the handler of the whole API: every route of the OpenAPI document, the document itself in three forms, its
// viewer at /docs, and the dashboard if there is one.
func New(svc *service.Service, cfg Config) http.Handler {
	cfg = cfg.withDefaults()
	router := newRouter()
	newAPI(router, svc, cfg)
	mountDocuments(router)
	if cfg.Dashboard == nil {
		return wrapped(cfg, router)
	}
	router.Get("/", front)
	return wrapped(cfg, paged(ofOperation(dashboardOperation, cfg.Dashboard), router))
}

// paged passes requests for the dashboard on to it, whatever their method: chi would answer methods that it does not know itself.
func paged(dashboard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.EscapedPath(); path == "/dashboard" || strings.HasPrefix(path, "/dashboard/") {
			dashboard.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func newRouter() *chi.Mux {
	router := chi.NewRouter()
	// HEAD is GET without the body; huma does not register it by itself.
	router.Use(middleware.GetHead)
	router.NotFound(routeNotFound)
	router.MethodNotAllowed(methodNotAllowed(router))
	return router
}

// wrapped wraps the routes in what every request passes through, whether its route is known or not.
func wrapped(cfg Config, next http.Handler) http.Handler {
	return logged(cfg.Logger, observed(cfg.Observer, traced(cfg.Tracer, recovered(secured(shared(cfg.CORSOrigins, timed(cfg.BodyTimeout, hosted(cfg.BaseDomain, nameable(next)))))))))
}

// nameable refuses paths with the character U+0000, which no name or id can have, as PostgreSQL does not store it.
func nameable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.ContainsRune(r.URL.Path, 0) {
			writeProblem(w, r, service.Errorf(service.CodeInvalidRequest, "The path contains the character U+0000, which no name or id contains. Remove it.").
				With(service.FieldError{Location: "path", Message: "must not contain the character U+0000", Value: r.URL.Path}))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// newAPI registers every operation on router and describes it for the OpenAPI document.
func newAPI(router chi.Router, svc *service.Service, cfg Config) *api {
	a := &api{svc: svc, cfg: cfg, oas: humachi.New(router, documentConfig())}
	a.oas.UseMiddleware(unnegotiated, a.sized, a.named, a.authenticated, a.parameters, a.bodied)
	a.registerHealth()
	a.registerIndices()
	a.registerIndexSettings()
	a.registerDocuments()
	a.registerBatches()
	a.registerSearches()
	a.registerDefinitions()
	a.registerKeys()
	a.registerSettings()
	return a
}

// front redirects browsers from the root to the dashboard. For other clients there is nothing.
func front(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		routeNotFound(w, r)
		return
	}
	http.Redirect(w, r, "/dashboard", http.StatusFound)
}

func routeNotFound(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, service.Errorf(service.CodeRouteNotFound,
		"There is nothing at this path. /openapi.json lists the routes; ids in a path are percent-encoded (/ is %%2F)."))
}

// methodNotAllowed answers requests for a known path with another method. chi tells only its own handler, not ours, which
// methods are allowed, and calls ours for unknown methods on unknown paths, too.
func methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			probe := method
			if method == http.MethodHead {
				probe = http.MethodGet
			}
			if routes.Match(chi.NewRouteContext(), probe, r.URL.EscapedPath()) {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			routeNotFound(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, r, service.Errorf(service.CodeMethodNotAllowed,
			"This path does not accept %s, only %s.", cut(r.Method, 20), strings.Join(allowed, ", ")))
	}
}
