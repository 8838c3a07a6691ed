// Package check is the frame for the checks: what a check is, what it works with, and what helps it to say what it found.
// The checks themselves are in the packages below it, one per family.
package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/track"
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
	// KeptSums: the ranks are to make sums of what nonblocking operations send (ring.KeptSums).
	KeptSums bool
	// Needs are the facts that the check works with. They are made before Start is called.
	Needs []analysis.Need
	// Start starts the check for one run: it subscribes to the events that the check wants. The check's state of the run goes
	// there.
	Start func(*Run)
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

// Run is what a check works with in one run.
type Run struct {
	Check *Check
	// Owner subscribes for the check: x.Track.CallFailed.On(x.Owner, …).
	Owner *stream.Owner
	// Track and Match are the events of the stages before the checks. Facts has the facts that the check needs: F.Of(x.Facts).
	Track *track.Events
	Match *match.Events
	Facts *analysis.Run

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
	// Site describes the place of a call: role says what it has to do with the finding.
	Site func(role string, c match.Call) finding.Site
	// Layered reports whether a layer of MPI (of Fortran) makes a call for the program: then variables that it is given are
	// not the program's.
	Layered func(c match.Call) bool
	// Stack describes where a process was when it ended.
	Stack func(p *track.Process) []finding.Frame
	// FaultInside returns the function of mpivet's own library in which a process was killed by a fault, false if it was killed
	// elsewhere.
	FaultInside func(p *track.Process) (function string, ok bool)
	// Place identifies the place of a call: the same for the same call stack in the same program on any rank.
	Place func(c match.Call) string
}

// Func returns the function that c calls.
func (x *Run) Func(c match.Call) *mpiapi.Func { return mpiapi.ByID(c.Func()) }

// Rank returns the rank in MPI_COMM_WORLD of the thread that made a call.
func (x *Run) Rank(c match.Call) int { return x.Tracker.ThreadByID(c.Thread).Process.Rank }

// EndedByMPI reports whether a process was ended by MPI itself, inside a call: the handler of an error was fatal.
func (x *Run) EndedByMPI(p *track.Process) bool {
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
func (x *Run) Comm(c match.Call, comm *match.Comm) string {
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
func (x *Run) CallAt(c match.Call) string {
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
