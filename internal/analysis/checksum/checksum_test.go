package checksum

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/track"
)

// info returns the content of a record with checksums.
func info(t *rapid.T, flags uint32, list []event.Sum) *event.Sums {
	b := make([]byte, layout.SizeofRecord)
	b = binary.LittleEndian.AppendUint32(b, flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
	b = append(b, make([]byte, 16)...) // the call itself
	for _, s := range list {
		peer := uint64(s.Peer)
		if s.All {
			peer = layout.SumAll
		}
		for _, v := range []uint64{peer, s.Bytes, s.Value} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	b = append(b, make([]byte, (layout.Line-len(b)%layout.Line)%layout.Line)...)
	binary.LittleEndian.PutUint16(b, layout.InfoSums)
	binary.LittleEndian.PutUint16(b[layout.RecordLinesAt:], uint16(len(b)/layout.Line))
	c, _, err := event.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.SumsInfo()
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// TestPairing: members of one or two groups send each other parts. Some parts arrive changed, some with another length,
// and some without a checksum. They arrive in any order, and some members are ahead of others. Exactly the changed
// parts are found, and nothing is kept afterwards.
func TestPairing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := []int{rapid.IntRange(1, 5).Draw(t, "size"), 0}
		c := &match.Comm{}
		if rapid.Bool().Draw(t, "inter") {
			groups[1] = rapid.IntRange(1, 4).Draw(t, "remote")
			c.Split = groups[0]
		}
		n := groups[0] + groups[1]
		c.Members = make([]int32, n)
		type step struct {
			position uint64
			s        *event.Sums
		}
		var (
			p     = New()
			views = make([]*track.View, n)
			queue = make([][]step, n)
			want  = make(map[uint64][]string)
			got   = make(map[uint64][]string)
		)
		for m := range views {
			views[m] = &track.View{Comm: c, Me: int32(m), Base: c.PeerBase(int32(m)), Peers: int32(c.Peers(int32(m)))}
		}
		positions := uint64(rapid.IntRange(1, 4).Draw(t, "collectives"))
		for at := range positions {
			everybody := rapid.Bool().Draw(t, "the same for all")
			value := func(from, to int32) uint64 {
				if everybody {
					to = -1
				}
				return at*10000 + uint64(from)*100 + uint64(to+1)
			}
			for m, v := range views {
				var sent, received []event.Sum
				me := int32(m)
				if everybody {
					sent = append(sent, event.Sum{All: true, Bytes: 4, Value: value(me, 0)})
				}
				for i := range uint32(v.Peers) {
					peer := v.Base + int32(i)
					if !everybody {
						sent = append(sent, event.Sum{Peer: i, Bytes: 4, Value: value(me, peer)})
					}
					s := event.Sum{Peer: i, Bytes: 4, Value: value(peer, me)}
					switch rapid.IntRange(0, 5).Draw(t, "what arrives") {
					case 0:
						s.Value ^= 1 << 40
						want[at] = append(want[at], fmt.Sprint(peer, " to ", me))
					case 1:
						s.Bytes, s.Value = 8, 1
					case 2:
						continue
					}
					received = append(received, s)
				}
				queue[m] = append(queue[m],
					step{at, info(t, 0, sent)}, step{at, info(t, layout.SumsReceived, received)})
			}
		}
		for left := 2 * n * int(positions); left > 0; left-- {
			m := rapid.IntRange(0, n-1).Draw(t, "member")
			for len(queue[m]) == 0 {
				m = (m + 1) % n
			}
			s := queue[m][0]
			queue[m] = queue[m][1:]
			for _, d := range p.Add(views[m], s.position, match.Call{}, s.s) {
				got[s.position] = append(got[s.position], fmt.Sprint(d.From, " to ", d.To))
			}
		}
		for at := range positions {
			slices.Sort(want[at])
			slices.Sort(got[at])
			if !slices.Equal(got[at], want[at]) {
				t.Fatalf("collective %d: found %q, want %q", at, got[at], want[at])
			}
		}
		if len(p.comms) != 0 {
			t.Fatal("sums are left over")
		}
	})
}
