package dashboard_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers/dashboard"
	"github.com/rowansearch/rowan/service"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.browser()
	c.get("/dashboard/").wantRedirect(t, "/dashboard/sign-in")
	c.get("/dashboard/keys?x=1").wantRedirect(t, "/dashboard/sign-in?next=%2Fdashboard%2Fkeys%3Fx%3D1")
	c.get("/dashboard/sign-in").want(t, http.StatusOK, "<code>rowan key create --type admin</code>", `<main id="main" tabindex="-1">`)
	c.get("/dashboard/sign-in?ended=1").want(t, http.StatusOK, `<main id="main" tabindex="-1" data-unsent>`)

	a := c.signIn(app, adminKey)
	a.wantRedirect(t, "/dashboard/")
	var cookie string
	for _, line := range a.header.Values("Set-Cookie") {
		if strings.HasPrefix(line, "rowan_session=") {
			cookie = line
		}
	}
	for _, attribute := range []string{"HttpOnly", "SameSite=Strict", "Path=/dashboard", "Max-Age="} {
		if !strings.Contains(cookie, attribute) {
			t.Errorf("the cookie has no %s: %s", attribute, cookie)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie is Secure, and a browser would not send it over plain HTTP: %s", cookie)
	}
	if strings.Contains(cookie, adminKey) {
		t.Error("the key is readable in the cookie")
	}
	c.get("/dashboard/").want(t, http.StatusOK, "Overview", "No index yet")

	c.post("/dashboard/sign-out").wantRedirect(t, "/dashboard/sign-in")
	c.get("/dashboard/").wantRedirect(t, "/dashboard/sign-in")
}

func TestSignInRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	if _, _, err := b.svc.CreateKey(t.Context(), service.NewKey{Application: app, Type: service.SearchKey, Secret: "a-search-key-for-tests"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, application, key string
		status                 int
		text                   string
	}{
		{"wrong key", app, "another-key-altogether", http.StatusUnauthorized, "The application id or the key is wrong: check both, or have a new key created."},
		{"unknown application", "nobody", adminKey, http.StatusUnauthorized, "The application id or the key is wrong: check both, or have a new key created."},
		{"what is no application id", "\x00'; --", adminKey, http.StatusUnauthorized, "The application id or the key is wrong: check both, or have a new key created."},
		{"nothing", "", "", http.StatusUnauthorized, "The application id or the key is wrong: check both, or have a new key created."},
		{"a search key", app, "a-search-key-for-tests", http.StatusForbidden, "Sign in with an admin key."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := b.browser()
			a := c.signIn(test.application, test.key)
			a.want(t, test.status, test.text)
			if strings.Contains(a.body, adminKey) {
				t.Error("the page repeats the key")
			}
			c.get("/dashboard/").wantRedirect(t, "/dashboard/sign-in")
		})
	}
}

// A database that does not answer is no reason to sign in again.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	b.store.Close()
	time.Sleep(600 * time.Millisecond) // as long as keys may be remembered
	a := c.get("/dashboard/keys")
	if a.status < http.StatusInternalServerError || !strings.Contains(a.body, `role="alert"`) || strings.Contains(a.body, "closed pool") {
		t.Errorf("%d\n%s", a.status, a.body)
	}
}

func TestSecureCookieBehindTLS(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.browser()
	token := c.token("/dashboard/sign-in")
	c.header.Set("X-Forwarded-Proto", "https")
	a := c.do(http.MethodPost, "/dashboard/sign-in", url.Values{"form_token": {token}, "application": {app}, "key": {adminKey}})
	a.wantRedirect(t, "/dashboard/")
	for _, cookie := range a.header.Values("Set-Cookie") {
		if !strings.Contains(cookie, "; Secure") {
			t.Errorf("not Secure: %s", cookie)
		}
	}
}

func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	for next, want := range map[string]string{
		"/dashboard/keys?a=b":           "/dashboard/keys?a=b",
		"https://example.org/dashboard": "/dashboard/",
		"//example.org/dashboard/":      "/dashboard/",
		`/\example.org/dashboard/`:      "/dashboard/",
		"/v1/keys":                      "/dashboard/",
		"javascript:alert(1)":           "/dashboard/",
	} {
		c := b.browser()
		c.do(http.MethodPost, "/dashboard/sign-in", url.Values{
			"form_token": {c.token("/dashboard/sign-in")}, "application": {app}, "key": {adminKey}, "next": {next},
		}).wantRedirect(t, want)
	}
}

