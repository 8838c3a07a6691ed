package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Bug is a kind of error in a program.
type Bug struct {
	Name string
	// Finds are checks. One of them must find the bug, at the planted call.
	Finds []string
	// May are checks that may find consequences of the bug, anywhere.
	May []string
	// Hangs: if the bug makes the program hang, there may be no other finding. It need not make it hang.
	Hangs bool
	// plant changes a correct program and returns the wrong call; false if the program has no place for the bug.
	plant func(*planter) (*Call, bool)
	// act is an alternative to plant. It adds an action to a program and returns the calls of which one must be
	// reported; nil if there is no place for the bug.
	act func(*builder) []*Call
}

// Planted is a program with one bug.
type Planted struct {
	*Program
	Bug   *Bug
	Calls [][2]int // the wrong calls, by rank and number: the finding is at one of them
}

// planter changes a program.
type planter struct {
	rng  *rand.Rand
	p    *Program
	run  *Run    // of the correct program
	more []*Call // calls that are as wrong as the reported one
}

// Plant returns the program of a seed with a bug in it, nil if there is no place for the bug.
func Plant(bug *Bug, seed uint64, o Options) *Planted {
	if bug.act != nil {
		p, calls := generate(seed, o, bug.act)
		if calls == nil {
			return nil
		}
		return &Planted{Program: p, Bug: bug, Calls: p.places(calls)}
	}
	p := New(seed, o)
	for r := range p.Ranks {
		p.Ranks[r] = slices.Clone(p.Ranks[r])
	}
	pl := &planter{rng: rand.New(rand.NewPCG(seed, 2)), p: p, run: Execute(p, seed)}
	c, ok := bug.plant(pl)
	if !ok {
		return nil
	}
	return &Planted{Program: p, Bug: bug, Calls: p.places(append(pl.more, c))}
}

// places returns the positions of calls in a program.
func (p *Program) places(list []*Call) (at [][2]int) {
	for r, calls := range p.Ranks {
		for i, c := range calls {
			if slices.Contains(list, c) {
				at = append(at, [2]int{r, i})
			}
		}
	}
	return at
}

// spot is a call of a program.
type spot struct {
	rank, at int
	call     *Call
}

