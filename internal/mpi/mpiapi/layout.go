package mpiapi

import (
	"hash/fnv"
	"strconv"
)

// place computes the layout of every parameter and the length of the fixed part. The fixed part has the header, then
// all 8-byte slots in the order of the parameters, then all 4-byte slots. The slots of a parameter are, in this order:
// its value or address, the value before the call, the value after it. For example, the fixed part of MPI_Recv has 60
// bytes: buf at 16, datatype at 24, comm at 32, the address of status at 40, count at 48, source at 52 and tag at 56.
//
// The sections follow the fixed part. First come the sections that are filled at entry, then those that are filled
// after the call, both in the order of the parameters. A section for results has room for as many elements as the
// array.
func (f *Func) place() {
	at := headerSize
	for _, width := range []int{8, 4} {
		slot := func(w int) uint16 {
			if w != width {
				return 0
			}
			at += width
			return uint16(at - width)
		}
		for i := range f.Params {
			p := &f.Params[i]
			l := &p.Layout
			value := p.valueWidth()
			if !p.Pointer {
				l.Wide = value == 8
				l.At |= slot(value)
				continue
			}
			l.Wide = true
			l.At |= slot(8)
			if !p.Record || p.Elements.Kind != NoArray || p.Kind == String || value == 0 {
				continue
			}
			l.WideValue = value == 8
			if p.Dir == InOut {
				l.Before |= slot(value)
			}
			if p.after {
				l.After |= slot(value)
			}
		}
	}
	f.Fixed = at
	for i := range f.Params {
		f.Params[i].sections()
	}
}

// valueWidth returns the width of the value. If the parameter is a pointer, it is the width of the value pointed to.
func (p *Param) valueWidth() int { return Width(p.Kind) }

func (p *Param) sections() {
	if !p.Pointer || !p.Record {
		return
	}
	l := &p.Layout
	switch {
	case p.Kind == Status:
		l.OutSection = SectionStatus
	case p.Kind == String:
		l.InSection = SectionString
	case p.Elements.Kind == NoArray:
	default:
		in, out := uint8(SectionIn64), uint8(SectionOut64)
		if p.valueWidth() == 4 {
			in, out = SectionIn32, SectionOut32
		}
		if p.Dir != Out {
			l.InSection = in
		}
		if p.after {
			l.OutSection = out
		}
	}
}

// hashes returns, for each function, a number that changes with the layout, numbering and contents of its records and
// of those of the functions before it.
func hashes(funcs []*Func) []uint64 {
	list := make([]uint64, len(funcs))
	h := fnv.New64a()
	var b []byte
	num := func(n int) { b = append(strconv.AppendInt(b, int64(n), 10), ' ') }
	flag := func(f bool) {
		if f {
			b = append(b, '1')
		} else {
			b = append(b, '0')
		}
	}
	for k, f := range funcs {
		b = append(append(b, f.Name...), ' ')
		num(int(f.ID))
		num(f.Fixed)
		for i := range f.Params {
			p := &f.Params[i]
			b = append(append(b, p.CType...), ' ')
			num(int(p.Kind))
			num(int(p.Dir))
			b = append(append(b, p.Length...), ':')
			b = append(append(b, p.OutLength...), ' ')
			flag(p.Pointer)
			flag(p.AtRoot)
			flag(p.NotInPlace)
			flag(p.Record)
			l := p.Layout
			num(int(l.At))
			num(int(l.Before))
			num(int(l.After))
			num(int(l.InSection))
			num(int(l.OutSection))
			flag(l.Wide)
			flag(l.WideValue)
		}
		b = append(b, '\n')
		h.Write(b)
		b = b[:0]
		list[k] = h.Sum64()
	}
	return list
}
