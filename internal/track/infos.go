package track

import (
	"maps"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// infoTable has what is in the info objects of a process, by handle.
type infoTable struct{ infos map[uint64]map[string]string }

// changeInfo follows what the program does with info objects (MPI standard, chapter 10).
func (it *infoTable) changeInfo(th *Thread, c *event.Call) {
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
		it.setInfo(uint64(c.After(f.Param("info"))), make(map[string]string))
	case mpiapi.IDInfoDup:
		if old := it.infos[handle(f.Param("info"))]; old != nil {
			it.setInfo(uint64(c.After(f.Param("newinfo"))), maps.Clone(old))
		}
	case mpiapi.IDInfoSet:
		if m := it.infos[handle(f.Param("info"))]; m != nil {
			m[text("key")] = text("value")
		}
	case mpiapi.IDInfoDelete:
		delete(it.infos[handle(f.Param("info"))], text("key"))
	case mpiapi.IDInfoFree:
		if h := handle(f.Param("info")); !th.renewed(mpiapi.Info, h) {
			delete(it.infos, h)
		}
	}
}

func (it *infoTable) setInfo(handle uint64, m map[string]string) {
	it.infos = put(it.infos, handle, m)
}

// Info returns the value of a key of an info object, "" if it has none, false if what is in the object is not known.
func (p *Process) Info(handle uint64, key string) (string, bool) {
	if m := p.infos[handle]; m != nil {
		return m[key], true
	}
	return "", p.NameHandle(mpiapi.Info, handle) == "MPI_INFO_NULL"
}
