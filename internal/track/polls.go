package track

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// polls follows threads that test and probe in vain.
type polls struct{ *core }

// pollLog has the polls of a thread.
type pollLog struct {
	polls   uint64 // tests and probes that found nothing
	repeats uint64 // such as have no records
	turns   turns
	polling *polling // nil if there were none
}

// polling is what is known of a thread that tests and probes in vain.
type polling struct {
	polls uint64 // tests and probes without result, as of the last batch
	steps uint64 // all other calls, as of then
	since int    // the tick at which there was the last of those
	last  int    // the tick at which there was the last poll
	watch *watch // nil unless somebody wants to know
}

// watch collects the different polls of a thread.
type watch struct {
	from  int // the tick at which it began
	calls []match.Call
	more  bool // there were others

	questions [][]byte // of each
	room      []byte
}

// maxWatched is how many different polls of a thread are kept, and how long their records may be.
const (
	maxWatched  = 16
	watchedSize = 1 << 16
)

// findsNothing reports whether the record of a call that has returned is that of a test or probe that found nothing.
func (p *plan) findsNothing(rec []byte) bool {
	at := int(p.found.At)
	return at != 0 && at+4 <= len(rec) && returned(rec) == 0 && binary.LittleEndian.Uint32(rec[at:]) == 0
}

// turns are the polls that a thread has made since it did something else, all in vain: the latest of each call site.
type turns struct {
	last uint64 // the number of the call that was the last of them
	recs [][]byte
	more bool // there were other call sites
}

// sites is how many call sites are told apart, and repeatedSize how long the record of a poll may be that is repeated
// without one: no less than what the preload library takes.
const (
	sites        = 8
	repeatedSize = 1 << 10
)

// notePoll notes a poll that found nothing, given its record.
func (th *Thread) notePoll(rec []byte) {
	th.polls++
	r := &th.turns
	if r.last+1 != th.Calls {
		r.recs, r.more = r.recs[:0], false
	}
	r.last = th.Calls
	if len(rec) > repeatedSize || rec[layout.RecordFlagsAt]&layout.Timed != 0 {
		r.recs = r.recs[:0] // nothing before it is repeated any more
		return
	}
	site := binary.LittleEndian.Uint32(rec[layout.RecordSiteAt:])
	for i, o := range r.recs {
		if binary.LittleEndian.Uint32(o[layout.RecordSiteAt:]) == site {
			r.recs[i] = append(o[:0], rec...)
			return
		}
	}
	switch n := len(r.recs); {
	case n == sites:
		r.more = true
	case n < cap(r.recs):
		r.recs = r.recs[:n+1] // with what it was used for before
		r.recs[n] = append(r.recs[n][:0], rec...)
	default:
		r.recs = append(r.recs, bytes.Clone(rec))
	}
}

// followRepeats notes polls without records.
func (ps *polls) followRepeats(th *Thread, n uint64) {
	th.repeats += n
	if th.watching() && th.turns.last == th.Calls {
		th.polling.watch.more = th.polling.watch.more || th.turns.more
		for _, rec := range th.turns.recs { // it may have been any of them
			if c, err := event.ParseCall(rec); err == nil {
				ps.keepWatched(th, &c)
			}
		}
	}
	ps.noteProgress(th)
}

// followPoll notes a poll that found nothing.
func (ps *polls) followPoll(th *Thread, c *event.Call) {
	th.notePoll(c.Raw())
	ps.keepWatched(th, c)
}

// keepWatched notes a poll for who watches the thread.
func (ps *polls) keepWatched(th *Thread, c *event.Call) {
	if !th.watching() {
		return
	}
	w, rec := th.polling.watch, c.Raw()
	q := ps.question(w.room[:0], c)
	w.room = q
	if slices.ContainsFunc(w.questions, func(o []byte) bool { return bytes.Equal(o, q) }) {
		return
	}
	if len(w.calls) == maxWatched || len(rec) > watchedSize {
		w.more = true
		return
	}
	w.calls = append(w.calls, match.Call{Thread: th.ID, Raw: bytes.Clone(rec)})
	w.questions = append(w.questions, bytes.Clone(q))
}

