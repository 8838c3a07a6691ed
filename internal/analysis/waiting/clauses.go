package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// parts are the parts of a call, or of a request, that has not completed.
type parts struct {
	firm  []Clause // parts that have not completed
	loose []Clause // parts that may have completed: the message of a standard send may have been copied
	// unknown: nothing is known about one of the parts. The call may wait for it.
	unknown bool
}

func (ps *parts) add(q parts) {
	switch {
	case len(ps.firm) == 0:
		ps.firm = slices.Clip(q.firm) // the slice may be shared
	default:
		ps.firm = append(ps.firm, q.firm...)
	}
	ps.loose = append(ps.loose, q.loose...)
	ps.unknown = ps.unknown || q.unknown
}

// clauses returns what must happen for all parts to complete, given that some have not completed. It is nil if that is
// not known. A part that may have completed is included only if no other part can be the cause of the wait.
func (ps *parts) clauses() []Clause {
	if len(ps.firm) > 0 {
		return ps.firm
	}
	if ps.unknown || !slices.ContainsFunc(ps.loose, func(c Clause) bool { return c.What != ToTransfer }) {
		return nil
	}
	if len(ps.loose) == 1 {
		return ps.loose
	}
	ways := make([][]Clause, len(ps.loose))
	for i := range ps.loose {
		ways[i] = ps.loose[i : i+1 : i+1]
	}
	return []Clause{{What: Either, Ways: ways}}
}

// lenient reports whether the standard allows MPI to return without some of the parts, as far as is known.
func (ps *parts) lenient() bool {
	return ps.unknown ||
		slices.ContainsFunc(ps.loose, func(c Clause) bool { return c.What == ToJoin || c.What == ToStart })
}

// clauses works out what a thread waits for. The result is nil if this is not known, or if the thread waits for nothing
// and may go on. lenient: the standard may allow MPI to return without some of it.
func (l *look) clauses(th *track.Thread) (cs []Clause, lenient bool) {
	var ps parts
	switch th.Open.Func.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv:
		for _, op := range th.Waiting() {
			if op != nil {
				ps.add(l.operation(op, nil))
			}
		}
	case mpiapi.Wait:
		reqs, all, known := l.a.tracker.Pending(th)
		if !known || len(reqs) == 0 {
			return nil, false
		}
		if !all {
			return l.waitForAny(reqs)
		}
		ps = l.waitForAll(reqs)
	case mpiapi.Probe:
		v, source, tag, blocking := l.a.tracker.Probing(th)
		if blocking && v != nil {
			ps.add(l.probe(th, v, source, tag))
		}
	case mpiapi.Collective, mpiapi.CollectiveInit: // the latter may wait for others as well (section 6.13)
		v, pos := th.InCollective()
		if v == nil {
			return nil, false
		}
		ps.add(l.collective(v, pos))
		if peer, leader := l.a.tracker.Counterpart(th); leader != nil {
			ps.firm = append(slices.Clip(ps.firm), Clause{What: ToLead, Comm: peer, Procs: l.setOf(leader)})
		}
	}
	return ps.clauses(), ps.lenient()
}

// waitForAny works out what must happen for a call to return that waits for one of several requests. None has
// completed.
func (l *look) waitForAny(reqs []*track.Request) (cs []Clause, lenient bool) {
	var ways [][]Clause
	for _, r := range reqs {
		ps := l.request(r, nil)
		way := ps.clauses()
		if way == nil {
			return nil, false
		}
		ways = append(ways, way)
		lenient = lenient || ps.lenient()
	}
	if len(ways) == 1 {
		return ways[0], lenient
	}
	return []Clause{{What: Either, Ways: ways}}, lenient
}

// waitForAll works out what must happen for a call to return that waits for all of several requests.
func (l *look) waitForAll(reqs []*track.Request) (ps parts) {
	var g *gang
	if len(reqs) > 1 {
		g = newGang(reqs)
	}
	for _, r := range reqs {
		ps.add(l.request(r, g))
	}
	return ps
}

// operation works out which processes a send or receive waits for. g is the receives that the call waits for together;
// nil if the call waits only for this one.
func (l *look) operation(op *match.Op, g *gang) parts {
	c := op.Comm
	switch {
	case c.Opaque || op.Removed:
		return parts{unknown: true}
	case op.Matched:
		// The data may still be moving. This requires that the other process calls MPI, or has called it.
		return l.part(Clause{What: ToTransfer, Op: op, Procs: l.member(c, op.Peer), Loose: true})
	case op.Send:
		if op.Mode == match.Buffered || op.Expected() {
			return parts{unknown: true}
		}
		return l.part(Clause{What: ToReceive, Op: op, Procs: l.member(c, op.Peer), Loose: op.Mode != match.Synchronous})
	}
	d := op.Demand()
	if !g.enters(&d) {
		return parts{}
	}
	switch s, from, senders := d.Supply(); s {
	case match.Unmet, match.Short:
		return l.part(Clause{
			What: ToSend, Op: op, Tag: op.Tag, Source: op.Peer,
			Procs: l.sources(c, op.Me, from), Further: s == match.Short,
		})
	case match.Shared: // it may have to wait for others
		return l.part(Clause{What: ToTransfer, Op: op, Procs: l.sources(c, op.Me, op.Peer), Loose: true})
	case match.Enough: // it completes once its message has moved
		cl := Clause{What: ToTransfer, Op: op, Loose: true}
		for _, m := range senders {
			p := l.member(c, m)
			if p == nil {
				return parts{unknown: true}
			}
			cl.Procs = append(cl.Procs, p[0])
		}
		return l.part(cl)
	}
	return parts{unknown: true}
}

