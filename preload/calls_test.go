package preload

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

const exchange = `
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static void send(int *b) { MPI_Send(b, 3, MPI_INT, 1, 7, MPI_COMM_WORLD); }
int main(int argc, char **argv)
{
    int rank, b[16] = {0}, flag, n, idx[4];
    MPI_Request q[4];
    MPI_Status s[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        send(b);
        send(b);
        MPI_Ssend(b, 1, MPI_CHAR, 1, 8, MPI_COMM_WORLD);
        for (int i = 0; i < 4; i++)
            MPI_Isend(b + i, i, MPI_DOUBLE, 1, 20 + i, MPI_COMM_WORLD, &q[i]);
        MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
        MPI_Isend(b, 2, MPI_INT, 1, 30, MPI_COMM_WORLD, &q[0]);
        MPI_Wait(&q[0], &s[0]);
    } else {
        MPI_Recv(b, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(b, 16, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(b, 1, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s[0]);
        printf("tag %d source %d\n", s[0].MPI_TAG, s[0].MPI_SOURCE);
        for (int i = 0; i < 4; i++)
            MPI_Irecv(malloc(64), 8, MPI_DOUBLE, 0, 20 + i, MPI_COMM_WORLD, &q[i]);
        int done = 0;
        while (done < 4) {
            MPI_Waitsome(4, q, &n, idx, MPI_STATUSES_IGNORE);
            done += n;
        }
        MPI_Probe(0, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the ring is not read, so it must not fill with tests */
        MPI_Irecv(b, 2, MPI_INT, 0, 30, MPI_COMM_WORLD, &q[0]);
        do
            MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
        while (!flag);
    }
    int all[2] = {5, 6}, counts[2] = {1, 2}, displs[2] = {0, 4}, to[8];
    MPI_Gatherv(all, rank + 1, MPI_INT, to, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, counts, displs, MPI_INT, MPI_COMM_WORLD);
    MPI_Comm half, dup;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_free(&half);
    MPI_Datatype t;
    MPI_Type_vector(2, 3, 4, MPI_INT, &t);
    MPI_Type_free(&t);
    MPI_Finalize();
    printf("rank %d ends\n", rank);
    return 0;
}
`

