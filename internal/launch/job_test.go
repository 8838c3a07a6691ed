package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// TestMain lets the test binary replace mpivet in commands that a launcher starts.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == RankCommand:
		r, err := ParseRank(os.Args[2:])
		if err == nil {
			err = r.Exec()
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	case len(os.Args) > 1 && os.Args[1] == "caller-group":
		g, err := CallerGroup()
		fmt.Println(g.Name, g.Size, err)
		os.Exit(0)
	case len(os.Args) > 2 && os.Args[1] == "hold-meeting":
		_, err := Join(Group{Name: os.Args[2]}, func(string) (string, error) {
			fmt.Println("held")
			time.Sleep(time.Hour)
			return "", nil
		})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// startJob starts a program with a shell script as its launcher. In the script, "$@" is the command of a rank.
func startJob(t *testing.T, launcher string, custom bool, argv ...string) (*Job, *Ranks) {
	t.Helper()
	path, err := FindProgram(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := ring.NewSession(ring.Options{ShmDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	session := s.Dir
	ranks := NewRanks(session)
	j, err := Start(JobOptions{
		Launcher: []string{"/bin/sh", "-c", launcher, "launcher"}, Custom: custom, Self: os.Args[0],
		// A harmless library that exists on all machines.
		Rank:  &Rank{Session: session, Library: someLibrary(t), Path: path, Argv: argv},
		Ranks: ranks,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Kill)
	return j, ranks
}

func someLibrary(t *testing.T) string {
	t.Helper()
	for _, path := range readLoaderCache("/etc/ld.so.cache").files("libm.so.6") {
		return path
	}
	t.Skip("no libm.so.6 in the loader's cache")
	return ""
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

func TestJobGivesTheProgramItsEnvironmentAndStatus(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("OUT", out)
	t.Setenv("LD_PRELOAD", "")
	lib := someLibrary(t)
	// The processes of the launcher must not load the library.
	j, ranks := startJob(t, `echo "launcher preload=$LD_PRELOAD" > $OUT; "$@"; exit $?`, false,
		"sh", "-c", `echo "rank preload=$LD_PRELOAD session=$MPIVET_SESSION 0=$0 1=$1" >> $OUT; exit 7`, "name", "a b")
	if st := j.Status(); st != 7 {
		t.Errorf("status %d, want 7", st)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("launcher preload=\nrank preload=%s session=%s 0=name 1=a b\n", lib, ranks.session)
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if left := j.Settle(time.Second); left != 0 {
		t.Errorf("%d processes are left", left)
	}
}

func TestJobStatusOfASignal(t *testing.T) {
	j, _ := startJob(t, `kill -KILL $$`, false, "true")
	if st := j.Status(); st != 128+9 {
		t.Errorf("status %d, want 137", st)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	marker := fmt.Sprintf("%d", 100000+os.Getpid())
	// Both the launcher and the ranks ignore SIGTERM, and one rank has left its parent.
	j, ranks := startJob(t, `trap "" TERM; "$@" & (setsid "$@" &) ; wait; sleep `+marker, false,
		"sh", "-c", `trap "" TERM; sleep `+marker)
	waitFor(t, "two ranks", func() bool { return len(registered(ranks.session)) == 2 })
	j.Abort()
	select {
	case <-j.Ended():
	default:
		t.Error("the launcher still runs")
	}
	if !j.Aborted() {
		t.Error("not marked as aborted")
	}
	if text, err := exec.Command("pgrep", "-f", "sleep "+marker).Output(); err == nil {
		t.Errorf("still running: %s", text)
	}
}

func TestLauncherThatDoesNotEndAfterAFailureIsKilled(t *testing.T) {
	j, ranks := startJob(t, `"$@"; sleep 1000`, false, "sh", "-c", "exit 5")
	waitFor(t, "the rank to register", func() bool { return len(registered(ranks.session)) == 1 })
	p := registered(ranks.session)[0]
	ranks.Proc(&ring.Proc{ID: 0, PID: p.pid, Start: time.Hour})
	ranks.End(0, &ring.ProcEnd{Kind: ring.Exited, Code: 5})
	if st := j.Status(); st != 5 {
		t.Errorf("status %d, want the rank's 5", st)
	}
}

// TestStatusIsTheProgramsWhenTheLauncherCrashes imitates Open MPI's launcher: after MPI_Abort in one rank, it kills the
// other ranks, and sometimes crashes then.
func TestStatusIsTheProgramsWhenTheLauncherCrashes(t *testing.T) {
	j, ranks := startJob(t, `"$@" & "$@" & wait; kill -SEGV $$`, false, "true")
	<-j.Ended()
	for i, p := range registered(ranks.session) {
		ranks.Proc(&ring.Proc{ID: ring.ProcID(i), PID: p.pid, Start: time.Hour})
	}
	ranks.End(1, &ring.ProcEnd{Kind: ring.Vanished})
	ranks.End(0, &ring.ProcEnd{Kind: ring.Exited, Code: 3})
	if st, s := j.Status(), j.Fault(); st != 3 || s != syscall.SIGSEGV {
		t.Errorf("status %d, launcher's fault %v; want the rank's 3 and SIGSEGV", st, s)
	}
}

func TestLauncherOfTheUsersMayGoOn(t *testing.T) {
	j, ranks := startJob(t, `"$@"; sleep 4; exit 3`, true, "sh", "-c", "exit 5")
	waitFor(t, "the rank to register", func() bool { return len(registered(ranks.session)) == 1 })
	p := registered(ranks.session)[0]
	ranks.Proc(&ring.Proc{ID: 0, PID: p.pid, Start: time.Hour})
	ranks.End(0, &ring.ProcEnd{Kind: ring.Exited, Code: 5})
	if st := j.Status(); st != 3 {
		t.Errorf("status %d, want the launcher's 3", st)
	}
}

func TestSignalsReachTheLauncherOnce(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("OUT", out)
	j, _ := startJob(t, `trap "echo got >> $OUT; exit 42" TERM; trap "echo one >> $OUT" USR1; echo ready > $OUT; `+
		`while :; do sleep 0.01; done`, false, "true")
	text := func() string { b, _ := os.ReadFile(out); return string(b) }
	waitFor(t, "the launcher", func() bool { return text() == "ready\n" })
	var told atomic.Int32
	stop := j.Signals(func(os.Signal) { told.Add(1) }, nil)
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "SIGUSR1", func() bool { return text() == "ready\none\n" })
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if st := j.Status(); st != 42 {
		t.Errorf("status %d, want 42", st)
	}
	if text() != "ready\none\ngot\n" || told.Load() != 1 {
		t.Errorf("launcher got %q, told %d times", text(), told.Load())
	}
}

func TestSecondSignalKills(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("OUT", out)
	j, _ := startJob(t, `trap "echo got >> $OUT" TERM; echo ready > $OUT; while :; do sleep 0.01; done`, false, "true")
	text := func() string { b, _ := os.ReadFile(out); return string(b) }
	waitFor(t, "the launcher", func() bool { return text() == "ready\n" })
	stop := j.Signals(nil, nil)
	defer stop()
	for i := range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			waitFor(t, "the first signal", func() bool { return text() == "ready\ngot\n" })
		}
	}
	if st := j.Status(); st != 128+9 {
		t.Errorf("status %d, want 137", st)
	}
}

func TestRanksAreOnlyProcessesThatAreStillThemselves(t *testing.T) {
	self, err := statProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := sameProcess(os.Getpid(), time.Duration(1<<62)); !ok || p != self.process {
		t.Errorf("later than the start: %v, %v", p, ok)
	}
	if _, ok := sameProcess(os.Getpid(), 1); ok {
		t.Error("a process seen at boot can't be this one")
	}
	if (process{pid: self.pid, start: self.start + 1}).alive() {
		t.Error("another process of the same number counts as alive")
	}
	if !self.alive() {
		t.Error("this process does not count as alive")
	}
}

// noExits is an Exits without processes.
type noExits struct{}

func (noExits) Leaving() []int          { return nil }
func (noExits) Release(int)             {}
func (noExits) Leaves() <-chan struct{} { return nil }

func TestAwaitEnd(t *testing.T) {
	session := t.TempDir()
	ranks := NewRanks(session)
	start := func() *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		st, err := statProcess(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(session, fmt.Sprintf("x%d-%d", st.pid, st.start)), "", 0o600)
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	done := make(chan struct{})
	go func() {
		ranks.AwaitEnd(2, noExits{}, nil)
		close(done)
	}()
	a := start()
	_ = a.Process.Kill()
	_ = a.Wait()
	b := start()
	select {
	case <-done:
		st, err := statProcess(b.Process.Pid)
		t.Fatalf("ended while a process runs, in state %c, %v", st.State, err)
	case <-time.After(100 * time.Millisecond):
	}
	_ = b.Process.Kill() // not waited for: a zombie has ended
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("did not end")
	}
	stop := make(chan struct{})
	close(stop)
	start()
	ranks.AwaitEnd(5, noExits{}, stop)
}

// meanwhile is an Exits of two processes. The second one comes to its exit after the first call of Leaving, while the
// first one, which is released, still runs.
type meanwhile struct {
	pids           [2]int
	came, released int
	wrong          chan struct{} // closed when both are released
}

func (m *meanwhile) Leaving() []int {
	m.came++
	return m.pids[m.released:min(m.came, 2)]
}

func (m *meanwhile) Leaves() <-chan struct{} { return nil }

func (m *meanwhile) Release(n int) {
	if m.released += n; m.released == len(m.pids) && n > 0 {
		close(m.wrong)
	}
}

// TestLastRankWaitsForTheVerdict: the last process is not released, even if a released one needs some time to end.
func TestLastRankWaitsForTheVerdict(t *testing.T) {
	session := t.TempDir()
	exits := &meanwhile{wrong: make(chan struct{})}
	for i := range exits.pids {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		st, err := statProcess(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(session, fmt.Sprintf("x%d-%d", st.pid, st.start)), "", 0o600)
		exits.pids[i] = st.pid
	}
	NewRanks(session).AwaitEnd(2, exits, exits.wrong)
	if exits.released != 1 {
		t.Errorf("%d of 2 processes are released, want only the first", exits.released)
	}
}

func TestRankEnvironment(t *testing.T) {
	r := &Rank{
		Session: "/dev/shm/s", Library: "/c/lib.so", First: []string{"/a/libasan.so"}, Path: "/bin/prog",
		Argv: []string{"./prog", "x", "y z"},
	}
	env := r.environment([]string{
		"A=b", "LD_PRELOAD=/u/other.so", "MPIVET_SESSION=old", "OMPI_COMMAND=mpivet", "OMPI_ARGV=exec-rank x", "EMPTY=",
	})
	want := []string{
		"A=b", "OMPI_COMMAND=./prog", "OMPI_ARGV=x y z", "EMPTY=", "LD_PRELOAD=/a/libasan.so:/c/lib.so:/u/other.so",
		"MPIVET_SESSION=/dev/shm/s",
	}
	if !slices.Equal(env, want) {
		t.Errorf("got  %q\nwant %q", env, want)
	}
	again, err := ParseRank(r.Args())
	if err != nil || fmt.Sprint(*again) != fmt.Sprint(*r) {
		t.Errorf("%v, %v; want %v", again, err, r)
	}
}

func TestLauncherEnvironment(t *testing.T) {
	open, mpich := &MPI{Flavour: OpenMPI}, &MPI{Flavour: MPICH}
	has := func(env []string) bool { return slices.Contains(env, "OMPI_ALLOW_RUN_AS_ROOT=1") }
	if env := launcherEnvironment([]string{"A=b"}, open, 0); !has(env) ||
		!slices.Contains(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1") {
		t.Errorf("root: %q", env)
	}
	if env := launcherEnvironment([]string{"OMPI_ALLOW_RUN_AS_ROOT=0"}, open, 0); has(env) {
		t.Errorf("the user's own choice is gone: %q", env)
	}
	if has(launcherEnvironment(nil, open, 1000)) || has(launcherEnvironment(nil, mpich, 0)) {
		t.Error("set without need")
	}
}

func TestCallerGroup(t *testing.T) {
	// A process of the launcher starts two ranks, one of them through a wrapper. Processes outside of it have no rank.
	script := `
group() { PMI_RANK=$1 PMI_SIZE=2 MPI_LOCALNRANKS=2 sh -c "$2"; }
group 0 '"$SELF" caller-group; true'
group 1 'sh -c "\"\$SELF\" caller-group; true"; true'
"$SELF" caller-group`
	cmd := exec.Command("sh", "-c", script)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains(rankVariables, name) && !slices.Contains(localSizeVariables, name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "SELF="+os.Args[0])
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %q", lines)
	}
	if lines[0] != lines[1] || !strings.HasPrefix(lines[0], fmt.Sprintf("x%d-", cmd.Process.Pid)) ||
		!strings.HasSuffix(lines[0], " 2 <nil>") {
		t.Errorf("ranks of process %d have groups %q and %q", cmd.Process.Pid, lines[0], lines[1])
	}
	if !strings.HasPrefix(lines[2], "s") || !strings.HasSuffix(lines[2], " 1 <nil>") {
		t.Errorf("alone: %q", lines[2])
	}
}

func TestLocalSize(t *testing.T) {
	for text, want := range map[string]int{"": 0, "3": 3, "4(x2)": 4, "4,3": 4, "4,x": 4, "x(x2)": 0, "x": 0, "-1": 0} {
		if n := localSize(func(v string) string {
			if v == "SLURM_STEP_TASKS_PER_NODE" {
				return text
			}
			return ""
		}); n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
		}
	}
	for node, want := range map[string]int{"0": 4, "1": 4, "2": 3, "3": 1, "4": 0} {
		env := map[string]string{"SLURM_STEP_TASKS_PER_NODE": "4(x2),3,1", "SLURM_NODEID": node}
		if n := localSize(func(v string) string { return env[v] }); n != want {
			t.Errorf("node %s: %d, want %d", node, n, want)
		}
	}
}
