// Package fakerun makes records of ranks without MPI, for tests and benchmarks. A program is a stream of records for
// each rank. It is delivered in the same way as by a source.
package fakerun

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Handles and constants of the invented MPI.
const (
	World       = 0x44000000
	Self        = 0x44000001
	CommNull    = 0x04000000
	RequestNull = 0x2c000000
	Int         = 0x4c000405
	Float       = 0x4c00040a
	Double      = 0x4c00080b
	Byte        = 0x4c00010d
	Packed      = 0x4c00010f
	TypeNull    = 0x0c000000
	OrderC      = 56
	OrderF      = 57
	Block       = 121
	Cyclic      = 122
	None        = 123
	DefaultDarg = -49767
	AnySource   = -2
	AnyTag      = -1
	ProcNull    = -1
	RootSelf    = -3
	InPlace     = -1
	Sum         = 0x58000003
	Max         = 0x58000001
	Ignore      = 1 // MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE
)

// Name is the name of a predefined handle or of a constant.
type Name struct {
	Kind  uint8 // as in record.h: KindConst …
	Size  int32 // of a datatype, in bytes
	Value uint64
	Name  string
}

// Kinds of names, as in record.h.
const (
	KindConst    = 0
	KindComm     = 1
	KindDatatype = 3
	KindOp       = 4
	KindRequest  = 5
	KindInfo     = 8
	KindMessage  = 10
)

func constant(v int64, s string) Name { return Name{KindConst, 0, uint64(v), s} }

var names = []Name{
	{KindComm, 0, World, "MPI_COMM_WORLD"},
	{KindComm, 0, Self, "MPI_COMM_SELF"},
	{KindComm, 0, CommNull, "MPI_COMM_NULL"},
	{KindRequest, 0, RequestNull, "MPI_REQUEST_NULL"},
	{KindDatatype, 0, TypeNull, "MPI_DATATYPE_NULL"},
	{KindDatatype, 4, Int, "MPI_INT"},
	{KindDatatype, 4, Float, "MPI_FLOAT"},
	{KindDatatype, 8, Double, "MPI_DOUBLE"},
	{KindDatatype, 1, Byte, "MPI_BYTE"},
	{KindDatatype, 1, Packed, "MPI_PACKED"},
	{KindOp, 0, Max, "MPI_MAX"},
	{KindOp, 0, Sum, "MPI_SUM"},
	constant(AnySource, "MPI_ANY_SOURCE"), constant(AnyTag, "MPI_ANY_TAG"), constant(ProcNull, "MPI_PROC_NULL"),
	constant(RootSelf, "MPI_ROOT"), constant(InPlace, "MPI_IN_PLACE"), constant(Ignore, "MPI_STATUS_IGNORE"),
	constant(Ignore, "MPI_STATUSES_IGNORE"),
	constant(OrderC, "MPI_ORDER_C"), constant(OrderF, "MPI_ORDER_FORTRAN"), constant(Block, "MPI_DISTRIBUTE_BLOCK"),
	constant(Cyclic, "MPI_DISTRIBUTE_CYCLIC"), constant(None, "MPI_DISTRIBUTE_NONE"),
	constant(DefaultDarg, "MPI_DISTRIBUTE_DFLT_DARG"), constant(3, "MPI_ERR_TYPE"),
	constant(0, "MPI_SUCCESS"), constant(6, "MPI_ERR_RANK"), constant(14, "MPI_ERR_TRUNCATE"),
	constant(17, "MPI_ERR_IN_STATUS"), constant(18, "MPI_ERR_PENDING"), constant(3, "MPI_THREAD_MULTIPLE"),
}

// Predefined returns the names of the invented MPI.
func Predefined() []Name { return slices.Clone(names) }

// predefined is the record of names.
var predefined = sync.OnceValue(func() []byte { return Names(names) })

// Args are the arguments and results of a call, by parameter name: int or uint64 for values and handles, []uint64 for
// arrays of handles, []int32 for arrays of int. The name of a result is '>' and the parameter's name: ">request".
type Args map[string]any

