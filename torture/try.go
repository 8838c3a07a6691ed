package main

import (
	"bytes"
	_ "embed" // steady.c
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mpivet/mpivet/internal/record/procstat"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

//go:embed testdata/steady.c
var steady string

// rig has the common data of all tries with one MPI.
type rig struct {
	mpivet  string
	mpi     mpirun.MPI
	dir     string
	program string // steady.c
	good    *good
}

// newRig builds the program of the tries in a directory, and mpivet's preload library.
func newRig(mpivet string, m mpirun.MPI, dir string) (*rig, error) {
	r := &rig{mpivet: mpivet, mpi: m, dir: dir, program: filepath.Join(dir, "steady."+m.Name)}
	compile := exec.Command(m.CC, "-O2", "-o", r.program, "-x", "c", "-")
	compile.Stdin = strings.NewReader(steady)
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if out, err := exec.Command(mpivet, "build").CombinedOutput(); err != nil { // now, so that no try waits for it
		return nil, fmt.Errorf("mpivet build: %w\n%s", err, out)
	}
	return r, nil
}

// try is one run of a scenario, with its processes.
type try struct {
	*rig
	rng  *rand.Rand
	dir  string // directory of this try
	mark string // in the environment of all its processes
	env  []string

	cmd   *exec.Cmd     // the running command
	ended chan struct{} // closed when cmd has ended
	seen  map[int]bool  // all processes that were found so far
}

var tries atomic.Int64

func newTry(r *rig, seed uint64) (*try, error) {
	n := tries.Add(1)
	t := &try{rig: r, rng: rand.New(rand.NewPCG(seed, 0)), seen: map[int]bool{}}
	t.dir = filepath.Join(r.dir, fmt.Sprintf("try%d", n))
	t.mark = fmt.Sprintf("TORTURE_TRY=%d.%d", os.Getpid(), n)
	t.env = mpirun.Environment(t.mark, "TMPDIR="+t.dir, "XDG_RUNTIME_DIR="+t.dir)
	return t, os.Mkdir(t.dir, 0o700)
}

// between returns a random duration.
func (t *try) between(low, high time.Duration) time.Duration {
	return low + time.Duration(t.rng.Int64N(int64(high-low)))
}

// start starts a command. Its output goes to files, because pipes could outlive it.
func (t *try) start(command ...string) error {
	stdout, err := os.Create(filepath.Join(t.dir, "stdout"))
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(t.dir, "stderr"))
	if err != nil {
		return err
	}
	defer stderr.Close()
	cmd, ended := exec.Command(command[0], command[1:]...), make(chan struct{})
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = stdout, stderr, t.env, t.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.cmd, t.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit status is checked later
	}()
	return nil
}

// watched returns the command that runs the program under mpivet, for some milliseconds, under "run" or "exec".
func (t *try) watched(under string, ranks, milliseconds int, flags ...string) []string {
	n := strconv.Itoa(ranks)
	flags = append(append(flags, "--json", t.report()), "--", t.program, strconv.Itoa(milliseconds))
	if under == "run" {
		return append([]string{t.mpivet, "run", "-n", n}, flags...)
	}
	return append([]string{t.mpi.Mpirun, "-n", n, t.mpivet, "exec"}, flags...)
}

func (t *try) report() string { return filepath.Join(t.dir, "report.json") }

// proc is a process of a try.
type proc struct {
	pid  int
	role string
	args []string
}

// Roles of processes.
const (
	analyzer = "analyzer"
	starter  = "starter"  // the shell that starts the analyzer
	entrance = "entrance" // mpivet, before it becomes a rank
	rank     = "rank"
	launcher = "launcher"
	proxy    = "proxy" // a process of the launcher
)

func (t *try) role(args []string) string {
	name := filepath.Base(args[0])
	second := ""
	if len(args) > 1 {
		second = args[1]
	}
	switch {
	case args[0] == t.program:
		return rank
	case name == "mpivet" && second == "run":
		return analyzer
	case name == "sh" && slices.Contains(args, "analyze"):
		return starter
	case name == "mpivet" && second == "analyze":
		return analyzer
	case name == "mpivet" && (second == "exec" || second == "exec-rank"):
		return entrance
	case strings.HasPrefix(name, "hydra_") || name == "orted":
		return proxy
	case strings.HasPrefix(name, "mpiexec") || strings.HasPrefix(name, "mpirun") || name == "orterun":
		return launcher
	}
	return ""
}

// processes returns the running processes of the try.
func (t *try) processes() (list []proc) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(environ, []byte(t.mark+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00"); args[0] != "" {
			t.seen[pid] = true
			list = append(list, proc{pid, t.role(args), args})
		}
	}
	return list
}

