package main_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// dashboardPage signs in to the dashboard and returns a page of it.
func (b *bench) dashboardPage(path string) (status int, body string) {
	b.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	read := func(resp *http.Response, err error) (int, string) {
		b.t.Helper()
		if err != nil {
			b.t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			b.t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	at := "http://" + b.address + "/dashboard"
	_, form := read(client.Get(at + "/sign-in"))
	token := formToken.FindStringSubmatch(form)
	if token == nil {
		b.t.Fatalf("no form to sign in:\n%s", form)
	}
	if status, page := read(client.PostForm(at+"/sign-in", url.Values{"form_token": {token[1]}, "application": {"shop"}, "key": {adminKey}})); status != http.StatusOK {
		b.t.Fatalf("signing in: %d\n%s", status, page)
	}
	return read(client.Get(at + path))
}

// Queries of the last seconds before a stop are in the report of the next server, unless recording is off.
func TestAnalyticsOutliveTheServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.serve("--sample")
	b.total("films", "Kurosawa's  SAMURAI")
	b.total("films", "xyzzy")
	if err := s.end(t, syscall.SIGTERM); err != nil {
		t.Fatalf("stopping: %v\n%s", err, s.log)
	}
	s = b.serve()
	status, page := b.dashboardPage("/analytics")
	_, nothing, _ := strings.Cut(page, "<h2>Nothing found</h2>")
	if status != http.StatusOK || !strings.Contains(page, ">kurosawa&#39;s samurai</a>") || strings.Contains(nothing, "samurai") || !strings.Contains(nothing, ">xyzzy</a>") {
		t.Errorf("%d\n%s", status, page)
	}
	if err := s.end(t, syscall.SIGTERM); err != nil {
		t.Fatalf("stopping: %v\n%s", err, s.log)
	}

	s = b.serve("--analytics-sample", "0")
	b.total("films", "a secret")
	if status, page := b.dashboardPage("/analytics"); status != http.StatusNotFound {
		t.Errorf("nothing is recorded, and the page is there: %d\n%s", status, page)
	}
	if err := s.end(t, syscall.SIGTERM); err != nil {
		t.Fatalf("stopping: %v\n%s", err, s.log)
	}
	b.serve()
	if _, page := b.dashboardPage("/analytics"); strings.Contains(page, "secret") || !strings.Contains(page, ">xyzzy</a>") {
		t.Errorf("after searches that were not to be recorded:\n%s", page)
	}
}

func TestAnalyticsSettings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, wrong := range []string{"--analytics-sample=1.1", "--analytics-sample=-1", "--analytics-sample=NaN", "--analytics-sample=much", "--analytics-retention=59m", "--analytics-retention=30"} {
		if status, _, errOut := b.rowan("serve", wrong); status == 0 || !strings.Contains(errOut, "analytics-") {
			t.Errorf("%s: exit status %d, %s", wrong, status, errOut)
		}
	}
}
