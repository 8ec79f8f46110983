package dashboard

import (
	"net/url"
	"slices"

	"github.com/rowansearch/rowan/service"
)

// searchRow is a defined search in the list.
type searchRow struct {
	service.SearchDefinition
	// Gone reports whether the index that the search names is missing.
	Gone bool
}

// Expression returns the filter as the form shows it.
func (r searchRow) Expression() string { return filterText(r.Filter) }

func (d *dashboard) listSearches(v *visit) error {
	defs, err := d.svc.SearchDefinitions(v.ctx(), v.app())
	if err != nil {
		return err
	}
	indices, err := v.indexNames()
	if err != nil {
		return err
	}
	rows := make([]searchRow, len(defs))
	for i, def := range defs {
		rows[i] = searchRow{def, !slices.Contains(indices, def.Index)}
	}
	return v.render("searches", "Defined searches", "searches", rows)
}

func (v *visit) indexNames() ([]string, error) {
	list, err := v.d.svc.Indices(v.ctx(), v.app(), "")
	return namesOf(list), err
}

func namesOf(list []*service.Index) []string {
	names := make([]string, len(list))
	for i, ix := range list {
		names[i] = ix.Name
	}
	return names
}

// definitionPage is the form of a defined search, as it was filled in.
type definitionPage struct {
	definitionForm
	// Old is the name of the search being edited; empty for a new one.
	Old string
	// Seen is a fingerprint of the search as it was loaded, so that nobody's change is overwritten unnoticed.
	Seen string
	// Indices are the names that the form proposes.
	Indices []string
}

func (v *visit) showDefinition(page definitionPage, problem error) error {
	var err error
	if page.Indices, err = v.indexNames(); err != nil {
		return err
	}
	title := "Define a search"
	if page.Old != "" {
		title = "Search " + page.Old
	}
	if problem != nil {
		return v.again(problem, "definition", title, "searches", page)
	}
	return v.render("definition", title, "searches", page)
}

func (d *dashboard) newDefinition(v *visit) error {
	return v.showDefinition(definitionPage{definitionForm: definitionForm{Index: v.param("index"), Typos: true}}, nil)
}

func (d *dashboard) editDefinition(v *visit) error {
	def, err := d.svc.SearchDefinition(v.ctx(), v.app(), v.r.PathValue("search"))
	if err != nil {
		return err
	}
	return v.showDefinition(definitionPage{definitionForm: formOf(def), Old: def.Name, Seen: seenDefinition(def)}, nil)
}

// seenDefinition returns a fingerprint of a search.
func seenDefinition(def service.SearchDefinition) string { return fingerprint(encoded(def)) }

func (d *dashboard) createDefinition(v *visit) error {
	page := definitionPage{definitionForm: v.definitionForm()}
	def, err := page.definition()
	if err != nil {
		return v.showDefinition(page, err)
	}
	_, err = d.svc.SearchDefinition(v.ctx(), v.app(), def.Name)
	switch {
	case err == nil:
		return v.showDefinition(page, service.Errorf(service.CodeNameTaken, "A search %q already exists; nothing was stored. Choose another name, or edit that search.", def.Name).
			With(service.FieldError{Location: "body.name", Message: "is taken", Value: def.Name}))
	case service.ErrorCode(err) != service.CodeSearchNotFound:
		return err
	}
	return v.storeDefinition(page, def, "search-defined")
}

func (d *dashboard) saveDefinition(v *visit) error {
	name := v.r.PathValue("search")
	page := definitionPage{definitionForm: v.definitionForm(), Old: name, Seen: v.field("seen")}
	page.Name = name
	current, err := d.svc.SearchDefinition(v.ctx(), v.app(), name)
	if service.ErrorCode(err) == service.CodeSearchNotFound && page.Seen != "" {
		page.Old = "" // a new one
		return v.showDefinition(page, service.Errorf(service.CodeSearchNotFound, "The search was deleted in the meantime. Define it again to store it as a new one."))
	}
	if err != nil {
		return err
	}
	if seen := seenDefinition(current); seen != page.Seen {
		page.Seen = seen
		return v.showDefinition(page, service.Errorf(service.CodeInvalidRequest,
			"The search was changed by somebody else in the meantime. Save again to replace it with what is here, or reopen it to see what it is now."))
	}
	def, err := page.definition()
	if err != nil {
		return v.showDefinition(page, err)
	}
	if def.TypoTolerance == nil && current.TypoTolerance != nil && *current.TypoTolerance {
		def.TypoTolerance = current.TypoTolerance // keep the explicit default
	}
	return v.storeDefinition(page, def, "search-saved")
}

func (v *visit) storeDefinition(page definitionPage, def service.SearchDefinition, done string) error {
	if _, err := v.d.svc.PutSearch(v.ctx(), v.app(), def); err != nil {
		return v.showDefinition(page, page.atFields(err))
	}
	return v.redirect("/searches/"+url.PathEscape(def.Name), done)
}

func (d *dashboard) confirmDeleteDefinition(v *visit) error {
	def, err := d.svc.SearchDefinition(v.ctx(), v.app(), v.r.PathValue("search"))
	if err != nil {
		return err
	}
	return v.render("definition_delete", "Delete search "+def.Name, "searches", def)
}

func (d *dashboard) deleteDefinition(v *visit) error {
	if err := d.svc.DeleteSearch(v.ctx(), v.app(), v.r.PathValue("search")); err != nil {
		return err
	}
	return v.redirect("/searches", "search-deleted")
}
