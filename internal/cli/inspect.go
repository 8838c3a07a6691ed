package cli

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/debug/inspect"
	"github.com/mpivet/mpivet/internal/debug/tables"
)

func inspectCommand() *cobra.Command {
	var pid int
	var core, exe string
	cmd := &cobra.Command{
		Use:    "inspect [--pid PID | --core FILE [--exe FILE]] [REQUEST ...]",
		Short:  "Answer debuggers' questions about the MPI objects and calls of a process",
		Hidden: true,
		Long: `Inspect decodes the tables that a process under mpivet keeps: its MPI objects, open
requests and calls. It is a helper for extensions of debuggers. It reads requests from
standard input, and writes answers to standard output, one JSON object per line. It
reads the memory of the process by asking the debugger. See docs/debugger-tables.md.

With --pid or --core, it reads the memory itself, of a process on this node that goes
on running, or of a core file. It answers each REQUEST, and then ends. Without any, it
reads them from standard input. A REQUEST is a JSON object. A single word stands for a
request without arguments.`,
		Example: `  mpivet inspect --pid 4711 calls queues
  mpivet inspect --core core.4711 '{"do":"handle","kind":"datatype","value":"0x8c000000"}'`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case pid != 0 && core != "":
				return usagef("%s takes --pid or --core, not both", cmd.CommandPath())
			case pid < 0:
				return usagef("%d is no process ID", pid)
			case exe != "" && core == "":
				return usagef("--exe needs --core")
			case len(args) > 0 && pid == 0 && core == "":
				return usagef("%s needs --pid or --core for the request %q", cmd.CommandPath(), args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if pid == 0 && core == "" {
				return inspect.Serve(os.Stdin, cmd.OutOrStdout())
			}
			var image tables.Image
			var err error
			if pid != 0 {
				image, err = tables.OpenProcess(pid)
			} else {
				image, err = tables.OpenCore(core, exe)
			}
			if err != nil {
				return err
			}
			defer image.Close()
			return inspectImage(cmd, image, args)
		},
	}
	cmd.Flags().IntVar(&pid, "pid", 0, "read the memory of process `PID`")
	cmd.Flags().StringVar(&core, "core", "", "read the memory in the core file `FILE`")
	cmd.Flags().StringVar(&exe, "exe", "", "with --core: the executable is `FILE` now")
	return cmd
}

// inspectImage answers requests about a process whose memory can be read.
func inspectImage(cmd *cobra.Command, image tables.Image, requests []string) error {
	at, err := tables.FindDebug(image)
	if err != nil {
		return err
	}
	x := inspect.New(image, at, tables.FindSymbols(image, inspect.FortranTables()...))
	if len(requests) == 0 {
		return inspect.ServeWith(x, os.Stdin, cmd.OutOrStdout())
	}
	for _, r := range requests {
		if !strings.HasPrefix(r, "{") {
			word, err := json.Marshal(map[string]string{"do": r})
			if err != nil {
				return err
			}
			r = string(word)
		}
		if err := writeJSON(cmd, x.Answer([]byte(r))); err != nil {
			return err
		}
	}
	return nil
}
