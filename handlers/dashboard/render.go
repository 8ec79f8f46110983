package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
	"github.com/rowansearch/rowan/service/mapping"
)

//go:embed templates static
var files embed.FS

// view is the data of the layout; Data is that of the page inside.
type view struct {
	Title       string
	Section     string // of the navigation: overview, indices, searches, search, keys, settings, analytics
	Application string // "" if nobody has signed in
	FormToken   string
	Problem     *problem
	Unsent      bool // what was sent had no effect, and can be sent again
	Notice      string
	Analytics   bool
	Data        any
}

// templates returns the pages by name, each with the layout around it. They take 3 MB, so they are parsed only once a
// page is shown.
var templates = sync.OnceValue(parseTemplates)

func parseTemplates() map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/results.html"))
	pages := map[string]*template.Template{}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name != "layout" && name != "parts" {
			pages[name] = template.Must(template.Must(shared.Clone()).ParseFS(files, file))
		}
	}
	return pages
}

var functions = template.FuncMap{
	"asset":   assetPath,
	"bytes":   sizeText,
	"count":   countText[int64],
	"number":  numberText,
	"ms":      latencyText,
	"window":  windowText,
	"time":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"marked":  marked,
	"visible": visible,
	"json":    jsonText,
	"address": address,
	"plural":  plural,
	"place":   func(location string) string { return strings.TrimPrefix(location, "body.") },
	"size":    sizeOf,
	"at":      (*problem).at,
	"unsaid":  (*problem).unsaid,
	"matches": func() []string {
		return []string{string(service.MatchAuto), string(service.MatchAll), string(service.MatchAny)}
	},
	"meanings": func() []mappingRow {
		rows := make([]mappingRow, len(mapping.Types))
		for i, t := range mapping.Types {
			rows[i].Type = t
		}
		return rows
	},
	"form": func(token string) formHead { return formHead{formField, token} },
}

// formHead is the hidden field of every form.
type formHead struct{ Name, Token string }

// render answers with the named page.
func (v *visit) render(name, title, section string, data any) error {
	page := view{Title: title, Section: section, Application: v.app(), FormToken: v.csrf, Problem: v.problem, Unsent: v.unsent,
		Notice: notices[v.param("done")], Analytics: v.d.cfg.Analytics != nil, Data: data}
	if v.problem != nil {
		page.Notice = ""
	}
	return v.execute(name, "layout", page)
}

