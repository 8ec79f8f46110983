package handlers_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{BaseDomain: "search.example"})
	for _, path := range []string{"/health", "/v1/health"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			got := c.do(method, path, "", "Authorization", "")
			if want := map[string]string{"GET": "{\"status\":\"ok\"}\n"}[method]; got.status != 200 || got.body != want {
				t.Errorf("%s %s: %d %q", method, path, got.status, got.body)
			}
		}
	}
	c.store.Close()
	if got := c.do("GET", "/health", ""); got.status != 503 || got.body != "{\"status\":\"unavailable\"}\n" {
		t.Errorf("without a database: %d %q", got.status, got.body)
	}
}

// Anybody may check the health, and many may at once: these checks must not take connections from other requests.
func TestHealthChecksShareAnAnswer(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	waits := func() (n int64) {
		for _, p := range c.store.Stats().Pools {
			n += p.Waits
		}
		return n
	}
	before, start := waits(), make(chan struct{})
	var checks sync.WaitGroup
	for range 2000 {
		checks.Go(func() {
			<-start
			_ = c.svc.Health(t.Context())
		})
	}
	close(start)
	checks.Wait()
	if n := waits() - before; n > 20 { // a few are by the background work
		t.Errorf("%d waited for a connection", n)
	}
}

// Load balancers check the health every second: the log has that only if it is to have everything.
func TestHealthChecksStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := newAPI(t, handlers.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, path := range []string{"/health", "/v1/health"} {
		if got := c.do("GET", path, ""); got.status != 200 || strings.Contains(log.String(), "operation=getHealth") {
			t.Errorf("%s: %d, in the log:\n%s", path, got.status, log.String())
		}
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const none = ""
	unauthorized := `{"code":"unauthorized","status":401,"errors":[],"request_id":"*"}`
	c.run([]step{
		{"GET", "/v1/index", "", 200, `[]`, nil},
		{"GET", "/v1/index", "", 200, `[]`, []string{"Authorization", none, "X-Service-Application", "demo", "X-Service-API-Key", c.admin}},
		{"GET", "/v1/index", "", 200, `[]`, []string{"X-Service-Application", "demo", "X-Service-API-Key", c.admin}},
		{"GET", "/v1/index", "", 401, unauthorized, []string{"X-Service-Application", "demo", "X-Service-API-Key", c.search}},
		{"GET", "/v1/index", "", 401, unauthorized, []string{"Authorization", none}},
		{"GET", "/v1/index", "", 401, unauthorized, []string{"Authorization", none, "X-Service-Application", "demo", "X-Service-API-Key", "wrong"}},
		{"GET", "/v1/index", "", 401, unauthorized, []string{"Authorization", none, "X-Service-Application", "nobody", "X-Service-API-Key", c.admin}},
		{"GET", "/v1/index", "", 401, unauthorized, []string{"Authorization", none, "X-Service-Application", "nobödy", "X-Service-API-Key", "\x80"}},
	})
	wrongKey := c.do("GET", "/v1/index", "", "Authorization", none, "X-Service-Application", "demo", "X-Service-API-Key", "wrong", "X-Request-Id", "same")
	wrongApplication := c.do("GET", "/v1/index", "", "Authorization", none, "X-Service-Application", "nobody", "X-Service-API-Key", "wrong", "X-Request-Id", "same")
	if wrongKey.body != wrongApplication.body {
		t.Errorf("an unknown application is told apart from a wrong key:\n%s%s", wrongKey.body, wrongApplication.body)
	}
}

func TestSearchKeysOnlySearch(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{{"POST", "/v1/index/films", "", 202, `{"name":"films"}`, nil}})
	c.admin = c.search
	refused := `{"code":"key_not_allowed","status":403}`
	c.run([]step{
		{"POST", "/v1/search/films", "", 200, `{"total":0}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films"}]}`, 200, `{"results":[{"total":0}]}`, nil},
		{"GET", "/v1/search/films/autocomplete?q=a", "", 200, `{"query":"a","autocomplete":[]}`, nil},
		{"GET", "/v1/index", "", 403, refused, nil},
		{"GET", "/v1/index/films", "", 403, refused, nil},
		{"POST", "/v1/index/other", "", 403, refused, nil},
		{"GET", "/v1/index/films/document/1", "", 403, refused, nil},
		{"PUT", "/v1/index/films/document/1", "{}", 403, refused, nil},
		{"PUT", "/v1/index/films/batch", "[]", 403, refused, nil},
		{"GET", "/v1/search", "", 403, refused, nil},
		{"GET", "/v1/search/films", "", 403, refused, nil},
		{"PUT", "/v1/search/best", `{"index":"films"}`, 403, refused, nil},
		{"GET", "/v1/keys", "", 403, refused, nil},
		{"POST", "/v1/keys", `{"type":"admin"}`, 403, refused, nil},
		{"GET", "/v1/settings", "", 403, refused, nil},
	})
}

func TestHostsOfApplications(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{BaseDomain: "search.example"})
	c.newApplication("shop")
	c.run([]step{
		{"GET", "/v1/index", "", 200, `[]`, []string{"Host", "demo.search.example"}},
		{"GET", "/v1/index", "", 200, `[]`, []string{"Host", "demo-c.search.example:8080"}},
		{"GET", "/v1/index", "", 403, `{"code":"wrong_application"}`, []string{"Host", "shop.search.example"}},
		{"GET", "/v1/index", "", 403, `{"code":"wrong_application","detail":"The host belongs to a different application than the key. Call http://demo.search.example:8080."}`, []string{"Host", "nobody.search.example:8080"}},
		{"GET", "/v1/index", "", 403, `{"detail":"The host belongs to a different application than the key. Call https://demo.search.example."}`, []string{"Host", "nobody.search.example", "X-Forwarded-Proto", "https"}},
		{"GET", "/v1/index", "", 421, `{"code":"misdirected_request"}`, []string{"Host", "demo.example"}},
	})
}

