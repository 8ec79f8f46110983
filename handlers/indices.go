package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/mapping"
)

type indexPath struct {
	Index string `path:"index" doc:"Name of the index: 1 to 60 characters of a-z A-Z 0-9 _ -, not starting with _ or -." example:"films"`
}

type indexName struct {
	Name string `json:"name" doc:"Name of the index." example:"films"`
}

type indexSummary struct {
	Name     string            `json:"name" doc:"Name of the index." example:"films"`
	Mappings []mapping.Mapping `json:"mappings" doc:"Types of the documents' properties."`
}

// indexDetails is not called index because generators that write one file per schema would write it to index.ts, which lists all files.
type indexDetails struct {
	Name      string            `json:"name" doc:"Name of the index." example:"films"`
	Mappings  []mapping.Mapping `json:"mappings" doc:"Types of the documents' properties."`
	Documents int64             `json:"documents" doc:"Number of documents." example:"312"`
	SizeBytes int64             `json:"size_bytes" doc:"Size of the index on disk, in bytes." example:"1851392"`
	CreatedAt time.Time         `json:"created_at" doc:"When the index was created."`
	UpdatedAt time.Time         `json:"updated_at" doc:"When its mappings or settings last changed."`
}

type (
	indexNameOutput    struct{ Body indexName }
	indexSummaryOutput struct{ Body indexSummary }
	indexOutput        struct{ Body indexDetails }
	indexListOutput    struct{ Body []indexSummary }
)

const (
	mappingsExample = `{"mappings":[{"name":"title","type":"name"},{"name":"genres","type":"tags"},{"name":"year","type":"int"}]}`
	summaryExample  = `{"name":"films","mappings":[{"name":"title","type":"name"},{"name":"genres","type":"tags"},{"name":"year","type":"int"}]}`
	nameExample     = `{"name":"films"}`
)

func (a *api) registerIndices() {
	const tag = "Indices"
	mappings := func(optional bool) *bodySpec {
		return &bodySpec{limit: a.cfg.MaxSearchBytes, optional: optional, schema: refTo("IndexRequest"), example: mappingsExample}
	}
	register(a, operation{
		id: "listIndices", method: http.MethodGet, path: "/v1/index", tag: tag,
		summary: "List the indices", description: "Sorted by name.", example: "[" + summaryExample + "]",
	}, a.listIndices)
	register(a, operation{
		id: "createIndex", method: http.MethodPost, path: "/v1/index/{index}", tag: tag, status: http.StatusAccepted,
		summary: "Create an index", description: "Once it has answered, the index exists.", body: mappings(true), example: nameExample,
		errors: []service.Code{service.CodeIndexExists, service.CodeNameTaken, service.CodeInvalidMapping},
	}, a.createIndex)
	register(a, operation{
		id: "getIndex", method: http.MethodGet, path: "/v1/index/{index}", tag: tag,
		summary: "Get an index with its counts",
		example: `{"name":"films","mappings":[{"name":"title","type":"name"}],"documents":312,"size_bytes":1851392,"created_at":"2026-11-21T09:00:00Z","updated_at":"2026-11-21T09:00:00Z"}`,
		errors:  []service.Code{service.CodeIndexNotFound},
	}, a.getIndex)
	register(a, operation{
		id: "updateIndex", method: http.MethodPut, path: "/v1/index/{index}", tag: tag,
		summary:     "Replace the mappings of an index",
		description: "The given mappings replace the list; without mappings, nothing changes. Documents keep all their properties, and the index remains usable in the meantime.",
		body:        mappings(false), example: summaryExample,
		errors: []service.Code{service.CodeIndexNotFound, service.CodeMappingConflict, service.CodeIndexInUse, service.CodeInvalidMapping},
	}, a.updateIndex(false))
	register(a, operation{
		id: "patchIndex", method: http.MethodPatch, path: "/v1/index/{index}", tag: tag,
		summary:     "Add or change mappings of an index",
		description: "Only the given mappings are added or changed.",
		body:        mappings(false), example: summaryExample,
		errors: []service.Code{service.CodeIndexNotFound, service.CodeMappingConflict, service.CodeIndexInUse, service.CodeInvalidMapping},
	}, a.updateIndex(true))
	register(a, operation{
		id: "deleteIndex", method: http.MethodDelete, path: "/v1/index/{index}", tag: tag, status: http.StatusAccepted,
		summary: "Delete an index with its documents", example: nameExample,
		errors: []service.Code{service.CodeIndexNotFound, service.CodeIndexInUse},
	}, a.deleteIndex)
	register(a, operation{
		id: "clearIndex", method: http.MethodPost, path: "/v1/index/{index}/clear", tag: tag, status: http.StatusAccepted,
		summary: "Remove all documents of an index", description: "Mappings and settings are kept.", example: nameExample,
		errors: []service.Code{service.CodeIndexNotFound, service.CodeIndexInUse},
	}, a.clearIndex)
}

