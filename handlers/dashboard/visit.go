package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service"
)

// visit is a request of somebody who has signed in.
type visit struct {
	d    *dashboard
	w    http.ResponseWriter
	r    *http.Request
	who  service.Principal
	csrf string
	// problem is shown above the page.
	problem *problem
	// unsent reports whether a form had no effect for a reason that may not last: its token was that of no session or of another one, or the
	// server had no room. It can be sent again.
	unsent bool
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// app returns the application that the visitor has signed in to.
func (v *visit) app() string { return v.who.Application }

// field returns a field of the form that was sent, with its line ends as "\n".
func (v *visit) field(name string) string {
	return strings.ReplaceAll(v.r.PostFormValue(name), "\r\n", "\n")
}

// param returns a parameter of the address.
func (v *visit) param(name string) string { return v.r.URL.Query().Get(name) }

// problem is an error as people see it on a page.
type problem struct {
	Status    int
	Detail    string
	Fields    []service.FieldError
	RequestID string
}

// fieldFaults are the faults of one field of a form.
type fieldFaults struct {
	Field  string
	Faults []service.FieldError
}

// at returns the faults of a field, or nil if it has none.
func (p *problem) at(field string) *fieldFaults {
	if p == nil {
		return nil
	}
	found := fieldFaults{Field: field}
	for _, f := range p.Fields {
		place := strings.TrimPrefix(f.Location, "body.")
		if end := strings.IndexAny(place, ".[,"); end >= 0 {
			place = place[:end]
		}
		if place == field {
			found.Faults = append(found.Faults, f)
		}
	}
	if found.Faults == nil {
		return nil
	}
	return &found
}

// unsaid returns the faults that the detail does not mention. Of several faults with the same message, the detail mentions one.
func (p *problem) unsaid() []service.FieldError {
	said := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(p.Fields), func(f service.FieldError) bool {
		first := !said[f.Message]
		said[f.Message] = true
		return first && strings.Contains(p.Detail, f.Message)
	})
}

// page registers a page for people who have signed in. pattern is a method and a path below root.
func (d *dashboard) page(pattern string, show func(v *visit) error) {
	method, path, _ := strings.Cut(pattern, " ")
	d.mux.HandleFunc(method+" "+root+path, d.signedIn(show))
}

// signedIn shows a page to people who have signed in, and redirects all others to the sign-in page.
func (d *dashboard) signedIn(show func(v *visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{d: d, w: w, r: r}
		defer func() {
			if cause := recover(); cause != nil {
				if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic value itself
					panic(cause)
				}
				v.fail(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
			}
		}()
		token, err := d.session(v)
		switch {
		case service.ErrorCode(err) == service.CodeUnauthorized:
			d.askToSignIn(w, r)
			return
		case err != nil:
			v.fail(err)
			return
		}
		v.csrf = formToken(token)
		room := d.svc.BodyRoom(v.app())
		defer room.Release()
		v.r = r.WithContext(service.WithRoom(r.Context(), room))
		err = v.receive(token, room)
		if err == nil {
			err = checkText(v.r)
		}
		if err == nil {
			err = show(v)
		}
		if err != nil {
			v.fail(err)
		}
	}
}

// receive reads the form of a POST, and refuses it if it does not come from a page of this session.
func (v *visit) receive(token string, room *service.BodyRoom) error {
	if v.r.Method != http.MethodPost {
		return nil
	}
	limit := int64(maxFormBytes)
	if strings.HasSuffix(v.r.URL.Path, "/document") {
		// Percent-encoding turns one byte into up to three.
		limit = max(limit, 3*v.d.cfg.MaxDocumentBytes+maxFormBytes)
	}
	size := v.r.ContentLength
	if size < 0 {
		size = limit // browsers send the length of a form
	}
	if err := room.Grow(v.ctx(), min(size, limit)); err != nil {
		return err
	}
	if err := readForm(v.w, v.r, limit); err != nil {
		return err
	}
	err := checkForm(v.r, token)
	v.unsent = err != nil
	return err
}

// formTime is how long a form may take to arrive.
const formTime = time.Minute

func readForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	// The server has no deadline for bodies. If the connection cannot have one, in tests, none is needed.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(formTime))
	err := r.ParseForm()
	_ = connection.SetReadDeadline(time.Time{})
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return service.Errorf(service.CodeTooLarge, "The form is too large; nothing was changed. Use the API or rowan import instead.")
	}
	if err != nil {
		return service.Errorf(service.CodeInvalidRequest, "The form cannot be read; nothing was changed.")
	}
	return nil
}

