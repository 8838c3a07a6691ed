package launch

import (
	"cmp"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Ranks knows the processes of the program: those that registered in the session's directory before they became the
// program, and those that the preload library announced. It is a ring.Handler, to be told of the latter.
type Ranks struct {
	session string

	mu     sync.Mutex
	procs  map[process]bool
	pids   map[ring.ProcID]int
	above  map[int]bool // processes that the ranks descend from: the launcher's, and ours
	asked  bool         // to end
	held   bool         // by Stop
	failed int          // status of the first rank that went wrong by itself, 0 if none did
	ended  int          // status of the first that was ended, or vanished

	guard guard // of the launcher
	told  bool  // that it was killed
	// LauncherKilled, if it is not nil, is told once that somebody has killed the launcher, or one of its processes, before what
	// follows from it is told to other handlers. It is called by the goroutine that delivers records.
	LauncherKilled func(what string)
}

// NewRanks returns the ranks of a session, given by its directory.
func NewRanks(session string) *Ranks {
	return &Ranks{
		session: session, procs: map[process]bool{}, pids: map[ring.ProcID]int{}, above: map[int]bool{os.Getpid(): true},
		guard: guard{inhabited: func() bool { return slices.ContainsFunc(registered(session), process.undisturbed) }},
	}
}

// Proc takes note of a process that the preload library announced.
func (r *Ranks) Proc(p *ring.Proc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pids[p.ID] = p.PID
	if proc, ok := sameProcess(p.PID, p.Start); ok {
		r.procs[proc] = true
	}
	if p.Rank < 0 || slices.ContainsFunc(registered(r.session), func(q process) bool { return q.pid == p.PPID }) {
		return // started by a rank, whose signals are the program's own doing
	}
	if r.above[p.PPID] {
		return
	}
	// The rank's parent belongs to the launcher, and so does everything up to the last process known as one, or to
	// us. What is above that is the user's shell.
	r.below(ancestors(p.PID))
}

// below takes note of those ancestors of a rank that belong to the launcher.
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

// Registered takes note of a process that has registered, and of the launcher's above it.
func (r *Ranks) Registered(reg *ring.Registration) {
	// What a rank starts with mpivet is none of the launcher's, and the launcher has been seen already.
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
		chain = append(chain, processStat{process: process{a.PID, a.Start}, name: a.Name})
	}
	r.below(chain)
}

// orphaned reports whether the process that has started a rank was gone before the rank registered. Then the rank has the parent
// that orphans get: mpivet run, or else the first process.
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

// Died takes note of whether the launcher has outlived a process.
func (r *Ranks) Died(int) { r.guard.mark() }

// Started takes note of the launcher that mpivet has started.
func (r *Ranks) Started(pid int) { r.guard.addProcess(pid) }

// Close lets go of the processes that are watched.
func (r *Ranks) Close() { r.guard.close() }

// killed returns the launcher's exit status, as a shell has it, if it was killed from outside, 0 if it was not.
func (r *Ranks) killed() int {
	switch q := r.guard.dead(); {
	case q == nil:
		return 0
	case q.known:
		return 128 + int(q.status.Signal())
	}
	return 128 + int(syscall.SIGKILL) // as it seems
}

// tell says that the launcher was killed, once.
func (r *Ranks) tell(q *guarded) {
	if q == nil || r.told {
		return
	}
	r.told = true
	if r.LauncherKilled != nil {
		r.LauncherKilled(q.String())
	}
}

// follows reports whether the end of a process follows from the launcher's. What a process brings upon itself does not.
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

// Ask takes note that somebody has asked the program to end.
func (r *Ranks) Ask() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = true
}

// End takes note of how a process ended, and marks ends that were asked for.
func (r *Ranks) End(id ring.ProcID, e *ring.ProcEnd) {
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
		case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE:
			// Launchers pass on what they are asked, and end the ranks that are left when one has failed.
			e.Asked = r.asked || r.above[e.SenderPID]
		}
	}
	e.Asked = e.Asked || follows
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
	// Only ranks count, not what they start.
	if status != 0 && *first == 0 && slices.ContainsFunc(registered(r.session), func(p process) bool { return p.pid == pid }) {
		*first = status
	}
}

// Thread does nothing.
func (r *Ranks) Thread(*ring.Thread) {}

// Batch does nothing.
func (r *Ranks) Batch(*ring.Batch) {}

// Tick looks after the launcher.
func (r *Ranks) Tick() { r.tell(r.guard.dead()) }

// Failed returns the exit status, as a shell has it, of the first rank that went wrong by itself, or else of the launcher if it
// was killed, or else of the first rank that was ended; 0 if none was.
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

// kill sends a signal to all that still run.
func (r *Ranks) kill(sig syscall.Signal) {
	for _, p := range r.live() {
		p.kill(sig)
	}
}

// Stop stops all processes of the program, until they are ended.
func (r *Ranks) Stop() {
	r.mu.Lock()
	r.held = true
	r.mu.Unlock()
	r.kill(syscall.SIGSTOP)
}

// Continue lets processes that Stop has stopped run on, so that they get the signals that are to end them.
func (r *Ranks) Continue() {
	r.mu.Lock()
	held := r.held
	r.held = false
	r.mu.Unlock()
	if held {
		r.kill(syscall.SIGCONT)
	}
}

// Terminate ends all processes of the program: they get SIGTERM, and what is left after two seconds SIGKILL.
func (r *Ranks) Terminate() {
	r.Ask()
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

// Times that AwaitEnd allows.
const (
	lateGrace  = 2 * time.Second  // for ranks to come after all others have ended, if their number is not known
	firstGrace = 30 * time.Second // for the first one to come
)

// Exits are processes that wait in their exit.
type Exits interface {
	Leaving() []int  // processes
	Release(but int) // lets them end, but for the last few
}

// AwaitEnd returns when all processes of the program have ended that the launcher starts on this node: as many as
// expected, or, if that is 0 or fewer came, when there were none for a while. It returns at once when stop is closed. Processes
// that wait in their exit count as ended; AwaitEnd releases all of them but the last one.
func (r *Ranks) AwaitEnd(expected int, exits Exits, stop <-chan struct{}) {
	ticker := time.NewTicker(25 * time.Millisecond)
	defer ticker.Stop()
	none := time.Now()
	for {
		came := len(registered(r.session))
		leaving := exits.Leaving()
		living := slices.ContainsFunc(r.live(), func(p process) bool { return !slices.Contains(leaving, p.pid) })
		if living {
			exits.Release(0)
		} else {
			exits.Release(1)
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
		}
	}
}

// sameProcess returns the process with the pid if it is the one that was there at the given time (CLOCK_MONOTONIC),
// not a later one.
func sameProcess(pid int, at time.Duration) (process, bool) {
	st, err := statProcess(pid)
	if err != nil {
		return process{}, false
	}
	var boot, mono unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) != nil {
		return process{}, false
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 on all machines that Go knows
	began := time.Duration(st.start)*tick - time.Duration(boot.Nano()-mono.Nano())
	return st.process, began <= at+2*tick
}
