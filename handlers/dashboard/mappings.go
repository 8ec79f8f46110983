package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

// spareRows is how many empty rows the editor of mappings has, for browsers without JavaScript.
const spareRows = 3

// mappingRow is a row of the editor of mappings.
type mappingRow struct {
	mapping.Mapping
	Remove bool
}

// typeMeanings describe each type in a line.
var typeMeanings = map[mapping.Type]string{
	mapping.Name:                 "Words as written, typos tolerated; weighs most",
	mapping.Completion:           "As name, and suggested while typing",
	mapping.Identifier:           "Whole, without punctuation, and its parts",
	mapping.Sentence:             "Stemmed words; for titles and headings",
	mapping.Category:             "Stemmed words; levels divided by “ > ”",
	mapping.Tags:                 "Each tag whole, and its words",
	mapping.Keyword:              "The whole value only, in any case",
	mapping.CaseSensitiveKeyword: "The whole value only, exactly",
	mapping.Email:                "Address, its local part and its domain",
	mapping.Address:              "Words and numbers, not stemmed",
	mapping.Path:                 "Whole and each segment; folders contain what is below",
	mapping.Text:                 "Stemmed words",
	mapping.SearchableNumber:     "A number whose digits are searched",
	mapping.LongText:             "Stemmed words; no filter by value, no sorting",
	mapping.HTML:                 "As long_text, without the markup",
	mapping.Int:                  "Whole number of 32 bits; not searched",
	mapping.Long:                 "Whole number of 64 bits; not searched",
	mapping.Float:                "Number; not searched",
	mapping.Price:                "Exact decimal; not searched",
	mapping.Bool:                 "true or false; not searched",
	mapping.Date:                 "Date or instant; not searched",
}

// Meaning describes the row's type.
func (r mappingRow) Meaning() string { return typeMeanings[r.Type] }

// Types returns the types that the row can choose from.
func (r mappingRow) Types() []mapping.Type { return mapping.Types }

func rowsOf(list []mapping.Mapping) []mappingRow {
	rows := make([]mappingRow, len(list))
	for i, m := range list {
		rows[i] = mappingRow{Mapping: m}
	}
	return rows
}

// emptyRows appends the spare rows to rows.
func emptyRows(rows []mappingRow) []mappingRow {
	for range spareRows {
		rows = append(rows, mappingRow{Mapping: mapping.Mapping{Type: mapping.Text}})
	}
	return rows
}

// mappingRows reads the rows of the form and leaves out those without a name. Spaces around a typed name are removed,
// unless the index has a mapping of exactly that name: without them it would be another one.
func (v *visit) mappingRows(old []mapping.Mapping) []mappingRow {
	names, types, removed := v.r.PostForm["name"], v.r.PostForm["type"], v.r.PostForm["remove"]
	rows := []mappingRow{}
	for i, name := range names {
		if !slices.ContainsFunc(old, func(m mapping.Mapping) bool { return m.Name == name }) {
			name = strings.TrimSpace(name)
		}
		if name == "" || i >= len(types) {
			continue
		}
		rows = append(rows, mappingRow{mapping.Mapping{Name: name, Type: mapping.Type(types[i])}, slices.Contains(removed, strconv.Itoa(i))})
	}
	return rows
}

// mappingsOf returns the mappings of the rows that stay. It never returns nil, which would mean no change.
func mappingsOf(rows []mappingRow) []mapping.Mapping {
	list := []mapping.Mapping{}
	for _, r := range rows {
		if !r.Remove {
			list = append(list, r.Mapping)
		}
	}
	return list
}

