package event

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Info returns the kind of a record that is no call: ring.InfoSite …
func (c *Call) Info() uint16 { return binary.LittleEndian.Uint16(c.raw) }

// payload returns what follows the header, if it is at least n bytes and the record of that kind.
func payload(rec []byte, kind uint16, n int) ([]byte, error) {
	if len(rec) < ring.HeaderSize+n {
		return nil, malformed("%d bytes", len(rec))
	}
	if k := binary.LittleEndian.Uint16(rec); k != kind {
		return nil, malformed("kind %#x, want %#x", k, kind)
	}
	return rec[ring.HeaderSize:], nil
}

// Site is a call stack of a thread, valid as long as the record.
type Site struct {
	ID  uint32 // what Call.Site refers to
	PCs Array  // return addresses, innermost (that of the MPI call) first
}

// SiteInfo returns the content of an InfoSite record.
func (c *Call) SiteInfo() (Site, error) {
	p, err := payload(c.raw, ring.InfoSite, 8)
	if err != nil {
		return Site{}, err
	}
	n := uint64(binary.LittleEndian.Uint32(p))
	p = p[8:]
	if n*8 > uint64(len(p)) {
		return Site{}, malformed("call stack of %d in %d bytes", n, len(p))
	}
	return Site{ID: c.Site(), PCs: Array{p[: n*8 : n*8], true}}, nil
}

// Module is a file that is loaded in a process.
type Module struct {
	Base       uint64 // load address: pc-Base is the address in the ELF file
	Start, End uint64 // of the memory that it takes
	BuildID    []byte
	Path       string
}

// ModuleInfo returns the content of an InfoModule record.
func (c *Call) ModuleInfo() (Module, error) {
	p, err := payload(c.raw, ring.InfoModule, 32)
	if err != nil {
		return Module{}, err
	}
	m := Module{
		Base:  binary.LittleEndian.Uint64(p),
		Start: binary.LittleEndian.Uint64(p[8:]),
		End:   binary.LittleEndian.Uint64(p[16:]),
	}
	id, path := int(binary.LittleEndian.Uint16(p[24:])), int(binary.LittleEndian.Uint16(p[26:]))
	p = p[32:]
	if id+path > len(p) {
		return Module{}, malformed("module with %d bytes of build id and path in %d", id+path, len(p))
	}
	m.BuildID, m.Path = bytes.Clone(p[:id]), string(p[id:id+path])
	return m, nil
}

// Name is the name of a predefined handle or of a constant.
type Name struct {
	Kind  mpiapi.Kind // of handle; mpiapi.Int for a constant
	Const bool
	Value uint64 // handle, extended by zeros; constant, extended by sign
	Size  int32  // of a datatype, in bytes; else 0
	Name  string // "MPI_INT"
}

// Null reports whether it is the name of a null handle.
func (n *Name) Null() bool { return !n.Const && strings.HasSuffix(n.Name, "_NULL") }

// nameKinds maps enum mv_name_kind.
var nameKinds = [...]mpiapi.Kind{
	mpiapi.Int, mpiapi.Comm, mpiapi.Group, mpiapi.Datatype, mpiapi.Op, mpiapi.Request, mpiapi.Win, mpiapi.File,
	mpiapi.Info, mpiapi.Errhandler, mpiapi.Message, mpiapi.Session,
}

// NamesInfo returns the content of an InfoNames record.
func (c *Call) NamesInfo() ([]Name, error) {
	p, err := payload(c.raw, ring.InfoNames, nameSize)
	if err != nil {
		return nil, err
	}
	names, _, err := parseNames(p)
	return names, err
}

// Names returns what lists of names as in InfoNames records, one behind the other, say.
func Names(lists []byte) (names []Name, err error) {
	for len(lists) > 0 && err == nil {
		var list []Name
		list, lists, err = parseNames(lists)
		names = append(names, list...)
	}
	return names, err
}

const nameSize = 16

// parseNames returns the names of a list, and what follows it.
func parseNames(p []byte) (names []Name, rest []byte, err error) {
	const size = nameSize
	for more := true; more; {
		if len(p) < size {
			return names, nil, malformed("names end early")
		}
		kind, n := p[0], int(p[1])
		more = binary.LittleEndian.Uint16(p[2:]) != 0
		k := Name{
			Size:  int32(binary.LittleEndian.Uint32(p[4:])),
			Value: binary.LittleEndian.Uint64(p[8:]),
			Const: kind == 0,
		}
		p = p[size:]
		if int(kind) >= len(nameKinds) || n > len(p) {
			return names, nil, malformed("name of kind %d and length %d in %d bytes", kind, n, len(p))
		}
		k.Kind, k.Name = nameKinds[kind], string(p[:n])
		names = append(names, k)
		p = p[min((n+7)&^7, len(p)):]
	}
	return names, p, nil
}

