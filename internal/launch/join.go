package launch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/ring"
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
	// Name is the same for all of them, and for no others, in whichever PID namespaces they are.
	Name string
	// Size is how many there are, 0 if the launcher doesn't tell.
	Size int
	// Alone: no launcher has started this process.
	Alone bool
	// shared are the directories for meetings in which others may make files, too; nil: those of sessions.
	shared []string
}

func (g *Group) places() []string {
	if g.shared == nil {
		return ring.Places()
	}
	return g.shared
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
			return Group{Name: fmt.Sprintf("x%d-%d-%x", st.pid, st.start, ring.PIDNamespace()), Size: localSize(os.Getenv)}, nil
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

// Detach starts a command of mpivet's that outlives this process. The command is no child of the program that this process
// becomes. It runs in a session of its own, on all processors. It writes to the launcher's standard error if it can, else to
// that of this process. Detach returns what the command has said by Ready. The error is what the command has said by Failed,
// or that the command was killed.
//
// There are two steps: Detach starts self with detachArgs, and that process calls Detached to start self with args.
func Detach(self string, detachArgs ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd := exec.Command(self, detachArgs...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return "", fmt.Errorf("the analyzer can't be started: %w", err)
	}
	defer func() { // the program must not find a child that it has not made
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	_ = r.SetReadDeadline(time.Now().Add(meetingPatience))
	said, err := bufio.NewReader(r).ReadString('\n')
	said = strings.TrimSuffix(said, "\n")
	if text, ok := strings.CutPrefix(said, saidReady); ok && err == nil {
		return text, nil
	}
	if text, ok := strings.CutPrefix(said, saidFailed); ok {
		return "", errors.New(text)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", fmt.Errorf("the analyzer was not ready within %v", meetingPatience)
	}
	return "", errors.New("the analyzer was killed while it started")
}

// Descriptors that a detached command has besides the standard ones: the pipe for Ready, and the standard error of the
// rank that started it. The latter is never used: launchers wait for its end, and thus for the command's.
const (
	readyFD = 3
	lastFD  = 4
)

// Detached is the middle step of Detach. It starts the command and returns.
func Detached(self string, args ...string) error {
	ready := os.NewFile(readyFD, "ready")
	if ready == nil {
		return errors.New("not started by Detach")
	}
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
	cmd.ExtraFiles = []*os.File{ready, os.Stderr}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the analyzer can't be started: %w", err)
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

// What a detached command tells Detach, in one line.
const (
	saidReady  = "ready "
	saidFailed = "failed "
)

// Ready tells Detach that the command is ready, and something about that. It fails if Detach does not wait any more.
func Ready(text string) error { return tellDetach(saidReady + text) }

// Failed tells Detach why there is no command. It reports whether Detach has been told.
func Failed(why error) bool {
	return tellDetach(saidFailed+strings.Join(strings.Fields(why.Error()), " ")) == nil
}

func tellDetach(text string) error {
	f := os.NewFile(readyFD, "ready")
	if f == nil {
		return errors.New("not started by Detach")
	}
	_, err := f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}
