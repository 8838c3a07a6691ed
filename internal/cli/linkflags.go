package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/preload"
)

func linkFlagsCommand() *cobra.Command {
	var mpi string
	cmd := &cobra.Command{
		Use:   "link-flags [flags]",
		Short: "Print what to add to the link of a program with a static MPI library",
		Long: `Link-flags is for programs that contain a static MPI library (libmpich.a): the
calls of such a program cannot be observed by a library that is preloaded. The
command compiles mpivet's library as an object file, and prints the file and flags
to add to the command line that links the program, before the MPI library. The
program can then be run by mpivet run and mpivet exec. Without mpivet, it runs as
before. Link it again after an update of mpivet.

The MPI must be installed with its shared library and its compiler wrapper, too.`,
		Example: "  mpicc -o prog prog.o $(mpivet link-flags) -Wl,-Bstatic -lmpich -Wl,-Bdynamic",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := theMPI(mpi)
			if err != nil {
				return err
			}
			b, err := builder()
			if err != nil {
				return err
			}
			if strings.ContainsAny(b.Dir, " \t\n") {
				return fmt.Errorf("the path of the cache %q contains a space: set MPIVET_CACHE to another directory",
					b.Dir)
			}
			b.Write, b.Flags, b.Object = preload.WriteLinked, preload.LinkedFlags(), true
			flags, err := b.LinkFlags(m)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), strings.Join(flags, " "))
			return nil
		},
	}
	cmd.Flags().StringVar(&mpi, "mpi", "", "the `MPI`: mpich, openmpi, abi, or the path of libmpi.so or mpicc")
	return cmd
}

// theMPI returns the MPI with a name, or the only one that is installed.
func theMPI(name string) (*launch.MPI, error) {
	if name != "" {
		return launch.NamedMPI(name)
	}
	all := launch.InstalledMPIs()
	switch len(all) {
	case 0:
		return nil, errNoMPI
	case 1:
		return all[0], nil
	}
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.String()
	}
	return nil, usagef("there are several MPIs (%s): choose one with --mpi", strings.Join(names, ", "))
}