func TestIndices(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"GET", "/v1/index", "", 200, `[]`, nil},
		{"POST", "/v1/index/films", `{"mappings":[{"name":"title","type":"name"}]}`, 202, `{"name":"films"}`, nil},
		{"POST", "/v1/index/films", "", 409, `{"code":"index_exists"}`, nil},
		{"POST", "/v1/index/Films", "{}", 202, `{"name":"Films"}`, nil},
		{"POST", "/v1/index/a_b-c", "", 202, `{"name":"a_b-c"}`, nil},
		{"POST", "/v1/index/_a", "", 422, `{"code":"invalid_request"}`, nil},
		{"POST", "/v1/index/-a", "", 422, `{"code":"invalid_request"}`, nil},
		{"POST", "/v1/index/a.b", "", 422, `{"code":"invalid_request"}`, nil},
		{"POST", "/v1/index/a%2Fb", "", 422, `{"code":"invalid_request"}`, nil},
		{"POST", "/v1/index/" + strings.Repeat("a", 60), "", 202, "", nil},
		{"POST", "/v1/index/" + strings.Repeat("a", 61), "", 422, `{"code":"invalid_request"}`, nil},
		{"DELETE", "/v1/index/" + strings.Repeat("a", 60), "", 202, "", nil},
		{"GET", "/v1/index", "", 200, `[{"name":"Films","mappings":[]},{"name":"a_b-c"},{"name":"films","mappings":[{"name":"title","type":"name"}]}]`, nil},
		{"GET", "/v1/index?filter", "", 200, `[{"name":"Films"},{"name":"a_b-c"},{"name":"films"}]`, nil},
		{"GET", "/v1/index?filter=f*", "", 200, `[{"name":"films"}]`, nil},
		{"GET", "/v1/index?filter=?ilms", "", 200, `[{"name":"Films"},{"name":"films"}]`, nil},
		{"GET", "/v1/index?filter=a%25", "", 200, `[]`, nil},
		{"GET", "/v1/index/films", "", 200, `{"name":"films","mappings":[{"name":"title","type":"name"}],"documents":0,"size_bytes":"*","created_at":"*","updated_at":"*"}`, nil},
		{"GET", "/v1/index/nothing", "", 404, `{"code":"index_not_found"}`, nil},

		{"PUT", "/v1/index/films", `{}`, 200, `{"name":"films","mappings":[{"name":"title","type":"name"}]}`, nil},
		{"PUT", "/v1/index/films", "", 400, `{"code":"invalid_json"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[}`, 400, `{"code":"invalid_json"}`, nil},
		{"PATCH", "/v1/index/films", `nonsense`, 400, `{"code":"invalid_json"}`, nil},
		{"POST", "/v1/index/others", `{"mappings":[]`, 400, `{"code":"invalid_json"}`, nil},
		{"PATCH", "/v1/index/films", `{"mappings":[{"name":"year","type":"int"}]}`, 200, `{"mappings":["*","*"]}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"year","type":"long"}]}`, 200, `{"mappings":[{"name":"year","type":"long"}]}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"year","type":"long"}]}`, 200, `{"name":"films","mappings":[{"name":"year","type":"long"}]}`, nil},
		{"PUT", "/v1/index/nothing", `{}`, 404, `{"code":"index_not_found"}`, nil},
		{"PATCH", "/v1/index/nothing", `{"mappings":[]}`, 404, `{"code":"index_not_found"}`, nil},

		{"PUT", "/v1/index/films", `{"mappings":[{"name":"a","type":"unheard"}]}`, 422, `{"code":"invalid_mapping"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"a","type":"int"},{"name":"a","type":"text"}]}`, 422, `{"code":"invalid_mapping"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"_a","type":"int"}]}`, 422, `{"code":"invalid_mapping"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"boost","type":"float"}]}`, 422, `{"code":"invalid_mapping"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"autocomplete","type":"text"}]}`, 422, `{"code":"invalid_mapping"}`, nil},
		{"PUT", "/v1/index/films", `{"mappings":[{"name":"a"}]}`, 422, `{"code":"invalid_mapping","errors":[{"location":"body.mappings[0].type","message":"required"}]}`, nil},

		{"PUT", "/v1/index/films/document/1", `{"year":"1982","kind":"long ago"}`, 201, "", nil},
		{"PATCH", "/v1/index/films", `{"mappings":[{"name":"kind","type":"int"}]}`, 409, `{"code":"mapping_conflict","errors":["*"]}`, nil},
		{"POST", "/v1/index/films/clear", "", 202, `{"name":"films"}`, nil},
		{"GET", "/v1/index/films", "", 200, `{"documents":0}`, nil},
		{"POST", "/v1/index/nothing/clear", "", 404, `{"code":"index_not_found"}`, nil},
		{"DELETE", "/v1/index/films", "", 202, `{"name":"films"}`, nil},
		{"DELETE", "/v1/index/films", "", 404, `{"code":"index_not_found"}`, nil},
	})
}

func TestIndexSettings(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const path = "/v1/index/films/settings"
	c.run([]step{
		{"GET", path, "", 404, `{"code":"index_not_found"}`, nil},
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"GET", path, "", 200, `{"language":"english","autocomplete":{"fields":[]},"synonyms":[],"stop_words":[]}`, nil},
		{"PUT", path, `{"language":"german","synonyms":[["film","movie"],{"from":["tv"],"to":["television"]}],"stop_words":["der"]}`, 200,
			`{"language":"german","synonyms":[["film","movie"],{"from":["tv"],"to":["television"]}],"stop_words":["der"]}`, nil},
		{"PATCH", path, `{"autocomplete":{"fields":["title"]}}`, 200, `{"language":"german","autocomplete":{"fields":["title"]},"stop_words":["der"]}`, nil},
		{"PATCH", path, `{"stop_words":["der","die das"]}`, 422, `{"code":"invalid_request","errors":[{"location":"body.stop_words[1]"}]}`, nil},
		{"PATCH", path, `{"language":null,"stop_words":null,"autocomplete":null,"synonyms":null}`, 200, `{"language":"german","autocomplete":{"fields":["title"]},"stop_words":["der"]}`, nil},
		{"PATCH", path, `{"autocomplete":{}}`, 200, `{"autocomplete":{"fields":["title"]}}`, nil},
		{"PATCH", path, `{"autocomplete":{"fields":null}}`, 200, `{"autocomplete":{"fields":["title"]}}`, nil},
		{"PUT", path, `{"language":"german","stop_words":["der"],"autocomplete":{}}`, 200, `{"autocomplete":{"fields":[]}}`, nil},
		{"PUT", path, `{"colour":null}`, 422, `{"errors":[{"location":"body.colour"}]}`, nil},
		{"PUT", path, `{"stop_words":null}`, 200, `{"language":"english","autocomplete":{"fields":[]},"synonyms":[],"stop_words":[]}`, nil},
		{"PUT", path, `{"language":"klingon"}`, 422, `{"code":"invalid_request"}`, nil},
		{"PUT", path, `{"colour":"red"}`, 422, `{"code":"invalid_request"}`, nil},
		{"PUT", path, `[]`, 422, `{"code":"invalid_request"}`, nil},
		{"PUT", path, `{`, 400, `{"code":"invalid_json"}`, nil},
		{"PATCH", path, ``, 400, `{"code":"invalid_json"}`, nil},
	})
	// Faults point at the element, not at the whole setting.
	for body, at := range map[string]string{
		`{"autocomplete":{"fields":["title",1,null]}}`:                       "body.autocomplete.fields[1] body.autocomplete.fields[2]",
		`{"autocomplete":{"fields":"title"}}`:                                "body.autocomplete.fields",
		`{"autocomplete":{"field":["title"],"Fields":[]}}`:                   "body.autocomplete.Fields body.autocomplete.field",
		`{"autocomplete":["title"]}`:                                         "body.autocomplete",
		`{"stop_words":["der",1,"","die das"],"language":7}`:                 "body.language body.stop_words[1] body.stop_words[2] body.stop_words[3]",
		`{"stop_words":"der"}`:                                               "body.stop_words",
		`{"synonyms":[["a","b"],["a",1],["a"],null,"a"]}`:                    "body.synonyms[1][1] body.synonyms[2] body.synonyms[3] body.synonyms[4]",
		`{"synonyms":[{"from":["a"],"to":["b",""]},{"from":[],"to":["b"]}]}`: "body.synonyms[0].to[1] body.synonyms[1].from",
		`{"synonyms":[{"FROM":["a"],"to":["b"]},{"from":"a","to":["b"]}]}`:   "body.synonyms[0].FROM body.synonyms[0] body.synonyms[1].from",
		`{"synonyms":{"a":"b"},"stop":[],"colour":1}`:                        "body.synonyms body.colour body.stop",
	} {
		var p handlers.Problem
		if err := json.Unmarshal([]byte(c.do("PATCH", path, body).body), &p); err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, fault := range p.Errors {
			places = append(places, fault.Location)
		}
		if got := strings.Join(places, " "); p.Status != http.StatusUnprocessableEntity || got != at {
			t.Errorf("%s\n  %s at %s\n  want %s", body, p.Code, got, at)
		}
	}
}

