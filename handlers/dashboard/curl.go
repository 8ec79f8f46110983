package dashboard

import (
	"strings"

	"github.com/rowansearch/rowan/handlers"
	"github.com/rowansearch/rowan/service/document"
)

// sentRequest is the body of the API request that searches like the form.
type sentRequest struct {
	Query       string   `json:"query"`
	Filter      string   `json:"filter,omitempty"`
	Facets      string   `json:"facets,omitempty"`
	Disjunctive []string `json:"disjunctive,omitempty"`
	Sort        string   `json:"sort,omitempty"`
	Match       string   `json:"match,omitempty"`
	Page        int      `json:"page,omitempty"`
	PerPage     int      `json:"per_page"`
	Explain     bool     `json:"explain,omitempty"`
}

// curl returns the command line for the search. The key is a shell variable in it: we do not know the key.
func (s sentRequest) curl(v *visit, name string) string {
	body, err := document.Encode(s)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return "curl " + shellQuote(handlers.Scheme(v.r)+"://"+v.r.Host+"/v1/search/"+name) + " \\\n" +
		"  -u " + v.app() + ":\"$ROWAN_KEY\" \\\n" +
		"  -H 'Content-Type: application/json' \\\n" +
		"  -d " + shellQuote(string(body))
}

// shellQuote quotes s as one word for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
