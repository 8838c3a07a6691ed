package match

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/stream"
)

// watcher notes the matched operations. Count identifies an operation, because matching does not use it.
type watcher struct {
	pairs       map[int64]int64 // receive to send
	collectives []Collective
	disagree    int
}

// watch returns a matcher whose events go to w.
func watch(w *watcher) *Matcher {
	m, o := New(), &stream.Owner{Bare: true}
	m.Events.MessageMatched.On(o, func(e MessageMatched) { w.message(e.Send, e.Recv) })
	m.Events.CollectiveMatched.On(o, w.collective)
	m.Events.Disagreed.On(o, func(Disagreed) { w.disagree++ })
	return m
}

func (w *watcher) message(s, r *Op) {
	if _, ok := w.pairs[r.Count]; ok {
		panic("a receive was matched twice")
	}
	w.pairs[r.Count] = s.Count
}

func (w *watcher) collective(c *Collective) {
	k := *c
	k.Variants = slices.Clone(c.Variants)
	w.collectives = append(w.collectives, k)
}

// line is a record.
var line = make([]byte, 64)

func newComm(n int) *Comm {
	members := make([]int32, n)
	for i := range members {
		members[i] = int32(i)
	}
	return NewRegistry().Comm(Key{}, func() *Comm { return &Comm{Members: members} })
}

// action is a step of one rank in a generated run: an operation, or the moment when the program learns that a receive
// has completed with a message, or that it was cancelled.
type action struct {
	op        *Op
	learns    bool
	cancelled bool
	freed     bool // the request is freed: the program will never learn its result
	doubt     bool // it was also cancelled before
	id        int64
}

// simulate runs a random program with MPI's own rules for the queues of one destination: messages arrive in order, and
// the first posted receive that accepts a message takes it. It returns each rank's actions in program order, and the
// matches.
func simulate(t *rapid.T, ranks int) (program [][]action, truth map[int64]int64, got map[int64][2]int32) {
	type message struct {
		from, tag int32
		id        int64
	}
	type posted struct {
		source, tag int32
		id          int64
	}
	truth = make(map[int64]int64)
	got = make(map[int64][2]int32)
	happened := make(map[int64]int) // number of steps of the receiver before the operation completed
	program = make([][]action, ranks)
	arrived := make([][]message, ranks)
	waiting := make([][]posted, ranks)
	var id int64
	steps := rapid.IntRange(1, 60).Draw(t, "steps")
	for range steps {
		me := int32(rapid.IntRange(0, ranks-1).Draw(t, "rank"))
		tag := int32(rapid.IntRange(0, 2).Draw(t, "tag"))
		id++
		if n := len(waiting[me]); n > 0 && rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "which")
			doubt := rapid.IntRange(0, 2).Draw(t, "doubt") == 0
			program[me] = append(program[me], action{
				cancelled: !doubt, doubt: doubt, freed: doubt,
				id: waiting[me][i].id,
			})
			waiting[me] = slices.Delete(waiting[me], i, i+1)
			continue
		}
		if rapid.Bool().Draw(t, "send") {
			to := int32(rapid.IntRange(0, ranks-1).Draw(t, "to"))
			program[me] = append(program[me], action{
				op: &Op{Send: true, Me: me, Peer: to, Tag: tag, Count: id},
				id: id,
			})
			i := slices.IndexFunc(waiting[to], func(p posted) bool {
				return (p.source == me || p.source == Any) && (p.tag == tag || p.tag == Any)
			})
			if i < 0 {
				arrived[to] = append(arrived[to], message{me, tag, id})
				continue
			}
			p := waiting[to][i]
			waiting[to] = slices.Delete(waiting[to], i, i+1)
			truth[p.id], got[p.id], happened[p.id] = id, [2]int32{me, tag}, len(program[to])
			continue
		}
		source := int32(rapid.IntRange(-1, ranks-1).Draw(t, "source"))
		if rapid.IntRange(0, 3).Draw(t, "any tag") == 0 {
			tag = Any
		}
		program[me] = append(program[me], action{op: &Op{Me: me, Peer: source, Tag: tag, Count: id}, id: id})
		i := slices.IndexFunc(arrived[me], func(m message) bool {
			return (source == m.from || source == Any) && (tag == m.tag || tag == Any)
		})
		if i < 0 {
			waiting[me] = append(waiting[me], posted{source, tag, id})
			program[me][len(program[me])-1].op.Tentative = true
			continue
		}
		program[me][len(program[me])-1].op.Tentative = rapid.Bool().Draw(t, "nonblocking")
		m := arrived[me][i]
		arrived[me] = slices.Delete(arrived[me], i, i+1)
		truth[id], got[id], happened[id] = m.id, [2]int32{m.from, m.tag}, len(program[me])
	}
	// The program learns the result of a receive some time after it has completed. It learns that of a blocking receive
	// at once.
	freed := make(map[int64]bool)
	for me := range program {
		for _, a := range program[me] {
			freed[a.id] = freed[a.id] || a.freed
		}
		learns := make([][]action, len(program[me])+1) // before each step
		for _, a := range program[me] {
			at, ok := happened[a.id]
			if a.op == nil || a.op.Send || freed[a.id] {
				continue
			}
			if a.op.Tentative && !freed[a.id] && rapid.IntRange(0, 9).Draw(t, "free") == 0 &&
				!slices.ContainsFunc(program[me], func(b action) bool { return b.cancelled && b.id == a.id }) {
				at = rapid.IntRange(stepOf(program[me], a.id)+1, len(program[me])).Draw(t, "frees")
				learns[at] = append(learns[at], action{
					op: a.op, freed: true, doubt: rapid.Bool().Draw(t, "cancels"),
					id: a.id,
				})
				freed[a.id] = true
				continue
			}
			if !ok {
				continue
			}
			if a.op.Tentative {
				at = rapid.IntRange(at, len(program[me])).Draw(t, "learns")
			}
			learns[at] = append(learns[at], action{op: a.op, learns: true, id: a.id})
		}
		var steps []action
		for i := range learns {
			steps = append(steps, learns[i]...)
			if i < len(program[me]) {
				steps = append(steps, program[me][i])
			}
		}
		program[me] = steps
	}
	return program, truth, got
}

