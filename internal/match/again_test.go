package match

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/stream"
)

// order notes the matched calls in order: the numbers of the send and of the receive in their threads.
type order struct{ pairs [][2]uint64 }

// halfAwake is a Replayer that needs only some operations.
type halfAwake struct{ awake func(op *Op) bool }

func (h halfAwake) Rests(op *Op) bool { return !h.awake(op) }
func (h halfAwake) Quick(op, _ *Op) {
	if h.awake(op) {
		return
	}
	op.Replay.Over = true
}
func (h halfAwake) Link(_, _ *Op)   {}
func (h halfAwake) Unlink(_, _ *Op) {}

// TestCountedOperationsMatchAsSingleOnes posts the same operations to two matchers. One gets them as calls that the
// matcher may count instead of keeping them. The other gets them with Post.
func TestCountedOperationsMatchAsSingleOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(2, 3).Draw(t, "ranks")
		tags := int32(rapid.IntRange(1, 2).Draw(t, "tags"))
		var comms [2]*Comm
		var got [2]order
		var m [2]*Matcher
		for i := range m {
			comms[i], m[i] = newComm(ranks), New()
			m[i].Events.MessageMatched.On(&stream.Owner{Bare: true}, func(e MessageMatched) {
				got[i].pairs = append(got[i].pairs, [2]uint64{e.Send.At, e.Recv.At})
			})
		}
		if rapid.Bool().Draw(t, "replayed") {
			awake := rapid.Int32Range(0, int32(ranks)-1).Draw(t, "awake")
			m[0].Replayer = halfAwake{func(op *Op) bool { return op.Me == awake }}
		}
		type kept struct {
			ops  [2]*Op
			wild bool
		}
		var open []kept
		calls := make([]uint64, ranks)
		begin := func(i int, send bool, me, peer, tag int32, tentative bool) *Op {
			op := m[i].NewOp()
			op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag = send, Standard, comms[i], me, peer, tag
			op.Count, op.Type, op.At, op.Tentative = 1, nil, calls[me], tentative
			op.Call.Raw = []byte{1}
			m[i].Post(op)
			return op
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			me := rapid.Int32Range(0, int32(ranks)-1).Draw(t, "rank")
			peer := (me + 1 + rapid.Int32Range(0, int32(ranks)-2).Draw(t, "peer")) % int32(ranks)
			tag := rapid.Int32Range(0, tags-1).Draw(t, "tag")
			kinds := []string{"send", "send", "recv", "recv", "irecv", "any", "end", "end"}
			switch what := rapid.SampledFrom(kinds).Draw(t, "what"); what {
			case "send", "recv":
				rec := make([]byte, len(line))
				rec[0], rec[1], rec[2] = byte(peer), byte(tag), what[0]
				times := rapid.IntRange(1, 4).Draw(t, "times")
				for range times {
					calls[me]++
					op := m[0].Scratch()
					op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag =
						what == "send", Standard, comms[0], me, peer, tag
					op.Count, op.Type, op.At = 1, nil, calls[me]
					op.Call = Call{Raw: rec}
					op.Call.Thread = 0
					rec[3] = byte(me)
					m[0].PostScratch()
					m[1].Release(begin(1, what == "send", me, peer, tag, false))
				}
			case "irecv", "any":
				calls[me]++
				k := kept{wild: what == "any"}
				if k.wild {
					peer = Any
				}
				for i := range m {
					k.ops[i] = begin(i, false, me, peer, tag, !k.wild)
				}
				open = append(open, k)
			case "end":
				if len(open) == 0 {
					continue
				}
				n := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				k := open[n]
				open = slices.Delete(open, n, n+1)
				cancel := rapid.Bool().Draw(t, "cancel")
				for i, op := range k.ops {
					switch {
					case cancel:
						m[i].Withdraw(op)
					case k.wild:
						m[i].Resolve(op, (op.Me+1)%int32(ranks), tag)
					default:
						m[i].Confirm(op)
					}
					m[i].Release(op)
				}
			}
			for i := range got {
				if !slices.Equal(got[i].pairs, got[1].pairs) {
					t.Fatalf("counted: %v\nkept:    %v", got[0].pairs, got[1].pairs)
				}
			}
			if m[0].Messages != m[1].Messages {
				t.Fatalf("%d messages counted, %d kept", m[0].Messages, m[1].Messages)
			}
			for to := range int32(ranks) {
				for from := range int32(ranks) {
					s0, r0 := comms[0].Exchanged(from, to)
					s1, r1 := comms[1].Exchanged(from, to)
					if s0 != s1 || r0 != r1 {
						t.Fatalf("from %d to %d: %d and %d counted, %d and %d kept", from, to, s0, r0, s1, r1)
					}
				}
			}
			var pending [2]int
			for i := range pending {
				comms[i].Pending(func(*Op) { pending[i]++ })
			}
			if pending[0] != pending[1] {
				t.Fatalf("%d pending counted, %d kept", pending[0], pending[1])
			}
		}
	})
}
