package launch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// pmiAbort is the request. The job ends with mpivet's exit status for findings.
const pmiAbort = "cmd=abort exitcode=3\n"

// Times of abortByPMI.
const (
	drainLimit = 100 * time.Millisecond // for hydra to read what the ranks have written
	drainPause = 20 * time.Millisecond  // for hydra to print what it has read
	pmiGrace   = time.Second            // for hydra to end
	pmiPoll    = 5 * time.Millisecond   // between two looks whether it has ended
)

// abortByPMI ends the job by the request that MPI_Abort of MPICH sends to hydra, its launcher. It returns when over
// returns true, or after a second. Without the request, hydra takes ranks that mpivet has ended for crashed ones, and
// prints a block of lines about a bad termination.
//
// The request is the command "abort" of the process management interface (PMI-1). It goes through the connection of a
// rank with hydra. Nothing is done under other launchers, and where another process's file descriptors cannot be used.
func (r *Ranks) abortByPMI(over func() bool) {
	ranks := r.live()
	for _, p := range ranks {
		connection, err := p.connectionWithHydra()
		if err != nil {
			continue
		}
		for deadline := time.Now().Add(drainLimit); unread(ranks) && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // nothing tells that another process has read from a pipe
		}
		time.Sleep(drainPause) // and nothing tells when hydra has printed it
		err = unix.Send(connection, []byte(pmiAbort), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
		_ = unix.Close(connection)
		if err != nil {
			continue
		}
		for deadline := time.Now().Add(pmiGrace); !over() && time.Now().Before(deadline); {
			time.Sleep(pmiPoll)
		}
		return
	}
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

// connectionWithHydra returns a file descriptor of the process's connection with hydra. The caller closes it.
func (p process) connectionWithHydra() (fd int, err error) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if err != nil {
		return -1, err
	}
	number := -1
	for v := range strings.SplitSeq(string(environ), "\x00") {
		if value, ok := strings.CutPrefix(v, "PMI_FD="); ok {
			if number, err = strconv.Atoi(value); err != nil {
				return -1, err
			}
		}
	}
	if number < 0 {
		return -1, errNoHydra
	}
	pidfd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	if !p.alive() {
		return -1, unix.ESRCH
	}
	if fd, err = unix.PidfdGetfd(pidfd, number, 0); err != nil {
		return -1, err
	}
	// Another launcher may use another protocol. And the program may have closed the connection, and opened another
	// one with the same number.
	if peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
		if st, err := statProcess(int(peer.Pid)); err == nil && strings.HasPrefix(st.Name, "hydra_") {
			return fd, nil
		}
	}
	_ = unix.Close(fd)
	return -1, errNoHydra
}

var errNoHydra = errors.New("no connection with hydra")
