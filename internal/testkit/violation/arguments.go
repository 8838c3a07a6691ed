package violation

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// odd returns the C expression for an argument that differs in one process.
func odd(wrong, right string) string { return "odd(" + wrong + ", " + right + ")" }

// named are arguments by the name of the parameter, if its role does not determine the argument. prelude.h defines
// their meaning.
var named = map[string]string{
	// Communicators.
	"group": "group", "color": "0", "key": "rank", "split_type": "MPI_COMM_TYPE_SHARED",
	"local_leader": "0", "peer_comm": "MPI_COMM_WORLD", "remote_leader": "rank < 2 ? 2 : 0",
	"tag": "0", "high": "rank < 2",
	// Topologies: a line of four, two pairs, and a ring.
	"ndims": "1", "dims": "four", "periods": "zeros", "reorder": "0", "newrank": "&newrank", "remain_dims": "ones",
	"nnodes": "4", "index": "index_", "edges": "pairs",
	"n": "1", "sources": "&rank", "degrees": "ones", "destinations": "&next", "weights": "MPI_UNWEIGHTED",
	"indegree": "1", "sourceweights": "MPI_UNWEIGHTED", "outdegree": "1", "destweights": "MPI_UNWEIGHTED",
	// Processes.
	"command": `"./none"`, "argv": "MPI_ARGV_NULL", "maxprocs": "1", "array_of_errcodes": "MPI_ERRCODES_IGNORE",
	"array_of_commands": "commands", "array_of_argv": "MPI_ARGVS_NULL", "array_of_maxprocs": "ones",
	"array_of_info": "infos",
	"port_name":     `"none"`,
	// Windows and files.
	"disp_unit": "1", "assert": "0", "baseptr": "&memory",
	"amode": "amode", "offset": "0", "disp": "0", "whence": "MPI_SEEK_SET", "flag": "1",
	"etype": "MPI_INT", "filetype": "MPI_INT", "datarep": `"native"`,
}

// argument returns the C expression of a correct argument. k is the number of the case. Each case has its own buffers.
func argument(f *mpiapi.Func, i, k int) string {
	p := &f.Params[i]
	array := p.Elements.Kind != mpiapi.NoArray
	switch p.Role {
	case mpiapi.SendBuf:
		return fmt.Sprintf("a[%d]", k)
	case mpiapi.RecvBuf:
		return fmt.Sprintf("b[%d]", k)
	case mpiapi.SendCount, mpiapi.RecvCount:
		if array {
			return "ones"
		}
		return "1"
	case mpiapi.SendDispls, mpiapi.RecvDispls:
		typ := f.Arg(mpiapi.SendType)
		switch {
		case f.Params[typ].Elements.Kind == mpiapi.NoArray:
			return "places"
		case p.Kind == mpiapi.Aint:
			return "addresses"
		}
		return "bytes"
	case mpiapi.SendType, mpiapi.RecvType:
		if array {
			return "ints"
		}
		return "MPI_INT"
	case mpiapi.Root:
		return "root"
	case mpiapi.ReduceOp:
		return "MPI_SUM"
	case mpiapi.TheComm:
		if p.Pointer {
			return "&c"
		}
		return "c"
	case mpiapi.NewComm:
		return "&made"
	case mpiapi.TheRequest:
		return "&r"
	case mpiapi.TheStatus:
		return "MPI_STATUS_IGNORE"
	case mpiapi.TheWin:
		if p.Pointer {
			return "&win"
		}
		return "win"
	case mpiapi.TheFile:
		if p.Pointer {
			return "&file"
		}
		return "file"
	}
	switch {
	case f.Name == "MPI_Comm_spawn_multiple" && p.Name == "count":
		return "1"
	case p.Kind == mpiapi.Info && strings.HasSuffix(f.Name, "_set_info"):
		return "info"
	case p.Kind == mpiapi.Info && !array:
		return "MPI_INFO_NULL"
	case p.Name == "sources" && f.ID == mpiapi.IDDistGraphCreateAdjacent:
		return "&previous"
	case p.Name == "filename":
		return fmt.Sprintf(`"violation.%d.tmp"`, k)
	case p.Kind == mpiapi.Buffer: // of a window
		return fmt.Sprintf("a[%d]", k)
	case p.Name == "size" && p.Kind == mpiapi.Offset:
		return "64"
	case p.Name == "size":
		return "sizeof a[0]"
	}
	text, ok := named[p.Name]
	if !ok {
		panic("violation: no argument for " + f.Name + ", " + p.Name) // found by the test of the table
	}
	return text
}

// change is a parameter, and the argument of one process for it.
type change struct {
	param int
	wrong string
}

// call returns the C expression of a call, with a change.
func call(f *mpiapi.Func, k int, c change) string {
	var list []string
	for i := range f.Params {
		text := argument(f, i, k)
		if i == c.param && c.wrong != "" {
			text = odd(c.wrong, text)
		}
		list = append(list, text)
	}
	return f.Name + "(" + strings.Join(list, ", ") + ")"
}

