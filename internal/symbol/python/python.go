// Package python finds the lines of Python functions. CPython keeps them in tables, which have another form in each of
// 3.9, 3.10 and 3.11. The tables are not trusted.
package python

// Code is the code of a function, or of another part of a program that has its own code: a module, a class, a lambda, a
// comprehension, a generator.
type Code struct {
	Version   uint16 // of CPython: 0x030b is 3.11
	Name      string
	File      string // "<string>" and the like if there is none
	FirstLine int
	Lines     string // co_linetable; co_lnotab in 3.9
}

// The versions from which on the table has another form.
const (
	pairsOfRanges = 0x030a // PEP 626
	locations     = 0x030b // PEP 657
)

// Line returns the line of the instruction at an offset in bytes, 0 if it is not known.
func (c *Code) Line(at int64) int {
	if at < 0 { // the function has not begun
		return c.FirstLine
	}
	switch {
	case c.Version >= locations:
		return c.location(at)
	case c.Version >= pairsOfRanges:
		return c.rangeLine(at)
	}
	return c.pairLine(at)
}

// pairLine reads pairs: so many bytes further in the code, the line is so many lines further.
func (c *Code) pairLine(at int64) int {
	line, end := c.FirstLine, int64(0)
	for t := c.Lines; len(t) >= 2; t = t[2:] {
		if end += int64(t[0]); end > at {
			break
		}
		line += int(int8(t[1]))
	}
	return line
}

// rangeLine reads pairs: the length of the next range of the code, and by how much its line differs from that of the
// last range with a line.
func (c *Code) rangeLine(at int64) int {
	const none = -128
	line, end := c.FirstLine, int64(0)
	for t := c.Lines; len(t) >= 2; t = t[2:] {
		delta := int(int8(t[1]))
		if delta != none {
			line += delta
		}
		if end += int64(t[0]); end > at {
			if delta == none {
				return 0
			}
			return line
		}
	}
	return 0
}

// location reads entries, which also have columns. The first byte of each entry has its kind and its number of
// instructions of two bytes.
func (c *Code) location(at int64) int {
	line, end := c.FirstLine, int64(0)
	for t := c.Lines; len(t) > 0; {
		kind, size := t[0]>>3&15, int64(t[0]&7+1)*2
		t = t[1:]
		delta, skip, ok := 0, 0, true
		switch kind {
		case 15: // no location
		case 14: // line, last line, two columns
			delta, t, ok = signed(t)
			for range 3 {
				_, t, _ = varint(t)
			}
		case 13: // line
			delta, t, ok = signed(t)
		case 12, 11, 10: // near line, two columns
			delta, skip = int(kind)-10, 2
		default: // same line, columns
			skip = 1
		}
		if !ok || skip > len(t) {
			break
		}
		t = t[skip:]
		line += delta
		if end += size; end > at {
			if kind == 15 {
				return 0
			}
			return line
		}
	}
	return 0
}

// varint reads a number in groups of six bits, the lowest ones first.
func varint(t string) (v int, rest string, ok bool) {
	for shift := 0; shift < 36 && len(t) > 0; shift += 6 {
		b := t[0]
		t = t[1:]
		v |= int(b&63) << shift
		if b&64 == 0 {
			return v, t, true
		}
	}
	return 0, "", false
}

// signed reads a number whose lowest bit is its sign.
func signed(t string) (v int, rest string, ok bool) {
	v, rest, ok = varint(t)
	if v&1 != 0 {
		return -(v >> 1), rest, ok
	}
	return v >> 1, rest, ok
}
