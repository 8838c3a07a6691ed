package pipeline_test

import (
	"testing"

	. "github.com/mpivet/mpivet/internal/synth"
)

func TestPotentialHeadToHead(t *testing.T) {
	found := analyse(t, func() *Program {
		p := New(2)
		for r, k := range p.Ranks {
			for range 100 {
				k.Call("a", "MPI_Send", send(1, Int, 1-r, 5))
				k.Call("b", "MPI_Recv", recv(1, Int, 1-r, 5))
			}
		}
		return finalize(p)
	})
	n := 0
	for _, f := range found {
		n += f.Count
	}
	t.Log(found.names(), len(found), n, found[0].Message)
}
