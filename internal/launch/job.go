package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Timeouts.
const (
	// termGrace is the time for a launcher and the ranks between SIGTERM and SIGKILL.
	termGrace = 2 * time.Second
	// launcherGrace is the time for a launcher to exit after all ranks have ended and one of them has failed. The
	// mpiexec of Open MPI 4.1.4 sometimes hangs in this case.
	launcherGrace = 3 * time.Second
	// echoGrace is the time for a launcher to exit after the terminal's Ctrl-C. Then mpivet sends it a signal as well.
	echoGrace = 2 * time.Second
)

// LauncherCommand returns the command that starts np processes with the launcher of an MPI library. With np 0, the
// launcher chooses the number. Open MPI gets an option for more ranks than cores. Without it, Open MPI refuses to start
// them, unlike MPICH.
func LauncherCommand(m *MPI, np int) ([]string, error) {
	tool, err := m.Launcher()
	if err != nil {
		return nil, err
	}
	cmd := []string{tool}
	if m.Flavour == OpenMPI {
		cmd = append(cmd, "--oversubscribe")
	}
	if np > 0 {
		cmd = append(cmd, "-n", strconv.Itoa(np))
	}
	return cmd, nil
}

// CustomLauncher returns the command for a launcher that the user has chosen. np 0 adds nothing to it.
func CustomLauncher(command string, np int) ([]string, error) {
	words, err := SplitWords(command)
	if err != nil {
		return nil, fmt.Errorf("--launcher: %w", err)
	}
	if len(words) == 0 {
		return nil, errors.New("--launcher: no command")
	}
	path, err := FindProgram(words[0])
	if err != nil {
		return nil, fmt.Errorf("--launcher: %w", err)
	}
	words[0] = path
	if np > 0 {
		words = append(words, "-n", strconv.Itoa(np))
	}
	return words, nil
}

// Job is a program started under a launcher by mpivet run.
type Job struct {
	launcher *exec.Cmd
	custom   bool // the user has chosen the launcher, and it may do other things after the ranks have ended
	ranks    *Ranks
	ownGroup bool // the launcher leads a new process group

	ended  chan struct{}  // closed after the launcher has been waited for
	status int            // exit status of the launcher, once ended
	fault  syscall.Signal // signal of the launcher's crash, 0 if it did not crash

	mu      sync.Mutex
	aborted bool           // Abort has been called
	killing bool           // SIGKILL was sent to the launcher
	signal  syscall.Signal // signal that has asked mpivet to end, 0 if there was none
}

// JobOptions are the options of Start.
type JobOptions struct {
	Launcher []string // command without the program
	Custom   bool     // the user has chosen the launcher
	Self     string   // path of the mpivet executable
	Rank     *Rank    // the program that each rank becomes
	// Args, if it is not nil, is the command of mpivet that becomes each rank, in place of Rank.
	Args  []string
	Env   []string // further environment variables of the launcher
	Ranks *Ranks   // ranks of the session
	MPI   *MPI
}

// Start starts the launcher with mpivet's own standard input, output and error.
func Start(o JobOptions) (*Job, error) {
	// Orphans of the launcher become children of this process, so that it can find and end them.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	args := append(slices.Clone(o.Launcher[1:]), o.Self)
	if o.Args != nil {
		args = append(args, o.Args...)
	} else {
		args = append(append(args, RankCommand), o.Rank.Args()...)
	}
	cmd := exec.Command(o.Launcher[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(launcherEnvironment(os.Environ(), o.MPI, os.Getuid()), o.Env...)
	j := &Job{launcher: cmd, custom: o.Custom, ranks: o.Ranks, ended: make(chan struct{})}
	// On a terminal, the launcher stays in the foreground process group: it can then read from the terminal, and Ctrl-Z
	// stops it, too.
	j.ownGroup = !inForeground()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: j.ownGroup}
	if err := asStarted(cmd.Start); err != nil {
		return nil, fmt.Errorf("cannot start the launcher: %w", err)
	}
	o.Ranks.Started(cmd.Process.Pid)
	go j.wait()
	go j.watch()
	return j, nil
}

// RankCommand is the subcommand of mpivet that the launcher starts. Its arguments are the words of a Rank.
const RankCommand = "exec-rank"

// launcherEnvironment returns the launcher's environment: that of this process. For root (as in containers), it adds
// the variables that Open MPI requires to start as root, unless one of them is set already.
func launcherEnvironment(env []string, m *MPI, uid int) []string {
	if uid != 0 || m == nil || m.Flavour != OpenMPI {
		return env
	}
	names := []string{
		"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
		"PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
	}
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(names, name) {
			return env
		}
	}
	env = slices.Clone(env)
	for _, n := range names {
		env = append(env, n+"=1")
	}
	return env
}

