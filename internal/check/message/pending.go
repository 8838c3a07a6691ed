package message

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed pending.md
var pendingDoc string

// Pending finds messages that were sent and never received: their sender and receiver have called MPI_Finalize, or all
// members have freed the communicator. All communication must be complete before (MPI 4.0, section 11.2.2). There is
// one finding for each place of the sends.
var Pending = &check.Check{
	ID:       "GLOBAL:MSG:PENDING",
	Severity: finding.Warning,
	Title:    "messages are sent and never received",
	Doc:      pendingDoc,
	Start: func(x *check.Run) {
		p := &pendings{x: x}
		x.Track.CommFreed.On(x.Owner, func(c *match.Comm) {
			var l leftovers
			c.Pending(func(s *match.Op) { l.add(x, s, nil) })
			p.report(&l, "All processes of the communicator have freed it.")
		})
		x.Track.CallFailed.On(x.Owner, p.failed)
		x.Track.RunOver.On(x.Owner, func(struct{}) { p.finish() })
	},
}

type pendings struct {
	x       *check.Run
	refused []refusal
}

// refusal is a call in which MPI itself found messages that were never received.
type refusal struct {
	process *track.Process
	fatal   bool // MPI ends the program because of it
	call    match.Call
	comm    *match.Comm // nil: all communicators of the process
}

// failed notes calls that fail because messages are left. MPICH from 4.1 on has such an error for MPI_Comm_free and
// MPI_Finalize. The records of the sends may come later.
func (p *pendings) failed(e track.CallFailed) {
	f := e.Failure
	if f == nil || !strings.Contains(f.Text, "being freed has") || !strings.Contains(f.Text, "unmatched message") {
		return
	}
	e.Thread.Explained = track.ByMessages
	p.refused = append(p.refused, refusal{e.Thread.Process, f.Fatal, e.Call, f.Comm})
}

// refusedBy returns the refusal that concerns a message that is left, nil if there is none.
func (p *pendings) refusedBy(s *match.Op) *refusal {
	receiver := p.x.Tracker.ProcessOf(s.Comm.World, int(s.Comm.Members[s.Peer]))
	for i := range p.refused {
		if r := &p.refused[i]; r.process == receiver && (r.comm == nil || r.comm == s.Comm) {
			return r
		}
	}
	return nil
}

// leftovers are messages that were never received, by the place of the send, in the order in which they are found.
type leftovers struct {
	keys   []string
	groups map[string]*leftover
	fatal  bool // MPI ends the program because of one
}

// leftover are the messages of one place.
type leftover struct {
	n     int
	first *match.Op // send
	probe *match.Op // the matched probe that took the first message, nil if none did
	flows []flow    // in the order in which they are found
	index map[flow]int
	count []int // of each flow
}

// flow is what messages have in common.
type flow struct {
	comm     *match.Comm
	from, to int32
	tag      int32
}

func (l *leftovers) add(x *check.Run, s, probe *match.Op) {
	k := x.Place(s.Call)
	g := l.groups[k]
	if g == nil {
		if l.groups == nil {
			l.groups = make(map[string]*leftover)
		}
		g = &leftover{first: s, probe: probe, index: make(map[flow]int)}
		l.groups[k] = g
		l.keys = append(l.keys, k)
	}
	g.n++
	f := flow{s.Comm, s.Me, s.Peer, s.Tag}
	i, ok := g.index[f]
	if !ok {
		i = len(g.flows)
		g.index[f] = i
		g.flows = append(g.flows, f)
		g.count = append(g.count, 0)
	}
	g.count[i]++
}

// finish collects the messages at the end of the run. It leaves out processes that have not called MPI_Finalize: they
// might have received messages later. If MPI has refused a call because of the messages, these count in any case.
func (p *pendings) finish() {
	var l, refused leftovers
	found := make(map[*refusal]bool)
	for _, c := range p.x.Tracker.Comms.InOrder() {
		c.Pending(func(s *match.Op) {
			switch r := p.refusedBy(s); {
			case r != nil:
				refused.add(p.x, s, nil)
				refused.fatal = refused.fatal || r.fatal
				found[r] = true
			case p.finished(c, s.Peer) && p.finished(c, s.Me):
				l.add(p.x, s, nil)
			}
		})
	}
	p.report(&refused, "MPI refuses to free the communicator.")
	for i := range p.refused {
		if r := &p.refused[i]; !found[r] {
			p.reportUnseen(r)
		}
	}
	for _, pr := range p.x.Tracker.Processes {
		if !finished(pr) {
			continue
		}
		var probes []*match.Op
		pr.Matched(func(r *match.Op) {
			if s := r.Partner(); s != nil && p.finished(s.Comm, s.Me) {
				probes = append(probes, r)
			}
		})
		slices.SortFunc(probes, func(a, b *match.Op) int { return cmp.Compare(a.Order(), b.Order()) })
		for _, r := range probes {
			l.add(p.x, r.Partner(), r)
		}
	}
	p.report(&l, "")
}

