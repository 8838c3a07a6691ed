package track_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// garbage is a source of numbers: bytes that are read again and again.
type garbage struct {
	data []byte
	at   int
}

func (g *garbage) number() uint64 {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[g.at%len(g.data)]
	g.at++
	switch b & 3 {
	case 0: // a small one
		return uint64(int64(int8(b)) >> 2)
	case 1: // a value with a meaning: a handle or a constant
		return []uint64{
			Int, Double, Byte, TypeNull, OrderC, OrderF, Block, Cyclic, None, derived, derived + 1,
			derived + 2, 1 << 62, 1 << 63, 1<<64 - 1, 0,
		}[b>>4]
	}
	var all [8]byte
	for i := range all {
		all[i] = g.data[(g.at+i)%len(g.data)]
	}
	g.at += len(all)
	return binary.LittleEndian.Uint64(all[:])
}

// args makes arguments of a function. Arrays may be too long, too short or missing.
func (g *garbage) args(f *mpiapi.Func) Args {
	a := make(Args)
	for i := range f.Params {
		p := &f.Params[i]
		l := p.Layout
		switch {
		case l.OutSection == mpiapi.SectionOut64 || l.OutSection == mpiapi.SectionOut32:
			a[">"+p.Name] = g.array(l.OutSection == mpiapi.SectionOut64)
		case l.InSection == mpiapi.SectionIn64 || l.InSection == mpiapi.SectionIn32:
			if v := g.number(); v%8 == 0 {
				a["*"+p.Name] = v
			} else {
				a[p.Name] = g.array(l.InSection == mpiapi.SectionIn64)
			}
		case l.After != 0:
			a[">"+p.Name] = derived + g.number()%8
		case p.Pointer && l.Before == 0:
			a["*"+p.Name] = g.number()
		case p.Kind == mpiapi.Count || p.Name == "count" || p.Name == "ndims":
			a[p.Name] = g.number() % 8
		default:
			a[p.Name] = g.number()
		}
	}
	return a
}

func (g *garbage) array(wide bool) any {
	n := g.number() % 8
	if wide {
		l := make([]uint64, n)
		for i := range l {
			l[i] = g.number()
		}
		return l
	}
	l := make([]int32, n)
	for i := range l {
		l[i] = int32(g.number())
	}
	return l
}

// nobody is a reporter that ignores the findings.
type nobody struct{}

func (nobody) Report(*finding.Finding) {}

// FuzzDatatypes feeds calls on datatypes with arbitrary arguments to the analysis. It may give any findings, but no
// part of it may fail.
func FuzzDatatypes(f *testing.F) {
	fuzz(f, func(fn *mpiapi.Func) bool {
		return fn.Class != mpiapi.Query && (strings.HasPrefix(fn.Name, "MPI_Type_") || fn.Name == "MPI_Send" ||
			fn.Name == "MPI_Alltoallw")
	})
}

// FuzzArguments does the same with all calls.
func FuzzArguments(f *testing.F) {
	fuzz(f, func(fn *mpiapi.Func) bool { return fn.ReturnsCode() && fn.Base != mpiapi.IDFinalize })
}

func fuzz(f *testing.F, which func(*mpiapi.Func) bool) {
	var funcs []*mpiapi.Func
	for _, fn := range mpiapi.Funcs() {
		if which(fn) {
			funcs = append(funcs, fn)
		}
	}
	for i := range 40 {
		b := make([]byte, 64)
		for k := range b {
			b[k] = byte((k + 1) * (2*i + 7) >> (i % 4))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &garbage{data: data}
		p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: nobody{}})
		New(1).Deliver(p, 100, 0)
		for range 12 {
			fn := funcs[g.number()%uint64(len(funcs))]
			rec := Record(1, fn.Name, g.args(fn), int32(g.number()&1))
			if v := g.number(); v&7 == 7 && len(rec) > layout.SizeofRecord { // overwritten by the program
				rec[layout.SizeofRecord+int(v>>8)%(len(rec)-layout.SizeofRecord)] = byte(v >> 3)
			}
			p.Batch(&ring.Batch{Data: rec, Open: g.number()&15 == 15})
		}
		p.End(0, &ring.ProcEnd{Kind: ring.Signaled, Code: 11, TID: p.Tracker.Threads[0].TID, InMPI: true})
		p.Finish()
		if p.Trouble() != "" {
			t.Error(p.Trouble())
		}
	})
}
