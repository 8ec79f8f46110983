package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/rowansearch/rowan/service"
)

type indexSettings struct {
	Language     string               `json:"language" doc:"Language of the texts: a PostgreSQL text-search configuration." example:"english"`
	Autocomplete service.Autocomplete `json:"autocomplete" doc:"Source of the suggestions."`
	Synonyms     []synonym            `json:"synonyms" doc:"Words that find each other."`
	StopWords    []string             `json:"stop_words" doc:"Words of a query that need not be found, in addition to those of the language."`
}

// synonym is encoded as clients write it: an array of equivalents, or an object with from and to.
type synonym service.Synonym

// MarshalJSON writes the array or the object.
func (s synonym) MarshalJSON() ([]byte, error) { return service.Synonym(s).MarshalJSON() }

// Schema points at the schema that allows both.
func (synonym) Schema(huma.Registry) *huma.Schema { return refTo("Synonym") }

type indexSettingsOutput struct{ Body indexSettings }

const indexSettingsExample = `{"language":"english","autocomplete":{"fields":["title"]},"synonyms":[["film","movie"],{"from":["tv"],"to":["television"]}],"stop_words":["the"]}`

func (a *api) registerIndexSettings() {
	const (
		tag  = "Indices"
		path = "/v1/index/{index}/settings"
	)
	body := &bodySpec{limit: a.cfg.MaxDocumentBytes, schema: refTo("IndexSettingsPatch"), example: indexSettingsExample}
	codes := []service.Code{service.CodeIndexNotFound}
	register(a, operation{
		id: "getIndexSettings", method: http.MethodGet, path: path, tag: tag,
		summary: "Get the settings of an index", example: indexSettingsExample, errors: codes,
	}, a.getIndexSettings)
	register(a, operation{
		id: "putIndexSettings", method: http.MethodPut, path: path, tag: tag,
		summary: "Replace the settings of an index", description: "Absent settings get their defaults.",
		body: body, example: indexSettingsExample, errors: append(codes, service.CodeIndexInUse),
	}, a.updateIndexSettings(false))
	register(a, operation{
		id: "patchIndexSettings", method: http.MethodPatch, path: path, tag: tag,
		summary: "Change settings of an index", description: "Absent settings keep their values.",
		body: body, example: indexSettingsExample, errors: append(codes, service.CodeIndexInUse),
	}, a.updateIndexSettings(true))
}

func (a *api) getIndexSettings(ctx context.Context, in *indexPath) (*indexSettingsOutput, error) {
	settings, err := a.svc.IndexSettings(ctx, application(ctx), in.Index)
	if err != nil {
		return nil, err
	}
	return &indexSettingsOutput{indexSettingsOf(settings)}, nil
}

func (a *api) updateIndexSettings(merge bool) func(context.Context, *indexPath) (*indexSettingsOutput, error) {
	return func(ctx context.Context, in *indexPath) (*indexSettingsOutput, error) {
		body := bodyOf(ctx).data
		d, _, err := decodeBody(body)
		if err != nil {
			return nil, err
		}
		if err := d.err(service.CodeInvalidRequest); err != nil {
			return nil, err
		}
		settings, err := a.svc.UpdateIndexSettings(ctx, application(ctx), in.Index, body, merge)
		if err != nil {
			return nil, err
		}
		return &indexSettingsOutput{indexSettingsOf(settings)}, nil
	}
}

func indexSettingsOf(s service.IndexSettings) indexSettings {
	out := indexSettings{
		Language:     s.Language,
		Autocomplete: service.Autocomplete{Fields: append([]string{}, s.Autocomplete.Fields...)},
		Synonyms:     make([]synonym, len(s.Synonyms)),
		StopWords:    append([]string{}, s.StopWords...),
	}
	for i, words := range s.Synonyms {
		out.Synonyms[i] = synonym(words)
	}
	return out
}
