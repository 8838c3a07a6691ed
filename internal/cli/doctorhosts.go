package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/cluster/agent"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// Times of doctor --hosts.
const (
	hostsLimit = 30 * time.Second // for all hosts to answer
	reachLimit = 5 * time.Second  // for a host to reach this machine
	clockLimit = time.Minute      // difference of clocks that is worth a note
)

// nodeMark begins the line of a host in the launcher's output.
const nodeMark = "mpivet-host:"

// nodeSight is what mpivet sees on a host, as JSON on one line.
type nodeSight struct {
	Host      string    `json:"host"`
	Version   string    `json:"version"` // of mpivet
	Machine   string    `json:"machine"` // architecture
	Time      time.Time `json:"time"`
	Reachable bool      `json:"reachable"` // the head can be reached
	Shares    bool      `json:"shares"`    // it sees the directory for jobs of the machine of mpivet doctor
	MPIs      []nodeMPI `json:"mpis"`
	ShmFree   uint64    `json:"shm_free"` // bytes free in /dev/shm
}

// nodeMPI is an MPI on a host.
type nodeMPI struct {
	Flavour string `json:"flavour"`
	Name    string `json:"name"`              // with version
	Problem string `json:"problem,omitempty"` // why mpivet has no library for it
}

// doctorNodeCommand is the part of doctor --hosts on the hosts.
func doctorNodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "doctor-node PROBE",
		Short:  "Tell mpivet doctor --hosts what there is on this node",
		Hidden: true,
		Args:   oneArg("a file to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := json.Marshal(seeNode(args[0]))
			if err == nil {
				// One write: the lines of all hosts come through the same launcher.
				_, err = cmd.OutOrStdout().Write(append(append([]byte(nodeMark), b...), '\n'))
			}
			return err
		},
	}
}

// seeNode examines this node. probe is a file in the directory for jobs of the other machine.
func seeNode(probe string) nodeSight {
	s := nodeSight{
		Host: launch.Hostname(), Version: versionText(), Machine: runtime.GOARCH, Time: time.Now(),
	}
	if text, err := readTicket(os.Getenv(launch.TicketVariable)); err == nil {
		if t, err := ticket.Parse(text); err == nil {
			s.Reachable = agent.Reachable(t, reachLimit)
		}
	}
	if r, err := launch.NewRendezvous(probe); err == nil {
		s.Shares = r.Exists()
	}
	var st unix.Statfs_t
	if unix.Statfs("/dev/shm", &st) == nil && unix.Access("/dev/shm", unix.W_OK|unix.X_OK) == nil {
		s.ShmFree = st.Bavail * uint64(st.Bsize)
	}
	b, err := builder()
	for _, m := range launch.InstalledMPIs() {
		found := nodeMPI{Flavour: string(m.Flavour), Name: m.String()}
		problem := err
		if problem == nil {
			_, problem = b.Library(m)
		}
		if problem != nil {
			found.Problem = oneLine(problem)
		}
		s.MPIs = append(s.MPIs, found)
	}
	return s
}

// hostsQuestion is what doctor --hosts is asked.
type hostsQuestion struct {
	hosts    string // separated by commas
	launcher string // command, "" for the launcher of the MPI
	mpi      string // see --mpi
	head     string // see --head
}

// slotNumber matches the number of slots behind the name of a host. One process on each host is enough here.
var slotNumber = lazyregexp.New(`:\d+\b`)

// hosts examines the hosts: it starts mpivet there as mpivet run does, and lets it connect to a head here.
func (d *doctor) hosts(q *hostsQuestion) error {
	q.hosts = slotNumber().ReplaceAllString(q.hosts, "")
	command, m, err := q.command()
	if err != nil {
		return err
	}
	h, t, err := newHead(q.head, nil)
	if err != nil {
		return err
	}
	defer h.Close()
	probe := "doctor-" + rand.Text()
	r, err := launch.NewRendezvous(probe)
	if err != nil {
		return err
	}
	if _, _, err := r.Offer(probe); err != nil {
		return err
	}
	defer r.Withdraw(probe)
	me, err := self()
	if err != nil {
		return err
	}
	sights, text, err := askHosts(append(command, me, "doctor-node", probe), t)
	here := seeNode(probe)
	for _, s := range sights {
		d.host(s, &here, m, t)
	}
	d.silent(q.hosts, sights, text, err)
	return nil
}

// command returns the launcher's command without the program, and the MPI of the launcher, nil if it is not known.
func (q *hostsQuestion) command() (command []string, m *launch.MPI, err error) {
	np := 0
	if q.hosts != "" {
		np = len(strings.Split(q.hosts, ","))
	}
	if q.mpi != "" {
		if m, err = launch.NamedMPI(q.mpi); err != nil {
			return nil, nil, err
		}
	}
	if q.launcher != "" {
		if command, err = launch.CustomLauncher(q.launcher, 0); err != nil {
			return nil, nil, err
		}
		if m == nil {
			m = launcherOf(command[0])
		}
	} else {
		if all := launch.InstalledMPIs(); m == nil && len(all) > 0 {
			m = all[0]
		}
		if m == nil {
			return nil, nil, errNoMPI
		}
		if command, err = launch.LauncherCommand(m, np); err != nil {
			return nil, nil, err
		}
		command = launch.HostsCommand(command, m, q.hosts)
	}
	if m != nil {
		command = launch.HandOn(command, m, launch.TicketVariable)
	}
	return command, m, nil
}

