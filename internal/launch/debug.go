package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// AtTerminal reports whether standard input is a terminal, and this process is in the foreground of that terminal.
func AtTerminal() bool {
	_, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS)
	return err == nil && inForeground()
}

// Debug runs a debugger's command for the user, and waits for its end. In tmux and kitty, it gets a split of the
// window. Else it runs on mpivet's terminal. It is in the foreground there, so that Ctrl-C goes only to it.
func Debug(ctx context.Context, argv []string) error {
	if splitWindow(ctx, argv) {
		return nil
	}
	// Later, mpivet takes the terminal back from the background. These signals would stop it then.
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
	tty := int(os.Stdin.Fd())
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: tty}
	err := asStarted(cmd.Start)
	if err == nil {
		err = cmd.Wait()
	}
	if back := unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, syscall.Getpgrp()); err == nil {
		err = back
	}
	return err
}

// stacksLimit is the timeout of a debugger that prints the stacks of one process.
const stacksLimit = time.Minute

// Stacks lets a debugger print the stacks of all threads of a process to standard error.
func Stacks(ctx context.Context, gdb string, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, stacksLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, gdb, "-nx", "-q", "-batch", "-p", strconv.Itoa(pid), "-ex", "thread apply all bt")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Do not wait for child processes of the debugger.
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if unix.Kill(pid, 0) == unix.ESRCH {
			return fmt.Errorf("process %d has ended", pid)
		}
		return fmt.Errorf("process %d: %w (attaching to processes may be forbidden: see "+
			"/proc/sys/kernel/yama/ptrace_scope)", pid, err)
	}
	return nil
}
