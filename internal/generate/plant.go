package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/mpivet/mpivet/internal/mpiapi"
)

// Bug is a way for a program to be wrong.
type Bug struct {
	Name string
	// Finds are the checks of which one must find it, at the planted call.
	Finds []string
	// May are checks that may find consequences of it, anywhere.
	May []string
	// Hangs: where it makes the program hang, that is all there is to find. It need not.
	Hangs bool
	// plant changes a correct program, and tells the call that is wrong; false if the program has no place for it.
	plant func(*planter) (*Call, bool)
	// act, instead, adds an action to a program that is wrong, and returns the calls of which one is told; nil if there is
	// no place for it.
	act func(*builder) []*Call
}

// Planted is a program with one bug.
type Planted struct {
	*Program
	Bug   *Bug
	Calls [][2]int // the calls that are wrong, by rank and number: it is found at one of them
}

// planter changes a program.
type planter struct {
	rng  *rand.Rand
	p    *Program
	run  *Run    // of the correct program
	more []*Call // that are as wrong as the one that is told
}

// Plant returns the program of a seed with a bug in it, nil if there is no place for it.
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

// places returns where calls are in a program.
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

// change replaces a call by one with another argument.
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

// delivered reports whether a receive got a message with data in the run of the correct program, of exactly one send.
func (p *planter) delivered(s spot) bool {
	for _, m := range p.run.Matches {
		if m.Recv == [2]int{s.rank, s.at} {
			return m.Bytes > 0
		}
	}
	return false
}

// single reports whether a receive can have one message only.
func single(c *Call) bool {
	_, tag := c.Args["tag"].(Number)
	_, source := c.Args["source"].(Number)
	return tag && source && int(c.Args["tag"].(Number)) >= firstTag && !c.IfCancelled
}

// taken returns the call that received the message of a send in the run of the correct program, nil if that may receive
// others as well, or if others may receive it.
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

// anyTag reports whether a rank has receives of any tag; -1: any rank.
func (p *planter) anyTag(r int) bool {
	calls := slices.Concat(p.p.Ranks...)
	if r >= 0 {
		calls = p.p.Ranks[r]
	}
	return slices.ContainsFunc(calls, func(c *Call) bool { return c.Args["tag"] == Word("MPI_ANY_TAG") })
}

// alike are basic datatypes of the same size.
var alike = map[Word]Word{
	"MPI_INT": "MPI_FLOAT", "MPI_FLOAT": "MPI_UNSIGNED", "MPI_UNSIGNED": "MPI_INT", "MPI_DOUBLE": "MPI_LONG", "MPI_LONG": "MPI_DOUBLE",
}

const (
	hard      = "GLOBAL:DEADLOCK:HARD"
	potential = "GLOBAL:DEADLOCK:POTENTIAL"
	pending   = "GLOBAL:MSG:PENDING"
	missing   = "GLOBAL:COLLECTIVE:MISSING"
	different = "GLOBAL:COLLECTIVE:OPERATION_MISMATCH"
)

// Bugs are the ways to be wrong.
var Bugs = slices.Concat(lone, entangled)

