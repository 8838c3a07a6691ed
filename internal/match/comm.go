// Package match puts together what different processes did: the message that a receive got, the members of a
// communicator that met in a collective. It emulates MPI's matching rules over the calls as recorded; nothing is
// exchanged between the processes for it.
package match

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Call is a call that is kept beyond the batch it came in: the record, or its fixed part where it is long.
type Call struct {
	Thread ring.ThreadID
	Raw    []byte
}

// Func returns the number of the function called.
func (c *Call) Func() mpiapi.FuncID {
	if len(c.Raw) < 2 {
		return 0
	}
	return mpiapi.FuncID(uint16(c.Raw[0]) | uint16(c.Raw[1])<<8)
}

// small is the length of records that are kept whole: with file names, but without large arrays.
const small = 4 * layout.Line

// Keep makes c a copy of the call that a record holds; of a long one without its sections and times. It uses the room
// that c has.
func (c *Call) Keep(rec []byte) {
	if len(rec) <= small {
		c.Raw = append(c.Raw[:0], rec...)
		return
	}
	used := int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:]))
	if used < layout.SizeofRecord || used > len(rec) {
		used = layout.SizeofRecord
	}
	whole := (used + layout.Line - 1) &^ (layout.Line - 1)
	raw := append(c.Raw[:0], rec[:used]...)
	for len(raw) < whole {
		raw = append(raw, 0)
	}
	raw[layout.RecordLinesAt], raw[layout.RecordLinesAt+1] = byte(whole/layout.Line), 0
	raw[layout.RecordFlagsAt] &^= layout.Timed | layout.Late
	c.Raw = raw
}

// Borrow returns the call that a record holds, as Keep does, without a copy where the record is short. It is valid as
// long as the record is.
func Borrow(thread ring.ThreadID, rec []byte) Call {
	if len(rec) <= small {
		return Call{Thread: thread, Raw: rec}
	}
	c := Call{Thread: thread}
	c.Keep(rec)
	return c
}

// Clone returns a copy that stays valid when the original is used again.
func (c *Call) Clone() Call {
	return Call{Thread: c.Thread, Raw: append([]byte(nil), c.Raw...)}
}

// Special member indices and tags of operations. MPI's own constants differ from one implementation to the other.
const (
	Any  int32 = -1 // MPI_ANY_SOURCE, MPI_ANY_TAG
	None int32 = -2 // no root given: MPI_PROC_NULL in the root's group of an inter-communicator
)

// Domain says what the members of a Comm share.
type Domain uint8

// The domains.
const (
	Communicator Domain = iota
	Window
	File
	Gathering // a call that makes a communicator of a group: the members have no more in common yet
)

// Comm is a communicator, a window or file opened on one, or a gathering: one object for all its processes. Members are
// numbered from 0; those of an inter-communicator's two groups one behind the other.
type Comm struct {
	Domain  Domain
	Members []int32 // rank of each in its MPI_COMM_WORLD, -1 for a process that is not seen
	// Split is where the second group of an inter-communicator begins, 0 for an intra-communicator.
	Split int
	// World distinguishes worlds: ranks are only comparable within one.
	World *World
	// Opaque communicators have members that record nothing (spawned or connected processes, or processes without room
	// to record): nothing on them is matched.
	Opaque bool

	boxes       []mailbox
	partitioned *Comm // see Partitioned
	whole       *Comm // of one that Partitioned returns

	base  uint64       // position of the oldest collective not entered by all yet
	slots []slot       // it and those behind it, circular, a power of two
	pos   []uint64     // per member: collectives entered
	odd   []Collective // the last ones that all have entered, but not alike
	key   Key
	reg   *Registry

	open   int32 // entries in collectives that not all have entered
	known  int32 // members that have asked the registry for it
	freed  int32
	number int32 // of those that the registry has seen

	// Name and Made are what one of its members calls it and how that member made it, for when no handle is left.
	Name string
	Made Call

	// Replay is what package causal knows of it.
	Replay any

	// Desynchronised is set from a collective with different operations until one that all agree on.
	Desynchronised bool
}

// World is one MPI_COMM_WORLD.
type World struct {
	Size int
	// Unsure: not all calls of its processes are known, so that nothing can be matched any more.
	Unsure bool
}

// Key is the identity of a communicator, computed alike by all its members (design: parent's identity, creation number
// on the parent, lowest world rank of the group).
type Key struct {
	Parent *Comm
	World  *World
	Kind   KeyKind
	Seq    uint64 // position of the creating collective on the parent, or number of such creations before
	Lowest int32  // lowest world rank in the group
	Hash   uint64 // of the members, where there is no collective on the parent to go by
}

// KeyKind says how a communicator came to be.
type KeyKind uint8

// The kinds of keys.
const (
	KeyWorld KeyKind = iota
	KeySelf
	KeyCollective // by a collective on the parent
	KeyGroup      // MPI_Comm_create_group and the like: collective over the new group only
	KeyInter      // MPI_Intercomm_create: the two sides have different parents
	KeyForeign    // has processes of another world
	KeyGathering  // members pass the same groups and tag
)

