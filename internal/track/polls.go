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

// polls follows threads that test and probe without success.
type polls struct{ *core }

// pollLog has the polls of a thread.
type pollLog struct {
	polls   uint64 // tests and probes that found nothing
	repeats uint64 // those without records
	turns   turns
	polling *polling // nil if there were none
}

// polling is the state of a thread that tests and probes without success.
type polling struct {
	polls uint64 // number of tests and probes without result, at the end of the last batch
	steps uint64 // number of all other calls, at that time
	since int    // the tick of the last of these
	last  int    // the tick of the last poll
	watch *watch // nil unless Watch was called
}

// watch collects the different polls of a thread.
type watch struct {
	from  int // the tick at which it began
	calls []match.Call
	more  bool // there were others

	questions [][]byte // of each
	room      []byte
}

// maxWatched is the maximum number of different polls of a thread that are kept. watchedSize is the maximum length of
// their records.
const (
	maxWatched  = 16
	watchedSize = 1 << 16
)

// findsNothing reports whether the record of a call that has returned is that of a test or probe that found nothing.
func (p *plan) findsNothing(rec []byte) bool {
	at := int(p.found.At)
	return at != 0 && at+4 <= len(rec) && returned(rec) == 0 && binary.LittleEndian.Uint32(rec[at:]) == 0
}

// turns are the polls of a thread since its last other call, all without success: the latest one of each call site.
type turns struct {
	last uint64 // number of the last of these calls
	recs [][]byte
	more bool // there were other call sites
}

// sites is the maximum number of call sites that are distinguished. repeatedSize is the maximum length of the record of
// a poll that is repeated without a record. It is not less than the maximum of the preload library.
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
		r.recs = r.recs[:0] // a repetition cannot refer to anything before it
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
		r.recs = r.recs[:n+1] // reuses the memory
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

// keepWatched stores a poll if the thread is watched.
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

// question appends the arguments of a poll to b, without the addresses of its results: there are no results, and the
// addresses may be anything.
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

// watching reports whether every poll of a thread must be looked at.
func (l *pollLog) watching() bool { return l.polling != nil && l.polling.watch != nil }

// noteProgress notes at the end of a batch whether the thread made other calls than polls.
func (ps *polls) noteProgress(th *Thread) {
	polls := th.polls + th.repeats
	if polls == 0 {
		return
	}
	steps := th.Calls - th.polls
	if f := th.Open.Func; f != nil && ps.plans[f.ID].found.Exists() {
		steps-- // the open call may turn out to be another one
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

// recently is the number of ticks after its last poll after which a thread no longer counts as polling.
const recently = 3

// Polling returns the number of ticks for which a thread has called only tests and probes that found nothing; 0 if it
// does not poll.
func (ps *polls) Polling(th *Thread) int {
	s := th.polling
	if s == nil || ps.Now-s.last > recently || th.Process.Ended != nil {
		return 0
	}
	return ps.Now - s.since
}

// Watch collects the different polls of a thread, from now until it makes another call.
func (ps *polls) Watch(th *Thread) {
	if s := th.polling; s != nil && s.watch == nil {
		s.watch = &watch{from: ps.Now}
	}
}

// Poll is what a thread tests or probes for.
type Poll struct {
	Call match.Call
	// Requests are the tested ones that have not completed. All: the poll succeeds when all of them are complete;
	// otherwise one is enough.
	Requests []*Request
	All      bool
	// View is the communicator of a probe. The probe is for a message from member Source, or match.Any, with Tag, or
	// match.Any.
	View        *View
	Source, Tag int32
}

// Polls returns what a thread polls for in turns. ticks is the time for which it has been watched. Polls returns nil if
// that is not known.
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
	case mpiapi.ActTest, mpiapi.ActTestall, mpiapi.ActRequestStatus, mpiapi.ActRequestStatusAll:
		p.All = true
		p.Requests, ok = th.Process.pending(pl, &c, true)
		ok = ok && len(p.Requests) > 0
	case mpiapi.ActTestany, mpiapi.ActTestsome, mpiapi.ActRequestStatusAny, mpiapi.ActRequestStatusSome:
		p.Requests, ok = th.Process.pending(pl, &c, false)
		ok = ok && len(p.Requests) > 0
	}
	return p, ok
}
