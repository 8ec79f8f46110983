package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/rowansearch/rowan/examples"
	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/store/embedded"
)

// prepare creates the application and the keys that must exist and, on the first start ever, the sample index.
func (c *serveCommand) prepare(ctx context.Context, svc *service.Service, logger *slog.Logger) (credentials, error) {
	made, err := c.ensure(ctx, svc, logger)
	if err != nil || !made.isNew || !c.Sample {
		return made, err
	}
	if err := loadSample(ctx, svc, made.application); err != nil {
		return made, fmt.Errorf("loading the sample index: %w", err)
	}
	logger.Info("loaded the sample index", "index", examples.FilmsIndex)
	return made, nil
}

func loadSample(ctx context.Context, svc *service.Service, application string) error {
	mappings, err := examples.FilmMappings()
	if err != nil {
		return err
	}
	if err := svc.CreateIndex(ctx, application, examples.FilmsIndex, mappings); err != nil {
		return err
	}
	type action struct {
		Action string          `json:"action"`
		Body   json.RawMessage `json:"body"`
	}
	var actions []action
	for _, film := range examples.Films() {
		actions = append(actions, action{"upsert", film})
	}
	body, err := json.Marshal(actions)
	if err != nil {
		return err
	}
	_, err = svc.WriteBatch(ctx, application, examples.FilmsIndex, body)
	return err
}

// greeting tells the person at the terminal what is running and what to do next. If the log is for a machine, which usually reads
// the output with it, it has only keys: they are in no log.
func (c *serveCommand) greeting(address net.Addr, made credentials, postgres *embedded.Server) string {
	if c.forMachines() {
		return made.announced()
	}
	base := "http://" + reachable(address)
	var b strings.Builder
	if c.BaseDomain == "" {
		fmt.Fprintf(&b, "\nRowan %s is ready at %s (dashboard: %s/dashboard, documentation: %s/docs).\n", currentVersion(), base, base, base)
	} else {
		fmt.Fprintf(&b, "\nRowan %s is ready at %s (documentation: %s/docs).\n%s", currentVersion(), base, base, c.dashboards(address, made))
	}
	b.WriteString(made.announced())
	if made.application == "" {
		b.WriteString("\nLost your key? \"rowan key create --type admin\" creates another.\n")
	}
	if postgres != nil {
		fmt.Fprintf(&b, "\nThe data is in %s. To look at it:\n\n  %s\n", postgres.DataDir(), postgres.PSQL())
	}
	if made.isNew && c.Sample {
		fmt.Fprintf(&b, "\nThe sample index %s is loaded. Three searches to try:\n\n%s", examples.FilmsIndex, c.sampleSearches(base, made))
	}
	b.WriteString("\nCtrl-C stops it.\n\n")
	return b.String()
}

// announced returns a text with the created keys, which are shown this once; "" if there are none.
func (c credentials) announced() string {
	if c.admin == "" && (c.search == "" || c.searchGiven) {
		return ""
	}
	return c.table() + "The keys are shown only this once; \"rowan key create\" creates others.\n"
}

// dashboards says where the dashboard is if each application has hosts of its own. Only the operator knows where
// their names lead, and whether there is a proxy before them.
func (c *serveCommand) dashboards(address net.Addr, made credentials) string {
	application := cmp.Or(made.application, made.existing)
	host := application + "." + c.domain()
	_, port, _ := net.SplitHostPort(address.String())
	return fmt.Sprintf("It answers only at the hosts of applications. The dashboard of %s: http://%s/dashboard, or through your proxy https://%s/dashboard.\n",
		application, net.JoinHostPort(host, port), host)
}

// sampleSearches returns commands that find hits in the sample index. They give the host apart from the address, so that
// they work before its name leads here.
func (c *serveCommand) sampleSearches(base string, made credentials) string {
	host := ""
	if c.BaseDomain != "" {
		host = fmt.Sprintf(" -H 'Host: %s.%s'", made.application, c.domain())
	}
	var b strings.Builder
	for _, body := range []string{
		`{"query":"kurosawa samurai"}`,
		`{"query":"paris love","facets":"genres countries","per_page":3}`,
		`{"filter":"genres = \"Science fiction\" AND year >= 2000","sort":"-year","per_page":5}`,
	} {
		fmt.Fprintf(&b, "  curl -s -u %s:%s%s %s/v1/search/%s -H 'Content-Type: application/json' -d '%s'\n", made.application, made.search, host, base, examples.FilmsIndex, body)
	}
	return b.String()
}

// reachable returns the host and port at which a person on this machine reaches a listener.
func reachable(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