// stepOf returns the step in which a rank posts an operation.
func stepOf(steps []action, id int64) int {
	return slices.IndexFunc(steps, func(a action) bool { return a.op != nil && a.id == id })
}

// TestMessagesMatchAsMPIMatchesThem feeds random programs in random interleavings. Whatever the order in which the
// ranks' records are read, each message must go to the receive that got it. No message may be left when the program
// knows the result of all receives.
func TestMessagesMatchAsMPIMatchesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
		program, truth, got := simulate(t, ranks)
		c := newComm(ranks)
		w := &watcher{pairs: make(map[int64]int64)}
		m := watch(w)
		ops := make(map[int64]*Op)
		next := make([]int, ranks)
		for left := true; left; {
			left = false
			var ready []int
			for r := range program {
				if next[r] < len(program[r]) {
					ready = append(ready, r)
				}
			}
			if len(ready) == 0 {
				break
			}
			left = true
			r := ready[rapid.IntRange(0, len(ready)-1).Draw(t, "read")]
			a := program[r][next[r]]
			next[r]++
			switch {
			case a.freed:
				if a.doubt {
					m.Doubt(ops[a.id])
				}
				m.Free(ops[a.id])
				continue
			case a.learns:
				m.Resolve(ops[a.id], got[a.id][0], got[a.id][1])
				m.Confirm(ops[a.id])
				m.Release(ops[a.id])
				continue
			case a.cancelled:
				m.Withdraw(ops[a.id])
				m.Release(ops[a.id])
				continue
			}
			op := m.NewOp()
			op.Send, op.Comm, op.Me, op.Peer, op.Tag, op.Count = a.op.Send, c, a.op.Me, a.op.Peer, a.op.Tag, a.op.Count
			op.Call.Raw, op.Tentative = line, a.op.Tentative
			ops[a.id] = op
			m.Post(op)
		}
		for recv, send := range w.pairs {
			if truth[recv] != send {
				t.Fatalf("receive %d got send %d, MPI gave it %d", recv, send, truth[recv])
			}
		}
		received := make(map[int64]bool)
		for _, send := range truth {
			received[send] = true
		}
		pending := make(map[int64]bool)
		c.Pending(func(s *Op) {
			if pending[s.Count] = true; received[s.Count] {
				t.Fatalf("message %d is told to be pending, but was received", s.Count)
			}
		})
		gone := make(map[int64]bool)
		unresolved := false // a receive with a wildcard that never completes may hold up others
		for r := range program {
			for _, a := range program[r] {
				_, ok := got[a.id]
				if a.cancelled {
					gone[a.id] = true
				}
				unresolved = unresolved || a.freed
				unresolved = unresolved || a.op != nil && !a.op.Send && a.op.Peer == Any && !ok && !gone[a.id]
			}
		}
		if !unresolved && len(w.pairs) != len(truth) {
			t.Fatalf("%d of %d messages matched", len(w.pairs), len(truth))
		}
		for r := range program {
			for _, a := range program[r] {
				if !unresolved && a.op != nil && a.op.Send && !received[a.id] && !pending[a.id] {
					t.Fatalf("message %d was not received, and is not told to be pending", a.id)
				}
			}
		}
	})
}