// An update that changes nothing does not show as a change of the index, and servers that plan by the index need not read it again.
func TestUpdatesOfAnIndex(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const path, settings = "/v1/index/films", `{"language":"german","synonyms":[["film","movie"],{"from":["tv"],"to":["television"]}],"stop_words":["der"],"autocomplete":{"fields":["title"]}}`
	c.run([]step{
		{"POST", path, `{"mappings":[{"name":"title","type":"name"}]}`, 202, "", nil},
		{"PUT", path + "/settings", settings, 200, settings, nil},
	})
	version := func() (v int64) {
		if err := c.db.Pool.QueryRow(t.Context(), "SELECT version FROM rowan.indices").Scan(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	updated := func() string {
		var ix struct {
			UpdatedAt string `json:"updated_at"`
		}
		if err := json.Unmarshal([]byte(c.do("GET", path, "").body), &ix); err != nil {
			t.Fatal(err)
		}
		return ix.UpdatedAt
	}
	before, at := version(), updated()
	for _, s := range []step{
		{"PUT", path + "/settings", settings, 200, settings, nil},
		{"PATCH", path + "/settings", `{}`, 200, settings, nil},
		{"PATCH", path + "/settings", `{"stop_words":["der"]}`, 200, settings, nil},
		{"PUT", path, `{"mappings":[{"name":"title","type":"name"}]}`, 200, "", nil},
		{"PATCH", path, `{"mappings":[{"name":"title","type":"name"}]}`, 200, "", nil},
		{"PUT", path + "/document/1", `{"title":"Alien"}`, 201, "", nil},
	} {
		if c.run([]step{s}); version() != before || updated() != at {
			t.Errorf("%s %s %s: version %d, updated %s, before %d, %s", s.method, s.path, s.body, version(), updated(), before, at)
		}
	}
	c.run([]step{{"POST", path + "/clear", "", 202, "", nil}})
	if got := updated(); got != at {
		t.Errorf("cleared: updated %s, before %s", got, at)
	}
	c.run([]step{{"PATCH", path + "/settings", `{"stop_words":[]}`, 200, "", nil}})
	if got := updated(); got == at {
		t.Error("other stop words: not updated")
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const path = "/v1/index/films/document"
	mergePatch := []string{"Content-Type", "application/merge-patch+json"}
	exact := `{"big":12345678901234567890,"dec":0.10,"exp":1e400,"s":"<b>&\u2028é😀","n":null,"deep":{"a":[1,{"b":null}]},"empty":{},"list":[]}`
	// PostgreSQL writes numbers without an exponent; their value and their digits stay.
	stored := strings.Replace(exact, "1e400", "1"+strings.Repeat("0", 400), 1)
	c.run([]step{
		{"PUT", path + "/1", `{}`, 404, `{"code":"index_not_found"}`, nil},
		{"POST", "/v1/index/films", `{"mappings":[{"name":"price","type":"price"}]}`, 202, "", nil},
		{"GET", path + "/1", "", 404, `{"code":"document_not_found"}`, nil},
		{"PUT", path + "/1", `{"a":1,"b":2}`, 201, `{"_id":"1","a":1,"b":2}`, nil},
		{"POST", path + "/1", `{"a":3,"c":{"x":1,"y":2}}`, 201, `{"_id":"1","a":3,"c":{"x":1,"y":2}}`, nil},
		{"GET", path + "/1", "", 200, `{"_id":"1","a":3,"c":{"x":1,"y":2}}`, nil},
		{"PATCH", path + "/1", `{"b":null,"c":{"z":3}}`, 200, `{"_id":"1","a":3,"b":null,"c":{"z":3}}`, nil},
		{"PUT", path + "/1?action=patch", `{"a":4}`, 200, `{"_id":"1","a":4,"b":null}`, nil},
		{"PUT", path + "/1?action=upsert", `{"c":{"x":1}}`, 201, `{"_id":"1","c":{"x":1}}`, nil},
		{"PUT", path + "/1?action=burn", `{}`, 422, `{"code":"invalid_request","errors":[{"location":"query.action","value":"burn"}]}`, nil},
		{"POST", path + "/1?action=patch", `{"e":1}`, 200, `{"_id":"1","c":{"x":1},"e":1}`, nil},
		{"POST", path + "/1?action=upsert", `{"c":{"x":1}}`, 201, `{"_id":"1","c":{"x":1}}`, nil},
		{"POST", path + "/1?action=burn", `{}`, 422, `{"code":"invalid_request","errors":[{"location":"query.action","value":"burn"}]}`, nil},
		{"POST", path + "/1?action=patch", `{}`, 415, `{"code":"unsupported_media_type"}`, mergePatch},
		{"PATCH", path + "/1", `{"c":{"y":2},"d":1}`, 200, `{"c":{"x":1,"y":2},"d":1}`, mergePatch},
		{"PUT", path + "/1", `{"d":null}`, 200, `{"c":{"x":1,"y":2}}`, mergePatch},
		{"PATCH", path + "/missing", `{}`, 404, `{"code":"document_not_found"}`, nil},
		{"PUT", path + "/missing?action=patch", `{}`, 404, `{"code":"document_not_found"}`, nil},
		{"POST", path + "/missing?action=patch", `{}`, 404, `{"code":"document_not_found"}`, nil},
		{"DELETE", path + "/1", "", 202, `{"_id":"1"}`, nil},
		{"DELETE", path + "/1", "", 404, `{"code":"document_not_found"}`, nil},

		{"POST", path, `{"a":1}`, 201, `{"_id":"*","a":1}`, nil},
		{"POST", path, `{"_id":"own","a":1}`, 201, `{"_id":"own"}`, nil},
		{"PUT", path + "/own", `{"_id":"own","a":2}`, 201, `{"_id":"own"}`, nil},
		{"PUT", path + "/own", `{"_id":"other"}`, 422, `{"errors":[{"location":"body._id"}]}`, nil},
		{"PUT", path + "/own", `{"_id":"other","boost":0,"_z":1}`, 422, `{"errors":[{"location":"body._id"},{"location":"body.boost"},{"location":"body._z"}]}`, nil},
		{"PATCH", path + "/own", `{"_id":"other","_z":1}`, 422, `{"errors":[{"location":"body._id"},{"location":"body._z"}]}`, nil},
		{"PUT", path + "/own", `{"_score":1,"_highlight":{},"autocomplete":["x"],"a":3}`, 201, `{"a":3}`, nil},
		{"PUT", path + "/own", `{"_secret":1}`, 422, `{"errors":[{"location":"body._secret"}]}`, nil},
		{"PUT", path + "/exact", exact, 201, stored, nil},
		{"GET", path + "/exact", "", 200, stored, nil},
		{"PUT", path + "/own", `{"boost":0}`, 422, `{"errors":[{"location":"body.boost"}]}`, nil},
		{"PUT", path + "/own", `{"boost":2.50}`, 201, `{"boost":2.50}`, nil},
		{"PUT", path + "/own", `{"price":"cheap"}`, 422, `{"code":"invalid_document","errors":[{"location":"body.price","value":"cheap"}]}`, nil},
		{"PUT", path + "/own", `{"a":"\u0000"}`, 422, `{"code":"invalid_document"}`, nil},
		{"PUT", path + "/own", `{"a":"\ud800"}`, 422, `{"code":"invalid_document"}`, nil},
		{"PUT", path + "/own", `{"a":1e999999}`, 422, `{"code":"invalid_document"}`, nil},
		{"PUT", path + "/own", strings.Repeat(`{"a":`, 201) + "1" + strings.Repeat("}", 201), 422, `{"code":"invalid_document"}`, nil},
		{"PUT", path + "/own", `[]`, 422, "", nil},
		{"PUT", path + "/own", `{"a":}`, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", path + "/own", ``, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", path + "/own", `a=1`, 415, `{"code":"unsupported_media_type"}`, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"PUT", path + "/%2E", `{}`, 422, "", nil},
		{"PUT", path + "/..", `{}`, 422, "", nil},
		{"PUT", path + "/a%00b", `{}`, 422, "", nil},
		{"PUT", path + "/" + strings.Repeat("a", 513), `{}`, 422, "", nil},
		{"PUT", path + "/" + strings.Repeat("%2F", 512), `{}`, 201, "", nil},
		{"PUT", path + "/a%2Fb%20%25%C3%BC+c", `{"a":1}`, 201, `{"_id":"a/b %ü+c"}`, nil},
		{"GET", path + "/a%2Fb%20%25%C3%BC%2Bc", "", 200, `{"_id":"a/b %ü+c","a":1}`, nil},
		{"DELETE", path + "/a%2Fb%20%25%C3%BC+c", "", 202, `{"_id":"a/b %ü+c"}`, nil},
	})
}

// A trigger of a DBA may refuse any write; the answer says so as the OpenAPI document does.
func TestDocumentsThatTriggersRefuse(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{{"POST", "/v1/index/films", "", 202, "", nil}, {"PUT", "/v1/index/films/document/1", "{}", 201, "", nil}})
	_, err := c.db.Pool.Exec(t.Context(), `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not on Sundays'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT OR UPDATE OR DELETE ON app_demo.films FOR EACH ROW EXECUTE FUNCTION public.refuse()`)
	if err != nil {
		t.Fatal(err)
	}
	const path = "/v1/index/films/document/1"
	for method, body := range map[string]string{"POST": `{"a":1}`, "PUT": `{"a":1}`, "PATCH": `{"a":1}`, "DELETE": ""} {
		c.run([]step{{method, path, body, 422, `{"code":"invalid_document"}`, nil}})
	}
	c.run([]step{{"PUT", "/v1/index/films/batch", `[{"action":"delete","_id":"1"}]`, 422, `{"code":"invalid_document"}`, nil}})
}

func TestBatches(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{MaxBatchBytes: 2 << 20})
	const path = "/v1/index/films/batch"
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"action":"delete","_id":"x"},`, 10_001), ",") + "]"
	c.run([]step{
		{"PUT", path, `[]`, 404, `{"code":"index_not_found"}`, nil},
		{"POST", "/v1/index/films", `{"mappings":[{"name":"price","type":"price"}]}`, 202, "", nil},
		{"PUT", path, `[]`, 200, `[]`, nil},
		{"POST", path, `[]`, 200, `[]`, nil},
		{"PUT", path, `[{"action":"Create","body":{"a":1}},{"action":"UPSERT","_id":"1","body":{"a":1}},{"action":"upsert","_id":"1","body":{"a":2}},` +
			`{"action":"update","_id":"1","body":{"b":3}},{"action":"patch","_id":"1","body":{"b":3}},{"action":"patch","_id":"2","body":{"a":1}},` +
			`{"action":"delete","_id":"2"},{"action":"delete","_id":"2"},{"action":"update","body":{}},{"action":"upsert","body":{}}]`, 200,
			`[{"_id":"*","result":"created"},{"_id":"1","result":"created"},{"_id":"1","result":"updated"},{"_id":"1","result":"updated"},{"_id":"1","result":"noop"},` +
				`{"_id":"2","result":"created"},{"_id":"2","result":"deleted"},{"_id":"2","result":"not_found"},{"_id":"*","result":"created"},{"_id":"*","result":"created"}]`, nil},
		{"POST", path, `[{"_id":"1"},{"_id":"2"},{"_id":"1"}]`, 200, `[{"_id":"1","a":2,"b":3},null,{"_id":"1"}]`, nil},
		{"PUT", path, `[{"action":"upsert","_id":"3","body":{}},{"action":"upsert","_id":"4","body":{"price":"cheap"}},{"action":"burn","_id":"5"}]`, 422,
			`{"errors":[{"location":"body[1].body.price"},{"location":"body[2].action"}]}`, nil},
		{"POST", path, `[{"_id":"3"}]`, 200, `[null]`, nil},
		{"PUT", path, `[{"action":"create","_id":"9","body":{}}]`, 422, `{"errors":[{"location":"body[0]._id"}]}`, nil},
		{"PUT", path, `[{"action":"delete"}]`, 422, "", nil},
		{"PUT", path, `[{"action":"upsert","_id":"9"}]`, 422, "", nil},
		{"PUT", path, `{}`, 422, "", nil},
		{"PUT", path, `null`, 422, "", nil},
		{"POST", path, `[1]`, 422, "", nil},
		{"POST", path, `[{}]`, 422, "", nil},
		{"PUT", path, `[{]`, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", path, ``, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", path, many, 413, `{"code":"too_large"}`, nil},
		{"PUT", path, "[" + strings.Repeat(" ", 2<<20) + "]", 413, `{"code":"too_large"}`, nil},
	})
}

func TestSearches(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	const path = "/v1/search/films"
	c.run([]step{
		{"POST", path, "", 404, `{"code":"search_not_found"}`, nil},
		{"POST", "/v1/index/films", `{"mappings":[{"name":"title","type":"name"},{"name":"genres","type":"tags"},{"name":"year","type":"int"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/batch", `[{"action":"upsert","_id":"b","body":{"title":"Blade Runner","genres":["scifi","noir"],"year":1982}},` +
			`{"action":"upsert","_id":"a","body":{"title":"Alien","genres":["scifi"],"year":1979}},{"action":"upsert","_id":"10","body":{"title":"Metropolis","genres":["Scifi"],"year":1927}}]`, 200, "", nil},
		{"POST", path, "", 200, `{"total":3,"ids":["10","a","b"],"page":1,"per_page":10,"query":"","index":"films","search":"films","facets":{},"facet_stats":{},"params":{"facets":[]},"autocomplete":[],"processing_time_ms":"*","sort":"*","total_all_words":"*"}`, nil},
		{"POST", path, `{"query":"blade"}`, 200, `{"total":1,"hits":{"b":{"_id":"b","_score":"*","_highlight":{"title":["<b>Blade</b> Runner"]},"title":"Blade Runner"}}}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films"},{"search":"a\u0000"}]}`, 404, `{"code":"search_not_found","errors":[{"location":"body.searches[1]"}]}`, nil},
		{"GET", path + "/autocomplete?q=100%", "", 422, `{"code":"invalid_request","errors":[{"location":"query"}]}`, nil},
		{"GET", "/v1/index?filter=%zz", "", 422, `{"code":"invalid_request"}`, nil},
		{"POST", path, `{"query":"zzzzzz"}`, 200, `{"total":0,"hits":{},"ids":[]}`, nil},
		{"POST", path, `{"sort":"-year","per_page":"2","page":"2"}`, 200, `{"total":3,"ids":["10"],"page":2,"per_page":2}`, nil},
		{"POST", path, `{"per_page":0}`, 200, `{"total":3,"ids":[],"per_page":0}`, nil},
		{"POST", path, `{"per_page":99999999999999999999}`, 200, `{"per_page":1000}`, nil},
		{"POST", path, `{"facets":"genres, year"}`, 200, `{"facets":{"genres":[{"value":"scifi","count":3},{"value":"noir","count":1}],"year":["*","*","*"]},"facet_stats":{"year":{"min":1927,"max":1982,"avg":"*","count":3}}}`, nil},
		{"POST", path, `{"filter":"year > 1980"}`, 200, `{"total":1,"filter":"year > 1980"}`, nil},
		{"POST", path, `{"filters":{"year":{"lt":1980}}}`, 200, `{"total":2,"filters":{"year":{"lt":1980}}}`, nil},
		{"POST", path, `{"filter":"year > 1980","filters":"year > 1981"}`, 422, "", nil},
		{"POST", path, `{"filter":"year >"}`, 422, `{"code":"invalid_filter","detail":"The filter cannot be used: column 7: expected a value after >, found the end of the filter.","errors":[{"location":"body.filter","message":"column 7: expected a value after >, found the end of the filter"}]}`, nil},
		{"POST", path, `{"filter":"year > red"}`, 422, `{"code":"invalid_filter","errors":[{"message":"column 8: expected a number for year, found \"red\""}]}`, nil},
		{"POST", path, `{"filter":{"year":{"gt":"red"}}}`, 422, `{"code":"invalid_filter","errors":[{"location":"body.filter.year.gt","message":"expected a number for year, found \"red\"","value":"red"}]}`, nil},
		{"POST", path, `{"filters":{"OR":[{"year":1982}]}}`, 422, `{"code":"invalid_filter","errors":[{"location":"body.filters.OR"}]}`, nil},
		{"POST", path, `{"sort":"year,,"}`, 422, `{"code":"invalid_sort","errors":[{"location":"body.sort","message":"column 6: expected a field name, _score or _id, found \",\""}]}`, nil},
		{"POST", path, "{\"facets\":\"`\"}", 422, `{"code":"invalid_facets"}`, nil},
		{"POST", path, `{"facets":"year *"}`, 422, `{"code":"invalid_facets","errors":[{"location":"body.facets","message":"* does not stand for all fields here: name each field to count","value":"*"}]}`, nil},
		{"POST", path, `{"facets":["year","","_x","\u0000"]}`, 422, `{"code":"invalid_facets","errors":[{"location":"body.facets[1]","message":"must be the name of a property","value":""},` +
			`{"location":"body.facets[2]","value":"_x"},{"location":"body.facets[3]"}]}`, nil},
		{"POST", path, `{"facets":["year","year"],"per_page":0}`, 200, `{"facets":{"year":["*","*","*"]},"params":{"facets":["year"]}}`, nil},
		{"POST", path, `{"page":0}`, 422, `{"code":"invalid_request","errors":[{"location":"body.page"}]}`, nil},
		{"POST", path, `{"per_page":-1}`, 422, `{"code":"invalid_request","errors":[{"location":"body.per_page"}]}`, nil},
		{"POST", path, `{"page":"x"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.page","value":"x"}]}`, nil},
		{"POST", path, `{"pages":1}`, 422, `{"code":"invalid_request","errors":[{"location":"body.pages"}]}`, nil},
		{"POST", path, `{"page":99999999999999999999}`, 422, `{"errors":[{"location":"body.page","value":99999999999999999999}]}`, nil},
		{"POST", path, `{"page":"0","per_page":-1}`, 422, `{"errors":[{"location":"body.page","value":"0"},{"location":"body.per_page","value":-1}]}`, nil},
		{"POST", path, `{"page":"0","per_page":"-1"}`, 422, `{"errors":[{"location":"body.page","value":"0"},{"location":"body.per_page","value":"-1"}]}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films"},{"search":"films","page":"00"}]}`, 422, `{"errors":[{"location":"body.searches[1].page","value":"00"}]}`, nil},
		{"PUT", "/v1/search/best", `{"index":"films","per_page":"-1"}`, 422, `{"errors":[{"location":"body.per_page","value":"-1"}]}`, nil},
		{"POST", path, `{"query":"\"unbalanced ( OR - \u0000 \ud800 😀"}`, 200, "", nil},
		{"POST", path, fmt.Sprintf(`{"query":%q}`, strings.Repeat("word ", 10_000)), 200, "", nil},
		{"POST", path, fmt.Sprintf(`{"query":%q}`, strings.Repeat("w", 1<<20)), 413, `{"code":"too_large"}`, nil},
		{"POST", path, `{"query":`, 400, `{"code":"invalid_json"}`, nil},
		{"GET", path + "/autocomplete?q=bla", "", 200, `{"query":"bla","autocomplete":"*"}`, nil},
		{"GET", path + "/autocomplete", "", 200, `{"query":"","autocomplete":"*"}`, nil},
		{"GET", path + "/autocomplete?q=%00%20%22(", "", 200, `{"autocomplete":[]}`, nil},
		{"GET", path + "/autocomplete?q=al%00", "", 200, `{"autocomplete":[]}`, nil},
		{"GET", "/v1/search/fi%00lms/autocomplete?q=a", "", 422, `{"code":"invalid_request","errors":[{"location":"path","value":"/v1/search/fi\u0000lms/autocomplete"}]}`, nil},
		{"GET", "/v1/search/nothing/autocomplete?q=a", "", 404, `{"code":"search_not_found"}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films","query":"alien"},{"search":"films","per_page":0}]}`, 200, `{"results":[{"ids":["a"]},{"total":3}]}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films"},{"search":"films","filter":"year >"}]}`, 422, `{"code":"invalid_filter","errors":[{"location":"body.searches[1].filter","message":"column 7: expected a value after >, found the end of the filter"}]}`, nil},
		{"POST", "/v1/search", `{"searches":[` + strings.Repeat(`{"search":"films"},`, 19) + `{"search":"films","per_page":1}]}`, 200, "", nil},
		{"POST", "/v1/search", `{"searches":[` + strings.Repeat(`{"search":"films"},`, 20) + `{"search":"films","per_page":1}]}`, 422, `{"errors":[{"location":"body.searches"}]}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"films"},{"search":"nothing"}]}`, 404, `{"code":"search_not_found"}`, nil},
	})
	// The keys of hits are in rank order, as ids are, and not sorted: a decoded object would not show that.
	got := c.do("POST", path, `{"sort":"-year"}`)
	b, a, ten := strings.Index(got.body, `"b":{"_id"`), strings.Index(got.body, `"a":{"_id"`), strings.Index(got.body, `"10":{"_id"`)
	if b < 0 || b > a || a > ten {
		t.Errorf("hits out of order: %s", got.body)
	}
}

func TestDefinedSearches(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"year","type":"int"}]}`, 202, "", nil},
		{"PUT", "/v1/index/films/document/1", `{"year":1982}`, 201, "", nil},
		{"PUT", "/v1/index/films/document/2", `{"year":1927}`, 201, "", nil},
		{"GET", "/v1/search", "", 200, `[]`, nil},
		{"PUT", "/v1/search/old", `{"index":"films","filter":"year < 1950","per_page":5}`, 201, `{"name":"old","index":"films","filter":"year < 1950","per_page":5}`, nil},
		{"PUT", "/v1/search/old", `{"index":"films","filter":{"year":{"lt":1950}},"facets":["year"]}`, 200, `{"name":"old"}`, nil},
		{"GET", "/v1/search/old", "", 200, `{"name":"old","index":"films","filter":{"year":{"lt":1950}},"facets":["year"]}`, nil},
		{"GET", "/v1/search", "", 200, `[{"name":"old"}]`, nil},
		{"POST", "/v1/search/old", "", 200, `{"total":1,"ids":["2"],"search":"old","index":"films","facets":{"year":[{"value":1927,"count":1}]}}`, nil},
		{"POST", "/v1/index/old", "", 409, `{"code":"name_taken","detail":"There is a search \"old\", and an index cannot have the name of a search. Choose another name."}`, nil},
		{"PUT", "/v1/search/early", `{"index":"later"}`, 201, `{"name":"early"}`, nil},
		{"POST", "/v1/search/early", "", 404, `{"code":"index_not_found"}`, nil},
		{"PUT", "/v1/search/later", `{"index":"films"}`, 409, `{"code":"name_taken"}`, nil},
		{"GET", "/v1/search/later", "", 404, `{"code":"search_not_found"}`, nil},
		{"GET", "/v1/search/films", "", 404, `{"detail":"There is no defined search \"films\". To search an index or a defined search, use POST."}`, nil},
		{"DELETE", "/v1/search/early", "", 202, `{"name":"early"}`, nil},
		{"PUT", "/v1/search/later", `{"index":"films"}`, 201, `{"name":"later"}`, nil},
		{"PUT", "/v1/search/later", `{"index":"films","fields":{"title":1000},"per_page":1000}`, 200, `{"name":"later"}`, nil},
		{"PUT", "/v1/search/later", `{"index":"films"}`, 200, `{"name":"later"}`, nil},
		{"DELETE", "/v1/search/later", "", 202, `{"name":"later"}`, nil},
		{"PUT", "/v1/search/over", `{"index":"old"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.index","value":"old"}]}`, nil},
		{"PUT", "/v1/search/over", `{"index":"over"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.index"}]}`, nil},
		{"PUT", "/v1/search/films", `{"index":"films"}`, 409, `{"code":"name_taken","detail":"There is an index \"films\", and a search cannot have the name of an index. Choose another name."}`, nil},
		{"PUT", "/v1/search/new", `{"index":"films","filter":"year <"}`, 422, `{"code":"invalid_filter"}`, nil},
		{"PUT", "/v1/search/new", `{"index":"films","sort":"year,,"}`, 422, `{"code":"invalid_sort"}`, nil},
		{"PUT", "/v1/search/new", "{\"index\":\"films\",\"facets\":\"`year\"}", 422, `{"code":"invalid_facets","errors":[{"location":"body.facets"}]}`, nil},
		{"POST", "/v1/index/plots", `{"mappings":[{"name":"plot","type":"long_text"}]}`, 202, "", nil},
		{"PUT", "/v1/search/new", `{"index":"plots","sort":"plot"}`, 422, `{"code":"invalid_sort","errors":[{"location":"body.sort"}]}`, nil},
		{"PUT", "/v1/search/new", `{"index":"plots","facets":["year","plot"]}`, 422, `{"code":"invalid_facets","errors":[{"location":"body.facets[1]","value":"plot"}]}`, nil},
		{"PUT", "/v1/search/new", `{"index":"films","fields":{"_e":1,"a":1001,"_d":1,"b":1001,"_c":1}}`, 422,
			`{"errors":[{"location":"body.fields._c","value":"_c"},{"value":"_d"},{"value":"_e"},{"location":"body.fields.a"},{"location":"body.fields.b"}]}`, nil},
		{"PUT", "/v1/search/_new", `{"index":"films"}`, 422, `{"code":"invalid_request"}`, nil},
		{"PUT", "/v1/search/new", ``, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", "/v1/search/new", `{"index":"films",}`, 400, `{"code":"invalid_json"}`, nil},
		{"DELETE", "/v1/index/films", "", 202, "", nil},
		{"POST", "/v1/search/old", "", 404, `{"code":"index_not_found"}`, nil},
		{"DELETE", "/v1/search/old", "", 202, `{"name":"old"}`, nil},
		{"DELETE", "/v1/search/old", "", 404, `{"code":"search_not_found"}`, nil},
		{"GET", "/v1/search/old", "", 404, `{"code":"search_not_found"}`, nil},
	})
}

