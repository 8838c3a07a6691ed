package ring

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// WaitStatus returns how a process has ended, given by its pidfd and number. The caller need not be its parent. It
// returns false if the process still runs, or if the kernel does not tell.
//
// Until the parent has waited for the process, /proc knows. After that the kernel tells by the pidfd, from Linux 6.15 on.
func WaitStatus(pidfd, pid int) (unix.WaitStatus, bool) {
	if pidfd < 0 {
		return 0, false
	}
	if s, ok := zombieStatus(pid); ok && stillMeant(pidfd) {
		return s, true
	}
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	if unix.IoctlPidfdInfo(pidfd, &info) != nil || info.Mask&unix.PIDFD_INFO_EXIT == 0 {
		return 0, false
	}
	return unix.WaitStatus(uint32(info.Exit_code)), true
}

// stillMeant reports whether nobody has waited for the process of a pidfd yet, so that its number is still its own.
func stillMeant(pidfd int) bool { return unix.PidfdSendSignal(pidfd, 0, nil, 0) != unix.ESRCH }

// zombieStatus returns how a process has ended that nobody has waited for yet.
func zombieStatus(pid int) (unix.WaitStatus, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	b, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, false
	}
	// The name is in parentheses and may contain anything.
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) < 50 || f[0][0] != 'Z' && f[0][0] != 'X' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(f[49]), 10, 32)
	if err != nil {
		return 0, false
	}
	if code == 0 { // which it also is for those who may not know
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil || int(st.Uid) != os.Getuid() {
			return 0, false
		}
	}
	return unix.WaitStatus(code), true
}