// TestCalls: the calls of two ranks are recorded, argument by argument, and nothing else changes.
func TestCalls(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "exchange", exchange)
		plain := m.ranks(t, nil, 2, prog)
		s := newSession(t, options{})
		r := m.ranks(t, s, 2, prog)
		if sortLines(r.stdout) != sortLines(plain.stdout) || r.state != plain.state {
			t.Errorf("recorded: %v, %q; plain: %v, %q", r, r.stdout, plain, plain.stdout)
		}
		if r.stderr != plain.stderr {
			t.Errorf("stderr %q, plain %q", r.stderr, plain.stderr)
		}
		ps := s.processes(prog)
		if len(ps) != 2 {
			t.Fatalf("processes %v", s.processes(""))
		}
		slices.SortFunc(ps, func(a, b process) int { return a.rank() - b.rank() })
		for i, p := range ps {
			if p.rank() != i || p.state() != layout.StateExited || p.code() != 0 || !p.initialized() ||
				!p.finalized() || p.aborted() || p.inMPI() {
				t.Errorf("%v", p)
			}
		}
		r0, r1 := one(t, s, ps[0]), one(t, s, ps[1])
		for _, r := range []ring{r0, r1} {
			if int(r.done()) != len(r.calls()) {
				t.Errorf("%d calls, %d done", len(r.calls()), r.done())
			}
			if r.queries() != 1 {
				t.Errorf("%d queries, want 1", r.queries())
			}
			for _, c := range r.calls() {
				if st := r.stack(c.site); len(st) == 0 || r.module(st[0]) != prog || c.rc != 0 || c.timed {
					t.Errorf("%s: stack %x in %q, rc %d", c.name(), st, r.module(st[0]), c.rc)
				}
			}
		}
		checkNames(t, m, r0)
		names, _ := r0.names()
		world := names["MPI_COMM_WORLD"]

		sends := r0.named("MPI_Send")
		for _, c := range sends {
			got := []int64{c.value("count"), c.value("datatype"), c.value("dest"), c.value("tag"), c.value("comm")}
			if want := []int64{3, names["MPI_INT"], 1, 7, world}; !slices.Equal(got, want) {
				t.Errorf("MPI_Send %v, want %v", got, want)
			}
			if len(c.b) != 64 {
				t.Errorf("MPI_Send takes %d bytes", len(c.b))
			}
		}
		if len(sends) != 2 || sends[0].site == sends[1].site {
			t.Errorf("two calls of a function that sends have sites %v", sends)
		} else if a, b := r0.stack(sends[0].site), r0.stack(sends[1].site); a[0] != b[0] ||
			a[1] == b[1] || !slices.Equal(a[2:], b[2:]) {
			t.Errorf("their stacks are %x and %x", a, b)
		}

		recvs := r1.named("MPI_Recv")
		if len(recvs) != 3 {
			t.Fatalf("%d receives", len(recvs))
		}
		if st := recvs[0].statuses("status"); len(st) != 0 || len(recvs[0].b) != 64 {
			t.Errorf("receive without wildcards: status %v, %d bytes", st, len(recvs[0].b))
		}
		for i, want := range []status{{source: 0, tag: 7, bytes: 12}, {source: 0, tag: 8, bytes: 1}} {
			if st := recvs[i+1].statuses("status"); !slices.Equal(st, []status{want}) {
				t.Errorf("wildcard receive %d: status %v, want %v", i, st, want)
			}
		}

		isends := r0.named("MPI_Isend")
		wa := r0.call(t, "MPI_Waitall")
		in := wa.ints("array_of_requests", mpiapi.SectionIn64)
		if st := wa.statuses("array_of_statuses"); len(in) != 4 || len(st) != 4 {
			t.Errorf("MPI_Waitall: requests %x, statuses %v", in, st)
		}
		for i := range in {
			if h := isends[i].after("request"); in[i] != h || h == 0 {
				t.Errorf("MPI_Waitall: request %d is %x, want %x", i, in[i], h)
			}
		}
		if c := r0.call(t, "MPI_Wait"); c.before("request") != isends[4].after("request") ||
			len(c.statuses("status")) != 1 {
			t.Errorf("MPI_Wait of %x, want %x", c.before("request"), isends[4].after("request"))
		}
		done := map[int64]int64{}
		for _, c := range r1.named("MPI_Waitsome") {
			n := int(c.after("outcount"))
			for i, x := range c.ints("array_of_indices", mpiapi.SectionOut32)[:n] {
				st := c.statuses("array_of_statuses")[i]
				if int64(st.tag) != 20+x {
					t.Errorf("MPI_Waitsome: index %d has tag %d", x, st.tag)
				}
				done[x] = st.bytes
			}
		}
		if want := (map[int64]int64{0: 0, 1: 8, 2: 16, 3: 24}); fmt.Sprint(done) != fmt.Sprint(want) {
			t.Errorf("MPI_Waitsome: bytes by index %v, want %v", done, want)
		}
		tests := r1.named("MPI_Test")
		last := tests[len(tests)-1]
		if st := last.statuses("status"); last.after("flag") != 1 || len(st) != 1 || st[0].tag != 30 ||
			st[0].bytes != 8 {
			t.Errorf("last MPI_Test: flag %d, status %v", last.after("flag"), st)
		}

		if c := r0.call(t, "MPI_Gatherv"); c.ints("recvcounts", mpiapi.SectionIn32) != nil {
			t.Errorf("counts recorded where they mean nothing: %v", c.ints("recvcounts", mpiapi.SectionIn32))
		}
		if c := r1.call(t, "MPI_Gatherv"); !slices.Equal(c.ints("recvcounts", mpiapi.SectionIn32), []int64{1, 2}) ||
			!slices.Equal(c.ints("displs", mpiapi.SectionIn32), []int64{0, 4}) {
			t.Errorf("MPI_Gatherv at the root: %v %v", c.ints("recvcounts", mpiapi.SectionIn32),
				c.ints("displs", mpiapi.SectionIn32))
		}
		if c := r0.call(t, "MPI_Allgatherv"); c.value("sendbuf") != names["MPI_IN_PLACE"] ||
			!slices.Equal(c.ints("recvcounts", mpiapi.SectionIn32), []int64{1, 2}) {
			t.Errorf("MPI_Allgatherv: sendbuf %x, counts %v", c.value("sendbuf"),
				c.ints("recvcounts", mpiapi.SectionIn32))
		}

		names, _ = r1.names()
		comms := map[int64][]int64{}
		for _, b := range r1.infos(layout.InfoComm) {
			var runs []int64
			for i := range int(le.Uint32(b[20:])) {
				for j := range 3 {
					runs = append(runs, int64(int32(le.Uint32(b[32+12*i+4*j:]))))
				}
			}
			comms[int64(le.Uint64(b))] = append([]int64{
				int64(int32(le.Uint32(b[8:]))),
				int64(int32(le.Uint32(b[12:]))),
			}, runs...)
		}
		split, dup := r1.call(t, "MPI_Comm_split").after("newcomm"), r1.call(t, "MPI_Comm_dup").after("newcomm")
		for h, want := range map[int64][]int64{
			names["MPI_COMM_WORLD"]: {1, 2, 0, 1, 2}, names["MPI_COMM_SELF"]: {0, 1, 1, 1, 1},
			split: {0, 1, 1, 1, 1}, dup: {1, 2, 0, 1, 2},
		} {
			if !slices.Equal(comms[h], want) {
				t.Errorf("communicator %x: %v, want %v", h, comms[h], want)
			}
		}
		if c := r1.call(t, "MPI_Comm_free"); c.before("comm") != split {
			t.Errorf("MPI_Comm_free of %x, want %x", c.before("comm"), split)
		}
		if c := r0.call(t, "MPI_Type_vector"); c.value("count") != 2 || c.value("stride") != 4 ||
			c.after("newtype") != r0.call(t, "MPI_Type_free").before("datatype") {
			t.Errorf("MPI_Type_vector: count %d stride %d newtype %x", c.value("count"),
				c.value("stride"), c.after("newtype"))
		}
		b := r1.infos(layout.InfoMPI)
		if len(b) != 1 || le.Uint32(b[0]) != 1 || le.Uint32(b[0][4:]) != 2 || le.Uint32(b[0][12:]) < 32767 {
			t.Fatalf("MV_MPI records: %v", b)
		}
		text := string(b[0][32 : 32+le.Uint32(b[0][24:])])
		if want := map[string]string{"mpich": "MPICH", "openmpi": "Open MPI"}[m.name]; !strings.Contains(text, want) {
			t.Errorf("library version %q", text)
		}
	})
}

