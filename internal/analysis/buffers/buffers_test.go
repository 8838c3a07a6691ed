package buffers_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/buffers"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"

	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// use is a buffer of n integers that an operation uses.
type use struct {
	at, n  int
	write  bool
	handle int
	fixed  bool // of a persistent request
	active bool
}

func (u *use) meets(o *use) bool {
	return (u.write || o.write) && u.at < o.at+o.n && o.at < u.at+u.n && u.n > 0 && o.n > 0
}

// owner generates a program of one rank, and computes which of its calls pass memory that is in use.
type owner struct {
	t    *rapid.T
	k    *Rank
	uses []*use // uses that are not complete
	n    int
	want []string
}

func (o *owner) num(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(o.t, "n") }

// pass calls a function that passes u. kept says whether u is in use after the call.
func (o *owner) pass(function string, u *use, kept bool) {
	clash := slices.ContainsFunc(o.uses, func(v *use) bool { return v != u && v.active && v.meets(u) })
	if clash {
		o.want = append(o.want, function)
		u.n = 0 // it is not followed
	}
	u.active = kept
}

func (o *owner) message(function string, u *use) Args {
	a := Args{"buf": uint64(0x7f0000000000 + 4*u.at), "count": u.n, "datatype": Int, "dest": 0, "tag": 0, "comm": World}
	if u.write {
		delete(a, "dest")
		a["source"] = 0
	}
	if strings.HasPrefix(function, "MPI_I") || strings.HasSuffix(function, "_init") {
		o.n++
		u.handle = 0x98000000 + o.n
		a[">request"], a["*request"] = u.handle, 0x1000+8*o.n
	} else if u.write {
		a["status"] = Ignore
	}
	return a
}

func (o *owner) step() {
	u := &use{at: o.num(0, 40), n: o.num(0, 6), write: o.num(0, 1) == 0}
	name := map[bool]string{true: "recv", false: "send"}[u.write]
	var active, idle []*use
	for _, v := range o.uses {
		if v.active {
			active = append(active, v)
		} else {
			idle = append(idle, v)
		}
	}
	some := func(list []*use) *use { return list[o.num(0, len(list)-1)] }
	switch c := o.num(0, 9); {
	case c < 3:
		f := "MPI_I" + name
		a := o.message(f, u)
		o.pass(f, u, true)
		o.uses = append(o.uses, u)
		o.k.Call(f, f, a)
	case c < 4:
		f := "MPI_" + strings.ToUpper(name[:1]) + name[1:]
		a := o.message(f, u)
		o.pass(f, u, false)
		o.k.Call(f, f, a)
	case c < 5:
		u.fixed = true
		f := "MPI_" + strings.ToUpper(name[:1]) + name[1:] + "_init"
		o.k.Call(f, f, o.message(f, u))
		o.uses = append(o.uses, u)
	case c < 7 && len(idle) > 0:
		v := some(idle)
		n := v.n
		o.pass("MPI_Start", v, true)
		o.k.Call("start", "MPI_Start", Args{"request": v.handle, "*request": 0x1000})
		if v.n != n {
			o.over(v) // MPI has it, but the analysis does not follow it: complete it at once
			v.n = n
		}
	case len(active) > 0:
		o.over(some(active))
	}
}

// over completes an operation by a call that also names operations that do not complete.
func (o *owner) over(u *use) {
	handles := []uint64{RequestNull, uint64(u.handle)}
	at := 1
	for _, v := range o.uses {
		if v != u && v.active {
			handles = append(handles, uint64(v.handle))
		}
	}
	list := Args{"array_of_requests": handles, "*array_of_requests": 0x9000}
	status := []Status{{Bytes: int64(4 * u.n)}}
	switch o.num(0, 5) {
	case 0:
		list["count"], list[">index"], list[">status"] = len(handles), at, status
		o.k.Call("any", "MPI_Waitany", list)
	case 1:
		list["count"], list[">index"], list[">flag"], list[">status"] = len(handles), at, 1, status
		o.k.Call("any", "MPI_Testany", list)
	case 2:
		list["incount"], list[">outcount"], list[">array_of_indices"], list[">array_of_statuses"] =
			len(handles), 1, []int32{int32(at)}, status
		o.k.Call("some", "MPI_Testsome", list)
	case 3:
		if !u.write && !u.fixed {
			o.k.Call("free", "MPI_Request_free", Args{"request": u.handle, "*request": 0x1000})
			break
		}
		fallthrough
	case 4:
		o.k.Call("test", "MPI_Test", Args{"request": u.handle, "*request": 0x1000, ">flag": 0})
		o.k.Call("test", "MPI_Test", Args{"request": u.handle, "*request": 0x1000, ">flag": 1, ">status": status})
	default:
		o.k.Call("wait", "MPI_Wait", Args{"request": u.handle, "*request": 0x1000, ">status": status})
	}
	if u.active = false; !u.fixed {
		o.uses = slices.DeleteFunc(o.uses, func(v *use) bool { return v == u })
	}
}

func TestOwnersAreExact(t *testing.T) {
	clashes := 0
	rapid.Check(t, func(t *rapid.T) {
		p := New(1)
		o := &owner{t: t, k: p.Ranks[0]}
		for range o.num(1, 150) {
			o.step()
		}
		tr := track.New(match.New())
		run := analysis.NewRun(tr)
		run.Require([]analysis.Need{buffers.Fact})
		var got []string
		buffers.Fact.Of(run).Clashes.On(run.Owner, func(c *buffers.Clash) {
			got = append(got, mpiapi.ByID(c.Call.Func()).Name)
		})
		p.Deliver(handler{tr}, o.num(1, 20), 0)
		if !slices.Equal(got, o.want) {
			t.Fatalf("found %q, want %q", got, o.want)
		}
		clashes += len(got)
	})
	if clashes == 0 {
		t.Error("nothing clashed: nothing was tested")
	}
}

type handler struct{ *track.Tracker }

func (handler) Tick() {}
