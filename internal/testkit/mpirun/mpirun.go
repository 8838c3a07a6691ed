// Package mpirun runs MPI programs, with and without mpivet, for tests and benchmarks. Every run has a time limit, and
// no process outlives it.
package mpirun

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/record/procstat"
)

// MPI is an MPI implementation to build and run examples with.
type MPI struct {
	Name                string // "mpich" or "openmpi"
	CC, CXX, FC, Mpirun string
	// Standard: programs are compiled with CC and StandardFlags for the standard ABI. There is no CXX and FC then.
	Standard bool
	Env      []string // for programs, besides Environment
}

// Installed returns the MPI implementations whose compilers and launchers are on the PATH under Debian's names.
func Installed() []MPI {
	var list []MPI
	for _, name := range []string{"mpich", "openmpi"} {
		m := MPI{
			Name: name, CC: "mpicc." + name, CXX: "mpicxx." + name, FC: "mpif90." + name, Mpirun: "mpiexec." + name,
		}
		if _, err := exec.LookPath(m.CC); err != nil {
			continue
		}
		if _, err := exec.LookPath(m.Mpirun); err != nil {
			continue
		}
		list = append(list, m)
	}
	return list
}

// Has reports whether mpi.h declares a function.
func (m MPI) Has(function string) bool {
	args := []string{"-fsyntax-only", "-x", "c", "-"}
	if m.Standard {
		args = append(StandardFlags, args...)
	}
	cmd := exec.Command(m.CC, args...)
	cmd.Stdin = strings.NewReader("#include <mpi.h>\nvoid *f = (void *)" + function + ";\n")
	return cmd.Run() == nil
}

// versions has the version in the mpi.h of each implementation that was asked for.
var versions sync.Map // of func() string

// Version returns the version of the implementation in its mpi.h, such as "4.0.2". It returns "" if there is none.
func (m MPI) Version() string {
	read, _ := versions.LoadOrStore(m.Name, sync.OnceValue(m.readVersion))
	return read.(func() string)()
}

func (m MPI) readVersion() string {
	cmd := exec.Command("mpicc."+m.Name, "-E", "-P", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(`#include <mpi.h>
#ifdef MPICH_VERSION
version MPICH_VERSION
#else
version OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#endif
`)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	_, version, _ := strings.Cut(string(out), "version ")
	version, _, _ = strings.Cut(version, "\n")
	return strings.NewReplacer(" ", "", `"`, "").Replace(version)
}

// Environment returns the environment for programs and launchers. Without it, Open MPI refuses to run as root or with
// more ranks than cores, and Open MPI 5 finds no way to spawned processes where the loopback interface is the only one.
func Environment(extra ...string) []string {
	env := append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
		"OMPI_MCA_btl_tcp_if_include=lo")
	return append(env, extra...)
}

// FastSettings returns settings with which MPI libraries start in less time. They choose the communication within a
// node, and leave out the search for networks and other devices. MPI functions do the same as before.
func FastSettings() []string {
	return []string{
		"HWLOC_PLUGINS_PATH=/nonexistent", "HWLOC_COMPONENTS=-linuxio", // no PCI devices, no accelerators
		"UCX_TLS=posix,cma,self", "UCX_MODULES=cma", // MPICH
		"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=^openib,ofi", "OMPI_MCA_osc=^ucx", "PMIX_MCA_gds=hash",
	}
}

// FastStart is Environment with FastSettings. A test suite starts MPI some thousand times. It is not for benchmarks.
func FastStart(extra ...string) []string {
	return append(append(Environment(), FastSettings()...), extra...)
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Status         int // exit status, 128 + signal number if it was killed
	Took           time.Duration
	TimedOut       bool
	Left           string // its processes when its time was over, one in each line
}

// marker is a variable in the environment of the commands that Run starts. It identifies all processes that a launcher
// starts.
const marker = "EXAMPLETEST_RUN"

var runs atomic.Int64

// Mark returns a variable for the environment of a command, and a function that kills every process with that variable
// in its environment. The function is needed because launchers start ranks in process groups and sessions of their own.
func Mark() (variable string, kill func()) {
	mark := fmt.Sprintf("%s=%d.%d", marker, os.Getpid(), runs.Add(1))
	return mark, func() { killMarked(mark) }
}

// Run runs a command. If it takes longer than timeout, it gets SIGTERM, and some time later it is killed. No process
// that it started outlives Run.
func Run(command, env []string, dir string, timeout time.Duration) (*Result, error) {
	mark, kill := Mark()
	cmd := exec.Command(command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = &stdout, &stderr, append(slices.Clone(env), mark), dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var timedOut atomic.Bool
	var left string
	over := make(chan struct{})
	go func() {
		select {
		case <-over:
			return
		case <-time.After(timeout):
		}
		left = describeMarked(mark)
		timedOut.Store(true)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			kill()
		}
	}()
	err := cmd.Wait()
	close(over)
	kill()
	r := &Result{Stdout: stdout.String(), Stderr: stderr.String(), Took: time.Since(start)}
	if timedOut.Load() {
		r.TimedOut, r.Left = true, left
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.Status = status.ExitStatus()
	if status.Signaled() {
		r.Status = 128 + int(status.Signal())
	}
	return r, nil
}

// killMarked kills every process that has mark in its environment.
func killMarked(mark string) {
	for _, pid := range marked(mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// marked returns the processes that have mark in their environment.
func marked(mark string) (pids []int) {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !slices.Contains(strings.Split(string(environ), "\x00"), mark) {
			continue // the process has ended, or belongs to another user
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// describeMarked returns a line for each process that has mark in its environment: its number, the namespace of its
// node's name, its state, what its first thread waits for, and its command.
func describeMarked(mark string) string {
	var text strings.Builder
	for _, pid := range marked(mark) {
		read := func(name string) string {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name)) // empty: it has just ended
			return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
		}
		st, err := procstat.Read(pid)
		if err != nil {
			continue // it has just ended
		}
		node, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/uts", pid))
		fmt.Fprintf(&text, "%d %s %c in %s, syscall %s: %s\n",
			pid, node, st.State, read("wchan"), read("syscall"), read("cmdline"))
	}
	return text.String()
}

// TwoPrograms reports whether the launcher can start two programs in one job. That of Open MPI 5.0.7 crashes.
func (m MPI) TwoPrograms() bool {
	cmd := exec.Command(m.Mpirun, "-n", "1", "true", ":", "-n", "1", "true")
	cmd.Env = Environment()
	return cmd.Run() == nil
}

// readyMpivet is the environment variable with the path of an mpivet to be tested. Otherwise, one is built. It is for
// systems that run no Go, such as emulated ones: scripts/arm64.sh.
const readyMpivet = "TESTED_MPIVET"

// BuildMpivet builds the command mpivet of this source tree into a file, as make build does. It also makes mpivet build
// its preload libraries, so that no run waits for them.
func BuildMpivet(path string) error {
	if ready := os.Getenv(readyMpivet); ready != "" {
		return os.Symlink(ready, path)
	}
	args := []string{"build", "-tags", "grpcnotrace", "-o", path}
	if runtime.GOARCH == "amd64" {
		args = append(args, "-ldflags=-E mpivet_entry") // see cmd/mpivet/entry_linux_amd64.s
	}
	cmd := exec.Command("go", append(args, "github.com/mpivet/mpivet/cmd/mpivet")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	if len(Installed()) == 0 {
		return nil
	}
	if out, err := exec.Command(path, "build").CombinedOutput(); err != nil {
		return fmt.Errorf("mpivet build: %w\n%s", err, out)
	}
	return nil
}
