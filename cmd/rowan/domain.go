package main

import (
	"fmt"
	"net"
	"regexp"
	"strings"
)

// domainName matches what the host of a request can end in: its port is cut off before the comparison, and clients write
// names beyond ASCII as xn--….
var domainName = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*$`)

// domain returns the base domain in the form in which hosts are compared with it: without dots at its ends, in lower case. "" means none.
func (c *serveCommand) domain() string { return strings.Trim(strings.ToLower(c.BaseDomain), ".") }

// validateDomain refuses a base domain that no host can be below: every request would be refused.
func (c *serveCommand) validateDomain() error {
	if c.BaseDomain == "" || domainName.MatchString(c.domain()) && net.ParseIP(c.domain()) == nil {
		return nil
	}
	return fmt.Errorf("--base-domain (ROWAN_BASE_DOMAIN): %q is not a domain: write it like search.example.org, without scheme, port, path or *, and with non-ASCII letters as xn--…", c.BaseDomain)
}
