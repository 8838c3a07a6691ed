package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// ringProgram passes messages between all ranks until a file exists, and then ends well.
const ringProgram = `#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, stop = 0, rounds = 0, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (!stop) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        stop = rank == 0 && access(argv[1], F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0 && ++rounds == 200) {
            printf("running\n");
            fflush(stdout);
        }
        usleep(500);
    }
    MPI_Finalize();
    return 0;
}
`

// openMPI is the MPI of the tests of faults: its connections over TCP end reliably.
func openMPI(t *testing.T) mpirun.MPI {
	t.Helper()
	for _, m := range mpirun.Installed() {
		if m.Name == "openmpi" {
			return m
		}
	}
	t.Skip("Open MPI is not installed")
	return mpirun.MPI{}
}

// running is a job that runs.
type running struct {
	t       *testing.T
	c       *cluster
	cmd     *exec.Cmd
	stop    string // the file at which the program ends
	report  string
	program string // its path
	ended   chan error

	mu     sync.Mutex
	output bytes.Buffer
}

func (r *running) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.output.Write(b)
}

func (r *running) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.output.String()
}

// faultLimit is the time after which a test of faults gives up waiting.
const faultLimit = 3 * time.Minute

// await waits until the output has a text.
func (r *running) await(text string) {
	r.t.Helper()
	for end := time.Now().Add(faultLimit); !strings.Contains(r.text(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("no %q:\n%s", text, r.text())
		}
	}
}

// start starts the program on all nodes under mpivet exec, and waits until it communicates.
func (c *cluster) start(t *testing.T, m mpirun.MPI) *running {
	t.Helper()
	program, report := c.write(m, "ring", ringProgram), filepath.Join(c.Dir, "report.json")
	stop := filepath.Join(c.Dir, "stop")
	r := c.launch(t, append(c.Launcher(m, len(c.Names)), c.mpivet, "exec", "--json", report, program, stop)...)
	r.program, r.stop, r.report = program, stop, report
	r.await("running")
	return r
}

// launch starts a command on the first node. All its processes end with the test.
func (c *cluster) launch(t *testing.T, argv ...string) *running {
	t.Helper()
	r := &running{t: t, c: c, ended: make(chan error, 1)}
	r.cmd = c.Command(c.Names[0], argv...)
	mark, kill := mpirun.Mark()
	r.cmd.Env = append(r.cmd.Env, c.cache, mark)
	r.cmd.Stdout, r.cmd.Stderr = r, r
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kill)
	go func() { r.ended <- r.cmd.Wait() }()
	return r
}

// finish lets the program end, and returns mpivet's whole output.
func (r *running) finish() string {
	r.t.Helper()
	if out, err := exec.Command("touch", r.stop).CombinedOutput(); err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	select {
	case <-r.ended:
	case <-time.After(faultLimit):
		r.t.Fatalf("the program does not end:\n%s", r.text())
	}
	return r.text()
}

// status returns the exit status of the launcher, which must have ended.
func (r *running) status() int { return r.cmd.ProcessState.ExitCode() }

// head returns the node of the head, and another node.
func (r *running) head() (head, other string) {
	r.t.Helper()
	for _, n := range r.c.Names {
		// Only the head listens.
		out, err := r.c.Command(n, "ss", "-Hltnp").Output()
		if err == nil && strings.Contains(string(out), `"mpivet"`) {
			head = n
		} else {
			other = n
		}
	}
	if head == "" || other == "" {
		r.t.Fatalf("head %q, other node %q", head, other)
	}
	return head, other
}

// nothing checks that no finding was made.
func nothing(t *testing.T, text string) {
	t.Helper()
	for _, word := range []string{"ERROR", "FATAL", "WARNING"} {
		if strings.Contains(text, "] "+word) {
			t.Errorf("a right program is accused:\n%s", text)
			return
		}
	}
}

// TestPsShowsAllNodes: mpivet ps on the node of the head shows the ranks of all nodes, and which one is behind.
func TestPsShowsAllNodes(t *testing.T) {
	c := newCluster(t, 2)
	r := c.start(t, openMPI(t))
	head, other := r.head()
	ps := func(node string) string {
		t.Helper()
		list, err := c.Command(node, c.mpivet, "ps").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, list)
		}
		lines := strings.Split(strings.TrimSpace(string(list)), "\n")
		if len(lines) != 2 {
			t.Fatalf("one run expected:\n%s", list)
		}
		out, err := c.Command(node, c.mpivet, "ps", strings.Fields(lines[1])[0]).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	ranks := c.Running(other, r.program)
	for _, pid := range ranks {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	text := ""
	for end := time.Now().Add(faultLimit); ; {
		// The rank on the head's node has called MPI_Bcast or waits in MPI_Sendrecv_replace.
		text = ps(head)
		if regexp.MustCompile(`(?m)^[01] +`+head+` .*MPI_`).MatchString(text) &&
			regexp.MustCompile(`(?m)^[01] +`+other+` .*≥.* MPI_`).MatchString(text) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not both ranks with their nodes:\n%s", text)
		}
	}
	if !strings.Contains(text, "MPI_COMM_WORLD (2 processes)") || strings.Contains(text, "not seen") {
		t.Errorf("not one communicator with all ranks:\n%s", text)
	}
	if part := ps(other); !strings.Contains(part, "the node of its analyzer (10.99.0.") {
		t.Errorf("the other node does not tell where the whole job is shown:\n%s", part)
	}
	for _, pid := range ranks {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	nothing(t, r.finish())
}