// lone are the bugs of one call.
var lone = []*Bug{
	{
		Name: "message of another type", Finds: []string{"GLOBAL:MSG:DATATYPE:MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				w, basic := s.call.Args["datatype"].(Word)
				return (class(s.call) == mpiapi.Recv || class(s.call) == mpiapi.Irecv) && basic && alike[w] != "" && single(s.call) && p.delivered(s)
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "datatype", alike[s.call.Args["datatype"].(Word)]), true
		},
	},
	{
		Name: "message received as bytes", Finds: []string{"GLOBAL:MSG:DATATYPE:MISMATCH:BYTE"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				w, basic := s.call.Args["datatype"].(Word)
				return class(s.call) == mpiapi.Recv && basic && w != "MPI_BYTE" && single(s.call) && p.delivered(s)
			})
			if !ok {
				return nil, false
			}
			n := int(s.call.Args["count"].(Number)) * sizes[s.call.Args["datatype"].(Word)]
			s.call = p.change(s, "count", Number(n))
			return p.change(s, "datatype", Word("MPI_BYTE")), true
		},
	},
	{
		Name: "message that is too long", Finds: []string{"GLOBAL:MSG:TRUNCATED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return (class(s.call) == mpiapi.Recv || class(s.call) == mpiapi.Irecv || class(s.call) == mpiapi.RecvInit || class(s.call) == mpiapi.Mrecv) && p.delivered(s)
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "count", Number(0)), true
		},
	},
	{
		Name: "receive of another tag", Finds: []string{hard}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return class(s.call) == mpiapi.Recv && single(s.call) })
			if !ok {
				return nil, false
			}
			return p.change(s, "tag", Number(9999)), true
		},
	},
	{
		Name: "send with another tag", Finds: []string{pending}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return class(s.call) == mpiapi.Send && p.taken(s) != nil
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "tag", Number(9999)), true
		},
	},
	{
		Name: "send to another rank", Finds: []string{pending}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return class(s.call) == mpiapi.Send && s.call.Args["comm"] == Word("MPI_COMM_WORLD") && len(p.p.Ranks) > 2 &&
					p.taken(s) != nil
			})
			if !ok {
				return nil, false
			}
			to := (int(s.call.Args["dest"].(Number)) + 1) % len(p.p.Ranks)
			if to == s.rank {
				to = (to + 1) % len(p.p.Ranks)
			}
			return p.change(s, "dest", Number(to)), !p.anyTag(to)
		},
	},
	{
		Name: "send on another communicator", Finds: []string{pending}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return class(s.call) == mpiapi.Send && s.call.Args["comm"] == Word("MPI_COMM_WORLD") && p.taken(s) != nil
			})
			if !ok {
				return nil, false
			}
			for i, c := range p.p.Ranks[s.rank][:s.at] {
				if c.Func != "MPI_Comm_dup" || c.Args["comm"] != Word("MPI_COMM_WORLD") || p.freed(s.rank, i, s.at, c.Args["newcomm"]) {
					continue
				}
				return p.change(s, "comm", c.Args["newcomm"]), true
			}
			return nil, false
		},
	},
	{
		Name: "a receive is missing", Finds: []string{pending}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return class(s.call) == mpiapi.Recv && single(s.call) && s.call.Message > 0 && !p.anyTag(s.rank)
			})
			if !ok {
				return nil, false
			}
			sender := p.sends(s.call.Message)
			if sender == nil || class(sender) == mpiapi.SendInit {
				return nil, false
			}
			p.remove(s)
			return sender, true
		},
	},
	{
		Name: "a send is missing", Finds: []string{hard}, Hangs: true,
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return class(s.call) == mpiapi.Send && p.taken(s) != nil })
			if !ok {
				return nil, false
			}
			p.remove(s)
			return p.p.Ranks[s.rank][s.at], true
		},
	},
	{
		Name: "another root", Finds: []string{"GLOBAL:COLLECTIVE:ROOT_MISMATCH"}, Hangs: true, May: []string{hard},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				_, known := s.call.Args["root"].(Number)
				return (s.call.Func == "MPI_Bcast" || s.call.Func == "MPI_Ibcast") && known && p.size(s.call) > 1
			})
			if !ok {
				return nil, false
			}
			root := (int(s.call.Args["root"].(Number)) + 1) % p.size(s.call)
			return p.change(s, "root", Number(root)), true
		},
	},
	{
		Name: "another operation", Finds: []string{"GLOBAL:COLLECTIVE:REDUCTION_OPERATION_MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Args["op"] == Word("MPI_SUM") && p.size(s.call) > 1 })
			if !ok {
				return nil, false
			}
			return p.change(s, "op", Word("MPI_MAX")), true
		},
	},
	{
		Name: "another collective", Finds: []string{different}, Hangs: true, May: []string{hard},
		plant: func(p *planter) (*Call, bool) {
			others := map[string]string{
				"MPI_Allreduce": "MPI_Scan", "MPI_Scan": "MPI_Exscan", "MPI_Exscan": "MPI_Scan", "MPI_Iallreduce": "MPI_Iscan",
				"MPI_Iscan": "MPI_Iexscan", "MPI_Allgather": "MPI_Alltoall", "MPI_Ialltoall": "MPI_Iallgather",
			}
			s, ok := p.some(func(s spot) bool {
				return others[s.call.Func] != "" && p.size(s.call) > 1 && s.call.Args["sendbuf"] != Word("MPI_IN_PLACE")
			})
			if !ok {
				return nil, false
			}
			c := *s.call
			c.Func = others[c.Func]
			p.p.Ranks[s.rank][s.at] = &c
			return &c, true
		},
	},
	{
		Name: "a nonblocking collective among blocking ones", Finds: []string{different}, Hangs: true, May: []string{hard},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Barrier" && p.size(s.call) > 1 })
			if !ok {
				return nil, false
			}
			q := p.spare()
			p.p.Ranks[s.rank][s.at] = &Call{Func: "MPI_Ibarrier", Args: s.call.Args.with("request", q), Collective: s.call.Collective}
			s.at++
			p.insert(s, &Call{Func: "MPI_Wait", Args: Args{"request": q}})
			return p.p.Ranks[s.rank][s.at-1], true
		},
	},
	{
		Name: "more data in a collective", Finds: []string{"GLOBAL:COLLECTIVE:SIZE_MISMATCH"},
		May: []string{"GLOBAL:COLLECTIVE:DATATYPE:MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				n, known := s.call.Args["count"].(Number)
				return p.size(s.call) > 1 && known && n > 0
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "count", s.call.Args["count"].(Number)-1), true
		},
	},
	{
		Name: "another type in a collective", Finds: []string{"GLOBAL:COLLECTIVE:DATATYPE:MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				w, basic := s.call.Args["datatype"].(Word)
				n, known := s.call.Args["count"].(Number)
				return p.size(s.call) > 1 && basic && alike[w] != "" && known && n > 0
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "datatype", alike[s.call.Args["datatype"].(Word)]), true
		},
	},
	{
		Name: "in place for one only", Finds: []string{"GLOBAL:COLLECTIVE:IN_PLACE_MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				_, known := s.call.Args["sendbuf"].(Memory)
				return p.size(s.call) > 1 && known && (s.call.Func == "MPI_Allreduce" || s.call.Func == "MPI_Iallreduce")
			})
			if !ok {
				return nil, false
			}
			return p.change(s, "sendbuf", Word("MPI_IN_PLACE")), true
		},
	},
	{
		Name: "a communicator is not freed", Finds: []string{"GLOBAL:COLLECTIVE:COMM_FREE_MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Comm_free" && p.size(s.call) > 1 })
			if !ok {
				return nil, false
			}
			p.remove(s)
			for _, c := range p.p.Ranks[s.rank] {
				for _, name := range []string{"newcomm", "newintracomm", "newintercomm"} {
					if c.Args[name] == s.call.Args["comm"] {
						return c, true
					}
				}
			}
			return nil, false
		},
	},
	{
		Name: "a datatype is not committed", Finds: []string{"LOCAL:DATATYPE:NOT_COMMITTED"}, May: []string{"LOCAL:DATATYPE:NOT_COMMITTED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Type_commit" && p.user(s) != nil })
			if !ok {
				return nil, false
			}
			c := p.user(s)
			p.remove(s)
			return c, true
		},
	},
	{
		Name: "a datatype is committed twice", Finds: []string{"LOCAL:DATATYPE:REDUNDANT"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Type_commit" })
			if !ok {
				return nil, false
			}
			s.at++
			return p.insert(s, &Call{Func: "MPI_Type_commit", Args: s.call.Args}), true
		},
	},
	{
		Name: "a datatype is used after it is freed", Finds: []string{"LOCAL:DATATYPE:FREED"}, May: []string{"LOCAL:DATATYPE:FREED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Type_commit" && p.user(s) != nil })
			if !ok {
				return nil, false
			}
			c := p.user(s)
			s.at++
			p.insert(s, &Call{Func: "MPI_Type_free", Args: s.call.Args})
			return c, true
		},
	},
	{
		Name: "a datatype is not freed", Finds: []string{"LOCAL:DATATYPE:NOT_FREED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Type_free" })
			if !ok {
				return nil, false
			}
			p.remove(s)
			for _, c := range p.p.Ranks[s.rank] {
				if c.Args["newtype"] == s.call.Args["datatype"] {
					return c, true
				}
			}
			return nil, false
		},
	},
	{
		Name: "a request is never completed", Finds: []string{"LOCAL:REQUEST:NOT_FREED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.at > 0 })
			if !ok {
				return nil, false
			}
			a := Args{"buf": Memory(0), "count": Number(0), "datatype": Word("MPI_INT"), "tag": Number(9999), "comm": Word("MPI_COMM_SELF")}
			p.insert(s, &Call{Func: "MPI_Recv", Args: a.with("source", Number(0))})
			return p.insert(s, &Call{Func: "MPI_Isend", Args: a.with("dest", Number(0)).with("request", p.spare())}), true
		},
	},
	{
		Name: "a persistent request is not freed", Finds: []string{"LOCAL:REQUEST:NOT_FREED"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return s.call.Func == "MPI_Request_free" && p.maker(s) != nil && class(p.maker(s)) != mpiapi.Isend
			})
			if !ok {
				return nil, false
			}
			c := p.maker(s)
			p.remove(s)
			return c, true
		},
	},
	{
		Name: "MPI_Finalize is missing", Finds: []string{"LOCAL:EXIT:BEFORE_MPI_FINALIZE"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Finalize" })
			if !ok {
				return nil, false
			}
			p.remove(s)
			return p.p.Ranks[s.rank][s.at-1], true
		},
	},
	{
		Name: "the last collective lacks a member", Finds: []string{missing}, Hangs: true,
		May: []string{"GLOBAL:COLLECTIVE:ORDER_MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				return class(s.call) == mpiapi.Collective && s.call.Args["comm"] == Word("MPI_COMM_WORLD") && s.call.Args["newcomm"] == nil && p.last(s) &&
					!p.anyTag(-1)
			})
			if !ok {
				return nil, false
			}
			p.remove(s)
			for _, calls := range p.p.Ranks {
				for _, c := range calls {
					if c.Collective == s.call.Collective {
						p.more = append(p.more, c)
					}
				}
			}
			return nil, len(p.more) > 0
		},
	},
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

