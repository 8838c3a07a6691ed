package collective

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

// sites collects the places that a finding speaks of; ranks at the same place share one.
type sites struct {
	x    *check.Context
	list []finding.Site
	at   map[string]int
}

func newSites(x *check.Context) *sites { return &sites{x: x, at: make(map[string]int)} }

// add adds the place of a call, made alike by further ranks.
func (s *sites) add(role string, c match.Call, more ...int) {
	key := role + "|" + s.x.Place(c)
	rank := s.x.Rank(c)
	if i, ok := s.at[key]; ok {
		s.list[i].Also = append(s.list[i].Also, append(more, rank)...)
	} else {
		s.at[key] = len(s.list)
		site := s.x.Site(role, c)
		site.Also = slices.Clone(more)
		s.list = append(s.list, site)
	}
	site := &s.list[s.at[key]]
	site.Also = slices.DeleteFunc(site.Also, func(r int) bool { return r == site.Rank })
}

// key identifies the places, in whatever order they were added.
func (s *sites) key() string {
	keys := make([]string, 0, len(s.at))
	for k := range s.at {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return strings.Join(keys, "|")
}

// verb returns the form that goes with the number of ranks.
func verb(ranks []int, one, several string) string {
	if len(ranks) == 1 {
		return one
	}
	return several
}