func (a *api) listIndices(ctx context.Context, in *struct {
	Filter string `query:"filter" doc:"Pattern of the names to list: * is any number of characters, ? is one." example:"film*"`
},
) (*indexListOutput, error) {
	found, err := a.svc.Indices(ctx, application(ctx), in.Filter)
	if err != nil {
		return nil, err
	}
	out := make([]indexSummary, len(found))
	for i, ix := range found {
		out[i] = summaryOf(ix)
	}
	return &indexListOutput{out}, nil
}

func (a *api) createIndex(ctx context.Context, in *indexPath) (*indexNameOutput, error) {
	mappings, err := decodeMappings(bodyOf(ctx).data, in.Index)
	if err != nil {
		return nil, err
	}
	if err := a.svc.CreateIndex(ctx, application(ctx), in.Index, mappings); err != nil {
		return nil, err
	}
	return &indexNameOutput{indexName{in.Index}}, nil
}

func (a *api) getIndex(ctx context.Context, in *indexPath) (*indexOutput, error) {
	ix, stats, err := a.svc.Index(ctx, application(ctx), in.Index)
	if err != nil {
		return nil, err
	}
	summary := summaryOf(ix)
	return &indexOutput{indexDetails{
		Name: summary.Name, Mappings: summary.Mappings, Documents: stats.Documents, SizeBytes: stats.SizeBytes,
		CreatedAt: ix.CreatedAt.UTC(), UpdatedAt: ix.UpdatedAt.UTC(),
	}}, nil
}

func (a *api) updateIndex(merge bool) func(context.Context, *indexPath) (*indexSummaryOutput, error) {
	return func(ctx context.Context, in *indexPath) (*indexSummaryOutput, error) {
		mappings, err := decodeMappings(bodyOf(ctx).data, in.Index)
		if err != nil {
			return nil, err
		}
		ix, err := a.svc.UpdateIndex(ctx, application(ctx), in.Index, mappings, merge)
		if err != nil {
			return nil, err
		}
		return &indexSummaryOutput{summaryOf(ix)}, nil
	}
}

func (a *api) deleteIndex(ctx context.Context, in *indexPath) (*indexNameOutput, error) {
	if err := a.svc.DeleteIndex(ctx, application(ctx), in.Index); err != nil {
		return nil, err
	}
	return &indexNameOutput{indexName{in.Index}}, nil
}

func (a *api) clearIndex(ctx context.Context, in *indexPath) (*indexNameOutput, error) {
	if err := a.svc.ClearIndex(ctx, application(ctx), in.Index); err != nil {
		return nil, err
	}
	return &indexNameOutput{indexName{in.Index}}, nil
}

func summaryOf(ix *service.Index) indexSummary {
	return indexSummary{Name: ix.Name, Mappings: append([]mapping.Mapping{}, ix.Mappings...)}
}

// decodeMappings returns nil if the body has no mappings. The answer of GET can be sent back: what cannot be set is
// ignored, except for a name that differs from that in the path.
func decodeMappings(body []byte, name string) ([]mapping.Mapping, error) {
	d, o, err := decodeBody(body)
	if err != nil {
		return nil, err
	}
	for _, setting := range []string{"settings", "language", "autocomplete", "synonyms", "stop_words"} {
		if _, ok := o.members[setting]; ok {
			d.fault("body."+setting, nil, "belongs to the settings of the index: once the index exists, send PUT /v1/index/%s/settings", name)
			delete(o.members, setting)
		}
	}
	if given, ok := o.get("name"); ok && d.str("body.name", given) != name {
		d.fault("body.name", given, "must be the name in the path, or omitted")
	}
	for _, answered := range []string{"name", "documents", "size_bytes", "created_at", "updated_at"} {
		delete(o.members, answered) // so that a message about other properties names only what can be set
	}
	o.only("mappings")
	if err := d.err(service.CodeInvalidRequest); err != nil {
		return nil, err
	}
	raw, ok := o.members["mappings"]
	if !ok {
		return nil, nil
	}
	mappings := d.mappings("body.mappings", raw)
	return mappings, d.err(service.CodeInvalidMapping)
}
