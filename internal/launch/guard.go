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

// guard watches the processes of the launcher. If one of them is killed, the remaining ranks are killed by other
// processes of the launcher, or fail in MPI. Such ends are not errors of the program.
type guard struct {
	mu    sync.Mutex
	procs []*guarded
	// killed is the first of these processes that was killed from outside, nil if there is none.
	killed *guarded
	// ours: mpivet has sent the launcher a signal. From then on, mpivet is the cause of the launcher's end.
	ours bool
	// inhabited reports whether processes of the program still run, and are not about to end.
	inhabited func() bool
}

// guarded is a process of the launcher.
type guarded struct {
	process
	name  string
	front bool // it is the topmost process of the launcher
	child bool // mpivet has started it, and the method waited will get its exit status
	fd    int  // pidfd, -1 if there is none, or after the end of the process

	alive  time.Duration // the last time (CLOCK_MONOTONIC) at which it ran and was not about to end
	gone   bool          // a child that has ended, and has not been waited for
	ended  bool
	status unix.WaitStatus
	known  bool // the status is known
	early  bool // the status is not known, but ranks still ran when the process had ended
}

// add watches the ancestors of a rank that belong to the launcher: all up to the topmost one with the name of a
// launcher, or up to this process.
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

// addProcess watches the launcher process that mpivet has started.
func (g *guard) addProcess(pid int) {
	if st, err := statProcess(pid); err == nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.watch(st.process, st.Name, true).child = true
	}
}

// lose records that a process of the launcher had ended before its rank could name it as an ancestor.
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
			q.name, q.front = name, front // exec() may have changed the name
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
		// Another process may have got the PID meanwhile.
		if st, err := statProcess(p.pid); err == nil && st.start != p.start {
			g.finish(q, 0, false)
		}
	}
	g.procs = append(g.procs, q)
	return q
}

func (g *guard) finish(q *guarded, status unix.WaitStatus, known bool) {
	q.ended, q.status, q.known = true, status, known
	// A launcher does not end by itself before its ranks.
	q.early = !known && isLauncher(q.name) && g.inhabited != nil && g.inhabited()
	if q.fd >= 0 {
		unix.Close(q.fd)
		q.fd = -1
	}
}

// look checks whether a process has ended.
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

// ending reports whether a process is about to end: it is exiting, or SIGKILL is pending.
func (q *guarded) ending() bool {
	st, err := statProcess(q.pid)
	return err == nil && st.process == q.process && (st.Flags&exiting != 0 || killPending(q.pid))
}

// exiting is PF_EXITING among the flags in /proc/pid/stat.
const exiting = 0x4

// external reports whether a process was killed from outside. A crash of the launcher does not count: its cause is a
// rank that has failed.
func (q *guarded) external() bool {
	return q.ended && (q.early || q.known && q.status.Signaled() && !isFault(q.status.Signal()))
}

// endPatience is the time to wait for the end of a process that is about to end.
const endPatience = 2 * time.Second

// mark records which of the processes are alive when the end of a rank is noticed.
func (g *guard) mark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if g.look(q); !q.ended && !q.ending() {
			q.alive = monotonic()
		}
	}
}

// causes returns the process of the launcher whose death caused the end of a rank at the given time, nil if there is
// none. The result does not depend on the time of the call, with one exception: if both were killed in the short time
// between an end and its notice, the launcher's death counts as the cause.
func (g *guard) causes(at time.Duration) *guarded {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		for end := time.Now().Add(endPatience); !g.ours; {
			if g.look(q); q.ended || !q.gone && !q.ending() || time.Now().After(end) {
				break
			}
			g.mu.Unlock() // so that waited can run
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

// dead returns the first process of the launcher that was killed from outside, nil if there is none.
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

// waited records the exit status of the launcher, if it is a child of mpivet.
func (g *guard) waited(pid int, status unix.WaitStatus) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, q := range g.procs {
		if q.pid == pid && !q.known {
			g.finish(q, status, true)
		}
	}
}

// disturb records that mpivet sends a signal to the launcher.
func (g *guard) disturb() {
	g.dead()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ours = true
}

// close ends the watch on the processes.
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

// String describes the end of the process: "the launcher mpiexec (process 123) was killed by SIGKILL".
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

// isFault reports whether a signal is the usual result of an error in the process itself: a crash.
func isFault(s syscall.Signal) bool {
	switch s {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP,
		syscall.SIGSYS:
		return true
	}
	return false
}

// monotonic returns the time of CLOCK_MONOTONIC, the clock of the records.
func monotonic() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
