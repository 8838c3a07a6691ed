package cli

import (
	"slices"
	"testing"
	"time"
)

// TestProgressLines: the lines come less often in longer jobs, and a delay does not make several come at once.
func TestProgressLines(t *testing.T) {
	var p progressLines
	var got []time.Duration
	for elapsed := time.Duration(0); elapsed < 20*time.Minute; elapsed += time.Second {
		if elapsed > 30*time.Second && elapsed < 100*time.Second {
			continue
		}
		if p.due(elapsed) {
			got = append(got, elapsed/time.Second)
		}
	}
	want := []time.Duration{10, 20, 100, 160, 320, 620, 920}
	if !slices.Equal(got, want) {
		t.Errorf("lines at %d s, want %d", got, want)
	}
}
