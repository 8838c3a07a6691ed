package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/debug/gdb"
	"github.com/mpivet/mpivet/internal/debug/state"
	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/record/ring"
)

func gdbCommand() *cobra.Command {
	var printScript, printLLDB bool
	cmd := &cobra.Command{
		Use:   "gdb [flags] [RUN[:RANK] | PID | CORE] [-- GDB-ARGUMENTS]",
		Short: "Attach gdb to a rank, with MPI's objects in plain text",
		Long: `Gdb attaches gdb to a process of a run on this node, or opens a core file. It loads
mpivet's extension, which shows what the handles and buffers of MPI stand for. It
selects the program's own innermost frame. RUN is as in mpivet ps. If there is only
one run, it may be left out. Without a rank, gdb is attached to a rank that is behind
the others in a collective, else to one with a fatal finding, else to rank 0.

In gdb, help mpivet lists the commands. For other debuggers, --print-script prints the
extension for gdb, and --print-lldb-script the one for lldb.`,
		Example: "  mpivet gdb\n  mpivet gdb 3f2a:1\n  mpivet gdb 12345\n  mpivet gdb core.12345\n" +
			"  mpivet gdb --print-script >~/.mpivet-gdb.py",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			mpivet, err := self()
			if err != nil {
				return err
			}
			switch {
			case printScript:
				_, err := cmd.OutOrStdout().Write(gdb.Script(mpivet))
				return err
			case printLLDB:
				_, err := cmd.OutOrStdout().Write(gdb.LLDBScript(mpivet))
				return err
			}
			more := []string{}
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, more = args[:n], args[n:]
			}
			what := ""
			switch len(args) {
			case 0:
			case 1:
				what = args[0]
			default:
				return usagef("%s takes one run, process or core file, but there is also %q: "+
					"arguments of gdb come after --", cmd.CommandPath(), args[1])
			}
			words, err := debuggee(what)
			if err != nil {
				return err
			}
			return execGDB(mpivet, words, more)
		},
	}
	cmd.Flags().BoolVar(&printScript, "print-script", false, "print the extension, to source it in gdb")
	cmd.Flags().BoolVar(&printLLDB, "print-lldb-script", false, "print the extension for lldb")
	return cmd
}

// execGDB replaces mpivet by gdb.
func execGDB(mpivet string, words, more []string) error {
	path, err := launch.FindProgram("gdb")
	if err != nil {
		return errors.New("there is no gdb in PATH: on Debian, apt install gdb")
	}
	script, err := gdbScript(mpivet)
	if err != nil {
		return err
	}
	// The script is loaded before the process: then it sees all libraries come. The cache counts as safe, because gdb
	// warns about the script beside the preload library if it must not load it.
	safe := "add-auto-load-safe-path " + filepath.Dir(script)
	args := slices.Concat([]string{"gdb", "-q", "-iex", safe, "-ix", script}, words, []string{"-ex", "mpivet frame"},
		more)
	return fmt.Errorf("%s: %w", path, launch.Become(path, args, os.Environ()))
}

// gdbScript writes mpivet's extension for gdb into the cache, and returns its path.
func gdbScript(mpivet string) (string, error) {
	dir, err := launch.CacheDir()
	if err != nil {
		return "", err
	}
	return gdb.Write(dir, "mpivet_gdb", gdb.Script(mpivet))
}

// serveDebuggers puts beside a preload library in the cache what debuggers find by themselves: the extension for gdb,
// and the library that shows message queues. If that is not possible, the user has to load them.
func serveDebuggers(library string) {
	dir, err := launch.CacheDir()
	if err != nil || filepath.Dir(library) != filepath.Clean(dir) {
		return
	}
	if mpivet, err := self(); err == nil {
		if script, err := gdbScript(mpivet); err == nil {
			_ = gdb.WriteLoader(library, script)
		}
	}
	if l, err := debuggerLibrary(nil); err == nil {
		_, _ = l.Build()
	}
}

// debuggee returns the arguments by which gdb finds what the user has named: a run, a rank, a process or a core file.
func debuggee(what string) ([]string, error) {
	if st, err := os.Stat(what); err == nil && st.Mode().IsRegular() {
		return coreFile(what)
	}
	if pid, err := strconv.Atoi(what); err == nil && pid > 0 {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			return attach(pid)
		}
	}
	name, wanted, ranked := strings.Cut(what, ":")
	rank := -1
	if ranked {
		var err error
		if rank, err = strconv.Atoi(wanted); err != nil || rank < 0 {
			return nil, usagef("%q is no rank", wanted)
		}
	}
	r, err := oneRun(name)
	if err != nil {
		return nil, err
	}
	p, err := oneRank(r, rank)
	if err != nil {
		return nil, err
	}
	return attach(p.PID)
}

