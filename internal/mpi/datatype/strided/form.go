package strided

import (
	"math/bits"
	"slices"
)

// form is the question whether a sum of bounded multiples can be in an interval: are there integers x with
// min ≤ x ≤ max, one for each term, such that lo ≤ Σ c·x ≤ hi? Every question of overlap has this form: if two combs
// share a byte, the distance of two of their intervals is less than the length of an interval. The distance is a sum
// over the levels of both combs.
//
// The terms have c > 0 and 0 ≤ x < n. The method add converts the caller's variables to this form.
type form struct {
	terms  []term
	given  []variable
	joins  []join
	x      []int64
	offset int64 // of the sum, by the conversion of variables

	termsBuf [12]term
	givenBuf [12]variable
	joinsBuf [4]join
	xBuf     [24]int64
}

// term is c·x[id] with 0 ≤ x[id] < n.
type term struct {
	c, n int64
	id   int
}

// variable is a variable of the caller. Its value follows from x.
type variable struct {
	min, max int64
	turned   bool // c was negative: the value is max-x, else min+x
}

// join says that x[id] stands for factor·x[a] + x[b].
type join struct {
	id, a, b       int
	factor, na, nb int64
}

// budget is the number of steps that are left for a question. Only unrelated combs of three and more levels need more
// than a few steps.
type budget int

// steps is the budget of one question, a fraction of a second.
const steps = 1 << 21

func (f *form) reset() {
	f.terms, f.given, f.joins, f.offset = f.termsBuf[:0], f.givenBuf[:0], f.joinsBuf[:0], 0
}

// add adds the variable c·x, min ≤ x ≤ max.
func (f *form) add(c, minX, maxX int64) {
	v := variable{min: minX, max: maxX, turned: c < 0}
	if v.turned {
		f.offset += c * maxX
		c = -c
	} else {
		f.offset += c * minX
	}
	if c > 0 && maxX > minX {
		f.terms = append(f.terms, term{c: c, n: maxX - minX + 1, id: len(f.given)})
	}
	f.given = append(f.given, v)
}

// value returns the solution for variable i, in the order of add.
func (f *form) value(i int) int64 {
	v := f.given[i]
	if v.turned {
		return v.max - f.x[i]
	}
	return v.min + f.x[i]
}

// prepare sorts the terms, and joins two terms if one term can replace them: with enough values of y, 24·x + 8·y takes
// every multiple of 8 in its range.
func (f *form) prepare() {
	for i, t := range f.terms { // a few
		for ; i > 0 && f.terms[i-1].c < t.c; i-- {
			f.terms[i] = f.terms[i-1]
		}
		f.terms[i] = t
	}
	ids := len(f.given)
	for i := len(f.terms) - 2; i >= 0; i-- {
		for j := len(f.terms) - 1; j > i; j-- {
			a, b := f.terms[i], f.terms[j]
			if a.c != b.c && (b.n < 2 || a.c/b.c > b.n || a.c%b.c != 0) {
				continue
			}
			m := a.c / b.c
			f.joins = append(f.joins, join{id: ids, a: a.id, b: b.id, factor: m, na: a.n, nb: b.n})
			f.terms[j] = term{c: b.c, n: m*(a.n-1) + b.n, id: ids}
			f.terms = slices.Delete(f.terms, i, i+1)
			ids++
			i = len(f.terms) - 1 // start again: more terms may join the longer one
			break
		}
	}
	if ids <= len(f.xBuf) {
		f.x = f.xBuf[:ids]
		clear(f.x)
	} else {
		f.x = make([]int64, ids)
	}
}

// solve finds values of the variables with lo ≤ Σ c·x ≤ hi. It also returns false if the budget is too small.
func (f *form) solve(lo, hi int64, left *budget) bool {
	f.prepare()
	if !find(f.terms, lo-f.offset, hi-f.offset, f.x, left) {
		return false
	}
	f.part()
	return true
}

// part computes the original variables from the joined ones.
func (f *form) part() {
	for _, j := range slices.Backward(f.joins) {
		a := min(f.x[j.id]/j.factor, j.na-1)
		f.x[j.a], f.x[j.b] = a, f.x[j.id]-j.factor*a
	}
}

// values yields the possible sums of the terms between lo and hi, until yield returns false. It may yield a sum more
// than once. It returns false if yield did.
func (f *form) values(lo, hi int64, yield func(sum int64) bool) bool {
	f.prepare()
	return values(f.terms, lo-f.offset, hi-f.offset, f.offset, yield)
}

func values(ts []term, lo, hi, sum int64, yield func(int64) bool) bool {
	if len(ts) == 0 {
		return lo > 0 || hi < 0 || yield(sum)
	}
	t := ts[0]
	first, last := t.candidates(lo, hi, reach(ts[1:]))
	for x := first; x <= last; x++ {
		if v := t.c * x; !values(ts[1:], lo-v, hi-v, sum+v, yield) {
			return false
		}
	}
	return true
}

// reach returns the largest sum of the terms.
func reach(ts []term) int64 {
	var r int64
	for _, t := range ts {
		r += t.c * (t.n - 1)
	}
	return r
}