// reportUnseen reports messages that MPI says are left, and whose sends are not known.
func (p *pendings) reportUnseen(r *refusal) {
	p.x.Report(&finding.Finding{
		Key:   p.x.Place(r.call),
		Ranks: []int{r.process.Rank},
		Message: fmt.Sprintf("%s fails, because messages to rank %d were never received", p.x.Func(r.call).Name,
			r.process.Rank),
		Why: "All communication on a communicator must be complete before it is freed (MPI standard, " +
			"section 7.4.3).",
		Advice: "Receive every message that is sent, or do not send it.",
		Sites:  []finding.Site{p.x.Site("refused call", r.call)},
	})
}

func (p *pendings) finished(c *match.Comm, member int32) bool {
	pr := p.x.Tracker.ProcessOf(c.World, int(c.Members[member]))
	return pr != nil && finished(pr)
}

// finished reports whether a process will certainly receive no more messages.
func finished(p *track.Process) bool { return p.Finalizing && !p.Lost && !p.Callbacks && !p.Aborting }

// flowLimit is how many flows a finding lists.
const flowLimit = 6

func (p *pendings) report(l *leftovers, why string) {
	keys, rest := l.keys, 0
	if n := p.x.MaxPending; n > 0 && len(keys) > n {
		keys, rest = slices.Clone(keys), len(keys)-n
		slices.SortStableFunc(keys, func(a, b string) int { return l.groups[b].n - l.groups[a].n })
		keys = keys[:n]
	}
	for i, k := range keys {
		f := p.finding(k, l.groups[k], why)
		if i == len(keys)-1 && rest > 0 {
			f.Message += fmt.Sprintf("\nMessages from %s were not received either (--max-pending).",
				check.Plural(rest, "other place", "other places"))
			f.Details["more_places"] = rest
		}
		if l.fatal {
			f.Severity = finding.Error
			f.Message += "\nMPI ends the program because of that."
		}
		p.x.Report(f)
	}
}

func (p *pendings) finding(key string, g *leftover, why string) *finding.Finding {
	x := p.x
	f := &finding.Finding{
		Key: key, Count: g.n,
		Sites: []finding.Site{x.Site("send", g.first.Call)},
		Advice: "Receive every message that is sent, or do not send it. Compare the number of sends and receives, " +
			"and their ranks, tags and communicators.",
	}
	var lines []string
	var list []map[string]any
	var receivers []int
	for i, w := range g.flows {
		from, to := int(w.comm.Members[w.from]), int(w.comm.Members[w.to])
		f.Ranks = append(f.Ranks, from, to)
		receivers = append(receivers, to)
		if from != f.Sites[0].Rank {
			f.Sites[0].Also = append(f.Sites[0].Also, from)
		}
		if i < flowLimit {
			lines = append(lines, fmt.Sprintf("%s from rank %d to rank %d: tag %d, %s.",
				check.Plural(g.count[i], "message", "messages"), from, to, w.tag, x.Comm(g.first.Call, w.comm)))
		}
		list = append(list, map[string]any{"from": from, "to": to, "tag": w.tag, "count": g.count[i]})
	}
	if n := len(g.flows) - flowLimit; n > 0 {
		lines = append(lines,
			fmt.Sprintf("And %s more.", check.Plural(n, "pair of ranks or tag", "pairs of ranks or tags")))
	}
	slices.Sort(f.Sites[0].Also)
	f.Sites[0].Also = slices.Compact(f.Sites[0].Also)
	f.Message = p.head(f, g, slices.Compact(slices.Sorted(slices.Values(receivers))))
	if len(lines) > 1 {
		f.Message += "\n" + strings.Join(lines, "\n")
	}
	if why != "" {
		f.Message += "\n" + why
	}
	f.Details = map[string]any{"messages": list}
	f.Why = "All communication must be complete before MPI_Finalize (MPI standard, section 11.2.2)."
	if fn := x.Func(g.first.Call); fn.Class == mpiapi.Send && !strings.HasPrefix(fn.Name, "MPI_I") {
		f.Why += " A send that has returned may only mean that MPI has copied the message."
	}
	return f
}

