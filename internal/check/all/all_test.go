package all_test

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
)

// TestExplained: the explanation of every check has all its sections.
func TestExplained(t *testing.T) {
	for _, c := range all.Checks() {
		if err := check.CheckDoc(c.Text()); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if c.Title == "" || strings.HasSuffix(c.Title, ".") {
			t.Errorf("%s: the title is %q", c.ID, c.Title)
		}
	}
}
