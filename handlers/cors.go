package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/cors"
)

// searchesPath is what the paths of searches, and of their suggestions, begin with.
const searchesPath = "/v1/search"

// preflightLife is how long a browser may remember that it may ask.
const preflightLife = 10 * time.Minute

// shared lets pages of other origins search, and nothing else, because a key that is in a page can be read by whoever opens
// it and so must be a search key. The dashboard's requests are signed by a cookie, which the browser would add by itself.
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
		if r.URL.Path == searchesPath || strings.HasPrefix(r.URL.Path, searchesPath+"/") {
			api.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