func checkNames(t *testing.T, m *mpi, r ring) {
	t.Helper()
	values, sizes := r.names()
	for _, name := range []string{
		"MPI_COMM_WORLD", "MPI_COMM_NULL", "MPI_ANY_SOURCE", "MPI_ANY_TAG", "MPI_PROC_NULL",
		"MPI_ROOT", "MPI_SUM", "MPI_ERRORS_RETURN",
		"MPI_REQUEST_NULL", "MPI_THREAD_MULTIPLE", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY",
		"MPI_TAG_UB", "MPI_ERR_TRUNCATE", "MPI_COMM_TYPE_SHARED",
		"MPI_DATATYPE_NULL", "MPI_MODE_RDWR", "MPI_KEYVAL_INVALID", "MPI_BOTTOM",
	} {
		if _, ok := values[name]; !ok {
			t.Errorf("%s is not published", name)
		}
	}
	for name, want := range map[string]int{
		"MPI_INT": 4, "MPI_CHAR": 1, "MPI_DOUBLE": 8, "MPI_2INT": 8, "MPI_DOUBLE_INT": 12,
		"MPI_C_BOOL": 1, "MPI_INTEGER": 4, "MPI_UINT64_T": 8,
		"MPI_DOUBLE_COMPLEX": 16, "MPI_AINT": 8,
	} {
		if sizes[name] != want {
			t.Errorf("%s has size %d, want %d", name, sizes[name], want)
		}
	}
	if len(values) < 250 {
		t.Errorf("only %d names", len(values))
	}
}

