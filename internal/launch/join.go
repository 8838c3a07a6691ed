package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/ring"
)

// Variables in which launchers tell a process its rank in MPI_COMM_WORLD. The launcher that started it last comes
// first: within a batch job all processes may have SLURM's too.
var rankVariables = []string{
	"PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "PALS_RANKID", "FLUX_TASK_RANK", "ALPS_APP_PE",
	"SLURM_PROCID",
}

// Variables in which launchers tell a process how many of its job there are on its node.
var localSizeVariables = []string{
	"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE",
	"SLURM_STEP_TASKS_PER_NODE",
}

// Group is what a process started by a launcher has in common with the others of its job on this node.
type Group struct {
	// Name is the same for all of them, and for no others.
	Name string
	// Size is how many there are, 0 if the launcher doesn't tell.
	Size int
	// Alone: no launcher has started this process.
	Alone bool
}

// CallerGroup returns the group that this process belongs to. All ranks on a node descend from one process of the
// launcher, the nearest above that has no rank itself. A process without a rank is alone.
func CallerGroup() (Group, error) {
	st, err := statProcess(os.Getpid())
	if err != nil {
		return Group{}, err
	}
	variable := ""
	for _, v := range rankVariables {
		if os.Getenv(v) != "" {
			variable = v
			break
		}
	}
	if variable == "" {
		return Group{Name: fmt.Sprintf("s%d-%d", st.pid, st.start), Size: 1, Alone: true}, nil
	}
	setting := variable + "=" + os.Getenv(variable)
	for {
		parent, err := statProcess(st.ppid)
		if err != nil {
			return Group{}, fmt.Errorf("cannot find the launcher's process: %w", err)
		}
		st = parent
		if st.pid <= 1 || !hasSetting(st.pid, setting) {
			return Group{Name: fmt.Sprintf("x%d-%d", st.pid, st.start), Size: localSize(os.Getenv)}, nil
		}
	}
}

// AmongRanks reports whether a launcher has started this process as one of several.
func AmongRanks() bool {
	for _, v := range []string{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"} {
		if n, err := strconv.Atoi(os.Getenv(v)); err == nil && n > 1 {
			return true
		}
	}
	return false
}

// hasSetting reports whether a process was started with an environment variable set to that value. Where we may not
// look, it is a process of somebody else's, as the daemons of batch systems are.
func hasSetting(pid int, setting string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if string(v) == setting {
			return true
		}
	}
	return false
}

