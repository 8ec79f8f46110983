package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

type healthCommand struct {
	Listen  string        `env:"ROWAN_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Address that the server listens on (${default})."`
	Timeout time.Duration `default:"3s" help:"How long the server may take (${default})."`
}

// Validate refuses an address without a port.
func (c *healthCommand) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("--listen (ROWAN_LISTEN): %w: write host:port", err)
	}
	return nil
}

// Run asks the server on this machine whether it works. It is the health check of containers, which have
// neither curl nor wget.
func (c *healthCommand) Run(ctx context.Context, term terminal) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/health", nil)
	if err != nil {
		return err
	}
	// No proxy: that of the environment would be used for every address outside the loopback interface.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at %s (set another address with --listen or ROWAN_LISTEN): %w", c.Listen, err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	_ = term.printf("ok\n") // the exit status is the answer
	return nil
}
