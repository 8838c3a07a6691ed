// Package check is the framework for the checks: what a check is, what it works with, and helpers for its texts. The
// checks themselves are in the packages below, one package for each family.
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
	Severity finding.Severity // of its findings, unless they set another one
	Title    string           // half a line: what is wrong
	// Doc explains the check to users, in Markdown under the headings in [Sections]: the rule with its section of the
	// MPI standard, a wrong and a right program, and what the check cannot see.
	Doc string
	// Common is the end of that text, if several checks have the same. Text returns both.
	Common string
	// Portability: the program worked in this run, and goes wrong only elsewhere or in another run. A profile switches
	// such checks off.
	Portability bool
	// KeptSums: the ranks make checksums of what nonblocking operations send (ring.KeptSums).
	KeptSums bool
	// Needs are the facts that the check works with. They exist before Start is called.
	Needs []analysis.Need
	// Start starts the check for one run. It makes the check's state for the run, and subscribes to events.
	Start func(*Run)
}

// Text returns the whole explanation of the check.
func (c *Check) Text() string { return c.Doc + c.Common }

// Leaks says how much findings report about objects that are not freed.
type Leaks struct {
	// Limits are the numbers of objects of a process from which on a note is made while the program runs.
	Limits track.Limits
	// Places is how many places are reported for each kind of objects of a process, the most frequent places first.
	Places int
}

// DefaultLeaks has the defaults.
func DefaultLeaks() Leaks { return Leaks{Limits: track.DefaultLimits, Places: 10} }

// Run is what a check works with in one run.
type Run struct {
	Check *Check
	// Owner subscribes for the check: x.Track.CallFailed.On(x.Owner, …).
	Owner *stream.Owner
	// Track and Match are the events of the stages before the checks. Facts has the facts that the check needs:
	// F.Of(x.Facts).
	Track *track.Events
	Match *match.Events
	Facts *analysis.Run

	Tracker *track.Tracker
	// NoProgress is how long processes may be in the same MPI calls on average before a finding says so, 0 for no
	// limit.
	NoProgress time.Duration
	// MaxPending is how many places are reported that send messages which are never received, those with the most
	// messages first; 0 for all.
	MaxPending int
	// Leaks says how much is reported about objects that are not freed.
	Leaks *Leaks
	// Report reports a finding. It sets Check and Severity if they are empty.
	Report func(*finding.Finding)
	// Earlier returns the last finding that the user has seen, of those for which its function returns true; nil if
	// there is none. The function sees the check, the severity, the ranks and the sites.
	Earlier func(func(*finding.Finding) bool) *finding.Finding
	// Refuse says that the finding, which was just reported, is about the collective at position `at` of c. In strict
	// mode, its calls are refused if the finding is an error.
	Refuse func(f *finding.Finding, c *match.Comm, at uint64)
	// Site describes the place of a call. role says what the call has to do with the finding.
	Site func(role string, c match.Call) finding.Site
	// Layered reports whether a layer of MPI (for Fortran) makes a call for the program. Then its variables are not the
	// program's.
	Layered func(c match.Call) bool
	// Stack describes where a process was when it ended.
	Stack func(p *track.Process) []finding.Frame
	// FaultInside returns the function of mpivet's own library in which a fault killed a process. ok is false if the
	// process was killed elsewhere.
	FaultInside func(p *track.Process) (function string, ok bool)
	// Function names the function of the program at an address of a process, "" if it is not known.
	Function func(p *track.Process, address uint64) string
	// Place identifies the place of a call. It is the same for the same call stack in the same program on all ranks.
	Place func(c match.Call) string
}

// Func returns the function that c calls.
func (x *Run) Func(c match.Call) *mpiapi.Func { return mpiapi.ByID(c.Func()) }

// Rank returns the rank in MPI_COMM_WORLD of the thread that made a call.
func (x *Run) Rank(c match.Call) int { return x.Tracker.ThreadByID(c.Thread).Process.Rank }

// EndedByMPI reports whether MPI itself ended a process, inside a call: the error handler was fatal.
func (x *Run) EndedByMPI(p *track.Process) bool {
	e := p.Ended
	if e == nil || e.Kind != ring.Exited || e.Asked || !e.InMPI || p.Finalizing || p.Aborting {
		return false
	}
	stack := x.Stack(p)
	return len(stack) > 0 && stack[0].Module != filepath.Base(p.Exe)
}

// MayHaveLostPeer reports whether MPI may have ended a process because its connection to another process was closed.
// Open MPI does that. MPICH does not.
func (x *Run) MayHaveLostPeer(p *track.Process) bool {
	return strings.Contains(p.Library, "Open MPI") && x.EndedByMPI(p)
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

// Comm names a communicator, window or file in a text. c is one of the calls on it, whose process may have named it.
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
	if comm.Ordinal > 0 {
		what = fmt.Sprintf("%s #%d", what, comm.Ordinal)
	} else {
		what = "a " + what
	}
	if len(call.Raw) == 0 {
		return what + " of " + Plural(comm.Size(), "process", "processes")
	}
	return what + " made by " + x.CallAt(call)
}

// CallAt names the function of a call and its place: "MPI_Recv at x.c:12".
func (x *Run) CallAt(c match.Call) string {
	if line := x.Line(c); line != "" {
		return x.Func(c).Name + " at " + line
	}
	return x.Func(c).Name
}

// CallIn names the function of a call, with its place in parentheses: "MPI_Recv (x.c:12)".
func (x *Run) CallIn(c match.Call) string { return x.Func(c).Name + Parens(x.Line(c)) }

// Line names the place of a call: "x.c:12". It is "" if the place is not known.
func (x *Run) Line(c match.Call) string {
	if len(c.Raw) == 0 {
		return ""
	}
	return Line(x.Site("", c).Stack)
}

// Line names the innermost place of a stack: "x.c:12". It is "" if the place is not known.
func Line(stack []finding.Frame) string {
	if len(stack) == 0 || stack[0].File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(stack[0].File), stack[0].Line)
}

// Parens returns a text in parentheses after a space; "" for "".
func Parens(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// Plural prints a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Join joins words for a sentence: "a, b and c".
func Join(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
