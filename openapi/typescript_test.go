//go:build long

package openapi_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rowansearch/rowan/openapi/internal/livetest"
)

// TestTypeScript builds the TypeScript client, and uses it for everything that the service can do.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the TypeScript client needs %s: %v", tool, err)
		}
	}
	service := livetest.Start(t)
	// npm's folders are left alone: another run may be using them.
	folder := t.TempDir()
	if err := os.CopyFS(folder+"/typescript", sources{os.DirFS("typescript")}); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = folder + "/typescript"
		cmd.Env = append(os.Environ(), "ROWAN_HOSTS="+strings.Join(service.Hosts, ","), "ROWAN_APPLICATION_ID="+service.Application,
			"ROWAN_ADMIN_KEY="+service.Admin, "ROWAN_SEARCH_KEY="+service.Search)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("npm", "ci")
	run("npm", "run", "build")
	run("npm", "test")
	out := run("node", "build/test/walk.js")
	if steps := strings.Count(out, ": well"); steps != 10 {
		t.Errorf("%d steps of 10:\n%s", steps, out)
	}
}
