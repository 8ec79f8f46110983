package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
)

const (
	image = "postgres:17"
	// engineDeadline bounds the check for an engine: with a wrong DOCKER_HOST there may never be an answer.
	engineDeadline = 3 * time.Second
	// containerDeadline bounds getting the image and starting it. On a slower line, the embedded server is faster.
	containerDeadline = 3 * time.Minute
)

// startContainer starts PostgreSQL in Docker and returns its address. testcontainers removes the container
// when this process has ended.
func startContainer(ctx context.Context) (string, error) {
	if err := within(engineDeadline, func() error { return engineHealth(ctx) }); err != nil {
		return "", fmt.Errorf("no engine answers: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, containerDeadline)
	defer cancel()
	args := []string{"postgres"}
	for _, name := range settingNames() {
		args = append(args, "-c", name+"="+settings[name])
	}
	container, err := postgres.Run(ctx, image, postgres.WithUsername("rowan"), postgres.WithPassword("rowan"), postgres.WithDatabase("rowan"),
		testcontainers.WithEnv(map[string]string{"POSTGRES_INITDB_ARGS": "--no-sync --locale=C --lc-ctype=C.UTF-8"}),
		testcontainers.WithCmd(args...), postgres.BasicWaitStrategies())
	if err != nil {
		// A container that does not get ready must not be left behind.
		return "", errors.Join(err, testcontainers.TerminateContainer(container))
	}
	return container.ConnectionString(ctx, "sslmode=disable")
}

// engineHealth checks that an engine responds. testcontainers panics if it finds no address for one.
func engineHealth(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, engineDeadline)
	defer cancel()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	return provider.Health(ctx) // closes it too
}

// within runs a function that may never return; after the deadline it is abandoned.
func within(deadline time.Duration, do func() error) error {
	result := make(chan error, 1)
	go func() { result <- do() }()
	select {
	case err := <-result:
		return err
	case <-time.After(deadline):
		return fmt.Errorf("no answer within %s", deadline)
	}
}
