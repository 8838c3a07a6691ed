package collective

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

// sites collects the places of a finding. Ranks at the same place share one.
type sites struct {
	x    *check.Run
	list []finding.Site
	at   map[string]int
}

func newSites(x *check.Run) *sites { return &sites{x: x, at: make(map[string]int)} }

// add adds the place of a call. more are further ranks that make the same call.
func (s *sites) add(role string, c match.Call, more ...int) {
	key := role + "|" + s.x.Place(c)
	i, ok := s.at[key]
	if !ok {
		i = len(s.list)
		s.at[key] = i
		s.list = append(s.list, s.x.Site(role, c))
	}
	site := &s.list[i]
	also := func(r int) {
		if r != site.Rank {
			site.Also = append(site.Also, r)
		}
	}
	for _, r := range more {
		also(r)
	}
	if ok {
		also(s.x.Rank(c))
	}
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

// verb returns the form for the number of ranks.
func verb(ranks []int, one, several string) string {
	if len(ranks) == 1 {
		return one
	}
	return several
}