// byName are the changes of rules about parameters with a certain name.
var byName = map[string]struct{ param, wrong, check string }{
	"leader":  {"local_leader", "1", "LEADER_MISMATCH"},
	"high":    {"high", "rank >= 2", "HIGH_MISMATCH"},
	"dims":    {"dims", "twos", "TOPOLOGY_MISMATCH"},
	"assert":  {"assert", "MPI_MODE_NOPRECEDE", "WINDOW_MISMATCH"},
	"amode":   {"amode", "amode | MPI_MODE_UNIQUE_OPEN", "FILE_MISMATCH"},
	"datarep": {"datarep", `"external32"`, "FILE_MISMATCH"},
	"etype":   {"etype", "MPI_FLOAT", "FILE_MISMATCH"},
	"flag":    {"flag", "0", "FILE_MISMATCH"},
	"pointer": {"offset", "4", "FILE_MISMATCH"},
}

// graphs are the changes of the rule "graph": the odd process names another edge, or has no weights while the others
// have weights.
var graphs = map[string]struct{ param, wrong string }{
	"MPI_Graph_create": {"edges", "others"}, "MPI_Graph_map": {"edges", "others"},
	"MPI_Dist_graph_create": {"weights", "ones"}, "MPI_Dist_graph_create_adjacent": {"sources", "&next"},
}

// one returns the argument "one" for parameter i: array if it is an array, else scalar.
func one(f *mpiapi.Func, i int, array, scalar string) string {
	if f.Params[i].Elements.Kind != mpiapi.NoArray {
		return array
	}
	return scalar
}

// side returns the parameter on the side of the call in which every process takes part. That is the receiving side if
// only the root sends, else the sending side.
func side(f *mpiapi.Func, send, recv mpiapi.Role) int {
	if i := f.Arg(send); i >= 0 && !f.Params[i].AtRoot {
		return i
	}
	return f.Arg(recv)
}

// breaks returns the argument with which one process breaks a rule, and the check that must find it.
func breaks(f Form, rule string) (change, string) {
	c := f.Call
	switch rule {
	case "root":
		if c.Arg(mpiapi.NewComm) >= 0 {
			return change{c.Arg(mpiapi.Root), "1"}, "SPAWN_MISMATCH"
		}
		return change{c.Arg(mpiapi.Root), "1"}, "ROOT_MISMATCH"
	case "datatype":
		i := side(c, mpiapi.SendType, mpiapi.RecvType)
		return change{i, one(c, i, "floats", "MPI_FLOAT")}, "DATATYPE:MISMATCH"
	case "size":
		if i := c.Arg(mpiapi.TheFile); i >= 0 {
			return change{c.Param("size"), "128"}, "FILE_MISMATCH"
		}
		i := side(c, mpiapi.SendCount, mpiapi.RecvCount)
		return change{i, one(c, i, "twos", "2")}, "SIZE_MISMATCH"
	case "invalid":
		i := side(c, mpiapi.SendCount, mpiapi.RecvCount)
		return change{i, one(c, i, "negative", "-1")}, "INVALID_PARAMETER"
	case "in-place":
		i := side(c, mpiapi.SendBuf, mpiapi.RecvBuf)
		switch f.Func.ID {
		case mpiapi.IDReduceScatter, mpiapi.IDScan, mpiapi.IDExscan:
			// Each process may pass it as its send buffer (sections 6.10 and 6.11).
			i = c.Arg(mpiapi.RecvBuf)
		}
		return change{i, "MPI_IN_PLACE"}, "IN_PLACE_MISMATCH"
	case "op":
		return change{c.Arg(mpiapi.ReduceOp), "MPI_MAX"}, "REDUCTION_OPERATION_MISMATCH"
	case "graph":
		g := graphs[f.Func.Name]
		return change{c.Param(g.param), g.wrong}, "TOPOLOGY_MISMATCH"
	}
	n := byName[rule]
	return change{c.Param(n.param), n.wrong}, n.check
}

// other returns the call of another collective over the same object, and the check that must find it.
func other(f Form) (string, string) {
	check := "OPERATION_MISMATCH"
	switch f.Over {
	case "window":
		if f.Func.ID == mpiapi.IDWinFence {
			return "MPI_Win_set_info(win, info)", "WINDOW_MISMATCH"
		}
		return "MPI_Win_fence(0, win)", "WINDOW_MISMATCH"
	case "file":
		if f.Func.ID == mpiapi.IDFileSync {
			return "MPI_File_set_size(file, 64)", check
		}
		return "MPI_File_sync(file)", check
	}
	barrier := "MPI_Barrier(c)"
	switch {
	case f.Call.Class == mpiapi.Icollective && f.Func.ID == mpiapi.IDBarrier:
		return "MPI_Iallreduce(zeros, places, 1, MPI_INT, MPI_SUM, c, &r)", check
	case f.Call.Class == mpiapi.Icollective:
		barrier = "MPI_Ibarrier(c, &r)"
	case f.Call.Class == mpiapi.CollectiveInit && f.Func.ID == mpiapi.IDBarrier:
		return "MPI_Bcast_init(&newrank, 1, MPI_INT, 0, c, MPI_INFO_NULL, &r)", check
	case f.Call.Class == mpiapi.CollectiveInit:
		barrier = "MPI_Barrier_init(c, MPI_INFO_NULL, &r)"
	case f.Func.ID == mpiapi.IDBarrier:
		return "MPI_Bcast(&newrank, 1, MPI_INT, root, c)", check
	}
	return barrier, check
}
