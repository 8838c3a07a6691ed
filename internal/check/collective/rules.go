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
// section 6.14 "Correctness"). The rule comes from Falzone et al., Collective Error Detection for MPI Collective
// Operations, table 1.
var OperationMismatch = newCheck("OPERATION_MISMATCH",
	"processes call different collective operations at the same time",
	operationDoc, &rule{
		groups: func(_ *check.Run, c *match.Collective) []group {
			if !c.Different || fences(c) {
				return nil
			}
			return byFunction(c)
		},
		what: func(*match.Collective) string { return "call different collective operations" },
		why: "All processes of a communicator must call its collective operations in the same order (MPI standard, " +
			"chapter 6, \"Correctness\"). Otherwise an operation takes the data of another one, or processes wait " +
			"forever.",
		advice: "Find out why some ranks take another path here. Usual causes: a condition that depends on the rank, " +
			"loops of different lengths, an earlier collective that some ranks skip.",
	})

func byFunction(c *match.Collective) []group {
	gs := split(c,
		func(v *match.Variant) uint64 { return uint64(v.Func) },
		func(v *match.Variant) string { return mpiapi.ByID(v.Func).Name })
	return withVerbs(gs, calls)
}

// withVerbs sets the verbs of groups.
func withVerbs(gs []group, verbs [2]string) []group {
	for i := range gs {
		gs[i].verbs = verbs
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
		// In the root's group, no process says that it is the root.
		return split(c, func(v *match.Variant) uint64 { return v.Values[match.Root] + 1 }, argument(x, "root"))
	}
}

// RootMismatch finds rooted collectives whose members name different roots.
var RootMismatch = newCheck("ROOT_MISMATCH", "processes name different roots in a collective operation", rootDoc, &rule{
	groups: roots(func(f mpiapi.FuncID) bool { return !connects(f) }),
	what:   about("do not agree on the root of %s"),
	verbs:  passes,
	why: "All processes of the communicator must name the same root (MPI standard, chapter 6). Otherwise several " +
		"processes, or none, act as the root. Then data go to the wrong process, or processes wait forever.",
	advice: "Compute the root from something that is the same on all processes. The root is a rank in the " +
		"communicator of the call, not in MPI_COMM_WORLD.",
})

// SpawnMismatch finds different roots in calls that start processes or connect to others.
var SpawnMismatch = newCheck("SPAWN_MISMATCH", "processes name different roots when they start or connect to others",
	spawnDoc, &rule{
		groups: roots(connects),
		what:   about("do not agree on the root of %s"),
		verbs:  passes,
		why: "All processes of the communicator must name the same root (MPI standard, chapter 11). Only the root's " +
			"other arguments count.",
		advice: "Compute the root from something that is the same on all processes.",
	})

// ReductionOperationMismatch finds reductions whose members name different operations.
var ReductionOperationMismatch = newCheck("REDUCTION_OPERATION_MISMATCH",
	"processes pass different operations to a reduction", reductionDoc, &rule{
		groups: func(x *check.Run, c *match.Collective) []group {
			if !settled(c) || !c.Conflicts.Has(match.Operation) || otherPrograms(x, c) {
				return nil
			}
			return byValue(c, match.Operation, func(v *match.Variant) string { return operation(x, v) })
		},
		what:  about("pass different operations to %s"),
		verbs: passes,
		why: "All processes must pass the same operation (MPI standard, section 6.9). Otherwise the result depends " +
			"on which process combines which values.",
		advice: "Pass the same operation on all processes. Two operations of your own are the same if MPI_Op_create " +
			"got the same function and the same commute flag.",
	})

// otherPrograms reports whether the operations that differ are functions in different executables: these may still do
// the same.
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
	if address, made, ok := p.OpFunction(h); ok {
		text := "an operation of its own"
		if name := x.Function(p, address); name != "" {
			text = "the operation of function " + name
		}
		if line := x.Line(made); line != "" {
			text += ", created at " + line
		}
		return text
	}
	return argument(x, "op")(v)
}

