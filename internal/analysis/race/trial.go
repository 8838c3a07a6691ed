package race

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
)

// trial follows the receives of an inbox in a run in which a receive has got another message. All calls are the same;
// what each receive gets follows from MPI's rules: of the messages of one sender that a receive accepts it gets the
// first that is left (MPI standard, section 3.5). A receive from MPI_ANY_SOURCE gets what it got in this run if that is
// there.
type trial struct {
	in      *inbox
	race    Race
	left    []*Send    // not received yet, though they were in this run
	gone    []*Send    // received, though they were not yet in this run
	waiting []*Receive // have got nothing, though they had in this run
	changed []*Receive // have got another message than in this run, the receive itself included
	steps   int
	// bad is a receive that gets a message which does not fit, once those before it that wait have got theirs.
	bad struct {
		receive *Receive
		message *Send
	}
	// ended: how it ends is known, but not yet that it may begin so.
	ended bool
	// unclear: of several messages with different tags it is not known which is the first.
	unclear bool
}

// step lets the next receive get its message. It reports whether that was the last thing to look at.
func (t *trial) step(x *Receive) bool {
	m := x.Got
	if t.early() && m.Member == t.race.Other.Member && m.Begun.At < t.race.Other.Begun.At {
		t.ended = false // that is what the receive would have got
		return t.end(Harmless, nil, nil)
	}
	if t.ended {
		return false
	}
	if t.steps++; t.steps > followed || len(t.left) > onTheWay || len(t.waiting) > heldBack || len(t.changed) > differing || !fits(x.Got, x) {
		return t.end(Harmless, nil, nil)
	}
	if i := slices.Index(t.gone, m); i >= 0 {
		t.gone = slices.Delete(t.gone, i, i+1)
		t.changed = append(t.changed, x)
		return t.find(x)
	}
	for i, w := range t.waiting {
		if w.accepts(m) {
			t.waiting = slices.Delete(t.waiting, i, i+1)
			t.changed = append(t.changed, x)
			return t.give(w, m) || !t.ended && t.find(x)
		}
	}
	for i, u := range t.left {
		if u.Member == m.Member && u.Begun.At <= m.Begun.At && x.accepts(u) {
			t.left[i] = m
			t.changed = append(t.changed, x)
			t.inOrder()
			return t.fail(x, u) || !t.ended && t.settled()
		}
	}
	return t.settled()
}

// give lets w have the message m, which comes after w was posted: from the source that w names, or any.
func (t *trial) give(w *Receive, m *Send) bool {
	switch {
	case w.Source == match.Any: // there may be others
		return t.end(Harmless, nil, nil)
	case t.in.d.log.Before(w.Done, m.Begun):
		return t.end(Stuck, w, nil)
	}
	t.unclear = t.unclear || w.Tag == match.Any
	return t.fail(w, m)
}

// find gives a receive whose message is gone one that is left.
func (t *trial) find(x *Receive) bool {
	best := -1
	var seen []int32 // senders: of each only the first message is to be had
	for i, u := range t.left {
		if !x.accepts(u) || slices.Contains(seen, u.Member) {
			continue
		}
		seen = append(seen, u.Member)
		if best < 0 || !fits(t.left[best], x) && fits(u, x) {
			best = i
		}
	}
	if best < 0 {
		t.waiting = append(t.waiting, x)
		return false
	}
	u := t.left[best]
	t.left = slices.Delete(t.left, best, best+1)
	t.unclear = t.unclear || x.Tag == match.Any
	return t.fail(x, u) || !t.ended && t.settled()
}

// inOrder sorts what is left by when it was sent.
func (t *trial) inOrder() {
	slices.SortStableFunc(t.left, func(a, b *Send) int {
		switch {
		case a.Begun.At < b.Begun.At:
			return -1
		case a.Begun.At > b.Begun.At:
			return 1
		}
		return 0
	})
}

// fail ends the trial if x may not get m.
func (t *trial) fail(x *Receive, m *Send) bool {
	if t.bad.receive == nil && !fits(m, x) {
		t.bad.receive, t.bad.message = x, m
	}
	if t.bad.receive == nil || len(t.waiting) > 0 {
		return false
	}
	return t.end(Misfit, t.bad.receive, t.bad.message)
}

// settled ends the trial if everything is as it was in this run.
func (t *trial) settled() bool {
	if len(t.left)+len(t.gone)+len(t.waiting) > 0 {
		return false
	}
	return t.end(Harmless, nil, nil)
}

// early reports whether the sender may have sent another message before that the receive would have got: one with
// another tag, which has been received later.
func (t *trial) early() bool { return t.race.Receive.Tag == match.Any && t.race.Taker.Tag != match.Any }

// finish says that there are no more receives.
func (t *trial) finish(quiet func(c *match.Comm, member int32) bool) {
	switch i := slices.IndexFunc(t.waiting, func(w *Receive) bool { return t.silent(w, quiet) }); {
	case t.ended:
	case i >= 0:
		t.end(Stuck, t.waiting[i], nil)
	default:
		t.end(Harmless, nil, nil)
	}
	if t.ended && len(t.in.queue) == 0 && !t.in.comm.Candidate(t.in.member, t.race.Other.Member, match.Any) {
		t.in.d.found(&t.race)
	}
}

// silent reports whether nobody has sent, or will send, what w waits for.
func (t *trial) silent(w *Receive, quiet func(c *match.Comm, member int32) bool) bool {
	if len(t.in.queue) > 0 || t.in.comm.Candidate(t.in.member, w.Source, w.Tag) {
		return false
	}
	if w.Source != match.Any {
		return quiet(t.in.comm, w.Source)
	}
	for m := range t.in.comm.Members {
		if !quiet(t.in.comm, int32(m)) {
			return false
		}
	}
	return true
}

// end hands over the race, or keeps it if it is not certain that it may happen. It reports whether the trial is over.
func (t *trial) end(o Outcome, victim *Receive, m *Send) bool {
	t.race.Outcome, t.race.Victim, t.race.Message, t.race.Proven = Harmless, nil, nil, false
	if o != Harmless && !t.unclear {
		if known, proven := t.blind(victim); known {
			t.race.Outcome, t.race.Victim, t.race.Message, t.race.Proven = o, victim, m, proven
		}
	}
	if t.ended = t.early() && t.race.Outcome != Harmless; !t.ended {
		t.in.d.found(&t.race)
	}
	return !t.ended
}

// blind reports whether the program would post x in the other order, too. It would if it can't tell the orders apart by
// then (proven): what gets another message has not completed, or nobody asked where the message came from. A status
// that the next receive overwrites is taken to be there because the call needs one, unless the program goes on to name
// the sender. It is not even likely (known) if it has probed, or if x names the sender of such a message.
func (t *trial) blind(x *Receive) (known, proven bool) {
	r := t.race.Receive
	if x == r {
		return true, true
	}
	if t.in.probed > r.Begun.At {
		return false, false
	}
	proven = true
	for _, y := range t.changed {
		if y.Done.At >= x.Begun.At {
			continue
		}
		if x.Source == y.Got.Member {
			return false, false
		}
		proven = proven && t.ignored(y, x)
	}
	return true, proven
}

// ignored reports whether the program does not look at the status of y before it posts x.
func (t *trial) ignored(y, x *Receive) bool {
	mine, known := t.in.d.status(y)
	if mine == 0 || !known {
		return known
	}
	next, known := t.in.d.status(x)
	return known && mine == next && t.in.named[y.Got.Member] <= y.Done.At
}
