// Package procstat reads /proc/PID/stat, see proc_pid_stat(5).
package procstat

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Stat has fields of /proc/PID/stat.
type Stat struct {
	PID, PPID int
	Start     uint64 // clock ticks since boot; a later process with the same PID has another one
	State     byte   // of the first thread
	// Threads is the number of threads that have not ended, and the first one in any case. It is 0 if the kernel
	// replaced the first thread by another one while it wrote the text, or removed the process.
	Threads  int
	Flags    uint64 // flags of the kernel: PF_EXITING
	Name     string // name of the executable, its first 15 bytes
	ExitCode uint32 // how it has ended, as wait(2) tells it; 0 also if that is not known: the caller may not see it
}

// Ended reports whether the process has ended. Its first thread may have ended before: while another thread executes a
// program, or because it has called pthread_exit. If the number of threads is 0, it is not known.
func (s Stat) Ended() bool { return (s.State == 'Z' || s.State == 'X') && s.Threads == 1 }

// Read returns the fields of a process. The error is fs.ErrNotExist or syscall.ESRCH if there is no such process, and
// another one if they can't be read.
func Read(pid int) (s Stat, err error) {
	for range 10 { // the second time suffices nearly always
		if s, err = read(pid); err != nil || s.Threads > 0 {
			break
		}
	}
	return s, err
}

func read(pid int) (Stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Stat{}, err
	}
	return parse(pid, string(data))
}

func parse(pid int, text string) (Stat, error) {
	// The name in parentheses may contain any characters, also parentheses.
	first, i := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if first < 0 || i < first {
		return Stat{}, fmt.Errorf("/proc/%d/stat: no name in it", pid)
	}
	// The manual counts the fields from 1: the number of the process and the name are two more.
	f := strings.Fields(text[i+1:])
	if len(f) < 20 {
		return Stat{}, fmt.Errorf("/proc/%d/stat: only %d fields", pid, len(f)+2)
	}
	ppid, err1 := strconv.Atoi(f[1])
	flags, err2 := strconv.ParseUint(f[6], 10, 64)
	threads, err3 := strconv.Atoi(f[17])
	start, err4 := strconv.ParseUint(f[19], 10, 64)
	var code uint64
	if len(f) >= 50 {
		code, _ = strconv.ParseUint(f[49], 10, 32) // 0: not known, as in some sandboxes
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return Stat{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return Stat{
		PID: pid, PPID: ppid, Start: start, State: f[0][0], Threads: threads, Flags: flags, Name: text[first+1 : i],
		ExitCode: uint32(code),
	}, nil
}
