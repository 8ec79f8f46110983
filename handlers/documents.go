package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

type documentPath struct {
	Index string `path:"index" doc:"Name of the index." example:"films"`
	ID    string `path:"id" doc:"Identifier of the document, percent-encoded in the URL (/ as %2F)." example:"blade-runner"`
}

// actedPath is the path of a document to store, or to change if ?action=patch asks for it. It does not embed documentPath, because huma finds no
// parameters in embedded fields that are not exported.
type actedPath struct {
	Index  string      `path:"index" doc:"Name of the index." example:"films"`
	ID     string      `path:"id" doc:"Identifier of the document, percent-encoded in the URL (/ as %2F)." example:"blade-runner"`
	Action storeAction `query:"action" doc:"upsert (default) stores the document, patch changes its properties."`
}

type storeAction string

// Schema points at the enumeration.
func (storeAction) Schema(huma.Registry) *huma.Schema { return refTo("StoreAction") }

// storedDocument is a stored document, written as it was sent.
type storedDocument service.Document

// MarshalJSON writes the document as clients see it.
func (d storedDocument) MarshalJSON() ([]byte, error) { return service.Document(d).MarshalJSON() }

// Schema points at the schema of documents: objects with any properties.
func (storedDocument) Schema(huma.Registry) *huma.Schema { return refTo("Document") }

type documentOutput struct {
	Status int
	Body   storedDocument
}

type documentID struct {
	ID string `json:"_id" doc:"Identifier of the document." example:"blade-runner"`
}

type documentIDOutput struct{ Body documentID }

const (
	documentExample     = `{"_id":"blade-runner","title":"Blade Runner","year":1982,"genres":["science fiction","drama"]}`
	documentBodyExample = `{"title":"Blade Runner","year":1982,"genres":["science fiction","drama"]}`
	documentPattern     = "/v1/index/{index}/document/{id}"
)

func (a *api) registerDocuments() {
	const tag = "Documents"
	body := func(mergePatch bool) *bodySpec {
		return &bodySpec{
			limit: a.cfg.MaxDocumentBytes, mergePatch: mergePatch, schema: refTo("Document"), example: documentBodyExample,
			description: "The document's properties; every number keeps all of its digits.",
		}
	}
	writeErrors := []service.Code{service.CodeIndexNotFound, service.CodeInvalidDocument}
	patchErrors := append([]service.Code{service.CodeDocumentNotFound}, writeErrors...)
	register(a, operation{
		id: "createDocument", method: http.MethodPost, path: "/v1/index/{index}/document", tag: tag, status: http.StatusCreated,
		summary: "Store a document under its own or a new identifier", description: "Stored under the _id of the body, or under a generated one.",
		body: body(false), example: documentExample, errors: writeErrors,
	}, a.createDocument)
	register(a, operation{
		id: "getDocument", method: http.MethodGet, path: documentPattern, tag: tag,
		summary: "Get a document", example: documentExample,
		errors: []service.Code{service.CodeIndexNotFound, service.CodeDocumentNotFound},
	}, a.getDocument)
	register(a, operation{
		id: "upsertDocument", method: http.MethodPost, path: documentPattern, tag: tag, status: http.StatusCreated, also: http.StatusOK,
		summary: "Store a document",
		description: "Replaces the document with that identifier if it exists (201). " +
			"With ?action=patch it changes properties, as PATCH does (200).",
		body: body(false), example: documentExample, errors: patchErrors,
	}, a.upsertDocument)
	register(a, operation{
		id: "putDocument", method: http.MethodPut, path: documentPattern, tag: tag, status: http.StatusCreated, also: http.StatusOK,
		summary: "Store or change a document",
		description: "Stores the document, as POST does (201). With ?action=patch it changes properties, as PATCH does (200), " +
			"and likewise with Content-Type: application/merge-patch+json.",
		body: body(true), example: documentExample, errors: patchErrors,
	}, a.putDocument)
	register(a, operation{
		id: "patchDocument", method: http.MethodPatch, path: documentPattern, tag: tag,
		summary: "Change properties of a document",
		description: "The given top-level properties replace those of the document; the others are kept, and null stores null. " +
			"With Content-Type: application/merge-patch+json it follows RFC 7396: null removes, objects merge.",
		body: body(true), example: documentExample, errors: patchErrors,
	}, a.patchDocument)
	register(a, operation{
		id: "deleteDocument", method: http.MethodDelete, path: documentPattern, tag: tag, status: http.StatusAccepted,
		summary: "Delete a document", example: `{"_id":"blade-runner"}`,
		errors: patchErrors, // a trigger that is not Rowan's may refuse it
	}, a.deleteDocument)
}

func (a *api) createDocument(ctx context.Context, in *indexPath) (*documentOutput, error) {
	stored, err := a.svc.UpsertDocument(ctx, application(ctx), in.Index, "", bodyOf(ctx).data)
	return documentAnswer(http.StatusCreated, stored, err)
}

func (a *api) getDocument(ctx context.Context, in *documentPath) (*documentOutput, error) {
	stored, err := a.svc.GetDocument(ctx, application(ctx), in.Index, in.ID)
	return documentAnswer(http.StatusOK, stored, err)
}

// upsertDocument honours the action as PUT does, so that a request meant to change one property does not remove the others.
func (a *api) upsertDocument(ctx context.Context, in *actedPath) (*documentOutput, error) {
	if in.Action == "patch" {
		return a.patchDocument(ctx, &documentPath{Index: in.Index, ID: in.ID})
	}
	stored, err := a.svc.UpsertDocument(ctx, application(ctx), in.Index, in.ID, bodyOf(ctx).data)
	return documentAnswer(http.StatusCreated, stored, err)
}

func (a *api) putDocument(ctx context.Context, in *actedPath) (*documentOutput, error) {
	if bodyOf(ctx).mergePatch {
		return a.patchDocument(ctx, &documentPath{Index: in.Index, ID: in.ID})
	}
	return a.upsertDocument(ctx, in)
}

func (a *api) patchDocument(ctx context.Context, in *documentPath) (*documentOutput, error) {
	body := bodyOf(ctx)
	stored, err := a.svc.PatchDocument(ctx, application(ctx), in.Index, in.ID, body.data, body.mergePatch)
	return documentAnswer(http.StatusOK, stored, err)
}

func (a *api) deleteDocument(ctx context.Context, in *documentPath) (*documentIDOutput, error) {
	if err := a.svc.DeleteDocument(ctx, application(ctx), in.Index, in.ID); err != nil {
		return nil, err
	}
	return &documentIDOutput{documentID{in.ID}}, nil
}

func documentAnswer(status int, stored service.Document, err error) (*documentOutput, error) {
	if err != nil {
		return nil, err
	}
	return &documentOutput{Status: status, Body: storedDocument(stored)}, nil
}
