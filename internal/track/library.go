package track

import (
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// library has the facts that a process has reported about its MPI library, and the properties of the library.
type library struct {
	Library  string
	Version  [2]int // of the standard
	Helpers  int    // threads that MPI had when MPI_Init returned, or that did not call MPI before; -1 if unknown
	Multiple bool   // MPI_THREAD_MULTIPLE is provided
	names    *names
	maxTag   int32 // MPI_TAG_UB, the largest number of all if it is not known
	constants
}

// ErrorClass returns the name of an error class, "" if it is not known.
func (l *library) ErrorClass(class int32) string { return l.names.errorClass(class) }

// IsNull reports whether a handle is known to be the null handle of requests, communicators or datatypes.
func (l *library) IsNull(kind mpiapi.Kind, handle uint64) bool {
	switch kind {
	case mpiapi.Request:
		return handle == l.requestNull
	case mpiapi.Comm:
		return handle == l.commNull
	case mpiapi.Datatype:
		return handle == l.typeNull
	}
	return false
}

// NameConst returns the name of a constant with a special meaning as the value of a parameter; "" for other values.
// With NameHandle it makes the process an event.Namer.
func (l *library) NameConst(q *mpiapi.Param, value int64) string {
	return event.ConstName(q, value, l.names.isConst)
}

// HasNames reports whether the process has announced the constants and predefined handles of its MPI library. Without
// these, its arguments can hardly be checked.
func (l *library) HasNames() bool { return len(l.names.words) != 0 }

// Predefined reports whether MPI has made the object of a handle, and whether it is the null handle of the kind.
func (l *library) Predefined(k mpiapi.Kind, handle uint64) (null, ok bool) {
	w := l.names.handle(k, handle)
	return w != nil && w.Null(), w != nil
}

// NullHandle returns the null handle of a kind, false if it is not known.
func (l *library) NullHandle(k mpiapi.Kind) (uint64, bool) {
	for i := range l.names.words {
		if w := &l.names.words[i]; !w.Const && w.Kind == k && w.Null() {
			return l.names.values[i], true
		}
	}
	return 0, false
}

// MaxTag returns MPI_TAG_UB, or the largest number of all if it is not known.
func (l *library) MaxTag() int32 { return l.maxTag }

// Constant returns the value of a constant of the process's MPI, false if it is not known.
func (l *library) Constant(name string) (int64, bool) {
	return l.names.constant(name)
}

// InPlace returns the address that is MPI_IN_PLACE, false if it is not known.
func (l *library) InPlace() (uint64, bool) { return l.inPlace, l.hasInPlace }

// requestVariable returns the address of the i-th request that a wait or test is given.
func (l *library) requestVariable(p *plan, c *event.Call, i int) uint64 {
	return p.request.Handle(c.Raw()) + uint64(i)*l.requestSize
}

// statusIgnored reports whether an address may be MPI_STATUS_IGNORE.
func (l *library) statusIgnored(address int64) bool {
	v, ok := l.names.constant("MPI_STATUS_IGNORE")
	return !ok || v == address
}
