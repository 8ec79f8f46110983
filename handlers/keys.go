package handlers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/rowansearch/rowan/service"
)

type keyPath struct {
	ID string `path:"id" doc:"Identifier of the key." example:"0198f0c2-7a55-7c1e-8d0e-6f1b2a3c4d5e"`
}

// Key is an API key without its secret.
type Key struct {
	ID          string          `json:"id" doc:"Identifier of the key; not secret."`
	Type        service.KeyType `json:"type" doc:"What the key may do."`
	Description string          `json:"description" doc:"What the key is for."`
	Indices     []string        `json:"indices" doc:"Indices and searches that the key is limited to; empty means all."`
	Filter      string          `json:"filter" doc:"Filter that is always applied to searches with the key; empty means none."`
	CreatedAt   time.Time       `json:"created_at" doc:"When the key was created."`
	ExpiresAt   *time.Time      `json:"expires_at" doc:"When the key stops working; null means never."`
	LastUsedAt  *time.Time      `json:"last_used_at" doc:"When the key was last used, to about a minute; null means never."`
}

// issuedKey is not called newKey because in Go, the constructor that other generators make for Key is called NewKey.
type issuedKey struct {
	Key

	Secret string `json:"key" doc:"The key itself, shown only once."`
}

type (
	keyListOutput   struct{ Body []Key }
	issuedKeyOutput struct{ Body issuedKey }
)

const (
	keyExample = `"id":"0198f0c2-7a55-7c1e-8d0e-6f1b2a3c4d5e","type":"search","description":"web shop","indices":["films"],"filter":"",` +
		`"created_at":"2026-11-21T09:00:00Z","expires_at":null,"last_used_at":null`
	issuedKeyExample = "{" + keyExample + `,"key":"rks_8sKq3vX0bN5uT2yWcZ1mGd7hLpRfA4jE"}`
)

func (a *api) registerKeys() {
	const tag = "Keys"
	register(a, operation{
		id: "listKeys", method: http.MethodGet, path: "/v1/keys", tag: tag,
		summary: "List the API keys", description: "Without the keys themselves; oldest first.", example: "[{" + keyExample + "}]",
	}, a.listKeys)
	register(a, operation{
		id: "createKey", method: http.MethodPost, path: "/v1/keys", tag: tag, status: http.StatusCreated,
		summary: "Create an API key", description: "Only this answer contains the key itself.",
		body: &bodySpec{
			limit: a.cfg.MaxSearchBytes, schema: refTo("KeyRequest"),
			example: `{"type":"search","description":"web shop","indices":["films"]}`,
		},
		example: issuedKeyExample,
	}, a.createKey)
	register(a, operation{
		id: "deleteKey", method: http.MethodDelete, path: "/v1/keys/{id}", tag: tag, status: http.StatusNoContent,
		summary: "Delete an API key", description: "The last admin key cannot be deleted.",
		errors: []service.Code{service.CodeKeyNotFound, service.CodeLastAdminKey},
	}, a.deleteKey)
	register(a, operation{
		id: "resetKey", method: http.MethodPost, path: "/v1/keys/{id}/reset", tag: tag,
		summary: "Give an API key a new secret", description: "The old one stops working everywhere within a second. Only this answer contains the new one.",
		example: issuedKeyExample,
		errors:  []service.Code{service.CodeKeyNotFound},
	}, a.resetKey)
}

func (a *api) listKeys(ctx context.Context, _ *struct{}) (*keyListOutput, error) {
	found, err := a.svc.Keys(ctx, application(ctx))
	if err != nil {
		return nil, err
	}
	out := make([]Key, len(found))
	for i, k := range found {
		out[i] = keyOf(k)
	}
	return &keyListOutput{out}, nil
}

func (a *api) createKey(ctx context.Context, _ *struct{}) (*issuedKeyOutput, error) {
	wanted, err := decodeKey(bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	wanted.Application = application(ctx)
	made, secret, err := a.svc.CreateKey(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return &issuedKeyOutput{issuedKey{keyOf(made), secret}}, nil
}

func (a *api) deleteKey(ctx context.Context, in *keyPath) (*struct{}, error) {
	return nil, a.svc.DeleteKey(ctx, application(ctx), in.ID)
}

func (a *api) resetKey(ctx context.Context, in *keyPath) (*issuedKeyOutput, error) {
	made, secret, err := a.svc.ResetKey(ctx, application(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &issuedKeyOutput{issuedKey{keyOf(made), secret}}, nil
}

func decodeKey(body []byte) (service.NewKey, error) {
	d, o, err := decodeBody(body)
	if err != nil {
		return service.NewKey{}, err
	}
	o.only("type", "description", "expires_at", "indices", "filter")
	wanted := service.NewKey{
		Type:        service.KeyType(o.required("type")),
		Description: o.str("description"),
		Indices:     o.strings("indices"),
		Filter:      o.str("filter"),
		ExpiresAt:   o.strPtr("expires_at", `an RFC 3339 time, such as "2030-01-31T00:00:00Z"`),
	}
	// An empty limit would make a key without limits out of one that was meant to have some.
	limits := func(name string, empty bool) {
		if raw, given := o.members[name]; given && empty {
			d.fault("body."+name, raw, "would not limit the key: omit it, or give a value that limits it")
		}
	}
	if len(d.faults) == 0 {
		limits("indices", len(wanted.Indices) == 0)
		limits("filter", strings.TrimSpace(wanted.Filter) == "")
	}
	if wanted.Type != service.AdminKey && wanted.Type != service.SearchKey && len(d.faults) == 0 {
		d.fault("body.type", o.members["type"], "expected admin or search")
	}
	return wanted, d.err(service.CodeInvalidRequest)
}

func keyOf(k service.Key) Key {
	return Key{
		ID: k.ID, Type: k.Type, Description: k.Description, Indices: append([]string{}, k.Indices...), Filter: k.Filter,
		CreatedAt: k.CreatedAt.UTC(), ExpiresAt: utc(k.ExpiresAt), LastUsedAt: utc(k.LastUsedAt),
	}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
