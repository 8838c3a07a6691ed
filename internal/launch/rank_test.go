package launch

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// TestLocalSession: a rank uses the session of mpivet run only on the same node, in the same PID namespace, while it
// lives.
func TestLocalSession(t *testing.T) {
	s, err := ring.NewSession(ring.Options{ShmDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	described := DescribeSession(s.Dir)
	if got := LocalSession(described); got != s.Dir {
		t.Errorf("here: %q, want %q", got, s.Dir)
	}
	parts := strings.SplitN(described, ":", 3)
	for what, other := range map[string]string{
		"another kernel":        "x" + described,
		"another PID namespace": parts[0] + ":1:" + parts[2],
		"another directory":     described + "x",
		"no description":        "",
	} {
		if got := LocalSession(other); got != "" {
			t.Errorf("%s: %q, want none", what, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := LocalSession(described); got != "" {
		t.Errorf("closed: %q, want none", got)
	}
}
