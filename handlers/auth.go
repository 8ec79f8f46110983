package handlers

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/rowansearch/rowan/service"
)

// The headers of the second way to authenticate.
const (
	keyHeader         = "X-Service-API-Key"
	applicationHeader = "X-Service-Application"
)

// credentials returns the application and the key of a request, from HTTP basic authentication, from the two headers, or
// from both if they agree. Repeated headers must agree, too: we must not guess which of two keys was meant, and a proxy in
// front may look at the other one.
func credentials(r *http.Request) (application, key string, err error) {
	for _, name := range []string{"Authorization", applicationHeader, keyHeader} {
		if differ(r.Header.Values(name)) {
			return "", "", unauthorized("The request has the header %s more than once, with different values. Send it once.", name)
		}
	}
	user, password, basic := basicAuth(r)
	applications, keys := r.Header.Values(applicationHeader), r.Header.Values(keyHeader)
	headers := len(applications) > 0 || len(keys) > 0
	if headers && (len(applications) == 0 || len(keys) == 0) {
		return "", "", unauthorized("Send both %s and %s.", applicationHeader, keyHeader)
	}
	switch {
	case basic && headers:
		if user != applications[0] || subtle.ConstantTimeCompare([]byte(password), []byte(keys[0])) != 1 {
			return "", "", unauthorized("The request has two different sets of credentials. Send only one of them.")
		}
	case headers:
		user, password = applications[0], keys[0]
	case !basic:
		return "", "", unauthorized("Send the application id and an API key: by HTTP basic authentication, or in the headers %s and %s.",
			applicationHeader, keyHeader)
	}
	if user == "" || password == "" {
		return "", "", unauthorized("The application id or the API key is empty.")
	}
	return user, password, nil
}

// basicAuth reads HTTP basic authentication. Several spaces may follow the scheme (RFC 9110, 11.4); net/http accepts one.
func basicAuth(r *http.Request) (user, password string, ok bool) {
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	one := http.Request{Header: http.Header{"Authorization": {scheme + " " + strings.TrimLeft(rest, " ")}}}
	return one.BasicAuth()
}

// differ reports whether a repeated header has different values.
func differ(values []string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return value != values[0] })
}

func unauthorized(format string, args ...any) error {
	return service.Errorf(service.CodeUnauthorized, format, args...)
}

// HostApplication returns the application that a host name belongs to: the label in front of baseDomain without its -a, -b
// or -c. ok reports whether the host is one label below baseDomain. Case, a port and a final dot of the host do not matter.
func HostApplication(host, baseDomain string) (application string, ok bool) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	label, ok := strings.CutSuffix(host, "."+baseDomain)
	if !ok || label == "" || strings.Contains(label, ".") {
		return "", false
	}
	for _, replica := range []string{"-a", "-b", "-c"} {
		if application, found := strings.CutSuffix(label, replica); found {
			return application, application != ""
		}
	}
	return label, true
}

// Scheme returns whether a client uses http or https, with us or with a proxy in front.
func Scheme(r *http.Request) string {
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return "https"
	}
	return "http"
}

// ApplicationURL returns the address of an application below baseDomain, with the scheme and port by which the client reached us.
func ApplicationURL(r *http.Request, application, baseDomain string) string {
	host := application + "." + baseDomain
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		host = net.JoinHostPort(host, port)
	}
	return Scheme(r) + "://" + host
}

// hosted refuses hosts outside of the base domain. Health checks and documents answer on any host: load balancers check the
// health by address, and the documents are the same everywhere.
func hosted(baseDomain string, next http.Handler) http.Handler {
	if baseDomain == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		application, ok := HostApplication(r.Host, baseDomain)
		if !ok && !anyHost(r.URL.Path) {
			writeProblem(w, r, service.Errorf(service.CodeMisdirected,
				"Call %s (or its replicas, <application>-a, -b and -c).", ApplicationURL(r, "<application>", baseDomain)))
			return
		}
		infoOf(r.Context()).host = application
		next.ServeHTTP(w, r)
	})
}

func anyHost(path string) bool {
	switch path {
	case "/health", "/v1/health", "/docs", "/openapi.json", "/openapi.yaml", "/openapi-3.0.json":
		return true
	}
	return strings.HasPrefix(path, "/docs/")
}

// authenticated lets a request pass if its credentials are right for its operation. The limits of a key within its
// application (indices, a filter) are applied by service.
func (a *api) authenticated(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	if len(op.Security) == 0 {
		next(ctx)
		return
	}
	r, w := humachi.Unwrap(ctx)
	who, err := a.principal(r, specOf(op))
	if err != nil {
		writeProblem(w, r, err)
		return
	}
	next(huma.WithValue(ctx, principalKey, who))
}

func (a *api) principal(r *http.Request, op *operation) (service.Principal, error) {
	application, key, err := credentials(r)
	if err != nil {
		return service.Principal{}, err
	}
	who, err := a.svc.Authenticate(r.Context(), application, key)
	if err != nil {
		return service.Principal{}, err
	}
	info := infoOf(r.Context())
	info.principal = who
	if a.cfg.BaseDomain != "" && info.host != who.Application {
		return service.Principal{}, service.Errorf(service.CodeWrongApplication,
			"The host belongs to a different application than the key. Call %s.", ApplicationURL(r, who.Application, a.cfg.BaseDomain))
	}
	if who.Type != service.AdminKey && !op.searchKey {
		return service.Principal{}, service.Errorf(service.CodeKeyNotAllowed,
			"A search key may only search: POST /v1/search/{search}. Use an admin key for this, and keep it on your servers.")
	}
	return who, nil
}

// principalOf returns who sent the request; the zero Principal for operations without security.
func principalOf(ctx context.Context) service.Principal {
	who, _ := ctx.Value(principalKey).(service.Principal)
	return who
}

// application returns the application that the request is about.
func application(ctx context.Context) string { return principalOf(ctx).Application }
