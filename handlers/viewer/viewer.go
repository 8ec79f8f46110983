// Package viewer serves the page that shows the OpenAPI document: Swagger UI 5.35.0, from its package swagger-ui-dist. It
// loads nothing from other hosts.
package viewer

import (
	"embed"
	"io/fs"
	"net/http"
)

// policy allows the page what it needs, from this host only. Swagger UI sets styles on its elements, hence 'unsafe-inline'.
const policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

//go:embed index.html start.js swagger-ui/swagger-ui.css swagger-ui/swagger-ui-bundle.js swagger-ui/favicon-32x32.png
var files embed.FS

// Handlers returns the handlers of the viewer's files, by their names below the path of the page; the page itself is "".
func Handlers() map[string]http.Handler {
	assets, err := fs.Sub(files, "swagger-ui")
	if err != nil {
		panic(err) // the folder is embedded
	}
	page, err := files.ReadFile("index.html")
	if err != nil {
		panic(err) // it is embedded
	}
	all := map[string]http.Handler{
		"": shown(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page) // the client may have gone
		}),
		"start.js": shown(func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "start.js") }),
	}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"} {
		all[name] = shown(func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, assets, name) })
	}
	return all
}

func shown(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-cache")
		next(w, r)
	})
}
