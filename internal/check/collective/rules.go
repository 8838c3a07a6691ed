package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed operation.md
var operationDoc string

//go:embed root.md
var rootDoc string

//go:embed spawn.md
var spawnDoc string

//go:embed reduction.md
var reductionDoc string

//go:embed inplace.md
var inPlaceDoc string

//go:embed parameter.md
var parameterDoc string

//go:embed leader.md
var leaderDoc string

//go:embed high.md
var highDoc string

//go:embed topology.md
var topologyDoc string

//go:embed file.md
var fileDoc string

//go:embed window.md
var windowDoc string

// OperationMismatch finds members of a communicator that are in different collectives at the same time (MPI standard,
// section 6.14 "Correctness"; seed of the rule: Falzone et al., Collective Error Detection for MPI Collective
// Operations, table 1).
var OperationMismatch = newCheck("OPERATION_MISMATCH", "processes call different collective operations at the same time", operationDoc, &rule{
	groups: func(_ *check.Run, c *match.Collective) []group {
		if !c.Different || fences(c) {
			return nil
		}
		return byFunction(c)
	},
	what: func(*match.Collective) string { return "do not call the same collective operation" },
	why: "All processes of a communicator must call its collective operations in the same order (MPI standard, chapter 6, \"Correctness\"). " +
		"Otherwise the operations take each other's data, or wait for ever.",
	advice: "Find out why the odd ones go another way here: usually a condition that depends on the rank, a loop with another number of turns, or an earlier collective that some left out.",
})

func byFunction(c *match.Collective) []group {
	gs := split(c, func(v *match.Variant) uint64 { return uint64(v.Func) }, func(v *match.Variant) string { return mpiapi.ByID(v.Func).Name })
	for i := range gs {
		gs[i].calls = true
	}
	return gs
}

// fences reports whether some members are in MPI_Win_fence and others in something else on the window.
func fences(c *match.Collective) bool {
	for i := range c.Variants {
		if c.Comm.Domain == match.Window && c.Variants[i].Func == mpiapi.IDWinFence {
			return true
		}
	}
	return false
}

// connects reports whether a function connects worlds (column connects of the API table): its root speaks for all
// processes of its world.
func connects(f mpiapi.FuncID) bool { return mpiapi.ByID(f).Connects }

func roots(of func(mpiapi.FuncID) bool) func(*check.Run, *match.Collective) []group {
	return func(x *check.Run, c *match.Collective) []group {
		if c.Different || c.Conflicts.Has(match.Validity) || !c.Conflicts.Has(match.Root) || !of(c.Variants[0].Func) {
			return nil
		}
		if gs := byValue(c, match.Root, argument(x, "root")); len(gs) > 1 {
			return gs
		}
		// Nobody of the root's group says that it is the root.
		return split(c, func(v *match.Variant) uint64 { return v.Values[match.Root] + 1 }, argument(x, "root"))
	}
}

// RootMismatch finds rooted collectives whose members name different roots.
var RootMismatch = newCheck("ROOT_MISMATCH", "processes name different roots in a collective operation", rootDoc, &rule{
	groups: roots(func(f mpiapi.FuncID) bool { return !connects(f) }),
	what:   about("name different roots in %s"),
	verbs:  passes,
	why:    "The root must be the same on all processes of the communicator (MPI standard, chapter 6). Otherwise several processes take themselves for the root, or none, and data end up in the wrong place or processes wait for ever.",
	advice: "Compute the root from something that is the same on all processes. It is a rank in the communicator of the call, not in MPI_COMM_WORLD.",
})

// SpawnMismatch finds different roots where processes are started or worlds connected.
var SpawnMismatch = newCheck("SPAWN_MISMATCH", "processes name different roots when they start or connect to others", spawnDoc, &rule{
	groups: roots(connects),
	what:   about("name different roots in %s"),
	verbs:  passes,
	why:    "The root must be the same on all processes of the communicator (MPI standard, chapter 11): its other arguments are those that count.",
	advice: "Compute the root from something that is the same on all processes.",
})

// ReductionOperationMismatch finds reductions whose members name different operations.
var ReductionOperationMismatch = newCheck("REDUCTION_OPERATION_MISMATCH", "processes name different operations in a reduction", reductionDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if !settled(c) || !c.Conflicts.Has(match.Operation) || otherPrograms(x, c) {
			return nil
		}
		return byValue(c, match.Operation, func(v *match.Variant) string { return operation(x, v) })
	},
	what:   about("name different operations in %s"),
	verbs:  passes,
	why:    "The operation must be the same on all processes (MPI standard, section 6.9). Otherwise the result depends on which process combines which values.",
	advice: "Pass the same operation everywhere. Operations of your own are the same if MPI_Op_create was given the same function and the same commute on every process.",
})

