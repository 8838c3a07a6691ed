package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// library determines the handles of one process. There are two kinds: MPICH has numbers and takes the lowest free one;
// Open MPI has addresses and takes the last freed one. In both, all requests of small sends that are complete at once
// share one handle, and so do those of MPI_PROC_NULL.
type library struct {
	addresses bool
	words     map[Word]uint64
	names     []fakerun.Name
	free      map[mpiapi.Kind][]uint64
	made      map[mpiapi.Kind]uint64
	base      uint64 // of addresses
	done      uint64 // the handle of requests that are complete at once
}

// constants are values that both MPIs share, or that do not matter.
var constants = []struct {
	word         Word
	mpich, other int64
}{
	{"MPI_ANY_SOURCE", -2, -1},
	{"MPI_PROC_NULL", -1, -2},
	{"MPI_ANY_TAG", -1, -1},
	{"MPI_ROOT", -3, -4},
	{"MPI_UNDEFINED", -32766, -32766},
	{"MPI_IN_PLACE", -1, 1},
	{"MPI_STATUS_IGNORE", 1, 0},
	{"MPI_STATUSES_IGNORE", 1, 0},
	{"MPI_SUCCESS", 0, 0},
	{"MPI_ERR_TRUNCATE", 14, 15},
	{"MPI_ERR_IN_STATUS", 17, 18},
	{"MPI_ERR_PENDING", 18, 19},
	{"MPI_ERR_TYPE", 3, 3},
	{"MPI_THREAD_MULTIPLE", 3, 3},
	{"MPI_BSEND_OVERHEAD", 96, 128},
}

// handles are the predefined handles.
var handles = []struct {
	kind uint8
	word Word
}{
	{fakerun.KindComm, "MPI_COMM_WORLD"},
	{fakerun.KindComm, "MPI_COMM_SELF"},
	{fakerun.KindComm, "MPI_COMM_NULL"},
	{fakerun.KindRequest, "MPI_REQUEST_NULL"},
	{fakerun.KindDatatype, "MPI_DATATYPE_NULL"},
	{fakerun.KindInfo, "MPI_INFO_NULL"},
	{fakerun.KindMessage, "MPI_MESSAGE_NULL"},
	{fakerun.KindOp, "MPI_SUM"},
	{fakerun.KindOp, "MPI_MAX"},
	{fakerun.KindOp, "MPI_MIN"},
}

func newLibrary(rng *rand.Rand, addresses bool) *library {
	l := &library{
		addresses: addresses, words: make(map[Word]uint64), free: make(map[mpiapi.Kind][]uint64),
		made: make(map[mpiapi.Kind]uint64), base: 0x7f0000000000 + rng.Uint64N(1<<20)<<12,
	}
	for _, c := range constants {
		v := c.mpich
		if addresses {
			v = c.other
		}
		l.words[c.word] = uint64(v)
		l.names = append(l.names, fakerun.Name{Kind: fakerun.KindConst, Value: uint64(v), Name: string(c.word)})
	}
	next := uint64(0)
	predefined := func(kind uint8, size int, w Word) {
		next++
		v := mpichKinds[kind]<<26 | 0x40000000 | next
		if addresses {
			v = l.base + next*0x200
		}
		l.words[w] = v
		l.names = append(l.names, fakerun.Name{Kind: kind, Size: int32(size), Value: v, Name: string(w)})
	}
	for _, h := range handles {
		predefined(h.kind, 0, h.word)
	}
	for _, w := range basics {
		predefined(fakerun.KindDatatype, sizes[Word(w)], Word(w))
	}
	l.done = l.fresh(mpiapi.Request)
	return l
}

// mpichKinds are the bits 26 to 29 of MPICH's handles. There, messages are requests.
var mpichKinds = map[uint8]uint64{
	fakerun.KindComm: 1, fakerun.KindDatatype: 3, fakerun.KindOp: 6, fakerun.KindInfo: 7,
	fakerun.KindRequest: 0xb, fakerun.KindMessage: 0xb,
}

var recordKinds = map[mpiapi.Kind]uint8{
	mpiapi.Comm: fakerun.KindComm, mpiapi.Datatype: fakerun.KindDatatype, mpiapi.Op: fakerun.KindOp,
	mpiapi.Info:    fakerun.KindInfo,
	mpiapi.Request: fakerun.KindRequest, mpiapi.Message: fakerun.KindMessage,
}

// name returns the result of MPI_Get_library_version.
func (l *library) name() string {
	if l.addresses {
		return "Open MPI v4.1.4"
	}
	return "MPICH Version:\t4.0.2"
}

// fresh returns the handle of a new object.
func (l *library) fresh(k mpiapi.Kind) uint64 {
	if f := l.free[k]; len(f) > 0 {
		at := len(f) - 1
		if !l.addresses {
			at = slices.Index(f, slices.Min(f))
		}
		h := f[at]
		l.free[k] = slices.Delete(f, at, at+1)
		return h
	}
	l.made[k]++
	if l.addresses {
		return l.base + uint64(k)<<24 + l.made[k]*0x180
	}
	h := 0x80000000 | mpichKinds[recordKinds[k]]<<26 | l.made[k]
	if k == mpiapi.Message {
		h |= 1 << 20 // different from requests
	}
	return h
}

// release frees a handle.
func (l *library) release(k mpiapi.Kind, h uint64) {
	if k != mpiapi.Request || h != l.done {
		l.free[k] = append(l.free[k], h)
	}
}

// size returns the size of a handle in the program.
func (l *library) size() uint64 {
	if l.addresses {
		return 8
	}
	return 4
}

// null returns the null handle of a kind.
func (l *library) null(k mpiapi.Kind) uint64 {
	switch k {
	case mpiapi.Comm:
		return l.words["MPI_COMM_NULL"]
	case mpiapi.Request:
		return l.words["MPI_REQUEST_NULL"]
	case mpiapi.Datatype:
		return l.words["MPI_DATATYPE_NULL"]
	case mpiapi.Info:
		return l.words["MPI_INFO_NULL"]
	case mpiapi.Message:
		return l.words["MPI_MESSAGE_NULL"]
	}
	return 0
}