// InPlaceMismatch finds MPI_IN_PLACE that only some members pass though all must, or none. It also finds MPI_IN_PLACE
// where the standard does not allow it.
var InPlaceMismatch = newCheck("IN_PLACE_MISMATCH",
	"MPI_IN_PLACE is passed by some processes only, or where it must not be",
	inPlaceDoc, &rule{
		groups: func(x *check.Run, c *match.Collective) []group {
			if !settled(c) || !c.Conflicts.Has(match.InPlace) {
				return nil
			}
			gs := split(c, func(v *match.Variant) uint64 {
				if v.Misplaced {
					return 1
				}
				return 0
			}, func(*match.Variant) string { return "MPI_IN_PLACE where the standard does not allow it" })
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
		what:  about("do not agree on MPI_IN_PLACE in %s"),
		verbs: passes,
		why: "The standard says for each operation which processes may pass MPI_IN_PLACE: all or none of them, only " +
			"the root, or no process (MPI standard, chapter 6). It is never allowed on an inter-communicator.",
		advice: "In MPI_Allgather, MPI_Allreduce and the like, pass MPI_IN_PLACE as the send buffer on all processes " +
			"or on none. In MPI_Gather and MPI_Reduce, pass it at the root only. In MPI_Scatter, pass it as the " +
			"root's receive buffer.",
	})

// LeaderMismatch finds members of a group that name different leaders for an inter-communicator, and leaders whose tags
// differ.
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
		Message: fmt.Sprintf("%s, the leaders of two groups, pass different tags to MPI_Intercomm_create: "+
			"rank %d passes %s, rank %d passes %s.", capital(finding.RankNames(ranks)), x.Rank(a), tag(a), x.Rank(b),
			tag(b)),
		Why: "The leaders exchange messages with this tag, so both must pass the same one (MPI standard, section " +
			"7.6.2). Otherwise both groups wait forever.",
		Advice:  "Pass the same tag in both groups.",
		Sites:   []finding.Site{x.Site("leader", a), x.Site("other leader", b)},
		Details: map[string]any{"leaders": ranks},
	}
}

var leaderRule = &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if c.Comm.Domain == match.Gathering {
			if !settled(c) || !c.Conflicts.Has(match.Leader) {
				return nil
			}
			return byValue(c, match.Leader, func(v *match.Variant) string { return bothLeaders(x, c, v) })
		}
		return simple(match.Leader, "local_leader")(x, c)
	},
	what:  about("pass different leaders to %s"),
	verbs: passes,
	why: "All processes of a group must name the same leader (MPI standard, section 7.6.2): only it talks to the " +
		"other group.",
	advice: "Pass the same leader on all processes of the group.",
}

// bothLeaders says which leaders some members name, whose numbers count in different groups.
func bothLeaders(x *check.Run, c *match.Collective, v *match.Variant) string {
	local, remote := 0, c.Comm.Split
	if int(members(c, v)[0]) >= c.Comm.Split {
		local, remote = remote, local
	}
	leader := func(name string, base int) string {
		text := argument(x, name)(v)
		call, err := event.ParseCall(v.Call.Raw)
		if err != nil {
			return text
		}
		if m := base + int(call.Int(call.Func.Param(name))); m >= 0 && m < len(c.Comm.Members) {
			text += fmt.Sprintf(" (rank %d)", c.Comm.Members[m])
		}
		return text
	}
	return leader("local_leader", local) + ", " + leader("remote_leader", remote)
}

// HighMismatch finds members of one group that pass different values of high to MPI_Intercomm_merge.
var HighMismatch = newCheck("HIGH_MISMATCH", "processes of one group pass different values of high", highDoc, &rule{
	groups: func(x *check.Run, c *match.Collective) []group {
		if gs := simple(match.High, "high")(x, c); gs != nil {
			return gs
		}
		return simple(match.HighOther, "high")(x, c)
	},
	what:  about("pass different values of high to %s"),
	verbs: passes,
	why: "All processes of one group of the inter-communicator must pass the same value of high (MPI standard, " +
		"section 7.6.3). The two groups may differ.",
	advice: "Let high depend on the group, not on the rank.",
})

// TopologyMismatch finds members that describe different topologies.
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
	what:  about("describe different topologies to %s"),
	verbs: passes,
	more: func(c *match.Collective) (why, advice string) {
		why = "All processes must describe the same topology, by equal arguments (MPI standard, chapter 8)."
		if strings.HasPrefix(mpiapi.ByID(c.Variants[0].Func).Blocking(), "MPI_Dist_graph_create") {
			why = "All processes must describe the same graph (MPI standard, chapter 8). In " +
				"MPI_Dist_graph_create_adjacent, both ends of an edge must name it, with the same weight. All " +
				"processes or none pass MPI_UNWEIGHTED."
		}
		return why, "Compute the topology from something that is the same on all processes."
	},
})

