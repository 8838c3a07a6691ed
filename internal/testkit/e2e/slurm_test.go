package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// srun returns Slurm's command that starts np ranks on all nodes, for an MPI.
func (c *cluster) srun(m mpirun.MPI, np int) []string {
	kind := "pmi2"
	if m.Name == "openmpi" {
		kind = "pmix"
	}
	return []string{"srun", "--mpi=" + kind, "-N", fmt.Sprint(len(c.Names)), "-n", fmt.Sprint(np)}
}

// product returns the name of an MPI in mpivet's texts.
func product(m mpirun.MPI) string {
	if m.Name == "openmpi" {
		return "Open MPI"
	}
	return "MPICH"
}

// TestSlurm: under a real Slurm with two nodes, a job has one analysis, however it is started.
func TestSlurm(t *testing.T) {
	c := newCluster(t, 2)
	vars := c.Slurm()
	env := append([]string{"env"}, vars...)
	c.again = func() { c.Cancel(vars) }
	forEachMPI(t, func(t *testing.T, m mpirun.MPI) {
		deadlock := c.compile(m, "../../../examples/deadlock/recv_recv.c")
		mismatch := c.compile(m, "../../../examples/collective/derived.c")
		right := c.compile(m, "../../../examples/collective/derived_ok.c")
		ticket := filepath.Join(c.Dir, "ticket."+m.Name)
		ways := map[string]func(np int, program string) []string{
			"exec": func(np int, program string) []string {
				return append(c.srun(m, np), c.mpivet, "exec", program)
			},
			"run": func(np int, program string) []string {
				return []string{c.mpivet, "run", "--launcher", strings.Join(c.srun(m, np), " "), program}
			},
			"head": func(np int, program string) []string {
				return []string{"sh", "-c", fmt.Sprintf(`%[1]s head --ticket %[2]s --ranks %[3]d & h=$!
					MPIVET_TICKET=%[2]s %[4]s %[1]s exec %[5]s; s=$?; wait $h || s=$?; exit $s`,
					c.mpivet, ticket, np, strings.Join(c.srun(m, np), " "), program)}
			},
		}
		for name, way := range ways {
			t.Run(name, func(t *testing.T) {
				for _, x := range []struct {
					program string
					np      int
					want    string
				}{
					{deadlock, 2, "FATAL: GLOBAL:DEADLOCK:HARD"},
					{mismatch, 3, "ERROR: GLOBAL:COLLECTIVE:DATATYPE:MISMATCH"},
					{right, 3, "mpivet: no findings, 3 ranks on 2 nodes, " + product(m)},
				} {
					r := c.run(m, 15*time.Second, append(env, way(x.np, x.program)...)...)
					// When a rank is ended by a signal, srun may end before the summary is printed.
					sums := strings.Count(r.Stderr, " ranks on 2 nodes, ")
					if x.program == deadlock && name == "exec" {
						sums = max(sums, 1)
					}
					if n := strings.Count(r.Stderr, x.want); n != 1 || sums != 1 {
						t.Errorf("%s: %d × %q, status %d, %v:\n%s", filepath.Base(x.program), n, x.want, r.Status,
							r.Took, r.Stderr)
					}
					if failed := r.Status != 0; failed != (x.program != right) {
						t.Errorf("%s: status %d:\n%s", filepath.Base(x.program), r.Status, r.Stderr)
					}
				}
			})
		}
	})
}