// head is the first line of the message: what is sent, and what comes closest to receiving it. This is a matched probe
// that took the message, a posted receive that waits for another message, or the number of other messages that arrived.
func (p *pendings) head(f *finding.Finding, g *leftover, receivers []int) string {
	x, s := p.x, g.first
	what := "a message"
	if g.n > 1 {
		what = fmt.Sprintf("%d messages", g.n)
	}
	to := finding.RankNames(receivers)
	text := fmt.Sprintf("%s sends %s to %s with tag %d%s", x.Func(s.Call).Name, what, to, s.Tag, onComm(x, s))
	if len(g.flows) > 1 {
		text = fmt.Sprintf("%s sends %s to %s", x.Func(s.Call).Name, what, to)
	}
	if g.probe != nil {
		f.Sites = append(f.Sites, x.Site("matched probe", g.probe.Call))
		f.Advice = "Call MPI_Mrecv or MPI_Imrecv for each message that a matched probe has found."
		return fmt.Sprintf("%s, but %s takes it without a call of MPI_Mrecv or MPI_Imrecv", text,
			x.CallIn(g.probe.Call))
	}
	if r := p.nearest(s); r != nil {
		f.Sites = append(f.Sites, x.Site("receive that nearly matches", r.Call))
		if a, b := x.Line(s.Call), x.Line(r.Call); a != "" && b != "" {
			f.Advice = fmt.Sprintf("The send in %s or the receive in %s is wrong: make them match.", a, b)
		}
		return fmt.Sprintf("%s, but it is never received: %s of rank %d waits for %s", text, x.CallIn(r.Call),
			x.Rank(r.Call), p.difference(s, r))
	}
	text += ", but " + map[bool]string{true: "it is", false: "they are"}[g.n == 1] + " never received"
	if n := s.Comm.Received(s.Me, s.Peer); n > 0 {
		left := 0
		s.Comm.Pending(func(o *match.Op) {
			if o.Me == s.Me && o.Peer == s.Peer {
				left++
			}
		})
		text += fmt.Sprintf("\nRank %d has received %d of the %d messages of rank %d on this communicator.",
			s.Comm.Members[s.Peer], n, n+left, s.Comm.Members[s.Me])
	}
	return text
}

// onComm names the communicator of an operation: " on MPI_COMM_SELF". It is "" for MPI_COMM_WORLD.
func onComm(x *check.Run, op *match.Op) string {
	if name := x.Comm(op.Call, op.Comm); name != "MPI_COMM_WORLD" {
		return " on " + name
	}
	return ""
}

// nearest returns the posted receive of the receiver of s that has most in common with s, nil if there is none.
func (p *pendings) nearest(s *match.Op) (best *match.Op) {
	points := 0
	for _, c := range p.x.Tracker.Comms.InOrder() {
		if c.World != s.Comm.World {
			continue
		}
		me := c.Index(s.Comm.Members[s.Peer])
		if me < 0 {
			continue
		}
		c.Posted(me, func(r *match.Op) {
			n := 0
			if c == s.Comm {
				n += 2
			}
			if r.Peer == match.Any || c.Members[r.Peer] == s.Comm.Members[s.Me] {
				n += 2
			}
			if r.Tag == match.Any || r.Tag == s.Tag {
				n++
			}
			if n > max(points, 2) {
				points, best = n, r
			}
		})
	}
	return best
}

// difference says what a receive waits for instead of s.
func (p *pendings) difference(s, r *match.Op) string {
	var parts []string
	if r.Peer != match.Any && r.Comm.Members[r.Peer] != s.Comm.Members[s.Me] {
		parts = append(parts, fmt.Sprintf("rank %d", r.Comm.Members[r.Peer]))
	}
	if r.Tag != match.Any && r.Tag != s.Tag {
		parts = append(parts, fmt.Sprintf("tag %d", r.Tag))
	}
	if r.Comm != s.Comm {
		parts = append(parts, "a message on "+p.x.Comm(r.Call, r.Comm))
	}
	return check.Join(parts)
}