// some returns one of the calls that fit, false if there are none.
func (p *planter) some(fits func(s spot) bool) (spot, bool) {
	var list []spot
	for r, calls := range p.p.Ranks {
		for i, c := range calls {
			if s := (spot{r, i, c}); fits(s) {
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 {
		return spot{}, false
	}
	return list[p.rng.IntN(len(list))], true
}

// change replaces a call by a copy with another argument.
func (p *planter) change(s spot, name string, v Value) *Call {
	c := s.call.with(name, v)
	p.p.Ranks[s.rank][s.at] = c
	return c
}

func (p *planter) remove(s spot) {
	p.p.Ranks[s.rank] = slices.Delete(p.p.Ranks[s.rank], s.at, s.at+1)
}

func (p *planter) insert(s spot, c *Call) *Call {
	p.p.Ranks[s.rank] = slices.Insert(p.p.Ranks[s.rank], s.at, c)
	return c
}

func class(c *Call) mpiapi.Class { return mpiapi.ByName(c.Func).Class }

// delivered reports whether a receive got a message with data in the run of the correct program, from exactly one send.
func (p *planter) delivered(s spot) bool {
	for _, m := range p.run.Matches {
		if m.Recv == [2]int{s.rank, s.at} {
			return m.Bytes > 0
		}
	}
	return false
}

// single reports whether only one message can match a receive.
func single(c *Call) bool {
	_, tag := c.Args["tag"].(Number)
	_, source := c.Args["source"].(Number)
	return tag && source && int(c.Args["tag"].(Number)) >= firstTag && !c.IfCancelled
}

// taken returns the call that received the message of a send in the run of the correct program. It returns nil if that
// call could receive other messages, or if other calls could receive the message.
func (p *planter) taken(s spot) *Call {
	for _, m := range p.run.Matches {
		if m.Send != [2]int{s.rank, s.at} {
			continue
		}
		c := p.p.Ranks[m.Recv[0]][m.Recv[1]]
		if single(c) && !p.anyTag(m.Recv[0]) {
			return c
		}
	}
	return nil
}

// anyTag reports whether a rank has receives with any tag; -1: any rank.
func (p *planter) anyTag(r int) bool {
	calls := slices.Concat(p.p.Ranks...)
	if r >= 0 {
		calls = p.p.Ranks[r]
	}
	return slices.ContainsFunc(calls, func(c *Call) bool { return c.Args["tag"] == Word("MPI_ANY_TAG") })
}

// alike are basic datatypes of the same size.
var alike = map[Word]Word{
	"MPI_INT": "MPI_FLOAT", "MPI_FLOAT": "MPI_UNSIGNED", "MPI_UNSIGNED": "MPI_INT",
	"MPI_DOUBLE": "MPI_LONG", "MPI_LONG": "MPI_DOUBLE",
}

// sends returns the call that sends a message.
func (p *planter) sends(message int) *Call {
	for _, calls := range p.p.Ranks {
		for _, c := range calls {
			if k := class(c); c.Message == message && (k == mpiapi.Send || k == mpiapi.Isend || k == mpiapi.SendInit) {
				return c
			}
		}
	}
	return nil
}

// size is the number of processes in a collective within a group, 0 for other calls.
func (p *planter) size(c *Call) int {
	if c.Collective == 0 {
		return 0
	}
	k := p.p.Comms[comm(c)]
	if len(k.Remote) > 0 {
		return 0
	}
	return len(k.Local)
}

// spare returns an unused request variable.
func (p *planter) spare() Variable {
	n := p.p.Variables[mpiapi.Request]
	p.p.Variables[mpiapi.Request] = n + 1
	return Variable{mpiapi.Request, n}
}

// user returns the first communication after a call that uses the call's datatype for data.
func (p *planter) user(s spot) *Call {
	for _, c := range p.p.Ranks[s.rank][s.at+1:] {
		for _, side := range [][2]string{{"datatype", "count"}, {"sendtype", "sendcount"}, {"recvtype", "recvcount"}} {
			if n, ok := c.Args[side[1]].(Number); ok && n > 0 && c.Args[side[0]] == s.call.Args["datatype"] {
				if c.Args["source"] == Word("MPI_PROC_NULL") || c.Args["dest"] == Word("MPI_PROC_NULL") {
					return nil // no data
				}
				return c
			}
		}
		for _, v := range c.Args {
			if v == s.call.Args["datatype"] {
				return nil
			}
			if types, ok := v.(Types); ok && slices.Contains(types, s.call.Args["datatype"]) {
				return nil
			}
		}
	}
	return nil
}

// maker returns the call that made the request of a call.
func (p *planter) maker(s spot) *Call {
	for i := s.at - 1; i >= 0; i-- {
		c := p.p.Ranks[s.rank][i]
		f := mpiapi.ByName(c.Func)
		if j := f.Arg(mpiapi.TheRequest); j >= 0 && f.Params[j].Dir == mpiapi.Out &&
			c.Args["request"] == s.call.Args["request"] {
			return c
		}
	}
	return nil
}

// freed reports whether a communicator is freed between two calls of a rank.
func (p *planter) freed(r, from, to int, comm Value) bool {
	return slices.ContainsFunc(p.p.Ranks[r][from:to], func(c *Call) bool {
		return c.Func == "MPI_Comm_free" && c.Args["comm"] == comm
	})
}

// last reports whether no other collective follows on the communicator of a call.
func (p *planter) last(s spot) bool {
	return !slices.ContainsFunc(p.p.Ranks[s.rank][s.at+1:], func(c *Call) bool {
		return c.Collective > 0 && comm(c) == comm(s.call)
	})
}
