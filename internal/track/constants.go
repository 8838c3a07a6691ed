package track

import (
	"fmt"
	"math"
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/match/collargs"
	"github.com/mpivet/mpivet/internal/mpi/group"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// choices are parameters that must have one of several values, by function.
var choices = map[string]struct {
	param  string
	values []string
}{
	"MPI_Init_thread":      {"required", []string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}},
	"MPI_Win_lock":         {"lock_type", []string{"MPI_LOCK_EXCLUSIVE", "MPI_LOCK_SHARED"}},
	"MPI_File_seek":        {"whence", []string{"MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"}},
	"MPI_File_seek_shared": {"whence", []string{"MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"}},
	"MPI_Type_match_size":  {"typeclass", []string{"MPI_TYPECLASS_REAL", "MPI_TYPECLASS_INTEGER", "MPI_TYPECLASS_COMPLEX"}},
}

// constantRule finds numbers that are none of the constants for them.
func (p *plan) constantRule(i int) rule {
	k, ok := choices[mpiapi.ByID(p.fn.Base).Name]
	if !ok || p.fn.Params[i].Name != k.param {
		return nil
	}
	at := p.valueOf(i)
	return func(j *judging) bool {
		v := at.Int(j.rec)
		for _, name := range k.values {
			if c, ok := j.pr.names.constant(name); !ok || c == v {
				return true
			}
		}
		return j.wrong(i, "is none of "+strings.Join(k.values, ", "))
	}
}

// commNeed is what kind of communicator a function wants.
type commNeed uint8

const (
	anyComm commNeed = iota
	intra
	inter
	cartesian
	graph
	distributed
	neighbourly // one with a topology
)

// commNeeds are the functions that want a certain kind, by the name of the blocking operation.
var commNeeds = map[string]commNeed{
	"MPI_Scan": intra, "MPI_Exscan": intra, "MPI_Cart_create": intra, "MPI_Graph_create": intra, "MPI_Dist_graph_create": intra,
	"MPI_Dist_graph_create_adjacent": intra, "MPI_Cart_map": intra, "MPI_Graph_map": intra, "MPI_Intercomm_create": intra,
	"MPI_Comm_create_group": intra, "MPI_Comm_spawn": intra, "MPI_Comm_spawn_multiple": intra, "MPI_Comm_accept": intra,
	"MPI_Comm_connect": intra, "MPI_Win_create": intra, "MPI_Win_allocate": intra, "MPI_Win_allocate_shared": intra,
	"MPI_Win_create_dynamic": intra, "MPI_File_open": intra,
	"MPI_Intercomm_merge": inter, "MPI_Comm_remote_size": inter, "MPI_Comm_remote_group": inter,
	"MPI_Cart_sub": cartesian, "MPI_Cartdim_get": cartesian, "MPI_Cart_get": cartesian, "MPI_Cart_rank": cartesian,
	"MPI_Cart_coords": cartesian, "MPI_Cart_shift": cartesian,
	"MPI_Graphdims_get": graph, "MPI_Graph_get": graph, "MPI_Graph_neighbors_count": graph, "MPI_Graph_neighbors": graph,
	"MPI_Dist_graph_neighbors_count": distributed, "MPI_Dist_graph_neighbors": distributed,
	"MPI_Neighbor_allgather": neighbourly, "MPI_Neighbor_allgatherv": neighbourly, "MPI_Neighbor_alltoall": neighbourly,
	"MPI_Neighbor_alltoallv": neighbourly, "MPI_Neighbor_alltoallw": neighbourly,
}

// commRule finds communicators of the wrong kind: between groups, or without a topology.
func (p *plan) commRule() rule {
	i := p.fn.Arg(mpiapi.TheComm)
	need := commNeeds[p.fn.Blocking()]
	if i < 0 || need == anyComm {
		return nil
	}
	at := p.valueOf(i)
	return func(j *judging) bool {
		v := j.pr.View(at.Handle(j.rec))
		switch {
		case v == nil:
			return true
		case need == inter:
			return v.Split != 0 || j.wrong(i, "is no inter-communicator")
		case v.Split != 0:
			return j.wrong(i, "is an inter-communicator, which the function does not work on")
		case need == intra:
			return true
		}
		have, known := v.shape()
		switch {
		case !known || have == need || need == neighbourly && have != intra:
			return true
		case need == cartesian:
			return j.wrong(i, "has no Cartesian topology")
		case need == graph:
			return j.wrong(i, "has no graph topology")
		case need == distributed:
			return j.wrong(i, "has no distributed graph topology")
		}
		return j.wrong(i, "has no topology, so that nobody is a neighbour")
	}
}

