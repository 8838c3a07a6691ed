package ring

import (
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2), on memory shared by processes.
const (
	futexWait = 0
	futexWake = 1
)

// waitFutex sleeps until it is woken or d has passed, unless the word is not what it is expected to be.
func waitFutex(word *atomic.Uint32, expected uint32, d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(expected), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// wakeFutex wakes whoever sleeps on the low half of a number.
func wakeFutex(number *atomic.Uint64) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(number)), futexWake, 1, 0, 0, 0)
}
