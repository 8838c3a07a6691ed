package mpirun

import (
	"os"
	"testing"
)

// LiveVariable is the environment variable that, set to 1, selects the tests that run MPI programs. make test sets
// it. Its name must not begin as those of the variables that stand for mpivet's flags do.
const LiveVariable = "LIVE_TESTS"

// Live reports whether tests that run MPI programs are selected.
func Live() bool { return os.Getenv(LiveVariable) == "1" }

// NeedLive skips a test that runs MPI programs, unless such tests are selected.
func NeedLive(t testing.TB) {
	t.Helper()
	if !Live() {
		t.Skip("it runs MPI programs: set " + LiveVariable + "=1, as make test does")
	}
}
