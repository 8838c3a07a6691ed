package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Options are properties of programs.
type Options struct {
	Ranks   int // 0: 2 to 8
	Actions int // 0: 4 to 40
	// Isendrecv: MPI_Isendrecv may be called. Open MPI 4 does not have it.
	Isendrecv bool
	// Real avoids bugs of MPICH 4.0.2. There, MPI_Bsend of large derived datatypes sends too much. MPI_Waitany,
	// MPI_Testall and other calls with several requests fail or complete too much if some of these are inactive
	// persistent collectives. MPI_Reduce between groups requires a send buffer also at the root.
	Real bool
	// Skip are actions to leave out, for programs that are as short as possible.
	Skip map[int]bool
}

// New returns the correct program of a seed.
func New(seed uint64, o Options) *Program {
	p, _ := generate(seed, o, nil)
	return p
}

// generate makes the program of a seed. It inserts the action wrong somewhere, and returns the calls of that action.
func generate(seed uint64, o Options, wrong func(*builder) []*Call) (p *Program, calls []*Call) {
	rng := rand.New(rand.NewPCG(seed, 0))
	if o.Ranks == 0 {
		o.Ranks = 2 + rng.IntN(7)
	}
	if o.Actions == 0 {
		o.Actions = 4 + rng.IntN(37)
	}
	b := newBuilder(seed, o)
	at := rng.IntN(o.Actions)
	for i := range o.Actions {
		b.rng = rand.New(rand.NewPCG(seed, uint64(i+1)))
		if i == at && wrong != nil {
			calls = wrong(b)
		} else if !o.Skip[i] {
			b.act()
		}
	}
	b.rng = rand.New(rand.NewPCG(seed, 1<<32))
	b.finish()
	return b.p, calls
}

// builder makes a program, action by action.
type builder struct {
	rng     *rand.Rand
	o       Options
	p       *Program
	comms   []*group   // communicators that were not freed
	open    []*message // messages with only one half called
	ranks   []*rank
	pairs   []*pair // persistent
	repeats []*repeat
	tag     int // the last tag that is used for only one message
	numbers struct{ message, collective int }
}

// rank is the state of one rank at this point of its program.
type rank struct {
	requests []*request // by variable, nil: MPI_REQUEST_NULL
	types    []derived
	ops      []int // variables of reduction operations
	memory   int
	buffered int // bytes that its buffered sends need
	// crowded: there is no room for them.
	crowded bool
}

// request is a variable with a request.
type request struct {
	variable   int
	persistent bool
	active     bool
	// ready: all calls that it needs to complete were made before this point.
	ready bool
	// unsure: it may have been completed already.
	unsure bool
	send   bool
	coll   bool
}

// group is a communicator.
type group struct {
	id            int
	local, remote []int
	streams       map[[2]int]*stream
	late          *late
}

// stream is the state between a sender and a receiver on a communicator.
type stream struct {
	busy   map[int]bool // tags of messages with only one half called
	locked bool         // a receive with any tag waits for its message
}

func newBuilder(seed uint64, o Options) *builder {
	b := &builder{o: o, p: &Program{
		Seed: seed, Ranks: make([][]*Call, o.Ranks), Comms: make([]Comm, 2), Variables: make(map[mpiapi.Kind]int),
	}, tag: 100}
	world := &group{id: 0, streams: make(map[[2]int]*stream)}
	for r := range o.Ranks {
		world.local = append(world.local, r)
		b.ranks = append(b.ranks, new(rank))
		b.call(r, "MPI_Init", nil)
	}
	b.p.Comms[0].Local = world.local
	b.comms = append(b.comms, world)
	return b
}

// chance is true once in n times.
func (b *builder) chance(n int) bool { return b.rng.IntN(n) == 0 }

func pick[T any](b *builder, list []T) T { return list[b.rng.IntN(len(list))] }

// call adds a call to a rank's program.
func (b *builder) call(r int, function string, a Args) *Call {
	if a == nil {
		a = Args{}
	}
	c := &Call{Func: function, Args: a}
	b.p.Ranks[r] = append(b.p.Ranks[r], c)
	return c
}

// memory returns fresh memory of rank r.
func (b *builder) memory(r, bytes int) Memory {
	k := b.ranks[r]
	at := k.memory
	k.memory += bytes&^15 + 16
	b.p.Memory = max(b.p.Memory, k.memory)
	return Memory(at)
}

