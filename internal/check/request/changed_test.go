package request_test

import (
	"strings"
	"testing"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
	"github.com/mpivet/mpivet/internal/testkit/wholerun"
)

// Findings about requests that are not complete say whether their send buffers were changed.
func TestChangedMeanwhile(t *testing.T) {
	isend := func(k *Rank, request, variable int) {
		k.Call("isend", "MPI_Isend", Args{
			"buf": uint64(0x7f0000000000 + 16*request), "count": 4, "datatype": uint64(Int), "dest": 0, "tag": request,
			"comm": World, "*request": variable, ">request": request,
		})
	}
	const lost, left = "LOCAL:REQUEST:LOST", "LOCAL:REQUEST:NOT_FREED"
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		id    string
		want  []string // the lines of the message that follow the first one
	}{
		{"unchanged", func(k *Rank) { isend(k, 1, 0x5000) }, left, nil},
		{
			"one send", func(k *Rank) { isend(k, 1, 0x5000); k.Append(Unfinished(2, true, 16, 5, 4)) }, left,
			[]string{"Its send buffer was changed before MPI_Finalize: of the 16 bytes, those from byte 5 " +
				"(element 1 of 4 × MPI_INT) to byte 8 (element 2 of 4 × MPI_INT) are different."},
		},
		{
			"overwritten", func(k *Rank) {
				isend(k, 1, 0x5000)
				isend(k, 2, 0x5000)
				k.Append(Unfinished(2, true, 16, 5, 1))
			}, lost, []string{
				"1 other request of the same place is not completed either.",
				"Its send buffer was changed before MPI_Finalize: byte 5 of the 16 (element 1 of 4 × " +
					"MPI_INT) is different.",
			},
		},
		{
			"two of three", func(k *Rank) {
				isend(k, 1, 0x5000)
				isend(k, 2, 0x5004)
				isend(k, 3, 0x5008)
				k.Append(Unfinished(4, true, 16, 0, 1))
				k.Append(Unfinished(3, false, 16, 0, 16))
			}, left, []string{"2 of their send buffers were changed before MPI_Finalize. In the first one, some of " +
				"its 16 bytes are different."},
		},
		{
			"received into", func(k *Rank) {
				isend(k, 1, 0x5000)
				k.Call("recv", "MPI_Recv", Args{
					"buf": uint64(0x7f0000000010), "count": 4, "datatype": uint64(Int), "source": 0, "tag": 1,
					"comm": World, "status": Ignore,
				})
				k.Append(Unfinished(2, true, 16, 0, 1))
			}, left, []string{"MPI_Recv uses its buffer meanwhile."},
		},
	} {
		found := wholerun.Analyse(t, func() *Program {
			p := New(1)
			c.build(p.Ranks[0])
			p.Ranks[0].Call("finalize", "MPI_Finalize", nil)
			return p
		})
		for _, f := range found {
			if f.Check != c.id {
				continue
			}
			if _, rest, _ := strings.Cut(f.Message, "\n"); rest != strings.Join(c.want, "\n") {
				t.Errorf("%s: the message is %q, want the lines %q", c.name, f.Message, c.want)
			}
			c.id = ""
		}
		if c.id != "" {
			t.Errorf("%s: no %s, found %+v", c.name, c.id, found)
		}
	}
}
