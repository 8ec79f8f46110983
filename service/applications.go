package service

import (
	"context"
	"strings"

	"github.com/rowansearch/rowan/service/document"
)

// CreateApplication creates an application without keys. Error codes: invalid_request, application_exists.
func (s *Service) CreateApplication(ctx context.Context, id string) (Application, error) {
	if err := document.CheckApplicationID(id); err != nil {
		return Application{}, invalidName("application", id, err)
	}
	return s.store.CreateApplication(ctx, id)
}

// Applications lists the applications by id.
func (s *Service) Applications(ctx context.Context) ([]Application, error) {
	return s.store.Applications(ctx)
}

// DeleteApplication removes an application with all of its indices and keys. Error codes: application_not_found, index_in_use.
func (s *Service) DeleteApplication(ctx context.Context, id string) error {
	return s.store.DeleteApplication(ctx, id)
}

// ApplicationSettings returns the settings of an application. Error code: application_not_found.
func (s *Service) ApplicationSettings(ctx context.Context, application string) (ApplicationSettings, error) {
	return s.store.ApplicationSettings(ctx, application)
}

// PutApplicationSettings replaces the settings of an application. Error codes: invalid_request, application_not_found.
func (s *Service) PutApplicationSettings(ctx context.Context, application string, settings ApplicationSettings) (ApplicationSettings, error) {
	if settings.PerPage < 0 || settings.PerPage > MaxPerPage {
		return settings, Errorf(CodeInvalidRequest, "The settings do not fit.").With(
			FieldError{Location: "body.per_page", Message: "must be 0 to 1000", Value: settings.PerPage})
	}
	return settings, s.store.PutApplicationSettings(ctx, application, settings)
}

// invalidName returns the error for a name that breaks the rule that err states.
func invalidName(place, name string, err error) error {
	what := "name of the " + place
	if place == "id" {
		what = "_id of the document"
	}
	return Errorf(CodeInvalidRequest, "The %s does not fit: it %s.", what, strings.TrimSuffix(err.Error(), ".")).With(
		FieldError{Location: "path." + place, Message: err.Error(), Value: name})
}
