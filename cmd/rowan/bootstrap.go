package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rowansearch/rowan/service"
	"github.com/rowansearch/rowan/service/document"
)

// defaultApplication is created by the first start if no other application is asked for.
const defaultApplication = "demo"

// wanted is the application and the keys that must exist once the service is up.
type wanted struct {
	Application string `env:"ROWAN_APPLICATION_ID" placeholder:"ID" help:"Application that must exist; it is created if it does not. Default: the very first start creates one called demo."`
	AdminKey    string `env:"ROWAN_ADMIN_KEY" placeholder:"KEY" help:"Admin key that must work, at least 16 characters long. Default: a new application gets a random one, printed once."`
	SearchKey   string `env:"ROWAN_SEARCH_KEY" placeholder:"KEY" help:"Search key that must work; likewise."`
}

// Validate refuses invalid names and guessable keys before anything is started.
func (w wanted) Validate() error {
	if w.Application != "" {
		if err := document.CheckApplicationID(w.Application); err != nil {
			return fmt.Errorf("--application (ROWAN_APPLICATION_ID): %w", err)
		}
	}
	if err := cmp.Or(checkSecret("--admin-key (ROWAN_ADMIN_KEY)", w.AdminKey), checkSecret("--search-key (ROWAN_SEARCH_KEY)", w.SearchKey)); err != nil {
		return err
	}
	if w.AdminKey != "" && w.AdminKey == w.SearchKey {
		return errors.New("the admin key and the search key must differ")
	}
	return nil
}

// checkSecret refuses a key that is invalid or could be guessed. It accepts an empty one, which means none.
func checkSecret(setting, key string) error {
	if key != "" && (len(key) < service.MinSecret || len(key) > service.MaxSecret) {
		return fmt.Errorf("%s must have %d to %d characters, it has %d", setting, service.MinSecret, service.MaxSecret, len(key))
	}
	if strings.TrimFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) != key {
		return fmt.Errorf("%s begins or ends with a space or a line break, which clients would also have to send", setting)
	}
	return nil
}

// credentials are what a start has created. Given keys are not among them, except for search if searchGiven.
type credentials struct {
	application string
	// isNew reports whether this start created the application.
	isNew       bool
	admin       string
	search      string
	searchGiven bool // search is a given key, which is not shown
	// existing is an application that already exists, if none was asked for.
	existing string
}

// table returns a text that lists the new keys.
func (c credentials) table() string {
	text := fmt.Sprintf("\n  application  %s\n", c.application)
	if c.admin != "" {
		text += fmt.Sprintf("  admin key    %s   may do everything: keep it secret\n", c.admin)
	}
	if c.search != "" && !c.searchGiven {
		text += fmt.Sprintf("  search key   %s   may only search\n", c.search)
	}
	return text + "\n"
}

// ensure creates the application and the keys that are missing. Several servers may call it at once.
func (w wanted) ensure(ctx context.Context, svc *service.Service, logger *slog.Logger) (credentials, error) {
	applications, err := svc.Applications(ctx)
	if err != nil {
		return credentials{}, err
	}
	made := credentials{application: w.Application}
	if made.application == "" {
		if len(applications) > 0 && w.AdminKey == "" && w.SearchKey == "" {
			return credentials{existing: applications[0].ID}, nil
		}
		made.application = defaultApplication
	}
	if !slices.ContainsFunc(applications, func(a service.Application) bool { return a.ID == made.application }) {
		_, err := svc.CreateApplication(ctx, made.application)
		switch {
		case service.ErrorCode(err) == service.CodeApplicationExists: // another server was faster
		case err != nil:
			return credentials{}, err
		default:
			made.isNew = true
			logger.Info("created an application", "application", made.application)
		}
	}
	if made.isNew {
		return createKeys(ctx, svc, made.application, w.AdminKey, w.SearchKey)
	}
	for _, k := range []service.NewKey{
		{Application: made.application, Type: service.AdminKey, Secret: w.AdminKey},
		{Application: made.application, Type: service.SearchKey, Secret: w.SearchKey},
	} {
		if k.Secret == "" {
			continue
		}
		id, err := ensureKey(ctx, svc, k)
		if errors.Is(err, service.ErrRevoked) {
			// The server is useful without this key.
			logger.Error("a key in the settings was reset or deleted and does not work: put another one into the settings",
				"type", k.Type, "variable", map[service.KeyType]string{service.AdminKey: "ROWAN_ADMIN_KEY", service.SearchKey: "ROWAN_SEARCH_KEY"}[k.Type])
			continue
		}
		if err != nil {
			return credentials{}, err
		}
		if id == "" {
			continue
		}
		logger.Info("created a key from the settings", "type", k.Type, "id", id)
		if earlier, err := keysOfSettings(ctx, svc, made.application, k.Type, id); err != nil {
			return credentials{}, err
		} else if len(earlier) > 0 {
			logger.Info("keys of earlier settings still exist: delete those that should no longer work with \"rowan key delete\"", "type", k.Type, "ids", earlier)
		}
	}
	return made, nil
}

// createKeys creates both keys of a new application: the given ones, and random ones in place of empty ones.
func createKeys(ctx context.Context, svc *service.Service, application, admin, search string) (credentials, error) {
	made := credentials{application: application, isNew: true, search: search, searchGiven: search != ""}
	for _, k := range []struct {
		service.NewKey
		made *string
	}{
		{service.NewKey{Type: service.AdminKey, Secret: admin}, &made.admin},
		{service.NewKey{Type: service.SearchKey, Secret: search}, &made.search},
	} {
		k.Application = application
		if k.Secret != "" {
			if _, err := ensureKey(ctx, svc, k.NewKey); err != nil {
				return credentials{}, err
			}
			continue
		}
		k.Description = "created with the application"
		var err error
		if _, *k.made, err = svc.CreateKey(ctx, k.NewKey); err != nil {
			return credentials{}, fmt.Errorf("creating the %s key: %w", k.Type, err)
		}
	}
	return made, nil
}

// keyOfSettings is the description of keys from the settings.
const keyOfSettings = "from the settings"

// keysOfSettings returns the ids of the keys that earlier settings created.
func keysOfSettings(ctx context.Context, svc *service.Service, application string, t service.KeyType, except string) (ids []string, err error) {
	keys, err := svc.Keys(ctx, application)
	for _, k := range keys {
		if k.Type == t && k.ID != except && k.Description == keyOfSettings {
			ids = append(ids, k.ID)
		}
	}
	return ids, err
}

// ensureKey creates a key unless it works already, and returns the id of a key that it has created. If
// several servers start together, one creates the key and the others wait until they see it.
func ensureKey(ctx context.Context, svc *service.Service, k service.NewKey) (id string, err error) {
	k.Description = keyOfSettings
	var failure error
	for range 5 {
		who, err := svc.Authenticate(ctx, k.Application, k.Secret)
		switch {
		case err == nil && who.Type != k.Type:
			return "", fmt.Errorf("the %s key of the settings already exists as a key of type %s: choose another", k.Type, who.Type)
		case err == nil:
			return "", nil
		case service.ErrorCode(err) != service.CodeUnauthorized:
			return "", err
		}
		var key service.Key
		if key, _, failure = svc.CreateKey(ctx, k); failure == nil {
			return key.ID, nil
		}
		if errors.Is(failure, service.ErrRevoked) {
			break
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(300 * time.Millisecond): // the service caches for half a second which keys exist
		}
	}
	return "", fmt.Errorf("creating the %s key: %w", k.Type, failure)
}
