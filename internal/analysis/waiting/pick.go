package waiting

import (
	"slices"

	"github.com/mpivet/mpivet/internal/track"
)

// picker finds the clauses that only processes for which fits is true could release.
type picker struct {
	fits  func(*track.Process) bool
	sets  map[**track.Process]bool // results for sets that are shared, by their first element
	lists map[*Clause]*Clause      // results for lists, by their first element
}

func newPicker(fits func(*track.Process) bool) *picker {
	return &picker{fits: fits}
}

// pick returns the first clause of a list that only fitting processes could release. If there is none, it returns the
// first clause.
func (k *picker) pick(cs []Clause) *Clause {
	if c, ok := k.lists[&cs[0]]; ok {
		return c
	}
	found := &cs[0]
	for i := range cs {
		if k.held(&cs[i]) {
			found = &cs[i]
			break
		}
	}
	if len(cs) > 1 {
		if k.lists == nil {
			k.lists = make(map[*Clause]*Clause)
		}
		k.lists[&cs[0]] = found
	}
	return found
}

// held reports whether only fitting processes could release c.
func (k *picker) held(c *Clause) bool {
	if c.What == Either {
		return !slices.ContainsFunc(c.Ways, func(way []Clause) bool { return !k.held(k.pick(way)) })
	}
	if len(c.Procs) < 2 {
		return len(c.Procs) == 0 || k.fits(c.Procs[0])
	}
	yes, ok := k.sets[&c.Procs[0]]
	if !ok {
		yes = !slices.ContainsFunc(c.Procs, func(p *track.Process) bool { return !k.fits(p) })
		if k.sets == nil {
			k.sets = make(map[**track.Process]bool)
		}
		k.sets[&c.Procs[0]] = yes
	}
	return yes
}
