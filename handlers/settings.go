package handlers

import (
	"context"
	"net/http"

	"github.com/rowansearch/rowan/service"
)

type settingsOutput struct{ Body service.ApplicationSettings }

func (a *api) registerSettings() {
	const (
		tag     = "Settings"
		path    = "/v1/settings"
		example = `{"per_page":10}`
	)
	register(a, operation{
		id: "getSettings", method: http.MethodGet, path: path, tag: tag,
		summary: "Get the settings of the application", example: example,
	}, a.getSettings)
	register(a, operation{
		id: "putSettings", method: http.MethodPut, path: path, tag: tag,
		summary: "Replace the settings of the application",
		body:    &bodySpec{limit: a.cfg.MaxSearchBytes, schema: refTo("ApplicationSettings"), example: example},
		example: example,
	}, a.putSettings)
}

func (a *api) getSettings(ctx context.Context, _ *struct{}) (*settingsOutput, error) {
	settings, err := a.svc.ApplicationSettings(ctx, application(ctx))
	return &settingsOutput{settings}, err
}

func (a *api) putSettings(ctx context.Context, _ *struct{}) (*settingsOutput, error) {
	d, o, err := decodeBody(bodyOf(ctx).data)
	if err != nil {
		return nil, err
	}
	o.only("per_page")
	perPage := o.integer("per_page")
	if perPage == nil && len(d.faults) == 0 {
		d.fault("body.per_page", nil, "required")
	}
	if err := d.err(service.CodeInvalidRequest); err != nil {
		return nil, err
	}
	settings, err := a.svc.PutApplicationSettings(ctx, application(ctx), service.ApplicationSettings{PerPage: *perPage})
	return &settingsOutput{settings}, d.asSent(err)
}
