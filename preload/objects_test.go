package preload

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// comms returns the published communicators by handle, the latest last: rank, size, remote size, and the world ranks of
// the local and then of the remote group.
func (r ring) comms() map[int64][][]int {
	all := map[int64][][]int{}
	for _, b := range r.infos(layout.InfoComm) {
		h := int64(le.Uint64(b))
		c := []int{int(int32(le.Uint32(b[8:]))), int(int32(le.Uint32(b[12:]))), int(int32(le.Uint32(b[16:])))}
		for i := range int(le.Uint32(b[20:]) + le.Uint32(b[24:])) {
			start, stride, n := int(int32(le.Uint32(b[32+12*i:]))), int(int32(le.Uint32(b[36+12*i:]))),
				int(int32(le.Uint32(b[40+12*i:])))
			for k := range n {
				c = append(c, start+k*stride)
			}
		}
		all[h] = append(all[h], c)
	}
	return all
}

// TestObjects: communicators of all kinds are published with their groups, and arrays over their members and
// neighbours have the right lengths.
func TestObjects(t *testing.T) {
	const source = `
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf out;
static void leave(MPI_Comm *c, int *code, ...) { longjmp(out, 1); }
int main(int argc, char **argv)
{
    MPI_Comm odd, inter, back, cart, row, graph, idup, null;
    MPI_Request q;
    int r, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, disp[8] = {0, 1, 2, 3, 4, 5, 6, 7}, b[8] = {0}, c[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_split(MPI_COMM_WORLD, r % 2, -r, &odd);
    MPI_Intercomm_create(odd, 0, MPI_COMM_WORLD, r % 2 ? 2 : 3, 5, &inter);
    MPI_Alltoallv(b, ones, disp, MPI_INT, c, ones, disp, MPI_INT, inter);
    MPI_Intercomm_merge(inter, r % 2, &back);
    int dims[2] = {2, 2}, periods[2] = {1, 1}, remain[2] = {0, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_sub(cart, remain, &row);
    MPI_Neighbor_alltoallv(b, ones, disp, MPI_INT, c, ones, disp, MPI_INT, cart);
    int from = (r + 3) % 4, to[2] = {(r + 1) % 4, (r + 1) % 4};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, ones, 1, to, ones, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgatherv(b, 1, MPI_INT, c, ones, disp, MPI_INT, graph);
    MPI_Comm_idup(odd, &idup, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, r ? MPI_UNDEFINED : 0, 0, &null);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "a value");
    MPI_Info_free(&info);
    MPI_Errhandler h;
    MPI_Comm_create_errhandler(leave, &h);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, h);
    if (!setjmp(out))
        MPI_Send(b, 1, MPI_INT, 77, 0, MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "objects", source)
		s := newSession(t, options{})
		if res := m.ranks(t, s, 4, prog); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		ps := s.processes(prog)
		if len(ps) != 4 {
			t.Fatal(ps)
		}
		for _, p := range ps {
			r := one(t, s, p)
			me := p.rank()
			comms := r.comms()
			made := func(call string, i int) []int {
				t.Helper()
				c := r.named(call)[i]
				for j := range c.fn().Params {
					if p := &c.fn().Params[j]; p.Role == mpiapi.NewComm {
						if list := comms[c.after(p.Name)]; len(list) > 0 {
							return list[0]
						}
					}
				}
				return nil
			}
			same, other := []int{2, 0}, []int{3, 1}
			if me%2 == 1 {
				same, other = other, same
			}
			mine := slices.Index(same, me)
			eq := func(what string, got []int, want ...int) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("rank %d: %s is %v, want %v", me, what, got, want)
				}
			}
			eq("split", made("MPI_Comm_split", 0), append([]int{mine, 2, 0}, same...)...)
			eq("inter", made("MPI_Intercomm_create", 0), slices.Concat([]int{mine, 2, 2}, same, other)...)
			eq("idup", made("MPI_Comm_idup", 0), append([]int{mine, 2, 0}, same...)...)
			eq("merged", made("MPI_Intercomm_merge", 0), slices.Index([]int{2, 0, 3, 1}, me), 4, 0, 2, 0, 3, 1)
			eq("cart", made("MPI_Cart_create", 0), me, 4, 0, 0, 1, 2, 3)
			eq("row", made("MPI_Cart_sub", 0), me%2, 2, 0, me/2*2, me/2*2+1)
			if me != 0 {
				eq("nothing", made("MPI_Comm_split", 1))
			}
			lengths := func(call, param string, want int) {
				t.Helper()
				list := r.named(call)
				if got := list[len(list)-1].ints(param, mpiapi.SectionIn32); len(got) != want {
					t.Errorf("rank %d: %s of %s: %v, want %d numbers", me, param, call, got, want)
				}
			}
			lengths("MPI_Alltoallv", "sendcounts", 2)
			lengths("MPI_Cart_create", "dims", 2)
			lengths("MPI_Cart_sub", "remain_dims", 2)
			lengths("MPI_Neighbor_alltoallv", "rdispls", 4)
			lengths("MPI_Neighbor_allgatherv", "recvcounts", 1)
			lengths("MPI_Dist_graph_create_adjacent", "destweights", 1)
			if got := r.named("MPI_Dist_graph_create_adjacent")[0].ints("destweights", mpiapi.SectionIn32); got != nil {
				t.Errorf("rank %d: weights %v where there are none", me, got)
			}
			bodies, _ := r.call(t, "MPI_Info_set").sections("value")
			if string(bodies[mpiapi.SectionString]) != "a value" {
				t.Errorf("value %q", bodies[mpiapi.SectionString])
			}
			// A call that was left by longjmp is closed by the next call.
			calls := r.calls()
			if int(r.done()) != len(calls) || r.call(t, "MPI_Send").rc != -1 ||
				calls[len(calls)-2].name() != "MPI_Barrier" {
				t.Errorf("%d calls, %d done: %v", len(calls), r.done(), r.callNames())
			}
		}
	})
}

// TestSessions: a program that never calls MPI_Init, only MPI_Session_init, is recorded, too.
func TestSessions(t *testing.T) {
	const source = `
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Session s;
    MPI_Group g;
    MPI_Comm c;
    int b = 1, sum = 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
    MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
    MPI_Comm_create_from_group(g, "tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
    MPI_Group_free(&g);
    MPI_Allreduce(&b, &sum, 1, MPI_INT, MPI_SUM, c);
    MPI_Comm_free(&c);
    MPI_Session_finalize(&s);
    return sum != 2;
}
`
	each(t, func(t *testing.T, m *mpi) {
		if !m.exported["PMPI_Session_init"] {
			t.Skip("it has no sessions")
		}
		prog := m.program(t, "sessions", source)
		s := newSession(t, options{})
		if res := m.ranks(t, s, 2, prog); res.state != 0 || res.stderr != "" {
			t.Fatal(res, res.stderr)
		}
		for _, p := range s.processes(prog) {
			if !p.initialized() || !p.finalized() || p.state() != layout.StateExited {
				t.Errorf("%v", p)
			}
			r := one(t, s, p)
			names, _ := r.names()
			b := r.infos(layout.InfoMPI)
			if len(b) != 1 || int(le.Uint32(b[0])) != p.rank() || le.Uint32(b[0][4:]) != 2 || names["MPI_SUM"] == 0 {
				t.Errorf("MV_MPI %v", b)
			}
			c := r.call(t, "MPI_Comm_create_from_group")
			if got := r.comms()[c.after("newcomm")]; len(got) != 1 ||
				!slices.Equal(got[0], []int{p.rank(), 2, 0, 0, 1}) {
				t.Errorf("communicator %v", got)
			}
		}
	})
}

// TestFortran: the stack of calls of Fortran programs contains the program, although the MPI library's Fortran layer
// calls the library's own entries.
func TestFortran(t *testing.T) {
	const source = `
program f
  use mpi
  integer ierr, b, c
  b = 1
  call MPI_Init(ierr)
  call MPI_Allreduce(b, c, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
`
	each(t, func(t *testing.T, m *mpi) {
		fc := strings.Replace(m.mpicc, "mpicc", "mpif90", 1)
		if _, err := exec.LookPath(fc); err != nil {
			t.Skip(err)
		}
		prog := filepath.Join(scratch, m.name, "fortran")
		if err := os.WriteFile(prog+".f90", []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(fc, "-g", "-o", prog, prog+".f90"); err != nil {
			t.Skip(err)
		}
		s := newSession(t, options{})
		if res := m.run(t, s, prog); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		r := one(t, s, s.the(prog))
		names, _ := r.names()
		c := r.call(t, "MPI_Allreduce")
		if c.value("datatype") != names["MPI_INTEGER"] || c.value("op") != names["MPI_SUM"] {
			t.Errorf("datatype %x op %x", c.value("datatype"), c.value("op"))
		}
		if !slices.ContainsFunc(r.stack(c.site), func(pc uint64) bool { return r.module(pc) == prog }) {
			t.Errorf("stack %x", r.stack(c.site))
		}
		if got := r.callNames(); !slices.Equal(got, []string{"MPI_Init", "MPI_Allreduce", "MPI_Finalize"}) {
			t.Errorf("calls %v", got)
		}
	})
}

// TestPassthrough: the passthrough library compiles, and programs run in the same way with it and without it.
func TestPassthrough(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		dir := t.TempDir()
		if err := WritePassthrough(dir, func(name string) bool { return m.exported[name] }); err != nil {
			t.Fatal(err)
		}
		lib := filepath.Join(dir, "libpass.so")
		files, err := filepath.Glob(filepath.Join(dir, "*.c"))
		if err != nil {
			t.Fatal(err)
		}
		if err := run(m.mpicc, slices.Concat(CompileFlags(), []string{"-Werror", "-o", lib}, files)...); err != nil {
			t.Fatal(err)
		}
		prog := m.program(t, "exchange", exchange)
		plain := m.ranks(t, nil, 2, prog)
		if res := m.ranks(t, nil, 2, "env", "LD_PRELOAD="+lib, prog); res.state != plain.state ||
			sortLines(res.stdout) != sortLines(plain.stdout) || res.stderr != plain.stderr {
			t.Errorf("%v %q %q", res, res.stdout, res.stderr)
		}
	})
}