// inForeground reports whether this process belongs to the foreground process group of its controlling terminal.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

func (j *Job) wait() {
	err := j.launcher.Wait()
	j.mu.Lock()
	j.status = exitStatus(j.launcher.ProcessState)
	if j.launcher.ProcessState == nil && err != nil {
		j.status = 1
	}
	if st := j.launcher.ProcessState; st != nil {
		j.fault = faultOf(st)
		if ws, ok := st.Sys().(syscall.WaitStatus); ok {
			j.ranks.guard.waited(st.Pid(), unix.WaitStatus(ws))
		}
	}
	j.mu.Unlock()
	close(j.ended)
}

// faultOf returns the signal of a process's crash. It returns 0 if the process did not crash, even if it was killed.
func faultOf(st *os.ProcessState) syscall.Signal {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		if s := ws.Signal(); isFault(s) {
			return s
		}
	}
	return 0
}

// exitStatus returns the exit status in the convention of shells: 128 + signal for a process that a signal has killed.
func exitStatus(st *os.ProcessState) int {
	if st == nil {
		return 1
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}

// Ended is closed when the launcher has ended.
func (j *Job) Ended() <-chan struct{} { return j.ended }

// Status waits for the end of the launcher, and returns the exit status of the program. This is the status of the
// launcher. If the launcher crashed, or had to be killed because it did not end, it is the status of the first failed
// rank. After Abort, and after a signal to mpivet that has ended the program, it is the status of that signal, because
// launchers differ in their exit statuses after signals.
func (j *Job) Status() int {
	<-j.ended
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.aborted {
		return 128 + int(syscall.SIGTERM)
	}
	failed := j.ranks.Failed()
	switch {
	case (j.killing || j.fault != 0) && failed != 0:
		return failed
	case j.signal != 0 && failed > 128:
		return 128 + int(j.signal) // the program did not survive it
	}
	return j.status
}

// Fault returns the signal of a crash of the launcher itself after a rank had failed, 0 if there was none. The launcher
// of Open MPI 4.1.4 crashes sometimes. The launcher must have ended.
func (j *Job) Fault() syscall.Signal {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ranks.Failed() == 0 {
		return 0
	}
	return j.fault
}

// Aborted reports whether the job was ended by Abort.
func (j *Job) Aborted() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.aborted
}

// watch kills a launcher that does not exit after all ranks have ended and one has failed.
func (j *Job) watch() {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	var since time.Time
	for {
		select {
		case <-j.ended:
			return
		case now := <-ticker.C:
			switch {
			case j.custom || j.ranks.Failed() == 0 || len(j.ranks.live()) > 0:
				since = time.Time{}
			case since.IsZero():
				since = now
			case now.Sub(since) > launcherGrace:
				j.mu.Lock()
				j.killing = true
				j.mu.Unlock()
				j.signalLauncher(syscall.SIGKILL)
				return
			}
		}
	}
}

func (j *Job) signalLauncher(sig syscall.Signal) {
	select {
	case <-j.ended:
		return
	default:
	}
	if sig != syscall.SIGUSR1 && sig != syscall.SIGUSR2 && sig != syscall.SIGCONT {
		j.ranks.guard.disturb()
	}
	pid := j.launcher.Process.Pid
	if j.ownGroup {
		pid = -pid
	}
	_ = syscall.Kill(pid, sig)
}

