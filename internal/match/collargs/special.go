package collargs

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// agreements has the code for the column agree. It handles arguments of particular functions that all members must pass
// alike.
var agreements = [...]func(*filler){
	mpiapi.AgreeLeader:   (*filler).leader,
	mpiapi.AgreeGroup:    (*filler).create,
	mpiapi.AgreeTagged:   (*filler).tagged,
	mpiapi.AgreeSplit:    (*filler).splitType,
	mpiapi.AgreeLeaders:  (*filler).leaders,
	mpiapi.AgreeHigh:     (*filler).high,
	mpiapi.AgreeGrid:     (*filler).grid,
	mpiapi.AgreeGraph:    (*filler).graph,
	mpiapi.AgreeEdges:    func(f *filler) { f.set(match.Topology, mix(f.truth("reorder"), f.weighted("weights"))) },
	mpiapi.AgreeAdjacent: (*filler).adjacent,
	mpiapi.AgreeFence:    (*filler).fence,
	mpiapi.AgreeWindow:   (*filler).window,
	mpiapi.AgreeAmode:    func(f *filler) { f.set(match.FileArguments, f.number("amode")) },
	mpiapi.AgreeSize:     func(f *filler) { f.set(match.FileArguments, f.number("size")) },
	mpiapi.AgreeFlag:     func(f *filler) { f.set(match.FileArguments, f.truth("flag")) },
	mpiapi.AgreeOffset:   func(f *filler) { f.set(match.FileArguments, mix(f.number("offset"), f.number("whence"))) },
	mpiapi.AgreeView:     (*filler).view,
}

func (f *filler) leader() {
	i := f.param("local_leader")
	if v := f.call.Int(i); v < 0 || v >= int64(f.member.Comm.Size()) {
		f.wrong(i, f.member.Comm.NoRank(v, "local_comm", 0, int32(f.member.Comm.Size())))
	}
	f.set(match.Leader, f.number("local_leader"))
}

// tagged checks the arguments by which the members of a group find each other. Members that pass other arguments are in
// another gathering.
func (f *filler) tagged() {
	f.among("group", f.member.Comm.Parent())
	f.atLeast(f.param("tag"), 0, "is negative")
}

// splitType notes the split_type of MPI_Comm_split_type. A member may always pass MPI_UNDEFINED, whatever the others
// pass.
func (f *filler) splitType() {
	none, ok := f.process.Constant("MPI_UNDEFINED")
	if v := f.call.Int(f.param("split_type")); ok && v != none {
		f.set(match.Groups, f.number("split_type"))
	}
}

// high notes the order of the groups in MPI_Intercomm_merge. All members of a group must pass the same order.
func (f *filler) high() {
	a := match.High
	if f.second() {
		a = match.HighOther
	}
	f.set(a, f.truth("high"))
}

func (f *filler) set(a match.Aspect, v uint64) {
	if v == 0 {
		v = 1
	}
	f.entry.Values[a] = v
}

// param returns the index of a parameter by name, or -1.
func (f *filler) param(name string) int { return f.plan.fn.Param(name) }

// number returns a number that represents the value of a parameter. It is never 0.
func (f *filler) number(name string) uint64 { return mix(1, uint64(f.call.Int(f.param(name)))) | 1 }

// truth returns 2 if a logical parameter is true, 1 if it is false, and 0 if the function does not have the parameter.
func (f *filler) truth(name string) uint64 {
	switch i := f.param(name); {
	case i < 0:
		return 0
	case f.call.Int(i) != 0:
		return 2
	}
	return 1
}

// array hashes the values that an array had when the call began. If logical is true, all values other than 0 count as
// equal. ok is false if the array is not recorded.
func (f *filler) array(h uint64, name string, logical bool) (uint64, bool) {
	a, ok := f.call.In(f.param(name))
	for i := range a.Len() {
		v := uint64(a.At(i))
		if logical && v != 0 {
			v = 1
		}
		h = mix(h, v)
	}
	return h, ok
}

func (f *filler) grid() {
	f.validGrid()
	n := f.call.Int(f.param("ndims"))
	h, ok := f.array(mix(f.truth("reorder"), uint64(n)), "dims", false)
	if ok || n == 0 {
		h, ok = f.array(h, "periods", true)
	}
	if ok || n == 0 {
		f.set(match.Topology, h)
	}
}

