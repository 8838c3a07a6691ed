package launch

import (
	"cmp"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/procstat"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Ranks tracks the processes of the program: those that registered in the session's directory before they became the
// program, and those that the preload library announced. It is a ring.Handler, so that it learns of the latter.
type Ranks struct {
	session string

	mu     sync.Mutex
	procs  map[process]bool
	pids   map[ring.ProcID]int
	remote map[ring.ProcID]bool // processes of other nodes, and whether they are ranks
	above  map[int]bool         // ancestors of the ranks: processes of the launcher, and this process
	asked  bool                 // the program has been asked to end
	held   bool                 // Stop has stopped the processes
	failed int                  // exit status of the first rank that failed by itself, 0 if there is none
	ended  int                  // exit status of the first rank that was ended, or has vanished, 0 if there is none

	guard guard // of the launcher
	told  bool  // LauncherKilled has been called
	// LauncherKilled, if it is not nil, is called once if the launcher, or one of its processes, was killed from
	// outside. The goroutine that delivers records calls it, before other handlers learn of the consequences.
	LauncherKilled func(what string)
}

// NewRanks returns the ranks of a session. session is its directory.
func NewRanks(session string) *Ranks {
	return &Ranks{
		session: session, procs: map[process]bool{}, pids: map[ring.ProcID]int{}, remote: map[ring.ProcID]bool{},
		above: map[int]bool{os.Getpid(): true},
		guard: guard{inhabited: func() bool { return slices.ContainsFunc(registered(session), process.undisturbed) }},
	}
}

// Proc adds a process that the preload library announced.
func (r *Ranks) Proc(p *ring.Proc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Node != 0 {
		r.remote[p.ID] = p.Rank >= 0
		return
	}
	r.pids[p.ID] = p.PID
	if proc, ok := sameProcess(p.PID, p.Start); ok {
		r.procs[proc] = true
	}
	if p.Rank < 0 || slices.ContainsFunc(registered(r.session), func(q process) bool { return q.pid == p.PPID }) {
		return // a rank has started it: its signals come from the program itself
	}
	if r.above[p.PPID] {
		return
	}
	// The parent of the rank belongs to the launcher. So do all ancestors up to the topmost launcher, or up to this
	// process. Higher ancestors are the user's shell.
	r.below(ancestors(p.PID))
}

// below adds those ancestors of a rank that belong to the launcher.
func (r *Ranks) below(chain []processStat) {
	last := 0
	for i, st := range chain {
		if st.pid == os.Getpid() || st.isLauncher() {
			last = i
		}
	}
	for _, st := range chain[:min(last+1, len(chain))] {
		r.above[st.pid] = true
	}
}

// Registered adds a process that has registered, and its ancestors that belong to the launcher.
func (r *Ranks) Registered(reg *ring.Registration) {
	// A process that a rank has started with mpivet does not belong to the launcher, and the launcher is known already.
	for _, p := range registered(r.session) {
		for _, a := range reg.Above {
			if p.pid == a.PID && p.start == a.Start {
				return
			}
		}
	}
	if r.orphaned(reg) {
		r.guard.lose()
	}
	r.guard.add(reg.Above)
	r.mu.Lock()
	defer r.mu.Unlock()
	var chain []processStat
	for _, a := range reg.Above {
		st := procstat.Stat{PID: a.PID, Start: a.Start, Name: a.Name}
		chain = append(chain, processStat{process{a.PID, a.Start}, st})
	}
	r.below(chain)
}

// orphaned reports whether the parent of a rank had ended before the rank registered. Then the rank has the parent of
// orphans: mpivet run, or else the first process.
func (r *Ranks) orphaned(reg *ring.Registration) bool {
	if reg.Rank < 0 || r.guard.started(reg.PID) {
		return false
	}
	if len(reg.Above) > 0 {
		return reg.Above[0].PID == os.Getpid()
	}
	first, err := statProcess(1) // in a container, it may be the launcher
	return err == nil && !first.isLauncher()
}

// Died records whether the launcher still runs at the end of a process.
func (r *Ranks) Died(int) { r.guard.mark() }

// Started adds the launcher that mpivet has started.
func (r *Ranks) Started(pid int) { r.guard.addProcess(pid) }

// Close ends the watch on the launcher.
func (r *Ranks) Close() { r.guard.close() }

// killed returns the launcher's exit status, in the convention of shells, if it was killed from outside. It returns 0
// otherwise.
func (r *Ranks) killed() int {
	switch q := r.guard.dead(); {
	case q == nil:
		return 0
	case q.known:
		return 128 + int(q.status.Signal())
	}
	return 128 + int(syscall.SIGKILL) // a guess
}

// tell calls LauncherKilled, once.
func (r *Ranks) tell(q *guarded) {
	if q == nil || r.told {
		return
	}
	r.told = true
	if r.LauncherKilled != nil {
		r.LauncherKilled(q.String())
	}
}

// follows reports whether the end of the launcher is the cause of the end of a process. If a process crashes or
// replaces itself, it is not.
func (r *Ranks) follows(e *ring.ProcEnd) bool {
	if e.Kind == ring.Replaced || e.Kind == ring.Lost {
		return false
	}
	// An MPI library may abort() when it has lost the launcher.
	if s := syscall.Signal(e.Code); e.Kind == ring.Signaled && isFault(s) && (s != syscall.SIGABRT || !e.InMPI) {
		return false
	}
	q := r.guard.causes(e.Time)
	r.tell(q)
	return q != nil
}

// Ask records that the program has been asked to end.
func (r *Ranks) Ask() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = true
}