// one returns the only ring of a process.
func one(t *testing.T, s *session, p process) ring {
	t.Helper()
	rings := s.rings(p)
	if len(rings) != 1 {
		t.Fatalf("%v has %d rings, want 1", p, len(rings))
	}
	return rings[0]
}

func sortLines(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestStacksOff: a call site is only the call's return address.
func TestStacksOff(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "exchange", exchange)
		s := newSession(t, options{noStacks: true})
		if r := m.ranks(t, s, 2, prog); r.state != 0 {
			t.Fatal(r, r.stderr)
		}
		for _, p := range s.processes(prog) {
			r := one(t, s, p)
			for _, c := range r.calls() {
				if st := r.stack(c.site); len(st) != 1 || r.module(st[0]) != prog {
					t.Errorf("%s: stack %x", c.name(), st)
				}
			}
			if sends := r.named("MPI_Send"); len(sends) == 2 && sends[0].site != sends[1].site {
				t.Error("one call has two sites")
			}
		}
	})
}

// TestStacks: the same call, reached by different paths at the same stack depth, gets a different site for each path.
// The stack is the same as that of backtrace().
func TestStacks(t *testing.T) {
	const source = `
#include <mpi.h>
#include <execinfo.h>
#include <stdio.h>
static void *where[64];
__attribute__((noinline)) static void call(int print)
{
    MPI_Barrier(MPI_COMM_SELF);
    if (print) {
        int n = backtrace(where, 64);
        for (int i = 1; i < n; i++)
            printf("%p ", where[i]);
        printf("\n");
    }
}
#define WAY(name, next) __attribute__((noinline)) static void name(int p) { next(p); __asm__ volatile(""); }
WAY(a, call) WAY(b, call) WAY(c, call) WAY(d, call) WAY(e, call) WAY(f, call)
__attribute__((noinline)) static void deep(int n, int p) { if (n) deep(n - 1, p); else call(p); __asm__ volatile(""); }
__attribute__((noinline)) static void vary(int n, int p)
{
    char pad[n];
    __asm__ volatile("" : : "r"(pad) : "memory");
    call(p);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void (*way[])(int) = {a, b, c, d, e, f};
    for (int i = 0; i < 60; i++)
        way[i * 7 % 6](i < 6);
    for (int i = 0; i < 40; i++) {
        deep(i % 5, i < 5);
        vary(1 + i % 7 * 16, i == 0);
    }
    MPI_Finalize();
    return 0;
}
`
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "stacks", source)
		s := newSession(t, options{})
		res := m.run(t, s, prog)
		if res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		p := s.the(prog)
		r := one(t, s, p)
		stacks := map[uint32]string{}
		count := map[uint32]int{}
		for _, c := range r.named("MPI_Barrier") {
			st := r.stack(c.site)
			stacks[c.site] = fmt.Sprintf("%#x", st[1:]) // the call itself is at another place in call()
			count[c.site]++
		}
		if len(stacks) != 12 {
			t.Errorf("%d call sites, want 12", len(stacks))
		}
		var want, got []string
		for line := range strings.Lines(res.stdout) {
			f := strings.Fields(line)
			want = append(want, "["+strings.Join(f, " ")+"]")
		}
		for _, st := range stacks {
			got = append(got, st)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("stacks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for site, n := range count {
			if n != 10 && n != 8 && n != 40 {
				t.Errorf("site %d occurs %d times", site, n)
			}
		}
	})
}

