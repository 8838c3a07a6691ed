package memory

// Lent is the memory of one process that MPI holds: the buffers of operations that are not complete.
type Lent struct {
	// All has every part that is in use. Two parts may overlap if both are only read.
	All Set
	// Reads has the parts that are only read. No two of them may overlap. It is used only on request.
	Reads Set
	// Unknown: the parts that MPI holds are not known any more.
	Unknown bool
}

// NewLent returns a Lent without any memory.
func NewLent() *Lent { return &Lent{Reads: Set{Exclusive: true}} }

// Busy reports whether MPI holds any memory. It is false if l is nil.
func (l *Lent) Busy() bool { return l != nil && (l.All.holds > 0 || l.Reads.holds > 0) }

// GiveBack ends the use of the memory in h, and empties h. l may be nil if h is empty.
func (l *Lent) GiveBack(h *Held) {
	if h.All != 0 {
		l.All.Release(h.All)
	}
	if h.Reads != 0 {
		l.Reads.Release(h.Reads)
	}
	*h = Held{}
}

// Held is the memory of one operation in a [Lent]. The zero value has no memory.
type Held struct {
	All, Reads Hold
	// Clashed: another operation uses the memory, too, and one of the two writes it.
	Clashed bool
}

// In returns the hold in one of the two sets of l.
func (h *Held) In(l *Lent, s *Set) Hold {
	if s == &l.Reads {
		return h.Reads
	}
	return h.All
}

// Extents has the bounds of the buffers of a call, as distances in bytes from the addresses in the arguments. They are
// equal for all calls that differ only in these addresses.
type Extents struct {
	Known bool
	// Sure: the bounds are known, and they decide whether a call uses memory twice. Else each call must be checked.
	Sure       bool
	Send, Recv [2]uint64 // from, to; both 0 if one of the buffers has no data
}

// Apart reports whether the buffers of a call at these addresses certainly do not overlap.
func (x *Extents) Apart(send, recv uint64) bool {
	return x.Sure && (x.Recv[1] == 0 || send+x.Send[1] <= recv+x.Recv[0] || recv+x.Recv[1] <= send+x.Send[0])
}
