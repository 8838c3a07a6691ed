package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// machine executes a program with its own MPI. A random scheduler decides which rank runs next, when messages arrive,
// which sends are buffered, and when collectives release their members.
type machine struct {
	*rand.Rand
	p         *Program
	procs     []*process
	channels  []*channel
	index     map[lane]*channel
	boxes     map[box]*mailbox
	instances map[place]*instance
	eager     int // one of so many standard sends is not buffered; 0: all are buffered
	run       *Run
}

// Run is the record of an execution.
type Run struct {
	Events []Event // in the order of time
	Size   int
	// Hung are the ranks that did not reach their end, with the number of the present or next call.
	Hung map[int]int
	// Still are the numbers of events after which no rank could leave a call: time may pass there.
	Still []int
	// Matches are the messages that were received.
	Matches []Match
	// Vague: a hung rank has an incomplete receive from any source, or has started a persistent collective.
	Vague bool
	// Polling: a hung rank is not in a call, but between calls that test for something.
	Polling bool
}

// Match is a matched message: the rank and number of the calls that sent and received it, and the bytes sent.
type Match struct {
	Send, Recv [2]int
	Bytes      int
}

// Event is the entry of a rank into a call, the return from it, or a record that is not a call.
type Event struct {
	Rank int
	Kind EventKind
	// Data is the record; for the entry of a call, it has no results.
	Data []byte
}

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	Info EventKind = iota
	Enter
	Leave
)

type (
	// lane is the path of messages from one rank to another on a communicator.
	lane struct{ comm, from, to int }
	// channel has the messages that are on their way.
	channel struct {
		box
		queue []*operation
	}
	// box is the receiving end of a rank on a communicator.
	box     struct{ comm, rank int }
	mailbox struct{ posted, unexpected []*operation }
	// place is the position of a collective in the order of those on a communicator. times counts the starts of a
	// persistent one.
	place struct{ comm, at, times int }
)

// operation is one side of a message.
type operation struct {
	send        bool
	comm        int
	from, to    int // in MPI_COMM_WORLD, -1: any source
	tag         int // -1: any
	bytes       int
	buffered    bool // complete at once
	partner     *operation
	cancelled   bool
	nobody      bool // MPI_PROC_NULL
	source      int  // of a receive that is matched, as the communicator numbers it
	label, size int
	call        [2]int
}

func (o *operation) done() bool {
	return o.nobody || o.cancelled || o.partner != nil || o.send && o.buffered
}

// instance is an instance of a collective.
type instance struct {
	entered map[int]bool
	call    map[int]*mpiapi.Func
	members []int
	root    int // in MPI_COMM_WORLD, -1: none
	strict  bool
}

// ticket is a request.
type ticket struct {
	handle     uint64
	ops        []*operation
	coll       *instance
	persistent bool
	active     bool
	call       *Call // of a persistent request
	number     int   // number of that call
	at         place
}

// process is the state of a rank.
type process struct {
	m         *machine
	rank      int
	lib       *library
	pc        int
	in        *activity
	done      bool
	polls     int // failed polls of the present call
	total     int // requests that the call has completed
	requests  []*ticket
	moved     []*ticket
	handles   map[Variable]uint64
	types     map[Variable]int // sizes
	messages  map[Variable]*operation
	colls     map[int]int // collectives per communicator
	sites     map[int]uint32
	status    fakerun.Status
	cancelled bool
}

// activity is the present call of a process.
type activity struct {
	call  *Call
	fn    *mpiapi.Func
	args  fakerun.Args
	enter int // the event of its entry
	ops   []*operation
	coll  *instance
	made  []byte // the record of a communicator that it makes
	class int32  // of the error that it returns
}

