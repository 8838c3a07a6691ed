package mpiapi

import (
	"slices"
	"testing"
)

func TestUnwatched(t *testing.T) {
	exported := map[string]bool{}
	for _, name := range []string{
		"MPI_Send", "PMPI_Send", "MPI_From_the_future", "PMPI_From_the_future", "MPIX_Extension", "PMPIX_Extension",
		"MPI_Without_a_second_name", "MPI_INIT", "PMPI_INIT", "MPI_Pcontrol", "PMPI_Pcontrol", "internal",
	} {
		exported[name] = true
	}
	want := []string{"MPIX_Extension", "MPI_From_the_future"}
	if got := Unwatched(exported); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
