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

// rankVariables are the environment variables in which launchers pass the rank in MPI_COMM_WORLD to a process. SLURM's
// variable is the last one, because in a batch job, all processes may have it in addition to that of the actual
// launcher.
var rankVariables = []string{
	"PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "PALS_RANKID", "FLUX_TASK_RANK",
	"ALPS_APP_PE", "SLURM_PROCID",
}

// localSizeVariables are the environment variables in which launchers pass the number of the job's processes on the
// node.
var localSizeVariables = []string{
	"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE",
	"SLURM_STEP_TASKS_PER_NODE",
}

// Group is the group of all processes of a launcher's job on this node.
type Group struct {
	// Name identifies the group. All its processes have the same name, also in different PID namespaces.
	Name string
	// Size is the number of processes, 0 if the launcher does not say it.
	Size int
	// Alone: no launcher has started this process.
	Alone bool
	// shared are the directories for meetings in which other users may make files, too. nil means those of sessions.
	shared []string
}

func (g *Group) places() []string {
	if g.shared == nil {
		return ring.Places()
	}
	return g.shared
}

// CallerGroup returns the group of this process. All ranks on a node descend from one process of the launcher: the
// nearest ancestor without a rank. A process without a rank is alone.
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
		parent, err := statProcess(st.PPID)
		if err != nil {
			return Group{}, fmt.Errorf("cannot find the launcher's process: %w", err)
		}
		st = parent
		if st.pid <= 1 || !hasSetting(st.pid, setting) {
			name := fmt.Sprintf("x%d-%d-%x", st.pid, st.start, ring.PIDNamespace())
			return Group{Name: name, Size: localSize(os.Getenv)}, nil
		}
	}
}

// AmongRanks reports whether this process is one of several ranks of a launcher.
func AmongRanks() bool {
	for _, v := range []string{"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"} {
		if n, err := strconv.Atoi(os.Getenv(v)); err == nil && n > 1 {
			return true
		}
	}
	return false
}

// hasSetting reports whether a process was started with a certain setting in its environment ("name=value"). It returns
// false if the environment can't be read: then the process belongs to another user, like the daemons of batch systems.
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

// localSize returns the number of processes of the job on this node from the environment, 0 if it is not there.
func localSize(getenv func(string) string) int {
	node, _ := strconv.Atoi(getenv("SLURM_NODEID"))
	for _, v := range localSizeVariables {
		text := getenv(v)
		if strings.HasPrefix(v, "SLURM_") {
			if n := tasksOfNode(text, node); n > 0 {
				return n
			}
		}
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// tasksOfNode returns the number of processes on a node, 0 if it is not known. SLURM writes 4(x2) for four on each of
// two nodes, and 4,3 if they differ.
func tasksOfNode(text string, node int) int {
	for part := range strings.SplitSeq(text, ",") {
		count, times, repeated := strings.Cut(part, "(x")
		n, err := strconv.Atoi(count)
		if err != nil {
			return 0
		}
		nodes := 1
		if repeated {
			if nodes, err = strconv.Atoi(strings.TrimSuffix(times, ")")); err != nil {
				return 0
			}
		}
		if node < nodes {
			return n
		}
		node -= nodes
	}
	return 0
}

// Detach starts a command of mpivet that outlives this process. This process becomes the program later. The command is
// not a child of the program. It runs in a new session, on all processors. It writes to the launcher's standard error
// if possible, else to that of this process. Detach returns the text that the command passes to Ready. It returns an
// error if the command calls Failed, is killed, or is not ready in time.
//
// The command is a child of a shell that has ended. A shell starts ten times as fast as a second mpivet.
func Detach(self string, args ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", detaching, "sh", self}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if f := launcherStderr(); f != nil {
		defer f.Close()
		cmd.Stderr = f
	}
	cmd.ExtraFiles = []*os.File{w, os.Stderr}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = onAllProcessors(cmd.Start)
	w.Close()
	if err != nil {
		return "", fmt.Errorf("the analyzer can't be started: %w", err)
	}
	defer func() { // this process becomes the program, which must not have a child that it did not start
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
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() > 0 { // the shell could not make a process
		return "", errors.New("the analyzer can't be started, as no process can be made: raise the limit (ulimit -u)")
	}
	return "", errors.New("the analyzer was killed while it started")
}

// detaching is what the shell does. Its own errors are not printed: Detach notices that the command has not started.
const detaching = `exec 5>&2 2>/dev/null; "$@" 2>&5 5>&- &`

// onAllProcessors calls a function that starts a process. Launchers bind ranks to processors. The analyzer may use all
// processors. Else it would use the only processor of a rank.
func onAllProcessors(start func() error) error {
	runtime.LockOSThread() // processes inherit the processors of the thread that starts them
	defer runtime.UnlockOSThread()
	var bound, all unix.CPUSet
	if unix.SchedGetaffinity(0, &bound) == nil {
		for i := range len(all) * 64 {
			all.Set(i)
		}
		_ = unix.SchedSetaffinity(0, &all)
		defer unix.SchedSetaffinity(0, &bound) //nolint:errcheck // it was allowed before
	}
	return asStarted(start)
}

// File descriptors of a detached command besides the standard ones: the pipe for Ready, and the standard error of the
// rank that started it. The latter is not used for output. It makes launchers wait for the command, because they wait
// until all processes have closed it.
const (
	readyFD = 3
	lastFD  = 4
)

// launcherStderr returns the standard error of the launcher that the user has started, if it runs on this node. A
// launcher may end without reading all output of the ranks, for example after the crash of a rank, and then the rest of
// a rank's standard error is lost. launcherStderr returns nil if there is no such launcher, or without the permission.
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
		if strings.HasPrefix(top.Name, front) {
			return standardError(top.pid)
		}
	}
	return nil // a daemon on another node than the launcher: its output is lost
}

// standardError returns another process's standard error.
func standardError(pid int) *os.File {
	if pidfd, err := unix.PidfdOpen(pid, 0); err == nil {
		defer unix.Close(pidfd) //nolint:errcheck // not written to
		// The same open file description: the outputs of both processes do not overwrite each other.
		if fd, err := unix.PidfdGetfd(pidfd, 2, 0); err == nil {
			unix.CloseOnExec(fd)
			return os.NewFile(uintptr(fd), "standard error of the launcher")
		}
	}
	// Open the file again. Only terminals and pipes are safe, because they have no file position.
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

// CloseInherited closes the file descriptors that a detached command has inherited from the launcher, except standard
// input, output and error, and those of Detach. Otherwise the launcher would wait for the command.
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

// CloseOutput closes the standard output and error of a detached command. From then on, the launcher does not wait for
// it.
func CloseOutput() {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer null.Close()
	for _, fd := range []int{1, 2, lastFD} {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
}

// First words of the line that a detached command sends to Detach.
const (
	saidReady  = "ready "
	saidFailed = "failed "
)

// Ready reports to Detach that the command is ready. Detach returns the text. Ready fails if Detach does not wait any
// more.
func Ready(text string) error { return tellDetach(saidReady + text) }

// Failed reports to Detach why the command can't run. It returns false if that was not possible.
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
