package track

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// operation is a reduction operation that the program has made.
type operation struct {
	function    uint64
	commutative bool
	id          uint64
	made        match.Call
}

// opTable has the reduction operations that a process has made, by handle.
type opTable struct {
	ops      map[uint64]*operation
	recentOp struct{ handle, id uint64 } // the last one that was looked up
}

// Op returns a number that is the same for the same reduction operation on all processes, 0 if it is not known.
// Operations of the program are the same if they are made from the same function (MPI standard, section 6.9.5).
func (p *Process) Op(handle uint64) uint64 {
	if p.recentOp.id != 0 && p.recentOp.handle == handle {
		return p.recentOp.id
	}
	var id uint64
	if o := p.ops[handle]; o != nil {
		id = o.id
	} else if w := p.names.handle(mpiapi.Op, handle); w != nil {
		id = w.op
	}
	p.recentOp.handle, p.recentOp.id = handle, id
	return id
}

// OpFunction returns the address of the function that the program made an operation from, and the call that made it. It
// returns false if the program did not make the operation.
func (ot *opTable) OpFunction(handle uint64) (address uint64, made match.Call, ok bool) {
	o := ot.ops[handle]
	if o == nil {
		return 0, match.Call{}, false
	}
	return o.function, o.made, true
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return h.Sum64() | 1
}

// newOp enters the operation that MPI_Op_create has made.
func (p *Process) newOp(th *Thread, c *event.Call) {
	f := c.Func
	o := &operation{
		function: c.Addr(f.Param("user_fn")), commutative: c.Int(f.Param("commute")) != 0,
		made: th.call(c.Raw()),
	}
	o.id = p.placeOf(o.function)
	if o.id != 0 && o.commutative {
		o.id += 2
	}
	p.ops = put(p.ops, uint64(c.After(f.Param("op"))), o)
	p.recentOp.id = 0
	p.meanings++
}

// functionPlace is the result of placeOf for a function; it is valid until another module is mapped.
type functionPlace struct{ address, id uint64 }

// placeOf returns a number for the place of a function in its file. The number is the same in all processes that have
// loaded that file, at any address. It is 0 if the file is not known.
func (mm *memoryMap) placeOf(address uint64) uint64 {
	if r := &mm.lastFunction; r.id == 0 || r.address != address {
		*r = functionPlace{address, mm.findPlace(address)}
	}
	return mm.lastFunction.id
}

func (mm *memoryMap) findPlace(address uint64) uint64 {
	m, ok := mm.Module(address)
	if !ok {
		return 0
	}
	h := fnv.New64a()
	if len(m.BuildID) > 0 {
		_, _ = h.Write(m.BuildID)
	} else {
		_, _ = h.Write([]byte(m.Path))
	}
	_ = binary.Write(h, binary.LittleEndian, address-m.Base)
	return h.Sum64()&^3 | 1
}

// freeOp follows MPI_Op_free. It keeps the call that made the operation.
func (p *Process) freeOp(handle uint64) {
	if o := p.ops[handle]; o != nil {
		o.id, p.recentOp.id = 0, 0
		p.meanings++
	}
}
