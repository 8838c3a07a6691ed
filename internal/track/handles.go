package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// What is known of a handle, for checks.

// HasNames reports whether the process has told what its MPI library calls its constants and predefined handles. Without these
// hardly anything can be said about its arguments.
func (p *Process) HasNames() bool { return len(p.names.words) != 0 }

// Predefined reports whether MPI has made the object of a handle, and whether it is the null handle of the kind.
func (p *Process) Predefined(k mpiapi.Kind, handle uint64) (null, ok bool) {
	w := p.names.handle(k, handle)
	return w != nil && w.Null(), w != nil
}

// NullHandle returns the null handle of a kind, false if it is not known.
func (p *Process) NullHandle(k mpiapi.Kind) (uint64, bool) {
	for i := range p.names.words {
		if w := &p.names.words[i]; !w.Const && w.Kind == k && w.Null() {
			return p.names.values[i], true
		}
	}
	return 0, false
}

// Knows reports whether a handle stands for an object of a kind: one that the program has made, or a communicator, window, file or
// group that MPI has made. Requests are not looked at.
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
		known = p.msgs[handle] != nil
	case mpiapi.Datatype:
		known = p.types[handle] != nil
	}
	return known || p.objects != nil && len(p.objects.live[objectKey{kind: k, handle: handle}]) > 0
}

// KindOf returns what a handle stands for, false if it is not known.
func (p *Process) KindOf(handle uint64) (mpiapi.Kind, bool) {
	if handle == 0 {
		return 0, false
	}
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		if p.names.handle(k, handle) != nil {
			return k, true
		}
	}
	if l := p.reqs.list(handle, false); l != nil && l.n > 0 {
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

// MadeBy returns the call that has made the object of a handle, or the last reference to it. It is false if the program has made none
// of the kind with this handle, or has freed it. Datatypes and requests are not looked at.
func (p *Process) MadeBy(k mpiapi.Kind, handle uint64) (match.Call, bool) {
	if p.objects == nil {
		return match.Call{}, false
	}
	list := p.objects.live[objectKey{kind: k, handle: handle}]
	if len(list) == 0 {
		return match.Call{}, false
	}
	return list[len(list)-1].Made, true
}

// FreedBy returns the call that has freed the object of a handle. It is false if none has, or if that is forgotten.
func (p *Process) FreedBy(k mpiapi.Kind, handle uint64) (match.Call, bool) {
	if p.objects == nil {
		return match.Call{}, false
	}
	call, ok := p.objects.freed[objectKey{kind: k, handle: handle}]
	return call, ok
}

// OwnOperation reports whether a handle stands for a reduction operation that the program has made.
func (p *Process) OwnOperation(handle uint64) bool { return p.ops[handle] != nil }

// OnlyRequest returns the request of a handle. It is nil if that is not known, or if several requests have the handle.
func (p *Process) OnlyRequest(handle uint64) *Request {
	if r := p.find(handle, 0); r != nil && r.list.n == 1 {
		return r
	}
	return nil
}

// RunsCallbacks reports whether functions of the program may have run inside of MPI. What these make and free is not known.
func (p *Process) RunsCallbacks() bool {
	return p.Callbacks || p.Handlers || p.objects != nil && p.objects.crowds[mpiapi.Keyval] != nil
}

// MaxTag returns MPI_TAG_UB, or the largest number of all if that is not known.
func (p *Process) MaxTag() int32 { return p.maxTag }

// TakesMessage reports whether the call that the thread is in receives a message that a matched probe has found.
func (th *Thread) TakesMessage() bool { return th.taken != nil }
