package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// SharedVariable is the environment variable with a directory that all nodes of a job share.
const SharedVariable = "MPIVET_SHARED"

// TicketVariable is the environment variable with which launchers hand on to the nodes where the head of the job is.
const TicketVariable = "MPIVET_TICKET"

// Spread is what a process of a job knows about the whole job.
type Spread struct {
	// Name identifies the job. All its processes have the same name, on all nodes. "" if it is not known.
	Name string
	// Ranks is the number of processes of the job on all nodes, 0 if it is not known.
	Ranks int
	// Several: the job has, or may have, processes on other nodes.
	Several bool
}

// CallerSpread returns what this process knows about its job, of which here processes are on this node (0: unknown).
func CallerSpread(here int) Spread { return spread(os.Getenv, Above(), cmdline, here) }

// cmdline returns the command line of a process.
func cmdline(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(b, []byte{0})), "\x00")
}

func spread(getenv func(string) string, above []processStat, cmdline func(int) []string, here int) (s Spread) {
	number := func(names ...string) int {
		for _, v := range names {
			if n, err := strconv.Atoi(getenv(v)); err == nil && n > 0 {
				return n
			}
		}
		return 0
	}
	s.Ranks = number("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_NRANKS", "FLUX_JOB_SIZE")
	nodes := number("OMPI_MCA_orte_num_nodes", "PALS_NNODES", "FLUX_JOB_NNODES")
	control := ""
	for _, p := range above {
		if !strings.HasPrefix(p.Name, "hydra_") {
			continue
		}
		words := cmdline(p.pid)
		if i := slices.Index(words, "--control-port"); i >= 0 && i+1 < len(words) {
			control = words[i+1]
		}
	}
	slurm := getenv("SLURM_JOB_ID") != "" && getenv("SLURM_STEP_ID") != "" && getenv("SLURM_PROCID") != ""
	switch {
	case control != "": // all proxies of one mpiexec have the same
		s.Name = "hydra-" + control
	case getenv("OMPI_COMM_WORLD_RANK") != "" && getenv("PMIX_NAMESPACE") != "":
		s.Name = "pmix-" + getenv("PMIX_NAMESPACE")
	case getenv("FLUX_JOB_ID") != "":
		s.Name = "flux-" + getenv("FLUX_JOB_ID")
	case getenv("PALS_APID") != "":
		s.Name = "pals-" + getenv("PALS_APID")
	case slurm:
		s.Name = "slurm-" + getenv("SLURM_JOB_ID") + "." + getenv("SLURM_STEP_ID")
		if s.Ranks == 0 {
			s.Ranks = number("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
		}
		nodes = number("SLURM_STEP_NUM_NODES")
	}
	s.Several = nodes > 1 || nodes == 0 && here > 0 && s.Ranks > here || nodes == 0 && here == 0 && s.Ranks != 1
	if s.Name == "" {
		s.Several = false
	}
	return s
}

// Rendezvous is a file in a directory that the nodes of a job share. It tells them where the head is.
type Rendezvous struct{ path string }

// unsafe are the characters that do not appear in the name of a rendezvous.
var unsafe = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// NewRendezvous returns the rendezvous of a job. It makes the directory.
func NewRendezvous(job string) (*Rendezvous, error) {
	dir := os.Getenv(SharedVariable)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no directory that the nodes may share: %w; set %s", err, SharedVariable)
		}
		dir = filepath.Join(cache, "mpivet")
	}
	dir = filepath.Join(dir, "jobs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w; set %s to a directory that all nodes share", err, SharedVariable)
	}
	d, err := openOwn(dir, unix.O_DIRECTORY|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Chmod(0o700); err != nil {
		return nil, err
	}
	return &Rendezvous{filepath.Join(dir, unsafe().ReplaceAllString(job, "_"))}, nil
}

