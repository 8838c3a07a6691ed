package nodes

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// slurmConf is the configuration of Slurm: the directory, the first node, the addresses of the nodes, and their names.
const slurmConf = `ClusterName=mpivet
SlurmctldHost=%[2]s
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[1]s/munge.socket
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool.%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd.%%n.pid
SlurmctldLogFile=%[1]s/slurmctld.log
SlurmdLogFile=%[1]s/slurmd.%%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
%[3]sPartitionName=all Nodes=%[4]s Default=YES MaxTime=INFINITE State=UP
`

// Slurm starts Slurm on the nodes, each of which has 4 processors in it. Its commands need the variables that it
// returns.
func (ns *Nodes) Slurm() (env []string) {
	ns.t.Helper()
	dir := filepath.Join(ns.Dir, "slurm")
	nodes := ""
	ns.mkdir("slurm", "slurm/state")
	for i, name := range ns.Names {
		ns.mkdir("slurm/spool." + name)
		nodes += fmt.Sprintf("NodeName=%s NodeAddr=10.99.0.%d CPUs=4 RealMemory=100\n", name, i+1)
	}
	conf := filepath.Join(dir, "slurm.conf")
	ns.write("slurm/slurm.conf", fmt.Sprintf(slurmConf, dir, ns.Names[0], nodes, strings.Join(ns.Names, ",")))
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	if err := os.WriteFile(filepath.Join(dir, "munge.key"), key, 0o600); err != nil {
		ns.t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, "munge."+name) }
	ns.serve(ns.Names[0], "munged", "--foreground", "--force", "--key-file="+at("key"), "--socket="+at("socket"),
		"--pid-file="+at("pid"), "--log-file="+at("log"), "--seed-file="+at("seed"))
	ns.until("munged does not answer", func() bool {
		cmd := exec.Command("munge", "-n", "-S", at("socket"), "-o", "/dev/null") //nolint:gosec // own path
		return cmd.Run() == nil
	})
	ns.serve(ns.Names[0], "slurmctld", "-D", "-f", conf)
	for _, name := range ns.Names {
		ns.serve(name, "slurmd", "-D", "-N", name, "-f", conf)
	}
	env = []string{"SLURM_CONF=" + conf}
	ns.awaitIdle(env)
	return env
}

// Cancel cancels all jobs of Slurm.
func (ns *Nodes) Cancel(env []string) {
	ns.t.Helper()
	cmd := ns.Command(ns.Names[0], "scancel", "--user=root")
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		ns.t.Fatalf("scancel: %v: %s", err, out)
	}
	ns.awaitIdle(env)
}

func (ns *Nodes) awaitIdle(env []string) {
	ns.t.Helper()
	ns.until("the nodes of Slurm are not idle", func() bool {
		cmd := ns.Command(ns.Names[0], "sinfo", "-h", "-t", "idle", "-o", "%D")
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.Output()
		return err == nil && strings.TrimSpace(string(out)) == fmt.Sprint(len(ns.Names))
	})
}

func (ns *Nodes) mkdir(names ...string) {
	ns.t.Helper()
	for _, name := range names {
		err := os.MkdirAll(filepath.Join(ns.Dir, name), 0o755) //nolint:gosec // nothing in it is secret
		if err != nil {
			ns.t.Fatal(err)
		}
	}
}

// until waits until something is so.
func (ns *Nodes) until(otherwise string, so func() bool) {
	ns.t.Helper()
	for end := time.Now().Add(limit); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			ns.t.Fatalf("%s for %v", otherwise, limit)
		}
	}
}

// serve starts a daemon on a node. It ends with the test.
func (ns *Nodes) serve(node string, argv ...string) {
	ns.t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		ns.t.Fatalf("the test needs Slurm (scripts/setup.sh dev installs it): %v", err)
	}
	var text bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	args := append([]string{"-t", fmt.Sprint(ns.pids[node]), "-n", "-m", "-u", "-i", "--"}, argv...)
	cmd := exec.CommandContext(ctx, "nsenter", args...)
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		cancel()
		ns.t.Fatal(err)
	}
	ns.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if ns.t.Failed() {
			ns.t.Logf("%s on %s: %s", argv[0], node, &text)
		}
	})
}