// TestPauseOnNodes: the program is left as it is, and mpivet says on which nodes its processes are.
func TestPauseOnNodes(t *testing.T) {
	c := newCluster(t, 2)
	m := openMPI(t)
	for way, argv := range map[string][]string{
		"run":  {c.mpivet, "run", "--on-error", "pause", "-n", "2", "--hosts", strings.Join(c.Names, ",")},
		"exec": append(c.Launcher(m, 2), c.mpivet, "exec", "--on-error", "pause"),
	} {
		t.Run(way, func(t *testing.T) {
			program := c.compile(m, "../../../examples/deadlock/recv_recv.c")
			r := c.launch(t, append(argv, program)...)
			r.await("the program is left as it is after a fatal finding (GLOBAL:DEADLOCK:HARD)")
			r.await("  rank 1")
			for _, n := range c.Names {
				pids := c.Running(n, program)
				if len(pids) != 1 {
					t.Fatalf("%d ranks on %s:\n%s", len(pids), n, r.text())
				}
				if !strings.Contains(r.text(), fmt.Sprintf("mpivet gdb %d ", pids[0])) {
					t.Errorf("process %d on %s is not named:\n%s", pids[0], n, r.text())
				}
			}
			if !strings.Contains(r.text(), "mpivet:   on node m") {
				t.Errorf("no node is named:\n%s", r.text())
			}
		})
	}
}

// TestBreakOnNodes: a rank on another node is held until a debugger was there.
func TestBreakOnNodes(t *testing.T) {
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("no gdb")
	}
	c := newCluster(t, 2)
	m := openMPI(t)
	r := c.launch(t, c.mpivet, "run", "--break-on", "error", "-n", "3", "--launcher",
		strings.Join(c.Launcher(m, 3), " "), c.compile(m, "../../../examples/collective/derived.c"))
	r.await("to look at it: ")
	command := regexp.MustCompile(`to look at it: (?:on node (\S+): )?mpivet gdb (\d+);`).FindStringSubmatch(r.text())
	if command == nil {
		t.Fatalf("no command:\n%s", r.text())
	}
	node := command[1]
	if node == "" {
		node = c.Names[0]
	}
	select {
	case <-r.ended:
		t.Fatalf("the rank was not held:\n%s", r.text())
	case <-time.After(2 * time.Second): // as long as the user needs at least
	}
	// The debugger stops the rank for a second.
	out, err := c.Command(node, gdb, "-batch", "-ex", "shell sleep 1", "-p", command[2]).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	select {
	case <-r.ended:
	case <-time.After(faultLimit):
		t.Fatalf("the rank is still held:\n%s\n%s", r.text(), out)
	}
}

// TestAgentIsKilled: the ranks of the node run on, and nothing is concluded from what is not known of them.
func TestAgentIsKilled(t *testing.T) {
	c := newCluster(t, 2)
	r := c.start(t, openMPI(t))
	_, other := r.head()
	if n := c.Kill(other, "mpivet analyze"); n == 0 {
		t.Fatal("there is no agent")
	}
	r.await("node " + other + " is given up")
	text := r.finish()
	nothing(t, text)
	if r.status() != 0 || !strings.Contains(text, "no findings") {
		t.Errorf("status %d:\n%s", r.status(), text)
	}
}

// TestRankOnNodeIsKilled: the finding names the node, and the report has the nodes.
func TestRankOnNodeIsKilled(t *testing.T) {
	c := newCluster(t, 2)
	r := c.start(t, openMPI(t))
	_, other := r.head()
	for _, pid := range c.Running(other, r.program) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	text := r.finish()
	if !regexp.MustCompile(`Rank [01] \(process \d+ on node ` + other + `\) is killed by SIGKILL`).MatchString(text) {
		t.Errorf("no node of the killed rank:\n%s", text)
	}
	data, err := os.ReadFile(r.report)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Names {
		if !regexp.MustCompile(`\{\s*"host": "` + n + `",\s*"ranks": 1\s*\}`).Match(data) {
			t.Errorf("node %s is not in the report: %s", n, data)
		}
	}
}

// TestNodeWithoutSharedMemory: a node without room in /dev/shm uses another directory. Nothing is lost, and it is told.
func TestNodeWithoutSharedMemory(t *testing.T) {
	c := newCluster(t, 2)
	if out, err := c.Command(c.Names[1], "mount", "-o", "remount,size=16k", "/dev/shm").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := openMPI(t)
	r := c.run(m, faultLimit, append(c.Launcher(m, 3), c.mpivet, "exec",
		c.compile(m, "../../../examples/collective/derived.c"))...)
	if !strings.Contains(r.Stderr, "ERROR: GLOBAL:COLLECTIVE:DATATYPE:MISMATCH") ||
		!strings.Contains(r.Stderr, "/dev/shm has only ") || !strings.Contains(r.Stderr, "3 ranks on 2 nodes") {
		t.Errorf("status %d after %v:\n%s", r.Status, r.Took, r.Stderr)
	}
}

