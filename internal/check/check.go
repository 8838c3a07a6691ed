// Package check is the frame for the checks: what a check is, what it is told, and what helps it to say what it found.
// The checks themselves are in the packages below it, one per family.
package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/causal"
	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
	"github.com/mpivet/mpivet/internal/race"
	"github.com/mpivet/mpivet/internal/ring"
	"github.com/mpivet/mpivet/internal/track"
	"github.com/mpivet/mpivet/internal/wait"
)

// Check is one rule that programs may break.
type Check struct {
	ID       string           // GLOBAL:MSG:DATATYPE:MISMATCH
	Severity finding.Severity // of its findings, unless the rule names several
	Title    string           // half a line: what is wrong
	// Doc explains the check to its user, in Markdown under the headings that [Sections] names: the rule with its clause of the
	// MPI standard, an example, how to mend it, and what the check can't see.
	Doc string
	// Portability: what it finds went well here, and only goes wrong elsewhere, or in another run. Who does not care switches such checks off
	// by a profile.
	Portability bool
	// New starts the check for one run.
	New func(*Context) Hooks
}

// Hooks are what a check wants to be told; nil is nothing. What they are handed is valid only until they return. They
// are called in the order of the records, by one goroutine.
type Hooks struct {
	Message func(send, recv *match.Op) // a message and its receive were found
	// Misfit: a message was found that may not be received as its receive says; c tells why.
	Misfit     func(send, recv *match.Op, c datatype.Comparison)
	Collective func(c *match.Collective)      // all members have entered a collective
	Disagree   func(c *match.Comm, at uint64) // a member enters a collective in another way than the first
	Failed     func(t *track.Thread, call match.Call, rc int32, f *track.Failure)
	// Entered: a thread enters the collective at a position of a communicator, window or file.
	Entered func(t *track.Thread, v *track.View, position uint64, call match.Call)
	// Sums: sums of the data that the call at a position of a communicator sends, or has received.
	Sums func(t *track.Thread, v *track.View, position uint64, call match.Call, s *event.Sums)
	// Damaged: the data of a message, by their sums, are not what was sent. e may be kept.
	Damaged func(e *match.Exchange)
	// Modified: data changed while an operation read them.
	Modified func(t *track.Thread, m *track.Modification)
	// Inaccessible: a call hands a buffer to MPI that can't be accessed. It has not returned.
	Inaccessible func(t *track.Thread, call match.Call, i *track.Inaccessible)
	CommFreed    func(c *match.Comm)                     // all members have freed a communicator
	Finalize     func(p *track.Process, call match.Call) // a process enters MPI_Finalize
	Finalized    func(p *track.Process)                  // and has left it
	// Leaders: the leaders of two groups that make an inter-communicator pass different tags.
	Leaders func(a, b track.Leader)
	// WrongDatatype: a call is made, and has not returned, with a datatype that it must not be given.
	WrongDatatype func(t *track.Thread, call match.Call, u *track.DatatypeUse)
	// WrongBuffer: a call finds no room in the buffer for buffered sends, or attaches or detaches it wrongly.
	WrongBuffer func(t *track.Thread, call match.Call, e *track.BufferError)
	// WrongRequest: a call is given a request that it must not be given, or need not have been made.
	WrongRequest func(t *track.Thread, call match.Call, e *track.RequestError)
	// Overlap: a call hands memory to MPI that MPI has already, or twice. Checks that want it say so by Tracker.Owns.
	Overlap func(t *track.Thread, call match.Call, o *track.Overlap)
	// WrongConstructor: a constructor of datatypes is called with an argument that the standard forbids.
	WrongConstructor func(t *track.Thread, call match.Call, err *datatype.ArgumentError)
	// WrongArgument: a call that is no collective is given an argument that the standard forbids.
	WrongArgument func(t *track.Thread, call match.Call, e *track.ArgumentError)
	// OutOfOrder: a call comes at a time, or from a thread, that the standard forbids.
	OutOfOrder func(t *track.Thread, call match.Call, e *track.OrderError)
	// NewDatatype: a constructor of datatypes has returned d, which may be kept: its name is entered when it gets one.
	NewDatatype func(p *track.Process, d *match.Datatype)
	// Crowded: a process has as many requests, derived datatypes or other objects of a kind at once as Leaks.Limits says, or
	// two, four, eight … times as many.
	Crowded func(p *track.Process, kind mpiapi.Kind)
	End     func(p *track.Process) // a process has ended
	// Cause is called before Deadlock: what has led to a deadlock is told before it.
	Cause    func(d *wait.Deadlock)
	Deadlock func(d *wait.Deadlock)
	// Knot: processes have gone on that would block each other under semantics which the standard allows.
	Knot func(k *causal.Knot)
	// Causal, if not nil, is told of the run in an order in which causes come before effects.
	Causal *causal.Listener
	// Race: a receive from MPI_ANY_SOURCE could have got another message. ReadySend: a message was sent in ready mode, and
	// nothing made sure that its receive was posted before.
	Race      func(r *race.Race)
	ReadySend func(send, recv *match.Op)
	Tick      func() // a tenth of a second has passed
	Finish    func() // the run is over
}

