// Package rules says what is wrong with the arguments of a call. What may be wrong follows from the kinds and roles of a function's
// parameters, and for some functions from their descriptions in the MPI standard. The package knows nothing of findings: checks
// ask it, and report.
package rules

import (
	"sync"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// Mistake is an argument that a call must not be given (MPI standard, the description of the function).
type Mistake struct {
	Param   int        // of the function
	Index   int        // of the element in an array; -1 if the argument is none
	Why     string     // goes on after the argument: "is negative"
	Allowed bool       // the call may be made, but its result is of no use
	Defined bool       // the standard says what the result is, and the program may look at it
	Other   match.Call // a call that has to do with the mistake; empty if there is none
	Role    string     // of Other: "freed"
	Advice  string     // what to do about it, if that does not follow from the kind of parameter
}

// Judge looks at the arguments of calls.
type Judge struct {
	tracker *track.Tracker
	rules   [][]rule // by function
	call    call     // the call at hand
}

// Forbidden returns a judge that finds arguments which the standard forbids.
func Forbidden(t *track.Tracker) *Judge { return &Judge{tracker: t, rules: tables().forbidden} }

// Overflows returns a judge that finds numbers which are more than their type can hold.
func Overflows(t *track.Tracker) *Judge { return &Judge{tracker: t, rules: tables().overflows} }

// Concerns reports whether the judge may find something wrong with calls of f.
func (j *Judge) Concerns(f *mpiapi.Func) bool { return len(j.rules[f.ID]) != 0 }

// Functions returns the functions that the judge concerns and that the caller wants.
func (j *Judge) Functions(wanted func(*mpiapi.Func) bool) (list []mpiapi.FuncID) {
	for _, f := range mpiapi.Funcs() {
		if j.Concerns(f) && wanted(f) {
			list = append(list, f.ID)
		}
	}
	return list
}

// FirstMistake returns the first argument of a call that is wrong, nil if there is none or if too little is known of the process.
// The mistake is valid until the judge is asked again.
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

// take makes c the call at hand.
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
	view    *track.View // the communicator, window or file that it works on; nil if it is not known
	mistake Mistake
}

// drop lets go of the call's memory, which is not to be kept.
func (c *call) drop() { c.Call, c.rec = nil, nil }

// rule looks at one argument. It returns false if that is wrong, and says in call.mistake how.
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

// blame says which other call has to do with the mistake. It returns false.
func (c *call) blame(other match.Call, role string) bool {
	c.mistake.Other, c.mistake.Role = other, role
	return false
}

// significant reports whether a parameter means anything in this call. Rules ask for it last: it takes time.
func (c *call) significant(param int) bool {
	return c.process.Significant(c.Call, param)
}

// is reports whether a value is that of a constant of the process's MPI library.
func (c *call) is(value int64, constant string) bool {
	v, ok := c.process.Constant(constant)
	return ok && v == value
}

// isRank reports whether a rank is that of a constant.
func (c *call) isRank(rank int32, constant string) bool {
	v, ok := c.process.Constant(constant)
	return ok && int32(v) == rank
}

// function is a function whose rules are made.
type function struct {
	*mpiapi.Func
	// collective: its calls take a place in the order of a communicator, window or file.
	collective bool
}

// value returns where records have parameter i, if it is passed by value. i may be negative.
func (f function) value(i int) event.Slot { return event.ValueSlot(f.Func, i) }

// named returns where records have the parameter of a name, if it is passed by value.
func (f function) named(name string) event.Slot { return f.value(f.Param(name)) }

// address returns where records have the address that is passed as parameter i.
func (f function) address(i int) event.Slot { return event.AddressSlot(f.Func, i) }

// has reports whether the function has a parameter of a role.
func (f function) has(r mpiapi.Role) bool { return f.Arg(r) >= 0 }

// partitioned reports whether the function makes a partitioned message.
func (f function) partitioned() bool {
	return f.Base == mpiapi.IDPsendInit || f.Base == mpiapi.IDPrecvInit
}

// table has the rules of all functions, by number, in the order in which they are looked at.
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