// shape returns the topology that a communicator of one group was made with, intra if it has none.
func (v *View) shape() (commNeed, bool) {
	if len(v.Made.Raw) == 0 {
		return intra, v.Name == "MPI_COMM_WORLD" || v.Name == "MPI_COMM_SELF"
	}
	switch mpiapi.ByID(v.Made.Func()).Base {
	case mpiapi.IDCartCreate, mpiapi.IDCartSub:
		return cartesian, true
	case mpiapi.IDGraphCreate:
		return graph, true
	case mpiapi.IDDistGraphCreate, mpiapi.IDDistGraphCreateAdjacent:
		return distributed, true
	case mpiapi.IDCommSplit, mpiapi.IDCommSplitType, mpiapi.IDCommCreate, mpiapi.IDCommCreateGroup, mpiapi.IDCommCreateFromGroup, mpiapi.IDIntercommMerge:
		return intra, true
	}
	return intra, false // copies have what the original has
}

// specialRules are those of single functions.
func (p *plan) specialRules() (list []rule) {
	f := p.fn
	switch f.Base {
	case mpiapi.IDGroupIncl, mpiapi.IDGroupExcl:
		list = append(list, p.ranksRule())
	case mpiapi.IDGroupRangeIncl, mpiapi.IDGroupRangeExcl:
		list = append(list, p.rangesRule())
	case mpiapi.IDIntercommCreate:
		list = append(list, p.bridgeRule())
	case mpiapi.IDFileOpen:
		list = append(list, p.modeRule())
	case mpiapi.IDFileSetView:
		list = append(list, p.displacementRule())
	case mpiapi.IDCommSplit:
		list = append(list, p.colorRule())
	case mpiapi.IDDimsCreate:
		list = append(list, p.dimsRule())
	case mpiapi.IDWinStart, mpiapi.IDWinPost:
		list = append(list, p.epochRule())
	case mpiapi.IDCartShift:
		list = append(list, p.directionRule())
	case mpiapi.IDCommSetErrhandler, mpiapi.IDWinSetErrhandler, mpiapi.IDFileSetErrhandler, mpiapi.IDErrhandlerSet:
		list = append(list, p.errhandlerRule())
	case mpiapi.IDReduceLocal:
		list = append(list, p.reductionRule())
	case mpiapi.IDAccumulate, mpiapi.IDRaccumulate, mpiapi.IDGetAccumulate, mpiapi.IDRgetAccumulate, mpiapi.IDFetchAndOp:
		list = append(list, p.accumulateRule())
	case mpiapi.IDPack:
		list = append(list, p.packRule("outsize", mpiapi.SendCount, mpiapi.SendType))
	case mpiapi.IDTypeSize, mpiapi.IDGetCount, mpiapi.IDGetElements, mpiapi.IDPackSize:
		if f.Base == f.ID {
			list = append(list, p.resultTooLarge())
		}
	case mpiapi.IDPready, mpiapi.IDPreadyRange, mpiapi.IDPreadyList, mpiapi.IDParrived:
		list = append(list, p.partitionRule())
	}
	if f.Base == f.ID { // int
		for i := range f.Params {
			if r := p.displsRule(i); r != nil {
				list = append(list, r)
			}
		}
	}
	if f.Base == mpiapi.IDFetchAndOp || f.Base == mpiapi.IDCompareAndSwap {
		list = append(list, p.predefinedRule())
	}
	return list
}

const outside = "names a rank that is not in the group, whose ranks go from 0 to %d: it is %d"

