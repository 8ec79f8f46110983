//go:build browser

package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
)

// A form that is sent after the session has ended is not lost: after signing in again, it can be sent again.
func TestBrowserUnsentForms(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	if _, err := b.svc.CreateApplication(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	_, othersKey, err := b.svc.CreateKey(t.Context(), service.NewKey{Application: "other", Type: service.AdminKey})
	if err != nil {
		t.Fatal(err)
	}
	c := b.open()
	c.signIn()
	// endSession makes the browser forget its session, as it does in time.
	endSession := func() {
		c.run(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, network.ClearBrowserCookies, cdp.Empty{})
			return err
		}))
	}
	signIn := func(application, key string) {
		t.Helper()
		c.run(set("#application", application), write("#key", key))
		c.submit("main form button", "/dashboard/")
	}
	offered := func() string {
		return evaluate[string](c, `document.querySelector("main > .problem strong")?.textContent ?? ""`)
	}
	const path = "/dashboard/indices/films/document"
	edit := func(title string) {
		t.Helper()
		c.visit(path + "?id=alien")
		c.run(set("#document", fmt.Sprintf("{\n  \"title\": %q,\n  \"description\": \"one\\ntwo\"\n}", title)))
	}
	stored := func() string {
		t.Helper()
		doc, err := b.svc.GetDocument(t.Context(), app, "films", "alien")
		if err != nil {
			t.Fatal(err)
		}
		var film struct{ Title, Description string }
		if err := json.Unmarshal(doc.Body, &film); err != nil {
			t.Fatal(err)
		}
		return film.Title + "/" + film.Description
	}

	edit("Aliens")
	endSession()
	c.submit("main form button", "/dashboard/sign-in")
	if got := c.text("main"); !strings.Contains(got, "kept in this tab") {
		t.Errorf("the page for signing in says %q", got)
	}
	c.look("sign-in-unsent")
	c.run(set("#application", app), write("#key", "a wrong key"))
	c.submit("main form button", "/dashboard/sign-in")
	c.quiet("a wrong key", "401")
	signIn(app, adminKey)
	if got := offered(); got != "Document alien" {
		t.Fatalf("what is offered is %q", got)
	}
	c.look("unsent")
	c.visit("/dashboard/keys") // it is kept until it is sent or discarded
	c.submit("main > .problem button[type=submit]", path)
	if got := c.text(".notice"); got != "The document was saved." || stored() != "Aliens/one\ntwo" || offered() != "" {
		t.Errorf("sent again: %q, %s, %q", got, stored(), offered())
	}
	c.visit("/dashboard/")
	if got := offered(); got != "" {
		t.Errorf("what was answered is offered again: %q", got)
	}

	// Somebody else's change is not overwritten unnoticed, and a session in another tab is another session.
	edit("Alien 3")
	c.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("main form:not(.who) [name=form_token]").value = "of-another-session"; undefined`))
	b.put("films", "alien", `{"title":"Alien: Covenant"}`)
	c.submit("main form button", path)
	c.quiet("the form of another session", fmt.Sprint(http.StatusForbidden))
	if got := offered(); got != "Document alien" {
		t.Fatalf("what is offered is %q", got)
	}
	c.submit("main > .problem button[type=submit]", path)
	c.quiet("a document that somebody has changed", fmt.Sprint(http.StatusUnprocessableEntity))
	if got := c.text(".problem"); !strings.Contains(got, "changed by somebody else") || stored() != "Alien: Covenant/" {
		t.Errorf("%q, %s", got, stored())
	}
	if got := evaluate[string](c, `document.querySelector("#document").value`); !strings.Contains(got, "Alien 3") {
		t.Errorf("the editor has %q", got)
	}

	// The form is not offered to another application, nor to anybody after it was discarded or its session was signed out.
	for name, leave := range map[string]func(){
		"another application": func() {
			signIn("other", othersKey)
			if got := offered(); got != "" {
				t.Errorf("another application is offered %q", got)
			}
		},
		"discarded": func() {
			signIn(app, adminKey)
			c.run(click("main > .problem button[type=button]"))
			c.until(`!document.querySelector("main > .problem")`)
		},
		"signed out": func() {
			signIn(app, adminKey)
			c.submit(".who button", "/dashboard/sign-in")
		},
	} {
		edit("Prometheus")
		endSession()
		c.submit("main form button", "/dashboard/sign-in")
		leave()
		if left := evaluate[int](c, `sessionStorage.length`); left != 0 {
			t.Errorf("%s: %d things are left in the tab", name, left)
		}
		endSession()
		c.signIn()
	}
}

// A form that the server had no room for can be sent again as well.
func TestBrowserFormWithoutRoom(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	_, others := b.full()
	c := b.open()
	c.signIn()
	const path = "/dashboard/indices/films/document"
	c.visit(path + "?id=alien")
	c.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#document").value = JSON.stringify({title: "Aliens", text: "x".repeat(200_000)}); undefined`))
	c.submit("main form button", path)
	c.quiet("no room", fmt.Sprint(http.StatusTooManyRequests))
	if got := c.text("main > .problem strong"); got != "Document alien" {
		t.Fatalf("what is offered is %q", got)
	}
	c.look("no-room")
	others.Release()
	c.submit("main > .problem button[type=submit]", path)
	if doc, err := b.svc.GetDocument(t.Context(), app, "films", "alien"); err != nil || !strings.Contains(string(doc.Body), "Aliens") {
		t.Errorf("%.100s, %v", doc.Body, err)
	}
}
