package track

import "github.com/mpivet/mpivet/internal/mpi/mpiapi"

// Facts about handles, for checks.

// Knows reports whether a handle stands for an object of a kind: one that the program has made, or a communicator,
// window, file or group that MPI has made. It does not look at requests.
func (p *Process) Knows(k mpiapi.Kind, handle uint64) bool {
	known := false
	switch k {
	case mpiapi.Comm:
		known = p.View(handle) != nil
	case mpiapi.Win:
		known = p.wins[handle] != nil
	case mpiapi.File:
		known = p.files[handle] != nil
	case mpiapi.Group:
		_, known = p.groups[handle]
	case mpiapi.Message:
		known = p.messageTable.matched[handle] != nil
	case mpiapi.Datatype:
		known = p.types[handle] != nil
	}
	return known || p.objectTable.isLive(k, handle)
}

// KindOf returns the kind of object that a handle stands for, false if it is not known.
func (p *Process) KindOf(handle uint64) (mpiapi.Kind, bool) {
	if handle == 0 {
		return 0, false
	}
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		if p.names.handle(k, handle) != nil {
			return k, true
		}
	}
	if l := p.requestTable.list(handle, false); l != nil && l.n > 0 {
		return mpiapi.Request, true
	}
	if p.types[handle] != nil {
		return mpiapi.Datatype, true
	}
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		if p.Knows(k, handle) {
			return k, true
		}
	}
	return 0, false
}

// OwnOperation reports whether a handle stands for a reduction operation that the program has made.
func (ot *opTable) OwnOperation(handle uint64) bool { return ot.ops[handle] != nil }

// OnlyRequest returns the request of a handle. It is nil if it is not known, or if several requests have the handle.
func (rt *requestTable) OnlyRequest(handle uint64) *Request {
	if r := rt.lookUp(handle, 0); r != nil && r.list.n == 1 {
		return r
	}
	return nil
}

// RunsCallbacks reports whether functions of the program may have run inside MPI. It is not known what they make and
// free.
func (p *Process) RunsCallbacks() bool {
	return p.Callbacks || p.Handlers || p.objectTable != nil && p.objectTable.crowds[mpiapi.Keyval] != nil
}