// Unmatchable reports whether nothing can be matched on c, because not all calls of its members are known.
func (c *Comm) Unmatchable() bool { return c.Opaque || c.World != nil && c.World.Unsure }

// Registry finds the Comm that a key stands for.
type Registry struct {
	comms   map[Key]*Comm
	indexes map[*Comm]map[int32]int32 // member by rank in MPI_COMM_WORLD, where somebody has asked
	seen    int32
	spare   [][]slot // of communicators that are freed: programs make and free many, one after the other
}

// spareLimit is how many spare slots a registry keeps, spareSize how many there may be of one communicator.
const (
	spareLimit = 64
	spareSize  = 4
)

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{comms: make(map[Key]*Comm), indexes: make(map[*Comm]map[int32]int32)}
}

// Comm returns the communicator of the given identity, made by build if this is the first of its members to ask.
func (r *Registry) Comm(k Key, build func() *Comm) *Comm {
	if c := r.comms[k]; c != nil {
		c.known++
		return c
	}
	c := build()
	c.key, c.reg, c.known = k, r, 1
	r.seen++
	c.number = r.seen
	c.pos = make([]uint64, len(c.Members))
	c.boxes = make([]mailbox, len(c.Members))
	r.comms[k] = c
	return c
}

// Len returns the number of communicators in use.
func (r *Registry) Len() int { return len(r.comms) }

// All calls f for every communicator in use.
func (r *Registry) All(f func(*Comm)) {
	for _, c := range r.comms {
		f(c)
	}
}

// Free notes that a member has freed its handle. When all have, the identity is forgotten, and it reports true.
func (c *Comm) Free() bool {
	c.freed++
	if int(c.freed) >= len(c.Members) && c.reg != nil {
		c.reg.Forget(c)
		if n := len(c.slots); n > 0 && n <= spareSize && c.Idle() && len(c.reg.spare) < spareLimit {
			c.reg.spare = append(c.reg.spare, c.slots)
			c.slots = nil
		}
	}
	return int(c.freed) == len(c.Members)
}

// Parent returns the communicator that c was made from, nil if there is none.
func (c *Comm) Parent() *Comm { return c.key.Parent }

// Shared reports whether all members have it. Else something went wrong when it was made: what one of them has is no
// communicator that others could use or free with it.
func (c *Comm) Shared() bool { return int(c.known) >= len(c.Members) }

// Disown notes that one who got c from Registry.Comm does not have it.
func (c *Comm) Disown() { c.known-- }

// Idle reports whether there is no collective that some members have entered and others have not.
func (c *Comm) Idle() bool { return c.open == 0 }

// Forget ends the identity of c: the next to ask for it makes another one.
func (r *Registry) Forget(c *Comm) {
	if r.comms[c.key] == c {
		delete(r.comms, c.key)
	}
	delete(r.indexes, c)
}

// Index returns the member that is the process of a rank in MPI_COMM_WORLD, -1 if none is.
func (c *Comm) Index(rank int32) int32 {
	if int(rank) < len(c.Members) && rank >= 0 && c.Members[rank] == rank { // nearly always
		return rank
	}
	index := c.reg.indexes[c]
	if index == nil {
		index = make(map[int32]int32, len(c.Members))
		for m, r := range c.Members {
			index[r] = int32(m)
		}
		c.reg.indexes[c] = index
	}
	if m, ok := index[rank]; ok {
		return m
	}
	return -1
}

// Size returns the number of members, those of both groups for an inter-communicator.
func (c *Comm) Size() int { return len(c.Members) }

// Group returns the members [from, to) that are in the same group as member m.
func (c *Comm) Group(m int32) (from, to int32) {
	switch {
	case c.Split == 0:
		return 0, int32(len(c.Members))
	case int(m) < c.Split:
		return 0, int32(c.Split)
	}
	return int32(c.Split), int32(len(c.Members))
}

// PeerBase returns the member that rank 0 means as source, destination or root to member m: of the same group, or of
// the other one of an inter-communicator.
func (c *Comm) PeerBase(m int32) int32 {
	if c.Split != 0 && int(m) < c.Split {
		return int32(c.Split)
	}
	return 0
}

// Peers returns the number of processes that m can send to.
func (c *Comm) Peers(m int32) int {
	switch {
	case c.Split == 0:
		return len(c.Members)
	case int(m) < c.Split:
		return len(c.Members) - c.Split
	}
	return c.Split
}

// Partitioned returns where the calls meet that initialise partitioned messages on c: they match each other, in the
// order in which they are made, and no other messages (MPI standard, section 4.2).
func (c *Comm) Partitioned() *Comm {
	if c.partitioned == nil {
		c.partitioned = &Comm{
			Domain: c.Domain, Members: c.Members, Split: c.Split, World: c.World, Opaque: c.Opaque, Name: c.Name,
			Made:  c.Made,
			boxes: make([]mailbox, len(c.Members)), pos: make([]uint64, len(c.Members)), key: c.key, reg: c.reg,
			number: c.number,
			whole:  c,
		}
	}
	return c.partitioned
}

// Whole returns the communicator of which c is what Partitioned returns, nil if it is none.
func (c *Comm) Whole() *Comm { return c.whole }
