package match

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// arrive lets messages arrive in any order that MPI allows, before and after the receives are posted. It returns the
// receives that got a message: the first posted receive that accepts a message gets it.
func arrive(t *rapid.T, receives []*Op, sends [][]*Op) map[*Op]bool {
	got := make(map[*Op]bool)
	var waiting, here []*Op
	next, from := 0, make([]int, len(sends))
	for {
		var may []int // the processes that may take the next step: the senders, and after them the receiver
		for i := range sends {
			if from[i] < len(sends[i]) {
				may = append(may, i)
			}
		}
		if next < len(receives) {
			may = append(may, len(sends))
		}
		if len(may) == 0 {
			return got
		}
		i := rapid.SampledFrom(may).Draw(t, "step")
		if i == len(sends) {
			r := receives[next]
			next++
			if at := slices.IndexFunc(here, r.accepts); at >= 0 {
				here = slices.Delete(here, at, at+1)
				got[r] = true
			} else {
				waiting = append(waiting, r)
			}
			continue
		}
		s := sends[i][from[i]]
		from[i]++
		if at := slices.IndexFunc(waiting, func(r *Op) bool { return r.accepts(s) }); at >= 0 {
			got[waiting[at]] = true
			waiting = slices.Delete(waiting, at, at+1)
		} else {
			here = append(here, s)
		}
	}
}

// TestSupply: the result of Supply is true for every order in which the messages may arrive.
func TestSupply(t *testing.T) {
	counts := make(map[Supply]int)
	check := func(t *rapid.T) {
		const senders = 3
		c := newComm(senders + 1)
		m := watch(&watcher{pairs: make(map[int64]int64)})
		var receives []*Op
		sends := make([][]*Op, senders+1)
		post := func(op *Op) *Op {
			n := m.NewOp()
			n.Send, n.Comm, n.Me, n.Peer, n.Tag, n.Tentative, n.Call = op.Send, c, op.Me, op.Peer, op.Tag,
				op.Tentative, Call{Raw: line}
			m.Post(n)
			return n
		}
		for range rapid.IntRange(1, 5).Draw(t, "receives") {
			source := rapid.SampledFrom([]int32{Any, Any, 1, 2}).Draw(t, "source")
			tag := rapid.SampledFrom([]int32{Any, 1, 2}).Draw(t, "tag")
			receives = append(receives, post(&Op{Peer: source, Tag: tag, Tentative: true}))
		}
		for range rapid.IntRange(0, 5).Draw(t, "sends") {
			me := int32(rapid.IntRange(1, senders).Draw(t, "sender"))
			sends[me] = append(sends[me], post(&Op{
				Send: true, Me: me,
				Tag: int32(rapid.IntRange(1, 2).Draw(t, "tag")),
			}))
		}
		var open, needed []*Op
		all := make(map[*Op]bool)
		for _, r := range receives {
			if !r.Matched {
				open = append(open, r)
			}
			if rapid.Bool().Draw(t, "needed") {
				needed = append(needed, r)
				all[r] = !r.Matched
			}
		}
		if len(open) == 0 {
			return
		}
		op := rapid.SampledFrom(open).Draw(t, "receive")
		d := op.Demand()
		if d.Needed = all; !all[op] {
			d.Needed, needed = nil, []*Op{op}
		}
		s, from, whose := d.Supply()
		counts[s]++
		for range 5 {
			got := arrive(t, receives, sends)
			switch lacks := slices.ContainsFunc(needed, func(r *Op) bool { return !got[r] }); {
			case (s == Unmet || s == Short) && !lacks:
				t.Fatalf("receives that are short of messages (%d) all get one", s)
			case s == Enough && d.Needed == nil && lacks:
				t.Fatal("a receive gets nothing though there is enough")
			}
		}
		if s == Enough && len(whose) == 0 || from != Any && from != op.Peer {
			t.Fatalf("the messages come from %v, further ones from %d", whose, from)
		}
		if s != Unmet && s != Short {
			return
		}
		// A sender whose messages are not accepted makes no difference.
		for other := int32(1); other <= senders; other++ {
			if from == Any || other == from {
				continue
			}
			for _, tag := range []int32{1, 2} {
				sends[other] = append(sends[other], post(&Op{Send: true, Me: other, Tag: tag}))
			}
		}
		if got := arrive(t, receives, sends); !slices.ContainsFunc(needed, func(r *Op) bool { return !got[r] }) {
			t.Fatalf("further messages that are not from %d help", from)
		}
	}
	// Some results of Supply are rare.
	missing := func(s Supply) bool { return counts[s] == 0 }
	all := []Supply{Unmet, Short, Shared, Enough}
	for round := 0; round < 100 && slices.ContainsFunc(all, missing) && !t.Failed(); round++ {
		rapid.Check(t, check)
	}
	if slices.ContainsFunc(all, missing) {
		t.Errorf("not all supplies occurred: %v", counts)
	}
}
