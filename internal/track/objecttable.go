package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// MadeBy returns the call that has made the object of a handle, or the last reference to it. It returns false if the
// program has made no object of the kind with this handle, or has freed it. It does not look at datatypes and requests.
func (o *objectTable) MadeBy(k mpiapi.Kind, handle uint64) (match.Call, bool) {
	if o == nil {
		return match.Call{}, false
	}
	r := o.records[objectKey{kind: k, handle: handle}]
	if r == nil || len(r.live) == 0 {
		return match.Call{}, false
	}
	return r.live[len(r.live)-1].Made, true
}

// FreedBy returns the call that has freed the object of a handle. It returns false if there is none, or if it is
// forgotten.
func (o *objectTable) FreedBy(k mpiapi.Kind, handle uint64) (match.Call, bool) {
	if o == nil {
		return match.Call{}, false
	}
	r := o.records[objectKey{kind: k, handle: handle}]
	if r == nil || !r.freed {
		return match.Call{}, false
	}
	return r.freedBy, true
}

// isLive reports whether the program has made an object of a handle and not freed it.
func (o *objectTable) isLive(k mpiapi.Kind, handle uint64) bool {
	if o == nil {
		return false
	}
	r := o.records[objectKey{kind: k, handle: handle}]
	return r != nil && len(r.live) > 0
}
