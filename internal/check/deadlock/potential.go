package deadlock

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/strictreplay"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed potential.md
var potentialDoc string

// Potential reports processes that continued only because MPI buffered a message, or let a process leave a collective
// early (package strictreplay).
var Potential = &check.Check{
	ID:          "GLOBAL:DEADLOCK:POTENTIAL",
	Severity:    finding.Error,
	Title:       "processes would wait for each other forever if MPI did not buffer their messages",
	Doc:         potentialDoc,
	Portability: true,
	Needs:       []analysis.Need{strictreplay.Fact, waiting.Fact},
	Start: func(x *check.Run) {
		p := &potentials{x: x, found: make(map[string]*potential), recent: make(map[uint64]*potential)}
		strictreplay.Fact.Of(x.Facts).Knots.On(x.Owner, p.knot)
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, p.deadlock)
		x.Track.Tick.On(x.Owner, func(struct{}) { p.tick() })
		x.Track.RunOver.On(x.Owner, func(struct{}) { p.finish() })
	},
}

// potentials are the potential deadlocks of a run. They are reported when the program has continued for a while, or has
// ended. If it hangs in the same calls a moment later, that is a real deadlock, which is reported instead.
type potentials struct {
	x       *check.Run
	found   map[string]*potential // by the places of their calls
	keys    []string              // of those, in the order in which they were found
	recent  map[uint64]*potential // by mark
	largest int64                 // bytes of the largest message that was seen to be buffered
}

// potential is a potential deadlock. It may occur again after its report.
type potential struct {
	finding  *finding.Finding // its count is of the occurrences since the last report
	head     string           // the beginning of the message
	lines    []string         // what each process waits for
	mixed    bool             // they wait in different calls
	requests bool             // a call waits for a request of a send
	order    []string         // place of each site that waits
	relied   []string         // sends that were buffered
	left     []string         // collectives that a process may have left early
	hangs    bool             // the same calls are in a real deadlock
	sends    []*match.Op      // of the first occurrence, not received yet
	procs    map[*track.Process]bool
	age      int // ticks
	told     bool
}

// seasoned is how many ticks after its occurrence a potential deadlock is reported. A real one is reported before.
const seasoned = 30

func (p *potentials) knot(k *strictreplay.Knot) {
	p.largest = max(p.largest, k.Largest)
	if !slices.ContainsFunc(k.Waits, func(w strictreplay.Wait) bool { return w.Op != nil || w.Nonblocking }) {
		return // collectives in different orders: GLOBAL:COLLECTIVE:ORDER_MISMATCH
	}
	same := mark(k)
	if q := p.recent[same]; q != nil {
		q.finding.Count++ // the same threads and calls
		return
	}
	places := make([]string, len(k.Waits))
	for i := range k.Waits {
		places[i] = p.x.Place(k.Waits[i].Place)
	}
	key := strings.Join(slices.Compact(slices.Sorted(slices.Values(places))), "|")
	q := p.found[key]
	if q == nil {
		q = &potential{procs: make(map[*track.Process]bool), finding: &finding.Finding{Key: key}}
		p.describe(q, k, places)
		for _, w := range k.Waits {
			if w.Buffered && !w.Op.Matched {
				w.Op.Retain()
				q.sends = append(q.sends, w.Op)
			}
		}
		p.found[key] = q
		p.keys = append(p.keys, key)
	}
	f := q.finding
	f.Count++
	for i := range k.Waits {
		pr := k.Waits[i].Thread.Process
		q.procs[pr] = true
		s := &f.Sites[slices.Index(q.order, places[i])]
		if s.Rank != pr.Rank && !slices.Contains(s.Also, pr.Rank) {
			s.Also = append(s.Also, pr.Rank)
		}
	}
	if len(p.recent) < remembered {
		p.recent[same] = q
	}
}

// remembered is how many circles are recognised by their mark.
const remembered = 1 << 14

// mark is equal for circles of the same threads in the same places (FNV-1a over words).
func mark(k *strictreplay.Knot) uint64 {
	h := uint64(14695981039346656037)
	for i := range k.Waits {
		c := &k.Waits[i].Place
		h = (h ^ uint64(c.Thread)) * 1099511628211
		if len(c.Raw) >= layout.SizeofRecord {
			site := binary.LittleEndian.Uint32(c.Raw[layout.RecordSiteAt:])
			h = (h ^ uint64(c.Func())<<32 ^ uint64(site)) * 1099511628211
		}
	}
	return h
}