// gang is receives that a call waits for together. Of the receives with the same envelope, only one is examined.
type gang struct {
	receives map[*match.Op]bool
	last     map[envelope]*match.Op // the receive posted last, of those with the same envelope
}

// envelope is the communicator, source and tag of a receive.
type envelope struct {
	comm        *match.Comm
	source, tag int32
}

func newGang(reqs []*track.Request) *gang {
	g := &gang{receives: make(map[*match.Op]bool), last: make(map[envelope]*match.Op)}
	for _, r := range reqs {
		if r.Cancelled {
			continue
		}
		for _, op := range r.Ops {
			if op == nil || op.Send || op.Matched || op.Removed {
				continue
			}
			g.receives[op] = true
			k := envelope{op.Comm, op.Peer, op.Tag}
			if old := g.last[k]; old == nil || old.Order() < op.Order() {
				g.last[k] = op
			}
		}
	}
	return g
}

// enters adds the receives of the gang to a demand. It is false if another receive represents this one.
func (g *gang) enters(d *match.Demand) bool {
	if g == nil {
		return true
	}
	d.Needed = g.receives
	return g.last[envelope{d.Comm, d.Source, d.Tag}] == d.Op
}

// part sorts a clause into firm or loose parts. It is an unknown part if one of its processes is not seen.
func (l *look) part(c Clause) parts {
	switch {
	case c.Procs == nil:
		return parts{unknown: true}
	case c.Loose:
		return parts{loose: []Clause{c}}
	}
	return parts{firm: []Clause{c}}
}

func (l *look) probe(th *track.Thread, v *track.View, source, tag int32) parts {
	d := match.Demand{Comm: v.Comm, Me: v.Me, Source: source, Tag: tag, Thread: th.ID}
	s, from, _ := d.Supply()
	if s != match.Unmet && s != match.Short {
		return parts{unknown: true}
	}
	return l.part(Clause{
		What: ToSend, Comm: v, Tag: tag, Source: source,
		Procs: l.sources(v.Comm, v.Me, from), Further: s == match.Short,
	})
}

func (l *look) request(r *track.Request, g *gang) (ps parts) {
	switch r.Kind {
	case track.CollectiveRequest:
		if r.Persistent {
			return l.round(r)
		}
		return l.collective(r.View, r.Pos)
	case track.OtherRequest:
		if r.Partitioned != nil {
			return l.partitioned(r.Partitioned)
		}
		return parts{unknown: true}
	}
	if r.Cancelled { // MPI completes it without the other process (section 3.8.4)
		return parts{unknown: true}
	}
	for _, op := range r.Ops {
		if op != nil {
			ps.add(l.operation(op, g))
		}
	}
	return ps
}

// partitioned works out which processes a partitioned message waits for (MPI standard, section 4.2). A send waits until
// its own process has marked its partitions ready. A receive waits until the sender has started the send and marked its
// partitions ready. The standard lets a send complete before its receive is started.
func (l *look) partitioned(h *track.Partitioned) parts {
	op := h.Op
	c := op.Comm
	if c.Opaque || c.World != nil && c.World.Unsure {
		return parts{unknown: true}
	}
	cl := Clause{Op: op, Tag: op.Tag, Source: op.Peer, Procs: l.member(c, op.Peer), Loose: h.Send}
	switch p := h.Partner; {
	case h.Send && !h.Ready():
		cl.What, cl.Procs, cl.Loose = ToReady, l.member(c, op.Me), false
	case p == nil && h.Send:
		cl.What = ToReceive
	case p == nil:
		cl.What = ToSend
	case p.Round < h.Round:
		cl.What = ToStart
	case !h.Send && p.Round == h.Round && !p.Ready():
		cl.What = ToReady
	default:
		cl.What, cl.Loose = ToTransfer, true
	}
	return l.part(cl)
}

// member returns the process of a member as a set; nil if the process is not seen.
func (l *look) member(c *match.Comm, m int32) []*track.Process {
	if m < 0 || int(m) >= len(c.Members) {
		return nil
	}
	return l.setOf(l.a.tracker.ProcessOf(c.World, int(c.Members[m])))
}

// setOf returns a set of one process; nil if p is nil.
func (l *look) setOf(p *track.Process) []*track.Process {
	if p == nil {
		return nil
	}
	i := p.Proc.ID
	return l.a.tracker.Processes[i : i+1 : i+1]
}

// sources returns the processes that may send a message to member me; nil if one of them is not seen.
func (l *look) sources(c *match.Comm, me, source int32) []*track.Process {
	if source != match.Any {
		return l.member(c, source)
	}
	base := c.PeerBase(me)
	return l.members(c, base, base+int32(c.Peers(me)))
}

// section is a range of members of a communicator.
type section struct {
	comm     *match.Comm
	from, to int32
}

// members returns the processes of members [from, to); nil if one of them is not seen. During one look it always
// returns the same slice, so threads that wait for any of these processes share it.
func (l *look) members(c *match.Comm, from, to int32) []*track.Process {
	k := section{c, from, to}
	if ps, ok := l.sections[k]; ok {
		return ps
	}
	ps := make([]*track.Process, 0, to-from)
	for m := from; m < to; m++ {
		p := l.member(c, m)
		if p == nil {
			ps = nil
			break
		}
		ps = append(ps, p[0])
	}
	l.sections[k] = ps
	return ps
}
