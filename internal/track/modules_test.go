package track

import (
	"testing"

	"github.com/mpivet/mpivet/internal/record/event"
)

// TestOfMPI: the file of the caller shows who freed an object inside a call.
func TestOfMPI(t *testing.T) {
	files := newMappedFiles()
	p := new(Process)
	for i, path := range []string{
		"/home/u/app", "/usr/lib/libmpi.so.40", "/usr/lib/libmpivet.so",
		"/usr/lib/openmpi/mca_io_ompio.so", "/usr/lib/libmpi_mpifh.so.40",
	} {
		start := uint64(i+1) << 20
		files.addMapping(p, event.Module{Base: start, Start: start, End: start + 0x1000, Path: path})
	}
	for caller, want := range map[uint64]bool{
		1<<20 + 8: false, // the program
		2<<20 + 8: true,  // MPI
		3<<20 + 8: true,  // the preload library
		4<<20 + 8: true,  // a component of MPI
		5<<20 + 8: false, // the code that passes on Fortran calls
		9 << 20:   false, // no file
	} {
		if got := p.ofMPI(&event.Freed{Caller: caller, Real: 2<<20 + 0x100, Wrapper: 3<<20 + 0x100}); got != want {
			t.Errorf("a call from %#x is MPI's own: %v, want %v", caller, got, want)
		}
	}
}
