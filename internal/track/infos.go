package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// infoTable has the contents of the info objects of a process, by handle.
type infoTable struct{ infos map[uint64]infoObject }

// infoObject has the pairs of an info object. Most have few, and a map for each is slow to make.
type infoObject []infoPair

type infoPair struct{ key, value string }

// find returns the place of a key, -1 if the object has none.
func (o infoObject) find(key string) int {
	return slices.IndexFunc(o, func(p infoPair) bool { return p.key == key })
}

// set gives a key a value.
func (o infoObject) set(key, value string) infoObject {
	if i := o.find(key); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, infoPair{key, value})
}

// drop removes a key.
func (o infoObject) drop(key string) infoObject {
	return slices.DeleteFunc(o, func(p infoPair) bool { return p.key == key })
}

// changeInfo follows the program's calls on info objects (MPI standard, chapter 10).
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
		it.setInfo(uint64(c.After(f.Param("info"))), nil)
	case mpiapi.IDInfoDup:
		if old, known := it.infos[handle(f.Param("info"))]; known {
			it.setInfo(uint64(c.After(f.Param("newinfo"))), slices.Clone(old))
		}
	case mpiapi.IDInfoSet:
		if o, known := it.infos[handle(f.Param("info"))]; known {
			it.setInfo(handle(f.Param("info")), o.set(text("key"), text("value")))
		}
	case mpiapi.IDInfoDelete:
		if o, known := it.infos[handle(f.Param("info"))]; known {
			it.setInfo(handle(f.Param("info")), o.drop(text("key")))
		}
	case mpiapi.IDInfoFree:
		if h := handle(f.Param("info")); !th.renewed(mpiapi.Info, h) {
			delete(it.infos, h)
		}
	}
}

func (it *infoTable) setInfo(handle uint64, o infoObject) { it.infos = put(it.infos, handle, o) }

// Info returns the value of a key of an info object, "" if it has none. It returns false if the content of the object
// is not known.
func (p *Process) Info(handle uint64, key string) (string, bool) {
	if o, known := p.infos[handle]; known {
		if i := o.find(key); i >= 0 {
			return o[i].value, true
		}
		return "", true
	}
	return "", p.NameHandle(mpiapi.Info, handle) == "MPI_INFO_NULL"
}
