// Package analysis is the frame for facts. A fact is knowledge that is worked out once from the events of a run and
// shared by all checks that need it, for example which process waits for which. A fact is a value of the package that
// makes it. A check names the facts that it needs. A fact that no enabled check needs costs nothing. (The idea is that
// of Requires in golang.org/x/tools/go/analysis.)
package analysis

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
)

// Run keeps the facts of one run.
type Run struct {
	Tracker *track.Tracker
	// Owner subscribes for the facts. Its panics are not contained, since checks depend on facts.
	Owner *stream.Owner

	facts map[Need]any
}

// NewRun returns a run without facts.
func NewRun(t *track.Tracker) *Run {
	return &Run{Tracker: t, Owner: &stream.Owner{Name: "facts", Bare: true}, facts: make(map[Need]any)}
}

// Need is a fact that a check, or another fact, needs.
type Need interface {
	start(r *Run)
}

// Fact is knowledge that checks share. T is the type of the value that they get.
type Fact[T any] struct {
	Name string
	// Needs are the facts that this fact is made from.
	Needs []Need
	// Start makes the fact for one run and subscribes to the events that the fact needs. The facts in Needs have been
	// started before.
	Start func(r *Run) T
}

// Require starts the facts that have not been started. The facts that a fact needs are started before it.
func (r *Run) Require(needs []Need) {
	for _, n := range needs {
		n.start(r)
	}
}

func (f *Fact[T]) start(r *Run) {
	if _, ok := r.facts[f]; ok {
		return
	}
	r.Require(f.Needs)
	r.facts[f] = f.Start(r)
}

// Of returns the fact of a run. It panics if the fact was not started: a check or fact that calls Of must name the fact
// among its needs.
func (f *Fact[T]) Of(r *Run) T {
	t, ok := r.facts[f].(T)
	if !ok {
		panic(fmt.Sprintf("the fact %s is used by code that does not name it as a need", f.Name))
	}
	return t
}

// Started reports whether a check or another fact needs this fact.
func (f *Fact[T]) Started(r *Run) bool {
	_, ok := r.facts[f]
	return ok
}
