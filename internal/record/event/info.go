package event

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Info returns the kind of a record that is not a call: layout.InfoSite …
func (c *Call) Info() uint16 { return binary.LittleEndian.Uint16(c.raw) }

// payload returns the bytes after the header of a record, if the record is of that kind.
func payload(rec []byte, kind uint16) ([]byte, error) {
	if len(rec) < layout.SizeofRecord {
		return nil, malformed("%d bytes", len(rec))
	}
	if k := binary.LittleEndian.Uint16(rec); k != kind {
		return nil, malformed("kind %#x, want %#x", k, kind)
	}
	return rec[layout.SizeofRecord:], nil
}

// tooShort returns the error for a record that ends before its content does.
func tooShort(what string, p []byte) error { return malformed("%s in %d bytes", what, len(p)) }

// Site is a call stack of a thread, valid as long as the record.
type Site struct {
	ID  uint32 // number of the call site, as in Call.Site
	PCs Array  // return addresses, innermost first (that of the MPI call)
	// Python has the Python functions that the thread is in, innermost first.
	Python []PythonFrame
}

// PythonFrame is a call of a Python function.
type PythonFrame struct {
	Code  uint32 // number of the code within the thread, as in Code.ID
	Entry bool   // a C function has called it; else a Python function
	At    int64  // offset of the instruction in the code, in bytes; negative: it has not begun
}

// SiteInfo returns the content of an InfoSite record.
func (c *Call) SiteInfo() (Site, error) {
	p, err := payload(c.raw, layout.InfoSite)
	if err != nil {
		return Site{}, err
	}
	_, pcs, frames, ok := layout.DecodeSite(p)
	if !ok {
		return Site{}, tooShort("a call stack", p)
	}
	s := Site{ID: c.Site(), PCs: Array{pcs, true}}
	for ; len(frames) > 0; frames = frames[layout.SizeofFrame:] {
		f, ok := layout.DecodeFrame(frames)
		if !ok {
			return Site{}, tooShort("a Python frame", frames)
		}
		s.Python = append(s.Python, PythonFrame{f.Code, f.Entry != 0, f.At})
	}
	return s, nil
}

// Code is the code of a Python function.
type Code struct {
	ID        uint32 // number of the code within the thread
	Version   uint16 // of CPython: 0x030b is 3.11
	FirstLine int
	Name      string // qualified, with CPython 3.11 or later
	File      string
	Lines     []byte // table of lines, in the form of that version
}

// CodeInfo returns the content of an InfoCode record.
func (c *Call) CodeInfo() (Code, error) {
	p, err := payload(c.raw, layout.InfoCode)
	if err != nil {
		return Code{}, err
	}
	v, name, file, lines, ok := layout.DecodeCode(p)
	if !ok {
		return Code{}, tooShort("a Python code", p)
	}
	return Code{
		ID: c.Site(), Version: v.Version, FirstLine: int(v.FirstLine), Name: pythonString(name, v.NameWidth),
		File: pythonString(file, v.FileWidth), Lines: bytes.Clone(lines),
	}, nil
}

// pythonString returns a string that has characters of so many bytes.
func pythonString(b []byte, width uint8) string {
	var s strings.Builder
	for n := int(width); n > 0 && n <= 4 && len(b) >= n; b = b[n:] {
		var r uint32
		for i := range n {
			r |= uint32(b[i]) << (8 * i)
		}
		s.WriteRune(rune(r))
	}
	return s.String()
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
	p, err := payload(c.raw, layout.InfoModule)
	if err != nil {
		return Module{}, err
	}
	m, id, path, ok := layout.DecodeModule(p)
	if !ok {
		return Module{}, tooShort("a module", p)
	}
	return Module{Base: m.Base, Start: m.Start, End: m.End, BuildID: bytes.Clone(id), Path: string(path)}, nil
}

// Name is the name of a predefined handle or of a constant.
type Name struct {
	Kind  mpiapi.Kind // of handle; mpiapi.Int for a constant
	Const bool
	Value uint64 // handle, zero-extended; constant, sign-extended
	Size  int32  // of a datatype, in bytes; else 0
	Name  string // "MPI_INT"
}

