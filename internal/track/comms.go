package track

import (
	"errors"
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// enterMade enters the communicator, window or file that a call has made.
func (cs *comms) enterMade(th *Thread, p *plan, c *event.Call) {
	rec := c.Raw()
	switch {
	case p.newComm.At != 0:
		cs.enterMadeComm(th, p, c)
	case p.newWin.At != 0:
		if h := p.newWin.Handle(rec); th.view != nil {
			th.Process.wins = put(th.Process.wins, h, cs.makeDerivedView(th, match.Window, h, rec))
		}
	case p.newFile.At != 0:
		if h := p.newFile.Handle(rec); th.view != nil {
			th.Process.files = put(th.Process.files, h, cs.makeDerivedView(th, match.File, h, rec))
		}
	}
}

// comms follows the communicators, windows and files of all processes.
type comms struct {
	*core
	gatherings *gatherings
	Comms      *match.Registry
}

// commTable has the communicators, windows and files of a process by handle.
type commTable struct {
	views    map[uint64]*View // communicators
	lastView *View            // the one of these that was looked up last
	wins     map[uint64]*View
	files    map[uint64]*View
	numbered map[match.Key]uint64 // how many communicators the process has made with a key

	// MPI_COMM_SELF is entered when it is used for the first time: see makeSelf.
	registry  *match.Registry
	selfWorld *match.World
	self      uint64 // its handle
	selfRank  int32  // its member; -1 if it was entered, or if it is not known
}

// put stores a value in a map. It makes the map if necessary: most processes need few of their maps.
func put[K comparable, V any](m map[K]V, k K, v V) map[K]V {
	if m == nil {
		m = make(map[K]V)
	}
	m[k] = v
	return m
}

// makeDerivedView returns the view of a window or file on the communicator that the call worked on.
func (cs *comms) makeDerivedView(th *Thread, d match.Domain, handle uint64, rec []byte) *View {
	parent := th.view
	key := match.Key{Parent: parent.Comm, World: parent.World, Kind: match.KeyCollective, Seq: th.pos, Lowest: -1}
	c := cs.Comms.Comm(key, func() *match.Comm {
		return &match.Comm{
			Domain: d, Members: parent.Members, Split: parent.Split, World: parent.World, Opaque: parent.Opaque,
		}
	})
	v := *parent
	v.Comm, v.Handle, v.Name, v.Made = c, handle, "", th.call(rec)
	c.Made = v.Made
	return &v
}

func (cs *comms) enterMadeComm(th *Thread, p *plan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	handle := p.newComm.Handle(rec)
	if handle == pr.commNull {
		return
	}
	i := slices.IndexFunc(th.comm, func(c event.Comm) bool { return c.Handle == handle })
	if i < 0 {
		return
	}
	info := &th.comm[i]
	var parent *View
	if p.comm.At != 0 {
		parent = pr.View(p.comm.Handle(rec))
	}
	key := match.Key{World: pr.World}
	if parent != nil {
		key.Parent = parent.Comm
	}
	switch base := p.fn.Base; {
	case p.fn.Connects || pr.World == nil || info.Local.Lowest() < 0 || info.Inter && info.Remote.Lowest() < 0:
		key = pr.foreign(key, pr.ID)
	case p.gathers && th.view != nil:
		// Several threads may do so at the same time. So the parent identifies what each has made.
		key = collectiveKey(th, info)
	case base == mpiapi.IDIntercommCreate || base == mpiapi.IDIntercommCreateFromGroups:
		key.Kind, key.Parent = match.KeyInter, nil
		// The same, seen from either side.
		key.Hash = mixBits(hashMembers(info.Local)) + mixBits(hashMembers(info.Remote))
		key.Seq = pr.countKey(key)
	case p.gathers || parent == nil || th.view == nil:
		key.Kind = match.KeyGroup
		key.Hash = hashMembers(info.Local)
		key.Seq = pr.countKey(key)
	default:
		key = collectiveKey(th, info)
	}
	v := cs.makeView(pr, key, info)
	v.Comm.Opaque = v.Comm.Opaque || p.gathers && cs.gatherings.unclear(th, key.Parent)
	v.Made = th.call(rec)
	v.Comm.Made = v.Made
	v.topology = newTopology(c, info, parent, v.Me)
	pr.views[handle] = v
	pr.lastView = nil
}

// foreign returns the identity of a communicator of which only this process is known.
func (ct *commTable) foreign(key match.Key, process ring.ProcID) match.Key {
	key.Kind, key.Seq = match.KeyForeign, uint64(process)<<32|uint64(len(ct.numbered))
	ct.numbered = put(ct.numbered, key, 1)
	return key
}

// collectiveKey is the identity of a communicator that is made by the collective that a thread is in.
func collectiveKey(th *Thread, info *event.Comm) match.Key {
	key := match.Key{
		World: th.Process.World, Parent: th.view.Comm, Kind: match.KeyCollective, Seq: th.pos,
		Lowest: int32(info.Local.Lowest()),
	}
	if info.Inter {
		key.Lowest = min(key.Lowest, int32(info.Remote.Lowest()))
	}
	return key
}

// countKey numbers the communicators that a process has made with the same key.
func (ct *commTable) countKey(k match.Key) uint64 {
	n := ct.numbered[k]
	ct.numbered = put(ct.numbered, k, n+1)
	return n
}

// mixBits makes all bits of a hash depend on all others (the end of SplitMix64). So the sums of several hashes differ
// if the hashes differ. The hashes of single members are so regular that without it, 0 and 3 together would equal 1 and
// 2.
func mixBits(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// hashMembers hashes world ranks in order (FNV-1a over 32-bit words).
func hashMembers(g event.Group) uint64 {
	h := uint64(14695981039346656037)
	for r := range g.Ranks() {
		h = (h ^ uint64(uint32(r))) * 1099511628211
	}
	return h
}

// trustedSize is up to how many members the size in a record is believed before the members are seen.
const trustedSize = 1 << 16

// membersOf lists groups, one after the other. They have size members together.
func membersOf(size int, groups ...event.Group) []int32 {
	list := make([]int32, 0, min(size, trustedSize))
	for _, g := range groups {
		for r := range g.Ranks() {
			list = append(list, int32(r))
		}
	}
	return list
}

// makeView returns the process's view of the communicator with the given identity. Only the first process that has it
// lists the members.
func (cs *comms) makeView(pr *Process, key match.Key, info *event.Comm) *View {
	me, base, peers, size := info.Rank, 0, info.Size, info.Size
	split := 0
	groups := []event.Group{info.Local}
	if info.Inter {
		// Both sides number the members in the same way: the group with the lowest world rank comes first.
		peers, size = info.RemoteSize, info.Size+info.RemoteSize
		if info.Local.Lowest() < info.Remote.Lowest() {
			groups, split, base = []event.Group{info.Local, info.Remote}, info.Size, info.Size
		} else {
			groups, split = []event.Group{info.Remote, info.Local}, info.RemoteSize
			me += info.RemoteSize
		}
	}
	build := func() *match.Comm {
		return &match.Comm{
			Members: membersOf(size, groups...), Split: split, World: pr.World,
			Opaque: key.Kind == match.KeyForeign,
		}
	}
	c := cs.Comms.Known(key)
	if c == nil {
		c = cs.Comms.Add(key, build())
	}
	if key.Kind == match.KeyCollective && (len(c.Members) != size || c.Split != split ||
		int(c.Members[me]) != pr.Rank) {
		// The processes passed different groups, so it is not the same communicator for all.
		c.Disown()
		key = pr.foreign(key, pr.ID)
		c = cs.Comms.Add(key, build()) // nobody else can know it
	}
	return &View{Comm: c, Handle: info.Handle, Me: int32(me), Base: int32(base), Peers: int32(peers)}
}

var errDamaged = errors.New("a record makes no sense")

// enterComm enters the communicator of a record: predefined ones at MPI_Init, at once; others when the call that makes
// them returns.
func (cs *comms) enterComm(th *Thread, c event.Comm) error {
	pr := th.Process
	if c.Size == 0 || c.Inter && c.RemoteSize == 0 || c.Rank < 0 || c.Rank >= c.Size {
		return errDamaged
	}
	key := match.Key{World: pr.World}
	name := pr.names.handleName(mpiapi.Comm, c.Handle)
	switch name {
	case "MPI_COMM_WORLD":
		key.Kind = match.KeyWorld
	case "MPI_COMM_SELF":
		key.Kind, key.Lowest = match.KeySelf, int32(c.Local.Lowest())
	default:
		c.Local, c.Remote = c.Local.Clone(), c.Remote.Clone() // the call may end in another batch
		th.comm = append(th.comm, c)
		return nil
	}
	if pr.World == nil {
		return nil
	}
	if key.Kind == match.KeySelf && key.Lowest >= 0 && c.Size == 1 && !c.Inter && pr.views[c.Handle] == nil {
		pr.self, pr.selfRank, pr.selfWorld = c.Handle, key.Lowest, pr.World
		return nil
	}
	v := cs.makeView(pr, key, &c)
	v.Name = name
	pr.views[c.Handle] = v
	return nil
}

// makeSelf enters MPI_COMM_SELF when it is used for the first time. Most processes never use it, and each has its own.
func (ct *commTable) makeSelf() *View {
	rank, world := ct.selfRank, ct.selfWorld
	c := ct.registry.Comm(match.Key{World: world, Kind: match.KeySelf, Lowest: rank}, func() *match.Comm {
		return &match.Comm{Members: []int32{rank}, World: world}
	})
	v := &View{Comm: c, Handle: ct.self, Peers: 1, Name: "MPI_COMM_SELF"}
	ct.views[v.Handle] = v
	ct.selfRank = -1
	return v
}
