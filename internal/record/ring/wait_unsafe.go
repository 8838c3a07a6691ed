package ring

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unannounced reports whether the analyzer makes its short waits without a notice to Go's scheduler. After a notice,
// the scheduler's monitor checks the call 10,000 times a second. Each check takes a processor from a rank, as ranks
// that poll leave no processor idle. Without a notice, other goroutines run on the other processors meanwhile, and a
// signal ends the wait when all goroutines have to stop. With a single processor, the scheduler gets a notice.
func unannounced() bool { return runtime.GOMAXPROCS(0) > 1 }

// waitReady sleeps until a descriptor can be read, d (some milliseconds) has passed, or a signal arrives.
func waitReady(fd int, d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if unannounced() {
		_, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), 1,
			uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	} else {
		_, _ = unix.Ppoll(fds[:], &ts, nil)
	}
}

// Operations of futex(2), on memory shared by processes.
const (
	futexWait = 0
	futexWake = 1
)

// waitFutex sleeps until it is woken, d (some milliseconds) has passed, or a signal arrives. It returns at once if the
// word does not have the expected value.
func waitFutex(word *atomic.Uint32, expected uint32, d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	if unannounced() {
		_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait,
			uintptr(expected), uintptr(unsafe.Pointer(&ts)), 0, 0)
	} else {
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait,
			uintptr(expected), uintptr(unsafe.Pointer(&ts)), 0, 0)
	}
}

// wakeFutex wakes a thread that sleeps on the low half of a number.
func wakeFutex(number *atomic.Uint64) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(number)), futexWake, 1, 0, 0, 0)
}

// Bell lets one goroutine wait for others, without a notice to Go's scheduler. The zero value is ready. Wait is for one
// goroutine, and any may call Ring.
type Bell struct {
	rings atomic.Uint32
	waits atomic.Bool
	heard uint32
}

// Ring ends a wait that goes on, or the next one.
func (b *Bell) Ring() {
	b.rings.Add(1)
	if b.waits.Load() {
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rings)), futexWake, 1, 0, 0, 0)
	}
}

// Wait waits until the bell has rung since the last wait, or d (some milliseconds) has passed.
func (b *Bell) Wait(d time.Duration) {
	b.waits.Store(true)
	waitFutex(&b.rings, b.heard, d)
	b.waits.Store(false)
	b.heard = b.rings.Load()
}