// otherPrograms reports whether operations that differ are functions of different files: they may do the same all the
// same.
func otherPrograms(x *check.Run, c *match.Collective) bool {
	exe, own := "", 0
	for i := range c.Variants {
		v := &c.Variants[i]
		p := process(x, v.Call)
		if _, _, ok := p.OpFunction(uint64(value(x, v, mpiapi.ReduceOp))); ok {
			own++
		}
		if exe != "" && p.Exe != exe && own > 0 {
			return true
		}
		exe = p.Exe
	}
	return false
}

func operation(x *check.Run, v *match.Variant) string {
	p := process(x, v.Call)
	h := uint64(value(x, v, mpiapi.ReduceOp))
	if _, made, ok := p.OpFunction(h); ok {
		site := x.Site("", made)
		if len(site.Stack) > 0 && site.Stack[0].File != "" {
			return fmt.Sprintf("an operation of its own, made at %s:%d", base(site.Stack[0].File), site.Stack[0].Line)
		}
		return "an operation of its own"
	}
	return argument(x, "op")(v)
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// InPlaceMismatch finds MPI_IN_PLACE where some pass it and some do not though all must do alike, and where it is not
// allowed.
var InPlaceMismatch = newCheck("IN_PLACE_MISMATCH", "MPI_IN_PLACE is passed by some processes only, or where it must not be", inPlaceDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if !settled(c) || !c.Conflicts.Has(match.InPlace) {
			return nil
		}
		gs := split(c, func(v *match.Variant) uint64 {
			if v.Misplaced {
				return 1
			}
			return 0
		}, func(*match.Variant) string { return "it where the standard does not allow it" })
		if len(gs) > 0 {
			return gs
		}
		return byValue(c, match.InPlace, func(v *match.Variant) string {
			if v.Values[match.InPlace] == 2 {
				return "MPI_IN_PLACE"
			}
			return "a send buffer"
		})
	},
	what:   about("do not agree on MPI_IN_PLACE in %s"),
	verbs:  passes,
	why:    "Where this operation allows MPI_IN_PLACE, it is for all processes or for certain ones such as the root, never between groups (MPI standard, chapter 6). Otherwise some send from a buffer that others do not read.",
	advice: "Pass MPI_IN_PLACE as the send buffer on all processes, or on none; in MPI_Gather, MPI_Reduce and the like at the root only, in MPI_Scatter as the root's receive buffer.",
})

// LeaderMismatch finds members of a group that name different leaders for an inter-communicator.
var LeaderMismatch = &check.Check{
	ID: "GLOBAL:COLLECTIVE:LEADER_MISMATCH", Severity: finding.Error, Doc: leaderDoc,
	Title: "processes name different leaders for an inter-communicator, or leaders different tags",
	Start: func(x *check.Run) {
		leaderRule.start(x)
		x.Track.LeadersDiffer.On(x.Owner, func(e track.LeadersDiffer) {
			f := differentTags(x, e.A.Call, e.B.Call)
			x.Report(f)
			x.Refuse(f, e.A.Local, e.A.Position)
			x.Refuse(f, e.B.Local, e.B.Position)
		})
	},
}

func differentTags(x *check.Run, a, b match.Call) *finding.Finding {
	tag := func(c match.Call) string { return argument(x, "tag")(&match.Variant{Call: c}) }
	ranks := []int{x.Rank(a), x.Rank(b)}
	slices.Sort(ranks)
	return &finding.Finding{
		Key: x.Place(a) + "|" + x.Place(b), Ranks: ranks,
		Message: fmt.Sprintf("The leaders of the two groups pass different tags to MPI_Intercomm_create: rank %d passes %s, rank %d passes %s.\nThe leaders talk to each other with this tag, so it must be the same (MPI standard, section 7.6.2): else both wait for ever.",
			x.Rank(a), tag(a), x.Rank(b), tag(b)),
		Advice:  "Pass the same tag in both groups.",
		Sites:   []finding.Site{x.Site("leader", a), x.Site("other leader", b)},
		Details: map[string]any{"leaders": ranks},
	}
}