// TestLongArrays: arrays that are too long for a call record are recorded completely, before the record or after it.
func TestLongArrays(t *testing.T) {
	const source = `
#include <mpi.h>
#include <stdlib.h>
#define N 10000
#define M 2200
int main(int argc, char **argv)
{
    static int length[N], displ[N], b[M], c[M];
    static MPI_Request q[2 * M];
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < N; i++) {
        length[i] = i % 3;
        displ[i] = 5 * i;
    }
    MPI_Type_indexed(N, length, displ, MPI_INT, &t);
    MPI_Type_free(&t);
    for (int i = 0; i < M; i++)
        MPI_Irecv(&b[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &q[i]);
    for (int i = 0; i < M; i++)
        MPI_Isend(&c[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &q[M + i]);
    MPI_Waitall(2 * M, q, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
`
	each(t, func(t *testing.T, lib *mpi) {
		prog := lib.program(t, "long", source)
		s := newSession(t, options{ring: 1 << 20})
		if res := lib.run(t, s, prog); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		r := one(t, s, s.the(prog))
		const n, m = 10000, 2200
		type part struct{ kind, param int }
		data := map[part][]byte{}
		var index, wait record
		for _, c := range r.records {
			switch {
			case c.name() == "MPI_Type_indexed":
				index = c
				for name, f := range map[string]func(i int) int{
					"array_of_blocklengths":  func(i int) int { return i % 3 },
					"array_of_displacements": func(i int) int { return 5 * i },
				} {
					i, _ := c.param(name)
					b := data[part{mpiapi.SectionIn32, i}]
					if len(b) == 0 { // the array fits here
						bodies, _ := c.sections(name)
						b = bodies[mpiapi.SectionIn32]
					}
					if len(b) != 4*n {
						t.Fatalf("%s: %d bytes, want %d", name, len(b), 4*n)
					}
					for k := range n {
						if int(le.Uint32(b[4*k:])) != f(k) {
							t.Fatalf("%s[%d] = %d", name, k, le.Uint32(b[4*k:]))
						}
					}
				}
				clear(data)
			case c.name() == "MPI_Waitall":
				wait = c
				i, _ := c.param("array_of_requests")
				if _, counts := c.sections("array_of_requests"); counts[7] != 2*m ||
					len(data[part{mpiapi.SectionIn64, i}]) != 8*2*m {
					t.Errorf("MPI_Waitall: %v, %d bytes of requests", counts, len(data[part{mpiapi.SectionIn64, i}]))
				}
				clear(data)
			case c.kind == layout.InfoData:
				k := part{int(le.Uint16(c.b[16:])), int(le.Uint16(c.b[18:]))}
				size := map[int]int{1: 4, 2: 8, 3: 4, 4: 8, 5: 24}[k.kind]
				if int(le.Uint32(c.b[20:]))*size != len(data[k]) {
					t.Fatalf("a part begins at element %d after %d bytes", le.Uint32(c.b[20:]), len(data[k]))
				}
				data[k] = append(data[k], c.b[32:32+int(le.Uint32(c.b[24:]))*size]...)
			}
		}
		if index.b == nil || wait.b == nil {
			t.Fatal("calls are missing")
		}
		i, _ := wait.param("array_of_statuses")
		b := data[part{mpiapi.SectionStatus, i}]
		if len(b) != 24*2*m {
			t.Fatalf("%d bytes of statuses, want %d", len(b), 24*2*m)
		}
		for k := range m {
			if tag, size := le.Uint32(b[24*k+4:]), le.Uint64(b[24*k+16:]); int(tag) != k || size != 4 {
				t.Fatalf("status %d: tag %d, %d bytes", k, tag, size)
			}
		}
	})
}