// Leaks is how much is told of objects that are not freed.
type Leaks struct {
	// Limits are the numbers of objects from which on a process is told of before its end.
	Limits track.Limits
	// Places is how many places are named that made objects of one kind of a process, the most frequent ones first.
	Places int
}

// DefaultLeaks is what is told if the user does not say.
func DefaultLeaks() Leaks { return Leaks{Limits: track.DefaultLimits, Places: 10} }

// Context is what a check works with.
type Context struct {
	Check   *Check
	Tracker *track.Tracker
	// NoProgress is how long processes may be in the same MPI calls on average before that is told, 0 for ever.
	NoProgress time.Duration
	// MaxPending is how many places are named from which messages are sent and never received, those of most messages first; 0
	// any number.
	MaxPending int
	// Leaks is how much is told of objects that are not freed.
	Leaks *Leaks
	// Report hands in a finding. Check and Severity are filled in where they are empty.
	Report func(*finding.Finding)
	// Refuse says what Report has just been handed is wrong with the collective at position `at` of c: in strict mode its
	// calls are refused, if that is an error to the user.
	Refuse func(f *finding.Finding, c *match.Comm, at uint64)
	// Futile returns the threads that have made nothing but tests and probes in vain for a number of ticks, of 0.1 s each,
	// and that can't succeed by these: wait.Analyzer.Futile. It goes through all threads.
	Futile func(ticks int) []wait.Blocked
	// Site describes the place of a call: role says what it has to do with the finding.
	Site func(role string, c match.Call) finding.Site
	// Layered reports whether a layer of MPI (of Fortran) makes a call for the program: then variables that it is given are
	// not the program's.
	Layered func(c match.Call) bool
	// Stack describes where a process was when it ended.
	Stack func(p *track.Process) []finding.Frame
	// Place identifies the place of a call: the same for the same call stack in the same program on any rank.
	Place func(c match.Call) string
}

// Func returns the function that c calls.
func (x *Context) Func(c match.Call) *mpiapi.Func { return mpiapi.ByID(c.Func()) }

// Rank returns the rank in MPI_COMM_WORLD of the thread that made a call.
func (x *Context) Rank(c match.Call) int { return x.Tracker.ThreadByID(c.Thread).Process.Rank }

// EndedByMPI reports whether a process was ended by MPI itself, inside a call: the handler of an error was fatal.
func (x *Context) EndedByMPI(p *track.Process) bool {
	e := p.Ended
	if e == nil || e.Kind != ring.Exited || e.Asked || !e.InMPI || p.Finalizing || p.Aborting {
		return false
	}
	stack := x.Stack(p)
	return len(stack) > 0 && stack[0].Module != filepath.Base(p.Exe)
}

// Ranks turns members of a communicator into ranks in MPI_COMM_WORLD.
func Ranks(c *match.Comm, members []int32) []int {
	ranks := make([]int, len(members))
	for i, m := range members {
		ranks[i] = int(c.Members[m])
	}
	return ranks
}

// All returns the members of c.
func All(c *match.Comm) []int32 {
	list := make([]int32, c.Size())
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// Comm names a communicator, window or file for a message: as the process of one of the calls on it does.
func (x *Context) Comm(c match.Call, comm *match.Comm) string {
	p := x.Tracker.ThreadByID(c.Thread).Process
	if comm.Domain == match.Gathering {
		text := "the group of " + finding.RankNames(slices.Sorted(slices.Values(Ranks(comm, All(comm)))))
		if parent := comm.Parent(); parent != nil {
			text += " of " + x.Comm(c, parent)
		}
		return text
	}
	if whole := comm.Whole(); whole != nil {
		comm = whole
	}
	named, call := comm.Name, comm.Made
	if v := p.ViewOf(comm); v != nil {
		named, call = v.Name, v.Made
	}
	if named != "" {
		return named
	}
	what := "communicator"
	switch comm.Domain {
	case match.Window:
		what = "window"
	case match.File:
		what = "file"
	}
	if len(call.Raw) == 0 {
		return fmt.Sprintf("a %s of %s", what, Plural(comm.Size(), "process", "processes"))
	}
	return "the " + what + " made by " + x.CallAt(call)
}

// CallAt names the function of a call and where it is called: "MPI_Recv at x.c:12".
func (x *Context) CallAt(c match.Call) string {
	if stack := x.Site("", c).Stack; len(stack) > 0 && stack[0].File != "" {
		return fmt.Sprintf("%s at %s:%d", x.Func(c).Name, filepath.Base(stack[0].File), stack[0].Line)
	}
	return x.Func(c).Name
}

// Plural prints a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Join lists words for a sentence: "a, b and c".
func Join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