// Execute runs a program.
func Execute(p *Program, seed uint64) *Run {
	rng := rand.New(rand.NewPCG(p.Seed, seed))
	m := &machine{
		Rand: rng, p: p, index: make(map[lane]*channel), boxes: make(map[box]*mailbox),
		instances: make(map[place]*instance),
		eager:     rng.IntN(4), run: &Run{Size: len(p.Ranks), Hung: make(map[int]int)},
	}
	addresses := rng.IntN(2) == 0
	for r := range p.Ranks {
		k := &process{
			m: m, rank: r, lib: newLibrary(rng, addresses), handles: make(map[Variable]uint64),
			types:    make(map[Variable]int),
			messages: make(map[Variable]*operation), colls: make(map[int]int), sites: make(map[int]uint32),
			requests: make([]*ticket, p.Variables[mpiapi.Request]),
		}
		m.procs = append(m.procs, k)
		k.begin()
	}
	for m.turn(false) || m.turn(true) {
		if m.IntN(30) == 0 {
			m.settle()
		}
	}
	m.settle()
	for _, k := range m.procs {
		if !k.done {
			m.run.Hung[k.rank] = k.pc
			m.run.Polling = m.run.Polling || k.in == nil
			m.run.Vague = m.run.Vague || k.vague()
		}
	}
	return m.run
}

// turn makes one random step. Unless it is forced, it may decline a possible step.
func (m *machine) turn(force bool) bool {
	n := len(m.procs) + len(m.channels)
	first := m.IntN(n)
	for i := range n {
		at := (first + i) % n
		if at < len(m.procs) {
			if m.procs[at].step(force) {
				return true
			}
		} else if c := m.channels[at-len(m.procs)]; len(c.queue) > 0 && (force || m.IntN(2) == 0) {
			op := c.queue[0]
			c.queue = c.queue[1:]
			m.arrive(c.box, op)
			return true
		}
	}
	return false
}

// settle lets messages arrive and calls return as far as possible, while no rank makes a new call.
func (m *machine) settle() {
	for changed := true; changed; {
		changed = false
		for _, c := range m.channels {
			for _, op := range c.queue {
				m.arrive(c.box, op)
				changed = true
			}
			c.queue = nil
		}
		for _, k := range m.procs {
			changed = k.in != nil && k.leave(true) || changed
		}
	}
	m.run.Still = append(m.run.Still, len(m.run.Events))
}

func (m *machine) event(r int, k EventKind, data []byte) int {
	m.run.Events = append(m.run.Events, Event{r, k, data})
	return len(m.run.Events) - 1
}

// begin adds the records before all calls.
func (k *process) begin() {
	m := k.m
	m.event(k.rank, Info, fakerun.Names(k.lib.names))
	m.event(k.rank, Info, fakerun.MPI(k.rank, len(m.p.Ranks), k.lib.name()))
	m.event(k.rank, Info, fakerun.Comm(k.lib.words["MPI_COMM_WORLD"], k.rank, []int32{0}, nil, len(m.p.Ranks)))
	m.event(k.rank, Info, fakerun.Comm(k.lib.words["MPI_COMM_SELF"], 0, []int32{int32(k.rank)}, nil, 1))
}

// step makes the process enter or leave a call.
func (k *process) step(force bool) bool {
	switch {
	case k.done:
		return false
	case k.in != nil:
		return k.leave(force)
	case k.pc == len(k.m.p.Ranks[k.rank]):
		k.done = true
		return true
	}
	c := k.m.p.Ranks[k.rank][k.pc]
	if c.IfCancelled && !k.cancelled {
		k.pc++
		return true
	}
	if c.Flag || c.Total > 0 {
		// Only a few of the failed polls are recorded.
		if f := mpiapi.ByName(c.Func); (f.Class == mpiapi.Test || f.Class == mpiapi.Probe) &&
			k.polls >= 3 && !k.succeeds(c, f) {
			return false
		}
	}
	k.enter(c)
	return true
}

// next advances to the next call, or to the same one again if it must be repeated.
func (k *process) next(c *Call, succeeded bool, completed int) {
	k.total += completed
	switch {
	case c.Flag && !succeeded, c.Total > 0 && k.total < c.Total:
		k.polls++
		return
	}
	k.pc++
	k.polls, k.total = 0, 0
}

// site returns the number of the call stack of the present call.
func (k *process) site() uint32 {
	s, ok := k.sites[k.pc]
	if !ok {
		s = uint32(len(k.sites) + 1)
		k.sites[k.pc] = s
		k.m.event(k.rank, Info, fakerun.Site(s, PC(k.rank, k.pc)))
	}
	return s
}

