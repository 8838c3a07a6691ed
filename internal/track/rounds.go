package track

import "github.com/mpivet/mpivet/internal/match"

// Rounds counts how often the members of a communicator have started a persistent collective (MPI standard, section
// 6.13). The n-th start at one member matches the n-th start at all others.
type Rounds struct {
	Entry   match.Entry // of the first member that initialised it; it stands for all members, if they agree
	started []uint32    // by member
	freed   int         // members that have freed their requests; the others will do so, too
}

// place is where a collective was initialised.
type place struct {
	comm     *match.Comm
	position uint64
}

// rounds has the persistent collectives that are initialised, by their place.
type rounds struct{ persistent map[place]*Rounds }

func newRounds() rounds { return rounds{persistent: make(map[place]*Rounds)} }

// initRounds notes that a member initialises a persistent collective.
func (rs *rounds) initRounds(v *View, position uint64, e *match.Entry) {
	k := place{v.Comm, position}
	if v.Opaque || rs.persistent[k] != nil {
		return
	}
	r := &Rounds{Entry: *e, started: make([]uint32, len(v.Members))}
	r.Entry.Parts = nil
	rs.persistent[k] = r
}

// countStart notes that a member has started a persistent collective (1), or takes a start back (-1).
func (r *Request) countStart(by int32) {
	if r.Rounds != nil {
		r.Rounds.started[r.View.Me] += uint32(by)
	}
}

// leaveRounds notes that a member has freed its request.
func (rs *rounds) leaveRounds(r *Request) {
	if r.Rounds == nil {
		return
	}
	if r.Rounds.freed++; r.Rounds.freed == len(r.Rounds.started) {
		delete(rs.persistent, place{r.View.Comm, r.Pos})
	}
}

// Round returns how often a member has started the collective.
func (r *Rounds) Round(member int32) uint32 { return r.started[member] }

// Behind returns the members that have started it less than n times, in ascending order.
func (r *Rounds) Behind(n uint32) (members []int32) {
	for m, k := range r.started {
		if k < n {
			members = append(members, int32(m))
		}
	}
	return members
}