// maxGroup bounds what is believed about the size of a group.
const maxGroup = 1 << 26

// Comm is a communicator that a call has made. Its groups are valid as long as the record.
type Comm struct {
	Handle     uint64
	Rank, Size int // in the (local) group
	RemoteSize int // of the remote group of an inter-communicator
	Inter      bool
	// Local is the (local) group, Remote the other one of an inter-communicator.
	Local, Remote Group
	// Neighbours are those in a distributed graph, of which a record of its own tells; nil if there is none.
	Neighbours *Neighbours
}

// CommInfo returns the content of an InfoComm record.
func (c *Call) CommInfo() (Comm, error) {
	const size = 32
	p, err := payload(c.raw, ring.InfoComm, size)
	if err != nil {
		return Comm{}, err
	}
	m := Comm{
		Handle:     binary.LittleEndian.Uint64(p),
		Rank:       int(int32(binary.LittleEndian.Uint32(p[8:]))),
		Size:       int(int32(binary.LittleEndian.Uint32(p[12:]))),
		RemoteSize: int(int32(binary.LittleEndian.Uint32(p[16:]))),
		Inter:      binary.LittleEndian.Uint32(p[28:]) != 0,
	}
	local, remote := uint64(binary.LittleEndian.Uint32(p[20:])), uint64(binary.LittleEndian.Uint32(p[24:]))
	p = p[size:]
	if (local+remote)*runSize > uint64(len(p)) {
		return Comm{}, malformed("communicator with %d runs of ranks in %d bytes", local+remote, len(p))
	}
	m.Local.runs, m.Remote.runs = p[:local*runSize], p[local*runSize:(local+remote)*runSize]
	for _, g := range []struct {
		Group
		size int
	}{{m.Local, m.Size}, {m.Remote, m.RemoteSize}} {
		n := 0
		for r := range g.all() {
			if r.count < 0 || n > maxGroup {
				return Comm{}, malformed("communicator with a run of %d ranks", r.count)
			}
			n += r.count
		}
		if n != g.size || n > maxGroup {
			return Comm{}, malformed("communicator with %d ranks for a group of %d", n, g.size)
		}
	}
	return m, nil
}

// Group is a list of processes in the order of their ranks in a group. The zero value has none.
type Group struct{ runs []byte }

// run stands for count world ranks: start, start+stride, …; processes of another MPI_COMM_WORLD if start is negative.
type run struct{ start, stride, count int }

const runSize = 12

func (g Group) all() iter.Seq[run] {
	return func(yield func(run) bool) {
		for b := g.runs; len(b) >= runSize; b = b[runSize:] {
			num := func(at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }
			if !yield(run{num(0), num(4), num(8)}) {
				return
			}
		}
	}
}

// at returns the k-th rank of a run.
func (r run) at(k int) int {
	if r.start < 0 {
		return -1
	}
	return max(r.start+k*r.stride, -1)
}

// Ranks returns the processes' world ranks, -1 for a process of another MPI_COMM_WORLD.
func (g Group) Ranks() iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := range g.all() {
			for k := range r.count {
				if !yield(r.at(k)) {
					return
				}
			}
		}
	}
}

// Lowest returns the lowest of the ranks, -1 if there is a process of another MPI_COMM_WORLD, or none at all. It takes
// no longer for a large group than for a small one where their ranks are regular.
func (g Group) Lowest() int {
	lowest := math.MaxInt
	for r := range g.all() {
		if r.count > 0 {
			lowest = min(lowest, r.at(0), r.at(r.count-1))
		}
	}
	if lowest == math.MaxInt {
		return -1
	}
	return lowest
}

// Clone returns a group that stays valid without the record.
func (g Group) Clone() Group { return Group{bytes.Clone(g.runs)} }

// Error is an error that a call returns, or the program dies of.
type Error struct {
	Code, Class int32
	Fatal       bool   // the call will not return
	Raised      bool   // MPI is about to hand it to its handler: the call returns only if that does
	Refused     bool   // mpivet's own, in strict mode: the call did not enter MPI
	Text        string // MPI's
}