// PC is the address of a call of a rank's program.
func PC(rank, call int) uint64 { return 0x400000 + uint64(rank)<<16 + uint64(call+1)<<4 }

// Where returns the call at an address. It is the inverse of PC, for the address itself or for the last byte before it.
func Where(pc uint64) (rank, call int) {
	pc = pc + 1 - 0x400000
	return int(pc >> 16), int(pc&0xffff)>>4 - 1
}

// group returns the groups of communicator id, as rank r sees it: its own, and the one it sends to.
func (m *machine) group(id, r int) (own, peers []int) {
	if id == 1 {
		return []int{r}, []int{r}
	}
	c := m.p.Comms[id]
	switch {
	case len(c.Remote) == 0:
		return c.Local, c.Local
	case slices.Contains(c.Local, r):
		return c.Local, c.Remote
	}
	return c.Remote, c.Local
}

// box returns the mailbox of a rank. MPI_COMM_SELF is a different communicator for each rank.
func (m *machine) box(b box) *mailbox {
	q := m.boxes[b]
	if q == nil {
		q = new(mailbox)
		m.boxes[b] = q
	}
	return q
}

// post enters an operation into matching.
func (m *machine) post(o *operation) {
	if o.nobody {
		return
	}
	if o.send {
		l := lane{o.comm, o.from, o.to}
		c := m.index[l]
		if c == nil {
			c = &channel{box: box{o.comm, o.to}}
			m.index[l] = c
			m.channels = append(m.channels, c)
		}
		c.queue = append(c.queue, o)
		return
	}
	b := m.box(box{o.comm, o.to})
	if i := slices.IndexFunc(b.unexpected, o.accepts); i >= 0 {
		s := b.unexpected[i]
		b.unexpected = slices.Delete(b.unexpected, i, i+1)
		m.match(s, o)
		return
	}
	b.posted = append(b.posted, o)
}

// accepts reports whether receive o matches message s.
func (o *operation) accepts(s *operation) bool {
	return (o.from < 0 || o.from == s.from) && (o.tag < 0 || o.tag == s.tag)
}

func (m *machine) match(s, o *operation) {
	s.partner, o.partner = o, s
	_, peers := m.group(o.comm, o.to)
	o.source, o.label, o.size = slices.Index(peers, s.from), s.tag, s.bytes
	m.run.Matches = append(m.run.Matches, Match{s.call, o.call, s.bytes})
}

// arrive makes a message arrive at its receiver.
func (m *machine) arrive(at box, s *operation) {
	b := m.box(at)
	if i := slices.IndexFunc(b.posted, func(o *operation) bool { return o.accepts(s) }); i >= 0 {
		o := b.posted[i]
		b.posted = slices.Delete(b.posted, i, i+1)
		m.match(s, o)
		return
	}
	b.unexpected = append(b.unexpected, s)
}

// join makes rank r enter a collective.
func (m *machine) join(at place, r int, f *mpiapi.Func, members []int, root int) *instance {
	in := m.instances[at]
	if in == nil {
		in = &instance{
			entered: make(map[int]bool), call: make(map[int]*mpiapi.Func), members: members,
			root: root, strict: m.IntN(3) == 0,
		}
		m.instances[at] = in
	}
	in.entered[r] = true
	in.call[r] = f
	return in
}

// lets reports whether a collective releases rank r.
func (in *instance) lets(r int) bool {
	name := strings.TrimSuffix(in.call[r].Name, "_init")
	name = strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(name, "MPI_I"), "MPI_"))
	all := func() bool { return len(in.entered) == len(in.members) }
	switch {
	case name == "comm_free":
		return true
	case in.strict || in.root < 0 && name != "scan" && name != "exscan":
		return all()
	case name == "scan" || name == "exscan":
		for _, o := range in.members {
			if o == r {
				return true
			}
			if !in.entered[o] {
				return false
			}
		}
		return true
	case name == "bcast" || name == "scatter" || name == "scatterv":
		return in.entered[in.root]
	case r == in.root:
		return all()
	}
	return true
}

// String describes the end of an execution.
func (r *Run) String() string {
	return fmt.Sprintf("%d events, hung: %v", len(r.Events), r.Hung)
}
