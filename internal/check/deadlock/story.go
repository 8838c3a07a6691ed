package deadlock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

// story describes a deadlock, line by line, and collects the places that it mentions.
type story struct {
	x       *check.Run
	finding *finding.Finding
	lines   []string
	places  map[string]int // index of the site
	seen    []bool         // by thread
}

func (s *story) line(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// site adds the place of a thread. It returns a key for the place that is the same on all ranks.
func (s *story) site(role string, b *waiting.Blocked) string {
	s.seen[b.Thread.ID] = true
	place := s.x.Place(b.Call)
	if at, ok := s.places[place]; ok {
		site := &s.finding.Sites[at]
		if r := b.Thread.Process.Rank; r != site.Rank {
			site.Also = append(site.Also, r)
		}
		return place
	}
	s.places[place] = len(s.finding.Sites)
	s.finding.Sites = append(s.finding.Sites, s.x.Site(role, b.Call))
	return place
}

// key identifies the places mentioned so far.
func (s *story) key() string {
	keys := make([]string, 0, len(s.places))
	for k := range s.places {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, "|")
}

// knot describes processes that block each other.
func (s *story) knot(k *waiting.Knot, words bool) {
	if !k.Cycle {
		if words {
			s.fold(k.Links)
			return
		}
		for _, l := range k.Links {
			s.site("waiting", l.Blocked)
		}
		return
	}
	for i, l := range k.Links {
		s.site("waiting", l.Blocked)
		switch {
		case !words || i >= shown:
		case i == 0 || len(k.Links) == 1:
			s.line("rank %d waits in %s", l.Blocked.Thread.Process.Rank, s.x.WaitingFor(l.Blocked, l.Clause))
		default:
			s.line("which waits in %s", s.x.WaitingFor(l.Blocked, l.Clause))
		}
	}
	if n := len(k.Links) - shown; words && n > 0 {
		s.line("which waits for the next, and so on: %s more", check.Plural(n, "process", "processes"))
	}
}

// fold describes threads, with one line for those that wait for the same at the same place.
func (s *story) fold(links []waiting.Link) {
	type sort struct {
		place string
		what  waiting.What
		procs **track.Process
		n     int
		tag   int32
	}
	type group struct {
		link  waiting.Link
		ranks []int
	}
	var order []*group
	known := make(map[sort]*group)
	for _, l := range links {
		c := l.Clause
		k := sort{place: s.site("waiting", l.Blocked), what: c.What, n: len(c.Procs), tag: c.Tag}
		if len(c.Procs) > 0 {
			k.procs = &c.Procs[0]
		}
		g := known[k]
		if g == nil {
			g = &group{link: l}
			known[k] = g
			order = append(order, g)
		}
		g.ranks = append(g.ranks, l.Blocked.Thread.Process.Rank)
	}
	for i, g := range order {
		if i == shown {
			s.line("%s more wait likewise", check.Plural(len(order)-shown, "group of processes", "groups of processes"))
			break
		}
		slices.Sort(g.ranks)
		ranks := slices.Compact(g.ranks)
		s.line("%s %s in %s", finding.RankNames(ranks), verb(ranks, "waits", "wait"),
			s.x.WaitingFor(g.link.Blocked, g.link.Clause))
	}
}

func verb(ranks []int, one, many string) string {
	if len(ranks) == 1 {
		return one
	}
	return many
}

// tellOthers describes the other blocked processes by place.
func (s *story) tellOthers(blocked []waiting.Blocked) {
	var order []string
	ranks := make(map[string][]int)
	texts := make(map[string]string)
	for i := range blocked {
		b := &blocked[i]
		if s.seen[b.Thread.ID] {
			continue
		}
		place := s.site("waiting for these", b)
		if ranks[place] == nil {
			order = append(order, place)
			texts[place] = s.x.CallAt(b.Call)
		}
		ranks[place] = append(ranks[place], b.Thread.Process.Rank)
	}
	for i, place := range order {
		if i == shown {
			n := 0
			for _, p := range order[shown:] {
				n += len(ranks[p])
			}
			s.line("%s more wait for these", check.Plural(n, "process", "processes"))
			break
		}
		rs := slices.Compact(ranks[place])
		s.line("%s %s for these in %s", finding.RankNames(rs), verb(rs, "waits", "wait"), texts[place])
	}
}

// gone describes processes that have ended or are ending.
func (s *story) gone(ps []*track.Process) {
	var order []string
	ranks := make(map[string][]int)
	for _, p := range ps {
		how := ending(p)
		if ranks[how] == nil {
			order = append(order, how)
		}
		ranks[how] = append(ranks[how], p.Rank)
	}
	for _, how := range order {
		text := how
		if len(ranks[how]) > 1 {
			text = plural.Replace(how)
		}
		s.line("%s %s", finding.RankNames(ranks[how]), text)
	}
}

var plural = strings.NewReplacer("is in", "are in", "has ", "have ", "was ", "were ")
