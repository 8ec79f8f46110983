package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range service.Codes {
		m, ok := meanings[code]
		if !ok || m.status < 400 || http.StatusText(m.status) == "" || m.title == "" {
			t.Errorf("%s: %+v", code, m)
		}
	}
	if len(meanings) != len(service.Codes) {
		t.Errorf("%d codes have a status, %d exist", len(meanings), len(service.Codes))
	}
	if got := ErrorStatus("no_such_code"); got != 500 {
		t.Errorf("an unknown code has status %d", got)
	}
}

// TestErrorPage compares docs/errors.md with the codes and their statuses: it has a heading for each code, in
// their order, and the status in the first line below it and in the table at the top.
func TestErrorPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Code   service.Code
		Status int
	}
	want := make([]entry, len(service.Codes))
	for i, code := range service.Codes {
		want[i] = entry{code, ErrorStatus(code)}
	}
	read := func(pattern string) []entry {
		var out []entry
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(page), -1) {
			status, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, entry{service.Code(m[1]), status})
		}
		return out
	}
	if diff := cmp.Diff(want, read(`(?m)^## ([a-z_]+)\n\n\*\*(\d+)\*\*`)); diff != "" {
		t.Errorf("sections (-code +page):\n%s", diff)
	}
	if diff := cmp.Diff(want, read(`(?m)^\| \[([a-z_]+)\]\(#[a-z_]+\) \| (\d+) \|`)); diff != "" {
		t.Errorf("table (-code +page):\n%s", diff)
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		err    error
		code   service.Code
		status int // if other than that of the code
		header http.Header
		hidden string
		logged bool // whether the cause is logged: never if the client caused it
	}{
		"known":                        {err: service.Errorf(service.CodeIndexNotFound, "x"), code: service.CodeIndexNotFound},
		"wrapped":                      {err: fmt.Errorf("while: %w", service.Errorf(service.CodeIndexExists, "x")), code: service.CodeIndexExists},
		"cause":                        {err: service.Errorf(service.CodeUnavailable, "x").Because(errors.New("hidden")), code: service.CodeUnavailable, hidden: "hidden", logged: true},
		"refused row":                  {err: service.Errorf(service.CodeInvalidDocument, "x").Because(errors.New("hidden")), code: service.CodeInvalidDocument, hidden: "hidden", logged: true},
		"wrong row":                    {err: service.Errorf(service.CodeInvalidDocument, "x"), code: service.CodeInvalidDocument},
		"name of others":               {err: service.Errorf(service.CodeNameTaken, "x").Because(errors.New("hidden")), code: service.CodeNameTaken, hidden: "hidden", logged: true},
		"name of a search":             {err: service.Errorf(service.CodeNameTaken, "x"), code: service.CodeNameTaken},
		"view of others":               {err: service.Errorf(service.CodeIndexInUse, "x").Because(errors.New("hidden")), code: service.CodeIndexInUse, hidden: "hidden", logged: true},
		"body":                         {err: service.Errorf(service.CodeInvalidJSON, "x").Because(errors.New("hidden")), code: service.CodeInvalidJSON, hidden: "hidden"},
		"plain":                        {err: errors.New("hidden SQL"), code: service.CodeInternal, hidden: "hidden", logged: true},
		"internal":                     {err: service.Errorf(service.CodeInternal, "hidden detail"), code: service.CodeInternal, hidden: "hidden", logged: true},
		"unknown code":                 {err: service.Errorf("brand_new", "hidden"), code: service.CodeInternal, hidden: "hidden", logged: true},
		"unauthorized":                 {err: service.Errorf(service.CodeUnauthorized, "x"), code: service.CodeUnauthorized, header: http.Header{"Www-Authenticate": {`Basic realm="rowan", charset="UTF-8"`}}},
		"wait":                         {err: &service.Error{Code: service.CodeTooManyRequests, RetryAfter: 2100 * time.Millisecond}, code: service.CodeTooManyRequests, header: http.Header{"Retry-After": {"3"}}},
		"client gone":                  {ctx: cancelled, err: context.Canceled, code: service.CodeUnavailable, status: 499},
		"gone early":                   {ctx: cancelled, err: service.Errorf(service.CodeUnavailable, "x").Because(context.Canceled), code: service.CodeUnavailable, status: 499},
		"failed while the client went": {ctx: cancelled, err: errors.New("hidden"), code: service.CodeInternal, hidden: "hidden", logged: true},
		"cancelled by ourselves":       {err: context.Canceled, code: service.CodeInternal, logged: true},
		"deadline":                     {err: context.DeadlineExceeded, code: service.CodeInternal, logged: true},
	} {
		ctx := test.ctx
		if ctx == nil {
			ctx = t.Context()
		}
		info := &requestInfo{id: "r1"}
		p := problem(context.WithValue(ctx, infoKey, info), test.err)
		if test.status == 0 {
			test.status = ErrorStatus(test.code)
		}
		if service.Code(p.Code) != test.code || p.Status != test.status || p.RequestID != "r1" {
			t.Errorf("%s: %+v", name, p)
		}
		header := p.GetHeaders()
		if test.header == nil {
			test.header = http.Header{}
		}
		if diff := cmp.Diff(test.header, header); diff != "" {
			t.Errorf("%s: headers %s", name, diff)
		}
		text, err := document.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"errors":[]`) || test.hidden != "" && strings.Contains(string(text), test.hidden) {
			t.Errorf("%s: %s", name, text)
		}
		if test.logged != (info.cause != nil) {
			t.Errorf("%s: logged %v", name, info.cause)
		}
	}
}

func TestProblemsStaySmall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 5000)
	quoted, _ := json.Marshal(long)
	e := service.Errorf(service.CodeInvalidDocument, "%s", long)
	for range 300 {
		e = e.With(service.FieldError{Location: long, Message: long, Value: long})
	}
	p := problem(t.Context(), e)
	if len(p.Errors) != 100 || utf8.RuneCountInString(p.Detail) != 1000 || utf8.RuneCountInString(p.Errors[0].Location) != 1000 {
		t.Errorf("%d errors, detail of %d characters", len(p.Errors), utf8.RuneCountInString(p.Detail))
	}
	for name, test := range map[string]struct {
		value any
		want  any
	}{
		"nil":              {nil, nil},
		"short string":     {"x", "x"},
		"200 characters":   {long[:400], long[:400]},
		"long string":      {long, long[:398] + "…"},
		"invalid UTF-8":    {"a\xffb", "a�b"},
		"long, no UTF-8":   {strings.Repeat("\xff", 900), "�"},
		"200 emoji":        {strings.Repeat("😀", 200), strings.Repeat("😀", 200)},
		"201 emoji":        {strings.Repeat("😀", 201), strings.Repeat("😀", 199) + "…"},
		"number":           {12, 12},
		"short JSON":       {json.RawMessage(`{"a":[1]}`), json.RawMessage(`{"a":[1]}`)},
		"long JSON":        {json.RawMessage(`[` + strings.Repeat("1,", 500) + `1]`), "[" + strings.Repeat("1,", 99) + "…"},
		"long JSON text":   {json.RawMessage(quoted), long[:398] + "…"},
		"cut JSON text":    {json.RawMessage(quoted[:1501]), long[:398] + "…"},
		"cut in an escape": {json.RawMessage(`"` + strings.Repeat("a", 400) + `\u00`), strings.Repeat("a", 199) + "…"},
		"half a pair":      {json.RawMessage(`"a\ud800b"`), "a\ufffdb"},
		"a pair":           {json.RawMessage(`"\uD83D\uDE00"`), "😀"},
		"a list of halves": {json.RawMessage(`["\udfff"]`), `["\udfff"]`},
		"not JSON at all":  {json.RawMessage(`{"a":`), `{"a":`},
		"short list":       {[]string{"a"}, []string{"a"}},
		"long list":        {[]string{strings.Repeat("a", 500)}, `["` + strings.Repeat("a", 197) + "…"},
		"not encodable":    {complex(1, 2), "(1+2i)"},
	} {
		if diff := cmp.Diff(test.want, cutValue(test.value)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestErrorsOfHuma(t *testing.T) {
	t.Parallel()
	p := huma.NewError(422, "validation failed", &huma.ErrorDetail{Location: "query.action", Message: "expected patch", Value: "burn"}, errors.New("x")).(*Problem)
	want := []ProblemError{{"query.action", "expected patch", "burn"}, {"", "x", nil}}
	if diff := cmp.Diff(want, p.Errors); diff != "" || p.Code != "invalid_request" || p.Detail != "query.action: expected patch (and 1 more)" {
		t.Errorf("%s %s %s", p.Code, p.Detail, diff)
	}
	if p := huma.NewError(500, "boom", errors.New("SELECT")).(*Problem); p.Code != "internal" || strings.Contains(p.Detail, "SELECT") || len(p.Errors) != 0 {
		t.Errorf("%+v", p)
	}
}

// The detail names the first fault, once.
func TestDetailNamesAFault(t *testing.T) {
	t.Parallel()
	faults := []service.FieldError{{Location: "body.a", Message: "is missing"}, {Location: "body.b", Message: "is unknown"}}
	for detail, want := range map[string]string{
		"The key does not fit.":     "The key does not fit. body.a: is missing (and 1 more)",
		"body.b: is unknown, and a": "body.b: is unknown, and a",
	} {
		if got := problem(t.Context(), service.Errorf(service.CodeInvalidRequest, "%s", detail).With(faults...)).Detail; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := problem(t.Context(), service.Errorf(service.CodeInvalidRequest, "No.")).Detail; got != "No." {
		t.Errorf("%q", got)
	}
}
