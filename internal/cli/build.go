package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/preload"
	"github.com/mpivet/mpivet/preload/ready"
)

// errNoMPI is the error if an MPI is needed, and none was named.
var errNoMPI = errors.New("no MPI found on this machine: put its mpicc into PATH, or name it with --mpi")

// builder makes preload libraries from the sources in this executable, and keeps them in the user's cache.
func builder() (*launch.Builder, error) {
	dir, err := launch.CacheDir()
	if err != nil {
		return nil, err
	}
	b := &launch.Builder{
		Dir: dir, Log: os.Stderr, Write: preload.WriteSources, Flags: preload.CompileFlags(),
		Standard: func(name string) bool { return mpiapi.InABI(strings.TrimPrefix(name, "P")) },
	}
	for _, l := range ready.Libraries() {
		b.ReadyMade = append(b.ReadyMade, launch.ReadyMade{ABI: l.ABI, Version: l.Version, WriterTo: l})
	}
	if p := launch.ThisProgram(); p != "" {
		b.Program = fmt.Sprintf("%s %x %x", p, mpiapi.Hash(), preload.Digest())
	}
	return b, nil
}

func buildCommand() *cobra.Command {
	var mpi string
	cmd := &cobra.Command{
		Use:   "build [flags]",
		Short: "Build the preload library ahead of time",
		Long: `Build compiles the library that mpivet loads into ranks, and prints its path. The
commands run and exec do this at their first use. If compute nodes do not have the
MPI's compiler wrapper, build the library on a machine that has it. The nodes find
it if they see the same cache directory (MPIVET_CACHE, else ~/.cache/mpivet).

Without --mpi it is built for every MPI found on this machine.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := builder()
			if err != nil {
				return err
			}
			var mpis []*launch.MPI
			if mpi != "" {
				m, err := launch.NamedMPI(mpi)
				if err != nil {
					return err
				}
				mpis = []*launch.MPI{m}
			} else if mpis = launch.InstalledMPIs(); len(mpis) == 0 {
				return errNoMPI
			}
			for _, m := range mpis {
				lib, err := b.Library(m)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), lib)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&mpi, "mpi", "", "the `MPI`: mpich, openmpi, abi, or the path of libmpi.so or mpicc")
	return cmd
}
