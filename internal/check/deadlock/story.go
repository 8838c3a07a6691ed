package deadlock

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// story describes a deadlock: the cause in the first line, then what else there is to say. It collects the places.
type story struct {
	x        *check.Run
	deadlock *waiting.Deadlock
	finding  *finding.Finding
	lines    []string
	places   map[string]bool    // of the threads in knots, and of those that wait for processes that have ended
	sites    map[siteKey]int    // index of the site
	calls    map[[2]string]int  // number of sites of one role and place
	seen     []bool             // by thread
	known    map[[3]string]bool // rank, place and call of the first sites
	begun    int                // sites of operations
}

// siteKey is what the ranks of a site have in common.
type siteKey struct {
	role, place, call string
	comm              *match.Comm
}

const (
	variants = 16   // different calls at one place that have a site each, and operations that have one
	compared = 1024 // sites that are compared, so that no call of a rank has two
)

func newStory(x *check.Run, d *waiting.Deadlock, f *finding.Finding) *story {
	return &story{
		x: x, deadlock: d, finding: f, places: make(map[string]bool), sites: make(map[siteKey]int),
		calls: make(map[[2]string]int), seen: make([]bool, len(x.Tracker.Threads)), known: make(map[[3]string]bool),
	}
}

func (s *story) line(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// pointers are the arguments that may differ between ranks that make the same call.
var pointers = regexp.MustCompile(`0x[0-9a-f]+`)

// add adds the place of a call. Ranks that make the same call at the same place share a site.
func (s *story) add(role string, c match.Call, comm *match.Comm) {
	site := s.x.Site(role, c)
	place := s.x.Place(c)
	if len(s.known) < compared {
		k := [3]string{fmt.Sprint(site.Rank), place, site.Call}
		if s.known[k] {
			return
		}
		s.known[k] = true
	}
	if role == further && s.places[place] {
		role, site.Role = waits, waits
	}
	k := siteKey{role, place, pointers.ReplaceAllString(site.Call, ""), comm}
	at, ok := s.sites[k]
	if !ok {
		n := s.calls[[2]string{role, place}]
		if n > variants {
			k = siteKey{role: role, place: place}
			at, ok = s.sites[k]
			site.Call = s.x.Func(c).Name + " with other arguments"
		}
		s.calls[[2]string{role, place}]++
	}
	if !ok {
		if s.otherComm(&k) {
			site.Role += " on " + s.x.Comm(c, comm)
		}
		s.sites[k] = len(s.finding.Sites)
		s.finding.Sites = append(s.finding.Sites, site)
		return
	}
	if old := &s.finding.Sites[at]; old.Rank != site.Rank {
		old.Also = append(old.Also, site.Rank)
	}
}

// otherComm reports whether there is a site that differs from k only in the communicator.
func (s *story) otherComm(k *siteKey) bool {
	for o := range s.sites {
		if o.place == k.place && o.role == k.role && o.call == k.call && o.comm != k.comm {
			return k.comm != nil
		}
	}
	return false
}

// site adds the place of a thread that waits, and those of the operations that it waits for. It returns a key for the
// place that is the same on all ranks.
func (s *story) site(role string, b *waiting.Blocked) string {
	place := s.x.Place(b.Call)
	if s.seen[b.Thread.ID] {
		return place
	}
	s.seen[b.Thread.ID] = true
	s.add(role, b.Call, commOf(&b.Clauses[0]))
	if s.x.Func(b.Call).Class == mpiapi.Wait {
		waiting.Each(b.Clauses[:min(len(b.Clauses), variants)], func(c *waiting.Clause) {
			if c.Op != nil && s.begun < variants {
				s.begun++
				s.add("operation that it waits for", c.Op.Call, c.Op.Comm)
			}
		})
	}
	return place
}

// The roles of threads that wait: in a knot or for processes that have ended, and for such threads.
const waits, further = "waiting", "waiting for these"

// link adds the place of a thread in a knot, or of one that waits for processes that have ended.
func (s *story) link(b *waiting.Blocked) { s.places[s.site(waits, b)] = true }

// key identifies the places of the knots.
func (s *story) key() string {
	keys := make([]string, 0, len(s.places))
	for k := range s.places {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, "|")
}

// tell makes the texts of the finding, and its sites.
func (s *story) tell(misses []miss) {
	d, f := s.deadlock, s.finding
	cause, told := s.cause(misses)
	for i := range d.Knots {
		if told != &d.Knots[i] {
			s.knot(&d.Knots[i], i < groups)
		} else if len(told.Links) > 2 && told.Cycle {
			s.cycle(told)
		}
		for _, l := range d.Knots[i].Links {
			s.link(l.Blocked)
		}
	}
	s.orphans(misses)
	f.Key = s.key()
	for i := range d.Blocked {
		s.site(further, &d.Blocked[i])
	}
	state := verb(f.Ranks, "is", "are") + " deadlocked"
	if len(d.Knots) == 0 {
		state = verb(f.Ranks, "waits", "wait") + " forever"
	}
	if e := s.explanation(misses); e != nil {
		f.FollowUp, f.Advice = true, ""
		f.Message = fmt.Sprintf("%s %s: this follows from %s%s",
			sentence(finding.RankNames(f.Ranks)), state, e.Check, s.where(e))
		return
	}
	head := fmt.Sprintf("%s: %s %s", cause, finding.RankNames(f.Ranks), state)
	if len(d.Knots) > 1 {
		head += fmt.Sprintf(" in %d groups that block each other", len(d.Knots))
	}
	if e := s.shown(); e != nil {
		f.FollowUp = true
		head += fmt.Sprintf(". %s%s shows their calls", e.Check, s.where(e))
	}
	f.Message = strings.Join(append([]string{head}, s.lines...), "\n")
}

// explanation returns an earlier finding that explains the deadlock, nil if there is none: one about a collective, or
// about a request that was not started.
func (s *story) explanation(misses []miss) *finding.Finding {
	if len(misses) > 0 {
		return nil // the deadlock has a cause of its own
	}
	var apart []int                 // ranks in collectives whose members disagree
	places := make(map[string]bool) // where threads wait
	look := func(links []waiting.Link) {
		for _, l := range links[:min(len(links), compared)] {
			places[innermost(s.x.Site("", l.Blocked.Call).Stack)] = true
			waiting.Each([]waiting.Clause{*l.Clause}, func(c *waiting.Clause) {
				if call := collective(c); call != nil {
					places[innermost(s.x.Site("", *call).Stack)] = true
					if v, ok := c.Comm.At(c.Pos); ok && (v.FollowUp || !v.Agreed()) {
						apart = append(apart, l.Blocked.Thread.Process.Rank)
					}
				}
			})
		}
	}
	for i := range s.deadlock.Knots {
		look(s.deadlock.Knots[i].Links)
	}
	look(s.deadlock.Orphans)
	delete(places, "")
	return s.x.Earlier(func(f *finding.Finding) bool {
		here := slices.ContainsFunc(f.Sites, func(t finding.Site) bool { return places[innermost(t.Stack)] })
		disagree := slices.ContainsFunc(f.Ranks, func(r int) bool { return slices.Contains(apart, r) })
		switch {
		case !slices.ContainsFunc(f.Ranks, func(r int) bool { return slices.Contains(s.finding.Ranks, r) }):
			return false
		case f.Check == "LOCAL:REQUEST:NOT_STARTED":
			return f.Severity >= finding.Warning && here
		}
		return strings.HasPrefix(f.Check, "GLOBAL:COLLECTIVE:") && f.Severity >= finding.Error && (here || disagree)
	})
}

// shown returns an earlier finding about a collective that shows the calls of all threads in the knots, nil if there is
// none. Then the deadlock need not show them again.
func (s *story) shown() *finding.Finding {
	type wait struct {
		rank  int
		place string
	}
	var waits []wait
	for i := range s.deadlock.Knots {
		for _, l := range s.deadlock.Knots[i].Links {
			place := innermost(s.x.Site("", l.Blocked.Call).Stack)
			waits = append(waits, wait{l.Blocked.Thread.Process.Rank, place})
		}
	}
	if len(waits) == 0 || len(waits) > compared || len(s.deadlock.Orphans) > 0 {
		return nil
	}
	return s.x.Earlier(func(f *finding.Finding) bool {
		shows := func(w wait) bool {
			return w.place != "" && slices.ContainsFunc(f.Sites, func(t finding.Site) bool {
				return innermost(t.Stack) == w.place && (t.Rank == w.rank || slices.Contains(t.Also, w.rank))
			})
		}
		return strings.HasPrefix(f.Check, "GLOBAL:COLLECTIVE:") && f.Severity >= finding.Error &&
			!slices.ContainsFunc(waits, func(w wait) bool { return !shows(w) })
	})
}

// innermost names the innermost place of a stack: its line, or else its address in its file. It is "" if neither is
// known.
func innermost(stack []finding.Frame) string {
	if line := check.Line(stack); line != "" || len(stack) == 0 || stack[0].Address == 0 {
		return line
	}
	return fmt.Sprintf("%s+%#x", stack[0].Module, stack[0].Address)
}

// where names the place of a finding.
func (s *story) where(f *finding.Finding) string {
	if len(f.Sites) == 0 {
		return ""
	}
	if line := check.Line(f.Sites[0].Stack); line != "" {
		return check.Parens(line)
	}
	return ""
}

// cause says in half a sentence why the processes cannot go on. It returns the knot that this is about, and adds its
// first site.
func (s *story) cause(misses []miss) (string, *waiting.Knot) {
	d, f := s.deadlock, s.finding
	if len(misses) > 0 {
		m := &misses[0]
		text := s.miss(m)
		f.Advice = s.remedy(m)
		for i := 1; i < len(misses); i++ {
			s.furtherMiss(&misses[i], m)
		}
		for i := range d.Knots {
			if slices.ContainsFunc(d.Knots[i].Links, func(l waiting.Link) bool { return l.Blocked == m.blocked }) {
				return text, &d.Knots[i]
			}
		}
		return text, nil
	}
	if len(d.Knots) > 0 {
		k := &d.Knots[0]
		f.Advice = s.advice(k.Links)
		s.link(k.Links[0].Blocked)
		return s.knotCause(k), k
	}
	if len(d.Orphans) == 0 {
		return "No process can continue", nil
	}
	l := &d.Orphans[0]
	f.Advice = s.advice(d.Orphans[:1])
	s.link(l.Blocked)
	return s.orphanCause(l), nil
}

// waits begins the sentence about a thread: "MPI_Recv waits for rank 1 to send".
func (s *story) waits(l *waiting.Link) string {
	return fmt.Sprintf("%s waits for %s%s", s.name(l.Blocked, l.Clause), s.need(l.Blocked, l.Clause),
		s.on(l.Blocked, l.Clause))
}

// knotCause says why the first process of a knot cannot go on.
func (s *story) knotCause(k *waiting.Knot) string {
	l := &k.Links[0]
	if len(k.Links) == 1 {
		return s.waits(l)
	}
	if !k.Cycle {
		return s.waits(l) + s.others(k)
	}
	next := &k.Links[1]
	more := ""
	if len(k.Links) > 2 {
		more = ", and so on in a cycle"
	}
	return fmt.Sprintf("%s, but rank %d is itself in %s%s", s.waits(l), next.Blocked.Thread.Process.Rank,
		s.inside(next.Blocked, next.Clause, l.Blocked.Call), more)
}

// others says what the other threads of a knot do. It adds lines if they do not wait for the same at the same place.
func (s *story) others(k *waiting.Knot) string {
	list := s.fold(k.Links)
	if first := list[0]; len(first.ranks) == 1 {
		list = list[1:] // the first line is about this one
	}
	if len(list) == 1 {
		g := list[0]
		ranks := slices.DeleteFunc(slices.Clone(g.ranks),
			func(r int) bool { return r == k.Links[0].Blocked.Thread.Process.Rank && len(g.ranks) > 1 })
		return fmt.Sprintf(", but %s %s in %s", finding.RankNames(ranks), verb(ranks, "is itself", "are themselves"),
			s.inside(g.link.Blocked, g.link.Clause, k.Links[0].Blocked.Call))
	}
	s.describe(list)
	return ", and all that could do this wait, too"
}

// orphanCause says why a process that waits for processes that have ended cannot go on.
func (s *story) orphanCause(l *waiting.Link) string {
	text := s.waits(l)
	var order []string
	ranks := make(map[string][]int)
	waiting.Each([]waiting.Clause{*l.Clause}, func(c *waiting.Clause) {
		for _, p := range c.Procs {
			if p.Ended == nil && !p.Finalizing {
				continue
			}
			how := s.ended(p)
			if ranks[how] == nil {
				order = append(order, how)
			}
			ranks[how] = append(ranks[how], p.Rank)
		}
	})
	var parts []string
	for _, how := range order {
		list := ranks[how]
		slices.Sort(list)
		if list = slices.Compact(list); len(list) > 1 {
			how = plural.Replace(how)
		}
		parts = append(parts, finding.RankNames(list)+" "+how)
	}
	if len(parts) == 0 {
		return text
	}
	return text + ", but " + check.Join(parts)
}

var plural = strings.NewReplacer("is in", "are in", "has ", "have ", "was ", "were ")

// knot adds lines about a knot, unless it is one of many.
func (s *story) knot(k *waiting.Knot, words bool) {
	if !words {
		return
	}
	if !k.Cycle {
		s.describe(s.fold(k.Links))
		return
	}
	s.cycle(k)
}

// cycle adds lines about a cycle.
func (s *story) cycle(k *waiting.Knot) {
	var list []int
	for _, l := range k.Links {
		list = append(list, l.Blocked.Thread.Process.Rank)
	}
	if len(list) == 1 {
		s.line("Rank %d waits for itself in %s.", list[0], s.x.CallIn(k.Links[0].Blocked.Call))
		return
	}
	var steps []string
	for i, r := range list {
		if i == path-1 && len(list) > path {
			steps = append(steps, "…")
			break
		}
		steps = append(steps, fmt.Sprint(r))
	}
	s.line("The cycle is %s -> %d.", strings.Join(steps, " -> "), list[0])
	if uniform(s.x, k.Links) {
		return
	}
	for i, l := range k.Links {
		if i == shown {
			s.line("The other %d wait likewise.", len(k.Links)-shown)
			break
		}
		s.line("Rank %d waits in %s for %s.", l.Blocked.Thread.Process.Rank, s.x.CallIn(l.Blocked.Call),
			s.need(l.Blocked, l.Clause))
	}
}

// uniform reports whether all threads wait for the same at the same place.
func uniform(x *check.Run, links []waiting.Link) bool {
	for _, l := range links[1:] {
		if l.Clause.What != links[0].Clause.What || x.Place(l.Blocked.Call) != x.Place(links[0].Blocked.Call) {
			return false
		}
	}
	return true
}

// orphans adds the places of the threads that wait for processes that have ended, and lines about those that the first
// line is not about.
func (s *story) orphans(misses []miss) {
	links := s.deadlock.Orphans
	about := func(l waiting.Link) bool { return l.Blocked == misses[0].blocked }
	first := len(misses) == 0 && len(s.deadlock.Knots) == 0 || len(misses) > 0 && slices.ContainsFunc(links, about)
	if list := s.fold(links); len(list) > 1 || !first {
		s.describe(list)
	}
	for _, l := range links {
		s.link(l.Blocked)
	}
}

// similar is threads that wait for the same at the same place.
type similar struct {
	link  waiting.Link // the first
	ranks []int
}

// fold joins the threads that wait for the same at the same place.
func (s *story) fold(links []waiting.Link) (list []*similar) {
	type sort struct {
		place string
		what  waiting.What
		procs **track.Process
		comm  *match.Comm
		n     int
		tag   int32
		ways  string
	}
	known := make(map[sort]*similar)
	for _, l := range links {
		c := l.Clause
		k := sort{place: s.x.Place(l.Blocked.Call), what: c.What, n: len(c.Procs), tag: c.Tag, comm: commOf(c)}
		if len(c.Procs) > 0 {
			k.procs = &c.Procs[0]
		}
		if c.What == waiting.Either {
			k.ways = s.either(l.Blocked, c)
		}
		g := known[k]
		if g == nil {
			g = &similar{link: l}
			known[k] = g
			list = append(list, g)
		}
		g.ranks = append(g.ranks, l.Blocked.Thread.Process.Rank)
	}
	for _, g := range list {
		slices.Sort(g.ranks)
		g.ranks = slices.Compact(g.ranks)
	}
	return list
}

// describe adds a line for each group of threads.
func (s *story) describe(list []*similar) {
	for i, g := range list {
		if i == shown {
			s.line("%s more wait likewise.", check.Plural(len(list)-shown, "group of processes", "groups of processes"))
			break
		}
		b, c := g.link.Blocked, g.link.Clause
		s.line("%s %s in %s for %s%s.", sentence(finding.RankNames(g.ranks)), verb(g.ranks, "waits", "wait"),
			s.x.CallIn(b.Call), s.need(b, c), s.on(b, c))
	}
}

func verb(ranks []int, one, many string) string {
	if len(ranks) == 1 {
		return one
	}
	return many
}
