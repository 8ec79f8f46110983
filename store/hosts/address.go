// Package hosts reaches the hosts of a database: it parses their addresses without revealing passwords in errors, and makes connections that give up
// on a silent host and avoid it for a while. It sends no statements.
package hosts

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errUnreadable does not quote the address: if it is not a valid URL, any part of it may belong to the password.
var errUnreadable = errors.New("the database URL cannot be read. It must look like postgres://user:password@host:5432/database; " +
	"characters of a password such as / # ? @ % and , must be percent-encoded: %2F %23 %3F %40 %25 %2C")

// Parse parses the address of a database. Neither its errors nor those of connecting with its result reveal a password.
func Parse(address string) (*pgxpool.Config, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	isURL := scheme == "postgres" || scheme == "postgresql"
	if isURL && notEncoded(rest) {
		return nil, errUnreadable
	}
	pc, err := pgxpool.ParseConfig(address)
	if fault, ok := errors.AsType[*pgconn.ParseConfigError](err); ok && isURL && fault.Unwrap() != nil {
		return nil, fmt.Errorf("the database URL cannot be used: %w", fault.Unwrap())
	} else if err != nil {
		return nil, errUnreadable
	}
	return pc, nil
}

// Renew updates a connection's configuration with what its address refers to and may have changed since the start: the password in a passfile or a
// service file, certificates and keys. What cannot be read now stays as it was.
func Renew(address string, c *pgx.ConnConfig) {
	now, err := Parse(address)
	if err != nil {
		return
	}
	c.Password, c.TLSConfig, c.Fallbacks = now.ConnConfig.Password, now.ConnConfig.TLSConfig, now.ConnConfig.Fallbacks
}

// notEncoded reports whether a password contains unencoded characters that have a meaning in an address; rest is the address after the scheme. At a /
// or @, pgx and libpq end the user and password: they take what follows for a host, a database or a setting, and show it if that does not exist. The
// @ that was meant to end the password reveals the mistake, because it is left over.
func notEncoded(rest string) bool {
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		if _, err := url.PathUnescape(rest[:i]); err != nil {
			return true
		}
		rest = rest[i+1:]
	}
	place, settings, _ := strings.Cut(rest, "?")
	if strings.Contains(place, "@") {
		return true
	}
	for settings != "" {
		var setting string
		setting, settings, _ = strings.Cut(settings, "&")
		name, value, ok := strings.Cut(setting, "=")
		if !ok || strings.Contains(value, "=") || strings.Contains(name, "@") || strings.Contains(value, "@") && !mayHaveAt[name] {
			return true
		}
	}
	return false
}

// mayHaveAt are the settings whose values often contain an @, as user names and paths do.
var mayHaveAt = map[string]bool{
	"user": true, "password": true, "host": true, "dbname": true, "application_name": true, "options": true, "service": true,
	"passfile": true, "servicefile": true, "sslcert": true, "sslkey": true, "sslrootcert": true, "sslpassword": true, "krbspn": true,
}
