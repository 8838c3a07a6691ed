package preload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// From record.h.
const (
	objectPage = 4096
	countsAt   = 1024
	kindDup    = 88
)

// An object is a communicator, window or file of a process.
type object []byte

func (o object) serial() uint64          { return le.Uint64(o) }
func (o object) id() uint64              { return le.Uint64(o[16:]) }
func (o object) made() uint32            { return le.Uint32(o[44:]) }
func (o object) entered(kind int) uint64 { return le.Uint64(o[countsAt+16*kind:]) }
func (o object) left(kind int) uint64    { return le.Uint64(o[countsAt+16*kind+8:]) }

// objects returns the objects in each of the process's files of objects, including free ones, and how many objects
// found no room.
func (s *session) objects(p process) (files [][]object, homeless int) {
	s.t.Helper()
	for i := 0; ; i++ {
		b, err := os.ReadFile(filepath.Join(s.dir, fmt.Sprintf("s%s.%d", p.name[1:], i)))
		if errors.Is(err, fs.ErrNotExist) {
			return files, homeless
		}
		if err != nil {
			s.t.Fatal(err)
		}
		header, count := int(le.Uint32(b[12:])), int(le.Uint32(b[20:]))
		if le.Uint32(b[16:]) != objectPage || len(b) != header+count*objectPage {
			s.t.Fatalf("%d objects of %d bytes in %d", count, le.Uint32(b[16:]), len(b))
		}
		homeless += int(le.Uint32(b[28:]))
		var list []object
		for j := range count {
			list = append(list, object(b[header+j*objectPage:][:objectPage]))
		}
		files = append(files, list)
	}
}

const manyComms = `
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf out;
static void leave(MPI_Comm *c, int *code, ...) { longjmp(out, 1); }
int main(int argc, char **argv)
{
    static MPI_Comm c[200];
    int rounds = atoi(argv[1]), v = 0;
    MPI_Errhandler h;
    MPI_Init(&argc, &argv);
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < 200; i++) {
            MPI_Comm_dup(MPI_COMM_SELF, &c[i]);
            MPI_Barrier(c[i]);
        }
        for (int i = 0; i < 200 && k < rounds - 1; i++)
            MPI_Comm_free(&c[i]);
    }
    MPI_Comm_create_errhandler(leave, &h);
    MPI_Comm_set_errhandler(c[0], h);
    if (!setjmp(out))
        MPI_Bcast(&v, 1, MPI_INT, 77, c[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    _Exit(0);
}
`

// TestManyCommunicators: room for communicators grows with their number, and is used again when they are freed. A call
// that was left by longjmp counts as left.
func TestManyCommunicators(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "manycomms", manyComms)
		s := newSession(t, options{})
		if res := m.run(t, s, prog, "4"); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		files, homeless := s.objects(s.the(prog))
		if len(files) != 3 || homeless != 0 {
			t.Fatalf("%d files, %d without room", len(files), homeless)
		}
		ids := map[uint64]int{}
		dups := 0
		for _, list := range files {
			for _, o := range list {
				if o.serial() == 0 {
					continue
				}
				ids[o.id()]++
				if o.made() == kindDup {
					dups++
					if o.entered(0) != 1 || o.left(0) != 1 {
						t.Errorf("%d barriers, %d left", o.entered(0), o.left(0))
					}
					if o.entered(1) != o.left(1) {
						t.Error("MPI_Bcast was left by longjmp, and counts as if it was not")
					}
				} else if n := o.entered(kindDup); n != 0 && n != 800 {
					t.Errorf("%d times MPI_Comm_dup", n)
				}
			}
		}
		if dups != 200 || len(ids) != 202 {
			t.Errorf("%d communicators made, %d different ones", dups, len(ids))
		}
	})
}

// TestNoRoomForCommunicators: those that find no room are counted together, and the program goes on.
func TestNoRoomForCommunicators(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "manycomms", manyComms)
		s := newSession(t, options{})
		// Room for the first two files: 15 and 64 communicators.
		res := m.run(t, s, "/bin/bash", "-c", `ulimit -f 400; exec "$@"`, "sh", prog, "1")
		if res.state != 0 {
			t.Skipf("%s doesn't run with small files only: %v %s", m.name, res, res.stderr)
		}
		files, homeless := s.objects(s.the(prog))
		if want := 200 + 2 - 15 - 64; len(files) != 2 || homeless != want {
			t.Fatalf("%d files, %d without room, want %d", len(files), homeless, want)
		}
		if n := files[0][0].entered(0); n != 200+2-15-64 || files[0][0].serial() != 0 {
			t.Errorf("%d barriers of communicators without room", n)
		}
	})
}