// edges describes the edges of a distributed graph that only one end names, or both with different weights.
func edges(c *match.Collective) (gs []group) {
	for _, m := range c.Mismatches {
		from, to := c.Comm.Members[m.From], c.Comm.Members[m.To]
		out := func(argument string) {
			gs = append(gs, group{argument: argument, call: m.Sender, members: []int32{m.From}})
		}
		in := func(argument string) {
			gs = append(gs, group{argument: argument, call: m.Receiver, members: []int32{m.To}})
		}
		switch {
		case m.Expected == match.Side{}:
			out(fmt.Sprintf("an edge to rank %d, which rank %d does not list among its sources", to, to))
		case m.Sent == match.Side{}:
			in(fmt.Sprintf("an edge from rank %d, which rank %d does not list among its destinations", from, from))
		default:
			out(fmt.Sprintf("weight %d for the edge to rank %d", m.Sent.Count, to))
			in(fmt.Sprintf("weight %d for the edge from rank %d", m.Expected.Count, from))
		}
	}
	return gs
}

// FileMismatch finds arguments of collective file operations that must be equal and are not.
var FileMismatch = newCheck("FILE_MISMATCH", "processes pass different arguments to a collective file operation",
	fileDoc, &rule{
		entering: newSplitOrder,
		enters:   onFiles,
		groups: func(x *check.Run, c *match.Collective) []group {
			if settled(c) && c.Conflicts.Has(match.FileArguments) {
				gs := split(c,
					func(v *match.Variant) uint64 { return uint64(len(v.Disorder)) },
					func(v *match.Variant) string { return v.Disorder })
				if len(gs) > 0 {
					return withVerbs(gs, calls)
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
			if disorder(c) {
				return "call split collectives out of order"
			}
			return "pass different arguments to " + function(c)
		},
		verbs: passes,
		more: func(c *match.Collective) (why, advice string) {
			if disorder(c) {
				return "A file has one split collective at a time. It must end before any other collective call on " +
						"the file (MPI standard, chapter 14).",
					"End each split collective with the function that belongs to it, with the same buffer, and " +
						"before the next collective call on the file."
			}
			return "All processes that opened the file must pass the same values here (MPI standard, chapter 14).",
				"Pass the same values on all processes."
		},
	})

// disorder reports whether some members call split collectives on a file in a wrong order.
func disorder(c *match.Collective) bool {
	return slices.ContainsFunc(c.Variants, func(v match.Variant) bool { return v.Disorder != "" })
}

// WindowMismatch finds fences that differ between the members of a window, and windows whose members break the promises
// of same_size and same_disp_unit.
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
			return "pass different assertions to MPI_Win_fence"
		}
		return "do not keep the promise of same_size or same_disp_unit in " + function(c)
	},
	verbs: passes,
	more: func(c *match.Collective) (why, advice string) {
		switch {
		case c.Different:
			return "MPI_Win_fence is collective: all processes of the window must call it (MPI standard, section " +
					"12.5.5).",
				"Call the same number of fences on all processes of the window."
		case c.Variants[0].Func == mpiapi.IDWinFence:
			return "All processes of the window or none must pass MPI_MODE_NOPRECEDE. The same is true of " +
					"MPI_MODE_NOSUCCEED (MPI standard, section 12.5.5). MPI_MODE_NOSTORE and MPI_MODE_NOPUT may " +
					"differ.",
				"Pass the same MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED on all processes."
		}
		return "The info keys same_size and same_disp_unit promise that all processes pass the same size or " +
				"disp_unit. All processes must set them to the same value (MPI standard, section 12.2.1).",
			"Pass the same size, disp_unit and info keys on all processes, or leave out the key."
	},
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

// argument shows the parameters of the given names.
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
			parts = append(parts, strings.TrimPrefix(c.FormatArg(i, p), "*"))
		}
		return strings.Join(parts, ", ")
	}
}

// Checks are the checks of this family.
var Checks = []*check.Check{
	OperationMismatch, RootMismatch, SpawnMismatch, ReductionOperationMismatch, InPlaceMismatch, DatatypeMismatch,
	SizeMismatch,
	InvalidParameter, GroupMismatch, LeaderMismatch, HighMismatch, TopologyMismatch, FileMismatch, WindowMismatch,
	OrderMismatch, Missing, CommFreeMismatch, Corrupted,
}
