package launch

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// A guard watches the processes of the launcher: when one of them is killed, the ranks that are left are killed by the others, or
// fail in MPI, and none of that says anything about the program.
type guard struct {
	mu    sync.Mutex
	procs []*guarded
	// killed is the first of them that was killed from outside, nil if none was.
	killed *guarded
	// ours: mpivet has sent the launcher a signal, and what happens to it from then on is mpivet's doing.
	ours bool
	// inhabited reports whether processes of the program run that nothing has ended yet.
	inhabited func() bool
}

// A guarded process is one of the launcher's.
type guarded struct {
	process
	name  string
	front bool // no other one of the launcher's is above it
	child bool // mpivet has started it, and will be told how it has ended: see waited
	fd    int  // pidfd, -1 without, or once it has ended

	alive  time.Duration // CLOCK_MONOTONIC when it was last seen not to be about to end
	gone   bool          // a child that has ended, and has not been waited for
	ended  bool
	status unix.WaitStatus
	known  bool // the status is
	early  bool // it is not, but there were ranks left when it had ended
}

// add watches those of a rank's ancestors that are the launcher's: all up to the last one that is known as a launcher, or to
// this process.
func (g *guard) add(above []ring.Ancestor) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last, me := -1, os.Getpid()
	for i, a := range above {
		if a.PID == me {
			last = i - 1
			break
		}
		if isLauncher(a.Name) {
			last = i
		}
	}
	for i, a := range above[:last+1] {
		g.watch(process{a.PID, a.Start}, a.Name, i == last)
	}
}

// addProcess watches the process that mpivet has started as the launcher.
func (g *guard) addProcess(pid int) {
	if st, err := statProcess(pid); err == nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.watch(st.process, st.name, true).child = true
	}
}

// lose notes that a process of the launcher had ended before a rank could say that it descends from it.
func (g *guard) lose() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.procs = append(g.procs, &guarded{fd: -1, ended: true, early: true})
}

// started reports whether a process is the launcher that mpivet has started.
func (g *guard) started(pid int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.procs, func(q *guarded) bool { return q.child && q.pid == pid })
}

func (g *guard) watch(p process, name string, front bool) *guarded {
	for _, q := range g.procs {
		if q.process == p {
			q.name, q.front = name, front // by exec() it may have another name than before
			return q
		}
	}
	q := &guarded{process: p, name: name, front: front, fd: -1}
	fd, err := unix.PidfdOpen(p.pid, unix.O_NONBLOCK)
	switch {
	case err != nil:
		if errors.Is(err, unix.ESRCH) {
			g.finish(q, 0, false)
		}
	default:
		q.fd = fd
		// Not one that has got its number meanwhile.
		if st, err := statProcess(p.pid); err == nil && st.start != p.start {
			g.finish(q, 0, false)
		}
	}
	g.procs = append(g.procs, q)
	return q
}

func (g *guard) finish(q *guarded, status unix.WaitStatus, known bool) {
	q.ended, q.status, q.known = true, status, known
	// A launcher does not leave before its ranks.
	q.early = !known && isLauncher(q.name) && g.inhabited != nil && g.inhabited()
	if q.fd >= 0 {
		unix.Close(q.fd)
		q.fd = -1
	}
}

// look finds out whether a process has ended.
func (g *guard) look(q *guarded) {
	if q.ended {
		return
	}
	if q.fd < 0 {
		if !q.process.alive() {
			g.finish(q, 0, false)
		}
		return
	}
	fds := []unix.PollFd{{Fd: int32(q.fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, 0); err == nil && n > 0 {
		status, known := ring.WaitStatus(q.fd, q.pid)
		if q.gone = q.child && !known; !q.gone {
			g.finish(q, status, known)
		}
	}
}

// ending reports whether a process is about to end: it is on its way out, or will be when it gets the signal that waits for it.
func (q *guarded) ending() bool {
	st, err := statProcess(q.pid)
	return err == nil && st.process == q.process && (st.flags&exiting != 0 || killPending(q.pid))
}

// exiting is PF_EXITING among the flags in /proc/pid/stat.
const exiting = 0x4

// external reports whether a process was ended by somebody else: a launcher that crashes does so as a rank has gone wrong.
func (q *guarded) external() bool {
	return q.ended && (q.early || q.known && q.status.Signaled() && !isFault(q.status.Signal()))
}

// endPatience is how long the end of a process may take that is on its way out.
const endPatience = 2 * time.Second

// mark notes which of the processes are alive, at the moment when the end of a rank has been noticed.
func (g *guard) mark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if g.look(q); !q.ended && !q.ending() {
			q.alive = monotonic()
		}
	}
}

// causes returns the process of the launcher whose death has brought about what happened to a rank at the given time, nil if
// there is none. It does not depend on when that is asked, but for the moment between an end and its notice: if both were killed
// in the same moment, the launcher's death is the cause.
func (g *guard) causes(at time.Duration) *guarded {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		for end := time.Now().Add(endPatience); !g.ours; {
			if g.look(q); q.ended || !q.gone && !q.ending() || time.Now().After(end) {
				break
			}
			g.mu.Unlock() // for waited
			time.Sleep(time.Millisecond)
			g.mu.Lock()
		}
		if !g.ours && q.external() && at >= q.alive {
			g.first(q)
			return q
		}
	}
	return nil
}

// dead returns the first process of the launcher that was killed from outside, nil if none was.
func (g *guard) dead() *guarded {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if g.look(q); !g.ours && q.external() {
			g.first(q)
		}
	}
	return g.killed
}

func (g *guard) first(q *guarded) {
	if g.killed == nil {
		g.killed = q
	}
}

// waited notes how the launcher that is mpivet's own child has ended.
func (g *guard) waited(pid int, status unix.WaitStatus) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if q.pid == pid && !q.known {
			g.finish(q, status, true)
		}
	}
}

// disturb notes that mpivet sends a signal to the launcher.
func (g *guard) disturb() {
	g.dead()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ours = true
}

// close lets go of the processes.
func (g *guard) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if q.fd >= 0 {
			unix.Close(q.fd)
			q.fd = -1
		}
	}
	g.procs = nil
}

// String says what happened: "the launcher mpiexec (process 123) was killed by SIGKILL".
func (q *guarded) String() string {
	if q.name == "" {
		return "a process of the launcher ended before its ranks"
	}
	what := "the launcher"
	if !q.front {
		what = "the launcher's process"
	}
	if !q.known {
		return fmt.Sprintf("%s %s (process %d) ended before its ranks", what, q.name, q.pid)
	}
	return fmt.Sprintf("%s %s (process %d) was killed by %s", what, q.name, q.pid, unix.SignalName(q.status.Signal()))
}

// isFault reports whether a signal is one that a process brings upon itself.
func isFault(s syscall.Signal) bool {
	switch s {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP, syscall.SIGSYS:
		return true
	}
	return false
}

// monotonic is CLOCK_MONOTONIC, which the times of records are of.
func monotonic() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