// Signals passes signals on to the launcher until stop is called. It passes the first signal that asks to end on once.
// At the second, it kills everything. It calls onEnd, if it is not nil, with the first signal, and onAgain, if it is
// not nil, for every other. stop returns when all of this is done. SIGPIPE is ignored: the reader of standard error may
// have exited, but reports must be written and processes ended.
func (j *Job) Signals(onEnd func(os.Signal), onAgain func()) (stop func()) {
	var work sync.WaitGroup
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	done := make(chan struct{})
	work.Go(func() {
		asked := false
		for {
			select {
			case <-done:
				return
			case s := <-ch:
				sig, _ := s.(syscall.Signal)
				switch {
				case sig == syscall.SIGPIPE:
				case sig == syscall.SIGUSR1 || sig == syscall.SIGUSR2:
					j.signalLauncher(sig)
				case asked:
					if onAgain != nil {
						onAgain()
					}
					work.Go(j.Kill)
				default:
					asked = true
					j.ranks.Ask()
					j.mu.Lock()
					j.signal = sig
					j.mu.Unlock()
					if onEnd != nil {
						onEnd(s)
					}
					work.Go(func() { j.passOn(sig) })
				}
			}
		}
	})
	return func() {
		signal.Stop(ch)
		close(done)
		work.Wait()
	}
}

// passOn sends the launcher a signal that asks to end. If the launcher is in the foreground process group, the Ctrl-C
// of a terminal has reached it already. A second signal would make it kill the ranks at once, so passOn waits first.
func (j *Job) passOn(sig syscall.Signal) {
	if !j.ownGroup && (sig == syscall.SIGINT || sig == syscall.SIGQUIT) {
		select {
		case <-j.ended:
			return
		case <-time.After(echoGrace):
		}
	}
	j.signalLauncher(sig)
}

// Abort ends the job. MPICH's launcher gets the request that MPI_Abort sends. Otherwise, and if that does not end it,
// the launcher and all processes of the program get SIGTERM, and SIGKILL if they still run after two seconds. Abort
// returns when all have ended, or after some more seconds.
func (j *Job) Abort() {
	j.mu.Lock()
	j.aborted = true
	j.mu.Unlock()
	j.ranks.Ask()
	j.ranks.guard.disturb()
	j.ranks.abortByPMI(j.hasEnded)
	j.signalLauncher(syscall.SIGTERM)
	j.signalLauncher(syscall.SIGCONT) // a debugger's terminal may have stopped it
	j.ranks.Continue()
	deadline := time.Now().Add(termGrace)
	for time.Now().Before(deadline) {
		if j.isOver() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	j.Kill()
}

// Kill kills the launcher and all processes of the program.
func (j *Job) Kill() {
	j.mu.Lock()
	j.killing = true
	j.mu.Unlock()
	j.ranks.Ask()
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		j.signalLauncher(syscall.SIGKILL)
		for _, p := range append(descendants(os.Getpid()), j.ranks.live()...) {
			p.kill(syscall.SIGKILL)
		}
		if j.isOver() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// isOver reports whether launcher and program have ended.
func (j *Job) isOver() bool {
	if !j.hasEnded() {
		return false
	}
	reapOrphans()
	return len(j.ranks.live()) == 0 && len(descendants(os.Getpid())) == 0
}

// hasEnded reports whether the launcher has ended.
func (j *Job) hasEnded() bool {
	select {
	case <-j.ended:
		return true
	default:
		return false
	}
}

// Settle waits for the end of the launcher, and then for the end of the program's processes, up to the given time. It
// returns the number of processes that still run.
func (j *Job) Settle(limit time.Duration) int {
	<-j.ended
	deadline := time.Now().Add(limit)
	for {
		reapOrphans()
		left := len(j.ranks.live())
		if left == 0 || time.Now().After(deadline) {
			return left
		}
		time.Sleep(10 * time.Millisecond)
	}
}