// TestThreads: every thread has its own ring. Once there are two threads, calls have times. The rings of threads that
// have ended are used again.
func TestThreads(t *testing.T) {
	const source = `
#include <mpi.h>
#include <pthread.h>
static void *body(void *p)
{
    int b = 0;
    MPI_Sendrecv_replace(&b, 1, MPI_INT, 0, (int)(long)p, 0, (int)(long)p, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return NULL;
}
int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, body, (void *)(long)i);
        pthread_join(t, NULL);
    }
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body, (void *)(long)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    MPI_Finalize();
    return provided != MPI_THREAD_MULTIPLE;
}
`
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "threads", source, "-pthread")
		s := newSession(t, options{})
		if res := m.run(t, s, prog); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		rings := s.rings(s.the(prog))
		if len(rings) < 2 || len(rings) > 4 {
			t.Fatalf("%d rings, want 2 to 4: threads that ended hand theirs on", len(rings))
		}
		n := 0
		for i, r := range rings {
			if r.thread() != i {
				t.Errorf("ring %d says %d", i, r.thread())
			}
			for _, c := range r.calls() {
				if early := i == 0 && (c.name() == "MPI_Init_thread" || c.name() == "MPI_Barrier"); c.timed == early {
					t.Errorf("ring %d: %s timed: %v", i, c.name(), c.timed)
				}
				if c.timed {
					if a, b := le.Uint64(c.b[len(c.b)-16:]), le.Uint64(c.b[len(c.b)-8:]); a == 0 || b < a {
						t.Errorf("%s from %d to %d", c.name(), a, b)
					}
				}
			}
			n += len(r.named("MPI_Sendrecv_replace"))
		}
		if n != 23 {
			t.Errorf("%d calls of threads, want 23", n)
		}
	})
}

// TestLoading: a program that does not know MPI loads, late and with RTLD_LOCAL, a shared library that calls MPI. The
// calls are recorded with the library's module.
func TestLoading(t *testing.T) {
	const plugin = `
#include <mpi.h>
#include <stdlib.h>
int run(void)
{
    int b = 1, c = 0;
    MPI_Init(NULL, NULL);
    MPI_Allreduce(&b, &c, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return c;
}
`
	const host = `
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = h ? (int (*)(void))dlsym(h, "run") : NULL;
    if (!run)
        puts(dlerror());
    else
        printf("%d\n", run());
    return 0;
}
`
	each(t, func(t *testing.T, m *mpi) {
		lib := m.program(t, "libplugin.so", plugin, "-shared", "-fPIC")
		prog := filepath.Join(scratch, m.name, "host")
		if err := (&mpi{mpicc: "cc"}).compile(prog, host, "-ldl"); err != nil {
			t.Fatal(err)
		}
		// Open MPI loads its own components, and these must find it. This fails without the library as well.
		plain := m.run(t, nil, prog, lib)
		s := newSession(t, options{})
		res := m.run(t, s, prog, lib)
		if res.stdout != plain.stdout || res.state != plain.state {
			t.Fatalf("%v %q, plain %v %q", res, res.stdout+res.stderr, plain, plain.stdout)
		}
		if plain.stdout != "1\n" {
			t.Skipf("plain: %q", plain.stdout)
		}
		r := one(t, s, s.the(prog))
		c := r.call(t, "MPI_Allreduce")
		if st := r.stack(c.site); len(st) < 2 || r.module(st[0]) != lib || r.module(st[1]) != prog {
			t.Errorf("stack %x in %s", st, r.module(st[0]))
		}
		names, _ := r.names()
		if c.value("comm") != names["MPI_COMM_WORLD"] || c.value("op") != names["MPI_SUM"] {
			t.Errorf("comm %x op %x", c.value("comm"), c.value("op"))
		}
	})
}