// Offer makes this process the head of the job, unless there is one. It publishes the text, which the others read. If
// there is a head already, it returns its text. The check and the publication are one step, also on NFS: a link.
func (r *Rendezvous) Offer(text string) (head string, mine bool, err error) {
	hidden := fmt.Sprintf("%s.%d-%d-%s", r.path, os.Getpid(), time.Now().UnixNano(), hostname())
	f, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return "", false, err
	}
	defer os.Remove(hidden)
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", false, err
	}
	if err = os.Link(hidden, r.path); err == nil {
		return "", true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", false, err
	}
	head, err = r.read()
	return head, false, err
}

// Exists reports whether a process has published a text.
func (r *Rendezvous) Exists() bool {
	_, err := r.read()
	return err == nil
}

func (r *Rendezvous) read() (string, error) {
	f, err := openOwn(r.path, unix.O_RDONLY|unix.O_NOFOLLOW)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, meetingSize*4))
	return string(b), err
}

// rendezvousAge is the age from which a file without an answering head counts as left behind.
const rendezvousAge = time.Minute

// Old reports whether the file may be left behind by an earlier job with the same name.
func (r *Rendezvous) Old() bool {
	st, err := os.Lstat(r.path)
	return err != nil || time.Since(st.ModTime()) > rendezvousAge
}

// Withdraw removes the file, if it has that text.
func (r *Rendezvous) Withdraw(text string) {
	if now, err := r.read(); err == nil && now == text {
		_ = os.Remove(r.path)
	}
}

// ReadOwn reads a file that belongs to this user, and that others cannot write to.
func ReadOwn(path string) ([]byte, error) {
	f, err := openOwn(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, meetingSize*4))
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// Hostname returns the name of this node without its domain.
func Hostname() string {
	name, _, _ := strings.Cut(hostname(), ".")
	return name
}

// hostOptions are the options of launchers that name hosts.
var hostOptions = []string{
	"-f", "-hosts", "--hosts", "-host", "--host", "-H", "-hostfile", "--hostfile", "-machinefile", "--machinefile",
	"--default-hostfile", "-w", "--nodelist", "-N", "--nodes", "-ppn", "--hostlist",
}

// Spans reports whether a launcher may start processes on other nodes: its command names hosts, or it runs within the
// allocation of a batch system.
func Spans(command []string) bool {
	for _, w := range command {
		name, _, _ := strings.Cut(w, "=")
		if slices.Contains(hostOptions, name) {
			return true
		}
	}
	if n, err := strconv.Atoi(os.Getenv("SLURM_JOB_NUM_NODES")); err == nil && n > 1 {
		return true
	}
	if f := os.Getenv("PBS_NODEFILE"); f != "" {
		b, err := os.ReadFile(f)
		hosts := strings.Fields(string(b))
		return err == nil && len(hosts) > 0 && slices.ContainsFunc(hosts, func(h string) bool { return h != hosts[0] })
	}
	return false
}

// HostsCommand adds a list of hosts to the command of an MPI's launcher. The ranks are dealt out to the hosts. If the
// list has numbers of slots, the slots of one host are used before the next host.
func HostsCommand(command []string, m *MPI, hosts string) []string {
	if m.Flavour != OpenMPI {
		return append(slices.Clone(command), "-hosts", hosts)
	}
	// With the option for more ranks than slots, Open MPI 5 would start all ranks on the first host by default.
	by := "node"
	if strings.Contains(hosts, ":") {
		by = "slot"
	}
	return append(slices.Clone(command), "--map-by", by, "--host", hosts)
}

// HandOn makes a launcher hand an environment variable on to the processes. Most launchers hand on all variables. The
// value is not in the command.
func HandOn(command []string, m *MPI, variable string) []string {
	name := filepath.Base(command[0])
	if m.Flavour == OpenMPI && (name == "mpiexec" || name == "mpirun" || strings.HasPrefix(name, "mpiexec.") ||
		strings.HasPrefix(name, "mpirun.") || name == "orterun" || name == "prterun") {
		return append(slices.Clone(command), "-x", variable)
	}
	return command
}
