// Package match combines the actions of different processes: it finds the message that a receive got, and the members
// of a communicator that met in a collective. It emulates MPI's matching rules on the recorded calls. The processes
// exchange no additional data for this.
package match

import (
	"encoding/binary"
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Call is a call that is kept after its batch of records: the whole record, or only its fixed part if the record is
// long.
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

// small is the maximum length of records that are kept whole: with file names, but without large arrays.
const small = 4 * layout.Line

// Keep makes c a copy of the call in a record. Of a long record, it omits the sections and times. It reuses the memory
// of c.
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

// Borrow returns the call in a record, as Keep does, but does not copy a short record. The result is valid as long as
// the record is.
func Borrow(thread ring.ThreadID, rec []byte) Call {
	if len(rec) <= small {
		return Call{Thread: thread, Raw: rec}
	}
	c := Call{Thread: thread}
	c.Keep(rec)
	return c
}

// Clone returns a copy that stays valid when the original is reused.
func (c *Call) Clone() Call {
	return Call{Thread: c.Thread, Raw: append([]byte(nil), c.Raw...)}
}

// Special member numbers and tags of operations. MPI's own constants differ between implementations.
const (
	Any  int32 = -1 // MPI_ANY_SOURCE, MPI_ANY_TAG
	None int32 = -2 // no root is given: MPI_PROC_NULL in the root's group of an inter-communicator
)

// Domain says which kind of object a Comm is.
type Domain uint8

// The domains.
const (
	Communicator Domain = iota
	Window
	File
	Gathering // a call that makes a communicator of a group; its members share no other object yet
)

// Comm is a communicator, a window or file opened on one, or a gathering: one object for all its processes. Members are
// numbered from 0. On an inter-communicator, the members of the second group follow those of the first.
type Comm struct {
	Domain  Domain
	Members []int32 // rank of each member in its MPI_COMM_WORLD; -1 for a process that is not seen
	// Split is the first member of the second group of an inter-communicator; 0 for an intra-communicator.
	Split int
	// World distinguishes worlds: ranks are only comparable within one.
	World *World
	// Opaque communicators have members that record nothing (spawned or connected processes, or processes without space
	// to record). Nothing on them is matched.
	Opaque bool

	boxes       []mailbox
	partitioned *Comm // see Partitioned
	whole       *Comm // of a Comm that Partitioned returned: the communicator

	base  uint64       // position of the oldest collective that not all members have entered
	slots []slot       // that collective and the later ones, circular; the length is a power of two
	pos   []uint64     // per member: number of collectives entered
	odd   []Collective // the last collectives that all members have entered, with different entries
	key   Key
	reg   *Registry

	open   int32 // entries in collectives that not all members have entered
	known  int32 // number of members that have asked the registry for it
	freed  int32
	number int32 // its number among the communicators of the registry

	// Name and Made are the name that one member gave it, and the call with which that member made it. They are used
	// when there is no handle any more.
	Name string
	Made Call

	// Ordinal is its number, from 1, among the communicators, windows or files that the program has made, in the order
	// in which they became known; 0 for MPI's own.
	Ordinal int32

	// Replay is its state in package strictreplay.
	Replay any

	// Desynchronised is true from a collective with different operations up to the next collective that all members
	// agree on.
	Desynchronised bool
}

// World is one MPI_COMM_WORLD.
type World struct {
	Size int
	// Unsure: not all calls of its processes are known, so nothing can be matched any more.
	Unsure bool
}

// Key is the identity of a communicator. All its members compute the same key (from the parent's identity, the number
// of the creation on the parent, and the lowest world rank of the group).
type Key struct {
	Parent *Comm
	World  *World
	Kind   KeyKind
	Seq    uint64 // position of the creating collective on the parent, or number of earlier such creations
	Lowest int32  // lowest world rank in the group
	Hash   uint64 // hash of the members, if there is no collective on the parent
}

// KeyKind says how a communicator was made.
type KeyKind uint8

// The kinds of keys.
const (
	KeyWorld KeyKind = iota
	KeySelf
	KeyCollective // by a collective on the parent
	KeyGroup      // MPI_Comm_create_group and the like: collective over the new group only
	KeyInter      // MPI_Intercomm_create: the two sides have different parents
	KeyForeign    // it has processes of another world
	KeyGathering  // members pass the same groups and tag
)

// Unmatchable reports whether nothing can be matched on c, because not all calls of its members are known.
func (c *Comm) Unmatchable() bool { return c.Opaque || c.World != nil && c.World.Unsure }

// NoRank says why a number is no rank among the peers of a member: the members from base on. owner names these.
func (c *Comm) NoRank(rank int64, owner string, base, peers int32) string {
	text := fmt.Sprintf("is not a rank of %s: ranks go from 0 to %d", owner, peers-1)
	for i, r := range c.Members[base : base+peers] {
		if int64(r) == rank {
			text += fmt.Sprintf(". Rank %d of MPI_COMM_WORLD has rank %d there", rank, i)
		}
	}
	return text
}

// Registry finds the Comm of a key.
type Registry struct {
	comms   map[Key]*Comm
	indexes map[*Comm]map[int32]int32 // member by rank in MPI_COMM_WORLD, if it was needed
	seen    int32
	made    [Gathering]int32 // by domain: the last ordinal
	spare   [][]slot         // of freed communicators; programs often make and free many, one after the other
}

// spareLimit is the number of spare slices of slots that a registry keeps. spareSize is the maximum length of each.
const (
	spareLimit = 64
	spareSize  = 4
)

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{comms: make(map[Key]*Comm), indexes: make(map[*Comm]map[int32]int32)}
}