// Null reports whether n is the name of a null handle.
func (n *Name) Null() bool { return !n.Const && strings.HasSuffix(n.Name, "_NULL") }

// nameKinds maps enum mv_name_kind.
var nameKinds = [...]mpiapi.Kind{
	mpiapi.Int, mpiapi.Comm, mpiapi.Group, mpiapi.Datatype, mpiapi.Op, mpiapi.Request, mpiapi.Win, mpiapi.File,
	mpiapi.Info, mpiapi.Errhandler, mpiapi.Message, mpiapi.Session,
}

// NamesInfo returns the content of an InfoNames record.
func (c *Call) NamesInfo() ([]Name, error) {
	p, err := payload(c.raw, layout.InfoNames)
	if err != nil {
		return nil, err
	}
	names, _, err := parseNames(p)
	return names, err
}

// Names returns the content of consecutive lists of names. The lists have the form of InfoNames records.
func Names(lists []byte) (names []Name, err error) {
	for len(lists) > 0 && err == nil {
		var list []Name
		list, lists, err = parseNames(lists)
		names = append(names, list...)
	}
	return names, err
}

// parseNames returns the names of a list, and the bytes after it.
func parseNames(p []byte) (names []Name, rest []byte, err error) {
	for more := true; more; {
		n, text, ok := layout.DecodeName(p)
		if !ok || int(n.Kind) >= len(nameKinds) {
			return names, nil, malformed("a name of kind %d in %d bytes", n.Kind, len(p))
		}
		more = n.More != 0
		names = append(names, Name{
			Kind: nameKinds[n.Kind], Const: n.Kind == layout.NameConst, Value: n.Value, Size: n.Size,
			Name: string(text),
		})
		size := layout.SizeofName + (len(text)+7)&^7
		p = p[min(size, len(p)):]
	}
	return names, p, nil
}

// maxGroup is the largest plausible size of a group.
const maxGroup = 1 << 26

// Comm is a communicator that a call has made. Its groups are valid as long as the record.
type Comm struct {
	Handle     uint64
	Rank, Size int // in the (local) group
	RemoteSize int // of the remote group of an inter-communicator
	Inter      bool
	// Local is the (local) group. Remote is the remote group of an inter-communicator.
	Local, Remote Group
	// Neighbours are those in a distributed graph. They come in another record. nil if there are none.
	Neighbours *Neighbours
}