func (v *visit) execute(name, part string, data any) error {
	var buf bytes.Buffer
	if err := templates()[name].ExecuteTemplate(&buf, part, data); err != nil {
		if name == "error" {
			http.Error(v.w, "The page cannot be shown.", http.StatusInternalServerError)
			return nil
		}
		return fmt.Errorf("page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.problem != nil {
		v.w.WriteHeader(v.problem.Status)
	}
	_, _ = v.w.Write(buf.Bytes()) // the browser may have gone
	return nil
}

// assets are the static files, each with a fingerprint of its content.
var assets = readAssets()

type asset struct {
	content     []byte
	mediaType   string
	fingerprint string
}

func readAssets() map[string]asset {
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	found := map[string]asset{}
	entries, err := files.ReadDir("static")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		content, err := files.ReadFile("static/" + e.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		found[e.Name()] = asset{content, types[path.Ext(e.Name())], hex.EncodeToString(sum[:6])}
	}
	return found
}

// assetPath returns the address of a static file. It changes with the content, so that browsers may cache the file.
func assetPath(name string) string {
	return root + "/static/" + name + "?v=" + assets[name].fingerprint
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := assets[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.URL.Query().Get("v") == a.fingerprint {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", a.mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.content)))
	_, _ = w.Write(a.content) // the browser may have gone
}

// address returns an address below the root, made of path elements and, after "?", of pairs of names and
// values: address "indices" "films" "document" "?" "id" "a/b".
func address(parts ...string) string {
	var b strings.Builder
	b.WriteString(root)
	query := ""
	for i, p := range parts {
		if p == "?" {
			values := url.Values{}
			for j := i + 1; j+1 < len(parts); j += 2 {
				values.Set(parts[j], parts[j+1])
			}
			query = "?" + values.Encode()
			break
		}
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String() + query
}

// sizeText formats a number of bytes for people.
func sizeText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	x := float64(n) / 1024
	i := 0
	for x >= 1023.5 && i < len(units)-1 {
		x /= 1024
		i++
	}
	if x < 9.95 {
		return strconv.FormatFloat(x, 'f', 1, 64) + " " + units[i]
	}
	return strconv.FormatFloat(x, 'f', 0, 64) + " " + units[i]
}

// countText groups the digits of a number: 1,234,567.
func countText[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// numberText formats a number with up to four significant digits, large ones as whole numbers and not as 2.824e+04.
func numberText(x float64) string {
	if math.Abs(x) >= 9999.5 {
		return countText(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// plural formats a count with its noun: 1 document, 2 documents.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return countText(n) + " " + many
}

// windowText formats a duration to follow the words "the last".
func windowText(d time.Duration) string {
	minutes := int64(d / time.Minute)
	switch {
	case d < time.Minute:
		return plural(int64(d/time.Second), "second", "seconds")
	case d%time.Minute != 0:
		return d.String()
	case minutes == 1:
		return "minute"
	}
	return countText(minutes) + " minutes"
}

// sizeOf returns the length of a list, as plural takes it.
func sizeOf(list any) int64 { return int64(reflect.ValueOf(list).Len()) }

func latencyText(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 10000:
		return strconv.FormatFloat(math.Round(ms), 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
}

// marked turns a highlight into HTML. The <b> and </b> of the highlight become marks; everything else is text,
// whatever it looks like.
func marked(highlight string) template.HTML {
	var b strings.Builder
	open := false
	for highlight != "" {
		at := strings.Index(highlight, "<b>")
		tag := "<b>"
		if open {
			at, tag = strings.Index(highlight, "</b>"), "</b>"
		}
		text := highlight
		if at >= 0 {
			text = highlight[:at]
		}
		b.WriteString(html.EscapeString(html.UnescapeString(text)))
		if at < 0 {
			break
		}
		highlight = highlight[at+len(tag):]
		if open = !open; open {
			b.WriteString("<mark>")
		} else {
			b.WriteString("</mark>")
		}
	}
	if open {
		b.WriteString("</mark>")
	}
	return template.HTML(b.String()) //nolint:gosec // all text in it was escaped above
}

// plainValue decodes JSON, and keeps all digits of its numbers. It returns other values as they are.
func plainValue(value any) any {
	raw, ok := value.(json.RawMessage)
	if !ok {
		return value
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var plain any
	if dec.Decode(&plain) != nil {
		return string(raw)
	}
	return plain
}

// encoded returns a value as JSON. It is for values that always encode: strings, numbers, JSON that has been checked, and what consists of these.
func encoded(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}

// maxShown is how many characters of a value are repeated to the person who sent it.
const maxShown = 200

// jsonText formats a value for people: strings without quotes, everything else as JSON, up to maxShown characters.
func jsonText(value any) string {
	text, ok := plainValue(value).(string)
	if !ok {
		raw, err := document.Encode(value)
		if err != nil {
			raw = []byte(fmt.Sprint(value))
		}
		text = string(raw)
	}
	return shortened(visible(text), maxShown)
}

// visible returns a text that can be seen, and followed as a link: it quotes a text without visible characters.
func visible(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsPrint(r) && !unicode.IsSpace(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// shortened cuts a text to the given number of characters, the last of them an ellipsis.
func shortened(text string, characters int) string {
	n, end := 0, 0
	for i := range text {
		if n++; n == characters {
			end = i
		}
		if n > characters {
			return text[:end] + "…"
		}
	}
	return text
}
