package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/cors"
)

// searchesPath is the beginning of the paths of searches and their suggestions.
const searchesPath = "/v1/search"

// preflightLife is how long a browser may cache the answer to a preflight request.
const preflightLife = 10 * time.Minute

// shared lets pages of other origins search, and nothing else: anyone who opens a page can read the key in it, so that must
// be a search key. The dashboard's requests are excluded because they are authenticated by a cookie, which the browser
// would add by itself.
func shared(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next // to the library, an empty list means all origins
	}
	api := cors.Handler(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Authorization", "Content-Type", applicationHeader, keyHeader, "X-Request-Id", "Traceparent", "Tracestate"}, // a traced page sends the last two
		ExposedHeaders: []string{"X-Request-Id", "Retry-After"},
		MaxAge:         int(preflightLife.Seconds()),
	})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == searchesPath || strings.HasPrefix(r.URL.Path, searchesPath+"/") {
			api.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