// describe describes a circle in words.
func (p *potentials) describe(q *potential, k *strictreplay.Knot, places []string) {
	f := q.finding
	var (
		cycle   []int
		details []map[string]any
		more    []finding.Site // where the operations began
	)
	for i := range k.Waits {
		w := &k.Waits[i]
		rank := w.Thread.Process.Rank
		cycle = append(cycle, rank)
		if len(q.lines) < 4*shown {
			q.lines = append(q.lines, fmt.Sprintf("Rank %d waits in %s.", rank,
				p.waiting(w, k.Waits[(i+1)%len(k.Waits)].Thread.Process)))
		}
		q.mixed = q.mixed || places[i] != places[0]
		q.requests = q.requests || w.Begun && w.Op != nil && w.Op.Send
		if w.Buffered {
			details = append(details,
				map[string]any{"rank": rank, "call": p.x.Func(w.Op.Call).Name, "bytes": bytes(w.Op)})
		}
		if slices.Contains(q.order, places[i]) {
			continue
		}
		q.order = append(q.order, places[i])
		site := p.x.Site("waiting", w.Place)
		if site.Call = p.x.Site("", w.Call).Call; w.Op != nil && !w.Probe && w.Begun {
			more = append(more, p.x.Site("begun", w.Op.Call))
		}
		f.Sites = append(f.Sites, site)
		switch {
		case w.Buffered:
			q.relied = append(q.relied, fmt.Sprintf("%s of rank %d (%s)", p.x.Func(w.Op.Call).Name, rank, size(w.Op)))
		case w.Op == nil:
			q.left = append(q.left, fmt.Sprintf("%s on rank %d", p.x.Func(w.Call).Name, rank))
		}
	}
	if n := len(k.Waits) - len(q.lines); n > 0 {
		q.lines = append(q.lines, fmt.Sprintf("%s more wait likewise.", check.Plural(n, "process", "processes")))
	}
	q.head = p.head(k)
	f.Sites = append(f.Sites, more...)
	f.Details = map[string]any{"cycle": cycle}
	if len(details) > 0 {
		f.Details["buffered"] = details
	}
}

// head says what the first thread of a circle waits for, and where the next one is: "MPI_Send may wait for rank 1 to
// receive (4 bytes), and rank 1 is itself in MPI_Send to rank 0 (x.c:12)".
func (p *potentials) head(k *strictreplay.Knot) string {
	x, w := p.x, &k.Waits[0]
	next := &k.Waits[1%len(k.Waits)]
	text := fmt.Sprintf("%s may wait for %s", p.name(w, true), p.need(w, next.Thread.Process))
	if w.Op != nil && w.Op.Send {
		text += " (" + size(w.Op) + ")"
	}
	if len(k.Waits) == 1 {
		return text
	}
	text += fmt.Sprintf(", and rank %d is itself in %s", next.Thread.Process.Rank, p.name(next, false))
	switch after := k.Waits[2%len(k.Waits)].Thread.Process; {
	case next.Op == nil:
	case next.Op.Send:
		text += fmt.Sprintf(" to rank %d", after.Rank)
	default:
		text += fmt.Sprintf(" from rank %d", after.Rank)
	}
	if line := x.Line(next.Place); line != "" && line == x.Line(w.Place) {
		text += " at the same line"
	} else {
		text += check.Parens(line)
	}
	if len(k.Waits) > 2 {
		text += ", and so on in a cycle"
	}
	return text
}

// name names the call that a thread waits in, and the call that began the operation.
func (p *potentials) name(w *strictreplay.Wait, line bool) string {
	name := p.x.Func(w.Call).Name
	switch {
	case w.Op == nil || w.Probe || !w.Begun:
	case line:
		name += " for " + p.x.CallIn(w.Op.Call)
	default:
		name += " for " + p.x.Func(w.Op.Call).Name
	}
	return name
}

// need says what a thread waits for.
func (p *potentials) need(w *strictreplay.Wait, next *track.Process) string {
	who := fmt.Sprintf("rank %d", next.Rank)
	if next == w.Thread.Process {
		who += " itself"
	}
	switch {
	case w.Op == nil:
		return who + " to call it too"
	case w.Op.Send:
		return who + " to receive"
	}
	return who + " to send"
}

