package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
)

// documentOrNull is an entry of a batch read: a document, or null if there is none.
type documentOrNull struct{ *service.Document }

// MarshalJSON writes the document or null.
func (d documentOrNull) MarshalJSON() ([]byte, error) {
	if d.Document == nil {
		return []byte("null"), nil
	}
	return d.Document.MarshalJSON()
}

// Schema describes a document that may be null.
func (documentOrNull) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{refTo("Document"), {Type: typeNull}}}
}

type (
	readBatchOutput  struct{ Body []documentOrNull }
	writeBatchOutput struct{ Body []service.ActionResult }
)

func (a *api) registerBatches() {
	const (
		tag  = "Batches"
		path = "/v1/index/{index}/batch"
	)
	register(a, operation{
		id: "readBatch", method: http.MethodPost, path: path, tag: tag,
		summary: "Get several documents", description: "One entry for each action, in order; null where there is no such document.",
		body: &bodySpec{
			limit: a.cfg.MaxBatchBytes, schema: atMost(document.MaxActions, listOf(refTo("BatchReadAction"), "Up to 10,000 documents to read.")),
			example: `[{"_id":"blade-runner"},{"_id":"missing"}]`,
		},
		example: `[` + documentExample + `,null]`,
		errors:  []service.Code{service.CodeIndexNotFound},
	}, a.readBatch)
	register(a, operation{
		id: "writeBatch", method: http.MethodPut, path: path, tag: tag,
		summary: "Change several documents", description: "All or nothing: one bad action fails the batch, and the error gives the location of each bad action. Actions apply in order.",
		body: &bodySpec{
			limit: a.cfg.MaxBatchBytes, schema: atMost(document.MaxActions, listOf(refTo("BatchWriteAction"), "Up to 10,000 changes.")),
			example: `[{"action":"upsert","_id":"blade-runner","body":` + documentBodyExample + `},{"action":"delete","_id":"old"}]`,
		},
		example: `[{"_id":"blade-runner","result":"created"},{"_id":"old","result":"not_found"}]`,
		errors:  []service.Code{service.CodeIndexNotFound, service.CodeInvalidDocument},
	}, a.writeBatch)
}

func (a *api) readBatch(ctx context.Context, in *indexPath) (*readBatchOutput, error) {
	found, err := a.svc.ReadBatch(ctx, application(ctx), in.Index, bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	out := make([]documentOrNull, len(found))
	for i, d := range found {
		out[i] = documentOrNull{d}
	}
	return &readBatchOutput{out}, nil
}

func (a *api) writeBatch(ctx context.Context, in *indexPath) (*writeBatchOutput, error) {
	results, err := a.svc.WriteBatch(ctx, application(ctx), in.Index, bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	return &writeBatchOutput{append([]service.ActionResult{}, results...)}, nil
}