// ranksRule looks at the ranks that MPI_Group_incl and MPI_Group_excl are given (section 7.3.2).
func (p *plan) ranksRule() rule {
	from, param := p.valueOf(0), p.fn.Param("ranks")
	return func(j *judging) bool {
		g, ok := j.pr.Group(from.Handle(j.rec))
		list, recorded := j.c.In(param)
		if !ok || !recorded {
			return true
		}
		seen := make(map[int64]bool, list.Len())
		for k := range list.Len() {
			switch r := list.At(k); {
			case r < 0 || r >= int64(g.Size()):
				return j.element(param, k, fmt.Sprintf(outside, g.Size()-1, r))
			case seen[r]:
				return j.element(param, k, fmt.Sprintf("names a rank that stands there before: %d", r))
			default:
				seen[r] = true
			}
		}
		return true
	}
}

// rangesRule looks at the triples that MPI_Group_range_incl and MPI_Group_range_excl are given (section 7.3.2).
func (p *plan) rangesRule() rule {
	from, param := p.valueOf(0), p.fn.Param("ranges")
	return func(j *judging) bool {
		g, ok := j.pr.Group(from.Handle(j.rec))
		list, recorded := j.c.In(param)
		if !ok || !recorded {
			return true
		}
		size := int64(g.Size())
		seen := make(map[int64]bool)
		for k := 0; k+2 < list.Len(); k += 3 {
			first, last, stride := list.At(k), list.At(k+1), list.At(k+2)
			switch {
			case stride == 0:
				return j.element(param, k/3, "has a stride of 0")
			case first < 0 || first >= size:
				return j.element(param, k/3, fmt.Sprintf(outside, size-1, first))
			case (last-first)/stride < 0 || stride > 0 != (last >= first) && first != last:
				continue // MPI libraries take it for one rank, or none
			}
			for r := first; stride > 0 && r <= last || stride < 0 && r >= last; r += stride {
				switch {
				case r < 0 || r >= size:
					return j.element(param, k/3, fmt.Sprintf(outside, size-1, r))
				case seen[r]:
					return j.element(param, k/3, fmt.Sprintf("names a rank that another one names, too: %d", r))
				}
				seen[r] = true
			}
		}
		return true
	}
}

// bridgeRule looks at what MPI_Intercomm_create is given for the leader of the group alone (section 7.6.2).
func (p *plan) bridgeRule() rule {
	f := p.fn
	leader, remote, peer, tag := p.named("local_leader"), p.named("remote_leader"), p.named("peer_comm"), p.valueOf(f.Arg(mpiapi.SendTag))
	return func(j *judging) bool {
		if j.v == nil || int64(j.v.Me) != leader.Int(j.rec) || j.v.Split != 0 {
			return true
		}
		if v := j.pr.View(peer.Handle(j.rec)); v == nil {
			if u := (handleUse{param: f.Param("peer_comm"), kind: mpiapi.Comm}); !j.handle(&u, peer.Handle(j.rec)) {
				return false
			}
		} else if r := remote.Int(j.rec); r < 0 || r >= int64(v.Peers) {
			return j.wrong(f.Param("remote_leader"), fmt.Sprintf("is no rank of peer_comm: they go from 0 to %d", v.Peers-1))
		}
		if n := int32(tag.Int(j.rec)); uint32(n) > uint32(j.pr.maxTag) {
			return j.wrong(f.Arg(mpiapi.SendTag), j.pr.aboutTag(n, false))
		}
		return true
	}
}