// If a definition does not fit, because the index differs from the one that it was checked against, the request is not at fault.
func TestDefinitionsOfOtherMappings(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"PUT", "/v1/search/counted", `{"index":"later","facets":["plot"]}`, 201, "", nil},
		{"PUT", "/v1/search/sorted", `{"index":"later","sort":"plot"}`, 201, "", nil},
		{"PUT", "/v1/search/filtered", `{"index":"later","filter":{"plot":{"gt":"a"}}}`, 201, "", nil},
		{"POST", "/v1/index/later", `{"mappings":[{"name":"plot","type":"long_text"}]}`, 202, "", nil},
		{"POST", "/v1/search/counted", `{"query":"x"}`, 422, `{"code":"invalid_facets","detail":"The facets of the search \"counted\" cannot be counted. facets of the search: plot is a long text, which has no values to count; map it as text, sentence or keyword","errors":[{"location":"facets of the search","value":"plot"}]}`, nil},
		{"POST", "/v1/search/counted", `{"facets":["year","plot"]}`, 422, `{"code":"invalid_facets","errors":[{"location":"body.facets[1]","value":"plot"}]}`, nil},
		{"POST", "/v1/search/counted", `{"facets":"plot"}`, 422, `{"code":"invalid_facets","detail":"These facets cannot be counted. body.facets: plot is a long text, which has no values to count; map it as text, sentence or keyword","errors":[{"location":"body.facets","value":"plot"}]}`, nil},
		{"POST", "/v1/search/counted", `{"facets":""}`, 200, "", nil},
		{"POST", "/v1/search/sorted", `{}`, 422, `{"code":"invalid_sort","errors":[{"location":"sort of the search"}]}`, nil},
		{"POST", "/v1/search/sorted", `{"sort":"plot"}`, 422, `{"code":"invalid_sort","errors":[{"location":"body.sort"}]}`, nil},
		{"POST", "/v1/search/sorted", `{"sort":""}`, 200, "", nil},
		{"POST", "/v1/search/filtered", `{}`, 422, `{"code":"invalid_filter","errors":[{"location":"filter of the search","message":"filter.plot: plot is a long text, whose values cannot be compared: use plot EXISTS or plot IS NULL, search for its words, or map it as text"}]}`, nil},
		{"POST", "/v1/search", `{"searches":[{"search":"later"},{"search":"sorted"}]}`, 422, `{"code":"invalid_sort","errors":[{"location":"body.searches[1]: sort of the search"}]}`, nil},
	})
}