// TestHeadIsKilled: the program runs on to its end, and the records of the other nodes can be replayed.
func TestHeadIsKilled(t *testing.T) {
	c := newCluster(t, 2)
	r := c.start(t, openMPI(t))
	head, other := r.head()
	c.Kill(head, "mpivet analyze")
	text := r.finish()
	if r.status() != 0 {
		t.Errorf("status %d:\n%s", r.status(), text)
	}
	r.await("the records of node " + other + " are in ")
	_, path, _ := strings.Cut(r.text(), "the records of node "+other+" are in ")
	path, _, _ = strings.Cut(path, ":")
	report, status, err := recorded.ReplayFile(path, nil)
	if err != nil || status != 0 || len(report.Findings) > 0 {
		t.Errorf("replay of %s: status %d, %v, %+v", path, status, err, report)
	}
	for _, n := range c.Names {
		for _, f := range c.Files(n, "/tmp") {
			if strings.HasPrefix(f, "mpivet-") && n == other {
				t.Errorf("left on %s: /tmp/%s", n, f)
			}
		}
	}
}

// TestNetworkIsSlow: a network with delay and losses changes nothing.
func TestNetworkIsSlow(t *testing.T) {
	c := newCluster(t, 2)
	if err := c.Slow(200*time.Millisecond, 0.05); err != nil {
		t.Skip(err)
	}
	r := c.run(openMPI(t), faultLimit, append(c.Launcher(openMPI(t), 2), c.mpivet, "exec",
		c.compile(openMPI(t), "../../../examples/deadlock/recv_recv.c"))...)
	if !strings.Contains(r.Stderr, "FATAL: GLOBAL:DEADLOCK:HARD") ||
		strings.Count(r.Stderr, " ranks on 2 nodes, ") != 1 {
		t.Errorf("status %d after %v:\n%s", r.Status, r.Took, r.Stderr)
	}
}

// TestNetworkIsGone: while a node is not seen, nothing is concluded, and everything is found after that.
func TestNetworkIsGone(t *testing.T) {
	for _, outage := range []time.Duration{5 * time.Second, time.Minute} {
		t.Run(outage.String(), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, 2)
			r := c.start(t, openMPI(t))
			_, other := r.head()
			c.Connect(other, false)
			r.await("node " + other + " is not seen since")
			time.Sleep(outage) // the network is gone for this time: it is what is tested
			c.Connect(other, true)
			r.await("node " + other + " is seen again")
			text := r.finish()
			nothing(t, text)
			if r.status() != 0 || !strings.Contains(text, "no findings, 2 ranks") {
				t.Errorf("status %d:\n%s", r.status(), text)
			}
		})
	}
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		c := newCluster(t, 2)
		r := c.start(t, openMPI(t))
		head, other := r.head()
		c.Connect(other, false)
		r.await("node " + other + " is given up")
		if n := len(c.Running(other, r.program)); n != 1 {
			t.Errorf("%d ranks on the node that is given up", n)
		}
		nothing(t, r.text())
		// The user ends what is left. The launcher cannot reach one of the nodes.
		_ = syscall.Kill(r.cmd.Process.Pid, syscall.SIGINT)
		for _, n := range []string{head, other} {
			for _, pid := range c.Running(n, r.program) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			c.noMpivet(n, r)
			if files := fmt.Sprint(c.Files(n, "/dev/shm")); strings.Contains(files, "mpivet-") {
				t.Errorf("left on %s: %s", n, files)
			}
		}
	})
}

// noMpivet waits until no process of mpivet runs on a node.
func (c *cluster) noMpivet(node string, r *running) {
	c.t.Helper()
	for end := time.Now().Add(faultLimit); len(c.Running(node, c.mpivet)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("mpivet still runs on %s:\n%s", node, r.text())
		}
	}
}

// TestLauncherOfNodesIsKilled: the end of the launcher is told as what it is.
func TestLauncherOfNodesIsKilled(t *testing.T) {
	c := newCluster(t, 2)
	r := c.start(t, openMPI(t))
	_ = syscall.Kill(r.cmd.Process.Pid, syscall.SIGKILL)
	select {
	case <-r.ended:
	case <-time.After(faultLimit):
		t.Fatal("the job does not end")
	}
	for _, n := range c.Names {
		c.noMpivet(n, r)
	}
	nothing(t, r.text())
	if !strings.Contains(r.text(), "launcher") {
		t.Errorf("the launcher is not named:\n%s", r.text())
	}
	for _, n := range c.Names {
		if files := fmt.Sprint(c.Files(n, "/dev/shm")); strings.Contains(files, "mpivet-") {
			t.Errorf("left on %s: %s", n, files)
		}
	}
}
