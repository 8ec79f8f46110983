// Package hosts is how the hosts of a database are reached: what their address says, without anything of a password in errors, and
// connections that give up one that is silent, and leave it out for a while. It sends no statement.
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

// errUnreadable says nothing of the address: one that is no URL may be cut anywhere, within its password, too.
var errUnreadable = errors.New("the database URL cannot be read. It must look like postgres://user:password@host:5432/database; " +
	"characters of a password such as / # ? @ % and , must be percent-encoded: %2F %23 %3F %40 %25 %2C")

// Parse reads the address of a database. Its errors, and those of connecting to what it has read, show nothing of a password.
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

// Renew takes into the configuration of a connection what its address leads to and may have been changed since the start: the password
// in a passfile or a service file, certificates and keys. What cannot be read now stays as it was.
func Renew(address string, c *pgx.ConnConfig) {
	now, err := Parse(address)
	if err != nil {
		return
	}
	c.Password, c.TLSConfig, c.Fallbacks = now.ConnConfig.Password, now.ConnConfig.TLSConfig, now.ConnConfig.Fallbacks
}

// notEncoded tells that a password has characters as they are which stand for something else in an address, of which rest is what
// follows the scheme. At a / or @ pgx and libpq end the user and password: what follows of it they take for a host, a database or a
// setting, and show it where there is none such. The @ that was meant to end the password gives it away, as it is left behind.
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

// mayHaveAt are the settings in whose values an @ is usual, as in names of users and in paths.
var mayHaveAt = map[string]bool{
	"user": true, "password": true, "host": true, "dbname": true, "application_name": true, "options": true, "service": true,
	"passfile": true, "servicefile": true, "sslcert": true, "sslkey": true, "sslrootcert": true, "sslpassword": true, "krbspn": true,
}