// candidates returns the range of x for which the sum can be between lo and hi. The other terms can add up to others.
func (t term) candidates(lo, hi, others int64) (first, last int64) {
	if lo -= others; lo > 0 {
		first = (lo + t.c - 1) / t.c
	}
	if hi < 0 {
		return first, -1
	}
	return first, min(hi/t.c, t.n-1)
}

// find sets x so that lo ≤ Σ c·x ≤ hi. The coefficients of the terms must be in descending order.
func find(ts []term, lo, hi int64, x []int64, left *budget) bool {
	all := reach(ts)
	lo, hi = max(lo, 0), min(hi, all)
	if lo > hi {
		return false
	}
	if lo == 0 || hi == all {
		for _, t := range ts {
			x[t.id] = 0
			if lo != 0 {
				x[t.id] = t.n - 1
			}
		}
		return true
	}
	// Here 0 < lo ≤ hi < all, so there are terms.
	last := ts[len(ts)-1]
	if last.c <= hi-lo+1 {
		// The last term moves the interval in steps that leave no gap.
		rest := ts[:len(ts)-1]
		if !find(rest, lo-last.c*(last.n-1), hi, x, left) {
			return false
		}
		for _, t := range rest {
			lo -= t.c * x[t.id]
		}
		x[last.id] = 0
		if lo > 0 {
			x[last.id] = (lo + last.c - 1) / last.c
		}
		return true
	}
	switch len(ts) {
	case 1:
		i := (lo + last.c - 1) / last.c // at most n-1, as hi < all
		x[last.id] = i
		return i*last.c <= hi
	case 2:
		return findTwo(ts[0], last, lo, hi, x)
	}
	return findMore(ts, lo, hi, all, x, left)
}

// findTwo solves for two terms with hi-lo+1 < b.c ≤ a.c. After the part of a, the rest must be at most hi-lo above a
// multiple of b.c: (hi - a.c·x) mod b.c ≤ hi-lo.
func findTwo(a, b term, lo, hi int64, x []int64) bool {
	first, last := a.candidates(lo, hi, b.c*(b.n-1))
	i, ok := step(a.c, b.c, first, last, lo, hi)
	if !ok {
		return false
	}
	x[a.id], x[b.id] = i, (hi-a.c*i)/b.c
	return true
}

// step returns the least i from first to last for which a multiple of m is between lo-c·i and hi-c·i.
func step(c, m, first, last, lo, hi int64) (int64, bool) {
	if first > last {
		return 0, false
	}
	h := mod(hi-c*first, m)
	if h <= hi-lo {
		return first, true
	}
	i, ok := firstHit(uint64(mod(-c, m)), uint64(m), uint64(m-h), uint64(m-h+hi-lo))
	if !ok || i > uint64(last-first) {
		return 0, false
	}
	return first + int64(i), true
}

// findMore solves for three or more terms. It chooses the term with the fewest candidates, and tries its values. It
// skips values for which the other terms can't match, because their sum is a multiple of their greatest common divisor.
func findMore(ts []term, lo, hi, all int64, x []int64, left *budget) bool {
	var fixed int
	var first, last int64
	for k, t := range ts {
		if f, l := t.candidates(lo, hi, all-t.c*(t.n-1)); k == 0 || l-f < last-first {
			fixed, first, last = k, f, l
		}
	}
	var buf [12]term
	rest := append(append(buf[:0], ts[:fixed]...), ts[fixed+1:]...)
	t := ts[fixed]
	var g int64
	for _, r := range rest {
		g = gcd(g, r.c)
	}
	for i := first; i <= last; i++ {
		if *left--; *left < 0 {
			return false
		}
		if hi-lo+1 < g {
			var ok bool
			if i, ok = step(t.c, g, i, last, lo, hi); !ok {
				return false
			}
		}
		if find(rest, lo-t.c*i, hi-t.c*i, x, left) {
			x[t.id] = i
			return true
		}
	}
	return false
}

// firstHit returns the least x ≥ 0 with lo ≤ a·x mod m ≤ hi, where 0 < lo ≤ hi < m and a < m. It is Euclid's algorithm:
// if no multiple of a is between lo and hi, find the least y for which some a·x - m·y is between them. This y is the
// answer to the same question modulo a. The larger of a and m halves in every second step.
func firstHit(a, m, lo, hi uint64) (uint64, bool) {
	if a == 0 {
		return 0, false
	}
	if x := (lo + a - 1) / a; x*a <= hi {
		return x, true
	}
	if 2*a > m { // -a is smaller
		return firstHit(m-a, m, m-hi, m-lo)
	}
	y, ok := firstHit(m%a, a, a-hi%a, a-lo%a)
	if !ok {
		return 0, false
	}
	high, low := bits.Mul64(m, y)
	low, carry := bits.Add64(low, lo+a-1, 0)
	x, _ := bits.Div64(high+carry, low, a)
	return x, true
}

func mod(x, m int64) int64 {
	if x %= m; x < 0 {
		x += m
	}
	return x
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