func TestOpsAreReusedOnlyWhenNobodyHoldsThem(t *testing.T) {
	c := newComm(2)
	m := watch(&watcher{pairs: make(map[int64]int64)})
	s := m.NewOp()
	s.Send, s.Comm, s.Me, s.Peer, s.Count, s.Call.Raw = true, c, 0, 1, 1, line
	m.Post(s)
	m.Release(s) // still in the mailbox
	if o := m.NewOp(); o == s {
		t.Fatal("a send that waits for its receive was handed out again")
	}
	r := m.NewOp()
	r.Send, r.Comm, r.Me, r.Peer, r.Count, r.Call.Raw = false, c, 1, 0, 2, line
	m.Post(r)
	if !r.Matched {
		t.Fatal("not matched")
	}
	if o := m.NewOp(); o != s {
		t.Fatal("a send that is matched and released was not reused")
	}
	if o := m.NewOp(); o == r {
		t.Fatal("a receive that is held was handed out again")
	}
}

func TestWithdrawnReceiveLeavesTheWayFree(t *testing.T) {
	c := newComm(2)
	w := &watcher{pairs: make(map[int64]int64)}
	m := watch(w)
	post := func(send bool, me, peer int32, id int64) *Op {
		op := m.NewOp()
		op.Send, op.Comm, op.Me, op.Peer, op.Count, op.Call.Raw = send, c, me, peer, id, line
		m.Post(op)
		return op
	}
	wild := post(false, 1, Any, 1)
	post(false, 1, 0, 2)
	post(true, 0, 1, 3)
	if len(w.pairs) != 0 {
		t.Fatal("matched although a receive from any source was first")
	}
	m.Withdraw(wild)
	if w.pairs[2] != 3 {
		t.Fatalf("the second receive should have got the message: %v", w.pairs)
	}
}

// TestSendThatSeemedToBeReceivedFails: a send whose record is read before it returns may seem to be received, and then
// fail. It is then not known which messages were received, so later messages must not count as left over.
func TestSendThatSeemedToBeReceivedFails(t *testing.T) {
	c := newComm(2)
	m := watch(&watcher{pairs: make(map[int64]int64)})
	post := func(send bool, me, peer int32, id int64) *Op {
		op := m.NewOp()
		op.Send, op.Comm, op.Me, op.Peer, op.Count, op.Call.Raw = send, c, me, peer, id, line
		m.Post(op)
		return op
	}
	failed := post(true, 0, 1, 1)
	m.Release(post(false, 1, 0, 2))
	m.Withdraw(failed)
	m.Release(failed)
	if s := post(true, 0, 1, 3); !s.Unknown() {
		t.Fatal("the message that was received in truth counts as not received")
	}
}

// TestMatchingIsGivenUpWhereItCannotGoOn has a receive from any source that is cancelled and freed, so its message
// never becomes known, and many messages after it. The number of operations that are kept is bounded, and other
// receivers are not affected.
func TestMatchingIsGivenUpWhereItCannotGoOn(t *testing.T) {
	c := newComm(100)
	w := &watcher{pairs: make(map[int64]int64)}
	m := watch(w)
	var id int64
	post := func(send bool, me, peer, tag int32) *Op {
		id++
		op := m.NewOp()
		op.Send, op.Comm, op.Me, op.Peer, op.Tag, op.Count, op.Call.Raw = send, c, me, peer, tag, id, line
		m.Post(op)
		return op
	}
	ghost := post(false, 0, Any, 7)
	m.Doubt(ghost)
	m.Free(ghost)
	for i := range int32(3 * owedLimit) {
		from := 1 + i%99
		m.Release(post(true, from, 0, 7))
		m.Release(post(false, 0, from, 7))
		m.Release(post(true, from, 0, 8)) // the first receive cannot take it
		m.Release(post(false, 0, from, 8))
		m.Release(post(true, 0, from, 7))
		m.Release(post(false, from, 0, 7))
	}
	kept := 0
	for i := range c.boxes {
		b := &c.boxes[i]
		if b.any.head != nil {
			kept++
		}
		b.each(func(_ int32, p *pair) {
			if p.sends.head != nil || p.recvs.head != nil {
				kept++
			}
		})
	}
	if kept != 0 {
		t.Errorf("operations of %d pairs are kept", kept)
	}
	if n := len(w.pairs); n < 3*owedLimit+owedLimit/2 || n > 2*3*owedLimit {
		t.Errorf("%d messages matched", n)
	}
	if !post(true, 1, 0, 9).Expected() || !c.Candidate(0, 5, 9) {
		t.Error("a send or receive whose partner is not known is taken to be stuck")
	}
	c.Pending(func(s *Op) { t.Errorf("message %d is told to be pending", s.Count) })
}