// checkText refuses text that PostgreSQL does not accept, anywhere in a request: in a lookup it would cause an
// internal error, and in JSON it would be stored as different text.
func checkText(r *http.Request) error {
	if fault := textFault(r.URL.Path); fault != "" {
		return service.Errorf(service.CodeRouteNotFound, "There is no page here: the path %s. Use the links above.", fault)
	}
	if err := checkValues("The parameter %q %s.", r.URL.Query()); err != nil {
		return err
	}
	return checkValues("The field %q %s; nothing was changed.", r.PostForm)
}

// checkValues refuses values that have such text; message is a format for the name and the fault.
func checkValues(message string, values url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if fault := textFault(value); fault != "" {
				return service.Errorf(service.CodeInvalidRequest, message, name, fault)
			}
		}
	}
	return nil
}

// textFault describes what is wrong with a text; "" if nothing is.
func textFault(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsRune(text, 0):
		return "contains the character U+0000"
	}
	return ""
}

// problemOf turns an error into what people may see. The cause of an internal error goes to the log.
func (v *visit) problemOf(err error) *problem {
	id := handlers.RequestID(v.ctx())
	known, ok := errors.AsType[*service.Error](err)
	if !ok || known.Code == service.CodeInternal {
		if v.ctx().Err() == nil { // else the browser has gone
			v.d.cfg.Logger.LogAttrs(v.ctx(), slog.LevelError, "dashboard", slog.String("request_id", id),
				slog.String("path", v.r.Pattern), slog.String("error", err.Error()))
		}
		return &problem{Status: http.StatusInternalServerError, RequestID: id,
			Detail: "Something went wrong on our side. The server's log has the cause under the id of this request."}
	}
	return &problem{Status: handlers.ErrorStatus(known.Code), Detail: known.Detail, Fields: known.Fields, RequestID: id}
}

// fail shows an error on a page of its own.
func (v *visit) fail(err error) {
	v.problem = v.problemOf(err)
	// Only errors after which nothing was applied say when to try again.
	if e, ok := errors.AsType[*service.Error](err); ok && e.RetryAfter > 0 && v.r.Method == http.MethodPost {
		v.unsent = true
	}
	title := "The request failed"
	if v.problem.Status == http.StatusNotFound {
		title = "Not found"
	}
	_ = v.render("error", title, "", nil) // this page never fails: see execute
}

// again shows a page once more with an error above it, so that nothing that was filled in is lost.
func (v *visit) again(err error, name, title, section string, data any) error {
	v.problem = v.problemOf(err)
	return v.render(name, title, section, data)
}

// redirect redirects to a page below root once something has been done; done names the notice to show there.
func (v *visit) redirect(path, done string, params ...string) error {
	query := url.Values{}
	if done != "" {
		query.Set("done", done)
	}
	for i := 0; i+1 < len(params); i += 2 {
		query.Set(params[i], params[i+1])
	}
	target := root + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	http.Redirect(v.w, v.r, target, http.StatusSeeOther)
	return nil
}

// unrouted answers requests that no page takes: if there are pages for other methods, with 405 and without asking to sign in.
func (d *dashboard) unrouted() http.HandlerFunc {
	nowhere := d.signedIn(d.notFound)
	return func(w http.ResponseWriter, r *http.Request) {
		allowed := strings.Join(d.methods(r), ", ")
		if allowed == "" {
			nowhere(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		v := &visit{d: d, w: w, r: r}
		v.fail(service.Errorf(service.CodeMethodNotAllowed, "This path accepts %s and not %s.", allowed, shortened(r.Method, 20)))
	}
}

// methods returns the methods for which there is a page at the path of a request.
func (d *dashboard) methods(r *http.Request) []string {
	var found []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		_, pattern := d.mux.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL})
		if strings.Contains(pattern, " ") { // only unrouted is registered without a method
			found = append(found, method)
		}
	}
	return found
}

func (d *dashboard) notFound(v *visit) error {
	return service.Errorf(service.CodeRouteNotFound, "There is no page here. Use the links above.")
}

// notices are the messages about what has just been done. The address only names them, so that nobody can put
// words of their own on a page.
var notices = map[string]string{
	"index-created":    "The index was created.",
	"index-cleared":    "All documents were removed.",
	"index-deleted":    "The index was deleted.",
	"mappings-changed": "The mappings were changed.",
	"settings-saved":   "The settings were saved.",
	"document-saved":   "The document was saved.",
	"document-deleted": "The document was deleted.",
	"search-defined":   "The search was defined.",
	"search-saved":     "The search was saved.",
	"search-deleted":   "The search was deleted.",
	"key-deleted":      "The key was deleted.",
}
