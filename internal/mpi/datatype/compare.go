package datatype

// Verdict is the result of a comparison of a sent signature with the expected one.
type Verdict uint8

// The verdicts.
const (
	Matches Verdict = iota
	// Mismatch: an element has another type than the expected one, and the standard forbids the pair.
	Mismatch
	// ByteMismatch: one of the two types is MPI_BYTE, and the other is not. The standard forbids this as well, but it
	// works between machines of one kind: the signatures match if MPI_BYTE may stand for any byte.
	ByteMismatch
	// TooLong: more elements are sent than expected. The elements up to there match.
	TooLong
	// TooShort: fewer elements are sent than expected, and all are required. The sent elements match.
	TooShort
	// Undecided: a type is unknown, or elements of two languages match only if both languages represent them alike
	// (section 19.3.10, "Interlanguage Communication"), or packed data are mixed with other data.
	Undecided
)

// Comparison tells how a sent signature compares with the expected one.
type Comparison struct {
	Verdict Verdict
	// At is the number, from 0, of the first element that causes the verdict: the types differ there, or the shorter
	// signature ends there. Send and Recv are the basic types of this element, nil if a signature has no such element.
	At         int64
	Send, Recv *Basic
}

// Compare tells whether data of signature send may be received with signature recv (sections 3.3.1 and 19.1.9): each
// pair of elements must have one type. If whole is false, recv may be longer, as in a receive (a partial receive may
// end inside a datatype). Else both must have the same length, as in collectives.
//
// Data of MPI_PACKED only match everything, whatever the length: the MPI library decides how long packed data are.
//
// Hashes alone decide that signatures match. They never decide on a mismatch: Compare finds the elements that differ.
// The time is that of O(log n) prefix hashes for n elements. If the first elements that differ may match nevertheless,
// Compare walks through the signatures, up to maxSteps.
func Compare(send, recv Use, whole bool) Comparison {
	s, r := send.Type, recv.Type
	if s == r && s != nil && (send.Count == recv.Count || send.Count < recv.Count && !whole) {
		return Comparison{}
	}
	n, sig, ok := send.known()
	m, other, ok2 := recv.known()
	switch {
	case ok && n == 0 && !whole:
		return Comparison{}
	case !ok || !ok2:
		return Comparison{Verdict: Undecided}
	}
	c := comparison{send: sig, recv: other, n: n, m: m, whole: whole}
	switch least := min(n, m); {
	case least == 0:
		return c.length()
	case s.only != r.only && (s.only == packed || r.only == packed):
		return Comparison{}
	case sig.same(other) || sig.prefix(least) == other.prefix(least):
		return c.length()
	}
	return c.differ()
}

// packed is the type that matches everything. bytes is the type that matches only itself, but works with everything.
var (
	packed = BasicFor("MPI_PACKED")
	bytes  = BasicFor("MPI_BYTE")
)

// same reports whether both are copies of one unit. Then one is a prefix of the other.
func (s *signature) same(o *signature) bool { return s.of == o.of || s.of.hash == o.of.hash }

// comparison is the state of a comparison of n sent elements with m expected elements.
type comparison struct {
	send, recv *signature
	n, m       int64
	whole      bool
}

// length returns the verdict on two signatures, if one is a prefix of the other.
func (c *comparison) length() Comparison {
	switch {
	case c.n > c.m:
		return Comparison{Verdict: TooLong, At: c.m, Send: c.send.element(c.m).basic}
	case c.n < c.m && c.whole:
		return Comparison{Verdict: TooShort, At: c.n, Recv: c.recv.element(c.n).basic}
	}
	return Comparison{}
}

// differ returns the verdict on two signatures that differ within the length of the shorter one.
func (c *comparison) differ() Comparison {
	at := c.first()
	found := relate(c.send.element(at), c.recv.element(at))
	if found == related {
		w := walker{at: at}
		found = w.walk(c.send.from(at), c.recv.from(at), min(c.n, c.m)-at)
		at = w.at
	}
	switch found {
	case forbidden:
		return c.here(Mismatch, at)
	case mixed:
		if c.bytesFit() {
			return c.here(ByteMismatch, at)
		}
		return c.here(Mismatch, at)
	case unclear:
		return c.here(Undecided, at)
	}
	if l := c.length(); l.Verdict != Matches {
		return l
	}
	return c.here(Undecided, c.first())
}

func (c *comparison) here(v Verdict, at int64) Comparison {
	return Comparison{Verdict: v, At: at, Send: c.send.element(at).basic, Recv: c.recv.element(at).basic}
}

// first returns the number of the first element that differs. There must be one. It doubles the length of the compared
// prefixes until they differ, and then bisects.
func (c *comparison) first() int64 {
	least := min(c.n, c.m)
	equal, differ := int64(0), int64(1)
	for differ < least && c.send.prefix(differ) == c.recv.prefix(differ) {
		equal, differ = differ, 2*differ
	}
	for differ = min(differ, least); differ-equal > 1; {
		if mid := equal + (differ-equal)/2; c.send.prefix(mid) == c.recv.prefix(mid) {
			equal = mid
		} else {
			differ = mid
		}
	}
	return equal
}

// bytesFit reports whether the signatures match byte by byte. MPI_BYTE matches every byte of an element.
func (c *comparison) bytesFit() bool {
	sent := c.n / c.send.of.hash.N * c.send.of.size
	room := c.m / c.recv.of.hash.N * c.recv.of.size
	if sent > room || sent < room && c.whole {
		return false
	}
	w := walker{bytes: true}
	return w.walk(c.send.from(0), c.recv.from(0), sent) == related
}

// relation is how a sent element relates to the expected one.
type relation uint8

const (
	related   relation = iota // the same, or of two languages and may match
	forbidden                 // different types
	mixed                     // MPI_BYTE and another type
	unclear                   // packed data and others
)

func relate(s, r *unit) relation {
	a, b := s.basic, r.basic
	switch {
	case a == b:
		return related
	case a == packed || b == packed:
		return unclear
	case a == bytes || b == bytes:
		return mixed
	case a.Language != b.Language && a.Language != NoLanguage && b.Language != NoLanguage &&
		(a.Category == b.Category || oneCharacter(a, b)) && s.size == r.size:
		return related
	}
	return forbidden
}

// oneCharacter reports whether one type is a Fortran CHARACTER and the other a character type of C that MPI counts as
// an integer.
func oneCharacter(a, b *Basic) bool {
	if a.Language != Fortran {
		a, b = b, a
	}
	return a.Category == CharacterCategory && (b.Name == "MPI_SIGNED_CHAR" || b.Name == "MPI_UNSIGNED_CHAR")
}
