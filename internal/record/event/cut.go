package event

import (
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Cut collects the arrays that were too long for the record of a call. They come in InfoData records: before the call's
// record (elements at entry) or behind it (elements after the call). Each thread has one Cut, and it must be reset
// after each completed call. A Decoder does all of this. The zero value is empty.
type Cut struct {
	arrays []cutArray
}

type cutArray struct {
	kind  uint8
	param uint16
	bad   bool // a part is missing
	data  []byte
}

// Add takes the part of an array in an InfoData record.
func (c *Cut) Add(rec []byte) error {
	p, err := payload(rec, layout.InfoData)
	if err != nil {
		return err
	}
	d, ok := layout.DecodeData(p)
	if !ok {
		return tooShort("part of an array", p)
	}
	kind, param, first, count := d.Kind, d.Param, int(d.First), int(d.Count)
	p = p[layout.SizeofData:]
	w := 0
	if kind <= 0xff {
		w = width(uint8(kind))
	}
	if w == 0 || count*w > len(p) {
		return malformed("part of an array of kind %d with %d elements in %d bytes", kind, count, len(p))
	}
	a := c.array(uint8(kind), param)
	if first*w != len(a.data) {
		a.bad = true
		return malformed("part of an array from element %d where %d are known", first, len(a.data)/w)
	}
	a.data = append(a.data, p[:count*w]...)
	return nil
}

func (c *Cut) array(kind uint8, param uint16) *cutArray {
	for i := range c.arrays {
		if a := &c.arrays[i]; a.kind == kind && a.param == param {
			return a
		}
	}
	if n := len(c.arrays); n < cap(c.arrays) {
		// Reuse the memory of an earlier call.
		c.arrays = c.arrays[:n+1]
		a := &c.arrays[n]
		*a = cutArray{kind: kind, param: param, data: a.data[:0]}
		return a
	}
	c.arrays = append(c.arrays, cutArray{kind: kind, param: param})
	return &c.arrays[len(c.arrays)-1]
}

// find returns the collected elements of a parameter, nil if they are not complete.
func (c *Cut) find(kind uint8, param uint16) []byte {
	if c == nil {
		return nil
	}
	for i := range c.arrays {
		if a := &c.arrays[i]; a.kind == kind && a.param == param && !a.bad {
			return a.data
		}
	}
	return nil
}

// keep is how much memory for long arrays is kept for the next call, in bytes.
const keep = 1 << 20

// Reset forgets the arrays, for the next call.
func (c *Cut) Reset() {
	for i := range c.arrays {
		if cap(c.arrays[i].data) > keep {
			c.arrays[i].data = nil
		}
	}
	c.arrays = c.arrays[:0]
}

func (c *Cut) clone() *Cut {
	d := &Cut{arrays: make([]cutArray, len(c.arrays))}
	for i, a := range c.arrays {
		a.data = append([]byte(nil), a.data...)
		d.arrays[i] = a
	}
	return d
}
