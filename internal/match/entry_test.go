package match

import (
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// TestDifferentFunctionsWithSmallRoots: two members enter two different functions, each with a small root. The members
// disagree for all functions and roots.
func TestDifferentFunctionsWithSmallRoots(t *testing.T) {
	var w watcher
	m := watch(&w)
	c := newComm(2)
	enter := func(me int32, f mpiapi.FuncID, root int32) {
		e := Entry{Func: f, Root: root}
		e.Values[Root] = uint64(root) + 1
		m.Enter(c, me, &e, Call{Raw: line})
	}
	rootless := func(f *mpiapi.Func) bool { return f.Arg(mpiapi.Root) < 0 }
	funcs := slices.DeleteFunc(slices.Clone(mpiapi.Funcs()), rootless)
	for i, f := range funcs {
		for _, g := range funcs[:i] {
			for root := range int32(16) {
				w.collectives = w.collectives[:0]
				enter(0, f.ID, 0)
				enter(1, g.ID, root)
				if len(w.collectives) != 1 || !w.collectives[0].Different {
					t.Fatalf("%s with root 0 and %s with root %d: taken for the same", f.Name, g.Name, root)
				}
			}
		}
	}
}