var leaderRule = &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if c.Comm.Domain == match.Gathering {
			return simple(match.Leader, "local_leader", "remote_leader")(x, c)
		}
		return simple(match.Leader, "local_leader")(x, c)
	},
	what:   about("name different leaders in %s"),
	verbs:  passes,
	why:    "local_leader must be the same on all processes of the local communicator (MPI standard, section 7.6.2): it alone talks to the other group.",
	advice: "Pass the same rank everywhere.",
}

// HighMismatch finds members of a group that do not agree on their place in the merged communicator.
var HighMismatch = newCheck("HIGH_MISMATCH", "processes of one group pass different values of high", highDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if gs := simple(match.High, "high")(x, c); gs != nil {
			return gs
		}
		return simple(match.HighOther, "high")(x, c)
	},
	what:   about("do not agree on high in %s"),
	verbs:  passes,
	why:    "All processes of one group of the inter-communicator must provide the same value of high (MPI standard, section 7.6.3); the two groups may differ.",
	advice: "Let high depend on the group, not on the rank.",
})

// TopologyMismatch finds topologies that members do not describe alike.
var TopologyMismatch = newCheck("TOPOLOGY_MISMATCH", "processes describe different topologies", topologyDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if settled(c) && c.Uneven && c.Variants[0].Func == mpiapi.IDDistGraphCreateAdjacent {
			return edges(c)
		}
		names := []string{"ndims", "dims", "periods", "reorder"}
		switch mpiapi.ByID(c.Variants[0].Func).Blocking() {
		case "MPI_Graph_create", "MPI_Graph_map":
			names = []string{"nnodes", "index", "edges", "reorder"}
		case "MPI_Dist_graph_create":
			names = []string{"weights", "reorder"}
		case "MPI_Dist_graph_create_adjacent":
			names = []string{"sourceweights", "destweights", "reorder"}
		}
		return simple(match.Topology, names...)(x, c)
	},
	what:   about("describe different topologies in %s"),
	verbs:  passes,
	why:    "All processes must describe the same topology (MPI standard, chapter 8): a grid or graph by equal arguments, a distributed graph by edges that both of their ends name, with equal weights, and all or none with MPI_UNWEIGHTED.",
	advice: "Compute the topology from something that is the same on all processes.",
})

// edges describes the edges of a distributed graph that only one end names.
func edges(c *match.Collective) []group {
	var gs []group
	for _, m := range c.Mismatches {
		switch {
		case m.Expected == match.Side{}:
			gs = append(gs, group{argument: fmt.Sprintf("an edge to rank %d, which does not name it as a source", c.Comm.Members[m.To]), call: m.Sender, members: []int32{m.From}})
		case m.Sent == match.Side{}:
			gs = append(gs, group{argument: fmt.Sprintf("an edge from rank %d, which does not name it as a destination", c.Comm.Members[m.From]), call: m.Receiver, members: []int32{m.To}})
		default:
			gs = append(gs,
				group{argument: fmt.Sprintf("weight %d for the edge to rank %d", m.Sent.Count, c.Comm.Members[m.To]), call: m.Sender, members: []int32{m.From}},
				group{argument: fmt.Sprintf("weight %d for the edge from rank %d", m.Expected.Count, c.Comm.Members[m.From]), call: m.Receiver, members: []int32{m.To}})
		}
	}
	return gs
}

// FileMismatch finds arguments of collective file operations that must be equal and are not.
var FileMismatch = newCheck("FILE_MISMATCH", "processes pass different arguments to a collective file operation", fileDoc, &rule{
	entering: newSplitOrder,
	enters:   onFiles,
	groups: func(x *check.Run, c *match.Collective) []group {
		if settled(c) && c.Conflicts.Has(match.FileArguments) {
			gs := split(c, func(v *match.Variant) uint64 { return uint64(len(v.Disorder)) }, func(v *match.Variant) string { return v.Disorder })
			for i := range gs {
				gs[i].calls = true
			}
			if len(gs) > 0 {
				return gs
			}
		}
		names := []string{"size"}
		switch mpiapi.ByID(c.Variants[0].Func).Blocking() {
		case "MPI_File_open":
			names = []string{"amode"}
		case "MPI_File_set_view":
			names = []string{"etype", "datarep"}
		case "MPI_File_set_atomicity":
			names = []string{"flag"}
		case "MPI_File_seek_shared":
			names = []string{"offset", "whence"}
		}
		return simple(match.FileArguments, names...)(x, c)
	},
	what: func(c *match.Collective) string {
		for i := range c.Variants {
			if c.Variants[i].Disorder != "" {
				return "call split collectives out of order"
			}
		}
		return "pass different arguments to " + function(c)
	},
	verbs:  passes,
	why:    "These arguments must be the same on all processes that have opened the file, and of split collectives there is one at a time on a file, ended before any other collective access (MPI standard, chapter 14).",
	advice: "Pass the same values everywhere; end each split collective with the function that goes with its beginning.",
})