// If a filter that a search key may not read does not fit its index, the answer does not show it.
func TestFiltersOfOthersAreNotTold(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"POST", "/v1/index/films", `{"mappings":[{"name":"year","type":"int"}]}`, 202, "", nil},
		{"PUT", "/v1/search/filtered", `{"index":"later","filter":{"year":"hush"}}`, 201, "", nil},
		{"POST", "/v1/index/later", `{"mappings":[{"name":"year","type":"int"}]}`, 202, "", nil},
		{"POST", "/v1/search/filtered", `{}`, 422, `{"errors":[{"location":"filter of the search","message":"filter.year: expected a number for year, found \"hush\""}]}`, nil},
	})
	_, limited, err := c.svc.CreateKey(t.Context(), service.NewKey{Application: "demo", Type: service.SearchKey, Filter: "year = hush"})
	if err != nil {
		t.Fatal(err)
	}
	for key, path := range map[string]string{c.search: "/v1/search/filtered", limited: "/v1/search/films"} {
		c.admin = key
		place := map[bool]string{true: "filter of the key", false: "filter of the search"}[key == limited]
		c.run([]step{{"POST", path, `{}`, 422, `{"code":"invalid_filter","errors":[{"location":"` + place + `","message":"does not fit the index"}]}`, nil}})
		if got := c.do("POST", path, `{}`).body; strings.Contains(got, "hush") || strings.Contains(got, "year") {
			t.Errorf("a search key reads %s", got)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"POST", "/v1/keys", `{"type":"search","description":"shop","indices":["films"],"filter":"public = true","expires_at":"2090-01-01t00:00:00z"}`, 201,
			`{"id":"*","key":"*","type":"search","description":"shop","indices":["films"],"filter":"public = true","created_at":"*","expires_at":"2090-01-01T00:00:00Z","last_used_at":null}`, nil},
		{"POST", "/v1/keys", `{"type":"search"}`, 201, `{"indices":[],"filter":"","expires_at":null}`, nil},
		{"POST", "/v1/keys", `{"type":"search","indices":["films","*"]}`, 422, `{"code":"invalid_request",
			"detail":"The key does not fit. body.indices[1]: must have 1 to 60 characters of a-z A-Z 0-9 _ - and begin with a letter or digit; leave indices out to allow all of them"}`, nil},
		{"POST", "/v1/keys", `{"type":"root"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.type"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","expires_at":"tomorrow"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.expires_at"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","expires_at":"2020-01-01T00:00:00Z"}`, 422,
			`{"code":"invalid_request","errors":[{"location":"body.expires_at","message":"is in the past, so the key would never work: give a later time, or omit it for a key that never expires"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","expires_at":"9999-12-31T23:59:59-01:00"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.expires_at"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","expires_at":"0000-01-01T00:00:00+01:00"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.expires_at"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","filter":"public ="}`, 422, `{"code":"invalid_request","errors":[{"location":"body.filter"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","filter":"_score > 1"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.filter"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","indices":null}`, 422, `{"code":"invalid_request","errors":[{"location":"body.indices"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"admin","indices":["films"]}`, 422, `{"code":"invalid_request","errors":[{"location":"body.type","value":"admin"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"admin","filter":"public = true"}`, 422, `{"code":"invalid_request","errors":[{"location":"body.type","value":"admin"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","indices":["films","_bad"]}`, 422, `{"errors":[{"location":"body.indices[1]","value":"_bad"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","description":"a\u0000"}`, 422, `{"errors":[{"location":"body.description","message":"must be UTF-8 without the character U+0000"}]}`, nil},
		{"POST", "/v1/keys", `{"type":"search","kind":5}`, 422, `{"errors":[{"location":"body.kind","value":5}]}`, nil},
		{"POST", "/v1/keys", ``, 400, `{"code":"invalid_json"}`, nil},
		{"POST", "/v1/keys", `{"type":"search"`, 400, `{"code":"invalid_json"}`, nil},
		{"GET", "/v1/keys", "", 200, `["*","*",{"id":"*","type":"search","description":"shop","indices":["films"],"filter":"public = true","created_at":"*","expires_at":"2090-01-01T00:00:00Z","last_used_at":null},` +
			`{"type":"search","description":"","indices":[],"filter":"","expires_at":null}]`, nil},
		{"DELETE", "/v1/keys/nothing", "", 404, `{"code":"key_not_found"}`, nil},
		{"POST", "/v1/keys/nothing/reset", "", 404, `{"code":"key_not_found"}`, nil},
	})
	if got := c.do("GET", "/v1/keys", ""); strings.Contains(got.body, `"key":`) || strings.Contains(got.body, c.admin) {
		t.Errorf("the list shows keys: %s", got.body)
	}
	keys, err := c.svc.Keys(t.Context(), c.application)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Type == "admin" {
			c.run([]step{{"DELETE", "/v1/keys/" + k.ID, "", 409, `{"code":"last_admin_key"}`, nil}})
			c.run([]step{{"POST", "/v1/keys/" + k.ID + "/reset", "", 200, `{"id":"` + k.ID + `","key":"*"}`, nil}})
			c.run([]step{{"GET", "/v1/index", "", 401, `{"code":"unauthorized"}`, nil}})
		}
	}
}

