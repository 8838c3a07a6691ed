package preload

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mpivet/mpivet/internal/record/layout"
)

const polls = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long made;
static MPI_Request r[2];
static int in[2], flag, at;
static MPI_Status st;

/* Open MPI calls it when it waits for progress. Other threads call it, too. */
static int armed;
static pthread_t me;
int sched_yield(void)
{
    if (armed && made > 1000 && pthread_equal(pthread_self(), me))
        raise(SIGSEGV);
    return (int)syscall(SYS_sched_yield);
}

static int test(int i) { made++; MPI_Test(&r[i], &flag, &st); return flag; }
static int testany(void) { made++; MPI_Testany(2, r, &at, &flag, MPI_STATUS_IGNORE); return flag; }
static int iprobe(int tag) { made++; MPI_Iprobe(0, tag, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); return flag; }
static void send_to_self(int tag) { MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF); }

/* Two callers whose frames are alike. */
static __attribute__((noinline)) int from_one(int i) { return test(i) + 1; }
static __attribute__((noinline)) int from_two(int i) { return test(i) + 2; }

/* Through the MPI library's own function: no record is written in between. */
static void send_unseen(int tag)
{
    void *mpi = dlopen("libmpi.so.40", RTLD_NOLOAD | RTLD_LAZY);
    if (!mpi)
        mpi = dlopen("libmpich.so.12", RTLD_NOLOAD | RTLD_LAZY);
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    *(void **)&send = dlsym(mpi, "PMPI_Send");
    send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
}

