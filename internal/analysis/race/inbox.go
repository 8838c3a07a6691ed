package race

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
)

// inbox has the receives of one member of a communicator in the order in which they were posted.
type inbox struct {
	d      *Detector
	comm   *match.Comm
	member int32
	queue  []*Receive // from head on: the receives that have not completed, and those posted after them
	head   int
	recent []*Receive // the last receives before those in the queue, oldest first
	trials []*trial
	probed uint64           // the time at which the member last probed
	named  map[int32]uint64 // the time at which a send or receive last named another member

	anybody int  // receives from MPI_ANY_SOURCE in the queue
	since   int  // receives that got their message since the last receive from MPI_ANY_SOURCE got its message
	resting bool // no receive is wanted until there is one from MPI_ANY_SOURCE again
}

// add puts a receive at the end of the queue.
func (in *inbox) add(r *Receive) {
	if r.Source == match.Any {
		in.anybody++
		in.resting = false
	}
	in.queue = append(in.queue, r)
}

// restIfIdle lets the inbox rest if it follows no trial and findRivals would find no receive from MPI_ANY_SOURCE.
func (in *inbox) restIfIdle() {
	if !in.resting && in.anybody == 0 && in.since >= window && len(in.trials) == 0 {
		in.resting, in.recent = true, nil
		clear(in.named)
	}
}

// next takes the first receive out of the queue.
func (in *inbox) next() *Receive {
	r := in.queue[in.head]
	in.queue[in.head] = nil
	if r.Source == match.Any {
		in.anybody--
	}
	if in.head++; in.head == len(in.queue) {
		in.queue, in.head = in.queue[:0], 0
	} else if in.head >= queued {
		in.queue = append(in.queue[:0], in.queue[in.head:]...)
		in.head = 0
	}
	return r
}

// drain processes the receives at the beginning of the queue whose message is known.
func (in *inbox) drain() {
	for in.head < len(in.queue) && in.queue[in.head].over {
		r := in.next()
		if r.Got == nil {
			continue
		}
		in.trials = slices.DeleteFunc(in.trials, func(t *trial) bool { return t.step(r) })
		in.findRivals(r)
		if in.since++; r.Source == match.Any {
			in.since = 0
		} else {
			in.named[r.Source] = max(in.named[r.Source], r.Begun.At)
		}
		if len(in.recent) == 2*window {
			in.recent = append(in.recent[:0], in.recent[window:]...)
		}
		in.recent = append(in.recent, r)
	}
	in.restIfIdle()
}

// findRivals looks for receives before taker that could have got its message. It stops at a receive that completed
// before the message was begun: earlier receives cannot get the message either. It also stops at a receive that got an
// earlier message with the same tag from the same sender.
func (in *inbox) findRivals(taker *Receive) {
	s := taker.Got
	others := false // the receives examined so far got earlier messages of the sender, with other tags
	for i := len(in.recent) - 1; i >= max(0, len(in.recent)-window); i-- {
		r := in.recent[i]
		if r.Got.Member == s.Member {
			if r.Got.Tag == s.Tag {
				return
			}
			others = others || r.Got.Begun.At <= s.Begun.At
			continue
		}
		if r.Source != match.Any || !r.accepts(s) || others && r.Tag == match.Any {
			continue
		}
		if r.site.pairs++; r.site.pairs > thorough && r.site.pairs&(r.site.pairs-1) != 0 {
			return
		}
		if in.d.log.Before(r.Done, s.Begun) {
			return
		}
		if in.decided(i, s) || in.claimed(i, s) {
			continue
		}
		in.try(i, taker)
	}
}

// decided reports whether the i-th receive must have got its message before s is sent, although it has not completed.
// There are three reasons: the sender has noticed that the message was received; a receive that was posted later has
// got a message that the i-th receive would have got otherwise; or it has got another message of the same sender. (The
// last reason assumes that the messages of one sender arrive in order, whatever their tags. The standard does not
// guarantee this.)
func (in *inbox) decided(i int, s *Send) bool {
	r, log := in.recent[i], in.d.log
	for _, y := range in.recent[i:] {
		if y != r && !r.accepts(y.Got) && y.Got.Member != r.Got.Member {
			continue
		}
		if y.Got.Done.At != 0 && log.Before(y.Got.Done, s.Begun) ||
			y.Done.At < r.Done.At && log.Before(y.Done, s.Begun) {
			return true
		}
	}
	return false
}

// claimed reports whether a receive posted before the i-th could take s first: its own message may be sent only after
// the i-th receive has completed, or has got its message.
func (in *inbox) claimed(i int, s *Send) bool {
	done := in.recent[i].Done.At
	if noticed := in.recent[i].Got.Done.At; noticed != 0 {
		done = min(done, noticed)
	}
	return slices.ContainsFunc(in.recent[:i], func(r *Receive) bool { return r.Got.Begun.At >= done && r.accepts(s) })
}

// try begins a trial in which the i-th receive gets the message of taker.
func (in *inbox) try(i int, taker *Receive) {
	r := in.recent[i]
	t := &trial{in: in, changed: []*Receive{r}, race: Race{Comm: in.comm, Receive: r, Other: taker.Got, Taker: taker}}
	if !fits(r.Got, r) || !fits(taker.Got, taker) || len(in.trials) >= abreast {
		in.d.found(&t.race)
		return
	}
	if !fits(taker.Got, r) {
		if !t.end(Misfit, r, taker.Got) {
			in.trials = append(in.trials, t)
		}
		return
	}
	t.left = append(t.left, r.Got)
	t.gone = append(t.gone, taker.Got)
	for _, x := range append(in.recent[i+1:len(in.recent):len(in.recent)], taker) {
		if t.step(x) {
			return
		}
	}
	in.trials = append(in.trials, t)
}
