package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/record/procstat"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// process identifies a process of this machine. A later process with the same PID has another start time.
type process struct {
	pid   int
	start uint64 // clock ticks since boot, field 22 of /proc/pid/stat
}

// processStat has fields of /proc/pid/stat.
type processStat struct {
	process
	procstat.Stat
}

func statProcess(pid int) (processStat, error) {
	st, err := procstat.Read(pid)
	return processStat{process{st.PID, st.Start}, st}, err
}

// isLauncher reports whether a process is part of a launcher of MPI programs, by the name of its executable.
func (p processStat) isLauncher() bool { return isLauncher(p.Name) }

func isLauncher(executable string) bool {
	for _, name := range []string{
		"mpiexec", "mpirun", "orterun", "orted", "prterun", "prted", "hydra_", "srun", "slurmstepd", "flux", "jsrun",
		"aprun", "palsd",
	} {
		if strings.HasPrefix(executable, name) {
			return true
		}
	}
	return false
}

// killPending reports whether SIGKILL is pending for a process.
func killPending(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "SigPnd" && name != "ShdPnd" {
			continue
		}
		if set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64); err == nil &&
			set>>(syscall.SIGKILL-1)&1 != 0 {
			return true
		}
	}
	return false
}

// ancestors returns the ancestors of a process, nearest first, without init.
func ancestors(pid int) []processStat {
	var out []processStat
	st, err := statProcess(pid)
	for err == nil && st.PPID > 1 && len(out) < 100 {
		if st, err = statProcess(st.PPID); err == nil {
			out = append(out, st)
		}
	}
	return out
}

// alive reports whether the process still runs. It returns false only if the process has certainly ended: reads of
// /proc can fail for other reasons, for example too many open files or a lack of memory.
func (p process) alive() bool {
	st, err := statProcess(p.pid)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	return st.start == p.start && !st.Ended()
}

// undisturbed reports whether the process runs and is not about to end.
func (p process) undisturbed() bool {
	st, err := statProcess(p.pid)
	return err == nil && st.process == p && !st.Ended() && st.Flags&exiting == 0 && !killPending(p.pid)
}

// kill sends a signal to the process, unless it has ended.
func (p process) kill(sig syscall.Signal) {
	if p.pid > 1 && p.alive() {
		_ = syscall.Kill(p.pid, sig)
	}
}

// descendants returns all living descendants of a process.
func descendants(root int) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]processStat{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if st, err := statProcess(pid); err == nil {
			children[st.PPID] = append(children[st.PPID], st)
		}
	}
	var out []process
	queue := []int{root}
	for len(queue) > 0 {
		for _, st := range children[queue[0]] {
			if !st.Ended() {
				out = append(out, st.process)
			}
			queue = append(queue, st.pid)
		}
		queue = queue[1:]
	}
	return out
}

// reapOrphans waits for ended processes that became children of this process when their parents ended. Do not call it
// while other code waits for children.
func reapOrphans() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if pid <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// Register writes into the session's directory that this process becomes a process of the program, with its rank and
// its ancestors. So the analyzer knows the process before the preload library announces it, and even if that never
// happens.
func Register(session string) error {
	st, err := statProcess(os.Getpid())
	if err != nil {
		return err
	}
	r := ring.Registration{PID: st.pid, Start: st.start, Rank: rankOf(os.Getenv)}
	for _, a := range Above() {
		r.Above = append(r.Above, ring.Ancestor{PID: a.pid, Start: a.start, Name: a.Name})
	}
	if err := r.Write(session); err != nil {
		return err
	}
	r.Await(session, noticeLimit)
	return nil
}

// noticeLimit is how long a process waits until the analyzer watches it. Usually, it takes a millisecond.
const noticeLimit = 300 * time.Millisecond

// Above returns the ancestors of this process, nearest first, at the time of the first call. The launcher may end
// later.
var Above = sync.OnceValue(func() []processStat { return ancestors(os.Getpid()) })

// rankOf returns the rank from the environment that the launcher has set, -1 if there is none.
func rankOf(getenv func(string) string) int {
	for _, v := range rankVariables {
		if n, err := strconv.Atoi(getenv(v)); err == nil && n >= 0 {
			return n
		}
	}
	return -1
}

// registered returns the processes that registered in a session.
func registered(session string) []process {
	entries, err := os.ReadDir(session)
	if err != nil {
		return nil
	}
	var out []process
	for _, e := range entries {
		if pid, start, ok := ring.ParseRegistration(e.Name()); ok {
			out = append(out, process{pid: pid, start: start})
		}
	}
	return out
}
