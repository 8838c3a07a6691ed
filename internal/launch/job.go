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

// Times after which patience ends.
const (
	// termGrace is what a launcher and the ranks get between SIGTERM and SIGKILL.
	termGrace = 2 * time.Second
	// launcherGrace is what a launcher gets to end by itself after all ranks are gone and one of them went wrong. Open
	// MPI 4.1.4's mpiexec now and then hangs then.
	launcherGrace = 3 * time.Second
	// echoGrace is how long a launcher that got a terminal's Ctrl-C itself may take before it gets mpivet's as well.
	echoGrace = 2 * time.Second
)

// LauncherCommand returns the command that starts np processes under an MPI's own launcher; np 0 leaves the number to
// the launcher. Open MPI is told that there may be more ranks than cores, as it refuses to start them otherwise,
// unlike MPICH.
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

// CustomLauncher returns the command for a launcher that the user gave; np 0 adds nothing to it.
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
	custom   bool // the launcher is the user's: it may do other things after the ranks
	ranks    *Ranks
	ownGroup bool // the launcher leads a process group of its own

	ended  chan struct{}  // closed when the launcher has been waited for
	status int            // of the launcher, once ended
	fault  syscall.Signal // that the launcher crashed by, 0 if it did not

	mu      sync.Mutex
	aborted bool           // by Abort
	killing bool           // SIGKILL was sent to the launcher
	signal  syscall.Signal // that asked mpivet to end, 0 if none did
}

// JobOptions say what to start and how.
type JobOptions struct {
	Launcher []string // command, complete but for the program
	Custom   bool     // Launcher was given by the user
	Self     string   // path of the mpivet executable
	Rank     *Rank    // what each rank becomes
	Ranks    *Ranks   // of the rank's session
	MPI      *MPI
}

// Start starts the launcher with mpivet's own standard input, output and error.
func Start(o JobOptions) (*Job, error) {
	// What the launcher leaves behind becomes our child, so that it can be found and ended.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	args := append(slices.Clone(o.Launcher[1:]), o.Self, RankCommand)
	args = append(args, o.Rank.Args()...)
	cmd := exec.Command(o.Launcher[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = launcherEnvironment(os.Environ(), o.MPI, os.Getuid())
	j := &Job{launcher: cmd, custom: o.Custom, ranks: o.Ranks, ended: make(chan struct{})}
	// On a terminal the launcher stays in the foreground process group, to read from it and to be stopped with it.
	j.ownGroup = !inForeground()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: j.ownGroup}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the launcher: %w", err)
	}
	o.Ranks.Started(cmd.Process.Pid)
	go j.wait()
	go j.watch()
	return j, nil
}

// RankCommand is mpivet's subcommand that Start gives to the launcher, with the words of a Rank as arguments.
const RankCommand = "exec-rank"

// launcherEnvironment returns the launcher's environment: ours, and for root, as containers have it, what makes Open
// MPI start at all. Whoever set one of these variables is left to it.
func launcherEnvironment(env []string, m *MPI, uid int) []string {
	if uid != 0 || m == nil || m.Flavour != OpenMPI {
		return env
	}
	names := []string{
		"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
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

// faultOf returns the signal that a process crashed by; 0 if it did not, even if it was killed.
func faultOf(st *os.ProcessState) syscall.Signal {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		if s := ws.Signal(); isFault(s) {
			return s
		}
	}
	return 0
}

// exitStatus returns the status as a shell has it: 128 + signal for a process killed by one.
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

// Status returns the exit status of the program, once the launcher has ended: the launcher's; where the launcher had
// to be killed since it did not end, or crashed, that of the first rank that went wrong. After Abort, and after a
// signal to mpivet that ended the program, it is that of the signal, as launchers make of it what they like.
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

// Fault returns the signal that the launcher itself crashed by after a rank had gone wrong, as Open MPI 4.1.4's does at
// times; 0 if it did not. The launcher must have ended.
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

// watch ends a launcher that doesn't notice that all is over.
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

// Signals passes signals on to the launcher until the job has ended. The first that asks to end is passed on once;
// at the second everything is killed. onEnd, if not nil, is told the first, onAgain every other. stop returns when all of that is done.
// SIGPIPE is ignored: the reader of standard error may have exited, but reports must be written and processes ended.
func (j *Job) Signals(onEnd func(os.Signal), onAgain func()) (stop func()) {
	var work sync.WaitGroup
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
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

// passOn sends a signal that asks to end to the launcher. A terminal's Ctrl-C has reached the launcher already if it
// is in the foreground group too, and a second would make it impatient.
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

// Abort ends the job: the launcher and all processes of the program get SIGTERM, what is left after two seconds
// SIGKILL. It returns when nothing is left, at the latest after some seconds more.
func (j *Job) Abort() {
	j.mu.Lock()
	j.aborted = true
	j.mu.Unlock()
	j.ranks.Ask()
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

// Kill ends the job at once.
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
	select {
	case <-j.ended:
	default:
		return false
	}
	reapOrphans()
	return len(j.ranks.live()) == 0 && len(descendants(os.Getpid())) == 0
}

// Settle waits, once the launcher has ended, until the program's processes have ended too, at most for the given
// time. It returns how many are left.
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
