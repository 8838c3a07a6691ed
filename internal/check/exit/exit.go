// Package exit has the checks of how processes end.
package exit

import (
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed signal.md
var signalDoc string

//go:embed finalize.md
var finalizeDoc string

// Signal reports ranks that a signal kills. It reports those that died of a fault of their own. If there are none, it
// reports the first one, as launchers then kill the others.
var Signal = &check.Check{
	ID:       "LOCAL:EXIT:SIGNAL",
	Severity: finding.Fatal,
	Title:    "a process is killed by a signal",
	Doc:      signalDoc,
	Needs:    []analysis.Need{waiting.Fact},
	Start: func(x *check.Run) {
		s := &deaths{x: x}
		x.Track.CallFailed.On(x.Owner, s.failed)
		waiting.Fact.Of(x.Facts).Found.On(x.Owner, func(*waiting.Deadlock) { s.explained = true })
		x.Track.ProcessEnded.On(x.Owner, s.end)
		x.Track.Tick.On(x.Owner, func(struct{}) { s.tick() })
		x.Track.RunOver.On(x.Owner, func(struct{}) { s.reportDeaths() })
	},
}

// deaths collects the processes that died until it is clear which was first.
type deaths struct {
	x     *check.Run
	dead  []*track.Process
	ticks int
	// explained: later deaths are consequences of a deadlock, an abort, an error that is fatal, or another death.
	explained bool
	enders    []*track.Process // they made MPI end the program: by an error that is fatal, or by MPI_Abort
	asked     time.Duration    // the launcher began to end processes; 0: it did not
}

func (s *deaths) failed(e track.CallFailed) {
	if f := e.Failure; f != nil && f.Fatal {
		s.explained = true
		s.enders = append(s.enders, e.Thread.Process)
	}
	if s.x.Func(e.Call).Base == mpiapi.IDFinalize {
		s.explained = true // for launchers, the process ends without MPI_Finalize: they kill the others
	}
}

func (s *deaths) end(p *track.Process) {
	e := p.Ended
	if p.Aborting {
		s.explained = true
		s.enders = append(s.enders, p)
	}
	if e.Asked {
		if s.asked == 0 || e.Time < s.asked {
			s.asked = e.Time
		}
		return
	}
	switch e.Kind {
	case ring.Exited, ring.Replaced:
		if s.lostPeer(p) {
			return
		}
		if e.Kind == ring.Exited && (p.Initialized && !p.Finalizing || e.Code != 0 && isRank(s.x.Tracker, p)) {
			// The launcher may have killed the others since, and some may have been gone before it.
			since := slices.DeleteFunc(slices.Clone(s.dead),
				func(q *track.Process) bool { return q.Ended.Time < e.Time })
			s.dead = slices.DeleteFunc(s.dead, func(q *track.Process) bool { return q.Ended.Time >= e.Time })
			s.reportDeaths()
			s.explained, s.dead = true, since
		}
		return
	}
	if !isRank(s.x.Tracker, p) || e.Kind == ring.Vanished && e.Code == 0 && (!p.Initialized || p.Finalizing) {
		// The kernel does not tell how it ended. Outside of MPI, it may have called exec() for a program without the
		// library.
		return
	}
	s.dead = append(s.dead, p)
}

// lostPeer reports whether MPI may have ended p because a process on another node had died. The end of that process may
// be seen later.
func (s *deaths) lostPeer(p *track.Process) bool {
	return s.x.MayHaveLostPeer(p) && !slices.Contains(s.enders, p) &&
		slices.ContainsFunc(s.x.Tracker.Processes, func(q *track.Process) bool { return q.Node != p.Node })
}

// isRank reports whether p is a process of the MPI program, and not a child of one.
func isRank(t *track.Tracker, p *track.Process) bool {
	if len(p.Threads) > 0 {
		return true
	}
	for _, q := range t.Processes {
		if q.PID == p.PPID && q.Node == p.Node {
			return false
		}
	}
	return true
}

func (s *deaths) tick() {
	if len(s.dead) > 0 {
		if s.ticks++; s.ticks > 5 {
			s.reportDeaths()
		}
	}
}

func (s *deaths) reportDeaths() {
	s.ticks = 0
	dead := s.dead
	s.dead = nil
	slices.SortStableFunc(dead, func(a, b *track.Process) int { return int(a.Ended.Time - b.Ended.Time) })
	own := false
	dead = slices.DeleteFunc(dead, s.diedOfTheEnd)
	dead = slices.DeleteFunc(dead, s.diedByTheLauncher)
	for _, p := range dead {
		if ownFault(p.Ended) {
			s.report(p)
			own = true
		}
	}
	if own || s.explained || len(dead) == 0 {
		s.explained = s.explained || own
		return
	}
	s.report(dead[0])
	s.explained = true
}

// aLittle is a time in which processes may notice that MPI ends the program, before the process that caused it is gone.
const aLittle = 100 * time.Millisecond

// diedOfTheEnd reports whether a process crashed in the code of MPI while MPI was ending the program. MPICH 4.2 crashes
// there by itself after it has printed the error.
func (s *deaths) diedOfTheEnd(p *track.Process) bool {
	if !ownFault(p.Ended) || !p.Ended.InMPI {
		return false
	}
	stack := s.x.Stack(p)
	if len(stack) == 0 || stack[0].Module == filepath.Base(p.Exe) {
		return false
	}
	if _, inside := s.x.FaultInside(p); inside {
		return false
	}
	return slices.ContainsFunc(s.enders, func(q *track.Process) bool {
		return q == p || q.Ended != nil && q.Ended.Time <= p.Ended.Time+aLittle
	})
}

// patience is less than what launchers give a process between SIGTERM, which asks it to end, and SIGKILL: Open MPI a
// second by default, Slurm 30 s.
const patience = 500 * time.Millisecond

// diedByTheLauncher reports whether the launcher, which was ending the program, killed a process. A process that is
// dead at once was dead before: launchers then end the others.
func (s *deaths) diedByTheLauncher(p *track.Process) bool {
	return s.asked != 0 && !ownFault(p.Ended) && p.Ended.Time >= s.asked+patience
}

// withoutExit returns a rank besides p that ended after MPI_Finalize without exit(), or became another program there.
// It returns nil if there is none.
func (s *deaths) withoutExit(p *track.Process) *track.Process {
	for _, q := range s.x.Tracker.Processes {
		e := q.Ended
		same := q.PID == p.PID && q.Node == p.Node // p itself, before it became this program
		if e == nil || same || q.Rank < 0 || !e.Finalized {
			continue
		}
		if e.Kind == ring.Replaced || e.Kind == ring.Exited && (e.Underscore || e.Unseen) {
			return q
		}
	}
	return nil
}

// ownFault reports whether the process itself caused the signal: by a fault or abort(), not by kill() from another
// process.
func ownFault(e *ring.ProcEnd) bool {
	if e.Kind != ring.Signaled {
		return false
	}
	switch syscall.Signal(e.Code) {
	case unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGABRT, unix.SIGSYS, unix.SIGTRAP:
		return true
	}
	return false
}

func (s *deaths) report(p *track.Process) {
	e := p.Ended
	f := &finding.Finding{Ranks: []int{p.Rank}, Details: map[string]any{"pid": p.PID}}
	for _, th := range p.Threads {
		f.FollowUp = f.FollowUp || th.Inaccessible()
	}
	name, is := "SIGKILL", "is probably killed"
	if e.Code != 0 {
		is = "is killed"
		name = unix.SignalName(syscall.Signal(e.Code))
		f.Details["signal"] = e.Code
	}
	open := openCall(p)
	f.Message = fmt.Sprintf("%s (process %d%s) %s by %s", rankName(p), p.PID, on(p), is, name)
	if p.Host != "" {
		f.Details["host"] = p.Host
	}
	switch {
	case e.Kind == ring.Vanished && e.Code != 0 && e.Code != int(unix.SIGKILL):
		f.Message += fmt.Sprintf(" (%s)", describeSignal(e.Code))
	case e.Kind == ring.Vanished:
		f.Advice = s.whoKilled(p, open != nil)
	case e.SenderPID == 0 && (e.Code == int(unix.SIGSEGV) || e.Code == int(unix.SIGBUS)):
		f.Message += fmt.Sprintf(" (%s) at address %#x", describeSignal(e.Code), e.FaultAddr)
		f.Details["address"] = fmt.Sprintf("%#x", e.FaultAddr)
	case e.SenderPID != 0 && e.SenderPID != p.PID:
		f.Message += fmt.Sprintf(", sent by process %d", e.SenderPID)
	default:
		f.Message += fmt.Sprintf(" (%s)", describeSignal(e.Code))
	}
	in := ""
	switch {
	case open != nil:
		in = mpiapi.ByID(open.Call.Func()).Name
		f.Message += fmt.Sprintf(", inside %s", in)
	case p.Finalizing:
		f.Message += ", after MPI_Finalize"
	case !p.Initialized:
		f.Message += ", before MPI_Init"
	}
	if e.Kind == ring.Vanished {
		f.Why = "It ended without exit(), and without a signal that a process can catch."
	}
	if f.Advice == "" {
		f.Advice = "Look at the innermost line of your program in the stack. A core file (ulimit -c unlimited) or a " +
			"debugger shows the variables there."
		if in != "" {
			f.Advice = fmt.Sprintf("Check the buffers and handles passed to %s. Check whether earlier operations "+
				"wrote beyond their buffers.", in)
		}
	}
	if function, inside := s.x.FaultInside(p); inside && !readsProgram(function) {
		f.Message += "\nThe fault is in " + cmp.Or(function, "mpivet's library") + " of mpivet itself. " +
			"This is a bug of mpivet, not of your program."
		f.Advice = "Please report this, with the output of mpivet version and mpivet doctor. Without mpivet, the " +
			"program runs. Fewer checks may avoid the fault (--check '*=off' switches all of them off)."
		f.Details["mpivet"] = function
	}
	stack := s.x.Stack(p)
	if len(stack) > 0 {
		f.Sites = append(f.Sites, finding.Site{Rank: p.Rank, Role: "killed at", Stack: stack})
		f.Key = fmt.Sprint(name, stack[0].Function, stack[0].File, stack[0].Line)
	} else {
		f.Key = fmt.Sprint(name, p.Rank)
	}
	switch {
	case open != nil:
		f.Sites = append(f.Sites, s.x.Site("MPI call it was in", open.Call))
	case len(p.Threads) > 0 && len(p.Threads[0].Last.Raw) > 0:
		f.Sites = append(f.Sites, s.x.Site("last MPI call", p.Threads[0].Last))
	}
	s.x.Report(f)
}

// whoKilled returns the advice for a process that SIGKILL has ended.
func (s *deaths) whoKilled(p *track.Process, inCall bool) string {
	const killers = "what killed it: the out-of-memory killer (dmesg), a limit of the batch system, or a user."
	if q := s.withoutExit(p); q != nil && p.Finalizing {
		return fmt.Sprintf("Find out "+killers+" It may be MPICH's launcher: from version 4.2 on, it kills the "+
			"other ranks if one ends after MPI_Finalize without exit(), as rank %d did. Let rank %[1]d call exit() "+
			"or return from main.", q.Rank)
	}
	if inCall && strings.Contains(p.Library, "MPICH") {
		return "If MPI has printed an error of this call, that is the cause: MPICH's launcher then kills the rank. " +
			"Otherwise, find out " + killers
	}
	return "Find out " + killers
}

// readsProgram reports whether a function of mpivet's library reads arrays that the program passes to MPI. A fault
// there is the fault of the program's pointers. These functions are the wrappers of MPI's functions, and what they call
// to read.
func readsProgram(function string) bool {
	for _, prefix := range []string{"MPI_", "PMPI_", "mv_fill", "mv_section", "mv_data", "mv_reach"} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

type opened struct{ Call match.Call }

// openCall returns the MPI call that the process died in, nil if it was in none.
func openCall(p *track.Process) *opened {
	for _, th := range p.Threads {
		if th.Open.Func != nil && (p.Ended.Kind == ring.Vanished || p.Ended.TID == 0 || p.Ended.TID == th.TID) {
			return &opened{th.Last}
		}
	}
	return nil
}

// on names the node of a process, if there are several.
func on(p *track.Process) string {
	if p.Host == "" {
		return ""
	}
	return " on node " + p.Host
}

func rankName(p *track.Process) string {
	if p.Rank < 0 {
		return "A process"
	}
	return fmt.Sprintf("Rank %d", p.Rank)
}

func describeSignal(n int) string {
	switch syscall.Signal(n) {
	case unix.SIGSEGV:
		return "invalid memory access"
	case unix.SIGBUS:
		return "access to missing memory"
	case unix.SIGFPE:
		return "arithmetic error"
	case unix.SIGILL:
		return "illegal instruction"
	case unix.SIGABRT:
		return "abort"
	}
	return syscall.Signal(n).String()
}

// BeforeFinalize reports processes that exit between MPI_Init and MPI_Finalize (MPI standard, section 11.2.2).
var BeforeFinalize = &check.Check{
	ID:       "LOCAL:EXIT:BEFORE_MPI_FINALIZE",
	Severity: finding.Fatal,
	Title:    "a process exits without calling MPI_Finalize",
	Doc:      finalizeDoc,
	Start: func(x *check.Run) {
		dying := make(map[*track.Process]bool)
		x.Track.CallFailed.On(x.Owner, func(e track.CallFailed) {
			if f := e.Failure; f != nil && f.Fatal {
				dying[e.Thread.Process] = true // MPI itself ends it
			}
		})
		x.Track.ProcessEnded.On(x.Owner, func(p *track.Process) {
			early := p.Initialized && !p.Finalizing && !p.Aborting
			if early && p.Ended.Kind == ring.Exited && !p.Ended.Asked && !dying[p] && !x.EndedByMPI(p) {
				beforeFinalize(x, p)
			}
		})
	},
}

func beforeFinalize(x *check.Run, p *track.Process) {
	e := p.Ended
	how := "exits"
	switch {
	case e.Unseen:
		how = "ends"
	case e.Underscore:
		how = "calls _exit"
	}
	f := &finding.Finding{
		Ranks:   []int{p.Rank},
		Message: fmt.Sprintf("%s %s with status %d without MPI_Finalize", rankName(p), how, e.Code),
		Why: "Every process must call MPI_Finalize before it exits (MPI standard, section 11.2.2). Other processes " +
			"may wait for this one forever.",
		Advice:  "Call MPI_Finalize on every path out of the program. Where the program must give up, call MPI_Abort.",
		Details: map[string]any{"status": e.Code},
	}
	if e.InMPI {
		f.Message += ", from inside an MPI call"
	}
	if stack := x.Stack(p); len(stack) > 0 {
		f.Sites = append(f.Sites, finding.Site{Rank: p.Rank, Role: "exit", Stack: stack})
		f.Key = fmt.Sprint(stack[0].Function, stack[0].File, stack[0].Line)
	}
	if len(p.Threads) > 0 && len(p.Threads[0].Last.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site("last MPI call", p.Threads[0].Last))
		f.Key += x.Place(p.Threads[0].Last)
	}
	x.Report(f)
}

// Checks are the checks of this family.
var Checks = []*check.Check{Signal, BeforeFinalize}