func coreFile(path string) ([]string, error) {
	exe, err := gdb.Executable(path)
	switch {
	case errors.Is(err, gdb.ErrNoCore):
		return nil, usagef("%s is no core file", path)
	case err != nil:
		say("%s: %v: in gdb, file EXECUTABLE loads its symbols", path, oneLine(err))
	default:
		if _, err = os.Stat(exe); err == nil {
			return []string{exe, "-c", path}, nil
		}
		say("the core file is of %s, which is not here: in gdb, file EXECUTABLE loads its symbols", exe)
	}
	return []string{"-c", path}, nil
}

// attach returns gdb's arguments to attach to a process, if the system allows that.
func attach(pid int) ([]string, error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return nil, fmt.Errorf("there is no process %d", pid)
	}
	for line := range strings.Lines(string(status)) {
		if tracer, ok := strings.CutPrefix(line, "TracerPid:"); ok && strings.TrimSpace(tracer) != "0" {
			return nil, fmt.Errorf("process %d is already being debugged, by process %s",
				pid, strings.TrimSpace(tracer))
		}
	}
	// The kernel asks the same question for this file as for attaching.
	f, err := os.Open(dir + "mem")
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("the system forbids to debug process %d: sysctl kernel.yama.ptrace_scope=0 allows it "+
			"to the owner of a process; containers need --cap-add SYS_PTRACE", pid)
	}
	if err == nil {
		f.Close()
	}
	return []string{"-p", strconv.Itoa(pid)}, nil
}

// oneRun returns the run with a name, or this user's only run.
func oneRun(name string) (*state.Run, error) {
	sessions := ring.Sessions(ring.Options{})
	if name != "" {
		s, err := findRun(sessions, name)
		if err != nil {
			return nil, err
		}
		r, err := state.Look(s.Name, s, pause)
		if err != nil {
			return nil, lookError(s, err)
		}
		return r, nil
	}
	var found []*state.Run
	for i := range sessions {
		if s := &sessions[i]; s.UID == os.Getuid() {
			if r, err := state.Look(s.Name, s, pause); err == nil && len(living(r)) > 0 {
				found = append(found, r)
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("no runs of yours on this node")
	case 1:
		return found[0], nil
	}
	var names []string
	for _, r := range found {
		names = append(names, fmt.Sprintf("%s (%s)", r.ID, strings.Join(r.Command, " ")))
	}
	return nil, usagef("there are several runs: %s", strings.Join(names, ", "))
}

// living returns the processes of a run that can be debugged.
func living(r *state.Run) []*state.Process {
	var alive []*state.Process
	for _, p := range r.Processes {
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(p.PID))); err == nil && p.Alive() {
			alive = append(alive, p)
		}
	}
	return alive
}

// oneRank returns the process with a rank. If rank is -1, it chooses one, and says which.
func oneRank(r *state.Run, rank int) (*state.Process, error) {
	alive := living(r)
	if len(alive) == 0 {
		return nil, fmt.Errorf("no process of run %s is alive", r.ID)
	}
	if rank < 0 {
		chosen, why := alive[0], ""
		for _, p := range alive {
			if of := behind(r, p); of != "" {
				chosen, why = p, ", which is behind the others in "+of
				break
			}
			if check := fatal(p.PID); check != "" && why == "" {
				chosen, why = p, ", where mpivet has found "+check
			}
		}
		say("run %s: gdb is attached to rank %d (process %d)%s", r.ID, chosen.Rank, chosen.PID, why)
		return chosen, nil
	}
	var found []*state.Process
	var ranks, pids []string
	for _, p := range alive {
		ranks = append(ranks, strconv.Itoa(p.Rank))
		if p.Rank == rank {
			found = append(found, p)
			pids = append(pids, strconv.Itoa(p.PID))
		}
	}
	switch len(found) {
	case 0:
		return nil, usagef("run %s has no process with rank %d on this node: it has %s", r.ID, rank,
			strings.Join(ranks[:min(len(ranks), 32)], ", "))
	case 1:
		return found[0], nil
	}
	return nil, usagef("several processes of run %s have rank %d: choose one by its PID: %s", r.ID, rank,
		strings.Join(pids, ", "))
}

// fatal returns the check of a fatal finding about a process, "" if there is none.
func fatal(pid int) string {
	image, err := tables.OpenProcess(pid)
	if err != nil {
		return ""
	}
	defer image.Close()
	at, err := tables.FindDebug(image)
	if err != nil {
		return ""
	}
	t, err := tables.Open(tables.NewCache(image), at)
	if err != nil {
		return ""
	}
	told, err := t.Told()
	if err != nil || told == nil {
		return ""
	}
	for _, f := range told.Findings {
		if f.Severity == finding.Fatal.String() {
			return f.Check
		}
	}
	return ""
}

// behind returns a collective in which others wait and a process is behind, "" if there is none.
func behind(r *state.Run, p *state.Process) string {
	for _, o := range r.Objects {
		for _, c := range o.Collectives {
			if o.World == p.World && len(c.Inside) > 0 && slices.Contains(c.Behind, p.Rank) {
				return c.Name + " on " + o.Name
			}
		}
	}
	return ""
}
