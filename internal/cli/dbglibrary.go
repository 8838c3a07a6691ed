package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/preload/dbg"
)

// debuggerLibrary makes the library for debuggers from the sources in this executable, and keeps it in the user's
// cache. It writes to log before a build.
func debuggerLibrary(log io.Writer) (*launch.DebuggerLibrary, error) {
	dir, err := launch.CacheDir()
	if err != nil {
		return nil, err
	}
	return &launch.DebuggerLibrary{Dir: dir, Log: log, Sources: dbg.Sources(), Flags: dbg.CompileFlags()}, nil
}

// queueLibrary returns the path of the library for debuggers, "" if the cache does not have it.
func queueLibrary() string {
	if l, err := debuggerLibrary(nil); err == nil {
		if path, there := l.Path(); there {
			return path
		}
	}
	return ""
}

func dbgLibraryCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dbg-library",
		Short: "Print the path of the library that shows message queues in debuggers",
		Long: `Dbg-library builds the library that shows debuggers the message queues of a process
under mpivet, unless it exists already, and prints its path. Debuggers that know the
message queue interface of MPI (TotalView, DDT, padb) can load it. padb takes the path
from the environment variable MPINFO_DLL.`,
		Args:   noArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := debuggerLibrary(os.Stderr)
			if err != nil {
				return err
			}
			path, err := l.Build()
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), path)
			return nil
		},
	}
}
