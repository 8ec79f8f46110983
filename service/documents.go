package service

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/attribute"

	"github.com/rowansearch/rowan/service/document"
)

// versionKey is an index in one version of its mappings and settings.
type versionKey struct{ id, version int64 }

// maxSchemas bounds the indices whose prepared mappings are kept: 400 mappings, the most that an index has, take 50 KB and 50 microseconds.
const maxSchemas = 256

// schema returns the mappings of ix prepared for scanning, which it does once for each version.
func (s *Service) schema(ix *Index) *document.Schema {
	key := versionKey{ix.ID, ix.Version}
	if known, ok := s.schemas.Get(key); ok {
		return known
	}
	schema := document.NewSchema(ix.Mappings)
	s.schemas.Put(key, schema)
	return schema
}

func documentNotFound(id string) error {
	return Errorf(CodeDocumentNotFound, "There is no document %q.", id)
}

func checkID(id string) error {
	if err := document.CheckID(id); err != nil {
		return invalidName("id", id, err)
	}
	return nil
}

// GetDocument returns a document. Error codes: invalid_request, index_not_found, document_not_found.
func (s *Service) GetDocument(ctx context.Context, application, index, id string) (Document, error) {
	var doc Document
	err := s.withDocuments(ctx, application, index, func(ix *Index) error {
		if err := checkID(id); err != nil {
			return err
		}
		docs, err := s.store.GetDocuments(ctx, ix, []string{id})
		if err != nil {
			return err
		}
		d, ok := docs[id]
		if !ok {
			return documentNotFound(id)
		}
		doc = d
		return nil
	})
	return doc, err
}

// scan reads one document and settles its id.
func (s *Service) scan(ix *Index, id string, body []byte) (string, json.RawMessage, error) {
	scanned, err := document.Scan(body, s.schema(ix))
	if err != nil {
		return "", nil, scanError(err)
	}
	if id == "" && scanned.ID != nil {
		id = *scanned.ID
	}
	if err := problems(CodeInvalidDocument, "The document does not fit; nothing was stored.", faultsUnder(id, scanned)); err != nil {
		return "", nil, err
	}
	if id == "" {
		id = document.NewID()
	}
	return id, scanned.Body, nil
}

// faultsUnder returns the faults of a document that was sent under the id in the path.
func faultsUnder(id string, scanned document.Scanned) []document.Problem {
	if scanned.ID == nil || *scanned.ID == id {
		return scanned.Problems
	}
	other := document.Problem{Location: "body._id", Message: "must be the id in the path, or omitted", Value: *scanned.ID}
	return append([]document.Problem{other}, scanned.Problems...)
}

// UpsertDocument stores body, a JSON object, under id or, if id is empty, under the body's _id or a new one. Error
// codes: invalid_request, index_not_found, invalid_json, invalid_document.
func (s *Service) UpsertDocument(ctx context.Context, application, index, id string, body []byte) (Document, error) {
	var doc Document
	err := s.withDocuments(ctx, application, index, func(ix *Index) error {
		if id != "" {
			if err := checkID(id); err != nil {
				return err
			}
		}
		settled, scanned, err := s.scan(ix, id, body)
		if err != nil {
			return err
		}
		id = settled // a generated one stays the same if this runs again
		docs, err := s.store.Write(ctx, Write{Index: ix, Upsert: &Change{ID: id, Body: scanned}, Return: true})
		doc = docs[id]
		return unfitIn(nil, err)
	})
	return doc, err
}

// PatchDocument changes the given top-level properties or, with merge, follows RFC 7396. Error codes:
// invalid_request, index_not_found, document_not_found, invalid_json, invalid_document, too_large.
func (s *Service) PatchDocument(ctx context.Context, application, index, id string, body []byte, merge bool) (Document, error) {
	var doc Document
	err := s.withDocuments(ctx, application, index, func(ix *Index) error {
		if err := checkID(id); err != nil {
			return err
		}
		schema := s.schema(ix)
		if merge {
			// In a merge patch null removes a property, and objects merge: whether the document fits is known only afterwards.
			schema = nil
		}
		scanned, err := document.Scan(body, schema)
		if err != nil {
			return scanError(err)
		}
		if err := problems(CodeInvalidDocument, "The change does not fit; nothing was stored.", faultsUnder(id, scanned)); err != nil {
			return err
		}
		docs, err := s.store.Write(ctx, Write{Index: ix, IDs: []string{id}, Bodies: true, Return: true,
			Decide: func(current map[string]json.RawMessage) ([]Change, error) {
				old, ok := current[id]
				if !ok {
					return nil, documentNotFound(id)
				}
				return s.patched(ix, id, old, scanned.Body, merge)
			}})
		if err != nil {
			return unfitIn(nil, err)
		}
		d, written := docs[id]
		if !written {
			if docs, err = s.store.GetDocuments(ctx, ix, []string{id}); err != nil {
				return err
			}
			if d, written = docs[id]; !written {
				return documentNotFound(id)
			}
		}
		doc = d
		return nil
	})
	return doc, err
}

