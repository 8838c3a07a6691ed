package track

import (
	"maps"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// changeInfo follows what the program does with info objects (MPI standard, chapter 10).
func (p *Process) changeInfo(th *Thread, c *event.Call) {
	f := c.Func
	handle := func(i int) uint64 {
		if f.Params[i].Pointer {
			return uint64(c.Before(i))
		}
		return c.Handle(i)
	}
	text := func(name string) string {
		t, _ := c.Text(f.Param(name))
		return string(t)
	}
	switch f.Base {
	case mpiapi.IDInfoCreate:
		p.setInfo(uint64(c.After(f.Param("info"))), make(map[string]string))
	case mpiapi.IDInfoDup:
		if old := p.infos[handle(f.Param("info"))]; old != nil {
			p.setInfo(uint64(c.After(f.Param("newinfo"))), maps.Clone(old))
		}
	case mpiapi.IDInfoSet:
		if m := p.infos[handle(f.Param("info"))]; m != nil {
			m[text("key")] = text("value")
		}
	case mpiapi.IDInfoDelete:
		delete(p.infos[handle(f.Param("info"))], text("key"))
	case mpiapi.IDInfoFree:
		if h := handle(f.Param("info")); !th.renewed(mpiapi.Info, h) {
			delete(p.infos, h)
		}
	}
}

func (p *Process) setInfo(handle uint64, m map[string]string) {
	if p.infos == nil {
		p.infos = make(map[uint64]map[string]string)
	}
	p.infos[handle] = m
}

// Info returns the value of a key of an info object, "" if it has none, false if what is in the object is not known.
func (p *Process) Info(handle uint64, key string) (string, bool) {
	if m := p.infos[handle]; m != nil {
		return m[key], true
	}
	return "", p.NameHandle(mpiapi.Info, handle) == "MPI_INFO_NULL"
}