// Status is the status of a receive or completion.
type Status struct {
	Source, Tag int32
	Error       int32
	Cancelled   bool
	Bytes       int64
}

// Program is the records of some ranks.
type Program struct {
	Ranks []*Rank
}

// Rank is one rank of a program, with one thread.
type Rank struct {
	rank, size int
	data       []byte
	starts     []int       // offsets of the records
	open       int         // start of the open record, -1 if there is none
	told       []int       // the records of calls that publish records, in order
	publish    map[int]int // how many records each of them publishes
	sites      map[string]uint32
	End        *ring.ProcEnd // how the rank ends; nil: it does not end
	Level      int           // the level of thread support in the records of Init
}

// New returns a program of n ranks that have all called MPI_Init.
func New(n int) *Program {
	p := new(Program)
	for r := range n {
		p.Ranks = append(p.Ranks, NewRank(r, n))
	}
	return p
}

// NewSumming returns a program of n ranks that have all called MPI_Init, with records that announce sums of data.
func NewSumming(n int) *Program {
	p := new(Program)
	for r := range n {
		k := &Rank{rank: r, size: n, open: -1, sites: make(map[string]uint32)}
		k.begin()
		k.Publish("main", "MPI_Init", nil, 0, Sums(0, 0, 0, nil))
		p.Ranks = append(p.Ranks, k)
	}
	return p
}

// NewRank returns one rank of a program of n ranks. It has called MPI_Init. For programs with so many ranks that these
// should be made one at a time.
func NewRank(r, n int) *Rank {
	k := Uninitialized(r, n)
	k.Init("MPI_Init", nil)
	return k
}

// Uninitialized returns a rank that has not called MPI.
func Uninitialized(r, n int) *Rank {
	return &Rank{rank: r, size: n, open: -1, sites: make(map[string]uint32), Level: 3}
}

// Init adds the call by which a rank enters MPI, with the records that it publishes.
func (k *Rank) Init(function string, a Args) {
	k.begin()
	k.Call("main", function, a)
}

// begin adds the records before MPI_Init.
func (k *Rank) begin() {
	k.Append(predefined())
	k.Append(leveled(k.rank, k.size, k.Level, "Synthetic MPI"))
	k.Comm(World, k.rank, []int32{0}, nil, k.size)
	k.Comm(Self, 0, []int32{int32(k.rank)}, nil, 1)
}

// Bytes returns all records of the rank.
func (k *Rank) Bytes() []byte { return k.data }

// Append adds a record.
func (k *Rank) Append(rec []byte) {
	k.starts = append(k.starts, len(k.data))
	k.data = append(k.data, rec...)
}

// record returns a record: a header with room for a body, and padding.
func record(kind uint16, site uint32, rc int32, used int, body []byte) []byte {
	lines := (layout.SizeofRecord + len(body) + layout.Line - 1) / layout.Line
	h := layout.Record{Kind: kind, Lines: uint16(lines), Site: site, RC: rc, Used: uint16(used)}
	b := append(h.Append(nil), body...)
	return append(b, make([]byte, lines*layout.Line-len(b))...)
}

// info returns a record that is not a call.
func info(kind uint16, site uint32, body []byte) []byte {
	return record(kind, site, 0, layout.SizeofRecord, body)
}

