package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

const (
	sessionCookie = "rowan_session"
	// signInCookie binds the sign-in form to a browser, which has no session yet.
	signInCookie = "rowan_sign_in"
	// signInLife is how long a sign-in form stays valid: sessions end overnight, in several tabs, and people return after a weekend.
	signInLife = 7 * 24 * time.Hour
	formField  = "form_token"
	// maxSignInBytes limits what somebody who has not signed in can send.
	maxSignInBytes = 16 << 10
)

// session sets v.who from the session cookie, and returns the token of the session.
func (d *dashboard) session(v *visit) (string, error) {
	cookie, err := v.r.Cookie(sessionCookie)
	if err != nil {
		return "", service.Errorf(service.CodeUnauthorized, "Sign in first.")
	}
	session, err := d.svc.CheckSession(v.ctx(), cookie.Value)
	if err != nil {
		return "", err
	}
	if !d.rightHost(v.r, session.Principal.Application) {
		return "", service.Errorf(service.CodeUnauthorized, "This host belongs to another application.")
	}
	v.who = session.Principal
	return cookie.Value, nil
}

// rightHost reports whether an application may be administered under the host of the request.
func (d *dashboard) rightHost(r *http.Request, application string) bool {
	if d.cfg.BaseDomain == "" {
		return true
	}
	owner, ok := handlers.HostApplication(r.Host, d.cfg.BaseDomain)
	return ok && owner == application
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration) {
	cookie := &http.Cookie{Name: name, Value: value, Path: root, HttpOnly: true, Secure: handlers.Scheme(r) == "https", SameSite: http.SameSiteStrictMode}
	if value == "" {
		cookie.MaxAge = -1
	} else {
		cookie.MaxAge = max(1, int(life.Seconds()))
	}
	http.SetCookie(w, cookie)
}

// formToken returns the token that every form of a session carries. Another site can make a browser send its
// cookie, but cannot know this token.
func formToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("rowan dashboard form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// otherSites recognizes requests that another site made a browser send, by Sec-Fetch-Site or Origin.
var otherSites = http.NewCrossOriginProtection()

// checkForm refuses a form that does not come from a page of ours with this token.
func checkForm(r *http.Request, token string) error {
	if otherSites.Check(r) != nil || !hmac.Equal([]byte(r.PostFormValue(formField)), []byte(formToken(token))) {
		return service.Errorf(service.CodeKeyNotAllowed, "The form does not belong to this session; nothing was changed. Load its page again and send it from there.")
	}
	return nil
}

// askToSignIn redirects to the sign-in page, which leads back. A script is told that the session has ended.
func (d *dashboard) askToSignIn(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Sec-Fetch-Dest") == "empty" {
		http.Error(w, "The session has ended. Sign in again.", http.StatusUnauthorized)
		return
	}
	target := root + "/sign-in"
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		target += "?ended=1"
	case r.URL.Path != root+"/":
		target += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

type signInForm struct {
	Application, Next string
	// Ended reports whether a form was sent after the session had ended.
	Ended bool
}

func (d *dashboard) showSignIn(w http.ResponseWriter, r *http.Request) {
	v := &visit{d: d, w: w, r: r}
	form := signInForm{Next: ourPath(v.param("next")), Ended: v.param("ended") != ""}
	v.unsent = form.Ended
	if d.cfg.BaseDomain != "" {
		form.Application, _ = handlers.HostApplication(r.Host, d.cfg.BaseDomain)
	}
	v.offerSignIn(form)
}

func (v *visit) offerSignIn(form signInForm) {
	var token string
	if cookie, err := v.r.Cookie(signInCookie); err == nil && len(cookie.Value) == base64.RawURLEncoding.EncodedLen(32) {
		token = cookie.Value // the same token, so that a form in another tab stays valid
	} else {
		random := make([]byte, 32)
		_, _ = rand.Read(random) // never fails: see crypto/rand
		token = base64.RawURLEncoding.EncodeToString(random)
	}
	setCookie(v.w, v.r, signInCookie, token, signInLife)
	v.csrf = formToken(token)
	if err := v.render("signin", "Sign in", "", form); err != nil {
		v.fail(err)
	}
}

func (d *dashboard) signIn(w http.ResponseWriter, r *http.Request) {
	v := &visit{d: d, w: w, r: r}
	if err := readForm(w, r, maxSignInBytes); err != nil {
		v.fail(err)
		return
	}
	form := signInForm{Application: strings.TrimSpace(v.field("application")), Next: ourPath(v.field("next"))}
	cookie, err := r.Cookie(signInCookie)
	if err == nil {
		err = checkForm(r, cookie.Value)
	} else {
		err = service.Errorf(service.CodeKeyNotAllowed, "The browser did not send the cookie of this form. Sign in again; if that fails, allow cookies for this site.")
	}
	if err != nil {
		v.problem = v.problemOf(err)
		v.offerSignIn(form)
		return
	}
	session, token, err := d.svc.SignIn(r.Context(), form.Application, strings.TrimSpace(v.field("key")), d.cfg.SessionLife)
	if err == nil && !d.rightHost(r, session.Principal.Application) {
		err = service.Errorf(service.CodeWrongApplication, "This host belongs to another application. Sign in at %s.",
			handlers.ApplicationURL(r, session.Principal.Application, d.cfg.BaseDomain)+root)
	}
	if err != nil {
		v.problem = v.problemOf(err)
		v.offerSignIn(form)
		return
	}
	setCookie(w, r, sessionCookie, token, session.Left) // the other cookie stays, for the sign-in forms in other tabs
	target := root + "/"
	if form.Next != "" {
		target = form.Next
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

func (d *dashboard) signOut(v *visit) error {
	setCookie(v.w, v.r, sessionCookie, "", 0)
	http.Redirect(v.w, v.r, root+"/sign-in", http.StatusSeeOther)
	return nil
}

// ourPath returns target if it is a page of the dashboard, otherwise "": signing in must not lead anywhere else.
func ourPath(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, root+"/") || strings.Contains(target, `\`) {
		return ""
	}
	return u.RequestURI()
}
