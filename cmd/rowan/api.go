package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/rowansearch/rowan/openapi/client"
)

// client makes a client of the server. It asks each replica host once: the commands that go on for long wait
// by themselves, and tell of it. kind is that of the key which is needed: admin or search.
func (f serverFlags) client(key, kind string) (*client.ClientWithResponses, error) {
	if key == "" {
		return nil, fmt.Errorf("no API key: give --key, or set ROWAN_%s_KEY; \"rowan key create --type %s\" creates one", strings.ToUpper(kind), kind)
	}
	hosts, err := client.ReplicaHosts(f.URL, f.Application)
	if err != nil {
		return nil, err
	}
	return client.New(client.Config{URL: f.URL, Application: f.Application, Key: key, Attempts: len(hosts), UserAgent: "rowan-cli"})
}

// unanswered adds to an error of the client what to do about it.
func (f serverFlags) unanswered(err error) error {
	if client.Unreachable(err) {
		return fmt.Errorf("no server answers at %s (start one with \"rowan serve\", or give --url): %w", f.URL, err)
	}
	if problem, ok := errors.AsType[*client.Problem](err); ok && problem.Status == http.StatusUnauthorized {
		return fmt.Errorf("%w; they come from --application and --key", err)
	}
	return err
}

// notRowan is the error of an answer that Rowan does not give.
func notRowan(status string) error {
	return fmt.Errorf("the server that answered %s is not Rowan: check --url", status)
}
