// Package cli implements the commands of mpivet and their flags, with one file per command.
package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/config"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/pipeline"
)

// Exit statuses of mpivet. If the program failed, its exit status has priority.
const (
	exitClean    = 0
	exitFailed   = 1 // mpivet could not do its job
	exitUsage    = 2
	exitFindings = 3
)

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// statusError ends mpivet with a status, and without a message, because the message has been printed already.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// BecomesProgram reports whether this process becomes a program in the end, by its command line. main then keeps it on
// its main thread.
func BecomesProgram(args []string) bool {
	return len(args) > 0 && (args[0] == "exec" || args[0] == "gdb" || args[0] == launch.RankCommand)
}

// Run executes a command line and returns the exit status.
func Run(args []string) int {
	// Every rank runs this internal command. It must be fast.
	if len(args) > 0 && args[0] == launch.RankCommand {
		return execRank(args[1:])
	}
	pipeline.TuneGC()
	cmd := rootCommand()
	cmd.SetArgs(fixNp(cmd, args))
	err := cmd.Execute()
	var status statusError
	var usage usageError
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage):
		say("%v (see mpivet help)", oneLine(err))
		return exitUsage
	default:
		say("%v%s", oneLine(err), remedy(err))
		return exitFailed
	}
}

// say prints a message to standard error.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "mpivet: "+format+"\n", args...)
}

// remedy returns the advice to raise a limit, if a limit caused the error.
func remedy(err error) string {
	var l unix.Rlimit
	switch {
	case errors.Is(err, unix.EMFILE) && unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil:
		return fmt.Sprintf(": raise the limit of open files (ulimit -n, which is %d)", l.Max)
	case errors.Is(err, unix.EAGAIN) && unix.Getrlimit(unix.RLIMIT_NPROC, &l) == nil:
		return fmt.Sprintf(": raise the limit of processes (ulimit -u, which is %d)", l.Max)
	case errors.Is(err, unix.ENFILE):
		return ": the machine has no more open files"
	}
	return ""
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

func rootCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mpivet",
		Short: "mpivet runs an MPI program and reports its errors in the use of MPI",
		Long: `mpivet runs an MPI program and reports its errors in the use of MPI while it runs:
deadlocks, mismatched types and collectives, failed calls, leaks. You need not
recompile the program.

  mpivet run -n 4 ./a.out args           under the launcher of its MPI
  mpiexec -n 4 mpivet exec ./a.out args  under any launcher

Flags may also be in a file (--config) and in the environment: MPIVET_LIMIT is
--limit.

Exit status: that of the program if it failed, else 3 if there are findings at or
above --fail-on, 2 for a wrong command line, 1 if mpivet could not do its job.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if _, err := launch.FindProgram(args[0]); err == nil {
				return usagef("unknown command %q: to vet a program, say mpivet run %s", args[0], args[0])
			}
			return usagef("unknown command %q", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{config.FlagError(err)} })
	cmd.AddCommand(runCommand(), execCommand(), analyzeCommand(), headCommand(), replayCommand(), checksCommand(),
		explainCommand(), typeCommand(), psCommand(), gdbCommand(), inspectCommand(), doctorCommand(), buildCommand(),
		linkFlagsCommand(), dbgLibraryCommand(), versionCommand(), doctorNodeCommand())
	addCompletions(cmd)
	return cmd
}

// Command returns the tree of all commands, for the program that writes the manual pages.
func Command() *cobra.Command { return rootCommand() }

// noArgs, oneArg and needProgram return usageErrors. The validators of cobra don't.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but there is %q", cmd.CommandPath(), args[0])
	}
	return nil
}

func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return usagef("%s needs %s", cmd.CommandPath(), what)
		case 1:
			return nil
		}
		return usagef("%s takes %s and nothing more, but there is %q", cmd.CommandPath(), what, args[1])
	}
}

func needProgram(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s needs a program", cmd.CommandPath())
	}
	return nil
}

// fixNp replaces -np, which MPI users are accustomed to, by --np, unless it is an argument of the program.
func fixNp(root *cobra.Command, args []string) []string {
	if len(args) == 0 || args[0] != "run" {
		return args
	}
	cmd, _, err := root.Find(args[:1])
	if err != nil {
		return args
	}
	takesValue := func(f *pflag.Flag) bool { return f != nil && f.NoOptDefVal == "" }
	for i := 1; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-np":
			fixed := append([]string{}, args...)
			fixed[i] = "--np"
			return fixed
		case a == "--" || !strings.HasPrefix(a, "-"):
			return args
		case strings.Contains(a, "="):
		case strings.HasPrefix(a, "--"):
			if takesValue(cmd.Flags().Lookup(a[2:])) {
				i++
			}
		case len(a) == 2:
			if takesValue(cmd.Flags().ShorthandLookup(a[1:])) {
				i++
			}
		}
	}
	return args
}

// self returns a path of the running mpivet executable.
func self() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("%w: is /proc mounted?", err)
	}
	// Use the name from the command line if it is the same file, because the name of a link may matter.
	name, err := launch.FindProgram(os.Args[0])
	if err != nil {
		return exe, nil //nolint:nilerr // exe is good enough
	}
	a, err1 := os.Stat(name)
	b, err2 := os.Stat("/proc/self/exe")
	if err1 == nil && err2 == nil && os.SameFile(a, b) {
		return filepath.Abs(name)
	}
	return exe, nil
}
