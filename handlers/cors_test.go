package handlers

import (
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corsHeaders returns the headers that browsers obey.
func corsHeaders(h http.Header) map[string]string {
	got := map[string]string{}
	for _, name := range []string{"Origin", "Methods", "Headers", "Credentials"} {
		if v := h.Get("Access-Control-Allow-" + name); v != "" {
			got[name] = v
		}
	}
	if v := h.Get("Access-Control-Expose-Headers"); v != "" {
		got["Expose"] = v
	}
	return got
}

func TestCORS(t *testing.T) {
	t.Parallel()
	dashboard := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	const shop = "https://shop.example.org"
	page := map[string]string{"Origin": shop, "Expose": "X-Request-Id, Retry-After"}
	everybody := map[string]string{"Origin": "*", "Expose": "X-Request-Id, Retry-After"}
	asked := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,x-request-id,x-service-api-key,x-service-application"}
	allowed := map[string]string{"Origin": shop, "Methods": "POST", "Headers": "Authorization, Content-Type, X-Request-Id, X-Service-Api-Key, X-Service-Application"}
	traced := map[string]string{"Origin": shop, "Methods": "POST", "Headers": "Content-Type, Traceparent, Tracestate"}
	none := map[string]string{}
	for name, test := range map[string]struct {
		origins      []string
		method, path string
		headers      []string
		status       int
		want         map[string]string
	}{
		"a preflight needs no key":      {[]string{shop}, "OPTIONS", "/v1/search/films", append([]string{"Origin", shop}, asked...), 200, allowed},
		"of another origin":             {[]string{shop}, "OPTIONS", "/v1/search/films", append([]string{"Origin", "https://evil.example.org"}, asked...), 200, none},
		"of a longer origin":            {[]string{shop}, "OPTIONS", "/v1/search/films", append([]string{"Origin", shop + ".evil.org"}, asked...), 200, none},
		"of another scheme":             {[]string{shop}, "OPTIONS", "/v1/search/films", append([]string{"Origin", "http://shop.example.org"}, asked...), 200, none},
		"writing":                       {[]string{shop}, "OPTIONS", "/v1/search/films", []string{"Origin", shop, "Access-Control-Request-Method", "DELETE"}, 200, none},
		"a traced page":                 {[]string{shop}, "OPTIONS", "/v1/search/films", []string{"Origin", shop, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,traceparent,tracestate"}, 200, traced},
		"another header":                {[]string{shop}, "OPTIONS", "/v1/search/films", []string{"Origin", shop, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-other"}, 200, none},
		"an error can be read":          {[]string{shop}, "POST", "/v1/search/films", []string{"Origin", shop}, 401, page},
		"a request of another origin":   {[]string{shop}, "POST", "/v1/search/films", []string{"Origin", "https://evil.example.org"}, 401, none},
		"all origins":                   {[]string{"*"}, "POST", "/v1/search/films", []string{"Origin", "https://any.example.org"}, 401, everybody},
		"none is the default":           {nil, "POST", "/v1/search/films", []string{"Origin", shop}, 401, none},
		"no preflight is answered then": {nil, "OPTIONS", "/v1/search/films", append([]string{"Origin", shop}, asked...), 405, none},
		"never the dashboard":           {[]string{"*"}, "GET", "/dashboard", []string{"Origin", shop}, 200, none},
		"nor its preflights":            {[]string{"*"}, "OPTIONS", "/dashboard", append([]string{"Origin", shop}, asked...), 200, none},
		"nor a path that begins alike":  {[]string{"*"}, "OPTIONS", "/v1/searches", append([]string{"Origin", shop}, asked...), 404, none},
		"nor keys":                      {[]string{"*"}, "OPTIONS", "/v1/keys", append([]string{"Origin", shop}, asked...), 405, none},
		"nor documents":                 {[]string{shop}, "POST", "/v1/index/films/document", []string{"Origin", shop}, 401, none},
		"several searches":              {[]string{shop}, "OPTIONS", "/v1/search", append([]string{"Origin", shop}, asked...), 200, allowed},
		"suggestions":                   {[]string{shop}, "GET", "/v1/search/films/autocomplete", []string{"Origin", shop}, 401, page},
		"nor the viewer":                {[]string{"*"}, "GET", "/docs", []string{"Origin", shop}, 200, none},
	} {
		do := serving(t, New(nil, Config{Logger: slog.New(slog.DiscardHandler), CORSOrigins: test.origins, Dashboard: dashboard}))
		got := do(test.method, test.path, "", test.headers...)
		if got.status != test.status {
			t.Errorf("%s: %d, want %d: %s", name, got.status, test.status, got.body)
		}
		if diff := cmp.Diff(test.want, corsHeaders(got.header)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
