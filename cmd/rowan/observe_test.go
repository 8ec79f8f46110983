package main_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/rowansearch/rowan/store/storetest"
)

var operatorsLine = regexp.MustCompile(`msg="listening for operators" address=(\S+)`)

// operators returns the address of a server's listener for operators.
func operators(t *testing.T, s *server) string {
	t.Helper()
	address := operatorsLine.FindStringSubmatch(s.log.String())
	if address == nil {
		t.Fatalf("there is no listener for operators:\n%s", s.log)
	}
	return "http://" + address[1]
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// call sends a request to the API with the admin key, and checks the status.
func (b *bench) call(method, path, body string, status int, headers ...string) {
	b.t.Helper()
	req, err := http.NewRequest(method, "http://"+b.address+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	req.SetBasicAuth("shop", adminKey)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != status {
		b.t.Fatalf("%s %s: %d, want %d; %v\n%s", method, path, resp.StatusCode, status, err, answer)
	}
}

// shoes creates an index and searches it, also for a secret.
func (b *bench) shoes(headers ...string) {
	b.t.Helper()
	b.call("POST", "/v1/index/shoes", `{"mappings":[{"name":"title","type":"completion"},{"name":"price","type":"price"}]}`, http.StatusAccepted)
	b.call("PUT", "/v1/index/shoes/batch", `[{"action":"upsert","_id":"1","body":{"title":"Red shoes","price":5}},{"action":"upsert","_id":"2","body":{"title":"Blue hushhush shoes","price":7}},
		{"action":"delete","_id":"2"}]`, http.StatusOK, headers...)
	b.call("PUT", "/v1/index/shoes/document/1", `{"title":"Red hushhush shoes","price":5}`, http.StatusCreated)
	b.call("POST", "/v1/search/shoes", `{"query":"shoes hushhush","filter":"price < 778899","facets":"price"}`, http.StatusOK, headers...)
	b.call("POST", "/v1/search/shoes", `{"query":"nothingatall"}`, http.StatusOK)
	b.call("POST", "/v1/search/shoes", `{"filter":"("}`, http.StatusUnprocessableEntity)
	b.call("GET", "/v1/search/shoes/autocomplete?q=red", "", http.StatusOK)
}

var (
	metricName = regexp.MustCompile(`\b(rowan|go|process)_[a-z0-9_]+`)
	familyLine = regexp.MustCompile(`(?m)^# TYPE (\S+) `)
	ownPart    = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// namesIn returns the names of metrics in a text; parts of a histogram count as the histogram.
func namesIn(text string) []string {
	names := metricName.FindAllString(text, -1)
	for i, name := range names {
		names[i] = ownPart.ReplaceAllString(name, "")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	db := storetest.New(t)
	// The primary is not a standby of itself: it is left out, and shown so.
	s := b.serve("--database-url", db.URL, "--admin-listen", "127.0.0.1:0", "--database-replica-urls", db.URL)
	admin := operators(t, s)
	b.shoes()
	var exported string
	eventually(t, "the replica has been looked at", func() bool {
		_, exported = get(t, admin+"/metrics")
		return strings.Contains(exported, "rowan_replica_behind_bytes{")
	})
	var names []string
	for _, family := range familyLine.FindAllStringSubmatch(exported, -1) {
		names = append(names, family[1])
	}

	folder := filepath.Join("..", "..", "docs", "operations")
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	own := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return !strings.HasPrefix(name, "rowan_") })
	}
	document := read("monitoring.md")
	slices.Sort(names)
	if diff := cmp.Diff(own(names), own(namesIn(document))); diff != "" {
		t.Errorf("/metrics (-) and monitoring.md (+) differ:\n%s", diff)
	}
	dashboard := read("grafana-dashboard.json")
	if !json.Valid([]byte(dashboard)) {
		t.Error("grafana-dashboard.json is no JSON")
	}
	alerts := read("alerts.yaml")
	for _, file := range []struct{ name, text string }{{"grafana-dashboard.json", dashboard}, {"alerts.yaml", alerts}} {
		used := namesIn(file.text)
		if len(used) < 5 {
			t.Errorf("%s names only %v", file.name, used)
		}
		for _, name := range used {
			if !slices.Contains(names, name) {
				t.Errorf("%s names %s, which /metrics has not", file.name, name)
			}
		}
	}
	for _, alert := range regexp.MustCompile(`alert: (\S+)`).FindAllStringSubmatch(alerts, -1) {
		if !strings.Contains(document, "| "+alert[1]+" |") {
			t.Errorf("monitoring.md says nothing of the alert %s", alert[1])
		}
	}

	for _, want := range []string{
		`rowan_searches_total{application="shop",outcome="ok"} 1`,
		`rowan_searches_total{application="shop",outcome="nothing_found"} 1`,
		`rowan_searches_total{application="shop",outcome="invalid"} 1`,
		`rowan_search_duration_seconds_count 2`,
		`rowan_suggestions_total{outcome="ok"} 1`,
		`rowan_http_requests_total{method="POST",operation="search",status="422"} 1`,
		`rowan_http_request_duration_seconds_count{operation="writeBatch"} 1`,
		`rowan_documents_written_total{action="created"} 1`,
		`rowan_documents_written_total{action="updated"} 1`,
		`rowan_gate_inside{gate="searches"} 0`,
		`rowan_replica_ready{replica=`,
	} {
		if !strings.Contains(exported, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(exported, "hushhush") || strings.Contains(exported, adminKey) {
		t.Error("/metrics tells what was searched for, or a key")
	}
}

// A server without its database is alive but not ready; when the database is back, it becomes ready by itself.
func TestReadiness(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	db := storetest.New(t)
	s := b.serve("--database-url", db.URL, "--admin-listen", "127.0.0.1:0")
	admin := operators(t, s)
	if status, body := get(t, admin+"/ready"); status != http.StatusOK || !strings.Contains(body, `"name":"migrations","ok":true`) {
		t.Errorf("ready: %d %s", status, body)
	}

	config, err := pgx.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	name := config.Database
	config.Database = "postgres"
	outside, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close(context.Background())
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := outside.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
	run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	if status, body := get(t, admin+"/ready"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"name":"database","ok":false`) {
		t.Errorf("without its database: %d %s", status, body)
	}
	if status, _ := get(t, admin+"/live"); status != http.StatusOK {
		t.Errorf("a server without its database is alive, but answers %d", status)
	}
	run("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true")
	eventually(t, "it is ready again", func() bool {
		status, _ := get(t, admin+"/ready")
		return status == http.StatusOK
	})
	if err := s.end(t, syscall.SIGTERM); err != nil {
		t.Errorf("stopping: %v\n%s", err, s.log)
	}
	if resp, err := http.Get(admin + "/live"); err == nil {
		resp.Body.Close()
		t.Error("the listener for operators is open after the end")
	}
}

// otlp is a collector that keeps what it receives.
type otlp struct {
	mu    sync.Mutex
	raw   string
	spans []*tracev1.Span
	names []string // of the services
}

// ServeHTTP receives OTLP over HTTP.
func (o *otlp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(raw, &sent)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw += string(raw)
	for _, of := range sent.ResourceSpans {
		for _, attribute := range of.Resource.Attributes {
			if attribute.Key == "service.name" {
				o.names = append(o.names, attribute.Value.GetStringValue())
			}
		}
		for _, scope := range of.ScopeSpans {
			o.spans = append(o.spans, scope.Spans...)
		}
	}
	answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

// path returns the names of the spans from a span up to the first parent that was not sent.
func (o *otlp) path(span *tracev1.Span) string {
	for _, parent := range o.spans {
		if string(parent.SpanId) == string(span.ParentSpanId) {
			return o.path(parent) + " → " + span.Name
		}
	}
	return span.Name
}

// Not parallel: the environment is the test's.
func TestTracesAndSlowSearches(t *testing.T) {
	sent := &otlp{}
	srv := httptest.NewServer(sent)
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	b := newBench(t)
	s := b.serve("--database-url", storetest.New(t).URL, "--slow-search", "1ns")
	b.shoes("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	eventually(t, "a slow search is logged with its plan", func() bool {
		return regexp.MustCompile(`msg="slow search" .* plan=.*cost=`).MatchString(s.log.String())
	})
	if err := s.end(t, syscall.SIGTERM); err != nil { // this sends the last spans
		t.Fatalf("stopping: %v\n%s", err, s.log)
	}
	if log := s.log.String(); strings.Contains(log, "hushhush") || strings.Contains(log, "778899") || !strings.Contains(log, "trace_id=0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("the log tells what was searched for, or not which trace it was:\n%s", log)
	}

	sent.mu.Lock()
	defer sent.mu.Unlock()
	var paths []string
	traces := map[string]int{}
	for _, span := range sent.spans {
		paths = append(paths, sent.path(span))
		traces[string(span.TraceId)]++
	}
	for _, want := range []string{"search", "search → search", "search → search → sql", "writeBatch → batch → sql batch → sql", "autocomplete → suggest → sql batch"} {
		if !slices.Contains(paths, want) {
			slices.Sort(paths)
			t.Errorf("there is no span %q among\n%s", want, strings.Join(slices.Compact(paths), "\n"))
		}
	}
	if n := traces["\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c"]; n < 6 {
		t.Errorf("%d spans continue the trace that two requests named", n)
	}
	if !slices.Contains(sent.names, "rowan") {
		t.Errorf("the service is %v", sent.names)
	}
	for _, secret := range []string{"hushhush", "778899", adminKey, "Red shoes"} {
		if strings.Contains(sent.raw, secret) {
			t.Errorf("a span has %q", secret)
		}
	}
}

func TestFaultsOfTheListenerForOperators(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ address, want string }{
		{"nonsense", "ROWAN_ADMIN_LISTEN"},
		{"203.0.113.1:9090", "choose another address with --admin-listen"}, // reserved for documentation: no machine has it
	} {
		if status, _, errOut := b.rowan("serve", "--admin-listen", c.address); status == 0 || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: %d, %s", c.address, status, errOut)
		}
	}
	t.Run("traces", func(t *testing.T) {
		b := newBench(t)
		cmd := b.command("serve")
		cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "http/protobuf only") {
			t.Errorf("%v, %s", err, out)
		}
	})
}
