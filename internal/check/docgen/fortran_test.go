package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// declarations declares the variables of the Fortran code in the explanations.
const declarations = `
    integer :: rank, size, next, n, i, x, y, mode, other, key, provided, remote
    integer :: counts(9), displs(9), ranks(9), dims(2), buffer(100)
    integer, asynchronous :: buf(300), buf2(300), data(100)
    double precision, asynchronous :: field(9)
    double precision :: a(9), b(9)
    logical :: flag, in_second_group, periods(2)
    integer(MPI_ADDRESS_KIND) :: bytes, value
    type(MPI_Comm) :: comm, comm1, comm2, copy, mine, inter, merged, local, grid, workers
    type(MPI_Request) :: request, requests(2), old
    type(MPI_Datatype) :: t, t2, block, rows, column, inner, outer
    type(MPI_Status) :: status
    type(MPI_Group) :: group, all, some
    type(MPI_Info) :: info
    type(MPI_Op) :: op
    type(MPI_File) :: fh
    type(MPI_Win) :: win
    type(MPI_Errhandler) :: before
    procedure(MPI_User_function) :: smallest
`

// TestFortranCompiles compiles the Fortran code of all explanations with each MPI.
func TestFortranCompiles(t *testing.T) {
	mpirun.NeedLive(t)
	var source strings.Builder
	source.WriteString("module parts\nuse mpi_f08\ncontains\n")
	number := 0
	for _, c := range all.Checks() {
		blocks := strings.Split(c.Text(), "\nIn Fortran:\n\n")[1:]
		if len(blocks) != 2 {
			t.Errorf("%s has %d parts in Fortran, want a wrong one and a right one", c.ID, len(blocks))
		}
		for _, block := range blocks {
			number++
			fmt.Fprintf(&source, "! %s\nsubroutine part%d%s", c.ID, number, declarations)
			for line := range strings.Lines(block) {
				if !strings.HasPrefix(line, "    ") && strings.TrimSpace(line) != "" {
					break
				}
				source.WriteString(line)
			}
			fmt.Fprintf(&source, "end subroutine\n")
		}
	}
	source.WriteString("end module\n")
	file := filepath.Join(t.TempDir(), "parts.f90")
	if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{"mpif90.mpich", "mpif90.openmpi"} {
		if _, err := exec.LookPath(compiler); err != nil {
			t.Logf("%s is not installed", compiler)
			continue
		}
		cmd := exec.Command(compiler, "-fopenmp", "-fsyntax-only", file)
		cmd.Dir = filepath.Dir(file) // gets a file that describes the module
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", compiler, err, out)
		}
	}
}
