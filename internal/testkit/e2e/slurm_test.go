package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// TestSlurm: under a real Slurm with two nodes, a job has one analysis, however it is started.
func TestSlurm(t *testing.T) {
	c := newCluster(t, 2)
	vars := c.Slurm()
	env := append([]string{"env"}, vars...)
	under := func(argv ...string) []string { return append(slices.Clone(env), argv...) }
	c.again = func() { c.Cancel(vars) }
	forEachMPI(t, func(t *testing.T, m mpirun.MPI) {
		ticket := filepath.Join(c.Dir, "ticket."+m.Name)
		ways := map[string]way{
			"exec": func(np int, program string) []string {
				return under(append(c.srun(m, np), c.mpivet, "exec", program)...)
			},
			"run": func(np int, program string) []string {
				return under(c.mpivet, "run", "--launcher", strings.Join(c.srun(m, np), " "), program)
			},
			"head": func(np int, program string) []string {
				return under("sh", "-c", fmt.Sprintf(`%[1]s head --ticket %[2]s --ranks %[3]d & h=$!
					MPIVET_TICKET=%[2]s %[4]s %[1]s exec %[5]s; s=$?; wait $h || s=$?; exit $s`,
					c.mpivet, ticket, np, strings.Join(c.srun(m, np), " "), program))
			},
		}
		for name, run := range ways {
			t.Run(name, func(t *testing.T) { c.together(t, m, run, name == "exec") })
		}
	})
}
