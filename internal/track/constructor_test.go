package track

import (
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// TestCombiners checks that the API table and package datatype have the same names for constructors.
func TestCombiners(t *testing.T) {
	made := map[datatype.Kind]bool{}
	for _, f := range mpiapi.Funcs() {
		if k := datatype.KindOf(f.Combiner); k != datatype.Named {
			made[k] = true
		} else if f.Combiner != "" {
			t.Errorf("%s makes %q, which is no kind of datatype", f.Name, f.Combiner)
		}
	}
	for k := datatype.DupKind; k < datatype.Unknown; k++ {
		if !made[k] {
			t.Errorf("no function makes a %v", k)
		}
	}
}
