package rules

import (
	"fmt"
	"math"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// displsRule finds displacements that are the sum of the previous displacement and count, after an overflow of int.
func (f function) displsRule(i int) rule {
	q := &f.Params[i]
	count := -1
	switch {
	case q.Kind != mpiapi.Int:
	case q.Role == mpiapi.SendDispls:
		count = f.Arg(mpiapi.SendCount)
	case q.Role == mpiapi.RecvDispls:
		count = f.Arg(mpiapi.RecvCount)
	}
	if count < 0 {
		return nil
	}
	return func(c *call) bool {
		displs, ok1 := c.In(i)
		counts, ok2 := c.In(count)
		if !ok1 || !ok2 || displs.Len() != counts.Len() {
			return true
		}
		for k := 1; k < displs.Len(); k++ {
			before, at, n := displs.At(k-1), displs.At(k), counts.At(k-1)
			if at >= 0 || before < 0 || counts.At(k) == 0 {
				continue
			}
			if sum := before + n; sum > math.MaxInt32 && int64(int32(sum)) == at && c.significant(i) {
				return c.rejectElement(i, k, fmt.Sprintf(
					"is %d: the sum of the previous displacement and count, %d + %d, overflows an int", at, before, n))
			}
		}
		return true
	}
}

// packing says where the records of MPI_Pack have the arguments.
type packing struct{ room, position, count, typ event.Slot }

func (f function) packing() packing {
	return packing{
		room: f.named("outsize"), position: event.BeforeSlot(f.Func, f.Param("position")),
		count: f.value(f.Arg(mpiapi.SendCount)), typ: f.value(f.Arg(mpiapi.SendType)),
	}
}

// bytes returns how many bytes the call packs, 0 if that is unknown.
func (p *packing) bytes(c *call) int64 {
	op := match.Op{Count: p.count.Int(c.rec), Type: c.process.Type(p.typ.Handle(c.rec))}
	if n, ok := op.Use().Bytes(); ok && op.Count > 0 {
		return max(n, 0)
	}
	return 0
}

// packRule finds data that have no room after the data that are already packed.
func (f function) packRule() rule {
	p, position, size := f.packing(), f.Param("position"), f.Param("outsize")
	return func(c *call) bool {
		n, at := p.bytes(c), p.position.Int(c.rec)
		switch {
		case n == 0:
			return true
		case at < 0:
			return c.reject(position, fmt.Sprintf("is the negative position %d", at))
		case at+n > p.room.Int(c.rec):
			return c.reject(size, fmt.Sprintf("is too small: the call packs %d bytes at position %d", n, at))
		}
		return true
	}
}

// packOverflow finds packed data whose size overflows an int.
func (f function) packOverflow() rule {
	p, position := f.packing(), f.Param("position")
	return func(c *call) bool {
		n, at := p.bytes(c), p.position.Int(c.rec)
		return n == 0 || at < 0 || at+n <= math.MaxInt32 ||
			c.reject(position, fmt.Sprintf("is %d: after %d more bytes it overflows an int", at, n))
	}
}

// resultTooLarge finds results that do not fit into an int. MPI_Type_size and the other query functions are recorded
// only in this case, or if they fail.
func (f function) resultTooLarge() rule {
	param := f.Param("size")
	if param < 0 {
		param = f.Param("count")
	}
	count, typ := f.named("incount"), f.named("datatype")
	asks := f.Base != mpiapi.IDPackSize
	return func(c *call) bool {
		if c.RC() != 0 {
			return true
		}
		why := "is too small for the result: MPI sets it to MPI_UNDEFINED"
		if !asks {
			op := match.Op{Count: count.Int(c.rec), Type: c.process.Type(typ.Handle(c.rec))}
			n, ok := op.Use().Bytes()
			if !ok || op.Count <= 0 || n <= math.MaxInt32 {
				return true
			}
			why = fmt.Sprintf("is an int, too small for the result: the data alone have %d bytes", n)
		}
		c.reject(param, why)
		c.mistake.Allowed, c.mistake.Defined = true, asks
		return false
	}
}
