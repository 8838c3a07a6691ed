package strictreplay_test

import (
	"fmt"
	"testing"
)

// many returns the steps repeated n times.
func many(n int, steps ...step) (list []step) {
	for range n {
		list = append(list, steps...)
	}
	return list
}

// TestBehindManyCollectives: exactly the errors after more collectives than fit into a queue are found, however far one
// process is read ahead of the others.
func TestBehindManyCollectives(t *testing.T) {
	barrier, bcast := step{call: "barrier"}, step{call: "bcast"}
	send := func(to int) step { return step{call: "send", peer: to, tag: 1} }
	recv := func(from int) step { return step{call: "recv", peer: from, tag: 1, source: from} }
	for _, before := range [][]step{
		many(5000, barrier),
		many(20000, barrier),
		many(2500, barrier, bcast),
		append(many(5000, barrier), many(5000, bcast)...),
	} {
		for _, c := range []struct {
			a, b []step
			want int
		}{
			{[]step{send(1), recv(1)}, []step{send(0), recv(0)}, 1},
			{[]step{send(1), recv(1)}, []step{recv(0), send(0)}, 0},
			{[]step{send(1), barrier}, []step{barrier, recv(0)}, 1},
		} {
			p := program{
				append(before[:len(before):len(before)], c.a...),
				append(before[:len(before):len(before)], c.b...),
			}
			for _, batch := range []int{7, 3000, 1 << 20} {
				t.Run(fmt.Sprintf("%d/%s/%d", len(before), c.a[1].call+c.b[0].call, batch), func(t *testing.T) {
					if got := potential(t, p, batch, 1); len(got) != c.want {
						t.Errorf("found %d, want %d", len(got), c.want)
					}
				})
			}
		}
	}
}