// modeRule looks at the access mode of MPI_File_open (section 14.2.1).
func (p *plan) modeRule() rule {
	param := p.fn.Param("amode")
	at := p.valueOf(param)
	return func(j *judging) bool {
		mode := at.Int(j.rec)
		has := func(name string) bool {
			bit, ok := j.pr.names.constant(name)
			return ok && mode&bit != 0
		}
		for _, name := range []string{"MPI_MODE_RDONLY", "MPI_MODE_WRONLY", "MPI_MODE_RDWR"} {
			if bit, ok := j.pr.names.constant(name); !ok || bit == 0 {
				return true
			}
		}
		n := 0
		for _, name := range []string{"MPI_MODE_RDONLY", "MPI_MODE_WRONLY", "MPI_MODE_RDWR"} {
			if has(name) {
				n++
			}
		}
		switch {
		case n == 0:
			return j.wrong(param, "lacks one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR")
		case n > 1:
			return j.wrong(param, "has more than one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR")
		case has("MPI_MODE_RDONLY") && (has("MPI_MODE_CREATE") || has("MPI_MODE_EXCL")):
			return j.wrong(param, "has MPI_MODE_CREATE or MPI_MODE_EXCL together with MPI_MODE_RDONLY")
		case has("MPI_MODE_RDWR") && has("MPI_MODE_SEQUENTIAL"):
			return j.wrong(param, "has MPI_MODE_SEQUENTIAL together with MPI_MODE_RDWR")
		}
		return true
	}
}

// displacementRule looks at where a file view begins (section 14.3).
func (p *plan) displacementRule() rule {
	param := p.fn.Param("disp")
	at := p.valueOf(param)
	return func(j *judging) bool {
		v := at.Int(j.rec)
		current, ok := j.pr.names.constant("MPI_DISPLACEMENT_CURRENT")
		return v >= 0 || !ok || v == current || j.wrong(param, "is negative")
	}
}

// colorRule looks at the color of MPI_Comm_split (section 7.4.2).
func (p *plan) colorRule() rule {
	param := p.fn.Arg(mpiapi.Color)
	at := p.valueOf(param)
	return func(j *judging) bool {
		v := at.Int(j.rec)
		if v >= 0 {
			return true
		}
		none, ok := j.pr.names.constant("MPI_UNDEFINED")
		return !ok || v == none || j.wrong(param, "is negative, and not MPI_UNDEFINED")
	}
}

// directionRule looks at the direction of MPI_Cart_shift (section 8.5.6).
func (p *plan) directionRule() rule {
	param := p.fn.Param("direction")
	at := p.valueOf(param)
	return func(j *judging) bool {
		if j.v == nil || j.v.topology == nil || len(j.v.topology.dims) == 0 {
			return true
		}
		n, v := int64(len(j.v.topology.dims)), at.Int(j.rec)
		return v >= 0 && v < n || j.wrong(param, fmt.Sprintf("is no dimension of the grid: they go from 0 to %d", n-1))
	}
}

// dimsRule looks at the dimensions that MPI_Dims_create is to keep (section 8.5.2).
func (p *plan) dimsRule() rule {
	nnodes, dims := p.fn.Param("nnodes"), p.fn.Param("dims")
	return func(j *judging) bool {
		list, _ := j.c.In(dims)
		n, product := j.c.Int(nnodes), int64(1)
		for k := range list.Len() {
			switch d := list.At(k); {
			case d < 0:
				return j.element(dims, k, "is negative")
			case d > 0:
				if product *= d; product > math.MaxInt32 {
					return j.wrong(nnodes, "is less than the product of the dimensions that are given")
				}
			}
		}
		return n%product == 0 || j.wrong(nnodes, fmt.Sprintf("is no multiple of %d, the product of the dimensions that are given", product))
	}
}

// epochRule looks at the group of MPI_Win_start and MPI_Win_post, which must be a part of the window's (section 12.5).
func (p *plan) epochRule() rule {
	param := p.fn.Param("group")
	at := p.valueOf(param)
	return func(j *judging) bool {
		g, ok := j.pr.Group(at.Handle(j.rec))
		if !ok || j.v == nil {
			return true
		}
		all, ok := j.t.membersOf(j.v, false)
		if !ok {
			return true
		}
		rest, _ := j.t.once(groupKey{function: mpiapi.IDGroupDifference, a: g, b: all}, func() (group.Group, bool) { return g.Difference(all), true })
		for r := range rest.Ranks() {
			j.wrong(param, fmt.Sprintf("has processes that are not in the group of the window: rank %d of MPI_COMM_WORLD", r))
			j.e.Advice = "Make the group from that of the window (MPI_Win_get_group), by the ranks that its processes have there."
			return false
		}
		return true
	}
}