// ErrorInfo returns the content of an InfoError record.
func (c *Call) ErrorInfo() (Error, error) {
	p, err := payload(c.raw, ring.InfoError, 16)
	if err != nil {
		return Error{}, err
	}
	e := Error{
		Code:    int32(binary.LittleEndian.Uint32(p)),
		Class:   int32(binary.LittleEndian.Uint32(p[4:])),
		Fatal:   binary.LittleEndian.Uint32(p[12:])&ring.ErrorFatal != 0,
		Refused: binary.LittleEndian.Uint32(p[12:])&ring.ErrorRefused != 0,
		Raised:  binary.LittleEndian.Uint32(p[12:])&ring.ErrorRaised != 0,
	}
	n := uint64(binary.LittleEndian.Uint32(p[8:]))
	p = p[16:]
	if n > uint64(len(p)) {
		return Error{}, malformed("error text of %d bytes in %d", n, len(p))
	}
	e.Text = string(p[:n])
	return e, nil
}

// MPI is what a process knows about its MPI at the end of MPI_Init.
type MPI struct {
	Rank, Size          int // in MPI_COMM_WORLD
	ThreadLevel         int // provided, as the MPI's constant
	TagUB               int
	Version, Subversion int    // of the standard
	Library             string // MPI_Get_library_version
	Threads             int    // of the process at the end of MPI_Init, 0 if unknown
}

// MPIInfo returns the content of an InfoMPI record.
func (c *Call) MPIInfo() (MPI, error) {
	p, err := payload(c.raw, ring.InfoMPI, 32)
	if err != nil {
		return MPI{}, err
	}
	num := func(at int) int { return int(int32(binary.LittleEndian.Uint32(p[at:]))) }
	m := MPI{
		Rank: num(0), Size: num(4), ThreadLevel: num(8), TagUB: num(12), Version: num(16), Subversion: num(20),
		Threads: num(28),
	}
	n := uint64(binary.LittleEndian.Uint32(p[24:]))
	if n > uint64(len(p)-32) {
		return MPI{}, malformed("library version of %d bytes in %d", n, len(p)-32)
	}
	m.Library = string(p[32 : 32+n])
	return m, nil
}

// Neighbours are those of a process in a distributed graph, by rank, in the order of neighbourhood collectives.
type Neighbours struct{ Sources, Destinations []int32 }

// NeighboursInfo returns the content of an InfoNeighbours record.
func (c *Call) NeighboursInfo() (Neighbours, error) {
	p, err := payload(c.raw, ring.InfoNeighbours, 8)
	if err != nil {
		return Neighbours{}, err
	}
	in, out := uint64(binary.LittleEndian.Uint32(p)), uint64(binary.LittleEndian.Uint32(p[4:]))
	p = p[8:]
	if 4*(in+out) > uint64(len(p)) {
		return Neighbours{}, malformed("%d neighbours in %d bytes", in+out, len(p))
	}
	list := make([]int32, in+out)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(p[4*i:]))
	}
	return Neighbours{list[:in:in], list[in:]}, nil
}

// Sums are sums of the data that a message or a collective moves, valid as long as the record.
type Sums struct {
	Received bool // of what the call has received; else of what it sends
	Failed   bool // the call has returned an error
	Made     bool // the call has made the operation; a persistent one sends nothing yet
	Over     bool // nothing more will come of the operation
	Blocks   bool // of consecutive blocks of one message; else of the parts of a collective
	Void     bool // nothing follows from the sums of the message
	// Operation is the number of a nonblocking or persistent operation in the process, 0 for the call's own. Round is which
	// start of a persistent one it is, from 1.
	Operation, Round uint64
	data             []byte
}

// Sum is that of a part of the data, in their serialised order.
type Sum struct {
	All   bool   // it goes to all
	Peer  uint32 // else the rank of who it goes to or comes from, in the group that the call communicates with
	Bytes uint64
	Value uint64
}

// Freed is an object that was freed inside of a call.
type Freed struct {
	Handle  uint64
	Func    *mpiapi.Func // that freed it
	Caller  uint64       // address that it returned to
	Real    uint64       // address of MPI's function
	Wrapper uint64       // an address in the preload library
}

