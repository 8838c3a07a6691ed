package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// version is set by the linker in releases.
var version string

// versionText returns mpivet's version, with the revision of its source if that is known.
func versionText() string {
	v, revision, modified := version, "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v == "" && info.Main.Version != "" {
			v = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ", modified"
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	if revision != "" {
		v += " (" + revision + modified + ")"
	}
	return v
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "mpivet %s, %s %s/%s, records version %d, API table %016x\n",
				versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH, layout.Records, mpiapi.Hash())
			return nil
		},
	}
}
