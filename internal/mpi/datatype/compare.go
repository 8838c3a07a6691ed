package datatype

// Verdict is the outcome of comparing what is sent with what is expected.
type Verdict uint8

// The verdicts.
const (
	Matches Verdict = iota
	// Mismatch: an element is expected as another type than it is sent, and the standard forbids the pair.
	Mismatch
	// ByteMismatch: MPI_BYTE meets another type. That is forbidden too, but works between like machines where, as here,
	// everything fits once bytes are taken for bytes.
	ByteMismatch
	// TooLong: more is sent than is expected, and it fits as far as that goes.
	TooLong
	// TooShort: less is sent than is expected where all must be; it fits as far as it goes.
	TooShort
	// Undecided: a type is unknown, elements are of two languages and may go together where these represent them alike
	// (section 19.3.10, "Interlanguage Communication"), or packed data are among others.
	Undecided
)

// Comparison tells how a sent signature compares with the expected one.
type Comparison struct {
	Verdict Verdict
	// At is the number of the first element, from 0, that makes the verdict what it is: where the types differ, or where
	// the shorter signature ends. Send and Recv are the basic types there, nil where there is no element.
	At         int64
	Send, Recv *Basic
}

// Compare tells whether what send describes may be received as recv (sections 3.3.1 and 19.1.9): pairs of elements must
// be of one type. If whole is false, recv may be longer, as that of a receive (partial receives may end inside of a
// datatype); else both must have the same length, as in collectives.
//
// MPI_PACKED alone matches everything, whatever its length: how long packed data are is the library's affair.
//
// Where all is well that is decided by the hashes alone. A mismatch never is: it is an element of the one that differs
// from that of the other. The time is that of O(log n) prefix hashes for n elements; only where the first elements that
// differ may go together after all are the signatures walked through, as far as maxSteps.
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

// packed is the type that matches everything, bytes the one that matches only itself but fits everything.
var (
	packed = BasicFor("MPI_PACKED")
	bytes  = BasicFor("MPI_BYTE")
)

// same reports whether both are copies of one unit: then one is the beginning of the other.
func (s *signature) same(o *signature) bool { return s.of == o.of || s.of.hash == o.of.hash }

// comparison is a comparison under way, of n elements sent with m expected.
type comparison struct {
	send, recv *signature
	n, m       int64
	whole      bool
}

// length returns the verdict on signatures of which one is the beginning of the other.
func (c *comparison) length() Comparison {
	switch {
	case c.n > c.m:
		return Comparison{Verdict: TooLong, At: c.m, Send: c.send.element(c.m).basic}
	case c.n < c.m && c.whole:
		return Comparison{Verdict: TooShort, At: c.n, Recv: c.recv.element(c.n).basic}
	}
	return Comparison{}
}

// differ returns the verdict on signatures that are not the same as far as the shorter one goes.
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

// first returns the number of the first element that differs; there is one. It doubles the length of the prefixes that
// it compares until they differ, then halves what remains.
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

// bytesFit reports whether the signatures fit when elements are compared by the bytes they are made of, of which an
// MPI_BYTE may be any.
func (c *comparison) bytesFit() bool {
	sent := c.n / c.send.of.hash.N * c.send.of.size
	room := c.m / c.recv.of.hash.N * c.recv.of.size
	if sent > room || sent < room && c.whole {
		return false
	}
	w := walker{bytes: true}
	return w.walk(c.send.from(0), c.recv.from(0), sent) == related
}

// relation is how an element that is sent relates to the one that is expected.
type relation uint8

const (
	related   relation = iota // the same, or of two languages and may go together
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

// oneCharacter reports whether a Fortran CHARACTER meets C's small integers, which C programs use for characters.
func oneCharacter(a, b *Basic) bool {
	if a.Language != Fortran {
		a, b = b, a
	}
	return a.Category == CharacterCategory && (b.Name == "MPI_SIGNED_CHAR" || b.Name == "MPI_UNSIGNED_CHAR")
}
