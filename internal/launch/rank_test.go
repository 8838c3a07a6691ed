package launch

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// TestAtHome: a rank uses the session of mpivet run only on the same node, in the same PID namespace, while it lives.
func TestAtHome(t *testing.T) {
	s, err := ring.NewSession(ring.Options{ShmDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	home := Home(s.Dir)
	if got := AtHome(home); got != s.Dir {
		t.Errorf("here: %q, want %q", got, s.Dir)
	}
	parts := strings.SplitN(home, ":", 3)
	for what, other := range map[string]string{
		"another kernel":        "x" + home,
		"another PID namespace": parts[0] + ":1:" + parts[2],
		"another directory":     home + "x",
		"no description":        "",
	} {
		if got := AtHome(other); got != "" {
			t.Errorf("%s: %q, want none", what, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := AtHome(home); got != "" {
		t.Errorf("closed: %q, want none", got)
	}
}
