package datatype

import "math"

// maxSteps bounds a walk. Signatures of real programs are more regular.
const maxSteps = 1 << 17

// walker goes through two signatures side by side, from left to right, and compares pairs of elements. It does not
// visit every pair: it compares repeated pairs once, and skips equal sequences.
type walker struct {
	bytes bool  // pair elements by their byte positions, not by their numbers
	at    int64 // number of elements, or bytes, that are done
	steps int
}

// rest is the remaining part of a signature. Its last element is the next part.
type rest []part

// from returns the signature without its first n elements. The number of copies has no limit.
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

// open replaces one copy of the next part by the parts of its unit. The unit must not be a basic type.
func (r rest) open() rest {
	u := r[len(r)-1].of
	r = r.drop(1)
	for i := len(u.parts) - 1; i >= 0; i-- {
		r = append(r, u.parts[i])
	}
	return r
}

// drop removes copies of the next part.
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

// walk compares the next n elements or bytes. Both signatures must have at least n. It returns related if all pairs are
// related. Else it returns the relation of the first other pair, which is at w.at, or unclear after too many steps.
func (w *walker) walk(s, r rest, n int64) relation {
	for n > 0 {
		if w.steps++; w.steps > maxSteps {
			return unclear
		}
		p, q := s[len(s)-1], r[len(r)-1]
		x, y := w.length(p.of), w.length(q.of)
		if x == 0 || y == 0 {
			return unclear // basic types without a size do not exist in any MPI
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
				// MPI_BYTEs match a part of an element. The rest of the element can match only MPI_BYTE.
				s, r = s.cut(x, most), r.cut(y, most)
				n -= most
				w.at += most
				continue
			}
			done = most / period * period
		case period > 0 && most >= 2*period:
			one := w.at
			e := w.walk(rest{{copies: period / x, of: p.of}}, rest{{copies: period / y, of: q.of}}, period)
			if e != related {
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

// pair returns the relation of two basic types. In a walk by bytes, MPI_BYTE is related to every type.
func (w *walker) pair(s, r *unit) relation {
	e := relate(s, r)
	switch {
	case !w.bytes:
		return e
	case s.basic == bytes || r.basic == bytes:
		return related
	case e == related && s.size != r.size:
		return forbidden // the machines represent the type differently
	}
	return e
}

// remnant is a byte of an element. Other bytes of that element have been compared with MPI_BYTE.
var remnant = &unit{basic: &Basic{}, size: 1}

// cut removes n bytes of the next part, which has basic elements of the given size.
func (r rest) cut(size, n int64) rest {
	r = r.drop(n / size)
	if n %= size; n > 0 {
		r = append(r.drop(1), part{copies: size - n, of: remnant})
	}
	return r
}

// times multiplies positive numbers. It returns math.MaxInt64 if the product is larger.
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
