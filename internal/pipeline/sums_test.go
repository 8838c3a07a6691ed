package pipeline_test

import (
	"slices"
	"testing"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

const corrupted = "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED"

func broadcast(count int, typ uint64) Args {
	return Args{"count": count, "datatype": typ, "root": 1, "comm": World}
}

// alltoall lets every rank send 8 bytes to every other rank. The checksum is 100 times the sender's rank, plus the
// receiver's rank.
func alltoall(p *Program, change func(rank int, sent, received []PartSum)) {
	for r, k := range p.Ranks {
		var sent, received []PartSum
		for peer := range p.Ranks {
			sent = append(sent, PartSum{Peer: peer, Bytes: 8, Value: uint64(100*r + peer)})
			received = append(received, PartSum{Peer: peer, Bytes: 8, Value: uint64(100*peer + r)})
		}
		change(r, sent, received)
		k.Move("exchange", "MPI_Alltoall",
			Args{"sendcount": 2, "sendtype": Int, "recvcount": 2, "recvtype": Int, "comm": World}, 0, sent, received)
	}
}

func TestSums(t *testing.T) {
	all := func(v uint64) []PartSum { return []PartSum{{Peer: -1, Bytes: 16, Value: v}} }
	one := func(v uint64) []PartSum { return []PartSum{{Peer: 1, Bytes: 16, Value: v}} }
	for _, c := range []struct {
		name  string
		build func(p *Program)
		want  []string
	}{
		{"what is sent arrives", func(p *Program) {
			p.Ranks[0].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
			p.Ranks[1].Move("a", "MPI_Bcast", broadcast(4, Int), 0, all(5), nil)
			p.Ranks[2].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
			alltoall(p, func(int, []PartSum, []PartSum) {})
		}, nil},
		{"one member gets something else", func(p *Program) {
			p.Ranks[0].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
			p.Ranks[1].Move("a", "MPI_Bcast", broadcast(4, Int), 0, all(5), nil)
			p.Ranks[2].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(6))
		}, []string{corrupted + " [1 2]"}},
		{"one pair", func(p *Program) {
			alltoall(p, func(rank int, _, received []PartSum) {
				if rank == 0 {
					received[2].Value++
				}
			})
		}, []string{corrupted + " [0 2]"}},
		{"what is in the wrong place is not what was sent", func(p *Program) {
			alltoall(p, func(rank int, _, received []PartSum) {
				if rank == 0 {
					received[1].Value, received[2].Value = received[2].Value, received[1].Value
				}
			})
		}, []string{corrupted + " [0 1 2]"}},
		{"a part without a sum on either side", func(p *Program) {
			p.Ranks[0].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, nil)
			p.Ranks[1].Move("a", "MPI_Bcast", broadcast(4, Int), 0, all(5), nil)
			p.Ranks[2].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, nil)
			for _, k := range p.Ranks {
				k.Move("b", "MPI_Bcast", broadcast(4, Int), 0, nil, nil)
			}
		}, nil},
		{"sums that come to nobody", func(p *Program) {
			for r, k := range p.Ranks {
				k.Move("b", "MPI_Bcast", broadcast(4, Int), 0, []PartSum{{Peer: 1 << 20, Bytes: 16, Value: 1}},
					[]PartSum{{Peer: 3, Bytes: 16, Value: uint64(r)}})
			}
		}, nil},
		{"a call that failed, and what follows", func(p *Program) {
			p.Ranks[0].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
			p.Ranks[1].Move("a", "MPI_Bcast", broadcast(4, Int), 0, all(5), nil)
			p.Ranks[2].Move("a", "MPI_Bcast", broadcast(4, Int), 16, nil, nil)
			for r, k := range p.Ranks {
				k.Move("b", "MPI_Bcast", broadcast(4, Int), 0, all(uint64(r)), one(uint64(r)))
			}
		}, []string{"LOCAL:MPI:CALL_FAILED [2]"}},
		{"other datatypes lead", func(p *Program) {
			p.Ranks[0].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
			p.Ranks[1].Move("a", "MPI_Bcast", broadcast(4, Float), 0, all(6), nil)
			p.Ranks[2].Move("a", "MPI_Bcast", broadcast(4, Int), 0, nil, one(5))
		}, []string{"GLOBAL:COLLECTIVE:DATATYPE:MISMATCH [0 1 2]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := analyse(t, func() *Program {
				p := New(3)
				c.build(p)
				return finalize(p)
			})
			if got := found.Names(); !slices.Equal(got, c.want) {
				t.Errorf("found %v", got)
			}
		})
	}
}

func TestCorruptedParts(t *testing.T) {
	found := analyse(t, func() *Program {
		p := New(3)
		alltoall(p, func(rank int, _, received []PartSum) {
			if rank == 0 {
				received[1].Value++
				received[2].Value++
			}
		})
		return finalize(p)
	})
	if len(found) != 1 {
		t.Fatalf("%d findings for one collective", len(found))
	}
	const want = "Data in MPI_Alltoall (collective 1 on MPI_COMM_WORLD) are not what was sent: " +
		"the 8 bytes that rank 0 received from rank 1; the 8 bytes that rank 0 received from rank 2."
	if f := found[0]; f.Message != want {
		t.Errorf("%s", f.Message)
	}
}
