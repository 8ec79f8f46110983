//go:build browser

package dashboard_test

import (
	"testing"
	"time"

	"github.com/rowansearch/rowan/handlers/dashboard"
)

// A button that is pressed twice shows its own label again.
func TestBrowserCopyTwice(t *testing.T) {
	t.Parallel()
	b := setup(t, dashboard.Config{})
	b.films()
	c := b.open()
	c.signIn()
	c.visit("/dashboard/search?in=films")
	c.run(click("[data-copy]"))
	c.until(`document.querySelector("[data-copy]").textContent !== "Copy"`)
	c.run(click("[data-copy]"))
	time.Sleep(2500 * time.Millisecond) // the label of the first press comes back after two seconds, and that of the second just after
	if got := c.text("[data-copy]"); got != "Copy" {
		t.Errorf("the label is %q", got)
	}
	c.quiet("copy")
}
