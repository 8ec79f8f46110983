package dashboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/rowansearch/rowan/service"
)

const (
	documentsPerPage = 20
	excerptLength    = 160 // characters
)

type documentRow struct {
	ID, Excerpt string
}

type documentsPage struct {
	indexPage
	Query string
	Rows  []documentRow
	Total int64
	Pages pages
}

func (d *dashboard) listDocuments(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	page := documentsPage{indexPage: indexPage{ix, "documents"}, Query: v.param("q")}
	title := "Documents of " + ix.Name
	number := v.pageNumber()
	page.Rows, page.Total, err = v.documentRows(ix.Name, page.Query, number, documentsPerPage)
	if err != nil {
		return v.again(err, "documents", title, "indices", page)
	}
	page.Pages = pagesOf(v, page.Total, documentsPerPage)
	if page.Pages.Page != number { // a page beyond the last one shows the last one
		if page.Rows, page.Total, err = v.documentRows(ix.Name, page.Query, page.Pages.Page, documentsPerPage); err != nil {
			return v.again(err, "documents", title, "indices", page)
		}
	}
	return v.render("documents", title, "indices", page)
}

// documentRows returns a page of the documents that a query finds, by id, and how many it finds. Documents too large to be read together are read one
// at a time: only their beginnings are shown.
func (v *visit) documentRows(index, query string, number, perPage int) (rows []documentRow, total int64, err error) {
	room := v.d.svc.BodyRoom(v.app()) // for these documents only, so that the next ones get it, too
	defer room.Release()
	sort := "_id"
	found, err := v.d.svc.Search(service.WithRoom(v.ctx(), room), v.who, index, service.SearchRequest{
		Query: query, Sort: &sort, PerPage: &perPage, Page: &number, Facets: service.FacetsInput{Names: []string{}}, Unrecorded: true})
	if service.ErrorCode(err) == service.CodeTooLarge && perPage > 1 {
		room.Release()
		for at := range perPage {
			var one []documentRow
			if one, total, err = v.documentRows(index, query, (number-1)*perPage+at+1, 1); err != nil {
				return nil, 0, err
			}
			rows = append(rows, one...)
		}
		return rows, total, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for _, h := range found.Hits {
		rows = append(rows, documentRow{h.ID, excerpt(h.Body)})
	}
	return rows, found.Total, nil
}

// excerpt returns the beginning of a document on one line, without the outer braces.
func excerpt(body json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil || compact.Len() < 2 {
		return ""
	}
	text := compact.String()[1 : compact.Len()-1]
	text = strings.ReplaceAll(text, `,"`, `, "`) // lets lines break there
	return shortened(text, excerptLength)
}

type documentPage struct {
	indexPage
	ID, Text string
	// Seen is a fingerprint of the document as it was loaded, so that nobody's change is overwritten unnoticed.
	Seen string
	// New reports whether the document is new, so that its id can still be chosen.
	New          bool
	Autocomplete []string
}

// maxPreview is how many characters of a document are shown where it cannot be edited: browsers take long for megabytes.
const maxPreview = 20_000

// indented returns a document as the editor shows it.
func indented(body json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, body, "", "  ") != nil {
		return string(body)
	}
	return out.String()
}

func fingerprint(body json.RawMessage) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func (d *dashboard) editDocument(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	id := v.param("id")
	doc, err := d.svc.GetDocument(v.ctx(), v.app(), ix.Name, id)
	if err != nil {
		return err
	}
	return v.render("document", "Document "+id, "indices", documentPage{indexPage: indexPage{ix, "documents"}, ID: id,
		Text: indented(doc.Body), Seen: fingerprint(doc.Body), Autocomplete: doc.Autocomplete})
}

func (d *dashboard) newDocument(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	return v.render("document", "Add a document", "indices", documentPage{indexPage: indexPage{ix, "documents"}, New: true, Text: outline(ix)})
}

// outline returns an object with the first few mapped properties, to be filled in.
func outline(ix *service.Index) string {
	const most = 8
	var b strings.Builder
	b.WriteString("{")
	n := 0
	for _, m := range ix.Mappings {
		if strings.Contains(m.Name, ".") || n == most {
			continue
		}
		if n++; n > 1 {
			b.WriteString(",")
		}
		b.WriteString("\n  " + string(encoded(m.Name)) + ": null")
	}
	b.WriteString("\n}")
	return b.String()
}

func (d *dashboard) saveDocument(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	page := documentPage{indexPage: indexPage{ix, "documents"}, ID: v.field("id"), Text: v.field("document"), Seen: v.field("seen"), New: v.field("new") != ""}
	title := "Document " + page.ID
	if page.New {
		title = "Add a document"
	}
	again := func(err error) error { return v.again(err, "document", title, "indices", page) }
	if int64(len(page.Text)) > d.cfg.MaxDocumentBytes {
		return again(service.Errorf(service.CodeTooLarge, "The document is larger than %s; nothing was stored.", sizeText(d.cfg.MaxDocumentBytes)))
	}
	if page.ID != "" {
		current, err := d.svc.GetDocument(v.ctx(), v.app(), ix.Name, page.ID)
		switch code := service.ErrorCode(err); {
		case err == nil && page.New:
			return again(service.Errorf(service.CodeInvalidDocument, "A document with this id already exists; nothing was stored. Choose another id, or open that document."))
		case err == nil && fingerprint(current.Body) != page.Seen:
			page.Seen = fingerprint(current.Body)
			return again(service.Errorf(service.CodeInvalidDocument, "The document was changed by somebody else in the meantime. Save again to replace it with this text, or reopen it to see what it is now."))
		case code == service.CodeDocumentNotFound && !page.New && page.Seen != "":
			page.Seen = ""
			return again(service.Errorf(service.CodeDocumentNotFound, "The document was deleted in the meantime. Save again to store it as a new one."))
		case err != nil && code != service.CodeDocumentNotFound:
			return again(err)
		}
	}
	stored, err := d.svc.UpsertDocument(v.ctx(), v.app(), ix.Name, page.ID, []byte(page.Text))
	if err != nil {
		return again(err)
	}
	return v.redirect("/indices/"+ix.Name+"/document", "document-saved", "id", stored.ID)
}

func (d *dashboard) confirmDeleteDocument(v *visit) error {
	ix, err := v.index()
	if err != nil {
		return err
	}
	doc, err := d.svc.GetDocument(v.ctx(), v.app(), ix.Name, v.param("id"))
	if err != nil {
		return err
	}
	return v.render("document_delete", "Delete document "+doc.ID, "indices", documentPage{indexPage: indexPage{ix, "documents"}, ID: doc.ID, Text: shortened(indented(doc.Body), maxPreview)})
}

func (d *dashboard) deleteDocument(v *visit) error {
	index := v.r.PathValue("index")
	if err := d.svc.DeleteDocument(v.ctx(), v.app(), index, v.field("id")); err != nil {
		return err
	}
	return v.redirect("/indices/"+index+"/documents", "document-deleted")
}