// FreedInfo returns the content of an InfoFreed record.
func (c *Call) FreedInfo() (Freed, error) {
	p, err := payload(c.raw, ring.InfoFreed, 40)
	if err != nil {
		return Freed{}, err
	}
	wide := func(at int) uint64 { return binary.LittleEndian.Uint64(p[at:]) }
	f := Freed{Handle: wide(0), Caller: wide(16), Real: wide(24), Wrapper: wide(32)}
	if id := binary.LittleEndian.Uint32(p[8:]); id <= math.MaxUint16 {
		f.Func = mpiapi.ByID(mpiapi.FuncID(id))
	}
	if f.Func == nil {
		return Freed{}, malformed("an object freed by function %d", binary.LittleEndian.Uint32(p[8:]))
	}
	return f, nil
}

// SumsInfo returns the content of an InfoSums record.
func (c *Call) SumsInfo() (Sums, error) {
	p, err := payload(c.raw, ring.InfoSums, 24)
	if err != nil {
		return Sums{}, err
	}
	flags, n := binary.LittleEndian.Uint32(p), uint64(binary.LittleEndian.Uint32(p[4:]))
	operation, round := binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p[16:])
	p = p[24:]
	if n*ring.SumSize > uint64(len(p)) {
		return Sums{}, malformed("%d sums in %d bytes", n, len(p))
	}
	return Sums{
		flags&ring.SumsReceived != 0, flags&ring.SumsFailed != 0, flags&ring.SumsMade != 0, flags&ring.SumsOver != 0,
		flags&ring.SumsBlocks != 0, flags&ring.SumsVoid != 0, operation, round, p[:n*ring.SumSize],
	}, nil
}

// Len returns the number of parts.
func (s *Sums) Len() int { return len(s.data) / ring.SumSize }

// At returns a part, from 0 to Len()-1.
func (s *Sums) At(i int) Sum {
	b := s.data[i*ring.SumSize:][:ring.SumSize]
	peer := binary.LittleEndian.Uint32(b)
	return Sum{
		All: peer == ring.SumAll, Peer: peer, Bytes: binary.LittleEndian.Uint64(b[8:]), Value: binary.LittleEndian.Uint64(b[16:]),
	}
}

// Operation names the operation that a call makes, as Sums and Changed do: the call's number in its thread, from 1, and the
// thread's in the process.
func Operation(thread int, call uint64) uint64 { return uint64(thread)<<40 | call }

// Changed is data that are not the same when an operation that reads them is complete as when it began.
type Changed struct {
	Operation  uint64 // as in Sums
	All        bool   // the data go to all
	Peer       uint32 // else the rank of who they go to
	Bytes      uint64 // of the data that go there
	At, Length uint64 // in which range of their serialised form there is a change,
	Exact      bool   // from the first byte that has changed to the last
}

// ChangedInfo returns the content of an InfoChanged record.
func (c *Call) ChangedInfo() (Changed, error) {
	p, err := payload(c.raw, ring.InfoChanged, ring.ChangedSize)
	if err != nil {
		return Changed{}, err
	}
	n := binary.LittleEndian
	m := Changed{
		Operation: n.Uint64(p), Peer: n.Uint32(p[8:]), Exact: n.Uint32(p[12:]) != 0,
		Bytes: n.Uint64(p[16:]), At: n.Uint64(p[24:]), Length: n.Uint64(p[32:]),
	}
	m.All = m.Peer == ring.SumAll
	if m.Length == 0 || m.At >= m.Bytes || m.Length > m.Bytes-m.At || m.Bytes > math.MaxInt64 {
		return Changed{}, malformed("a change of %d bytes at %d of %d", m.Length, m.At, m.Bytes)
	}
	return m, nil
}

// Unreachable is the first byte of a buffer that the process can't access.
type Unreachable struct {
	Address uint64
	At      uint64 // of the byte in the serialised data
	Written bool   // MPI is to write there; else to read
	Mapped  bool   // there is memory, but none that can be so accessed
}

// UnreachableInfo returns the content of an InfoUnreachable record.
func (c *Call) UnreachableInfo() (Unreachable, error) {
	p, err := payload(c.raw, ring.InfoUnreachable, ring.UnreachableSize)
	if err != nil {
		return Unreachable{}, err
	}
	n := binary.LittleEndian
	u := Unreachable{Address: n.Uint64(p), At: n.Uint64(p[8:]), Written: n.Uint32(p[16:]) != 0, Mapped: n.Uint32(p[20:]) != 0}
	if u.At > math.MaxInt64 {
		return Unreachable{}, malformed("byte %d of a buffer", u.At)
	}
	return u, nil
}
