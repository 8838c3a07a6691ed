// Package event interprets the records of calls: it gives typed views on a record's bytes, according to the API table.
// Nothing is copied or allocated unless a method says so. The contents of a record are not trusted: the program may
// have written over it. Whatever a record contains, the methods return a value or an error, and never panic.
package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// State is how far a call has come.
type State uint8

// The states of a call.
const (
	Complete State = iota // it has returned, and was not delivered as open before
	Open                  // it is under way: its results are not valid yet
	Resumed               // it was delivered as open before, and has returned now
)

// Call is a view on the record of a call. It is valid as long as its batch. A Call with a nil Func is a record that is
// not a call: see Info.
//
// Parameters are given by their index in Func.Params. Their values are converted to 64 bits: numbers with sign
// extension, handles and addresses with zero extension.
type Call struct {
	Func  *mpiapi.Func
	State State // set by a Decoder
	raw   []byte
	cut   *Cut
	secs  uint32 // offset of the sections
	end   uint32 // of the sections
	// at has the offsets of the first n sections. more says that there are further sections, or arrays in other
	// records.
	at   [3]uint32
	n    uint8
	more bool
}

// ErrMalformed is wrapped by all errors for records that the preload library cannot have written.
var ErrMalformed = errors.New("malformed record")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// Parse returns the record at the beginning of data, and its length. If there is an error, the length is that of the
// record to skip, or 0 if it is unknown.
func Parse(data []byte) (c Call, n int, err error) { return parse(data, mpiapi.Funcs()) }

// ParseCall returns the call whose record is at the beginning of rec.
func ParseCall(rec []byte) (Call, error) {
	c, _, err := Parse(rec)
	if err == nil && c.Func == nil {
		return Call{}, malformed("no call")
	}
	return c, err
}

func parse(data []byte, funcs []*mpiapi.Func) (c Call, n int, err error) {
	if len(data) < layout.Line {
		return c, 0, malformed("%d bytes", len(data))
	}
	head, rest := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	n = int(head>>16&0xffff) * layout.Line
	if n == 0 || n > len(data) {
		return c, 0, malformed("length %d of %d bytes", n, len(data))
	}
	c.raw = data[:n:n]
	kind := uint16(head)
	if kind >= layout.Info {
		return c, n, nil
	}
	if i := int(kind) - 1; uint(i) < uint(len(funcs)) {
		c.Func = funcs[i]
	} else {
		return Call{}, n, malformed("function number %d", kind)
	}
	end, used := n, int(rest>>48)
	if rest>>32&layout.Timed != 0 {
		end -= layout.SizeofTimes
	}
	if used < c.Func.Fixed || used > end {
		return Call{}, n, malformed("%s with a fixed part of %d bytes in %d", c.Func.Name, used, end)
	}
	used = (used + 7) &^ 7
	c.secs, c.end = uint32(used), uint32(end)
	if used+layout.SizeofSection <= end && binary.LittleEndian.Uint16(c.raw[used:]) != layout.SecEnd {
		if err := c.checkSections(); err != nil {
			return Call{}, n, err
		}
	} else {
		c.end = c.secs // none
	}
	return c, n, nil
}

// Attach gives a call the arrays that are not in its record. A Decoder calls it.
func (c *Call) Attach(cut *Cut) { c.cut = cut }

// Raw returns the record's bytes.
func (c *Call) Raw() []byte { return c.raw }

// Site is the number of the call site within the thread, 0 if it is unknown.
func (c *Call) Site() uint32 { return binary.LittleEndian.Uint32(c.raw[layout.RecordSiteAt:]) }

// RC is the return value of the call.
func (c *Call) RC() int32 { return int32(binary.LittleEndian.Uint32(c.raw[layout.RecordRCAt:])) }

// Times returns the ticks of the time stamp counter at which the call was entered and left. ok is false as long as only
// one thread of the process has called MPI.
func (c *Call) Times() (enter, leave uint64, ok bool) {
	if c.raw[layout.RecordFlagsAt]&layout.Timed == 0 {
		return 0, 0, false
	}
	t := c.raw[len(c.raw)-layout.SizeofTimes:]
	return binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[8:]), true
}

// At4 returns the 4 bytes at an offset from a Layout, as a signed number.
func (c *Call) At4(off uint16) int64 { return int64(int32(binary.LittleEndian.Uint32(c.raw[off:]))) }

// At8 returns the 8 bytes at an offset from a Layout.
func (c *Call) At8(off uint16) uint64 { return binary.LittleEndian.Uint64(c.raw[off:]) }

func (c *Call) load(off uint16, wide bool) int64 {
	if off == 0 {
		return 0
	}
	if wide {
		return int64(c.At8(off))
	}
	return c.At4(off)
}

