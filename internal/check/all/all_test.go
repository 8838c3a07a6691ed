package all_test

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
)

// TestExplained: every check tells its rule, an example and the rest.
func TestExplained(t *testing.T) {
	for _, c := range all.Checks() {
		if err := check.CheckDoc(c.Doc); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		if c.Title == "" || strings.HasSuffix(c.Title, ".") {
			t.Errorf("%s: the title is %q", c.ID, c.Title)
		}
	}
}