// End records the end of a process, and marks an end on request.
func (r *Ranks) End(id ring.ProcID, e *ring.ProcEnd) {
	if r.endRemote(id, e) {
		return
	}
	follows := r.follows(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	pid := r.pids[id]
	delete(r.pids, id)
	switch e.Kind {
	case ring.Exited, ring.Vanished:
		e.Asked = r.asked
	case ring.Signaled:
		switch syscall.Signal(e.Code) {
		case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL,
			syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE:
			// Launchers pass signals on. If a rank fails, they end the other ranks.
			e.Asked = r.asked || r.above[e.SenderPID]
		}
	}
	e.Asked, e.LauncherKilled = e.Asked || follows, follows
	// Only ranks count, not the processes that they start.
	isRank := func(p process) bool { return p.pid == pid }
	if slices.ContainsFunc(registered(r.session), isRank) {
		r.count(e)
	}
}

// count records the exit status of a rank.
func (r *Ranks) count(e *ring.ProcEnd) {
	status := 0
	switch e.Kind {
	case ring.Exited:
		status = e.Code
	case ring.Signaled:
		status = 128 + e.Code
	case ring.Vanished:
		status = 128 + int(syscall.SIGKILL)
	}
	first := &r.failed
	if e.Asked || e.Kind == ring.Vanished {
		first = &r.ended
	}
	if status != 0 && *first == 0 {
		*first = status
	}
}

// endRemote records the end of a process of another node. Its agent has marked an end on request. It returns false if
// the process is of this node.
func (r *Ranks) endRemote(id ring.ProcID, e *ring.ProcEnd) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	isRank, ok := r.remote[id]
	if ok && isRank {
		e.Asked = e.Asked || r.asked && (e.Kind == ring.Exited || e.Kind == ring.Vanished)
		r.count(e)
	}
	delete(r.remote, id)
	return ok
}

// Count returns the number of processes of the program that have registered on this node so far.
func (r *Ranks) Count() int { return len(registered(r.session)) }

// Thread does nothing.
func (r *Ranks) Thread(*ring.Thread) {}

// Batch does nothing.
func (r *Ranks) Batch(*ring.Batch) {}

// Tick checks whether the launcher was killed.
func (r *Ranks) Tick() { r.tell(r.guard.dead()) }

// Failed returns an exit status in the convention of shells: that of the first rank that failed by itself, or else that
// of the launcher if it was killed, or else that of the first rank that was ended. It returns 0 if there is none of
// these.
func (r *Ranks) Failed() int {
	launcher := r.killed()
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.failed, launcher, r.ended)
}