// localSize reads the number of processes of the job on this node from the environment, 0 if it isn't there.
func localSize(getenv func(string) string) int {
	for _, v := range localSizeVariables {
		// SLURM writes 4(x2) for four on each of two nodes, and 4,3 if they differ.
		text, _, _ := strings.Cut(getenv(v), "(")
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// joinPatience is how long a process waits for another one to start the analyzer.
const joinPatience = 60 * time.Second

// Join returns the directory of the group's session. The first process to ask starts the analyzer by calling start,
// which returns once the session is there; the others wait for it.
func Join(g Group, start func() error) (string, error) {
	o := ring.Options{Name: g.Name}
	if dir, err := ring.AwaitSession(o, 0); err == nil {
		return dir, nil
	}
	lock, err := lockStart(ring.SessionDirs(o))
	if err != nil {
		return "", err
	}
	defer func() {
		// Whoever comes now finds the session and needs no lock; if there is none, others try again.
		_ = os.Remove(lock.Name())
		lock.Close()
	}()
	if dir, err := ring.AwaitSession(o, 0); err == nil {
		return dir, nil // the one that had the lock before made it
	}
	if err := start(); err != nil {
		return "", err
	}
	return ring.AwaitSession(o, time.Second)
}

// lockStart takes the lock by which one process at a time may start the analyzer.
func lockStart(dirs []string) (*os.File, error) {
	for end := time.Now().Add(joinPatience); ; {
		f, err := openLock(dirs)
		if err != nil {
			return nil, fmt.Errorf("cannot start the analyzer: %w", err)
		}
		for {
			err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			if err == nil {
				break
			}
			if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
				return f, nil // no locks here: several analyzers start, and all but one give up
			}
			if time.Now().After(end) {
				f.Close()
				return nil, fmt.Errorf("another process has been starting the analyzer for %v (%s)", joinPatience, filepath.Base(f.Name()))
			}
			time.Sleep(5 * time.Millisecond) // flock itself waits for ever or not at all
		}
		// Who had the lock has removed the file since. Whoever comes now makes, and locks, another one.
		if mine, err := f.Stat(); err == nil {
			if there, err := os.Stat(f.Name()); err == nil && os.SameFile(mine, there) {
				return f, nil
			}
		}
		f.Close()
	}
}

func openLock(dirs []string) (f *os.File, err error) {
	for _, d := range dirs {
		f, err = os.OpenFile(d+".start", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
		if err == nil {
			break
		}
	}
	return f, err
}

// Detach starts a command of mpivet's that outlives this process and is no child of what this process becomes: it
// runs in a session of its own, on all processors, and writes to the launcher's standard error if that can be had, else
// to this process's. Detach returns when the command has
// called Ready, or an error without text of its own if the command ended before; it has said why.
//
// It takes two steps: self is started with detachArgs, and that process calls Detached to start self with args.
func Detach(self string, detachArgs ...string) error {
	cmd := exec.Command(self, detachArgs...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// Descriptors that a detached command has besides the standard ones: the pipe for Ready, and the standard error of the
// rank that started it. The latter is never used: launchers wait for its end, and thus for the command's.
const (
	readyFD = 3
	lastFD  = 4
)

// Detached is the middle step of Detach. It starts the command and returns when that is ready.
func Detached(self string, args ...string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	// Launchers bind ranks to processors. The analyzer may use all, so as not to take a rank's only one.
	runtime.LockOSThread()
	var all unix.CPUSet
	for i := range len(all) * 64 {
		all.Set(i)
	}
	_ = unix.SchedSetaffinity(0, &all)
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if f := launcherStderr(); f != nil {
		defer f.Close()
		cmd.Stderr = f
	}
	cmd.ExtraFiles = []*os.File{w, os.Stderr}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return err
	}
	ok := make([]byte, 1)
	if _, err := io.ReadFull(r, ok); err != nil {
		return errors.New("the analyzer did not start")
	}
	return nil
}

// launcherStderr returns the standard error of the launcher that the user started, if it runs on this node. What is
// written to a rank's standard error is lost when the launcher ends without reading all of it, as it does when a rank
// has crashed. It returns nil if there is no such launcher or we may not.
func launcherStderr() *os.File {
	var top *processStat
	for _, st := range ancestors(os.Getpid()) {
		if st.isLauncher() {
			top = &st
		}
	}
	if top == nil {
		return nil
	}
	for _, front := range []string{"mpiexec", "mpirun", "orterun", "prterun", "srun"} {
		if strings.HasPrefix(top.name, front) {
			return standardError(top.pid)
		}
	}
	return nil // a daemon on a node of its own: what it writes goes nowhere
}

// standardError returns another process's standard error.
func standardError(pid int) *os.File {
	if pidfd, err := unix.PidfdOpen(pid, 0); err == nil {
		defer unix.Close(pidfd) //nolint:errcheck // not written to
		// The same open file: what both write doesn't overlap.
		if fd, err := unix.PidfdGetfd(pidfd, 2, 0); err == nil {
			unix.CloseOnExec(fd)
			return os.NewFile(uintptr(fd), "standard error of the launcher")
		}
	}
	// Where a file may be opened anew, only terminals and pipes have no position of their own.
	name := fmt.Sprintf("/proc/%d/fd/2", pid)
	st, err := os.Stat(name)
	if err != nil || st.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) == 0 {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	return f
}

// CloseInherited closes what a detached command has inherited from the launcher beyond standard input, output and
// error, lest the launcher wait for it: all descriptors that programs started from here would inherit too, except
// Ready's.
func CloseInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= lastFD {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	unix.CloseOnExec(readyFD)
	unix.CloseOnExec(lastFD)
}

// Ready tells Detach that the command is ready.
func Ready() error {
	f := os.NewFile(readyFD, "ready")
	if f == nil {
		return errors.New("not started by Detach")
	}
	_, err := f.Write([]byte{1})
	return errors.Join(err, f.Close())
}