// A session is only in its cookie: any replica accepts it.
func TestSessionOnAnotherReplica(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	other := b.browser()
	other.base = b.serve(service.New(b.store, service.Config{}), dashboard.Config{})
	other.header.Set("Cookie", c.session().String())
	other.get("/dashboard/").want(t, http.StatusOK, "Overview")
	other.post("/dashboard/settings", "per_page", "7").wantRedirect(t, "/dashboard/settings?done=settings-saved")
}

func TestSessionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, b *bundle){
		"reset": func(t *testing.T, b *bundle) {
			if _, _, err := b.svc.ResetKey(t.Context(), app, b.keyID); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(t *testing.T, b *bundle) {
			if _, _, err := b.svc.CreateKey(t.Context(), service.NewKey{Application: app, Type: service.AdminKey}); err != nil {
				t.Fatal(err)
			}
			if err := b.svc.DeleteKey(t.Context(), app, b.keyID); err != nil {
				t.Fatal(err)
			}
		},
		"its application deleted": func(t *testing.T, b *bundle) {
			if err := b.svc.DeleteApplication(t.Context(), app); err != nil {
				t.Fatal(err)
			}
			time.Sleep(600 * time.Millisecond) // as long as keys may be remembered
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, dashboard.Config{})
			c := b.signedIn()
			c.get("/dashboard/keys").want(t, http.StatusOK)
			end(t, b)
			c.get("/dashboard/keys").wantRedirect(t, "/dashboard/sign-in?next=%2Fdashboard%2Fkeys")
			c.do(http.MethodPost, "/dashboard/settings", url.Values{"per_page": {"5"}}).wantRedirect(t, "/dashboard/sign-in?ended=1")
			// A script is told, not redirected.
			c.header.Set("Sec-Fetch-Dest", "empty")
			c.get("/dashboard/search/results").want(t, http.StatusUnauthorized)
		})
	}
}

// A session ends when its life is over, while one that began at the same time with a longer life goes on.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	const life = 2 * time.Second
	b := setup(t, dashboard.Config{SessionLife: life})
	session := "" // as it was set, since the browser forgets it
	for _, set := range b.browser().signIn(app, adminKey).header.Values("Set-Cookie") {
		if cookie, _, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "rowan_session=") {
			session = cookie
		}
	}
	if session == "" {
		t.Fatal("there is no session")
	}
	longer := b.browser()
	longer.base = b.serve(b.svc, dashboard.Config{})
	longer.signIn(app, adminKey).wantRedirect(t, "/dashboard/")
	time.Sleep(life)
	longer.get("/dashboard/keys").want(t, http.StatusOK)
	c := b.browser()
	c.header.Set("Cookie", session)
	c.get("/dashboard/keys").wantRedirect(t, "/dashboard/sign-in?next=%2Fdashboard%2Fkeys")
}

func TestForgedForms(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.signedIn()
	good := c.token("/dashboard/settings")
	other := b.signedIn().token("/dashboard/settings")
	paths := []string{
		"/dashboard/settings", "/dashboard/indices", "/dashboard/indices/films/mappings", "/dashboard/indices/films/settings",
		"/dashboard/indices/films/clear", "/dashboard/indices/films/delete", "/dashboard/indices/films/document",
		"/dashboard/indices/films/document/delete", "/dashboard/keys", "/dashboard/keys/" + b.keyID + "/reset",
		"/dashboard/keys/" + b.keyID + "/delete", "/dashboard/sign-out",
	}
	for _, path := range paths {
		form := url.Values{"per_page": {"5"}, "index": {"forged"}, "typed": {"films"}, "id": {"alien"}, "type": {"admin"}}
		c.do(http.MethodPost, path, form).want(t, http.StatusForbidden, "nothing was changed")
		form.Set("form_token", other)
		c.do(http.MethodPost, path, form).want(t, http.StatusForbidden, "nothing was changed", " data-unsent>")
		form.Set("form_token", good)
		c.header.Set("Sec-Fetch-Site", "cross-site")
		c.do(http.MethodPost, path, form).want(t, http.StatusForbidden, "nothing was changed")
		c.header.Del("Sec-Fetch-Site")
		c.header.Set("Origin", "https://example.org")
		c.do(http.MethodPost, path, form).want(t, http.StatusForbidden, "nothing was changed")
		c.header.Del("Origin")
	}
	keys, err := b.svc.Keys(t.Context(), app)
	if err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	if _, err := b.svc.GetDocument(t.Context(), app, "films", "alien"); err != nil {
		t.Error(err)
	}
	// The sign-in form is protected as well: nobody can be signed in to somebody else's application.
	fresh := b.browser()
	fresh.do(http.MethodPost, "/dashboard/sign-in", url.Values{"form_token": {good}, "application": {app}, "key": {adminKey}}).want(t, http.StatusForbidden)
}

func TestForgedSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	c := b.signedIn()
	token := c.session().Value
	forger := b.browser()
	for i := range len(token) {
		changed := []byte(token)
		if changed[i]++; token[i] == 'z' || token[i] == '9' || token[i] == 'Z' || token[i] == '-' || token[i] == '_' {
			changed[i] = 'A'
		}
		forger.header.Set("Cookie", "rowan_session="+string(changed))
		if a := forger.get("/dashboard/settings"); a.status != http.StatusSeeOther {
			t.Fatalf("character %d changed: %d", i, a.status)
		}
	}
	for _, wrong := range []string{"x", token[:len(token)/2], token + "A", strings.Repeat("A", 5000), "AQ"} {
		forger.header.Set("Cookie", "rowan_session="+wrong)
		if a := forger.get("/dashboard/settings"); a.status != http.StatusSeeOther {
			t.Fatalf("%.20s…: %d", wrong, a.status)
		}
	}
}

// Only somebody who knows the key can make a token: its hash, which the catalog has, is not enough.
func TestSessionFromTheHash(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	hash := sha256.Sum256([]byte(adminKey))
	token := func(key []byte) string {
		raw := []byte{1}
		raw = binary.BigEndian.AppendUint64(raw, uint64(time.Now().Add(time.Hour).Unix()))
		for _, id := range []string{app, b.keyID} {
			raw = append(append(raw, byte(len(id))), id...)
		}
		secret, err := hkdf.Key(sha256.New, hash[:], nil, "rowan session 1", 32)
		if err != nil {
			t.Fatal(err)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			t.Fatal(err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			t.Fatal(err)
		}
		nonce := make([]byte, aead.NonceSize())
		return base64.RawURLEncoding.EncodeToString(append(append(raw, nonce...), aead.Seal(nil, nonce, key, raw)...))
	}
	c := b.browser()
	c.header.Set("Cookie", "rowan_session="+token([]byte(adminKey)))
	c.get("/dashboard/settings").want(t, http.StatusOK) // so the token is made as the service makes it
	for _, key := range [][]byte{nil, []byte("a guess"), hash[:]} {
		c.header.Set("Cookie", "rowan_session="+token(key))
		c.get("/dashboard/settings").wantRedirect(t, "/dashboard/sign-in?next=%2Fdashboard%2Fsettings")
	}
}

func TestHostOfAnotherApplication(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{BaseDomain: "rowan.test"})
	c := b.browser()
	c.header.Set("Host", "other.rowan.test")
	c.get("/dashboard/sign-in").want(t, http.StatusOK, `value="other"`)
	c.signIn(app, adminKey).want(t, http.StatusForbidden, "Sign in at http://demo.rowan.test/dashboard.")
	c.header.Set("Host", "other.rowan.test:8080")
	c.signIn(app, adminKey).want(t, http.StatusForbidden, "Sign in at http://demo.rowan.test:8080/dashboard.")
	c.header.Set("Host", "demo-b.rowan.test")
	c.signIn(app, adminKey).wantRedirect(t, "/dashboard/")
}

// After a session has ended, people sign in again in each tab that was open.
func TestSignInFormsInSeveralTabs(t *testing.T) {
	t.Parallel()
	c := setup(t, dashboard.Config{}).browser()
	first, second := c.token("/dashboard/sign-in"), c.token("/dashboard/sign-in")
	for _, token := range []string{first, second} {
		c.do(http.MethodPost, "/dashboard/sign-in", url.Values{"form_token": {token}, "application": {app}, "key": {adminKey}}).wantRedirect(t, "/dashboard/")
	}
	for _, cookie := range c.do(http.MethodGet, "/dashboard/sign-in", nil).header.Values("Set-Cookie") {
		if !strings.Contains(cookie, "Max-Age=604800;") {
			t.Errorf("a form that is open over the weekend will not work: %s", cookie)
		}
	}
}