// question appends to b what a poll asks for: its arguments, without where its results were to go, of which there are
// none and which may hold anything.
func (ps *polls) question(b []byte, c *event.Call) []byte {
	rec := c.Raw()
	used := min(max(int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:])), layout.SizeofRecord), len(rec))
	b = append(b, rec[:used]...)
	if p := &ps.plans[c.Func.ID]; p.requests >= 0 {
		list, _ := c.In(p.requests)
		for i := range list.Len() {
			b = binary.LittleEndian.AppendUint64(b, list.Handle(i))
		}
	}
	return b
}

// watching reports whether every poll of a thread is to be looked at.
func (l *pollLog) watching() bool { return l.polling != nil && l.polling.watch != nil }

// noteProgress notes at the end of a batch whether the thread did anything but poll.
func (ps *polls) noteProgress(th *Thread) {
	polls := th.polls + th.repeats
	if polls == 0 {
		return
	}
	steps := th.Calls - th.polls
	if f := th.Open.Func; f != nil && ps.plans[f.ID].found.Exists() {
		steps-- // it may turn out to be another
	}
	s := th.polling
	if s == nil {
		s = new(polling)
		th.polling = s
	}
	if polls != s.polls {
		s.polls, s.last = polls, ps.Now
	}
	if steps != s.steps {
		s.steps, s.since, s.watch = steps, ps.Now, nil
	}
}

// recently is how many ticks after its last poll a thread is taken to poll no longer.
const recently = 3

// Polling returns for how many ticks a thread has called nothing but tests and probes that found nothing; 0 if it
// does not.
func (ps *polls) Polling(th *Thread) int {
	s := th.polling
	if s == nil || ps.Now-s.last > recently || th.Process.Ended != nil {
		return 0
	}
	return ps.Now - s.since
}

// Watch has the different polls of a thread collected, from now until it does something else.
func (ps *polls) Watch(th *Thread) {
	if s := th.polling; s != nil && s.watch == nil {
		s.watch = &watch{from: ps.Now}
	}
}

// Poll is something that a thread tests or probes for.
type Poll struct {
	Call match.Call
	// Requests are those tested that have not completed. All: it succeeds when all of them have, else when one has.
	Requests []*Request
	All      bool
	// View is the communicator of a probe, for a message from member Source, or match.Any, with Tag, or match.Any.
	View        *View
	Source, Tag int32
}

// Polls returns what a thread polls for, in turns; ticks is how long it has been watched for that. It is nil if that
// is not known.
func (ps *polls) Polls(th *Thread) (list []Poll, ticks int) {
	s := th.polling
	if s == nil || s.watch == nil || s.watch.more {
		return nil, 0
	}
	for i := range s.watch.calls {
		p, ok := ps.describePoll(th, &s.watch.calls[i])
		if !ok {
			return nil, 0
		}
		list = append(list, p)
	}
	return list, ps.Now - s.watch.from
}

func (ps *polls) describePoll(th *Thread, call *match.Call) (p Poll, ok bool) {
	c, err := event.ParseCall(call.Raw)
	if err != nil {
		return p, false
	}
	p.Call = *call
	pl := &ps.plans[c.Func.ID]
	switch pl.act {
	case mpiapi.ActProbe, mpiapi.ActMprobe:
		p.View, p.Source, p.Tag, ok = th.Process.probing(pl, call.Raw)
	case mpiapi.ActTest, mpiapi.ActRequestStatus, mpiapi.ActTestall, mpiapi.ActTestany, mpiapi.ActTestsome:
		p.All = pl.act != mpiapi.ActTestany && pl.act != mpiapi.ActTestsome
		p.Requests, ok = th.Process.pending(pl, &c, p.All)
		ok = ok && len(p.Requests) > 0
	}
	return p, ok
}
