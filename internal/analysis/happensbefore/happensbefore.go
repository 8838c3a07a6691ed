// Package happensbefore decides whether a moment of a run comes before another one in every run that exchanges the same
// messages. That is the happens-before relation (Lamport, Time, Clocks, and the Ordering of Events in a Distributed
// System, 1978), with the orders that MPI guarantees.
//
// Vector clocks would cost time and memory per message for every process, and the question is seldom asked. So each
// process has a journal of limited length. An entry says what the process learned of others: that the send of a message
// that it received had begun, or that all members had entered a collective that it left. The answer is found by a
// search from the later moment backwards through the journals. All moments are numbered in an order in which causes
// come before effects. So the search can ignore everything before the earlier moment, and its cost grows with the
// number of events between the two.
//
// Moments whose order is not known, or is no longer known, count as ordered.
package happensbefore

import "slices"

// Moment is a point in the life of a process.
type Moment struct {
	Proc int32
	At   uint64 // the number that Log.Now returned
}

// Group is a set of processes that meet in collective operations.
type Group int32

// Group returns the group of the given processes. They must be in ascending order.
func (l *Log) Group(procs []int32) Group {
	k := extent{members: len(procs)}
	if len(procs) > 0 {
		k.first, k.last = procs[0], procs[len(procs)-1]
	}
	for _, g := range l.alike[k] {
		if slices.Equal(l.groups[g].members, procs) {
			return g
		}
	}
	n := Group(len(l.groups))
	for _, p := range procs {
		h := l.history(p)
		h.groups = append(h.groups, n)
	}
	l.groups = append(l.groups, group{members: procs})
	l.alike[k] = append(l.alike[k], n)
	return n
}

// group has the data of a Group.
type group struct {
	members []int32 // ascending
	all     journal // what all members learned at once; entry.proc is not used
}

// extent is a key that differs for most groups.
type extent struct {
	members     int
	first, last int32
}

const (
	entries  = 1 << 20 // approximate number of entries kept for all processes together
	shortest = 64      // minimum number kept for each process
	longest  = 4096    // maximum number kept for each process
	effort   = 20000   // maximum number of entries examined for one question; beyond that, the moments count as ordered
)

// Log is what the processes of a run have learned of each other. Its methods must be called in an order in which causes
// come before effects.
type Log struct {
	now    uint64
	procs  []history
	groups []group
	alike  map[extent][]Group
	limit  int // length of each process's journal

	forgotten uint64 // nothing is known of any process up to this time

	todo []Moment
	turn uint64 // number of the search under way
}

// entry says that from time at on, a process knows what others had done by the time known: one process, or all of a
// group.
type entry struct {
	at    uint64
	known uint64
	proc  int32 // or the complement of a group's number
}

// journal is what was learned, oldest first. It is circular when it is full.
type journal struct {
	entries []entry
	oldest  int
	cut     uint64 // entries up to this time may be missing
}

// history is what one process has learned: alone, and with the groups that it belongs to.
type history struct {
	journal
	groups []Group
	opaque bool // it may have learned anything at any time

	turn, seen uint64 // the last search that visited it, and the latest time of that visit
}

// New returns an empty log.
func New() *Log { return &Log{limit: longest, alike: make(map[extent][]Group)} }

// Now returns the present moment of a process.
func (l *Log) Now(proc int32) Moment { return Moment{proc, l.now} }

// Step advances the time: later moments have a larger number.
func (l *Log) Step() { l.now++ }

func (l *Log) history(proc int32) *history {
	if int(proc) >= len(l.procs) {
		l.procs = append(l.procs, make([]history, int(proc)+1-len(l.procs))...)
		l.limit = share(len(l.procs))
	}
	return &l.procs[proc]
}

// share returns the maximum length of each journal if there are n journals.
func share(n int) int { return min(longest, max(shortest, entries/n)) }

// Learn notes that a process knows, from now on, what another had done by the moment m.
func (l *Log) Learn(proc int32, m Moment) {
	if proc != m.Proc {
		l.history(m.Proc)
		l.history(proc).add(entry{at: l.now, known: m.At, proc: m.Proc}, l.limit)
	}
}

// Meet notes that a process knows, from now on, what all members of a group have done up to the time entered, when the
// last of them entered a collective.
func (l *Log) Meet(proc int32, g Group, entered uint64) {
	l.history(proc).add(entry{at: l.now, known: entered, proc: ^int32(g)}, l.limit)
}

// MeetAll has the effect of Meet for each member of a group: all members know, from now on, what all of them have done
// up to the time entered.
func (l *Log) MeetAll(g Group, entered uint64) {
	l.groups[g].all.add(entry{at: l.now, known: entered}, share(len(l.groups)))
}