// flag returns the value of a bool in a record.
func flag(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// Constants returns the record of n more constants, with values from first on. MPI libraries have about as many.
func Constants(n int, first int64) []byte {
	var list []Name
	for i := range n {
		list = append(list, constant(first+int64(i), fmt.Sprintf("MPI_CONSTANT_%d", i)))
	}
	return Names(list)
}

// Module returns the record of a file that is mapped into a process.
func Module(path string, start, end uint64) []byte {
	const buildID = "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67"
	m := layout.Module{
		Base: start, Start: start, End: end, BuildIDLen: uint16(len(buildID)),
		PathLen: uint16(len(path)),
	}
	return info(layout.InfoModule, 0, append(append(m.Append(nil), buildID...), path...))
}

// Names returns the record of names.
func Names(list []Name) []byte {
	var b []byte
	for i, n := range list {
		one := layout.Name{Kind: n.Kind, NameLen: uint8(len(n.Name)), More: 1, Size: n.Size, Value: n.Value}
		if i == len(list)-1 {
			one.More = 0
		}
		b = append(one.Append(b), n.Name...)
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
	}
	return info(layout.InfoNames, 0, b)
}

// MPI returns the record with the facts about the MPI library of rank r of n.
func MPI(r, n int, library string) []byte { return leveled(r, n, 3, library) }

func leveled(r, n, level int, library string) []byte {
	m := layout.MPI{
		Rank: int32(r), Size: int32(n), ThreadLevel: int32(level), TagUB: 1 << 20, Version: 4,
		LibraryLen: uint32(len(library)),
	}
	return info(layout.InfoMPI, 0, append(m.Append(nil), library...))
}

// Comm adds the record of a communicator: the rank in it, and the world ranks of its group. If size is larger than the
// number of these ranks, the group is size ranks from local[0] on. remote is the other group of an inter-communicator.
// The record comes before the call that made the communicator.
func (k *Rank) Comm(handle uint64, rank int, local, remote []int32, size int) {
	k.Append(Comm(handle, rank, local, remote, size))
}

// Comm returns the record of a communicator: see Rank.Comm.
func Comm(handle uint64, rank int, local, remote []int32, size int) []byte {
	runs := func(list []int32, size int) (out []layout.Run) {
		if size > len(list) {
			return []layout.Run{{Start: list[0], Stride: 1, Count: int32(size)}}
		}
		for _, r := range list {
			out = append(out, layout.Run{Start: r, Stride: 1, Count: 1})
		}
		return out
	}
	l, r := runs(local, max(size, len(local))), runs(remote, len(remote))
	c := layout.Comm{
		Handle: handle, Rank: int32(rank), Size: int32(max(size, len(local))), RemoteSize: int32(len(remote)),
		Runs: uint32(len(l)), RemoteRuns: uint32(len(r)), IsInter: flag(len(remote) > 0),
	}
	b := c.Append(nil)
	for _, run := range slices.Concat(l, r) {
		b = run.Append(b)
	}
	return info(layout.InfoComm, 0, b)
}

// site returns the number of a call stack that consists of one function. The first time, it publishes the stack.
func (k *Rank) site(function string) uint32 {
	if s, ok := k.sites[function]; ok {
		return s
	}
	id := uint32(len(k.sites) + 1)
	k.sites[function] = id
	pc := uint64(14695981039346656037)
	for _, c := range []byte(function) {
		pc = (pc ^ uint64(c)) * 1099511628211
	}
	k.Append(Site(id, pc&0x7fffffffffff))
	return id
}

// Site returns the record of a call stack of one function.
func Site(id uint32, pc uint64) []byte {
	s := layout.Site{NPCs: 1}
	return info(layout.InfoSite, id, binary.LittleEndian.AppendUint64(s.Append(nil), pc))
}

// Call adds a call that has returned. site names the place of the call.
func (k *Rank) Call(site, function string, a Args) { k.add(site, function, a, 0) }

// Fail adds a call that has returned an error.
func (k *Rank) Fail(site, function string, a Args, class int32, text string, fatal bool) {
	k.Append(Error(class, text, fatal))
	k.add(site, function, a, class)
}

// Error returns the record of an error that a call returns or that ends the program.
func Error(class int32, text string, fatal bool) []byte {
	e := layout.Error{Code: class, Class: class, TextLen: uint32(len(text))}
	if fatal {
		e.Flags = layout.ErrorFatal
	}
	return info(layout.InfoError, 0, append(e.Append(nil), text...))
}

// PartSum is the sum of a part of the data that a collective moves; Peer -1: for all.
type PartSum struct {
	Peer         int
	Bytes, Value uint64
}

// Move adds a collective that has returned rc, with the sums of the data that it sent and received.
func (k *Rank) Move(site, function string, a Args, rc int32, sent, received []PartSum) {
	s := k.site(site)
	k.publishing(2)
	k.Append(Record(s, function, a, rc))
	flags := uint32(layout.SumsReceived)
	if rc != 0 {
		flags |= layout.SumsFailed
	}
	k.sums(0, sent)
	k.sums(flags, received)
}

// publishing notes that the n records behind the next one belong to it.
func (k *Rank) publishing(n int) {
	k.told = append(k.told, len(k.starts))
	if k.publish == nil {
		k.publish = make(map[int]int)
	}
	k.publish[len(k.starts)] = n
}

func (k *Rank) sums(flags uint32, list []PartSum) { k.Append(Sums(flags, 0, 0, list)) }

// Sums returns the record of the sums of an operation. operation is its number, 0 for the call's own; round is the
// number of the start.
func Sums(flags uint32, operation, round uint64, list []PartSum) []byte {
	v := layout.Sums{Flags: flags, Count: uint32(len(list)), Operation: operation, Round: round}
	b := v.Append(nil)
	for _, s := range list {
		part := layout.Sum{Peer: uint32(s.Peer), Bytes: s.Bytes, Sum: s.Value}
		b = part.Append(b)
	}
	return info(layout.InfoSums, 0, b)
}

// Blocks returns the record of the sums of a message's blocks.
func Blocks(flags uint32, operation, round, bytes uint64, values ...uint64) []byte {
	size := bytes
	if len(values) > 1 {
		size = (bytes + layout.SumBlocks*layout.SumBlock - 1) / (layout.SumBlocks * layout.SumBlock) * layout.SumBlock
	}
	var list []PartSum
	for _, v := range values {
		list = append(list, PartSum{0, min(size, bytes), v})
		bytes -= min(size, bytes)
	}
	return Sums(flags|layout.SumsBlocks, operation, round, list)
}

// Changed returns the record of a change of data: length bytes at a position in a number of bytes.
func Changed(operation uint64, exact bool, bytes, at, length uint64) []byte {
	return changed(layout.InfoChanged, operation, exact, bytes, at, length)
}

// Unfinished is the same for an operation that is not complete. It is to be appended before MPI_Finalize.
func Unfinished(operation uint64, exact bool, bytes, at, length uint64) []byte {
	return changed(layout.InfoUnfinished, operation, exact, bytes, at, length)
}

func changed(kind uint16, operation uint64, exact bool, bytes, at, length uint64) []byte {
	c := layout.Changed{
		Operation: operation, Peer: layout.SumAll, Exact: flag(exact), Bytes: bytes,
		At: at, Length: length,
	}
	return info(kind, 0, c.Append(nil))
}

// Unreachable returns the record of memory that cannot be accessed: the byte at a position of a buffer.
func Unreachable(address, at uint64, written, mapped bool) []byte {
	u := layout.Unreachable{Address: address, At: at, Written: flag(written), Mapped: flag(mapped)}
	return info(layout.InfoUnreachable, 0, u.Append(nil))
}

// Publish adds a call that has returned rc, with the records that it has published.
func (k *Rank) Publish(site, function string, a Args, rc int32, told ...[]byte) {
	s := k.site(site)
	k.publishing(len(told))
	k.Append(Record(s, function, a, rc))
	for _, rec := range told {
		k.Append(rec)
	}
}

// Callback adds a call that runs a function of the program. That function frees objects: freed has the name of the
// freeing function for each handle.
func (k *Rank) Callback(site, function string, a Args, freed map[uint64]string) {
	s := k.site(site)
	k.publishing(len(freed))
	k.Append(Record(s, function, a, 0))
	for _, h := range slices.Sorted(maps.Keys(freed)) {
		f := layout.Freed{Handle: h, Function: uint32(mpiapi.ByName(freed[h]).ID)} // the addresses lie in no file
		k.Append(info(layout.InfoFreed, 0, f.Append(nil)))
	}
}

// Open adds a call that does not return. No call can follow it.
func (k *Rank) Open(site, function string, a Args) {
	s := k.site(site)
	_ = s
	k.add(site, function, a, 0)
	k.open = k.starts[len(k.starts)-1]
}

func (k *Rank) add(site, function string, a Args, rc int32) {
	s := k.site(site)
	k.Append(Record(s, function, a, rc))
}

// Refusal returns the record, with the given code, that precedes the return of a call that strict mode refuses.
func Refusal(code int32) []byte {
	e := layout.Error{Code: code, Class: code, Flags: layout.ErrorRefused}
	return info(layout.InfoError, 0, e.Append(nil))
}

// Record returns the record of a call.
func Record(site uint32, function string, a Args, rc int32) []byte {
	f := mpiapi.ByName(function)
	if f == nil {
		panic("no function " + function)
	}
	e := encoder{args: a, used: make(map[string]bool), fixed: make([]byte, f.Fixed)}
	for i := range f.Params {
		e.param(i, &f.Params[i])
	}
	for name := range a {
		if !e.used[name] {
			panic(function + " has no parameter " + name)
		}
	}
	b := e.fixed
	if len(e.in)+len(e.out) > 0 {
		b = slices.Concat(padded(b), e.in, e.out)
	}
	return record(uint16(f.ID), site, rc, len(e.fixed), b[layout.SizeofRecord:])
}

// encoder writes the record of one call.
type encoder struct {
	args    Args
	used    map[string]bool // the arguments that match a parameter
	fixed   []byte          // the part without arrays
	in, out []byte          // sections: arrays that the call reads and writes
}

// take returns an argument by its name, and notes that it matches a parameter.
func (e *encoder) take(name string) (any, bool) {
	v, ok := e.args[name]
	e.used[name] = ok
	return v, ok
}

// param writes a parameter's values.
func (e *encoder) param(i int, p *mpiapi.Param) {
	l := &p.Layout
	if p.Pointer && p.Kind != mpiapi.Function && p.Kind != mpiapi.Pointer && len(p.Unless) == 0 {
		e.put(l.At, true, somewhere(p, i, e.args))
	}
	if v, ok := e.take(p.Name); ok {
		switch {
		case !isNumber(v):
			e.put(l.At, true, uint64(0x7ffe00000000+i*0x1000))
			e.in = append(e.in, section(l.InSection, i, v)...)
		case p.Pointer && l.Before != 0:
			e.put(l.Before, l.WideValue, number(v))
		default:
			e.put(l.At, l.Wide, number(v))
		}
	}
	if v, ok := e.take("*" + p.Name); ok { // address
		e.put(l.At, true, number(v))
	}
	if v, ok := e.take(">" + p.Name); ok {
		if isNumber(v) {
			e.put(l.After, l.WideValue, number(v))
		} else {
			e.out = append(e.out, section(l.OutSection, i, v)...)
		}
	}
}

// put writes a value of 4 bytes, or of 8 if it is wide, unless at is 0.
func (e *encoder) put(at uint16, wide bool, v uint64) {
	switch {
	case at == 0:
	case wide:
		binary.LittleEndian.PutUint64(e.fixed[at:], v)
	default:
		binary.LittleEndian.PutUint32(e.fixed[at:], uint32(v))
	}
}

// section returns the array of a parameter as a section of a record.
func section(kind uint8, param int, array any) []byte {
	var body []byte
	count := 0
	switch v := array.(type) {
	case []uint64:
		count = len(v)
		for _, x := range v {
			body = binary.LittleEndian.AppendUint64(body, x)
		}
	case []int32:
		count = len(v)
		for _, x := range v {
			body = binary.LittleEndian.AppendUint32(body, uint32(x))
		}
	case []Status:
		count = len(v)
		for _, x := range v {
			body = x.encode(body)
		}
	case string:
		count, body = len(v), []byte(v)
	default:
		panic(fmt.Sprintf("%T for an array", v))
	}
	s := layout.Section{Kind: uint16(kind), Param: uint16(param), Count: uint32(count)}
	return padded(append(s.Append(nil), body...))
}

// encode adds the status as an element of a section.
func (s Status) encode(b []byte) []byte {
	v := layout.Status{
		Source: s.Source, Tag: s.Tag, Error: s.Error, Cancelled: int32(flag(s.Cancelled)), Bytes: s.Bytes,
	}
	return v.Append(b)
}

// padded fills b up to a multiple of 8 bytes.
func padded(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// isNumber reports whether an argument is a value or a handle, and not an array.
func isNumber(v any) bool {
	switch v.(type) {
	case int, uint64:
		return true
	}
	return false
}

// somewhere returns the address of a buffer or variable if a test does not give one. It differs from the others of the
// call. If it belongs to a request, it also differs from those of other requests.
func somewhere(p *mpiapi.Param, i int, a Args) uint64 {
	if v, ok := a[">"+p.Name]; ok && p.Role == mpiapi.TheRequest {
		return 0x7c0000000000 + 8*number(v)
	}
	at := 0x7d0000000000 + uint64(i)<<32
	if v, ok := a[">request"]; ok {
		at += number(v) & 0xffff << 40
	}
	return at
}

func number(v any) uint64 {
	switch v := v.(type) {
	case int:
		return uint64(v)
	case uint64:
		return v
	}
	panic(fmt.Sprintf("%T for a number", v))
}

// Start delivers the processes and threads to h.
func (p *Program) Start(h ring.Handler) {
	for r := range p.Ranks {
		Start(h, r, len(p.Ranks))
	}
}

// Start delivers the process and thread of rank r of n to h. Ranks must be started in order.
func Start(h ring.Handler, r, n int) {
	h.Proc(&ring.Proc{ID: ring.ProcID(r), PID: 1000 + r, PPID: 1, Rank: r, WorldSize: n, Exe: "/bin/program"})
	h.Thread(&ring.Thread{ID: ring.ThreadID(r), Proc: ring.ProcID(r), TID: 1000 + r, Main: true})
}

// records returns the bytes of the records from..to.
func (k *Rank) records(from, to int) []byte {
	end := len(k.data)
	if to < len(k.starts) {
		end = k.starts[to]
	}
	return k.data[k.starts[from]:end]
}

// Deliver delivers the whole program to h. Each rank gets batches of at most n records in turn, and the first turn is
// that of rank first.
func (p *Program) Deliver(h ring.Handler, n, first int) {
	p.Start(h)
	next := make([]int, len(p.Ranks))
	for left := true; left; {
		left = false
		for i := range p.Ranks {
			r := (i + first) % len(p.Ranks)
			k := p.Ranks[r]
			if next[r] == len(k.starts) {
				continue
			}
			left = true
			from := next[r]
			to := min(from+n, len(k.starts))
			at, told := slices.BinarySearch(k.told, from)
			switch {
			case told: // the open call; the records that it has published; its return
				to = from + 1 + k.publish[from]
				h.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: k.records(from, from+1), Open: true})
				h.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: k.records(from+1, to)})
				h.Batch(&ring.Batch{Thread: ring.ThreadID(r), Data: k.records(from, from+1), Resume: true})
			case at < len(k.told):
				to = min(to, k.told[at])
				fallthrough
			default:
				h.Batch(&ring.Batch{
					Thread: ring.ThreadID(r), Data: k.records(from, to), Open: k.open >= 0 && to == len(k.starts),
				})
			}
			next[r] = to
		}
	}
	for range 5 {
		h.Tick()
	}
	for r, k := range p.Ranks {
		if k.End != nil {
			h.End(ring.ProcID(r), k.End)
		}
	}
}
