package collective

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
)

// sites collects the places of a finding. Ranks that make the same call at the same place share one.
type sites struct {
	x    *check.Run
	list []finding.Site
	at   map[string][]int // by role and place: the sites there, which differ in the arguments of their calls
}

// callsAtPlace is how many different calls at one place a finding shows. Further ones are added to the first one.
const callsAtPlace = 4

func newSites(x *check.Run) *sites { return &sites{x: x, at: make(map[string][]int)} }

// add adds the place of a call. more are further ranks that make the same call.
func (s *sites) add(role string, c match.Call, more ...int) {
	key := role + "|" + s.x.Place(c)
	site := s.x.Site(role, c)
	same := func(i int) bool {
		return finding.WithoutAddresses(s.list[i].Call) == finding.WithoutAddresses(site.Call)
	}
	there := s.at[key]
	k := slices.IndexFunc(there, same)
	if k < 0 && len(there) == callsAtPlace {
		k = 0
	}
	if k < 0 {
		k = len(there)
		there = append(there, len(s.list))
		s.at[key] = there
		s.list = append(s.list, site)
	}
	at := &s.list[there[k]]
	for _, r := range append(more, site.Rank) {
		if r != at.Rank {
			at.Also = append(at.Also, r)
		}
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