// Doubt notes that a process may learn of others in ways that are not seen. Every event may then come before the events
// of this process, past and future.
func (l *Log) Doubt(proc int32) { l.history(proc).opaque = true }

// Forget drops all that the processes have learned. Every event up to now may come before every event from now on.
func (l *Log) Forget() {
	l.forgotten = l.now
	for i := range l.procs {
		l.procs[i].entries, l.procs[i].oldest = nil, 0
	}
	for i := range l.groups {
		l.groups[i].all.entries, l.groups[i].all.oldest = nil, 0
	}
}

// Trust ends a Doubt. What the process has learned up to now stays unknown.
func (l *Log) Trust(proc int32) {
	h := l.history(proc)
	h.opaque, h.cut = false, l.now
}

func (h *journal) add(e entry, limit int) {
	if len(h.entries) < limit {
		h.entries = append(h.entries, e)
		return
	}
	h.cut = max(h.cut, h.entries[h.oldest].at)
	h.entries[h.oldest] = e
	if h.oldest++; h.oldest == len(h.entries) {
		h.oldest = 0
	}
}

// entry returns the i-th entry, from the oldest on.
func (h *journal) entry(i int) *entry { return &h.entries[(h.oldest+i)%len(h.entries)] }

// upTo returns the number of entries made at or before a time.
func (h *journal) upTo(at uint64) int {
	lo, hi := 0, len(h.entries)
	for lo < hi {
		if mid := (lo + hi) / 2; h.entry(mid).at <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Before reports whether a comes before b, or may come before it. It is false only if another run may have them in the
// opposite order. Equal moments are ordered.
func (l *Log) Before(a, b Moment) bool {
	if l.history(a.Proc).opaque || l.history(b.Proc).opaque {
		return true
	}
	if a.Proc == b.Proc {
		return a.At <= b.At
	}
	if b.At < a.At {
		return false
	}
	l.turn++
	l.todo = append(l.todo[:0], b)
	s := search{log: l, target: a, left: effort}
	for len(l.todo) > 0 {
		m := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		if s.visit(m) {
			return true
		}
	}
	return false
}

// search is one search of Log.Before, backwards through the journals. Its methods report whether the target comes
// before the visited moment, or may come before it. They add the moments that must be visited next to Log.todo.
type search struct {
	log    *Log
	target Moment
	left   int // number of entries that may still be examined
}

// visit examines what a process knew at the moment m. It goes back to the time of the target: what was learned earlier
// cannot concern the target.
func (s *search) visit(m Moment) bool {
	h := s.log.history(m.Proc)
	from := s.target.At
	if h.turn == s.log.turn {
		if m.At <= h.seen {
			return false
		}
		from = h.seen + 1
	}
	h.turn, h.seen = s.log.turn, m.At
	if cut := max(h.cut, s.log.forgotten); h.opaque || cut >= from && cut > 0 {
		return true
	}
	return s.visitJournal(&h.journal, from, m.At) || s.visitGroups(h.groups, from, m.At)
}

// visitJournal examines what a process learned by itself between two times.
func (s *search) visitJournal(j *journal, from, to uint64) bool {
	for i := j.upTo(to) - 1; i >= 0; i-- {
		e := j.entry(i)
		if e.at < from {
			return false
		}
		if s.left--; s.left < 0 {
			return true
		}
		switch {
		case e.known < s.target.At:
		case e.proc == s.target.Proc:
			return true
		case e.proc >= 0:
			s.log.todo = append(s.log.todo, Moment{e.proc, e.known})
		case s.addMembers(Group(^e.proc), e.known):
			return true
		}
	}
	return false
}

// visitGroups examines what a process learned between two times when all members of one of its groups met.
func (s *search) visitGroups(groups []Group, from, to uint64) bool {
	for _, n := range groups {
		if s.left--; s.left < 0 {
			return true
		}
		all := &s.log.groups[n].all
		i := all.upTo(to) - 1
		if i < 0 {
			if all.cut >= from && all.cut > 0 {
				return true
			}
			continue
		}
		// The last entry includes the knowledge of the earlier entries.
		e := all.entry(i)
		if e.at >= from && e.known >= s.target.At && s.addMembers(n, e.known) {
			return true
		}
	}
	return false
}

// addMembers continues the search with the events of each member of a group up to the time known.
func (s *search) addMembers(n Group, known uint64) bool {
	members := s.log.groups[n].members
	if _, member := slices.BinarySearch(members, s.target.Proc); member {
		return true
	}
	if s.left -= len(members); s.left < 0 {
		return true
	}
	for _, p := range members {
		s.log.todo = append(s.log.todo, Moment{p, known})
	}
	return false
}