// waiting says where a thread waits, and what for.
func (p *potentials) waiting(w *strictreplay.Wait, next *track.Process) string {
	return fmt.Sprintf("%s%s for %s", p.name(w, false), check.Parens(p.x.Line(w.Place)), p.need(w, next))
}

func bytes(op *match.Op) int64 {
	n, _ := op.Use().Bytes()
	return n
}

func size(op *match.Op) string {
	n, ok := op.Use().Bytes()
	if !ok {
		return "of unknown length"
	}
	return check.Plural(int(n), "byte", "bytes")
}

// deadlock drops the potential deadlocks that have become real.
func (p *potentials) deadlock(d *waiting.Deadlock) {
	for i := range d.Blocked {
		place := p.x.Place(d.Blocked[i].Call)
		for _, q := range p.found {
			q.hangs = q.hangs || slices.Contains(q.order, place)
		}
	}
}

func (p *potentials) tick() {
	for _, key := range p.keys {
		q := p.found[key]
		if q.age++; !q.told && q.age >= seasoned && !q.threaded() {
			p.reportPotential(q)
		}
	}
}

// finish reports the rest: those of processes that might have had several threads, and those that have occurred again.
func (p *potentials) finish() {
	for _, key := range p.keys {
		if q := p.found[key]; q.finding.Count > 0 {
			p.reportPotential(q)
		}
	}
}

// threaded reports whether another thread may still call MPI. Then the recorded calls are not all that the processes
// do.
func (q *potential) threaded() bool {
	for pr := range q.procs {
		if pr.Multiple {
			return true
		}
	}
	return false
}

// certain reports whether to report a potential deadlock. No process may have several threads, and the messages must
// have been received. A message that is never received belongs to another finding.
func (q *potential) certain() bool {
	for pr := range q.procs {
		if len(pr.Threads) > 1 {
			return false
		}
	}
	return !q.hangs && !slices.ContainsFunc(q.sends, func(op *match.Op) bool { return !op.Matched })
}

func (p *potentials) reportPotential(q *potential) {
	f := q.finding
	switch {
	case q.told:
	case !q.certain():
		return
	default:
		q.told = true
		p.conclude(q)
		for _, op := range q.sends {
			p.x.Tracker.Match.Forget(op)
		}
	}
	f.Ranks = nil
	for pr := range q.procs {
		f.Ranks = append(f.Ranks, pr.Rank)
	}
	p.x.Report(f.Clone())
	f.Count = 0
}

// conclude completes the texts of a finding.
func (p *potentials) conclude(q *potential) {
	f := q.finding
	cycle := f.Details["cycle"].([]int)
	luck := "MPI buffered the message"
	if len(q.relied) == 0 {
		luck = "MPI let a rank leave the collective early"
	}
	f.Message = q.head + fmt.Sprintf(": %s would be deadlocked, but %s", finding.RankNames(cycle), luck)
	if len(cycle) > 2 {
		path := make([]string, 0, len(cycle)+1)
		for _, r := range append(slices.Clone(cycle), cycle[0]) {
			path = append(path, fmt.Sprint(r))
		}
		f.Message += "\nThe cycle is " + strings.Join(path, " -> ") + "."
		if q.mixed {
			f.Message += "\n" + strings.Join(q.lines, "\n")
		}
	}
	f.Why = "In this run, MPI let " + check.Join(q.left) +
		" return before all had called it. A collective may wait until all " +
		"processes of the communicator have called it (MPI standard, chapter 6)."
	f.Advice = "On all processes, call the collective before the messages, or on all of them after the messages. Or " +
		"receive with MPI_Irecv."
	if len(q.relied) > 0 {
		f.Details["buffered_bytes_max"] = p.largest
		f.Why = fmt.Sprintf("A standard send may wait until its receive has begun (MPI standard, section 3.4), and "+
			"does so for longer messages or with another MPI library. In this run, MPI buffered messages of up to %s.",
			check.Plural(int(p.largest), "byte", "bytes"))
		f.Advice = "Let one side receive first, or use MPI_Sendrecv, or post the receives with MPI_Irecv before the " +
			"sends. If buffering is intended, use MPI_Bsend."
		switch {
		case len(cycle) == 1:
			f.Advice = "Post the receive with MPI_Irecv before the send, or use MPI_Sendrecv. If buffering is " +
				"intended, use MPI_Bsend."
		case q.requests:
			f.Advice = "Post the receives before the wait for the sends. If buffering is intended, use MPI_Ibsend."
		}
	}
}
