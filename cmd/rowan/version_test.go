package main

import (
	"os"
	"strings"
	"testing"
)

// Images built by Compose know their version if the environment does.
func TestImagesAreToldTheirVersion(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"../../docker-compose.yml": "      args:\n        # What \"rowan version\" and the metric rowan_build_info say.\n        VERSION: ${VERSION:-development}\n",
		"../../Dockerfile":         "ARG VERSION=development\nRUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags \"-s -w -X main.version=${VERSION}\"",
	} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %s (%v)", file, want, err)
		}
	}
}

// One service builds the image that three use. Docker builds an image for several services at the same time, and if it keeps images in containerd,
// all builds but the first fail with: image already exists.
func TestOneServiceBuildsTheImage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	before, services, found := strings.Cut(string(text), "\nservices:\n")
	if !found || strings.Contains(before, "build:") || strings.Count(services, "\n    build:\n") != 1 {
		t.Error("docker-compose.yml builds the image not exactly once")
	}
	if !strings.Contains(before, "\n  pull_policy: never\n") {
		t.Error("docker-compose.yml asks a registry for the image before it is built")
	}
}
