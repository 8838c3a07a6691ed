// Package nodes makes several nodes on one machine for tests: network, mount, IPC and UTS namespaces that a bridge
// joins. Each node has its own host name, /dev/shm and /tmp. It needs the rights of root.
package nodes

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// T is what the nodes need of a test. A testing.TB has it.
type T interface {
	Helper()
	Cleanup(f func())
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
	Failed() bool
}

// Nodes are nodes in one network.
type Nodes struct {
	t     T
	Names []string
	Dir   string // directory that all nodes share, with the home directory
	pids  map[string]int
	net   int // process in the namespace of the bridge
}

// limit is the time for a command that sets something up.
const limit = time.Minute

// New makes n nodes with the names m1, m2, …. They end with the test.
func New(t T, n int) *Nodes {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("several nodes need namespaces, and these need the rights of root: run make test as root")
	}
	dir, err := os.MkdirTemp("/var/tmp", "mpivet-nodes-")
	if err != nil {
		t.Fatal(err)
	}
	ns := &Nodes{t: t, Dir: dir, pids: make(map[string]int)}
	t.Cleanup(func() { os.RemoveAll(dir) })
	hosts := "127.0.0.1 localhost\n"
	for i := range n {
		name := fmt.Sprintf("m%d", i+1)
		ns.Names = append(ns.Names, name)
		hosts += fmt.Sprintf("10.99.0.%d %s\n", i+1, name)
	}
	ns.write("hosts", hosts)
	ns.net = ns.hold("-n", "true")
	ns.must(ns.net, "ip link add br0 type bridge && ip link set br0 up && ip link set lo up")
	for i, name := range ns.Names {
		// The new /sys has the node's network. slurmd needs the machine's /sys/fs/cgroup.
		pid := ns.hold("-n -m -u -i", fmt.Sprintf(`hostname %s && mount --make-rprivate / &&
			exec 4</sys/fs/cgroup && mount -t sysfs sysfs /sys && mount -c --rbind /proc/self/fd/4 /sys/fs/cgroup &&
			mount -t tmpfs -o mode=1777 shm /dev/shm &&
			mount -t tmpfs -o mode=1777 tmp /tmp && mount --bind %s/hosts /etc/hosts`, name, dir))
		ns.pids[name] = pid
		ns.must(ns.net, fmt.Sprintf("ip link add v%d type veth peer name eth0 netns %d", i, pid))
		ns.must(ns.net, fmt.Sprintf("ip link set v%d master br0 up", i))
		ns.must(pid, "ip link set lo up && "+ns.address(i))
	}
	// The launchers start their processes on other nodes with this command.
	script := "#!/bin/sh\nhost=$1\nshift\ncase $host in\n"
	for name, pid := range ns.pids {
		script += fmt.Sprintf("%s) pid=%d ;;\n", name, pid)
	}
	script += "*) echo \"no node $host\" >&2; exit 1 ;;\nesac\nexec nsenter -t $pid -n -m -u -i -- sh -c \"$*\"\n"
	ns.write("rsh", script)
	if err := os.Chmod(ns.Shell(), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	return ns
}

// address returns the script that gives a node its address.
func (ns *Nodes) address(i int) string {
	return fmt.Sprintf("ip addr add 10.99.0.%d/24 dev eth0 && ip link set eth0 up", i+1)
}

// Shell returns the path of a program in place of rsh: its arguments are a node and a command.
func (ns *Nodes) Shell() string { return filepath.Join(ns.Dir, "rsh") }

func (ns *Nodes) write(name, text string) {
	ns.t.Helper()
	if err := os.WriteFile(filepath.Join(ns.Dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // not secret
		ns.t.Fatal(err)
	}
}

// hold starts a process that keeps namespaces, and runs a script in them.
func (ns *Nodes) hold(namespaces, script string) (pid int) {
	ns.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		ns.t.Fatal(err)
	}
	args := append(strings.Fields(namespaces), "--", "sh", "-c", script+" && echo ready >&3 && exec sleep infinity")
	cmd := exec.Command("unshare", args...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &text, &text, []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	err = cmd.Start()
	w.Close()
	if err != nil {
		ns.t.Fatal(err)
	}
	ns.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_ = r.SetReadDeadline(time.Now().Add(limit))
	b := make([]byte, 16)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "ready\n" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ns.t.Fatalf("the test needs namespaces, and they are forbidden here (unshare %s): %s", namespaces, &text)
	}
	r.Close()
	return cmd.Process.Pid
}

