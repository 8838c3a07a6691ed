package mpirun

import (
	"os"
	"testing"
)

// LiveVariable is the environment variable that selects the tests that run MPI programs, if it is 1. make test sets it.
// It must not have the prefix of the variables for mpivet's flags.
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