// patched returns the change that a patch makes to a document; none if it changes nothing.
func (s *Service) patched(ix *Index, id string, old, patch json.RawMessage, merge bool) ([]Change, error) {
	apply := document.Patch
	if merge {
		apply = document.Merge
	}
	body, changed := apply(old, patch)
	if !changed {
		return nil, nil
	}
	if s.outgrown(old, body) {
		return nil, s.tooLarge("The changed document %q", id).With(FieldError{Location: "body", Message: s.outgrownMessage(body)})
	}
	if merge {
		again, err := document.Scan(body, s.schema(ix))
		if err != nil {
			return nil, scanError(err)
		}
		if err := problems(CodeInvalidDocument, "The changed document does not fit; nothing was stored.", again.Problems); err != nil {
			return nil, err
		}
	}
	return []Change{{ID: id, Body: body}}, nil
}

// DeleteDocument removes a document. Error codes: invalid_request, index_not_found, document_not_found.
func (s *Service) DeleteDocument(ctx context.Context, application, index, id string) error {
	return s.withDocuments(ctx, application, index, func(ix *Index) error {
		if err := checkID(id); err != nil {
			return err
		}
		_, err := s.store.Write(ctx, Write{Index: ix, IDs: []string{id},
			Decide: func(current map[string]json.RawMessage) ([]Change, error) {
				if _, ok := current[id]; !ok {
					return nil, documentNotFound(id)
				}
				return []Change{{ID: id}}, nil
			}})
		return err
	})
}

// ReadBatch returns the documents that body, a JSON array of {"_id"}, names; an element is nil if there is no such
// document. Error codes: index_not_found, invalid_json, invalid_request, too_large.
func (s *Service) ReadBatch(ctx context.Context, application, index string, body []byte) ([]*Document, error) {
	var list []*Document
	err := s.withDocuments(ctx, application, index, func(ix *Index) error {
		ids, faults, err := document.ScanIDs(body)
		if err != nil {
			return scanError(err)
		}
		if err := problems(CodeInvalidRequest, "The batch does not fit.", faults); err != nil {
			return err
		}
		docs, err := s.store.GetDocuments(ctx, ix, ids)
		if err != nil {
			return err
		}
		list = make([]*Document, len(ids))
		met := make(map[string]bool, len(docs))
		for i, id := range ids {
			d, ok := docs[id]
			if !ok {
				continue
			}
			if met[id] { // it takes room in the answer again
				if err := Hold(ctx, d.Size()); err != nil {
					return err
				}
			}
			list[i], met[id] = &d, true
		}
		return nil
	})
	return list, err
}

// WriteBatch applies the actions of body, a JSON array, in order and in one transaction: all or none. Error
// codes: index_not_found, invalid_json, invalid_document, too_large.
func (s *Service) WriteBatch(ctx context.Context, application, index string, body []byte) (_ []ActionResult, err error) {
	var results []ActionResult
	ctx, span := s.span(ctx, "batch", application)
	defer func() {
		if span.IsRecording() {
			span.SetAttributes(attribute.String("rowan.index", index), attribute.Int("rowan.actions", len(results)))
		}
		endSpan(span, err)
	}()
	err = s.withDocuments(ctx, application, index, func(ix *Index) error {
		batch, err := document.ScanBatch(body, s.schema(ix))
		if err != nil {
			return scanError(err)
		}
		if err := problems(CodeInvalidDocument, "The batch does not fit; nothing was applied.", batch.Problems); err != nil {
			return err
		}
		if err := s.checkSizes(batch.Actions); err != nil {
			return err
		}
		_, err = s.store.Write(ctx, Write{Index: ix, IDs: document.IDs(batch.Actions), Bodies: document.NeedsBodies(batch.Actions),
			Decide: func(current map[string]json.RawMessage) ([]Change, error) {
				outcomes, changes := document.Fold(batch.Actions, func(id string) (json.RawMessage, bool) {
					b, ok := current[id]
					return b, ok
				})
				results = make([]ActionResult, len(outcomes))
				for i, o := range outcomes {
					results[i] = ActionResult(o)
				}
				return changes, s.checkGrowth(batch.Actions, current, changes)
			}})
		return unfitIn(batch.Actions, err)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}