// CommInfo returns the content of an InfoComm record.
func (c *Call) CommInfo() (Comm, error) {
	p, err := payload(c.raw, layout.InfoComm)
	if err != nil {
		return Comm{}, err
	}
	v, local, remote, ok := layout.DecodeComm(p)
	if !ok {
		return Comm{}, tooShort("a communicator", p)
	}
	m := Comm{
		Handle: v.Handle, Rank: int(v.Rank), Size: int(v.Size), RemoteSize: int(v.RemoteSize), Inter: v.IsInter != 0,
		Local: Group{local}, Remote: Group{remote},
	}
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

// Group is a list of processes in the order of their ranks in a group. The zero value is empty.
type Group struct{ runs []byte }

// run stands for count world ranks: start, start+stride, … If start is negative, they are processes of another
// MPI_COMM_WORLD.
type run struct{ start, stride, count int }

func (g Group) all() iter.Seq[run] {
	return func(yield func(run) bool) {
		for b := g.runs; ; b = b[layout.SizeofRun:] {
			r, ok := layout.DecodeRun(b)
			if !ok || !yield(run{int(r.Start), int(r.Stride), int(r.Count)}) {
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

// Ranks returns the world ranks of the processes, -1 for a process of another MPI_COMM_WORLD.
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

// Lowest returns the lowest of the ranks. It returns -1 if the group is empty or has a process of another
// MPI_COMM_WORLD. For regular ranks, the time does not depend on the size of the group.
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

// Clone returns a copy of the group that does not depend on the record.
func (g Group) Clone() Group { return Group{bytes.Clone(g.runs)} }

// Error is an error that a call returns, or that ends the program.
type Error struct {
	Code, Class int32
	Fatal       bool   // the call will not return
	Raised      bool   // MPI is about to call the error handler: the call returns only if the handler does
	Refused     bool   // raised by mpivet in strict mode: the call did not enter MPI
	Text        string // by MPI
}

// ErrorInfo returns the content of an InfoError record.
func (c *Call) ErrorInfo() (Error, error) {
	p, err := payload(c.raw, layout.InfoError)
	if err != nil {
		return Error{}, err
	}
	e, text, ok := layout.DecodeError(p)
	if !ok {
		return Error{}, tooShort("an error", p)
	}
	return Error{
		Code: e.Code, Class: e.Class, Text: string(text),
		Fatal: e.Flags&layout.ErrorFatal != 0, Refused: e.Flags&layout.ErrorRefused != 0,
		Raised: e.Flags&layout.ErrorRaised != 0,
	}, nil
}

// MPI has the facts that a process knows about its MPI at the end of MPI_Init.
type MPI struct {
	Rank, Size          int // in MPI_COMM_WORLD
	ThreadLevel         int // provided, as numbered by this MPI
	TagUB               int
	Version, Subversion int    // of the standard
	Library             string // MPI_Get_library_version
	Threads             int    // of the process at the end of MPI_Init, 0 if unknown
}

// MPIInfo returns the content of an InfoMPI record.
func (c *Call) MPIInfo() (MPI, error) {
	p, err := payload(c.raw, layout.InfoMPI)
	if err != nil {
		return MPI{}, err
	}
	m, library, ok := layout.DecodeMPI(p)
	if !ok {
		return MPI{}, tooShort("facts about MPI", p)
	}
	return MPI{
		Rank: int(m.Rank), Size: int(m.Size), ThreadLevel: int(m.ThreadLevel), TagUB: int(m.TagUB),
		Version: int(m.Version), Subversion: int(m.Subversion), Library: string(library),
		Threads: int(int32(m.Threads)),
	}, nil
}

// Neighbours are the neighbours of a process in a distributed graph, by rank, in the order of neighbourhood
// collectives.
type Neighbours struct{ Sources, Destinations []int32 }

// NeighboursInfo returns the content of an InfoNeighbours record.
func (c *Call) NeighboursInfo() (Neighbours, error) {
	p, err := payload(c.raw, layout.InfoNeighbours)
	if err != nil {
		return Neighbours{}, err
	}
	_, sources, destinations, ok := layout.DecodeNeighbours(p)
	if !ok {
		return Neighbours{}, tooShort("neighbours", p)
	}
	return Neighbours{int32s(sources), int32s(destinations)}, nil
}

// int32s returns the numbers in b.
func int32s(b []byte) []int32 {
	list := make([]int32, len(b)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}

// Sums are sums of the data that a message or a collective moves, valid as long as the record.
type Sums struct {
	Received bool // of the data that the call has received; else of those that it sends
	Failed   bool // the call has returned an error
	Made     bool // the call has made the operation; if it is persistent, nothing is sent yet
	Over     bool // no more records of the operation follow
	Blocks   bool // of consecutive blocks of one message; else of the parts of a collective
	Void     bool // no conclusion may be drawn from the sums of the message
	// Operation is the number of a nonblocking or persistent operation in the process, 0 for the call's own. Round is
	// the number of the start of a persistent operation, from 1.
	Operation, Round uint64
	data             []byte
}

// Sum is the sum of a part of the data, in serialised order.
type Sum struct {
	All   bool   // the part goes to all processes
	Peer  uint32 // else the rank of the destination or source, in the group that the call communicates with
	Bytes uint64
	Value uint64
}

// Freed is an object that was freed inside a call.
type Freed struct {
	Handle  uint64
	Func    *mpiapi.Func // the function that freed it
	Caller  uint64       // return address of the call that freed it
	Real    uint64       // address of MPI's function
	Wrapper uint64       // an address in the preload library
}

// FreedInfo returns the content of an InfoFreed record.
func (c *Call) FreedInfo() (Freed, error) {
	p, err := payload(c.raw, layout.InfoFreed)
	if err != nil {
		return Freed{}, err
	}
	v, ok := layout.DecodeFreed(p)
	if !ok {
		return Freed{}, tooShort("a freed object", p)
	}
	f := Freed{Handle: v.Handle, Caller: v.Caller, Real: v.Real, Wrapper: v.Wrapper}
	if v.Function <= math.MaxUint16 {
		f.Func = mpiapi.ByID(mpiapi.FuncID(v.Function))
	}
	if f.Func == nil {
		return Freed{}, malformed("an object freed by function %d", v.Function)
	}
	return f, nil
}

// SumsInfo returns the content of an InfoSums record.
func (c *Call) SumsInfo() (Sums, error) {
	p, err := payload(c.raw, layout.InfoSums)
	if err != nil {
		return Sums{}, err
	}
	v, parts, ok := layout.DecodeSums(p)
	if !ok {
		return Sums{}, tooShort("sums", p)
	}
	return Sums{
		Received: v.Flags&layout.SumsReceived != 0, Failed: v.Flags&layout.SumsFailed != 0,
		Made: v.Flags&layout.SumsMade != 0,
		Over: v.Flags&layout.SumsOver != 0, Blocks: v.Flags&layout.SumsBlocks != 0, Void: v.Flags&layout.SumsVoid != 0,
		Operation: v.Operation, Round: v.Round, data: parts,
	}, nil
}

// Len returns the number of parts.
func (s *Sums) Len() int { return len(s.data) / layout.SizeofSum }

// At returns a part, from 0 to Len()-1.
func (s *Sums) At(i int) Sum {
	v, _ := layout.DecodeSum(s.data[i*layout.SizeofSum:])
	return Sum{All: v.Peer == layout.SumAll, Peer: v.Peer, Bytes: v.Bytes, Value: v.Sum}
}

// Operation returns the number of the operation that a call makes, as in Sums and Changed. It combines the call's
// number in its thread, from 1, and the thread's number in the process.
func Operation(thread int, call uint64) uint64 { return uint64(thread)<<40 | call }

// Changed is a change of data that an operation reads, after its beginning and before its completion.
type Changed struct {
	Operation  uint64 // as in Sums
	All        bool   // the data go to all processes
	Peer       uint32 // else the rank of the destination
	Bytes      uint64 // of the data with this destination
	At, Length uint64 // range of the serialised data that contains the change
	Exact      bool   // the range is from the first byte that has changed to the last
}

// ChangedInfo returns the content of an InfoChanged or InfoUnfinished record.
func (c *Call) ChangedInfo() (Changed, error) {
	p, err := payload(c.raw, c.Info())
	if err != nil {
		return Changed{}, err
	}
	v, ok := layout.DecodeChanged(p)
	if !ok {
		return Changed{}, tooShort("a change", p)
	}
	m := Changed{
		Operation: v.Operation, All: v.Peer == layout.SumAll, Peer: v.Peer, Exact: v.Exact != 0,
		Bytes: v.Bytes, At: v.At, Length: v.Length,
	}
	if m.Length == 0 || m.At >= m.Bytes || m.Length > m.Bytes-m.At || m.Bytes > math.MaxInt64 {
		return Changed{}, malformed("a change of %d bytes at %d of %d", m.Length, m.At, m.Bytes)
	}
	return m, nil
}

// Unreachable is the first byte of a buffer that the process cannot access.
type Unreachable struct {
	Address uint64
	At      uint64 // position of the byte in the serialised data
	Written bool   // MPI is to write there; else MPI is to read there
	Mapped  bool   // there is memory, but it does not allow that access
}

// UnreachableInfo returns the content of an InfoUnreachable record.
func (c *Call) UnreachableInfo() (Unreachable, error) {
	p, err := payload(c.raw, layout.InfoUnreachable)
	if err != nil {
		return Unreachable{}, err
	}
	v, ok := layout.DecodeUnreachable(p)
	if !ok {
		return Unreachable{}, tooShort("memory that can't be accessed", p)
	}
	u := Unreachable{Address: v.Address, At: v.At, Written: v.Written != 0, Mapped: v.Mapped != 0}
	if u.At > math.MaxInt64 {
		return Unreachable{}, malformed("byte %d of a buffer", u.At)
	}
	return u, nil
}
