package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Times of abortByPMI.
const (
	drainLimit = 100 * time.Millisecond // for hydra to read what the ranks have written
	drainPause = 20 * time.Millisecond  // for hydra to print what it has read
	pmiGrace   = time.Second            // for hydra to end
)

// abortByPMI ends the job by the request that MPI_Abort of MPICH sends to hydra, its launcher. It returns when the
// launcher has ended, or after a second. Without the request, hydra takes ranks that mpivet has ended for crashed ones,
// and prints a block of lines about a bad termination.
//
// The request is the command "abort" of the process management interface (PMI-1). It goes through the connection of a
// rank with hydra. Nothing is done under other launchers, and where another process's file descriptors cannot be used.
func (j *Job) abortByPMI() {
	if j.custom || !isHydra(j.launcher.Path) {
		return
	}
	ranks := j.ranks.live()
	for deadline := time.Now().Add(drainLimit); unread(ranks) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // nothing tells that another process has read from a pipe
	}
	time.Sleep(drainPause) // and nothing tells when hydra has printed it
	for _, p := range ranks {
		if err := p.abortByPMI(); err != nil {
			continue
		}
		select {
		case <-j.ended:
		case <-time.After(pmiGrace):
		}
		return
	}
}

// isHydra reports whether a launcher is MPICH's hydra, by the name of the executable that its links lead to.
func isHydra(launcher string) bool {
	path, err := filepath.EvalSymlinks(launcher)
	return err == nil && strings.Contains(filepath.Base(path), "hydra")
}

// unread reports whether standard output or standard error of a rank is a pipe with data that nobody has read yet.
func unread(ranks []process) bool {
	for _, p := range ranks {
		for fd := 1; fd <= 2; fd++ {
			// Only pipes: to open another file may wait or do something.
			name := fmt.Sprintf("/proc/%d/fd/%d", p.pid, fd)
			if target, err := os.Readlink(name); err != nil || !strings.HasPrefix(target, "pipe:") {
				continue
			}
			pipe, err := unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			if err != nil {
				continue
			}
			n, err := unix.IoctlGetInt(pipe, unix.TIOCINQ)
			_ = unix.Close(pipe)
			if err == nil && n > 0 {
				return true
			}
		}
	}
	return false
}

// abortByPMI sends the command "abort" over the process's connection with hydra.
func (p process) abortByPMI() error {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if err != nil {
		return err
	}
	number := -1
	for v := range strings.SplitSeq(string(environ), "\x00") {
		if value, ok := strings.CutPrefix(v, "PMI_FD="); ok {
			if number, err = strconv.Atoi(value); err != nil {
				return err
			}
		}
	}
	pidfd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pidfd)
	if !p.alive() {
		return unix.ESRCH
	}
	fd, err := unix.PidfdGetfd(pidfd, number, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The program may have closed the connection, and opened another one with the same number.
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return err
	}
	if st, err := statProcess(int(peer.Pid)); err != nil || !st.isLauncher() {
		return errors.New("not a connection with the launcher")
	}
	return unix.Send(fd, []byte("cmd=abort exitcode=1\n"), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
}
