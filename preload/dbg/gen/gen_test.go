package main

import (
	"os"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// TestFresh: the generated files are up to date with the API table.
func TestFresh(t *testing.T) {
	for name, want := range generate() {
		if got, err := os.ReadFile("../" + name); err != nil || string(got) != want {
			t.Errorf("%s is not what the API table gives (%v): run go generate ./preload/dbg", name, err)
		}
	}
}

// TestClasses: each kind has one class, and the first ones are those of the published extension.
func TestClasses(t *testing.T) {
	seen := make(map[mpiapi.CollKind]bool)
	var first []string
	for i, k := range classes() {
		if seen[k] {
			t.Errorf("%v has two classes", k)
		}
		seen[k] = true
		if i < len(established) {
			first = append(first, strings.TrimPrefix(className(k), "mqs_comm_"))
		}
	}
	if len(seen) != len(mpiapi.CollKinds()) {
		t.Errorf("%d classes", len(seen))
	}
	const want = "barrier bcast allgather allgatherv allreduce alltoall alltoallv reduce_scatter reduce gather " +
		"gatherv scan scatter scatterv"
	if got := strings.Join(first, " "); got != want {
		t.Errorf("the first classes are %s", got)
	}
}
