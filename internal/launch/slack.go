package launch

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// ownSlack is the timer slack that this process was started with, in nanoseconds; 0 if it has not been changed.
var ownSlack uint64

// SetTimerSlack says that this process has another timer slack than the given one, with which it was started. A process
// inherits the timer slack of the thread that starts it. 0 means that it has not been changed.
func SetTimerSlack(started uint64) { ownSlack = started }

// Become turns this process into a program, with the timer slack that it was started with. It returns only if it fails.
func Become(path string, args, env []string) error {
	return asStarted(func() error { return unix.Exec(path, args, env) })
}

// asStarted calls a function that starts a process with the timer slack that this process was started with.
func asStarted(start func() error) error {
	if ownSlack == 0 {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if changed, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(ownSlack), 0, 0, 0)
		defer unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(changed), 0, 0, 0) //nolint:errcheck // it worked before
	}
	return start()
}
