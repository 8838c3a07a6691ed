package preload

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	rings "github.com/mpivet/mpivet/internal/record/ring"
)

// The functions by which the program asks the library.
const layoutProbe = `
#include "layouts.h"
MV_EXPORT int probe_layout(uint64_t handle, uint64_t base, int64_t count, mv_layout_visit *visit, void *ctx)
{
    struct mv_layout l = mv_layout(handle);
    return l.words ? mv_layout_walk(l.program, l.words, base, count, visit, ctx) : -2;
}
`

// The program gathers the data of buffers by the layouts of the analyzer, and compares them with the result of
// MPI_Pack.
const layoutProgram = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int visitor(void *, uint64_t, uint64_t);
static int (*probe)(uint64_t, uint64_t, int64_t, visitor *, void *);
static unsigned char memory[1 << 20], data[1 << 18], packed[1 << 18];
static size_t gathered;
static int seen, unseen;

static int gather(void *ctx, uint64_t at, uint64_t length)
{
    (void)ctx;
    memcpy(data + gathered, (void *)at, length);
    gathered += length;
    return 0;
}

static uint64_t handle(MPI_Datatype t) { return sizeof t == 4 ? (uint32_t)(uintptr_t)t : (uint64_t)(uintptr_t)t; }

/* 0 if the layout is not known, 1 if it is the datatype's. A wrong one ends the program. */
static int look(MPI_Datatype t, const char *what)
{
    enum { count = 3 };
    unsigned char *base = memory + sizeof memory / 2;
    int size = 0, position = 0;
    gathered = 0;
    int r = probe(handle(t), (uint64_t)base, count, gather, NULL);
    if (r == -2) {
        unseen++;
        return 0;
    }
    seen++;
    MPI_Type_size(t, &size);
    MPI_Pack(base, count, t, packed, sizeof packed, &position, MPI_COMM_WORLD);
    if (r || gathered != (size_t)size * count || position != size * count || memcmp(data, packed, gathered)) {
        printf("%s: the walk returns %d after %zu bytes of %d, or they are others\n", what, r, gathered, size * count);
        exit(1);
    }
    return 1;
}

static void expect(MPI_Datatype t, const char *what)
{
    for (time_t end = time(NULL) + 60; !look(t, what); usleep(100))
        if (time(NULL) > end) {
            printf("%s: its layout is not told\n", what);
            exit(1);
        }
}

static void use(MPI_Datatype t, const char *what)
{
    MPI_Type_commit(&t);
    expect(t, what);
    MPI_Datatype gone = t;
    MPI_Type_free(&t);
    if (look(gone, what)) {
        printf("%s: its layout is told after its end\n", what);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    *(void **)&probe = dlsym(RTLD_DEFAULT, "probe_layout");
    if (!probe)
        return 2;
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(rand() >> 7);
    MPI_Datatype t, column, lines;
    int lengths[] = {3, 0, 1, 2, 1}, places[] = {7, 100, 0, 20, -5};
    int sizes[] = {6, 7, 8}, subsizes[] = {3, 4, 2}, starts[] = {1, 2, 3};
    int distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE},
        dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
        psizes[] = {2, 2, 1};
    MPI_Aint at[] = {24, -16, 0};
    int three[] = {2, 1, 5};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};

    MPI_Type_contiguous(100, MPI_DOUBLE, &t);
    use(t, "contiguous");
    MPI_Type_vector(5, 2, 9, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, 8, &t);
    use(t, "resized vector");
    MPI_Type_create_hvector(4, 1, -200, column, &t);
    use(t, "hvector of vectors");
    MPI_Type_indexed(5, lengths, places, MPI_SHORT, &t);
    use(t, "indexed");
    MPI_Type_create_struct(3, three, at, types, &t);
    use(t, "struct");
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &t);
    use(t, "subarray");
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_SHORT_INT, &t);
    use(t, "subarray of pairs");
    MPI_Type_create_darray(4, 2, 3, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_FLOAT, &t);
    use(t, "darray");

    /* A datatype lives on in one that was made from it. A duplicate is committed from the start. */
    MPI_Type_commit(&column);
    MPI_Type_dup(column, &lines);
    MPI_Type_free(&column);
    expect(lines, "duplicate");

    /* Handles are used again and again, for other datatypes. The layout must be that of the present one. */
    for (int i = 1; i < 2000; i++) {
        MPI_Type_vector(1 + i % 7, 1 + i % 3, 5, MPI_INT, &t);
        MPI_Type_commit(&t);
        look(t, "one of many");
        if (i % 100 == 0)
            expect(t, "one of many, in the end");
        MPI_Type_free(&t);
    }
    expect(lines, "duplicate, after many others");
    MPI_Type_free(&lines);
    MPI_Finalize();
    printf("ok, %d known, %d not\n", seen, unseen);
    return 0;
}
`

// withProbe builds the library with functions that return its layouts.
func (m *mpi) withProbe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "probe.c"), []byte(layoutProbe), 0o600); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "libmpivet.so")
	files, err := filepath.Glob(filepath.Join(m.sources, "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	args := append(CompileFlags(), "-O0", "-Werror", "-I"+m.sources, "-o", library, filepath.Join(dir, "probe.c"))
	if err := run(m.mpicc, append(args, files...)...); err != nil {
		t.Fatal(err)
	}
	return library
}

// TestLayoutsAreTold: a program gets the layouts of its datatypes while it runs, from the real analyzer.
func TestLayoutsAreTold(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		library := m.withProbe(t)
		program := m.program(t, "layouts", layoutProgram, "-ldl")
		rs, err := rings.NewSession(rings.Options{TableHash: mpiapi.Hash()})
		if err != nil {
			t.Fatal(err)
		}
		defer rs.Close()
		live, err := rings.OpenLive(rs)
		if err != nil {
			t.Fatal(err)
		}
		defer live.Close()
		p := pipeline.New(pipeline.Options{Layouts: live.Programs})
		over := make(chan error)
		go func() { over <- pipeline.Run(context.Background(), live, p, true) }()
		probed := &mpi{name: m.name, mpiexec: m.mpiexec, library: library}
		r := probed.ranks(t, &session{t: t, dir: rs.Dir}, 2, program)
		live.Finish()
		if err := <-over; err != nil || p.Trouble() != "" {
			t.Errorf("the analysis: %v %s", err, p.Trouble())
		}
		if r.state.ExitStatus() != 0 || strings.Count(r.stdout, "ok, ") != 2 {
			t.Errorf("%v\n%s%s", r, r.stdout, r.stderr)
		}
		t.Log(r.stdout)
		if left, _ := filepath.Glob(filepath.Join(rs.Dir, "[lp]*")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}