// find waits for a process with a role, and returns its process ID, 0 if there is none in time.
func (t *try) find(role string) int {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		var found []int
		list := t.processes()
		for _, p := range list {
			// A child that a process has just forked has the same command line, until it executes its own program.
			st, _ := procstat.Read(p.pid) // PPID is 0 if the process does not exist
			forked := slices.ContainsFunc(list, func(q proc) bool { return q.role == role && q.pid == st.PPID })
			if p.role == role && (role == rank || !forked) {
				found = append(found, p.pid)
			}
		}
		if len(found) > 0 {
			return found[t.rng.IntN(len(found))]
		}
		if t.over() {
			return 0
		}
	}
	return 0
}

// over reports whether the command has ended.
func (t *try) over() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// outcome is the result of a try.
type outcome struct {
	status         int // exit status of the command, in the convention of shells
	stdout, stderr string
	report         *mpirun.Report // nil if there is none
}

// end waits until all processes of the try have ended. After the limit, it kills the remaining processes, and returns
// an error.
func (t *try) end(limit time.Duration) (*outcome, error) {
	var late error
	for end := time.Now().Add(limit); !t.over() || len(t.processes()) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			late = fmt.Errorf("runs on after %v: %v", limit, t.processes())
			break
		}
	}
	t.killAll()
	<-t.ended
	o := new(outcome)
	ws, _ := t.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if o.status = ws.ExitStatus(); ws.Signaled() {
		o.status = 128 + int(ws.Signal())
	}
	for name, text := range map[string]*string{"stdout": &o.stdout, "stderr": &o.stderr} {
		b, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return o, err
		}
		*text = string(b)
	}
	if b, err := os.ReadFile(t.report()); err == nil {
		if o.report, err = mpirun.ReadReport(b); err != nil {
			return o, err
		}
	}
	return o, late
}

func (t *try) killAll() {
	for _, p := range t.processes() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
}

// left returns the files of mpivet that the processes of the try have left behind.
func (t *try) left() (list []string) {
	for _, pattern := range []string{"/dev/shm/mpivet-*", filepath.Join(t.dir, "mpivet*")} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			f := strings.Split(filepath.Base(p), "-")
			if strings.HasPrefix(p, t.dir) {
				list = append(list, p)
			} else if len(f) >= 5 {
				if pid, err := strconv.Atoi(f[3]); err == nil && t.seen[pid] {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// cleared lets another run remove the files that were left behind. It returns an error if files remain.
func (t *try) cleared() error {
	if len(t.left()) == 0 {
		return nil
	}
	cmd := exec.Command(t.mpivet, "run", "-n", "1", "--quiet", "--", t.program, "0")
	cmd.Env, cmd.Dir = t.env, t.dir
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 3 {
		return fmt.Errorf("the run after it: %w", err)
	}
	if left := t.left(); len(left) > 0 {
		return fmt.Errorf("the run after it does not clear %v", left)
	}
	return nil
}

// crash returns an error if mpivet itself has crashed.
func (o *outcome) crash() error {
	for _, word := range []string{"goroutine ", "panic:", "fatal error:", "runtime: "} {
		if i := strings.Index(o.stderr, word); i >= 0 {
			return fmt.Errorf("a crash of mpivet's: %s", o.stderr[i:min(len(o.stderr), i+200)])
		}
	}
	return nil
}

// undisturbed returns an error unless all ranks of the program have reached their end.
func (o *outcome) undisturbed(ranks int) error {
	for r := range ranks {
		if want := fmt.Sprintf("rank %d: all right\n", r); strings.Count(o.stdout, want) != 1 {
			return fmt.Errorf("the program is disturbed: %q is missing in %q; standard error %q", want, o.stdout,
				tail(o.stderr))
		}
	}
	return nil
}

// mistake is the check that finds the error in steady.c.
const mistake = "LOCAL:MPI:INVALID_ARGUMENT"

// found returns an error unless the findings are of exactly the given checks.
func (o *outcome) found(checks ...string) error {
	if o.report == nil {
		return errors.New("no report; standard error " + strconv.Quote(tail(o.stderr)))
	}
	var have []string
	for _, f := range o.report.Findings {
		have = append(have, f.Check)
	}
	slices.Sort(have)
	have = slices.Compact(have)
	slices.Sort(checks)
	if !slices.Equal(have, checks) {
		return fmt.Errorf("found %v instead of %v; notes %q; standard error %q", have, checks, o.report.Run.Notes,
			tail(o.stderr))
	}
	return nil
}

func tail(s string) string { return s[max(0, len(s)-600):] }
