package preload

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

const freeing = `
#include <mpi.h>
static MPI_Comm comm, other;
static MPI_Group group;
static int forget(MPI_Comm c, int key, void *value, void *state)
{
    (void)c, (void)key, (void)value, (void)state;
    MPI_Comm_free(&other);
    return 0;
}
static int end(MPI_Comm c, int key, void *value, void *state)
{
    (void)c, (void)value, (void)state;
    MPI_Comm mine;
    MPI_Comm_free_keyval(&key);
    MPI_Group_free(&group);
    PMPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_SELF, &mine);
    return 0;
}
int main(int argc, char **argv)
{
    int key, last, a[8] = {0};
    MPI_Datatype row, every;
    MPI_File f;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &row);
    MPI_Type_vector(2, 1, 2, row, &every);
    MPI_Type_commit(&every);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &f);
    MPI_File_set_view(f, 0, MPI_INT, every, "native", MPI_INFO_NULL);
    MPI_File_write_all(f, a, 8, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&f);
    MPI_Type_free(&every);
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, a);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &last, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, last, a);
    MPI_Finalize();
    return 0;
}
`

// TestFreed: if an object is freed inside a call, the record says who freed it: a function of the program that MPI
// called, or MPI itself.
func TestFreed(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "freeing", freeing)
		s := newSession(t, options{})
		if r := m.ranks(t, s, 1, prog, t.TempDir()+"/file"); r.state.ExitStatus() != 0 {
			t.Fatalf("%v", r)
		}
		r := one(t, s, s.the(prog))
		type freed struct {
			function string
			handle   int64
		}
		var got []freed
		for _, b := range r.infos(layout.InfoFreed) {
			f := freed{"?", int64(le.Uint64(b))}
			caller, real, wrapper := r.module(le.Uint64(b[16:])), r.module(le.Uint64(b[24:])),
				r.module(le.Uint64(b[32:]))
			if !strings.Contains(filepath.Base(real), "libmpi") ||
				!strings.HasPrefix(filepath.Base(wrapper), "libmpivet") {
				t.Errorf("MPI's function is in %q, this library %q", real, wrapper)
			}
			if caller != prog {
				if caller == "" {
					t.Error("a caller is in no file")
				}
				continue
			}
			if fn := mpiapi.ByID(mpiapi.FuncID(le.Uint32(b[8:]))); fn != nil {
				f.function = fn.Name
			}
			got = append(got, f)
		}
		dups, keys := r.named("MPI_Comm_dup"), r.named("MPI_Comm_create_keyval")
		if len(dups) != 2 || len(keys) != 2 {
			t.Fatalf("%d communicators and %d keys are recorded", len(dups), len(keys))
		}
		want := []freed{
			{"MPI_Comm_free", dups[0].after("newcomm")},
			{"MPI_Comm_free_keyval", int64(uint32(keys[1].after("comm_keyval")))},
			{"MPI_Group_free", r.call(t, "MPI_Comm_group").after("group")},
			{"MPI_Comm_free", dups[1].after("newcomm")},
		}
		if !slices.Equal(got, want) {
			t.Errorf("freed inside of calls: %v, want %v", got, want)
		}
		if n := len(r.named("MPI_Comm_free")); n != 0 {
			t.Errorf("%d calls of MPI_Comm_free are recorded", n)
		}
	})
}
