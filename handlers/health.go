package handlers

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// The operation ids of the health check, which is the same under two paths.
const (
	healthOperation   = "getHealth"
	healthOperationV1 = "getHealthV1"
)

// isHealthCheck reports whether an operation is a health check. Load balancers send one every second, and these requests would
// fill the log.
func isHealthCheck(operation string) bool {
	return operation == healthOperation || operation == healthOperationV1
}

type health struct {
	Status healthStatus `json:"status" doc:"State of the service." example:"ok"`
}

type healthStatus string

// Schema points at the enumeration.
func (healthStatus) Schema(huma.Registry) *huma.Schema { return refTo("HealthStatus") }

type healthOutput struct {
	Status     int
	RetryAfter string `header:"Retry-After" hidden:"true"`
	Body       health
}

func (a *api) registerHealth() {
	for path, id := range map[string]string{"/health": healthOperation, "/v1/health": healthOperationV1} {
		register(a, operation{
			id: id, method: http.MethodGet, path: path, tag: "Health", public: true,
			summary:     "Check whether the service works",
			description: "For load balancers. HEAD also works.",
			also:        http.StatusServiceUnavailable,
			example:     `{"status":"ok"}`, alsoExample: `{"status":"unavailable"}`,
		}, a.health)
	}
}

func (a *api) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	if err := a.svc.Health(ctx); err != nil {
		infoOf(ctx).cause = err
		return &healthOutput{Status: http.StatusServiceUnavailable, RetryAfter: "1", Body: health{Status: "unavailable"}}, nil
	}
	return &healthOutput{Status: http.StatusOK, Body: health{Status: "ok"}}, nil
}
