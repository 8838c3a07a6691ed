package mpirun

import (
	"os"
	"os/exec"
	"path/filepath"
)

// StandardFlags are the flags of a C compiler for programs of the standard ABI (MPI standard 5.0, chapter 20), where
// Debian installs it.
var StandardFlags = []string{"-I/usr/lib/x86_64-linux-gnu/mpi_abi_mpich/include"}

// StandardABI returns the implementations that have a library for the standard ABI. Programs use the library of the one
// or the other, by LD_LIBRARY_PATH. dir gets folders for that.
func StandardABI(dir string) ([]MPI, error) {
	var list []MPI
	for _, name := range []string{"mpich", "openmpi"} {
		libraries, err := filepath.Glob("/usr/lib/*/libmpi_abi_" + name + ".so.*")
		if err != nil || len(libraries) == 0 {
			continue
		}
		if _, err := exec.LookPath("mpiexec." + name); err != nil {
			continue
		}
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if err := os.Symlink(libraries[0], filepath.Join(folder, "libmpi_abi.so.1")); err != nil {
			return nil, err
		}
		list = append(list, MPI{
			Name: name, CC: "cc", Mpirun: "mpiexec." + name, Standard: true, Env: []string{"LD_LIBRARY_PATH=" + folder},
		})
	}
	return list, nil
}