// must runs a script in the network namespace of a process.
func (ns *Nodes) must(pid int, script string) {
	ns.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", "-t", fmt.Sprint(pid), "-n", "--", "sh", "-c", script)
	if out, err := cmd.CombinedOutput(); err != nil {
		ns.t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// Connect takes a node off the network, or connects it again.
func (ns *Nodes) Connect(node string, on bool) {
	ns.t.Helper()
	state := "down"
	if on {
		state = "up"
	}
	ns.must(ns.net, fmt.Sprintf("ip link set v%d %s", slices.Index(ns.Names, node), state))
}

// Command returns a command on a node, in the directory that the nodes share. It sees the nodes' home directory.
func (ns *Nodes) Command(node string, argv ...string) *exec.Cmd {
	args := []string{"-t", fmt.Sprint(ns.pids[node]), "-n", "-m", "-u", "-i", "--", "env", "-C", ns.Dir}
	cmd := exec.Command("nsenter", append(args, argv...)...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(ns.Dir, "home"), "XDG_CACHE_HOME=",
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_plm_rsh_agent="+ns.Shell(), "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=eth0",
		"OMPI_MCA_oob_tcp_if_include=eth0", "OMPI_MCA_pml=ob1", "OMPI_MCA_osc=^ucx",
		"OMPI_MCA_topo=basic",
		// The same for the launcher of Open MPI 5 and later, PRRTE.
		"PRTE_MCA_plm_ssh_agent="+ns.Shell(), "PRTE_MCA_prte_if_include=eth0",
		"HYDRA_LAUNCHER=rsh", "HYDRA_LAUNCHER_EXEC="+ns.Shell(), "UCX_NET_DEVICES=eth0", "UCX_TLS=tcp,self,sysv")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Launcher returns the command that starts np ranks, which are dealt out to the nodes. Open MPI must not bind them: the
// nodes share the processors, and the first rank of each node would be bound to the same one.
func (ns *Nodes) Launcher(m mpirun.MPI, np int) []string {
	hosts := strings.Join(ns.Names, ",")
	if m.Name == "openmpi" {
		return []string{
			m.Mpirun, "--oversubscribe", "--bind-to", "none", "--map-by", "node", "--host", hosts, "-n", fmt.Sprint(np),
		}
	}
	return []string{m.Mpirun, "-hosts", hosts, "-n", fmt.Sprint(np)}
}

// Processes returns the processes on a node whose command line contains a text.
func (ns *Nodes) Processes(node, text string) []int {
	return ns.find(node, func(pid int) bool {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return strings.Contains(strings.ReplaceAll(string(line), "\x00", " "), text)
	})
}

// Running returns the processes on a node that run an executable.
func (ns *Nodes) Running(node, path string) []int {
	return ns.find(node, func(pid int) bool {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return err == nil && exe == path
	})
}

// find returns the processes on a node for which is returns true.
func (ns *Nodes) find(node string, is func(pid int) bool) (pids []int) {
	own, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", ns.pids[node]))
	if err != nil {
		ns.t.Fatal(err)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		ns.t.Fatal(err)
	}
	for _, e := range entries {
		var pid int
		if n, _ := fmt.Sscanf(e.Name(), "%d", &pid); n != 1 || pid == ns.pids[node] {
			continue
		}
		if its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid)); err != nil || its != own {
			continue
		}
		if is(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Kill kills the processes on a node whose command line contains a text, and returns their number.
func (ns *Nodes) Kill(node, text string) int {
	pids := ns.Processes(node, text)
	for _, pid := range pids {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	return len(pids)
}

// Files returns the files in a directory of a node, such as /dev/shm.
func (ns *Nodes) Files(node, dir string) (names []string) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/root%s", ns.pids[node], dir))
	if err != nil {
		ns.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