// Comm returns the communicator with the given identity. It calls build to make the communicator if no other member has
// asked for it.
func (r *Registry) Comm(k Key, build func() *Comm) *Comm {
	if c := r.Known(k); c != nil {
		return c
	}
	return r.Add(k, build())
}

// Known returns the communicator with the given identity for one more member, nil if no member has asked for it yet.
func (r *Registry) Known(k Key) *Comm {
	c := r.comms[k]
	if c != nil {
		c.known++
	}
	return c
}

// Add gives a new communicator its identity. It returns c.
func (r *Registry) Add(k Key, c *Comm) *Comm {
	c.key, c.reg, c.known = k, r, 1
	r.seen++
	c.number = r.seen
	if k.Kind != KeyWorld && k.Kind != KeySelf && c.Domain != Gathering {
		r.made[c.Domain]++
		c.Ordinal = r.made[c.Domain]
	}
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

// Free notes that a member has freed its handle. When all members have, it forgets the identity and returns true.
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

// Parent returns the communicator that c was made from; nil if there is none.
func (c *Comm) Parent() *Comm { return c.key.Parent }

// FromWorld reports whether c is MPI_COMM_WORLD or MPI_COMM_SELF, or known to be made from one of them. If not, it may
// belong to a session.
func (c *Comm) FromWorld() bool {
	for c.key.Parent != nil {
		c = c.key.Parent
	}
	return c.key.Kind == KeyWorld || c.key.Kind == KeySelf
}

// Shared reports whether all members have the communicator. If not, its creation went wrong, and it cannot be used or
// freed collectively.
func (c *Comm) Shared() bool { return int(c.known) >= len(c.Members) }

// Disown notes that a member that got c from Registry.Comm does not have it.
func (c *Comm) Disown() { c.known-- }

// Idle reports whether there is no collective that some members have entered and others have not.
func (c *Comm) Idle() bool { return c.open == 0 }

// Forget ends the identity of c. The next member that asks for it makes a new communicator.
func (r *Registry) Forget(c *Comm) {
	if r.comms[c.key] == c {
		delete(r.comms, c.key)
	}
	delete(r.indexes, c)
}

// Index returns the member that has the given rank in MPI_COMM_WORLD; -1 if there is none.
func (c *Comm) Index(rank int32) int32 {
	if int(rank) < len(c.Members) && rank >= 0 && c.Members[rank] == rank { // this is nearly always the case
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

// PeerBase returns the member that rank 0 denotes as a source, destination or root in a call of member m. It is in the
// same group, or in the other group of an inter-communicator.
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

// Partitioned returns the Comm on which calls that initialise partitioned messages on c are matched. They match each
// other, in the order in which they are made, and no other messages (MPI standard, section 4.2).
func (c *Comm) Partitioned() *Comm {
	if c.partitioned == nil {
		c.partitioned = &Comm{
			Domain: c.Domain, Members: c.Members, Split: c.Split, World: c.World, Opaque: c.Opaque, Name: c.Name,
			Made:  c.Made,
			boxes: make([]mailbox, len(c.Members)), pos: make([]uint64, len(c.Members)), key: c.key, reg: c.reg,
			number: c.number, Ordinal: c.Ordinal,
			whole: c,
		}
	}
	return c.partitioned
}

// Whole returns the communicator if c is the result of its method Partitioned, else nil.
func (c *Comm) Whole() *Comm { return c.whole }