func (f *filler) graph() {
	f.validGraph()
	n := f.call.Int(f.param("nnodes"))
	h, ok := f.array(mix(f.truth("reorder"), uint64(n)), "index", false)
	if ok {
		h, ok = f.array(h, "edges", false)
	}
	if ok || n == 0 {
		f.set(match.Topology, h)
	}
}

// weighted returns 1 if the weights are MPI_UNWEIGHTED, else 2. Either all members must pass MPI_UNWEIGHTED or none.
func (f *filler) weighted(name string) uint64 {
	if v, ok := f.process.Constant("MPI_UNWEIGHTED"); ok && f.call.Addr(f.param(name)) == uint64(v) {
		return 1
	}
	return 2
}

// adjacent notes the edges of MPI_Dist_graph_create_adjacent. If one member names an edge to another member, the other
// member must name an edge from it, with the same weight (section 8.5.4).
func (f *filler) adjacent() {
	e := f.entry
	f.set(match.Topology, mix(f.truth("reorder"), f.weighted("sourceweights")))
	e.Pairwise = true
	edges := func(degree, peers, weights string, out bool) {
		if f.call.Int(f.param(degree)) == 0 {
			return
		}
		ranks, ok := f.call.In(f.param(peers))
		f.within(peers, ranks)
		w, weighted := f.call.In(f.param(weights))
		if !ok {
			e.Unsure = true
			return
		}
		weighted = weighted && f.weighted(weights) == 2
		for i := range ranks.Len() {
			peer := int32(ranks.At(i))
			if peer < 0 || int(peer) >= f.member.Comm.Size() {
				continue
			}
			weight := int64(1)
			if weighted && i < w.Len() {
				weight = w.At(i)
			}
			v := mix(0x5eed, uint64(weight))
			if out {
				e.Sum += mix(mix(mix(v, uint64(f.member.Me)+1), uint64(peer)+1), 2)
			} else {
				e.Sum -= mix(mix(mix(v, uint64(peer)+1), uint64(f.member.Me)+1), 2)
			}
			e.Parts = append(e.Parts, match.Part{Peer: peer, Out: out, Side: match.Side{Count: weight}})
		}
	}
	edges("outdegree", "destinations", "destweights", true)
	edges("indegree", "sources", "sourceweights", false)
}

// window notes two promises about a window that a program may make with info keys: that all processes pass the same
// size, or the same displacement unit. All processes must pass the same values of these keys (MPI 4.0, section 12.2.1).
func (f *filler) window() {
	h := uint64(1)
	for _, k := range [...]struct{ key, argument string }{{"same_size", "size"}, {"same_disp_unit", "disp_unit"}} {
		v, known := f.process.Info(f.call.Handle(f.param("info")), k.key)
		if !known {
			return
		}
		for _, b := range []byte(v) {
			h = mix(h, uint64(b))
		}
		if v == "true" && f.param(k.argument) >= 0 {
			h = mix(h, uint64(f.call.Int(f.param(k.argument))))
		}
		h = mix(h, 1)
	}
	f.set(match.WindowArguments, h)
}

// fence notes the assertions that either all members of a window must pass or none (section 12.5.5).
func (f *filler) fence() {
	pre, ok1 := f.process.Constant("MPI_MODE_NOPRECEDE")
	succ, ok2 := f.process.Constant("MPI_MODE_NOSUCCEED")
	if ok1 && ok2 {
		f.set(match.WindowArguments, 1+uint64(f.call.Int(f.param("assert"))&(pre|succ)))
	}
}

// view notes the data representation and the elementary type of MPI_File_set_view. The extent of the type must be the
// same on all processes (section 14.3). Following the paper, its signature is compared, too.
func (f *filler) view() {
	text, ok := f.call.Text(f.param("datarep"))
	if !ok {
		return
	}
	h := uint64(1)
	for _, b := range text {
		h = mix(h, uint64(b))
	}
	t := f.process.Type(f.call.Handle(f.param("etype")))
	if t == nil || t.Size < 0 {
		return
	}
	if hash, known := (datatype.Use{Type: t.Of(), Count: 1}).Hash(); known {
		h = mix(mix(h, hash.Sum64()), uint64(t.Extent()))
		f.set(match.FileArguments, h)
	}
}
