package threads

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// overlap is a call that a thread seems to have made while another thread was in MPI.
type overlap struct {
	thread, other *track.Thread
	call          match.Call
	mistake       mistake
	enter         uint64 // time stamp
	since         int    // tick
}

// certain is how many ticks of the time stamp counter two calls must overlap to be reported. A processor may read the
// counter before it has the lock that separates the two threads.
const certain = 500

// together reports two calls at the same time, if they have no times. Otherwise it waits until it is known how long
// they overlap.
func (o *order) together(c track.Call, other *track.Thread, e mistake) {
	if enter, _, timed := c.Call.Times(); timed {
		o.overlaps = append(o.overlaps, overlap{c.Thread, other, c.Kept(), e, enter, o.now})
		c.Thread.Explained = track.ByOrder
		c.Thread.TellReturn()
		other.TellReturn()
	} else {
		o.report(c.Thread, c.Kept(), e)
	}
	if other.Explained == track.Unexplained {
		other.Explained = track.ByOrder // other checks do not report what follows from it
	}
}

// returned decides, when a thread returns from a call, whether that call has overlapped another one.
func (o *order) returned(c track.Call) {
	_, leave, timed := c.Call.Times()
	o.overlaps = slices.DeleteFunc(o.overlaps, func(s overlap) bool {
		if s.thread != c.Thread && s.other != c.Thread {
			return false
		}
		if timed && leave > s.enter && leave-s.enter >= certain {
			o.publish(s.thread, s.call, s.mistake)
		}
		return true
	})
}

// tick reports the calls that have certainly overlapped, as neither has returned for a while.
func (o *order) tick(struct{}) {
	o.now++
	o.overlaps = slices.DeleteFunc(o.overlaps, func(s overlap) bool {
		if o.now-s.since < 2 {
			return false
		}
		o.publish(s.thread, s.call, s.mistake)
		return true
	})
}
