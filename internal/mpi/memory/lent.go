package memory

// Lent is the memory that one process has handed to MPI and not got back.
type Lent struct {
	// All has every part that is in use. Two parts may overlap if both are only read.
	All Set
	// Reads has the parts that are only read. No two of them may overlap. It is used only on request.
	Reads Set
	// Unknown: it can't be told any more what MPI holds.
	Unknown bool
}

// NewLent returns the memory of a process of which MPI holds nothing.
func NewLent() *Lent { return &Lent{Reads: Set{Exclusive: true}} }

// Busy reports whether MPI holds anything. l may be nil: then it does not.
func (l *Lent) Busy() bool { return l != nil && (l.All.holds > 0 || l.Reads.holds > 0) }

// GiveBack ends the use of what h holds, and empties h. l may be nil if h holds nothing.
func (l *Lent) GiveBack(h *Held) {
	if h.All != 0 {
		l.All.Release(h.All)
	}
	if h.Reads != 0 {
		l.Reads.Release(h.Reads)
	}
	*h = Held{}
}

// Held is what one operation holds of a [Lent]. The zero value is nothing.
type Held struct {
	All, Reads Hold
	// Clashed: the memory is in use by another operation, too, and one of the two writes it.
	Clashed bool
}

// In returns what h holds of one of the two sets of l.
func (h *Held) In(l *Lent, s *Set) Hold {
	if s == &l.Reads {
		return h.Reads
	}
	return h.All
}

// Extents say where the buffers of a call begin and end, as distances from the addresses that the call is given. They are
// the same for all calls whose other arguments are the same.
type Extents struct {
	Known bool
	// Sure: they are known, and they say whether a call uses memory twice. Otherwise each call has to be looked at.
	Sure       bool
	Send, Recv [2]uint64 // from, to; both 0 if one of the buffers has no data
}

// Apart reports whether it is sure that the buffers of a call at these addresses do not overlap.
func (x *Extents) Apart(send, recv uint64) bool {
	return x.Sure && (x.Recv[1] == 0 || send+x.Send[1] <= recv+x.Recv[0] || recv+x.Recv[1] <= send+x.Send[0])
}
