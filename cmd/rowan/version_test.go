package main

import (
	"os"
	"strings"
	"testing"
)

// Images that compose builds know which version they are, where the environment does.
func TestImagesAreToldTheirVersion(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"../../docker-compose.yml": "    args:\n      # What \"rowan version\" and the metric rowan_build_info say.\n      VERSION: ${VERSION:-development}\n",
		"../../Dockerfile":         "ARG VERSION=development\nRUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags \"-s -w -X main.version=${VERSION}\"",
	} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %s (%v)", file, want, err)
		}
	}
}