// WindowMismatch finds fences that do not fit each other.
var WindowMismatch = newCheck("WINDOW_MISMATCH", "processes do not agree on a window's fences", windowDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if c.Different && fences(c) {
			return byFunction(c)
		}
		return simple(match.WindowArguments, "assert", "size", "disp_unit", "info")(x, c)
	},
	what: func(c *match.Collective) string {
		if c.Different {
			return "do not call MPI_Win_fence equally often"
		}
		if c.Variants[0].Func == mpiapi.IDWinFence {
			return "give different assertions to MPI_Win_fence"
		}
		return "do not keep what same_size or same_disp_unit promises in " + function(c)
	},
	verbs:  passes,
	why:    "MPI_Win_fence is collective, and MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED are for all processes or for none (MPI standard, section 12.5.5). The info keys same_size and same_disp_unit promise that all pass the same, so all must give them with the same value (section 12.2.1).",
	advice: "Let all processes of the window call the same fences with the same two assertions. MPI_MODE_NOSTORE and MPI_MODE_NOPUT may differ.",
})

// simple groups by an aspect and shows the parameters that it stands for.
func simple(a match.Aspect, names ...string) func(*check.Run, *match.Collective) []group {
	return func(x *check.Run, c *match.Collective) []group {
		if !settled(c) || !c.Conflicts.Has(a) {
			return nil
		}
		return byValue(c, a, argument(x, names...))
	}
}

func process(x *check.Run, c match.Call) *track.Process {
	return x.Tracker.ThreadByID(c.Thread).Process
}

// value returns the value of the parameter with a role in a variant's call.
func value(x *check.Run, v *match.Variant, r mpiapi.Role) int64 {
	c, err := event.ParseCall(v.Call.Raw)
	if err != nil || c.Func.Arg(r) < 0 {
		return 0
	}
	return c.Int(c.Func.Arg(r))
}

// argument shows the parameters of the given names, arrays with their elements.
func argument(x *check.Run, names ...string) func(*match.Variant) string {
	return func(v *match.Variant) string {
		c, err := event.ParseCall(v.Call.Raw)
		if err != nil {
			return "something else"
		}
		p := process(x, v.Call)
		var parts []string
		for _, name := range names {
			i := c.Func.Param(name)
			if i < 0 {
				continue
			}
			text := c.FormatArg(i, p)
			if a, ok := c.In(i); ok && c.Func.Params[i].Pointer && c.Func.Params[i].Kind != mpiapi.String {
				text = name + "=" + elements(a)
			}
			if name == "amode" || name == "assert" {
				text = name + "=" + modes(p, c.Int(i))
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ", ")
	}
}

// elements shows an array, the beginning of a long one.
func elements(a event.Array) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range a.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 16 {
			b.WriteString("…")
			break
		}
		fmt.Fprint(&b, a.At(i))
	}
	b.WriteByte('}')
	return b.String()
}

// modes shows a sum of MPI_MODE_ constants by their names.
func modes(p *track.Process, value int64) string {
	var names []string
	rest := value
	for _, name := range []string{
		"MPI_MODE_RDONLY", "MPI_MODE_RDWR", "MPI_MODE_WRONLY", "MPI_MODE_CREATE", "MPI_MODE_EXCL", "MPI_MODE_DELETE_ON_CLOSE",
		"MPI_MODE_UNIQUE_OPEN", "MPI_MODE_SEQUENTIAL", "MPI_MODE_APPEND",
		"MPI_MODE_NOCHECK", "MPI_MODE_NOSTORE", "MPI_MODE_NOPUT", "MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED",
	} {
		if v, ok := p.Constant(name); ok && v != 0 && rest&v == v {
			names = append(names, name)
			rest &^= v
		}
	}
	if rest != 0 || len(names) == 0 {
		names = append(names, fmt.Sprint(rest))
	}
	return strings.Join(names, "|")
}

// Checks are the checks of this family.
var Checks = []*check.Check{
	OperationMismatch, RootMismatch, SpawnMismatch, ReductionOperationMismatch, InPlaceMismatch, DatatypeMismatch, SizeMismatch,
	InvalidParameter, GroupMismatch, LeaderMismatch, HighMismatch, TopologyMismatch, FileMismatch, WindowMismatch,
	OrderMismatch, Missing, CommFreeMismatch, Corrupted,
}
