package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A process is a process of this machine. The time of its start tells it apart from a later one with the same pid.
type process struct {
	pid   int
	start uint64 // clock ticks since boot, field 22 of /proc/pid/stat
}

// A processStat is what /proc/pid/stat says.
type processStat struct {
	process
	ppid  int
	state byte   // 'Z' and 'X': ended
	name  string // of the executable, its first 15 bytes
}

func statProcess(pid int) (processStat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return processStat{}, err
	}
	// The name in parentheses may hold anything, parentheses too.
	text := string(data)
	i := strings.LastIndexByte(text, ')')
	if i < 0 {
		return processStat{}, fmt.Errorf("/proc/%d/stat: no name in it", pid)
	}
	f := strings.Fields(text[i+1:])
	if len(f) < 20 {
		return processStat{}, fmt.Errorf("/proc/%d/stat: only %d fields", pid, len(f))
	}
	ppid, err1 := strconv.Atoi(f[1])
	start, err2 := strconv.ParseUint(f[19], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return processStat{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return processStat{process: process{pid: pid, start: start}, ppid: ppid, state: f[0][0], name: text[strings.IndexByte(text, '(')+1 : i]}, nil
}

// isLauncher reports whether a process is part of a launcher of MPI programs, by the name of its executable.
func (p processStat) isLauncher() bool {
	for _, name := range []string{
		"mpiexec", "mpirun", "orterun", "orted", "prterun", "prted", "hydra_", "srun", "slurmstepd", "flux", "jsrun", "aprun", "palsd",
	} {
		if strings.HasPrefix(p.name, name) {
			return true
		}
	}
	return false
}

// ancestors returns the processes above one, nearest first, without init.
func ancestors(pid int) []processStat {
	var out []processStat
	st, err := statProcess(pid)
	for err == nil && st.ppid > 1 && len(out) < 100 {
		if st, err = statProcess(st.ppid); err == nil {
			out = append(out, st)
		}
	}
	return out
}

// alive reports whether the process still runs. It does as long as nothing says that it has ended: /proc can fail for
// other reasons, too many open files or no memory among them.
func (p process) alive() bool {
	st, err := statProcess(p.pid)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ESRCH)
	}
	return st.start == p.start && st.state != 'Z' && st.state != 'X'
}

// kill sends a signal to the process if it is still the same.
func (p process) kill(sig syscall.Signal) {
	if p.pid > 1 && p.alive() {
		_ = syscall.Kill(p.pid, sig)
	}
}

// descendants returns all living processes below a process.
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
			children[st.ppid] = append(children[st.ppid], st)
		}
	}
	var out []process
	queue := []int{root}
	for len(queue) > 0 {
		for _, st := range children[queue[0]] {
			if st.state != 'Z' && st.state != 'X' {
				out = append(out, st.process)
			}
			queue = append(queue, st.pid)
		}
		queue = queue[1:]
	}
	return out
}

// reapOrphans takes the exit statuses of ended processes that became our children when their parents ended. It must
// not be called while other code waits for children.
func reapOrphans() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if pid <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// Register writes into the session's directory that this process becomes a process of the program. The analyzer
// learns of it so before the preload library has said anything, and if it never does.
func Register(session string) error {
	st, err := statProcess(os.Getpid())
	if err != nil {
		return err
	}
	name := filepath.Join(session, fmt.Sprintf("x%d-%d", st.pid, st.start))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// registered returns the processes that registered in a session.
func registered(session string) []process {
	entries, err := os.ReadDir(session)
	if err != nil {
		return nil
	}
	var out []process
	for _, e := range entries {
		pidText, startText, ok := strings.Cut(strings.TrimPrefix(e.Name(), "x"), "-")
		if !ok || !strings.HasPrefix(e.Name(), "x") {
			continue
		}
		pid, err1 := strconv.Atoi(pidText)
		start, err2 := strconv.ParseUint(startText, 10, 64)
		if err1 == nil && err2 == nil {
			out = append(out, process{pid: pid, start: start})
		}
	}
	return out
}
