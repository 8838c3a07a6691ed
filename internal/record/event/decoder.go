package event

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Decoder goes through the batches of one thread, record by record.
//
//	d.Start(batch)
//	for d.Next() {
//		if d.Call.Func == nil {
//			switch d.Call.Info() …
//		}
//	}
//
// It attaches to a call the arrays that are not in its record. The zero value is ready.
type Decoder struct {
	Call Call // the record that Next has moved to

	funcs []*mpiapi.Func
	data  []byte
	batch *ring.Batch
	first bool
	cut   Cut
	done  bool // the collected arrays belong to a call that is complete
	bad   int
	err   error
}

// Start begins with a batch.
func (d *Decoder) Start(b *ring.Batch) {
	if d.funcs == nil {
		d.funcs = mpiapi.Funcs()
	}
	d.data, d.batch, d.first = b.Data, b, true
}

// Next moves to the next record. The record is in d.Call until the next call of Next. At the end of the batch, Next
// returns false and releases the batch. It consumes records with parts of arrays itself, and leaves out malformed
// records (see Err).
func (d *Decoder) Next() bool {
	if d.plain() {
		return true
	}
	for len(d.data) > 0 {
		c, n, err := parse(d.data, d.funcs)
		if err != nil {
			d.fail(err)
			if n == 0 {
				break
			}
			d.data, d.first = d.data[n:], false
			continue
		}
		d.data = d.data[n:]
		if d.done {
			d.cut.Reset()
			d.done = false
		}
		if c.Func != nil {
			c.State = Complete
			if len(d.data) == 0 && d.batch.Open {
				c.State = Open
			} else if d.first && d.batch.Resume {
				c.State = Resumed
			}
			if len(d.cut.arrays) > 0 {
				c.cut = &d.cut
				d.done = c.State != Open
			}
			d.first = false
			d.Call = c
			return true
		}
		d.first = false
		if binary.LittleEndian.Uint16(c.raw) == layout.InfoData {
			if err := d.cut.Add(c.raw); err != nil {
				d.fail(err)
			}
			continue
		}
		d.Call = c
		return true
	}
	d.Call, d.data, d.batch = Call{}, nil, nil // do not keep the batch's memory as long as the thread
	return false
}

// Plain returns the records that Next would deliver next, if they can be used as they are: none of them is a resumed
// call, and none has parts of arrays in records before it. The last one may be open. Otherwise Plain returns nil.
func (d *Decoder) Plain() []byte {
	if d.first && d.batch.Resume || d.done || len(d.cut.arrays) != 0 {
		return nil
	}
	return d.data
}

// Skip leaves out n bytes of records that Plain returned.
func (d *Decoder) Skip(n int) {
	if n > 0 {
		d.data, d.first = d.data[n:], false
	}
}

// plain is a fast path of Next for nearly all records: calls without sections that have returned and were not delivered
// before. It checks the same as parse, but fills in Call in place.
func (d *Decoder) plain() bool {
	data := d.data
	if len(data) <= layout.Line || d.first && d.batch.Resume || d.done || len(d.cut.arrays) != 0 {
		return false
	}
	head, rest := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	n := int(head>>16&0xffff) * layout.Line
	i := int(uint16(head)) - 1
	if uint(i) >= uint(len(d.funcs)) || n == 0 || n >= len(data) || rest>>32&layout.Timed != 0 {
		return false
	}
	used := int(rest >> 48)
	secs := (used + 7) &^ 7
	f := d.funcs[i]
	if used < f.Fixed || used > n ||
		secs+layout.SizeofSection <= n && binary.LittleEndian.Uint16(data[secs:]) != layout.SecEnd {
		return false
	}
	// Set the fields one by one: a composite literal would be built elsewhere and copied.
	c := &d.Call
	c.Func, c.raw = f, data[:n:n]
	c.State, c.cut, c.secs, c.end = Complete, nil, uint32(secs), uint32(secs)
	d.data, d.first = data[n:], false
	return true
}

func (d *Decoder) fail(err error) {
	if d.bad++; d.err == nil {
		d.err = err
	}
}

// Err returns how many records were malformed so far, and what was wrong with the first of them. Next does not deliver
// the calls of these records. So no conclusion may be drawn from calls that this thread seems to lack.
func (d *Decoder) Err() (int, error) { return d.bad, d.err }
