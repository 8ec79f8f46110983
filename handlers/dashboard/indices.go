package dashboard

import (
	"strconv"
	"strings"

	"github.com/rowansearch/rowan/service"
)

const indicesPerPage = 50

type indicesPage struct {
	Filter string
	Rows   []indexRow
	Total  int64
	Pages  pages
}

func (d *dashboard) listIndices(v *visit) error {
	page := indicesPage{Filter: strings.TrimSpace(v.param("filter"))}
	pattern := page.Filter
	if pattern != "" && !strings.ContainsAny(pattern, "*?") {
		pattern = "*" + pattern + "*" // people type part of a name
	}
	list, err := d.svc.Indices(v.ctx(), v.app(), pattern)
	if err != nil {
		return err
	}
	page.Total = int64(len(list))
	page.Pages = pagesOf(v, page.Total, indicesPerPage)
	from := min(len(list), (page.Pages.Page-1)*indicesPerPage)
	page.Rows, err = v.countAll(list[from:min(len(list), from+indicesPerPage)])
	if err != nil {
		return err
	}
	return v.render("indices", "Indices", "indices", page)
}

type newIndexPage struct {
	Name string
	Rows []mappingRow
}

func (d *dashboard) newIndex(v *visit) error {
	return v.render("index_new", "Create an index", "indices", newIndexPage{Rows: emptyRows(nil)})
}

func (d *dashboard) createIndex(v *visit) error {
	rows := v.mappingRows(nil)
	name := strings.TrimSpace(v.field("index"))
	if err := d.svc.CreateIndex(v.ctx(), v.app(), name, mappingsOf(rows)); err != nil {
		return v.again(rowError(err, rows), "index_new", "Create an index", "indices", newIndexPage{Name: name, Rows: emptyRows(rows)})
	}
	return v.redirect("/indices/"+name, "index-created")
}

// indexPage is the data that every page of an index has.
type indexPage struct {
	Index *service.Index
	Tab   string // overview, mappings, documents, settings
}

// index returns the index that the address names.
func (v *visit) index() (*service.Index, error) {
	return v.d.svc.CurrentIndex(v.ctx(), v.app(), v.r.PathValue("index"))
}

// settledIndex returns the index that the address names once no change of it is under way. It is for changes that are checked
// against what their author saw: one that had to wait for another would undo that unseen.
func (v *visit) settledIndex() (*service.Index, error) {
	return v.d.svc.SettledIndex(v.ctx(), v.app(), v.r.PathValue("index"))
}

type indexOverview struct {
	indexPage
	Row      indexRow
	Mappings []mappingRow
}

func (d *dashboard) showIndex(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	rows, err := v.countAll([]*service.Index{ix})
	if err != nil {
		return err
	}
	return v.render("index", ix.Name, "indices", indexOverview{indexPage{ix, "overview"}, rows[0], rowsOf(ix.Mappings)})
}

// confirmation asks for the name of the index before something is lost.
type confirmation struct {
	indexPage
	Row    indexRow
	Action string // clear or delete
	Typed  string
}

func (d *dashboard) confirmClear(v *visit) error  { return v.askForName("clear", "") }
func (d *dashboard) confirmDelete(v *visit) error { return v.askForName("delete", "") }

func (v *visit) askForName(action, typed string) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	rows, err := v.countAll([]*service.Index{ix})
	if err != nil {
		return err
	}
	title := map[string]string{"clear": "Clear ", "delete": "Delete "}[action] + ix.Name
	return v.render("index_confirm", title, "indices", confirmation{indexPage{Index: ix}, rows[0], action, typed})
}

// nameTyped reports whether the name was typed as asked. If not, it shows the page again.
func (v *visit) nameTyped(action string) (bool, error) {
	typed := strings.TrimSpace(v.field("typed"))
	if typed == v.r.PathValue("index") {
		return true, nil
	}
	v.problem = v.problemOf(service.Errorf(service.CodeInvalidRequest, "That is not the name of the index; nothing was changed."))
	return false, v.askForName(action, typed)
}

func (d *dashboard) clearIndex(v *visit) error {
	if ok, err := v.nameTyped("clear"); !ok {
		return err
	}
	name := v.r.PathValue("index")
	if err := d.svc.ClearIndex(v.ctx(), v.app(), name); err != nil {
		return err
	}
	return v.redirect("/indices/"+name, "index-cleared")
}

func (d *dashboard) deleteIndex(v *visit) error {
	if ok, err := v.nameTyped("delete"); !ok {
		return err
	}
	if err := d.svc.DeleteIndex(v.ctx(), v.app(), v.r.PathValue("index")); err != nil {
		return err
	}
	return v.redirect("/indices", "index-deleted")
}

// pages are the links through a long list.
type pages struct {
	Page, Last int
	// Previous and Next are addresses, "" if there is no such page.
	Previous, Next string
}

// lastPage limits what the address may ask for: far beyond the last page of any list, and not too large for a search.
const lastPage = 1 << 30

// pageNumber returns the page that the address asks for, from 1; the list may have fewer.
func (v *visit) pageNumber() int {
	page, err := strconv.Atoi(v.param("page"))
	if err != nil {
		return 1
	}
	return min(max(page, 1), lastPage)
}

// pagesOf takes the page number from the address, and limits it to the pages of the list.
func pagesOf(v *visit, total int64, perPage int) pages {
	last := max(1, int((total+int64(perPage)-1)/int64(perPage)))
	p := pages{Page: min(v.pageNumber(), last), Last: last}
	to := func(page int) string {
		query := v.r.URL.Query()
		query.Del("done")
		query.Set("page", strconv.Itoa(page))
		return v.r.URL.EscapedPath() + "?" + query.Encode()
	}
	if p.Page > 1 {
		p.Previous = to(p.Page - 1)
	}
	if p.Page < last {
		p.Next = to(p.Page + 1)
	}
	return p
}
