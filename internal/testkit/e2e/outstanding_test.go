package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestManyOutstandingOperations: 60,000 operations under way in each process do not slow the analysis down, whatever
// the order of their completion. If it walked through all of them at each completion, the run would take longer than
// its limit.
func TestManyOutstandingOperations(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "outstanding", "-O2")
		report := filepath.Join(t.TempDir(), "report.json")
		r := finishWithin(t, 10*time.Minute, report, []string{mpivet, "run", "-n", "2", "--json", report, "--", program})
		r.noErrors(t)
		if want := fmt.Sprint(r.report.Run.Messages, " messages"); r.Status != 0 || !strings.Contains(r.Stdout, want) {
			t.Errorf("exit status %d, output %q, want %s", r.Status, r.Stdout, want)
		}
	})
}
