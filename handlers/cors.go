package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/cors"
)

// preflightLife is how long a browser may remember that it may ask.
const preflightLife = 10 * time.Minute

// shared lets pages of other origins use the API, and never the dashboard: its requests are signed by a cookie, which
// the browser would add by itself. The methods are those of searches, because a key that is in a page can be read by
// whoever opens it and so must be a search key.
func shared(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next // the library takes an empty list for all origins
	}
	api := cors.Handler(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Authorization", "Content-Type", applicationHeader, keyHeader, "X-Request-Id"},
		ExposedHeaders: []string{"X-Request-Id", "Retry-After"},
		MaxAge:         int(preflightLife.Seconds()),
	})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			api.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
