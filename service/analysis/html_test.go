package analysis_test

import (
	"strings"
	"testing"

	"github.com/rowansearch/rowan/service/analysis"
)

// TestAttributes has tags end where they do for a browser: not within the value of an attribute, and not behind the next one.
func TestAttributes(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		`<a href="/search?q=">ship</a> and <a href="next">sail</a>`:            "ship and sail",
		`<img src="data:image/gif;base64,R0lGOD==">ship<img src='x=' alt="y">`: "ship",
		`<b title='x='>ship</b>s <i title="y">sail</i>`:                        "ships sail",
		`<p title="a > b" class='c>'>ship</p>`:                                 "ship",
		`<a title = "a=b" href=/x?y= >ship`:                                    "ship",
		`<a title=="a>b">ship`:                                                 "ship",
		`<a href=x"y>ship <i title="z">sail`:                                   "ship sail",
		`<a title="19" Rackmounts" rel="y=">ship <i title="z">sail`:            "ship sail",
		`<a href=">ship</a> sail`:                                              "ship sail",
		`<a title='>ship</a> sail's`:                                           "ship sail's",
		`ship < 3, sail > 2`:                                                   "ship < 3, sail > 2",
		"<SCRIPT>1</Script ><EM>sh</eM>ip<P>sail <\u017f> <\u212a>":            "ship sail <\u017f> <\u212a>", // no letters of ASCII
	} {
		if got := strings.Join(strings.Fields(analysis.PlainHTML(html)), " "); got != want {
			t.Errorf("PlainHTML(%q) = %q, want %q", html, got, want)
		}
	}
}
