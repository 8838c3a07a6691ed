package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// systemCalls are the numbers of the system calls that the command "restrict" can refuse.
var systemCalls = map[string]uint32{
	"close_range": unix.SYS_CLOSE_RANGE, "clone3": unix.SYS_CLONE3, "copy_file_range": unix.SYS_COPY_FILE_RANGE,
	"epoll_pwait2": unix.SYS_EPOLL_PWAIT2, "eventfd2": unix.SYS_EVENTFD2, "faccessat2": unix.SYS_FACCESSAT2,
	"fallocate": unix.SYS_FALLOCATE, "flock": unix.SYS_FLOCK, "inotify_init1": unix.SYS_INOTIFY_INIT1,
	"inotify_add_watch": unix.SYS_INOTIFY_ADD_WATCH, "io_uring_setup": unix.SYS_IO_URING_SETUP,
	"kcmp": unix.SYS_KCMP, "linkat": unix.SYS_LINKAT, "madvise": unix.SYS_MADVISE,
	"membarrier": unix.SYS_MEMBARRIER, "memfd_create": unix.SYS_MEMFD_CREATE, "mknodat": unix.SYS_MKNODAT,
	"openat2": unix.SYS_OPENAT2, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "pidfd_getfd": unix.SYS_PIDFD_GETFD,
	"pidfd_open": unix.SYS_PIDFD_OPEN, "pidfd_send_signal": unix.SYS_PIDFD_SEND_SIGNAL, "prctl": unix.SYS_PRCTL,
	"process_vm_readv": unix.SYS_PROCESS_VM_READV, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
	"ptrace": unix.SYS_PTRACE, "rseq": unix.SYS_RSEQ, "sched_getaffinity": unix.SYS_SCHED_GETAFFINITY,
	"statx": unix.SYS_STATX, "userfaultfd": unix.SYS_USERFAULTFD,
}

// restrict is a program: restrict ERRNO CALL,CALL… PROGRAM ARGS. It executes the program with a filter of system calls,
// as containers do. The calls fail with the error.
func restrict() {
	if err := restricted(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "restrict:", err)
		os.Exit(1)
	}
}

func restricted(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: restrict ERRNO CALL,CALL… PROGRAM ARGS")
	}
	errno, ok := map[string]unix.Errno{"EPERM": unix.EPERM, "ENOSYS": unix.ENOSYS}[args[0]]
	if !ok {
		return fmt.Errorf("unknown error %s", args[0])
	}
	path, err := exec.LookPath(args[2])
	if err != nil {
		return err
	}
	// The number of the system call, each number to compare with, and the two results.
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	names := strings.Split(args[1], ",")
	for i, name := range names {
		number, ok := systemCalls[name]
		if !ok {
			return fmt.Errorf("unknown system call %s", name)
		}
		code = append(code, unix.SockFilter{
			Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jt: uint8(len(names) - i),
		})
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	runtime.LockOSThread() // the filter belongs to the thread that executes the program
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	program := uintptr(unsafe.Pointer(&filter))
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, program, 0, 0); err != nil {
		return err
	}
	return syscall.Exec(path, args[2:], os.Environ())
}
