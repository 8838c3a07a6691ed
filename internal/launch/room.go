package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Upper bounds of the resources that mpivet needs on a node in addition to the program: see docs/robustness.md.
const (
	ownThreads     = 24       // threads of the analyzer and of the processes that start it
	threadsPerRank = 8        // threads per rank, until it has become the program
	ownMemory      = 3 << 29  // bytes
	memoryPerRank  = 16 << 20 // bytes
	// manyProcesses is a limit of processes that is always large enough.
	manyProcesses = 4096
)

// Room returns an error if the limits of this process (ulimit -u, ulimit -v) are too small for mpivet. ranks is the
// number of ranks on this node, 0 if it is not known. The program may still run without mpivet.
func Room(ranks int) error {
	if ranks <= 0 {
		ranks = 4
	}
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &l) == nil {
		if need := uint64(ownMemory + ranks*memoryPerRank); l.Cur < need {
			return fmt.Errorf("mpivet needs %[2]d MiB of address space, and the limit is %[1]d: raise it (ulimit -v)",
				l.Cur>>20, need>>20)
		}
	}
	// Root has no such limit.
	if unix.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &l) != nil || l.Cur >= manyProcesses {
		return nil
	}
	used, need := threadsOf(unix.Getuid()), ownThreads+ranks*threadsPerRank
	if free := int(l.Cur) - used; free < need {
		return fmt.Errorf("mpivet needs about %d more processes and threads, and the limit of %d leaves %d: "+
			"raise it (ulimit -u)", need, l.Cur, max(free, 0))
	}
	return nil
}

// threadsOf counts the threads of a user's processes, without this process.
func threadsOf(uid int) (n int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || filepath.Base(filepath.Dir(path)) == strconv.Itoa(os.Getpid()) {
			continue
		}
		owner, threads := -1, 0
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			switch {
			case len(f) < 2:
			case f[0] == "Uid:":
				owner, _ = strconv.Atoi(f[1])
			case f[0] == "Threads:":
				threads, _ = strconv.Atoi(f[1])
			}
		}
		if owner == uid {
			n += threads
		}
	}
	return n
}

// Unwatched turns this process into the launcher, which starts the program without mpivet. It returns only if that
// fails.
func Unwatched(launcher []string, m *MPI, argv []string) error {
	args := append(append([]string{}, launcher...), argv...)
	return Become(launcher[0], args, launcherEnvironment(os.Environ(), m, os.Getuid()))
}