// live returns the processes of the program that still run.
func (r *Ranks) live() []process {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range registered(r.session) {
		if _, known := r.procs[p]; !known {
			r.procs[p] = true
		}
	}
	var out []process
	for p, there := range r.procs {
		switch {
		case !there:
		case p.alive():
			out = append(out, p)
		default:
			r.procs[p] = false
		}
	}
	return out
}

// kill sends a signal to all processes of the program that still run.
func (r *Ranks) kill(sig syscall.Signal) {
	for _, p := range r.live() {
		p.kill(sig)
	}
}

// Stop stops all processes of the program, until they are to end (see Continue).
func (r *Ranks) Stop() {
	r.mu.Lock()
	r.held = true
	r.mu.Unlock()
	r.kill(syscall.SIGSTOP)
}

// Continue continues processes that Stop has stopped, so that they can handle the signals that end them.
func (r *Ranks) Continue() {
	r.mu.Lock()
	held := r.held
	r.held = false
	r.mu.Unlock()
	if held {
		r.kill(syscall.SIGCONT)
	}
}

// Terminate ends all processes of the program. MPICH's launcher gets the request that MPI_Abort sends. Otherwise, and
// if that does not end them, the processes get SIGTERM, and SIGKILL if they still run after two seconds.
func (r *Ranks) Terminate() {
	r.Ask()
	r.abortByPMI(func() bool { return len(r.live()) == 0 })
	r.kill(syscall.SIGTERM)
	r.Continue()
	deadline := time.Now().Add(termGrace)
	for len(r.live()) > 0 {
		if time.Now().After(deadline) {
			r.kill(syscall.SIGKILL)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Timeouts of AwaitEnd.
const (
	lateGrace  = 2 * time.Second  // for further ranks after all others have ended, if the number of ranks is unknown
	firstGrace = 30 * time.Second // for the start of the first rank
)

// Exits are processes that wait in their exit.
type Exits interface {
	Leaving() []int          // their process IDs, in the order in which they were noticed
	Release(n int)           // lets the first n of them end
	Leaves() <-chan struct{} // has an element after one was noticed
}

// AwaitEnd returns after the end of all processes of the program that the launcher starts on this node. It waits for as
// many as expected. If expected is 0, or fewer processes start, it waits until no process has run for a while. It
// returns at once when stop is closed. Processes that wait in their exit count as ended. AwaitEnd releases all of them
// except the last one.
func (r *Ranks) AwaitEnd(expected int, exits Exits, stop <-chan struct{}) {
	// Each look takes a processor from a rank. What must not wait is told by exits.
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	none := time.Now()
	released := make(map[int]bool)
	for {
		came := len(registered(r.session))
		leaving := exits.Leaving()
		living := slices.ContainsFunc(r.live(), func(p process) bool {
			return !released[p.pid] && !slices.Contains(leaving, p.pid)
		})
		// Another process may have come to its exit since: it may be the last one, so it is not released yet.
		n := len(leaving)
		if !living {
			n = max(n-1, 0)
		}
		exits.Release(n)
		for _, pid := range leaving[:n] {
			released[pid] = true // it may take a while to end
		}
		if came > 0 && living {
			none = time.Now()
		} else {
			grace := firstGrace
			if came > 0 {
				grace = lateGrace
			}
			if expected > 0 && came >= expected || time.Since(none) > grace {
				return
			}
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		case <-exits.Leaves():
		}
	}
}

// sameProcess returns the process with a PID, if it existed at the given time (CLOCK_MONOTONIC) already. It returns
// false if a later process has the PID.
func sameProcess(pid int, at time.Duration) (process, bool) {
	st, err := statProcess(pid)
	if err != nil {
		return process{}, false
	}
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return process{}, false
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on all machines that Go supports
	began := time.Duration(st.start)*tick - time.Duration(boot.Nano()-mono.Nano())
	return st.process, began <= at+2*tick
}
