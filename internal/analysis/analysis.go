// Package analysis is the frame for facts: what is worked out once from the events of a run and shared by all checks
// that need it, such as who waits for whom. A fact is a value of the package that makes it. A check names the facts
// that it needs; a fact that no enabled check needs costs nothing. (The idea is that of Requires in
// golang.org/x/tools/go/analysis.)
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

// Need is a fact that somebody needs.
type Need interface {
	start(r *Run)
}

// Fact is something that checks share. T is what they get.
type Fact[T any] struct {
	Name string
	// Needs are the facts that it is made from.
	Needs []Need
	// Start makes the fact for one run, after those that it needs, and subscribes to what it must know.
	Start func(r *Run) T
}

// Require starts facts that have not been started, each after those that it needs.
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

// Of returns the fact of a run. It panics if it was not started: whoever asks must name it among the needs.
func (f *Fact[T]) Of(r *Run) T {
	t, ok := r.facts[f].(T)
	if !ok {
		panic(fmt.Sprintf("the fact %s is used by somebody who does not name it as a need", f.Name))
	}
	return t
}

// Started reports whether anybody needs the fact.
func (f *Fact[T]) Started(r *Run) bool {
	_, ok := r.facts[f]
	return ok
}