// Int returns the value of a number passed by value, or the address of a parameter passed by pointer.
func (c *Call) Int(i int) int64 {
	l := &c.Func.Params[i].Layout
	return c.load(l.At, l.Wide)
}

// Double returns the value of a double passed by value.
func (c *Call) Double(i int) float64 { return math.Float64frombits(uint64(c.Int(i))) }

// Handle returns a handle passed by value.
func (c *Call) Handle(i int) uint64 { return uint64(c.Int(i)) }

// Addr returns the address of a buffer, or of a parameter passed by pointer.
func (c *Call) Addr(i int) uint64 { return uint64(c.Int(i)) }

// Before returns the value at entry of a scalar passed by pointer, 0 if it is not recorded.
func (c *Call) Before(i int) int64 {
	l := &c.Func.Params[i].Layout
	return c.load(l.Before, l.WideValue)
}

// After returns the value after the call of a scalar passed by pointer, 0 if it is not recorded. It is not valid in an
// open call, or in a call that failed: MPI leaves it undefined then.
func (c *Call) After(i int) int64 {
	l := &c.Func.Params[i].Layout
	return c.load(l.After, l.WideValue)
}

// section is a part of the record after the fixed part.
type section struct {
	kind  uint8
	param uint16
	count int
	data  []byte
}

// width returns the length of an element of a section.
func width(kind uint8) int {
	switch kind {
	case layout.SecIn32, layout.SecOut32:
		return 4
	case layout.SecIn64, layout.SecOut64:
		return 8
	case layout.SecStatus:
		return layout.SizeofStatus
	case layout.SecString:
		return 1
	}
	return 0
}

// next returns the section at an offset, and the offset of the next one. ok is false if there is no section. bad is
// true if it is malformed.
func (c *Call) next(at int) (s section, next int, ok, bad bool) {
	if at+layout.SizeofSection > int(c.end) {
		return s, at, false, false
	}
	w := binary.LittleEndian.Uint64(c.raw[at:])
	if uint16(w) == layout.SecEnd {
		return s, at, false, false
	}
	if uint16(w) > layout.SecCut || int(uint16(w>>16)) >= len(c.Func.Params) {
		return s, at, false, true
	}
	s = section{kind: uint8(w), param: uint16(w >> 16), count: int(uint32(w >> 32))}
	at += layout.SizeofSection
	size := s.count * width(s.kind)
	if size > int(c.end)-at {
		return s, at, false, true
	}
	s.data = c.raw[at : at+size : at+size]
	return s, at + (size+7)&^7, true, false
}

func (c *Call) checkSections() error {
	c.n, c.more = 0, false
	for at := int(c.secs); ; {
		s, next, ok, bad := c.next(at)
		if ok && !bad {
			if int(c.n) < len(c.at) && s.kind != layout.SecCut {
				c.at[c.n] = uint32(at)
				c.n++
			} else {
				c.more = true
			}
		}
		if bad {
			return malformed("%s: section of kind %d with %d elements for parameter %d at %d of %d",
				c.Func.Name, s.kind, s.count, s.param, at, c.end)
		}
		if !ok {
			return nil
		}
		at = next
	}
}

// find returns the section of a parameter with values at entry or after the call.
func (c *Call) find(i int, out bool) (s section, ok bool) {
	if c.secs == c.end {
		return s, false
	}
	l := &c.Func.Params[i].Layout
	want, other := l.InSection, l.OutSection
	if out {
		want, other = other, want
	}
	if want == 0 {
		return s, false
	}
	if !c.more {
		key := uint32(want) | uint32(i)<<16
		for _, at := range c.at[:c.n&3] {
			if w := binary.LittleEndian.Uint64(c.raw[at:]); uint32(w) == key {
				s = section{kind: want, param: uint16(i), count: int(w >> 32)}
				at += layout.SizeofSection
				s.data = c.raw[at : int(at)+s.count*width(want) : int(at)+s.count*width(want)]
				return s, true
			}
		}
		return s, false
	}
	seen := false // the section for the values at entry was found; it comes first
	for at := int(c.secs); ; {
		s, next, ok, _ := c.next(at)
		if !ok {
			return s, false
		}
		at = next
		if int(s.param) != i {
			continue
		}
		if s.kind == want {
			return s, true
		}
		// SecCut does not say whether it stands for the values at entry or after the call. The first one stands for
		// those at entry, if the parameter has them.
		if s.kind == layout.SecCut && (other == 0 || seen == out) {
			return s, true
		}
		seen = true
	}
}

// Array is a view on an array of numbers or handles. The zero value has no elements.
type Array struct {
	data []byte
	wide bool
}

// Len returns the number of elements.
func (a Array) Len() int {
	if a.wide {
		return len(a.data) / 8
	}
	return len(a.data) / 4
}

