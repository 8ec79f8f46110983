package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rowansearch/rowan/openapi/client"
)

// client returns a client of the server. It tries each replica host once: commands that run for long retry by
// themselves, and say so. kind is the type of the key that is needed: admin or search.
func (f serverFlags) client(key, kind string) (*client.ClientWithResponses, error) {
	if key == "" {
		return nil, fmt.Errorf("no API key: give --key, or set ROWAN_%s_KEY; \"rowan key create --type %s\" creates one", strings.ToUpper(kind), kind)
	}
	hosts, err := client.ReplicaHosts(f.URL, f.Application)
	if err != nil {
		return nil, fmt.Errorf("--url (ROWAN_URL): %w", err)
	}
	return client.New(client.Config{URL: f.URL, Application: f.Application, Key: key, Attempts: len(hosts), UserAgent: "rowan-cli"})
}

// unanswered adds advice to an error of the client.
func (f serverFlags) unanswered(err error) error {
	if client.Unreachable(err) {
		return fmt.Errorf("no server answers at %s (start one with \"rowan serve\", or give --url): %w", f.URL, err)
	}
	problem, ok := errors.AsType[*client.Problem](err)
	switch {
	case ok && problem.Code == "" && problem.Status < http.StatusInternalServerError && !client.Temporary(err): // others may come from a proxy in front of Rowan
		return notRowan(fmt.Sprintf("%d %s", problem.Status, http.StatusText(problem.Status)))
	case ok && problem.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w; they come from --application and --key", err)
	case ok && problem.Code == "route_not_found":
		return fmt.Errorf("%w; --url (ROWAN_URL) usually has no path, such as http://host:port, and the name of an index or search must not be empty", err)
	}
	return err
}

// notRowan returns the error for an answer that Rowan does not give.
func notRowan(status string) error {
	return fmt.Errorf("the server that answered %s is not Rowan: check --url", status)
}
