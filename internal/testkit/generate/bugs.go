package generate

import (
	"slices"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

const (
	hard      = "GLOBAL:DEADLOCK:HARD"
	potential = "GLOBAL:DEADLOCK:POTENTIAL"
	pending   = "GLOBAL:MSG:PENDING"
	missing   = "GLOBAL:COLLECTIVE:MISSING"
	different = "GLOBAL:COLLECTIVE:OPERATION_MISMATCH"
)

// Bugs are all kinds of bugs.
var Bugs = slices.Concat(lone, entangled)

// lone are the bugs of one call.
var lone = []*Bug{
	{
		Name: "message of another type", Finds: []string{"GLOBAL:MSG:DATATYPE:MISMATCH"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool {
				w, basic := s.call.Args["datatype"].(Word)
				return (class(s.call) == mpiapi.Recv || class(s.call) == mpiapi.Irecv) && basic &&
					alike[w] != "" && single(s.call) && p.delivered(s)
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
				return (class(s.call) == mpiapi.Recv || class(s.call) == mpiapi.Irecv ||
					class(s.call) == mpiapi.RecvInit || class(s.call) == mpiapi.Mrecv) && p.delivered(s)
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
				return class(s.call) == mpiapi.Send && s.call.Args["comm"] == Word("MPI_COMM_WORLD") &&
					len(p.p.Ranks) > 2 &&
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
				return class(s.call) == mpiapi.Send && s.call.Args["comm"] == Word("MPI_COMM_WORLD") &&
					p.taken(s) != nil
			})
			if !ok {
				return nil, false
			}
			for i, c := range p.p.Ranks[s.rank][:s.at] {
				if c.Func != "MPI_Comm_dup" || c.Args["comm"] != Word("MPI_COMM_WORLD") ||
					p.freed(s.rank, i, s.at, c.Args["newcomm"]) {
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
				"MPI_Allreduce": "MPI_Scan", "MPI_Scan": "MPI_Exscan", "MPI_Exscan": "MPI_Scan",
				"MPI_Iallreduce": "MPI_Iscan",
				// not the other way: that reads more
				"MPI_Iscan": "MPI_Iexscan", "MPI_Alltoall": "MPI_Allgather", "MPI_Ialltoall": "MPI_Iallgather",
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
		Name: "a nonblocking collective among blocking ones", Finds: []string{different},
		Hangs: true, May: []string{hard},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.call.Func == "MPI_Barrier" && p.size(s.call) > 1 })
			if !ok {
				return nil, false
			}
			q := p.spare()
			p.p.Ranks[s.rank][s.at] = &Call{
				Func: "MPI_Ibarrier", Args: s.call.Args.with("request", q),
				Collective: s.call.Collective,
			}
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
				return p.size(s.call) > 1 && known && (s.call.Func == "MPI_Allreduce" ||
					s.call.Func == "MPI_Iallreduce")
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
		Name: "a datatype is not committed", Finds: []string{"LOCAL:DATATYPE:NOT_COMMITTED"},
		May: []string{"LOCAL:DATATYPE:NOT_COMMITTED"},
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
		Name: "a datatype is used after it is freed", Finds: []string{"LOCAL:DATATYPE:FREED"},
		May: []string{"LOCAL:DATATYPE:FREED"},
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
			// If handles are moved, it is unknown which one of several requests with the same handle is left.
			s, ok := p.some(func(s spot) bool {
				return s.at > 0 && !slices.ContainsFunc(p.p.Ranks[s.rank], func(c *Call) bool {
					return len(c.Move) > 0
				})
			})
			if !ok {
				return nil, false
			}
			a := Args{
				"buf": Memory(0), "count": Number(0), "datatype": Word("MPI_INT"),
				"tag": Number(9999), "comm": Word("MPI_COMM_SELF"),
			}
			p.insert(s, &Call{Func: "MPI_Recv", Args: a.with("source", Number(0))})
			return p.insert(s, &Call{Func: "MPI_Isend", Args: a.with("dest", Number(0)).with("request", p.spare())}),
				true
		},
	},
	{
		Name: "memory is sent that is received into", Finds: []string{"LOCAL:MEMORY:OVERLAP"},
		plant: func(p *planter) (*Call, bool) {
			s, ok := p.some(func(s spot) bool { return s.at > 0 && !p.anyTag(s.rank) })
			if !ok {
				return nil, false
			}
			a := Args{
				"buf": Memory(p.p.Memory), "count": Number(4), "datatype": Word("MPI_INT"),
				"tag": Number(9999), "comm": Word("MPI_COMM_SELF"),
			}
			part := a.with("buf", Memory(p.p.Memory+8)).with("count", Number(1))
			p.p.Memory += 16
			q := p.spare()
			p.insert(s, &Call{Func: "MPI_Wait", Args: Args{"request": q}})
			c := p.insert(s, &Call{Func: "MPI_Send", Args: part.with("dest", Number(0))})
			p.insert(s, &Call{Func: "MPI_Irecv", Args: a.with("source", Number(0)).with("request", q)})
			return c, true
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
				return class(s.call) == mpiapi.Collective && s.call.Args["comm"] == Word("MPI_COMM_WORLD") &&
					s.call.Args["newcomm"] == nil && p.last(s) &&
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