// TestCollectivesMatchByOrder lets members enter a random sequence of collectives in random interleavings. Some members
// enter another collective. Every position is reported once and completely, with the call of each member.
func TestCollectivesMatchByOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "members")
		length := rapid.IntRange(1, 20).Draw(t, "length")
		calls := make([][]mpiapi.FuncID, n)
		for r := range calls {
			for i := range length {
				f := mpiapi.FuncID(10 + i%3)
				if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
					f = 99
				}
				calls[r] = append(calls[r], f)
			}
		}
		c := newComm(n)
		w := &watcher{}
		m := watch(w)
		next := make([]int, n)
		for done := 0; done < n*length; {
			r := rapid.IntRange(0, n-1).Draw(t, "member")
			if next[r] == length {
				continue
			}
			raw := []byte{byte(calls[r][next[r]]), 0}
			if at := m.Enter(c, int32(r), &Entry{Func: calls[r][next[r]], Root: None},
				Call{Raw: raw}); at != uint64(next[r]) {
				t.Fatalf("member %d entered at %d, want %d", r, at, next[r])
			}
			next[r]++
			done++
		}
		if len(w.collectives) != length {
			t.Fatalf("%d collectives reported, want %d", len(w.collectives), length)
		}
		for i, k := range w.collectives {
			if k.Position != uint64(i) || len(k.Missing) != 0 {
				t.Fatalf("collective %d: position %d, missing %v", i, k.Position, k.Missing)
			}
			count := 0
			for _, v := range k.Variants {
				count += v.Count
				if len(k.Variants) > 1 {
					for _, r := range v.Members {
						if calls[r][i] != v.Func {
							t.Fatalf("collective %d: member %d called %d, reported %d", i, r, calls[r][i], v.Func)
						}
					}
					if len(v.Members) != v.Count {
						t.Fatalf("collective %d: %d members listed of %d", i, len(v.Members), v.Count)
					}
				}
			}
			if count != n {
				t.Fatalf("collective %d: %d members of %d", i, count, n)
			}
		}
	})
}

func TestRootsOfAnInterCommunicator(t *testing.T) {
	w := &watcher{}
	m := watch(w)
	c := NewRegistry().Comm(Key{}, func() *Comm { return &Comm{Members: []int32{0, 1, 2, 3}, Split: 2} })
	// Members 0 and 1 are the root's group: 0 passes MPI_ROOT (itself), 1 passes MPI_PROC_NULL. The others name rank 0.
	for member, root := range []int32{0, None, 0, 0} {
		m.Enter(c, int32(member), rooted(root), Call{Raw: []byte{5, 0}})
	}
	if w.disagree != 0 || len(w.collectives) != 1 || !w.collectives[0].Agreed() {
		t.Fatalf("a correct broadcast between groups was taken for wrong: %+v", w.collectives)
	}
	for member, root := range []int32{0, None, 0, 1} {
		m.Enter(c, int32(member), rooted(root), Call{Raw: []byte{5, 0}})
	}
	if w.disagree != 1 || w.collectives[1].Conflicts != 1<<Root {
		t.Fatalf("a wrong root went unnoticed: %+v", w.collectives[1])
	}
	// Members 2 and 3 name member 0, which does not claim to be the root. No other member does either.
	for member, root := range []int32{None, None, 0, 0} {
		m.Enter(c, int32(member), rooted(root), Call{Raw: []byte{5, 0}})
	}
	if v := w.collectives[2]; w.disagree != 2 || v.Conflicts != 1<<Root || v.Claimed(0) {
		t.Fatalf("a root that nobody claims went unnoticed: %+v", v)
	}
}

func rooted(root int32) *Entry {
	e := &Entry{Func: 5, Root: root}
	if root != None {
		e.Values[Root] = uint64(root) + 1
	}
	return e
}

func BenchmarkPingPong(b *testing.B) {
	c := newComm(2)
	m, n := New(), 0
	m.Events.MessageMatched.On(&stream.Owner{Bare: true}, func(MessageMatched) { n++ })
	post := func(send bool, me, peer int32) {
		op := m.NewOp()
		op.Send, op.Comm, op.Me, op.Peer = send, c, me, peer
		op.Call.Raw = line
		m.Post(op)
		m.Release(op)
	}
	b.ReportAllocs()
	for i := 0; i < b.N; i += 512 { // in batches, as records come: those of one rank, then those of the other
		for range 128 {
			post(true, 0, 1)
			post(false, 0, 1)
		}
		for range 128 {
			post(false, 1, 0)
			post(true, 1, 0)
		}
	}
}

func ExampleComm_Group() {
	c := &Comm{Members: []int32{4, 5, 6}, Split: 1}
	fmt.Println(c.Group(2))
	fmt.Println(c.PeerBase(0), c.Peers(0), c.PeerBase(2), c.Peers(2))
	// Output:
	// 1 3
	// 1 2 0 1
}
