package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Environment variables by which a process of the program finds the preload library and the session.
const (
	sessionVariable = "MPIVET_SESSION"
	preloadVariable = "LD_PRELOAD"
)

// Environment variables that say where the preload library is: the directory that it is kept in, or the library itself.
const (
	cacheVariable   = "MPIVET_CACHE"
	LibraryVariable = "MPIVET_PRELOAD"
)

// Variables are the environment variables that begin as those for flags do and are for this package.
var Variables = []string{sessionVariable, cacheVariable, LibraryVariable}

// Rank is the last step before a process of the program begins: what it needs, given by the mpivet that starts it.
type Rank struct {
	Session string   // directory; "" for a process that runs unwatched
	Library string   // preload library
	First   []string // libraries to be loaded before it
	Path    string   // absolute path of the program
	Argv    []string
}

// Args returns the words of a command line from which ParseRank gets the same Rank again.
func (r *Rank) Args() []string {
	return append([]string{r.Session, r.Library, strings.Join(r.First, ":"), r.Path}, r.Argv...)
}

// ParseRank reads what Args wrote.
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

// Exec turns this process into the program, with the preload library and the session in its environment. Standard
// input, output and error and everything else stay as the launcher made them. It returns only if that fails.
func (r *Rank) Exec() error {
	if r.Session != "" { // else it has been said that there is none
		if err := r.enter(); err != nil {
			if !errors.Is(err, errAnalyzerEnded) || ring.FirstUnwatched(r.Session) {
				fmt.Fprintf(os.Stderr, "mpivet: this process runs unwatched: %v\n", err)
			}
			r.Session = ""
		}
	}
	env := r.environment(os.Environ())
	// The name as given first, so that a script sees itself called by it.
	var err error
	for _, path := range []string{r.Argv[0], r.Path} {
		if !strings.Contains(path, "/") {
			continue
		}
		err = syscall.Exec(path, r.Argv, env)
		if errors.Is(err, syscall.ENOEXEC) {
			// A script without #!, which execvp gives to the shell.
			err = syscall.Exec("/bin/sh", append([]string{"/bin/sh", path}, r.Argv[1:]...), env)
		}
	}
	return fmt.Errorf("%s: %w", r.Argv[0], err)
}

var errAnalyzerEnded = errors.New("mpivet's analyzer has ended")

// enter registers this process in its session. It fails on another node, and where the analyzer is gone.
func (r *Rank) enter() error {
	if err := Register(r.Session); err != nil {
		return fmt.Errorf("no session: %w", err)
	}
	if !ring.Analyzed(r.Session) {
		return errAnalyzerEnded
	}
	return nil
}

// environment returns the environment of the program: env with the session and the preload library, unless it runs unwatched.
func (r *Rank) environment(env []string) []string {
	libs := append(append([]string{}, r.First...), r.Library)
	out := make([]string, 0, len(env)+2)
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case preloadVariable:
			if value != "" {
				libs = append(libs, value)
			}
		case sessionVariable:
		case "OMPI_COMMAND": // what Open MPI started, which programs see in MPI_INFO_ENV
			out = append(out, name+"="+r.Argv[0])
		case "OMPI_ARGV":
			out = append(out, name+"="+strings.Join(r.Argv[1:], " "))
		default:
			out = append(out, v)
		}
	}
	if r.Session == "" {
		if len(libs) > len(r.First)+1 {
			out = append(out, preloadVariable+"="+libs[len(libs)-1])
		}
		return out
	}
	return append(out, preloadVariable+"="+strings.Join(libs, ":"), sessionVariable+"="+r.Session)
}