// errhandlerRule finds error handlers that were made for other objects (section 9.3).
func (p *plan) errhandlerRule() rule {
	param := p.fn.Param("errhandler")
	at := p.valueOf(param)
	mine := subjectOf(p.fn.Name)
	return func(j *judging) bool {
		if j.pr.objects == nil {
			return true
		}
		list := j.pr.objects.live[objectKey{kind: mpiapi.Errhandler, handle: at.Handle(j.rec)}]
		if len(list) == 0 {
			return true
		}
		made := list[len(list)-1].Made
		theirs := subjectOf(mpiapi.ByID(made.Func()).Name)
		if theirs == mine || theirs == "" {
			return true
		}
		j.wrong(param, "is an error handler for "+theirs+", not for "+mine)
		j.e.Other, j.e.Role = made, "handler made"
		return false
	}
}

// reductionRule looks at the operation of MPI_Reduce_local.
func (p *plan) reductionRule() rule {
	param := p.fn.Arg(mpiapi.ReduceOp)
	op, typ := p.valueOf(param), p.valueOf(p.fn.Arg(mpiapi.SendType))
	return func(j *judging) bool {
		name := j.pr.NameHandle(mpiapi.Op, op.Handle(j.rec))
		why := collargs.Reduction(name, j.pr.Type(typ.Handle(j.rec)).Of())
		return why == "" || j.wrong(param, why)
	}
}

// accumulateRule looks at the operation of an accumulating one-sided operation (section 12.3.4).
func (p *plan) accumulateRule() rule {
	f := p.fn
	param := f.Arg(mpiapi.ReduceOp)
	op, typ := p.valueOf(param), p.valueOf(f.Arg(mpiapi.TargetType))
	if typ.At == 0 {
		typ = p.valueOf(f.Arg(mpiapi.SendType))
	}
	fetches := f.Arg(mpiapi.RecvBuf) >= 0
	return func(j *judging) bool {
		h := op.Handle(j.rec)
		if j.pr.ops[h] != nil {
			return j.wrong(param, "is an operation of the program: one-sided operations take MPI's own only")
		}
		switch name := j.pr.NameHandle(mpiapi.Op, h); {
		case name == "" || name == "MPI_REPLACE" || name == "MPI_NO_OP" && fetches:
			return true
		case name == "MPI_NO_OP":
			return j.wrong(param, "is for operations that fetch something only")
		default:
			t := j.pr.Type(typ.Handle(j.rec)).Of()
			if t == nil || !t.Predefined() {
				return true
			}
			why := collargs.Reduction(name, t)
			return why == "" || j.wrong(param, why)
		}
	}
}

// predefinedRule finds derived datatypes where a predefined one is wanted (section 12.3.4).
func (p *plan) predefinedRule() rule {
	param := p.fn.Arg(mpiapi.SendType)
	at := p.valueOf(param)
	return func(j *judging) bool {
		t := j.pr.Type(at.Handle(j.rec))
		return t == nil || t.Permanent || t.Of() == nil || t.Of().Size < 0 || j.wrong(param, "is a derived datatype, and only predefined ones are allowed")
	}
}

// packRule finds packed data that have no room behind what is packed already, or more of them than an int can count.
func (p *plan) packRule(size string, countRole, typeRole mpiapi.Role) rule {
	f := p.fn
	room, position := p.named(size), f.Param("position")
	before := slot{At: f.Params[position].Layout.Before, Wide: f.Params[position].Layout.WideValue}
	count, typ := p.valueOf(f.Arg(countRole)), p.valueOf(f.Arg(typeRole))
	return func(j *judging) bool {
		op := match.Op{Count: count.Int(j.rec), Type: j.pr.Type(typ.Handle(j.rec))}
		n, ok := op.Use().Bytes()
		at := before.Int(j.rec)
		switch {
		case !ok || op.Count <= 0 || n <= 0:
			return true
		case at < 0:
			return j.wrong(position, fmt.Sprintf("points to a negative position, %d", at))
		case f.Base == f.ID && at+n > math.MaxInt32:
			j.wrong(position, fmt.Sprintf("points to a position, %d, from which on %d more bytes lead further than an int can count", at, n))
			j.e.Overflow = true
			return false
		case at+n > room.Int(j.rec):
			return j.wrong(f.Param(size), fmt.Sprintf("is too small: %d bytes are packed behind position %d", n, at))
		}
		return true
	}
}

