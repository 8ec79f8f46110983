// Package client is the Go client of Rowan. Its operations and their types are generated from the OpenAPI
// document. The code written by hand signs the requests, distributes them over the replica hosts, retries
// those that may be repeated, and turns every unsuccessful answer into a *Problem.
//
//	api, err := client.New(client.Config{URL: "https://shop.search.example", Application: "shop", Key: key})
//	answer, err := api.SearchWithResponse(ctx, "products", client.SearchRequest{Query: new("espresso")})
//	for _, id := range answer.JSON200.Ids { … answer.JSON200.Hits[id].Document["title"] … }
//
// If err is nil, the field of the answer for its status (JSON200, JSON201, JSON202) is set. The package does
// not use any of the service's own packages.
package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:generate go tool -modfile=../../.ci/tools/oapi-codegen/go.mod oapi-codegen -config oapi-codegen.yaml ../openapi-3.0.json

// Config says where the service is and who calls it.
type Config struct {
	// URL is the address of the application: https://shop.search.example. If the host begins with the name of
	// the application, its replica hosts are used as well: shop-a, shop-b, shop-c, in turn, and the plain
	// host if none of them can be reached. Any other host is the only one.
	URL string
	// Hosts are the addresses to use in turn, instead of those derived from URL.
	Hosts []string
	// Application and Key sign every request.
	Application, Key string
	// SignWithHeaders signs with X-Service-Application and X-Service-API-Key, for proxies that use the
	// Authorization header themselves.
	SignWithHeaders bool
	// Attempts is how many times a request is sent at most, including the first. 0 means twice to each host,
	// and at least 5 times; 1 means no retries.
	Attempts int
	// MaxWait is the longest pause before an attempt; if the service asks for a longer one, its answer is
	// returned at once. 0 means 30 seconds.
	MaxWait time.Duration
	// Transport sends the requests. nil means a transport that waits up to 5 minutes for an answer to begin.
	Transport http.RoundTripper
	// UserAgent is the User-Agent header; "" means rowan-go.
	UserAgent string
}

// operationServer is the address that the generated code uses; hosts replaces it.
const operationServer = "http://rowan/"

// New returns a client, which is safe for concurrent use. It does not connect to anything yet.
func New(config Config) (*ClientWithResponses, error) {
	addresses := config.Hosts
	if len(addresses) == 0 {
		var err error
		if addresses, err = ReplicaHosts(config.URL, config.Application); err != nil {
			return nil, err
		}
	}
	h := &hosts{config: config}
	for _, address := range addresses {
		u, err := parseAddress(address)
		if err != nil {
			return nil, err
		}
		h.all = append(h.all, &host{url: u})
	}
	h.regular = len(h.all)
	if len(config.Hosts) == 0 && len(h.all) > 1 {
		h.regular-- // the plain host, which may lead to any of the others
	}
	if h.config.Attempts <= 0 {
		h.config.Attempts = max(5, 2*len(h.all))
	}
	if h.config.MaxWait <= 0 {
		h.config.MaxWait = 30 * time.Second
	}
	if h.config.UserAgent == "" {
		h.config.UserAgent = "rowan-go"
	}
	if h.config.Transport == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		// Generous, as a batch may have to wait for a table that is being exchanged. It is for servers that
		// vanish silently.
		transport.ResponseHeaderTimeout = 5 * time.Minute
		h.config.Transport = transport
	}
	return NewClientWithResponses(operationServer, WithHTTPClient(h))
}

// ReplicaHosts returns the addresses of the replica hosts of an application, a, b and c, and then base itself;
// only base if its host does not begin with the name of the application.
func ReplicaHosts(base, application string) ([]string, error) {
	u, err := parseAddress(base)
	if err != nil {
		return nil, err
	}
	domain, ok := strings.CutPrefix(u.Hostname(), application+".")
	if !ok || application == "" || net.ParseIP(u.Hostname()) != nil {
		return []string{base}, nil
	}
	var addresses []string
	for _, replica := range []string{"-a.", "-b.", "-c."} {
		other := *u
		other.Host = application + replica + domain
		if port := u.Port(); port != "" {
			other.Host += ":" + port
		}
		addresses = append(addresses, other.String())
	}
	return append(addresses, base), nil
}

func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%q is not the address of a server: write http://host:port", address)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a server must not have a user, a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}