func TestAnExpiredKeyIsNoOtherAdminKey(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	keys, err := c.svc.Keys(t.Context(), c.application)
	if err != nil {
		t.Fatal(err)
	}
	expired, _, err := c.svc.CreateKey(t.Context(), service.NewKey{Application: c.application, Type: service.AdminKey})
	if err != nil {
		t.Fatal(err)
	}
	c.expire(expired.ID)
	c.run([]step{{"POST", "/v1/keys/" + expired.ID + "/reset", "", 422, `{"code":"invalid_request","errors":[{"location":"path.id","value":"` + expired.ID + `"}]}`, nil}})
	for _, k := range keys {
		if k.Type == service.AdminKey {
			c.run([]step{
				{"DELETE", "/v1/keys/" + k.ID, "", 409, `{"code":"last_admin_key"}`, nil},
				{"POST", "/v1/keys", `{"type":"admin","expires_at":"2090-01-01T00:00:00Z"}`, 201, "", nil},
				{"DELETE", "/v1/keys/" + k.ID, "", 204, "", nil},
			})
		}
	}
}

func TestDeletedKeysStopWorking(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	k, secret, err := c.svc.CreateKey(t.Context(), service.NewKey{Application: c.application, Type: service.AdminKey})
	if err != nil {
		t.Fatal(err)
	}
	other := *c
	other.admin = secret
	other.run([]step{{"GET", "/v1/index", "", 200, `[]`, nil}})
	if got := c.do("DELETE", "/v1/keys/"+k.ID, ""); got.status != 204 || got.body != "" {
		t.Errorf("%d %q", got.status, got.body)
	}
	other.run([]step{{"GET", "/v1/index", "", 401, `{"code":"unauthorized"}`, nil}})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	c.run([]step{
		{"GET", "/v1/settings", "", 200, `{"per_page":10}`, nil},
		{"PUT", "/v1/settings", `{"per_page":3}`, 200, `{"per_page":3}`, nil},
		{"GET", "/v1/settings", "", 200, `{"per_page":3}`, nil},
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"POST", "/v1/search/films", "", 200, `{"per_page":3}`, nil},
		{"PUT", "/v1/settings", `{"per_page":-1}`, 422, `{"errors":[{"location":"body.per_page"}]}`, nil},
		{"PUT", "/v1/settings", `{"per_page":99999999999999999999}`, 422, `{"errors":[{"location":"body.per_page","value":99999999999999999999}]}`, nil},
		{"PUT", "/v1/settings", `{"per_page":"many"}`, 422, `{"errors":[{"location":"body.per_page"}]}`, nil},
		{"PUT", "/v1/settings", `{"per_page":3}}`, 400, `{"code":"invalid_json"}`, nil},
		{"PUT", "/v1/settings", `{}`, 422, `{"errors":[{"location":"body.per_page"}]}`, nil},
		{"PUT", "/v1/settings", `{"per_page":3,"language":"german"}`, 422, `{"errors":[{"location":"body.language"}]}`, nil},
	})
}

func TestApplicationsAreIsolated(t *testing.T) {
	t.Parallel()
	c := newAPI(t, handlers.Config{})
	other := *c
	other.application = "shop"
	other.admin, other.search = c.newApplication("shop")
	c.run([]step{
		{"POST", "/v1/index/films", "", 202, "", nil},
		{"PUT", "/v1/index/films/document/1", `{"a":1}`, 201, "", nil},
		{"PUT", "/v1/search/best", `{"index":"films"}`, 201, "", nil},
	})
	other.run([]step{
		{"GET", "/v1/index", "", 200, `[]`, nil},
		{"GET", "/v1/index/films", "", 404, `{"code":"index_not_found"}`, nil},
		{"GET", "/v1/index/films/document/1", "", 404, `{"code":"index_not_found"}`, nil},
		{"POST", "/v1/search/films", "", 404, `{"code":"search_not_found"}`, nil},
		{"POST", "/v1/search/best", "", 404, `{"code":"search_not_found"}`, nil},
		{"GET", "/v1/search", "", 200, `[]`, nil},
		{"POST", "/v1/index/films", "", 202, `{"name":"films"}`, nil},
	})
}