// spare returns a request variable that nobody uses.
func (p *planter) spare() Variable {
	n := p.p.Variables[mpiapi.Request]
	p.p.Variables[mpiapi.Request] = n + 1
	return Variable{mpiapi.Request, n}
}

// user returns the first communication behind a call that uses its datatype for data.
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

// maker returns the call that made the request that a call is about.
func (p *planter) maker(s spot) *Call {
	for i := s.at - 1; i >= 0; i-- {
		c := p.p.Ranks[s.rank][i]
		f := mpiapi.ByName(c.Func)
		if j := f.Arg(mpiapi.TheRequest); j >= 0 && f.Params[j].Dir == mpiapi.Out && c.Args["request"] == s.call.Args["request"] {
			return c
		}
	}
	return nil
}

// freed reports whether a communicator is freed between two calls of a rank.
func (p *planter) freed(r, from, to int, comm Value) bool {
	return slices.ContainsFunc(p.p.Ranks[r][from:to], func(c *Call) bool { return c.Func == "MPI_Comm_free" && c.Args["comm"] == comm })
}

// last reports whether no other collective follows on the communicator of a call.
func (p *planter) last(s spot) bool {
	return !slices.ContainsFunc(p.p.Ranks[s.rank][s.at+1:], func(c *Call) bool {
		return c.Collective > 0 && comm(c) == comm(s.call)
	})
}