// resultTooLarge finds numbers that a call can't return in an int. Of those that only ask there is no record otherwise, unless they
// fail.
func (p *plan) resultTooLarge() rule {
	f := p.fn
	param := f.Param("size")
	if param < 0 {
		param = f.Param("count")
	}
	count, typ := p.named("incount"), p.named("datatype")
	return func(j *judging) bool {
		why := "is where a number goes that is more than an int can hold: it becomes MPI_UNDEFINED"
		switch {
		case returned(j.rec) != 0:
			return true
		case f.Base == mpiapi.IDPackSize:
			op := match.Op{Count: count.Int(j.rec), Type: j.pr.Type(typ.Handle(j.rec))}
			n, ok := op.Use().Bytes()
			if !ok || op.Count <= 0 || n <= math.MaxInt32 {
				return true
			}
			why = fmt.Sprintf("is where a number goes that is more than an int can hold: the data alone have %d bytes", n)
		}
		j.wrong(param, why)
		j.e.Overflow, j.e.Allowed, j.e.Defined = true, true, f.Base != mpiapi.IDPackSize
		return false
	}
}

// partitionRule finds partitions that a message does not have (section 4.2).
func (p *plan) partitionRule() rule {
	f := p.fn
	request := p.requestBefore
	return func(j *judging) bool {
		r := j.pr.find(request.Handle(j.rec), 0)
		if r == nil || r.list.n > 1 {
			return true
		}
		made := &j.t.plans[r.Made.Func()]
		if made.partitions.At == 0 {
			return true
		}
		n := made.partitions.Int(r.Made.Raw)
		check := func(name string) bool {
			i := f.Param(name)
			if v := j.c.Int(i); v < 0 || v >= n {
				return j.wrong(i, fmt.Sprintf("is no partition of the message: they go from 0 to %d", n-1))
			}
			return true
		}
		ok := true
		switch f.Base {
		case mpiapi.IDPreadyRange:
			ok = j.c.Int(f.Param("partition_low")) > j.c.Int(f.Param("partition_high")) || check("partition_low") && check("partition_high")
		case mpiapi.IDPreadyList:
			param := f.Param("array_of_partitions")
			list, _ := j.c.In(param)
			for k := range list.Len() {
				if v := list.At(k); v < 0 || v >= n {
					ok = j.element(param, k, fmt.Sprintf("is no partition of the message: they go from 0 to %d", n-1))
					break
				}
			}
		default:
			ok = check("partition")
		}
		if !ok {
			j.e.Other, j.e.Role = r.Made, "request made"
		}
		return ok
	}
}

// displsRule finds displacements that are the sums of the counts before them, but for what an int can't hold.
func (p *plan) displsRule(i int) rule {
	f, q := p.fn, &p.fn.Params[i]
	count := -1
	switch {
	case q.Kind != mpiapi.Int:
	case q.Role == mpiapi.SendDispls:
		count = f.Arg(mpiapi.SendCount)
	case q.Role == mpiapi.RecvDispls:
		count = f.Arg(mpiapi.RecvCount)
	}
	if count < 0 {
		return nil
	}
	return func(j *judging) bool {
		displs, ok1 := j.c.In(i)
		counts, ok2 := j.c.In(count)
		if !ok1 || !ok2 || displs.Len() != counts.Len() {
			return true
		}
		for k := 1; k < displs.Len(); k++ {
			if displs.At(k) >= 0 || displs.At(k-1) < 0 || counts.At(k) == 0 {
				continue
			}
			if sum := displs.At(k-1) + counts.At(k-1); sum > math.MaxInt32 && int64(int32(sum)) == displs.At(k) && j.significant(i) {
				j.element(i, k, fmt.Sprintf("is %d: what an int makes of %d + %d, the displacement and count before", displs.At(k), displs.At(k-1), counts.At(k-1)))
				j.e.Overflow = true
				return false
			}
		}
		return true
	}
}
