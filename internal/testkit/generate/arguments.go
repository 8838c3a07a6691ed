package generate

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Addresses of a process.
const (
	memoryAt   = 0x10000000
	variableAt = 0x20000000
	movedAt    = 0x30000000
	localAt    = 0x7ffd0000
	functionAt = 0x500000
)

// handle returns the value of a handle.
func (k *process) handle(v Value, kind mpiapi.Kind) uint64 {
	switch v := v.(type) {
	case nil:
		return k.lib.null(kind)
	case Word:
		return k.lib.words[v]
	case Variable:
		if kind == mpiapi.Request {
			return k.ticket(k.requests[v.Index])
		}
		if h, ok := k.handles[v]; ok {
			return h
		}
		return k.lib.null(kind)
	}
	panic("not a handle")
}

// ticket returns the handle of a request.
func (k *process) ticket(t *ticket) uint64 {
	if t == nil {
		return k.lib.null(mpiapi.Request)
	}
	return t.handle
}

func (k *process) address(v Variable) uint64 {
	return variableAt + uint64(v.Kind)<<20 + uint64(v.Index)*k.lib.size()
}

// arguments returns the content of a call's record before it returns.
func (k *process) arguments(c *Call, f *mpiapi.Func) fakerun.Args {
	a := make(fakerun.Args)
	for i := range f.Params {
		p := &f.Params[i]
		v := c.Args[p.Name]
		switch v := v.(type) {
		case nil:
			switch {
			case p.Pointer && p.Dir != mpiapi.In:
				a["*"+p.Name] = uint64(localAt + 16*i)
			case p.Kind.Handle() && !p.Pointer:
				a[p.Name] = k.lib.null(p.Kind)
			}
		case Variable:
			if !p.Pointer {
				a[p.Name] = k.handle(v, p.Kind)
				break
			}
			a["*"+p.Name] = k.address(v)
			if p.Dir == mpiapi.InOut {
				a[p.Name] = k.handle(v, p.Kind)
			}
		case Word:
			switch {
			case v == "status":
				a["*"+p.Name] = uint64(localAt)
			case p.Kind.Handle() || p.Kind == mpiapi.Buffer:
				a[p.Name] = k.lib.words[v]
			default:
				a[p.Name] = int(int32(k.lib.words[v]))
			}
		case Number, Field:
			a[p.Name] = k.number(v)
		case Memory:
			a[p.Name] = memoryAt + uint64(v)
		case Requests:
			a["*"+p.Name] = k.address(Variable{mpiapi.Request, v.From})
			a[p.Name] = k.list(k.requests[v.From : v.From+v.N])
		case Moved:
			a["*"+p.Name] = uint64(movedAt)
			a[p.Name] = k.list(k.moved)
		case Numbers:
			a[p.Name] = numbers(p, v)
		case Types:
			var list []uint64
			for _, t := range v {
				list = append(list, k.handle(t, mpiapi.Datatype))
			}
			a[p.Name] = list
		case Text:
			a[p.Name] = string(v)
		case UserFunction:
			a[p.Name] = uint64(functionAt)
		}
	}
	k.statusRoom(c, f, a)
	return a
}

func (k *process) list(tickets []*ticket) []uint64 {
	list := make([]uint64, 0, len(tickets))
	for _, t := range tickets {
		list = append(list, k.ticket(t))
	}
	return list
}

func numbers(p *mpiapi.Param, v Numbers) any {
	if p.Layout.InSection == mpiapi.SectionIn32 {
		list := make([]int32, 0, len(v))
		for _, n := range v {
			list = append(list, int32(n))
		}
		return list
	}
	list := make([]uint64, 0, len(v))
	for _, n := range v {
		list = append(list, uint64(n))
	}
	return list
}

// statusRoom makes room for the results of calls that may not return. A receive has a status only if it has wildcards.
func (k *process) statusRoom(c *Call, f *mpiapi.Func, a fakerun.Args) {
	i := f.Arg(mpiapi.TheStatus)
	if i < 0 {
		return
	}
	name := ">" + f.Params[i].Name
	switch f.Class {
	case mpiapi.Recv, mpiapi.SendRecv:
		tag := c.Args["tag"]
		if f.Class == mpiapi.SendRecv {
			tag = c.Args["recvtag"]
		}
		if c.Args["source"] == Word("MPI_ANY_SOURCE") || tag == Word("MPI_ANY_TAG") {
			a[name] = []fakerun.Status{{}}
		}
	case mpiapi.Probe, mpiapi.Mrecv:
		a[name] = []fakerun.Status{{}}
	case mpiapi.Wait, mpiapi.Test:
		n := 1
		if f.Params[i].Name == "array_of_statuses" {
			n = len(k.tickets(c))
			if j := f.Arg(mpiapi.Indices); j >= 0 {
				a[">"+f.Params[j].Name] = make([]int32, n)
			}
		}
		a[name] = make([]fakerun.Status, n)
	}
}