static void *other(void *none)
{
    int size;
    MPI_Type_size(MPI_INT, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    return none;
}

int main(int argc, char **argv)
{
    int provided;
    const char *how = argv[1];
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
    if (!strcmp(how, "turns")) { /* of three call sites, 1000 times */
        for (int i = 0; i < 1000; i++)
            if (test(0) || iprobe(7) || testany())
                return 1;
        send_to_self(1);
        while (!testany())
            ;
        send_to_self(0);
        while (!test(0))
            ;
    } else if (!strcmp(how, "callers")) { /* two callers of one call */
        struct {
            int (*from)(int);
            int of, times; /* if times is 0: until its message arrives, which is sent now */
        } part[] = {{from_one, 0, 1000}, {from_two, 0, 0}, {from_one, 1, 1000}, {from_two, 1, 1000}, {from_one, 1, 0}};
        for (int i = 0; i < 5; i++) {
            if (!part[i].times)
                send_unseen(part[i].of);
            for (int n = 0; part[i].times ? n < part[i].times : !flag; n++)
                part[i].from(part[i].of);
        }
    } else if (!strcmp(how, "others")) { /* one call site, but different arguments each time */
        for (int i = 0; i < 1000; i++)
            iprobe(i & 1 ? 8 : 9);
    } else if (!strcmp(how, "between")) { /* another call in between */
        for (int i = 0; i < 100; i++) {
            test(1);
            MPI_Barrier(MPI_COMM_SELF);
        }
    } else if (!strcmp(how, "thread")) { /* another thread calls MPI meanwhile */
        pthread_t t;
        for (int i = 0; i < 1000; i++)
            test(0);
        pthread_create(&t, NULL, other, NULL);
        for (int i = 0; i < 20000; i++)
            test(0);
        pthread_join(t, NULL);
        for (int i = 0; i < 100; i++)
            test(0);
    } else if (!strcmp(how, "killed")) { /* inside a test */
        me = pthread_self();
        armed = 1;
        for (;;)
            test(0);
    }
    if (strcmp(how, "turns") && strcmp(how, "callers"))
        for (int i = 0; i < 2; i++) {
            send_to_self(i);
            MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        }
    printf("%ld\n", made);
    MPI_Finalize();
    return 0;
}
`

// isPoll reports whether a record is that of one of the polls of the program above.
func isPoll(c record) bool {
	return slices.Contains([]string{"MPI_Test", "MPI_Testany", "MPI_Iprobe"}, c.name())
}

// TestPolls: repeated tests and probes that find nothing are counted, but not recorded. All others are recorded as
// usual.
func TestPolls(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "polls", polls, "-pthread", "-rdynamic")
		record := func(how string) ring {
			t.Helper()
			s := newSession(t, options{ring: 16 << 20})
			res := m.ranks(t, s, 1, prog, how)
			if res.state.ExitStatus() != 0 {
				t.Fatalf("%s: %v\n%s", how, res, res.stderr)
			}
			r := s.rings(s.the(prog))[0]
			n := 0
			for _, c := range r.calls() {
				if isPoll(c) {
					n++
				}
			}
			if made := strings.TrimSpace(res.stdout); made != fmt.Sprint(uint64(n)+r.repeats()) {
				t.Errorf("%s: %d polls are recorded, %d counted, but %s were made", how, n, r.repeats(), made)
			}
			if r.begun() != r.done() || r.done() != uint64(len(r.calls())) {
				t.Errorf("%s: %d calls entered, %d left, %d recorded", how, r.begun(), r.done(), len(r.calls()))
			}
			return r
		}

		turns := record("turns")
		tests, anys, probes := turns.named("MPI_Test"), turns.named("MPI_Testany"), turns.named("MPI_Iprobe")
		if len(probes) > 2 || turns.repeats() < 2990 {
			t.Errorf("%d probes are recorded, %d polls repeated", len(probes), turns.repeats())
		}
		found := anys[len(anys)-1]
		if i := found.after("index"); i != 1 || found.after("flag") != 1 ||
			found.ints("array_of_requests", 2)[1] != anys[0].ints("array_of_requests", 2)[1] {
			t.Errorf("MPI_Testany has found request %d, of %v", i, found.ints("array_of_requests", 2))
		}
		found = tests[len(tests)-1]
		if st := found.statuses("status"); found.after("flag") != 1 ||
			found.before("request") != tests[0].before("request") || len(st) != 1 || st[0].bytes != 4 {
			t.Errorf("MPI_Test of %#x has found %v", found.before("request"), st)
		}

		if r := record("others"); r.repeats() != 0 || len(r.named("MPI_Iprobe")) != 1000 {
			t.Errorf("probes of different tags: %d are recorded, %d counted", len(r.named("MPI_Iprobe")), r.repeats())
		}
		if r := record("between"); r.repeats() != 0 || len(r.named("MPI_Test")) != 100 {
			t.Errorf("tests with a collective between: %d are recorded, %d counted",
				len(r.named("MPI_Test")), r.repeats())
		}
		callers := record("callers")
		tests = callers.named("MPI_Test")
		one, two := tests[0].site, uint32(0)
		var finds []uint32
		vain := map[uint32]int{}
		for _, c := range tests {
			if c.after("flag") == 1 {
				finds = append(finds, c.site)
			} else {
				vain[c.site]++
			}
			if c.site != one {
				two = c.site
			}
		}
		if !slices.Equal(finds, []uint32{two, one}) || one == two || vain[two] == 0 || callers.repeats() < 2900 {
			t.Errorf("from call sites %d and %d: %v have found something, %v nothing, and %d were repeated",
				one, two, finds, vain, callers.repeats())
		}
		r := record("thread")
		if r.repeats() < 998 {
			t.Errorf("%d tests are counted before there is a second thread", r.repeats())
		}
		if list := r.named("MPI_Test"); !list[len(list)-1].timed {
			t.Error("tests have no times though there is a second thread")
		}

		if m.name != "openmpi" {
			return
		}
		s := newSession(t, options{})
		m.ranks(t, s, 1, prog, "killed")
		p := s.the(prog)
		r = s.rings(p)[0]
		if p.state() != layout.StateSignaled || p.code() != int(syscall.SIGSEGV) || !p.inMPI() {
			t.Fatalf("%v", p)
		}
		if n := r.begun() - r.done(); n != 1 {
			t.Errorf("%d calls are under way at the end", n)
		}
		if list := r.calls(); list[len(list)-1].name() != "MPI_Test" || r.repeats() < 990 {
			t.Errorf("the last call is %s, %d polls are counted", list[len(list)-1].name(), r.repeats())
		}
	})
}