// request returns a free request variable of rank r.
func (b *builder) request(r int, q request) *request {
	k := b.ranks[r]
	at := slices.Index(k.requests, nil)
	if at < 0 || b.chance(2) && len(k.requests) < 24 {
		at = len(k.requests)
		k.requests = append(k.requests, nil)
	}
	q.variable, q.active = at, !q.persistent
	k.requests[at] = &q
	b.count(mpiapi.Request, at+1)
	return &q
}

func (q *request) value() Variable { return Variable{mpiapi.Request, q.variable} }

func (b *builder) count(k mpiapi.Kind, n int) { b.p.Variables[k] = max(b.p.Variables[k], n) }

// comm returns the argument for a communicator.
func (g *group) comm() Value {
	switch g.id {
	case 0:
		return Word("MPI_COMM_WORLD")
	case 1:
		return Word("MPI_COMM_SELF")
	}
	return Variable{mpiapi.Comm, g.id}
}

// members are all processes of the communicator, in both groups.
func (g *group) members() []int { return slices.Concat(g.local, g.remote) }

// peers returns the group that rank r sends to.
func (g *group) peers(r int) []int {
	if len(g.remote) > 0 && slices.Contains(g.local, r) {
		return g.remote
	}
	return g.local
}

// of returns the rank of process to on the communicator, as seen by process r.
func (g *group) of(r, to int) Number { return Number(slices.Index(g.peers(r), to)) }

func (g *group) stream(from, to int) *stream {
	s := g.streams[[2]int{from, to}]
	if s == nil {
		s = &stream{busy: make(map[int]bool)}
		g.streams[[2]int{from, to}] = s
	}
	return s
}

// quiet reports whether there is no message to rank r with only one half called.
func (g *group) quiet(r int) bool {
	for k, s := range g.streams {
		if k[1] == r && (s.locked || len(s.busy) > 0) {
			return false
		}
	}
	return true
}

// actions are the parts of programs, with their frequencies.
var actions = []struct {
	weight int
	do     func(*builder)
}{
	{10, (*builder).exchangeOne},
	{6, (*builder).openHalf},
	{6, (*builder).closeHalf},
	{6, (*builder).completeSome},
	{4, (*builder).lookAtSome},
	{5, (*builder).ring},
	{5, (*builder).fan},
	{3, (*builder).anything},
	{9, (*builder).collective},
	{6, (*builder).icollective},
	{5, (*builder).newComm},
	{2, (*builder).freeComm},
	{3, (*builder).newPair},
	{5, (*builder).startPair},
	{2, (*builder).nobody},
	{2, (*builder).cancelled},
	{2, (*builder).givenUp},
	{2, (*builder).readySend},
	{2, (*builder).toSelf},
	{1, (*builder).name},
	{2, (*builder).newRepeat},
	{3, (*builder).startRepeat},
}

func (b *builder) act() {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	n := b.rng.IntN(total)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			a.do(b)
			return
		}
	}
}

// finish completes pending operations, frees all objects, and calls MPI_Finalize.
func (b *builder) finish() {
	for len(b.open) > 0 {
		b.close(b.open[0])
	}
	for _, g := range b.comms {
		b.joinLate(g)
	}
	for r, k := range b.ranks {
		b.complete(r, 0, len(k.requests))
		for _, q := range k.requests {
			if q != nil {
				b.call(r, "MPI_Request_free", Args{"request": q.value()})
			}
		}
		k.requests = nil
		for _, t := range k.types {
			b.call(r, "MPI_Type_free", Args{"datatype": t.value})
		}
		for _, v := range k.ops {
			b.call(r, "MPI_Op_free", Args{"op": Variable{mpiapi.Op, v}})
		}
	}
	b.pairs, b.repeats = nil, nil
	for i := len(b.comms) - 1; i > 0; i-- {
		b.free(b.comms[i])
	}
	for r, k := range b.ranks {
		if k.buffered > 0 {
			b.attach(r, k.buffered)
		}
		b.call(r, "MPI_Finalize", nil)
	}
}

// attach attaches a buffer before all buffered sends of a rank, and detaches it after them.
func (b *builder) attach(r, bytes int) {
	at := b.memory(r, bytes)
	b.call(r, "MPI_Buffer_detach", Args{})
	calls := b.p.Ranks[r]
	attach := &Call{Func: "MPI_Buffer_attach", Args: Args{"buffer": at, "size": Number(bytes)}}
	b.p.Ranks[r] = slices.Insert(calls, 1, attach) // after MPI_Init
}
