package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// TestSample tries each scenario once, with one of the MPIs. "make torture" tries them more often.
func TestSample(t *testing.T) {
	mpirun.NeedLive(t)
	mpis := mpirun.Installed()
	if len(mpis) == 0 {
		t.Skip("no MPI is installed")
	}
	dir := t.TempDir()
	mpivet := filepath.Join(dir, "mpivet")
	if err := mpirun.BuildMpivet(mpivet); err != nil {
		t.Fatal(err)
	}
	var rigs []*rig
	for _, m := range mpis {
		r, err := newRig(mpivet, m, dir)
		if err != nil {
			t.Fatal(err)
		}
		rigs = append(rigs, r)
	}
	seed := uint64(time.Now().UnixNano())
	for i, s := range all() {
		r := rigs[(seed+uint64(i))%uint64(len(rigs))]
		t.Run(s.name, func(t *testing.T) {
			if err := r.do(s, seed, false); err != nil {
				t.Errorf("go run ./torture -seed %d -n 1 -mpi %s -only '^%s$': %v", seed, r.mpi.Name, s.name, err)
			}
		})
	}
}
