package ring

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/procstat"
)

// WaitStatus returns how a process has ended, given its pidfd and its number. The caller need not be its parent. ok is
// false if the process still runs, or if the kernel does not give the status.
//
// Until the parent has waited for the process, the status is in /proc. After that it comes from the pidfd, with Linux
// 6.15 or later.
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

// stillMeant reports whether the parent has not yet waited for the process of a pidfd. Until then, no other process can
// get its number.
func stillMeant(pidfd int) bool { return unix.PidfdSendSignal(pidfd, 0, nil, 0) != unix.ESRCH }

// zombieStatus returns how a process has ended, if its parent has not yet waited for it.
func zombieStatus(pid int) (unix.WaitStatus, bool) {
	p, err := procstat.Read(pid)
	if err != nil || !p.Ended() {
		return 0, false
	}
	if p.ExitCode == 0 { // also 0 if the caller may not see the code
		var st unix.Stat_t
		if unix.Stat("/proc/"+strconv.Itoa(pid), &st) != nil || int(st.Uid) != os.Getuid() {
			return 0, false
		}
	}
	return unix.WaitStatus(p.ExitCode), true
}
