package launch

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Environment variables from which a process of the program learns the preload library and the session.
const (
	sessionVariable = "MPIVET_SESSION"
	preloadVariable = "LD_PRELOAD"
)

// Environment variables for the location of the preload library: its cache directory, or the library itself.
const (
	cacheVariable   = "MPIVET_CACHE"
	LibraryVariable = "MPIVET_PRELOAD"
)

// Variables are the environment variables of this package. They have the same prefix as the variables for flags.
var Variables = []string{sessionVariable, cacheVariable, LibraryVariable, SharedVariable, TicketVariable}

// Rank has the data to start one process of the program. The mpivet process that starts it passes them as arguments.
type Rank struct {
	Session string   // directory; "" for a process that runs unwatched
	Library string   // preload library, "" if the program contains it
	First   []string // libraries to load before the preload library
	Path    string   // absolute path of the program
	Argv    []string
}

// Args returns the command line for ParseRank.
func (r *Rank) Args() []string {
	return append([]string{r.Session, r.Library, strings.Join(r.First, ":"), r.Path}, r.Argv...)
}

// ParseRank is the inverse of Args.
func ParseRank(args []string) (*Rank, error) {
	if len(args) < 5 {
		return nil, errors.New("exec-rank is for mpivet's own use")
	}
	r := &Rank{Session: args[0], Library: args[1], Path: args[3], Argv: args[4:]}
	if args[2] != "" {
		r.First = strings.Split(args[2], ":")
	}
	return r, nil
}

// Exec turns this process into the program, with the preload library and the session in its environment. It does not
// change standard input, output and error, or anything else that the launcher has set. It returns only if it fails.
func (r *Rank) Exec() error {
	if r.Session != "" { // else the lack of a session has been reported
		if err := r.enter(); err != nil {
			if !errors.Is(err, errAnalyzerEnded) || ring.FirstUnwatched(r.Session) {
				fmt.Fprintf(os.Stderr, "mpivet: this process runs unwatched: %v\n", err)
			}
			r.Session = ""
		}
	}
	env := r.environment(os.Environ())
	// Try the given name first: a script sees it as its own name.
	var err error
	for _, path := range []string{r.Argv[0], r.Path} {
		if !strings.Contains(path, "/") {
			continue
		}
		err = Become(path, r.Argv, env)
		if errors.Is(err, syscall.ENOEXEC) {
			// A script without #!. execvp runs such scripts with the shell.
			err = Become("/bin/sh", append([]string{"/bin/sh", path}, r.Argv[1:]...), env)
		}
	}
	return fmt.Errorf("%s: %w", r.Argv[0], err)
}

var errAnalyzerEnded = errors.New("mpivet's analyzer has ended")

// enter registers this process in its session. It fails on another node, and if the analyzer has ended.
func (r *Rank) enter() error {
	if err := Register(r.Session); err != nil {
		return fmt.Errorf("no session: %w", err)
	}
	if !ring.Analyzed(r.Session) {
		return errAnalyzerEnded
	}
	return nil
}

// DescribeSession says where a session is, for processes of the same node: see LocalSession.
func DescribeSession(session string) string {
	return fmt.Sprintf("%s:%x:%s", bootID(), ring.PIDNamespace(), session)
}

// LocalSession returns the session that DescribeSession has described. It returns "" on another node, and in another
// PID namespace, as that of a container: there, the analyzer of the session could not follow this process.
func LocalSession(described string) string {
	parts := strings.SplitN(described, ":", 3)
	if len(parts) < 3 || described != DescribeSession(parts[2]) || bootID() == "" || !ring.Analyzed(parts[2]) {
		return ""
	}
	return parts[2]
}

// bootID identifies a running kernel, "" if it is not known.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// environment returns the environment of the program: env with the session and the preload library, unless the program
// runs unwatched.
func (r *Rank) environment(env []string) []string {
	libs := slices.Clone(r.First)
	if r.Library != "" {
		libs = append(libs, r.Library)
	}
	own := len(libs)
	out := make([]string, 0, len(env)+2)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case preloadVariable:
			if value != "" {
				libs = append(libs, value)
			}
		case sessionVariable, TicketVariable:
		case "OMPI_COMMAND": // the command that Open MPI has started; programs see it in MPI_INFO_ENV
			out = append(out, name+"="+r.Argv[0])
		case "OMPI_ARGV":
			out = append(out, name+"="+strings.Join(r.Argv[1:], " "))
		default:
			out = append(out, v)
		}
	}
	if r.Session == "" {
		if len(libs) > own {
			out = append(out, preloadVariable+"="+libs[len(libs)-1])
		}
		return out
	}
	if len(libs) > 0 {
		out = append(out, preloadVariable+"="+strings.Join(libs, ":"))
	}
	return append(out, sessionVariable+"="+r.Session)
}
