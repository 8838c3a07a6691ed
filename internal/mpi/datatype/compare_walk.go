package datatype

import "math"

// maxSteps bounds a walk: signatures that take more are too irregular to be anybody's.
const maxSteps = 1 << 17

// walker goes through two signatures side by side, from left to right, and looks at each pair of elements that may meet,
// but not at all that do: copies that come round together are looked at once, and what is equal is passed over.
type walker struct {
	bytes bool  // elements meet by their bytes, not by their number
	at    int64 // elements, or bytes, behind it
	steps int
}

// rest is what is still to come of a signature: the last part is the next one.
type rest []part

// from returns the signature without its first n elements, as many copies as it takes.
func (s *signature) from(n int64) rest {
	r := rest{{copies: math.MaxInt64, of: s.of}}
	for n %= s.of.hash.N; n > 0; {
		r = r.open()
		for skip := int64(0); n > 0; n -= skip {
			p := &r[len(r)-1]
			whole := min(n/p.of.hash.N, p.copies)
			if skip = whole * p.of.hash.N; skip == 0 {
				break
			}
			r = r.drop(whole)
		}
	}
	return r
}

// open replaces one copy of the next part, which is none of a basic type, by what it consists of.
func (r rest) open() rest {
	u := r[len(r)-1].of
	r = r.drop(1)
	for i := len(u.parts) - 1; i >= 0; i-- {
		r = append(r, u.parts[i])
	}
	return r
}

// drop takes away copies of the next part.
func (r rest) drop(copies int64) rest {
	if p := &r[len(r)-1]; p.copies > copies {
		p.copies -= copies
		return r
	}
	return r[:len(r)-1]
}

func (w *walker) length(u *unit) int64 {
	if w.bytes {
		return u.size
	}
	return u.hash.N
}

// walk compares the next n elements or bytes. It returns related if all pairs are, else what the first other pair is,
// which is at w.at; if there are too many steps, unclear. Both must have as many elements.
func (w *walker) walk(s, r rest, n int64) relation {
	for n > 0 {
		if w.steps++; w.steps > maxSteps {
			return unclear
		}
		p, q := s[len(s)-1], r[len(r)-1]
		x, y := w.length(p.of), w.length(q.of)
		if x == 0 || y == 0 {
			return unclear // of no size, which no MPI has
		}
		most := min(times(p.copies, x), times(q.copies, y), n)
		period := lcm(x, y, most)
		var done int64
		switch {
		case p.of.hash == q.of.hash && x == y && most >= x:
			done = most / x * x
		case p.of.basic != nil && q.of.basic != nil:
			if e := w.pair(p.of, q.of); e != related {
				return e
			}
			if period == 0 {
				// MPI_BYTEs cover a part of an element: of what remains of it nothing but MPI_BYTE knows.
				s, r = s.cut(x, most), r.cut(y, most)
				n -= most
				w.at += most
				continue
			}
			done = most / period * period
		case period > 0 && most >= 2*period:
			one := w.at
			if e := w.walk(rest{{copies: period / x, of: p.of}}, rest{{copies: period / y, of: q.of}}, period); e != related {
				return e
			}
			w.at = one
			done = most / period * period
		case q.of.basic != nil || p.of.basic == nil && x >= y:
			w.steps += len(p.of.parts)
			s = s.open()
			continue
		default:
			w.steps += len(q.of.parts)
			r = r.open()
			continue
		}
		s, r = s.drop(done/x), r.drop(done/y)
		n -= done
		w.at += done
	}
	return related
}

// pair relates two basic types; in a walk by bytes, MPI_BYTE and others go together.
func (w *walker) pair(s, r *unit) relation {
	e := relate(s, r)
	switch {
	case !w.bytes:
		return e
	case s.basic == bytes || r.basic == bytes:
		return related
	case e == related && s.size != r.size:
		return forbidden // of machines that differ
	}
	return e
}

// remnant is a byte of an element whose other bytes met an MPI_BYTE.
var remnant = &unit{basic: &Basic{}, size: 1}

// cut takes away n bytes of the next part, of basic elements of the given size.
func (r rest) cut(size, n int64) rest {
	r = r.drop(n / size)
	if n %= size; n > 0 {
		r = append(r.drop(1), part{copies: size - n, of: remnant})
	}
	return r
}

// times multiplies positive numbers; what is too large is the largest number.
func times(x, y int64) int64 {
	if x > math.MaxInt64/y {
		return math.MaxInt64
	}
	return x * y
}

// lcm returns the least common multiple of x and y, 0 if it is larger than most.
func lcm(x, y, most int64) int64 {
	g := x
	for b := y; b != 0; {
		g, b = b, g%b
	}
	if x /= g; x > most/y {
		return 0
	}
	return x * y
}
