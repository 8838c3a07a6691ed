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
	list := o.live[objectKey{kind: k, handle: handle}]
	if len(list) == 0 {
		return match.Call{}, false
	}
	return list[len(list)-1].Made, true
}

// FreedBy returns the call that has freed the object of a handle. It returns false if there is none, or if it is
// forgotten.
func (o *objectTable) FreedBy(k mpiapi.Kind, handle uint64) (match.Call, bool) {
	if o == nil {
		return match.Call{}, false
	}
	call, ok := o.freed[objectKey{kind: k, handle: handle}]
	return call, ok
}
