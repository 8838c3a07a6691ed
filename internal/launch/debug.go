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

// AtTerminal reports whether somebody sits at standard input: it is a terminal, and this process is in its foreground.
func AtTerminal() bool {
	_, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS)
	return err == nil && inForeground()
}

// Debug attaches a debugger to a process, on mpivet's terminal, and returns when it has ended. It gets the terminal for
// itself, so that Ctrl-C is its own.
func Debug(ctx context.Context, gdb string, pid int) error {
	// To take the terminal back from a process group that is not its own any more, mpivet must not be stopped for it.
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTTIN)
	tty := int(os.Stdin.Fd())
	cmd := exec.CommandContext(ctx, gdb, "-q", "-p", strconv.Itoa(pid))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: tty}
	err := cmd.Run()
	if back := unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, syscall.Getpgrp()); err == nil {
		err = back
	}
	return err
}

// stacksLimit is how long a debugger may take to print the stacks of one process.
const stacksLimit = time.Minute

// Stacks has a debugger print the stacks of all threads of a process to standard error.
func Stacks(ctx context.Context, gdb string, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, stacksLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, gdb, "-nx", "-q", "-batch", "-p", strconv.Itoa(pid), "-ex", "thread apply all bt")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// What it starts to help it must not keep us waiting.
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("process %d: %w (attaching to processes may be forbidden: see /proc/sys/kernel/yama/ptrace_scope)", pid, err)
	}
	return nil
}
