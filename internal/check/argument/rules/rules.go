// Package rules says what is wrong with the arguments of a call. Most rules follow from the kinds and roles of a
// function's parameters, some from the description of the function in the MPI standard. The package knows nothing of
// findings: checks ask it, and report.
package rules

import (
	"sync"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// Mistake is an argument that the standard forbids (MPI standard, the description of the function).
type Mistake struct {
	Param   int        // of the function
	Index   int        // of the element, if the argument is an array; otherwise -1
	Why     string     // continues after the argument: "is negative"
	Allowed bool       // the call is allowed, but its result is of no use
	Defined bool       // the standard defines the result, and the program may check it
	Other   match.Call // another call that led to the mistake; empty if there is none
	Role    string     // of Other: "freed"
	Advice  string     // what to do; "" if that follows from the kind of parameter
}

// Judge checks the arguments of calls.
type Judge struct {
	tracker *track.Tracker
	rules   [][]rule // by function
	call    call     // the current call
}

// Forbidden returns a judge that finds arguments that the standard forbids.
func Forbidden(t *track.Tracker) *Judge { return &Judge{tracker: t, rules: tables().forbidden} }

// Overflows returns a judge that finds numbers that are too large for their type.
func Overflows(t *track.Tracker) *Judge { return &Judge{tracker: t, rules: tables().overflows} }

// Concerns reports whether the judge may find something wrong with calls of f.
func (j *Judge) Concerns(f *mpiapi.Func) bool { return len(j.rules[f.ID]) != 0 }

// Functions returns those of the wanted functions that the judge has rules for.
func (j *Judge) Functions(wanted func(*mpiapi.Func) bool) (list []mpiapi.FuncID) {
	for _, f := range mpiapi.Funcs() {
		if j.Concerns(f) && wanted(f) {
			list = append(list, f.ID)
		}
	}
	return list
}

// FirstMistake returns the first wrong argument of a call. It is nil if there is none, or if too little is known about
// the process. The mistake is valid until the next question to the judge.
func (j *Judge) FirstMistake(th *track.Thread, c *event.Call) *Mistake {
	rules := j.rules[c.Func.ID]
	if len(rules) == 0 || th.Process.Lost || !th.Process.HasNames() || th.Failure != nil && th.Failure.Refused {
		return nil
	}
	defer j.take(th, c).drop()
	for _, r := range rules {
		if !r(&j.call) {
			return &j.call.mistake
		}
	}
	return nil
}

// take makes c the current call.
func (j *Judge) take(th *track.Thread, c *event.Call) *call {
	k := &j.call
	k.Call, k.rec, k.tracker, k.thread, k.process = c, c.Raw(), j.tracker, th, th.Process
	k.view = j.tracker.ViewOf(th.Process, c)
	return k
}

// call is a call as the rules see it.
type call struct {
	*event.Call
	rec     []byte // its record
	tracker *track.Tracker
	thread  *track.Thread
	process *track.Process
	view    *track.View // the communicator, window or file that it works on; nil if unknown
	mistake Mistake
}

// drop forgets the call's memory, which is used again.
func (c *call) drop() { c.Call, c.rec = nil, nil }

// rule checks one argument. If the argument is wrong, it sets call.mistake and returns false.
type rule func(*call) bool

// reject says that an argument is wrong. It returns false.
func (c *call) reject(param int, why string) bool {
	c.mistake = Mistake{Param: param, Index: -1, Why: why}
	return false
}

// rejectElement says that an element of an array is wrong. It returns false.
func (c *call) rejectElement(param, index int, why string) bool {
	c.mistake = Mistake{Param: param, Index: index, Why: why}
	return false
}

// blame says which other call led to the mistake. It returns false.
func (c *call) blame(other match.Call, role string) bool {
	// The object table reuses the memory of other, and a finding may come only when the call returns.
	c.mistake.Other, c.mistake.Role = other.Clone(), role
	return false
}

// significant reports whether a parameter is significant in this call. Rules ask for it last, as it takes time.
func (c *call) significant(param int) bool {
	return c.process.Significant(c.Call, param)
}

// is reports whether a value is equal to a constant of the process's MPI library.
func (c *call) is(value int64, constant string) bool {
	v, ok := c.process.Constant(constant)
	return ok && v == value
}

// isRank reports whether a rank is equal to a constant.
func (c *call) isRank(rank int32, constant string) bool {
	v, ok := c.process.Constant(constant)
	return ok && int32(v) == rank
}

// function is a function with the methods that make its rules.
type function struct {
	*mpiapi.Func
	// collective: its calls have a position in the order of collectives on a communicator, window or file.
	collective bool
}

// value returns where records have parameter i, if that is passed by value. i may be negative.
func (f function) value(i int) event.Slot { return event.ValueSlot(f.Func, i) }

// named returns where records have the parameter with a name, if that is passed by value.
func (f function) named(name string) event.Slot { return f.value(f.Param(name)) }

// address returns where records have the address that is passed as parameter i.
func (f function) address(i int) event.Slot { return event.AddressSlot(f.Func, i) }

// has reports whether the function has a parameter of a role.
func (f function) has(r mpiapi.Role) bool { return f.Arg(r) >= 0 }

// partitioned reports whether the function makes a partitioned message.
func (f function) partitioned() bool {
	return f.Base == mpiapi.IDPsendInit || f.Base == mpiapi.IDPrecvInit
}

// table has the rules of all functions, by number, in the order in which they are checked.
type table struct{ forbidden, overflows [][]rule }

// tables returns the rules. They depend on the API alone and never change.
var tables = sync.OnceValue(func() (t table) {
	for _, f := range mpiapi.Funcs() {
		for int(f.ID) >= len(t.forbidden) {
			t.forbidden, t.overflows = append(t.forbidden, nil), append(t.overflows, nil)
		}
		if g := (function{f, track.InOrder(f)}); g.judged() {
			t.forbidden[f.ID], t.overflows[f.ID] = g.forbidden(), g.overflows()
		}
	}
	return t
})
