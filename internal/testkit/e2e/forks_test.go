package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestForks: actions of children that are made without exec, in any way, are not attributed to their parent. The parent
// is checked as usual.
func TestForks(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		source, program := filepath.Join("testdata", "forks.cc"), filepath.Join(t.TempDir(), "forks")
		if out, err := exec.Command(m.CXX, "-g", "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r := vet(t, 2, nil, program)
		f := r.found(t, "LOCAL:DATATYPE:NOT_FREED")
		if len(r.report.Findings) != 1 || f.Count != 2 {
			t.Errorf("found %+v", r.report.Findings)
		}
		if r.Status != 0 || strings.Count(r.Stdout, "100 children") != 2 {
			t.Errorf("exit status %d, output %s", r.Status, r.Stdout)
		}
		if r.report.Run.Messages != 200 || r.report.Run.Collectives != 100 {
			t.Errorf("%d messages and %d collectives matched, want 200 and 100", r.report.Run.Messages,
				r.report.Run.Collectives)
		}
	})
}
