package race

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
)

// trial follows the receives of an inbox in a hypothetical run in which a receive has got another message. All calls
// are the same. The message of each receive follows from MPI's rules: of the messages of one sender that a receive
// accepts, it gets the first that is left (MPI standard, section 3.5). A receive from MPI_ANY_SOURCE gets the message
// that it got in the real run, if that message is available.
type trial struct {
	in      *inbox
	race    Race
	left    []*Send    // received by now in the real run, but not in this one
	gone    []*Send    // received by now in this run, but not in the real one
	waiting []*Receive // have got no message, although they had one in the real run
	changed []*Receive // have got another message than in the real run, including the receive itself
	steps   int
	// bad is a receive that gets a message that does not fit. The receives before it that wait must first get their
	// messages.
	bad struct {
		receive *Receive
		message *Send
	}
	// ended: the end of the trial is known, but it is not yet known whether its beginning is possible.
	ended bool
	// unclear: it is not known which of several messages with different tags is the first.
	unclear bool
}

// step lets the next receive get its message. It reports whether the trial is over.
func (t *trial) step(x *Receive) bool {
	m := x.Got
	if t.early() && m.Member == t.race.Other.Member && m.Begun.At < t.race.Other.Begun.At {
		t.ended = false // the receive would have got this message
		return t.end(Harmless, nil, nil)
	}
	if t.ended {
		return false
	}
	if t.steps++; t.steps > followed || len(t.left) > onTheWay || len(t.waiting) > heldBack ||
		len(t.changed) > differing || !fits(x.Got, x) {
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

// give gives w the message m, which was received after w was posted. Its source is the one that w names, or w accepts
// any source.
func (t *trial) give(w *Receive, m *Send) bool {
	switch {
	case w.Source == match.Any: // w may get another message
		return t.end(Harmless, nil, nil)
	case t.in.d.log.Before(w.Done, m.Begun):
		return t.end(Stuck, w, nil)
	}
	t.unclear = t.unclear || w.Tag == match.Any
	return t.fail(w, m)
}

// find gives a receive whose message is gone one of the messages that are left.
func (t *trial) find(x *Receive) bool {
	best := -1
	var seen []int32 // senders; only the first message of each is available
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

// inOrder sorts the messages that are left by the time at which they were sent.
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

// fail ends the trial if m does not fit x.
func (t *trial) fail(x *Receive, m *Send) bool {
	if t.bad.receive == nil && !fits(m, x) {
		t.bad.receive, t.bad.message = x, m
	}
	if t.bad.receive == nil || len(t.waiting) > 0 {
		return false
	}
	return t.end(Misfit, t.bad.receive, t.bad.message)
}

// settled ends the trial if all receives have got the same messages as in the real run.
func (t *trial) settled() bool {
	if len(t.left)+len(t.gone)+len(t.waiting) > 0 {
		return false
	}
	return t.end(Harmless, nil, nil)
}

// early reports whether the sender may have sent an earlier message that the receive would have got: a message with
// another tag that has been received later.
func (t *trial) early() bool { return t.race.Receive.Tag == match.Any && t.race.Taker.Tag != match.Any }

// finish ends the trial at the end of the run.
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

// silent reports whether no process has sent, or will send, a message that w accepts.
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

// end reports the race to the detector, or keeps it while it is not certain that it can happen. It reports whether the
// trial is over.
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

// blind reports whether the program would post x in the other order, too. It certainly would (proven) if it cannot
// distinguish the orders before it posts x: the receives that get another message have not completed, or the program
// does not ask where their messages came from. If the next receive overwrites a status, the program is assumed not to
// read it, unless the program later names the sender. It is not even likely that it would (known is false) if the
// program has probed, or if x names the sender of such a message.
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