// rowError replaces the locations of mappings in an error by the names typed in the rows of the form.
func rowError(err error, rows []mappingRow) error {
	known, ok := errors.AsType[*service.Error](err)
	if !ok {
		return err
	}
	list := mappingsOf(rows)
	named := *known
	named.Fields = slices.Clone(known.Fields)
	for i, f := range named.Fields {
		var at int
		var part string
		if n, _ := fmt.Sscanf(f.Location, "body.mappings[%d].%s", &at, &part); n > 0 && at >= 0 && at < len(list) {
			named.Fields[i].Location = strings.TrimSpace("mapping of " + strconv.Quote(list[at].Name) + " " + part)
		}
	}
	return &named
}

type mappingsPage struct {
	indexPage
	Rows []mappingRow
}

func (d *dashboard) editMappings(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	return v.render("mappings", "Mappings of "+ix.Name, "indices", mappingsPage{indexPage{ix, "mappings"}, emptyRows(rowsOf(ix.Mappings))})
}

// mappingChange is a property whose type changes.
type mappingChange struct {
	Name     string
	From, To mapping.Type
}

// Meaning describes the new type.
func (c mappingChange) Meaning() string { return typeMeanings[c.To] }

// mappingEffect is how a list of mappings would change an index.
type mappingEffect struct {
	Added, Removed []mappingRow
	Changed        []mappingChange
	Kept           int64
}

func effectOf(old, next []mapping.Mapping) mappingEffect {
	var e mappingEffect
	types := map[string]mapping.Type{}
	for _, m := range old {
		types[m.Name] = m.Type
	}
	for _, m := range next {
		was, known := types[m.Name]
		switch {
		case !known:
			e.Added = append(e.Added, mappingRow{Mapping: m})
		case was != m.Type:
			e.Changed = append(e.Changed, mappingChange{m.Name, was, m.Type})
		default:
			e.Kept++
		}
		delete(types, m.Name)
	}
	for _, m := range old {
		if _, gone := types[m.Name]; gone {
			e.Removed = append(e.Removed, mappingRow{Mapping: m})
		}
	}
	return e
}

func (e mappingEffect) nothing() bool { return len(e.Added)+len(e.Removed)+len(e.Changed) == 0 }

type mappingsConfirmation struct {
	indexPage
	mappingEffect
	Row  indexRow
	Next []mapping.Mapping
}

// changeMappings handles the steps of a change: edit shows the editor, preview shows the effect, and apply makes the change.
func (d *dashboard) changeMappings(v *visit) error {
	step, read := v.field("step"), v.index
	if step == "apply" {
		read = v.settledIndex
	}
	ix, err := read()
	if err != nil {
		return err
	}
	rows := v.mappingRows(ix.Mappings)
	next := mappingsOf(rows)
	title := "Mappings of " + ix.Name
	edit := func(err error) error {
		page := mappingsPage{indexPage{ix, "mappings"}, emptyRows(slices.Clone(rows))}
		if err == nil {
			return v.render("mappings", title, "indices", page)
		}
		return v.again(rowError(err, rows), "mappings", title, "indices", page)
	}
	if step == "edit" {
		return edit(nil)
	}
	if err := service.CheckMappings(next); err != nil {
		return edit(err)
	}
	effect := effectOf(ix.Mappings, next)
	if effect.nothing() {
		return edit(service.Errorf(service.CodeInvalidRequest, "The index already has these mappings: nothing would change."))
	}
	if step == "apply" && v.field("version") == strconv.FormatInt(ix.Version, 10) {
		if _, err := d.svc.UpdateIndex(v.ctx(), v.app(), ix.Name, next, false); err != nil {
			return edit(err)
		}
		return v.redirect("/indices/"+ix.Name, "mappings-changed")
	}
	counted, err := v.countAll([]*service.Index{ix})
	if err != nil {
		return err
	}
	page := mappingsConfirmation{indexPage{ix, "mappings"}, effect, counted[0], next}
	if step == "apply" {
		return v.again(service.Errorf(service.CodeInvalidRequest, "The index was changed by somebody else in the meantime. Look at the effect again."),
			"mappings_confirm", title, "indices", page)
	}
	return v.render("mappings_confirm", title, "indices", page)
}