// launcherOf returns the MPI that has a launcher, nil if none on this machine has. Open MPI's launcher must be told to
// hand variables on.
func launcherOf(path string) *launch.MPI {
	for _, m := range launch.InstalledMPIs() {
		if own, err := m.Launcher(); err == nil && sameFile(own, path) {
			return m
		}
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// askHosts runs the launcher. It returns what the hosts have said, and the other output.
func askHosts(command []string, t *ticket.Ticket) (sights []nodeSight, text string, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, hostsLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), launch.TicketVariable+"="+t.String())
	var out, other bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &other
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	err = cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%s has not ended after %v", filepath.Base(command[0]), hostsLimit)
	}
	lines := bufio.NewScanner(&out)
	for lines.Scan() {
		_, record, ok := strings.Cut(lines.Text(), nodeMark)
		var s nodeSight
		if !ok || json.Unmarshal([]byte(record), &s) != nil {
			other.WriteString(lines.Text() + "\n")
			continue
		}
		if !slices.ContainsFunc(sights, func(o nodeSight) bool { return o.Host == s.Host }) {
			sights = append(sights, s)
		}
	}
	slices.SortFunc(sights, func(a, b nodeSight) int { return cmp.Compare(a.Host, b.Host) })
	return sights, other.String(), err
}

// host prints what was found out about a host. m is the MPI of the launcher, nil if it is not known.
func (d *doctor) host(s nodeSight, here *nodeSight, m *launch.MPI, t *ticket.Ticket) {
	what := "host " + s.Host
	before := d.missing
	bad := func(format string, args ...any) { d.fail(what, fmt.Errorf(format, args...)) }
	if s.Version != here.Version || s.Machine != here.Machine {
		bad("mpivet %s for %s is there, %s for %s here: install the same on all nodes", s.Version, s.Machine,
			here.Version, here.Machine)
	}
	if !s.Reachable {
		bad("no way back: it cannot connect to this machine (%s). If a firewall is between them, open a port and name "+
			"it: --head HOST:PORT; else use mpivet head on a machine that all nodes reach", t.Where())
	}
	if m != nil {
		i := slices.IndexFunc(s.MPIs, func(o nodeMPI) bool { return o.Flavour == string(m.Flavour) })
		switch {
		case i < 0:
			d.note(what, "no %s in the usual places there: if programs find it there, all is well", m.Flavour)
		case s.MPIs[i].Problem != "":
			bad("no library for %s there: %s", s.MPIs[i].Name, s.MPIs[i].Problem)
		case s.MPIs[i].Name != m.String():
			d.note(what, "%s is there, %s here", s.MPIs[i].Name, m)
		}
	}
	if !s.Shares {
		d.note(what, "its ~/.cache is not that of this machine. mpivet run works. For mpiexec … mpivet exec, set %s "+
			"to a directory that all nodes share, or use mpivet head", launch.SharedVariable)
	}
	// Times of other hosts are never used. But users compare log files.
	if skew := s.Time.Sub(here.Time); skew.Abs() > clockLimit {
		d.note(what, "its clock differs by about %v: this does not matter to mpivet", skew.Round(time.Second))
	}
	if s.ShmFree < minimalShm {
		d.note(what, "/dev/shm has %d MiB free: ranks get small rings", s.ShmFree>>20)
	}
	if d.missing == before {
		d.ok(what, "mpivet %s, reaches this machine", s.Version)
	}
}

// silent tells of the hosts that have not answered.
func (d *doctor) silent(hosts string, sights []nodeSight, text string, err error) {
	said := strings.Join(strings.Fields(text), " ")
	const most = 300
	if len(said) > most {
		said = said[:most] + " …"
	}
	why := "the launcher started nothing there"
	if err != nil {
		why = oneLine(err)
	}
	if said != "" {
		why += ": " + said
	}
	names := strings.FieldsFunc(hosts, func(r rune) bool { return r == ',' })
	var missing []string
	for _, name := range names {
		name, _, _ = strings.Cut(name, ":") // number of slots
		short, _, _ := strings.Cut(name, ".")
		if !slices.ContainsFunc(sights, func(s nodeSight) bool { return s.Host == short || s.Host == name }) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(names) == 0 && len(sights) == 0:
		d.fail("hosts", fmt.Errorf("no host has answered (%s)", why))
	case len(names) > 0 && len(sights) < len(names):
		for _, name := range missing {
			d.fail("host "+name, fmt.Errorf("no answer (%s). Is mpivet there, under the same path?", why))
		}
	}
}
