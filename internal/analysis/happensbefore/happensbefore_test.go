package happensbefore

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// clock is a vector clock: the number of events known of each process.
type clock []int

func (c clock) join(o clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// event is a moment in the log, with its vector clock.
type event struct {
	Moment
	number int // number among the events of the process
	clock  clock
}

// before is the definition of happens-before: b knows of a.
func (a *event) before(b *event) bool { return b.clock[a.Proc] >= a.number }

// TestAgainstVectorClocks compares the searches with vector clocks in random runs. The runs have messages, synchronous
// messages, collectives of subsets and of all processes, and collectives in which one process sends to all.
func TestAgainstVectorClocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "processes")
		l := New()
		clocks := make([]clock, n)
		for i := range clocks {
			clocks[i] = make(clock, n)
		}
		var events []*event
		happen := func(p int) *event {
			l.Step()
			clocks[p][p]++
			e := &event{l.Now(int32(p)), clocks[p][p], slices.Clone(clocks[p])}
			events = append(events, e)
			return e
		}
		proc := rapid.IntRange(0, n-1)
		var travelling []*event
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				travelling = append(travelling, happen(proc.Draw(t, "sender")))
			case 2:
				if len(travelling) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(travelling)-1).Draw(t, "message")
				s := travelling[i]
				travelling = slices.Delete(travelling, i, i+1)
				to := proc.Draw(t, "receiver")
				l.Step()
				l.Learn(int32(to), s.Moment)
				clocks[to].join(s.clock)
				happen(to)
			case 3:
				happen(proc.Draw(t, "process"))
			case 4:
				members := rapid.SliceOfNDistinct(proc, 1, n, rapid.ID[int]).Draw(t, "members")
				all := make(clock, n)
				var procs []int32
				for _, m := range members {
					happen(m)
					all.join(clocks[m])
					procs = append(procs, int32(m))
				}
				slices.Sort(procs)
				g, entered := l.Group(procs), l.Now(0).At
				if rapid.Bool().Draw(t, "at once") {
					l.Step()
					l.MeetAll(g, entered)
					for _, m := range members {
						clocks[m].join(all)
						happen(m)
					}
					continue
				}
				for _, m := range members {
					l.Step()
					l.Meet(int32(m), g, entered)
					clocks[m].join(all)
					happen(m) // the others are still in it
				}
			}
		}
		for _, a := range events {
			for _, b := range events {
				if got, want := l.Before(a.Moment, b.Moment), a.before(b); got != want {
					t.Fatalf("%v before %v: %v, by vector clocks %v", a.Moment, b.Moment, got, want)
				}
			}
		}
	})
}

// TestForgotten: events that were dropped count as ordered. Later events are still known.
func TestForgotten(t *testing.T) {
	l := New()
	l.Step()
	old := l.Now(0)
	for range longest + 1 {
		l.Step()
		l.Learn(1, l.Now(2))
	}
	l.Step()
	young := l.Now(0)
	l.Step()
	l.Learn(1, l.Now(2))
	l.Step()
	if !l.Before(old, l.Now(1)) {
		t.Error("a moment beyond the log is said not to come before")
	}
	if l.Before(young, l.Now(1)) {
		t.Error("a moment within the log is said to come before, and nothing leads there")
	}
}

// TestForgottenMeetings: the same holds for what a group has learned.
func TestForgottenMeetings(t *testing.T) {
	l := New()
	g := l.Group([]int32{1, 2})
	l.Step()
	old := l.Now(0)
	l.Step()
	l.Learn(1, old)
	l.Step()
	first := l.Now(1)
	for range longest + 1 {
		l.Step()
		entered := l.Now(1).At
		l.Step()
		l.MeetAll(g, entered)
	}
	l.Step()
	if !l.Before(old, l.Now(2)) {
		t.Error("a message before the last meeting is not known after it")
	}
	if !l.Before(old, first) || !l.Before(old, Moment{2, first.At}) {
		t.Error("a moment beyond the log is said not to come before")
	}
	young := l.Now(0)
	l.Step()
	if l.Before(young, l.Now(1)) {
		t.Error("a moment after the last meeting is said to come before, and nothing leads there")
	}
}

// TestDoubt: nothing is known about a process that may learn in unseen ways, nor about processes that learn from it.
func TestDoubt(t *testing.T) {
	l := New()
	l.Step()
	a := l.Now(0)
	l.Step()
	l.Learn(1, l.Now(2))
	l.Step()
	if l.Before(a, l.Now(1)) {
		t.Fatal("ordered without a reason")
	}
	l.Doubt(2)
	if !l.Before(a, l.Now(1)) {
		t.Error("what a doubtful process told is taken to be independent of others")
	}
	l.Trust(2)
	if !l.Before(a, l.Now(1)) {
		t.Error("what a process told while it was doubtful is taken to be independent of others")
	}
	l.Step()
	late := l.Now(0)
	l.Step()
	l.Learn(1, l.Now(2))
	if l.Before(late, l.Now(1)) {
		t.Error("a process that is trusted again is not")
	}
}

// TestForget: all events before Forget count as ordered, those after it do not.
func TestForget(t *testing.T) {
	l := New()
	l.Step()
	old := l.Now(0)
	l.Forget()
	l.Step()
	young := l.Now(0)
	l.Step()
	for _, proc := range []int32{1, 2} {
		if !l.Before(old, l.Now(proc)) {
			t.Errorf("process %d: a moment before Forget is said not to come before", proc)
		}
		if l.Before(young, l.Now(proc)) {
			t.Errorf("process %d: a moment after Forget is said to come before, and nothing leads there", proc)
		}
	}
}