// Wide reports whether the elements have 8 bytes; otherwise they have 4.
func (a Array) Wide() bool { return a.wide }

// At returns element i, from 0 to Len()-1: a number with sign extension, or a handle with zero extension.
func (a Array) At(i int) int64 {
	if a.wide {
		return int64(binary.LittleEndian.Uint64(a.data[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(a.data[4*i:])))
}

// Handle returns an element that is a handle.
func (a Array) Handle(i int) uint64 { return uint64(a.At(i)) }

// In returns the elements of an array at entry. It returns false if they are not recorded: the array is not significant
// in this call, its address is invalid, or its elements were lost.
func (c *Call) In(i int) (Array, bool) {
	kind := c.Func.Params[i].Layout.InSection
	s, ok := c.find(i, false)
	if !ok || kind == layout.SecString {
		return Array{}, false
	}
	b := c.body(s, i, kind)
	if len(b) != s.count*width(kind) {
		return Array{}, false
	}
	return Array{b, kind == layout.SecIn64}, true
}

// Out returns the elements that a call has written to an array. Their number is that of the call's result (for
// MPI_Waitsome's indices, outcount). Out returns false if they are not recorded.
func (c *Call) Out(i int) (Array, bool) {
	kind := c.Func.Params[i].Layout.OutSection
	if kind == layout.SecStatus {
		return Array{}, false
	}
	b, ok := c.results(i, kind)
	return Array{b, kind == layout.SecOut64}, ok
}

// results returns the elements that a call has written to an array.
func (c *Call) results(i int, kind uint8) ([]byte, bool) {
	s, ok := c.find(i, true)
	if !ok || c.State == Open {
		return nil, false
	}
	b, n := c.body(s, i, kind), min(c.written(i), s.count)*width(kind)
	if n > len(b) {
		return nil, false
	}
	return b[:n:n], true
}

// body returns the elements of a section, from the record itself or from InfoData records.
func (c *Call) body(s section, i int, kind uint8) []byte {
	if s.kind != layout.SecCut {
		return s.data
	}
	b := c.cut.find(kind, uint16(i))
	if n := s.count * width(kind); len(b) > n {
		b = b[:n]
	}
	return b
}

// written returns an upper bound of the number of elements that a call has written to an array.
func (c *Call) written(i int) int {
	e := &c.Func.Params[i].Written
	if e.Kind != mpiapi.ByParam {
		return math.MaxInt
	}
	var n int64
	if q := &c.Func.Params[e.Arg]; q.Layout.After != 0 {
		n = c.After(e.Arg)
	} else if !q.Pointer {
		n = c.Int(e.Arg)
	} else {
		return math.MaxInt
	}
	if n < 0 { // also for MPI_UNDEFINED
		return 0
	}
	if n > math.MaxInt32 {
		return math.MaxInt
	}
	return int(n) * e.Factor
}

// Status is an MPI_Status.
type Status struct {
	Source, Tag int32
	Error       int32
	Cancelled   bool
	Bytes       int64 // received, -1 if unknown
}

// Statuses is a view on statuses. The zero value has no elements.
type Statuses struct{ data []byte }

// Len returns the number of statuses.
func (s Statuses) Len() int { return len(s.data) / layout.SizeofStatus }

// At returns a status, from 0 to Len()-1.
func (s Statuses) At(i int) Status {
	v, _ := layout.DecodeStatus(s.data[i*layout.SizeofStatus:])
	return Status{Source: v.Source, Tag: v.Tag, Error: v.Error, Cancelled: v.Cancelled != 0, Bytes: v.Bytes}
}

// Statuses returns the statuses that a call has returned in a parameter, even if the program passed MPI_STATUS_IGNORE
// or MPI_STATUSES_IGNORE. A single status is an array of length 1. Statuses returns false if they are not recorded. For
// example, MPI_Recv without wildcards has no status in its record: source and tag are those that it asked for.
func (c *Call) Statuses(i int) (Statuses, bool) {
	if c.Func.Params[i].Layout.OutSection != layout.SecStatus {
		return Statuses{}, false
	}
	b, ok := c.results(i, layout.SecStatus)
	return Statuses{b}, ok
}

// Text returns the characters of a string that the program passed, false if they are not recorded.
func (c *Call) Text(i int) ([]byte, bool) {
	s, ok := c.find(i, false)
	if !ok || s.kind != layout.SecString {
		return nil, false
	}
	return s.data, true
}

// Clone returns a call with a copy of the bytes, in buf if its capacity is large enough. The copy stays valid.
func (c *Call) Clone(buf []byte) Call {
	d := *c
	d.raw = append(buf[:0], c.raw...)
	if c.cut != nil {
		d.cut = c.cut.clone()
	}
	return d
}
