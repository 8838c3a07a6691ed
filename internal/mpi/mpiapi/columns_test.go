package mpiapi

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// byCategory lists operations of the MPI standard, chapters 6 and 8, by the categories of section 6.2.2.
var byCategory = map[Flow]string{
	AllToAll: "Allgather Allgatherv Alltoall Alltoallv Alltoallw Allreduce Reduce_scatter_block Reduce_scatter Barrier",
	AllToOne: "Gather Gatherv Reduce",
	OneToAll: "Bcast Scatter Scatterv",
	ScanFlow: "Scan", ExscanFlow: "Exscan", // of category "other"
	Neighbors: "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw",
}

func TestFlow(t *testing.T) {
	want := map[string]Flow{}
	for flow, names := range byCategory {
		for _, n := range strings.Fields(names) {
			want["MPI_"+n] = flow
		}
	}
	forms := map[string]int{}
	for _, f := range Funcs() {
		if f.Flow != want[f.Blocking()] {
			t.Errorf("%s: flow %v, want %v", f.Name, f.Flow, want[f.Blocking()])
		}
		if f.Flow == NoFlow {
			continue
		}
		forms[f.Blocking()]++
		if rooted := f.Flow == OneToAll || f.Flow == AllToOne; rooted != (f.Arg(Root) >= 0) {
			t.Errorf("%s: flow %v, but root is parameter %d", f.Name, f.Flow, f.Arg(Root))
		}
		if strings.Contains(f.Name, "educe") != f.Reduces() && f.Flow != ScanFlow && f.Flow != ExscanFlow {
			t.Errorf("%s: reduces: %v", f.Name, f.Reduces())
		}
		if f.MovesData() == (f.Blocking() == "MPI_Barrier") {
			t.Errorf("%s: moves data: %v", f.Name, f.MovesData())
		}
	}
	for name, n := range forms { // MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, their large twins, MPIX_Bcast_init
		if want := 7; n != want && name != "MPI_Barrier" || name == "MPI_Barrier" && n != 4 {
			t.Errorf("%s has %d forms", name, n)
		}
	}
}

// TestParts compares the parts of buffers with the arrays of counts. Only buffers with several parts have such arrays.
func TestParts(t *testing.T) {
	for _, f := range Funcs() {
		if !f.MovesData() {
			if f.SendParts || f.RecvParts {
				t.Errorf("%s moves no data", f.Name)
			}
			continue
		}
		for _, side := range []struct {
			count Role
			parts bool
		}{{SendCount, f.SendParts}, {RecvCount, f.RecvParts}} {
			i := f.Arg(side.count)
			if i >= 0 && f.Params[i].Length != "" && !side.parts && !f.Reduces() { // MPI_Reduce_scatter: recvcounts
				t.Errorf("%s: %s is an array, but the buffer has one part", f.Name, f.Params[i].Name)
			}
		}
		if one := f.Arg(RecvCount) < 0; one && (f.SendParts || f.RecvParts) {
			t.Errorf("%s: all processes pass one count, but a buffer has parts", f.Name)
		}
	}
}

// TestInPlaceColumn compares column inplace with the parameters that MPI_IN_PLACE makes insignificant: count and
// datatype of that side, unless both sides share them.
func TestInPlaceColumn(t *testing.T) {
	for _, f := range Funcs() {
		if !f.MovesData() {
			if f.InPlace != NotInPlace {
				t.Errorf("%s moves no data, but takes MPI_IN_PLACE", f.Name)
			}
			continue
		}
		for i := range f.Params {
			p := &f.Params[i]
			recv := p.Role == RecvCount || p.Role == RecvType || p.Role == RecvDispls
			send := p.Role == SendCount || p.Role == SendType || p.Role == SendDispls
			if !send && !recv || f.Reduces() {
				continue
			}
			if want := f.InPlace != NotInPlace && f.InPlaceRecv == recv; p.NotInPlace != want {
				t.Errorf("%s: %s is insignificant in place: %v, want %v", f.Name, p.Name, p.NotInPlace, want)
			}
		}
		if (f.InPlace == InPlaceRoot) != (f.Arg(Root) >= 0 && f.Blocking() != "MPI_Bcast") {
			t.Errorf("%s: in place at the root: %v", f.Name, f.InPlace)
		}
		if alone := f.Arg(RecvBuf) < 0 || f.Flow == Neighbors; alone && f.InPlace != NotInPlace {
			t.Errorf("%s takes MPI_IN_PLACE", f.Name)
		}
	}
}

// TestExchanges checks which operations need data of every other process in each process, whatever the arguments.
func TestExchanges(t *testing.T) {
	for name, want := range map[string]bool{
		"MPI_Allreduce": true, "MPI_Iallgather": true, "MPI_Alltoall_init_c": true,
		"MPIX_Reduce_scatter_block_init": true,
		"MPI_Allgatherv":                 false, "MPI_Ialltoallw": false, "MPI_Reduce_scatter": false,
		"MPI_Barrier": false,
		"MPI_Bcast":   false, "MPI_Scan": false, "MPI_Neighbor_alltoall": false, "MPI_File_write_all": false,
	} {
		if got := ByName(name).Exchanges(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestOperation checks that collectives in all forms lead to the blocking operation and have its columns.
func TestOperation(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Ineighbor_alltoallw_c": "MPI_Neighbor_alltoallw", "MPIX_Barrier_init": "MPI_Barrier",
		"MPI_Igather": "MPI_Gather", "MPI_Comm_idup": "MPI_Comm_idup", "MPI_File_iread_all_c": "MPI_File_iread_all",
		"MPI_Send_init": "MPI_Send_init", "MPI_Session_init": "MPI_Session_init",
	} {
		if got := ByName(name).Blocking(); got != want {
			t.Errorf("%s stands for %s, want %s", name, got, want)
		}
	}
	for _, f := range Funcs() {
		base, op := *ByID(f.Base), f.Operation()
		if f.Columns != base.Columns {
			t.Errorf("%s: %+v, but its base has %+v", f.Name, f.Columns, base.Columns)
		}
		if f.Class == Icollective || f.Class == CollectiveInit {
			base.Act = op.Act
			if base.Columns != op.Columns {
				t.Errorf("%s: %+v, but %s has %+v", f.Name, base.Columns, op.Name, op.Columns)
			}
		}
	}
}

// TestActs checks that functions of each act have the parameters that its tracking needs.
func TestActs(t *testing.T) {
	request, list := []Role{TheRequest}, []Role{Requests}
	has := map[Act][]Role{
		ActProbe: {Source, RecvTag, TheStatus}, ActMprobe: {Source, RecvTag, TheMessage, TheStatus},
		ActMrecv: {RecvBuf, TheMessage, TheStatus}, ActImrecv: {RecvBuf, TheMessage, TheRequest},
		ActWait: request, ActWaitall: list, ActWaitany: {Requests, Index}, ActWaitsome: {Requests, OutCount, Indices},
		ActTest: {TheRequest, Flag}, ActTestall: {Requests, Flag}, ActTestany: {Requests, Index, Flag},
		ActTestsome: {Requests, OutCount, Indices}, ActRequestStatus: {TheRequest, Flag},
		ActRequestStatusAll: {Requests, Flag}, ActRequestStatusAny: {Requests, Index, Flag},
		ActRequestStatusSome: {Requests, OutCount, Indices}, ActBufferIflush: request,
		ActStart: request, ActStartall: list, ActRequestFree: request, ActCancel: request,
		ActParrived: {TheRequest, Flag}, ActGrequestComplete: request, ActOtherRequest: request,
		ActPsendInit: {Partitions, Dest, TheRequest}, ActPrecvInit: {Partitions, Source, TheRequest},
		ActPready: request, ActIcollective: request, ActCommFree: {TheComm}, ActWinFree: {TheWin},
		ActFileClose: {TheFile},
		ActTypeNew:   {NewType}, ActTypeCommit: {NewType}, ActTypeFree: {NewType}, ActTypeContents: {NewType},
		ActSetName: {Name}, ActSetFileHandler: {TheFile}, ActGroupNew: {NewGroup}, ActGroupFree: {TheGroup},
		ActAbort: {ErrorCode},
	}
	used := map[Act]bool{}
	for _, f := range Funcs() {
		used[f.Act] = true
		for _, r := range has[f.Act] {
			if f.Arg(r) < 0 {
				t.Errorf("%s: act %v has a %v", f.Name, f.Act, r)
			}
		}
		if f.Class == Query && f.Act != NoAct {
			t.Errorf("%s: a query has act %v", f.Name, f.Act)
		}
		if (f.Class == Wait || f.Class == Test) != (f.Completes() != CompletesNone || f.ReportsStatus()) {
			t.Errorf("%s: class %v completes %v", f.Name, f.Class, f.Completes())
		}
		frees := slices.ContainsFunc(f.Params, func(p Param) bool { return p.Frees() })
		switch f.Act {
		case ActCommFree, ActWinFree, ActFileClose:
			if !f.EndsObject() || f.Waits == WaitsAll {
				t.Errorf("%s does not end its object, or waits for all", f.Name)
			}
		case ActTypeFree, ActOpFree, ActGroupFree, ActEndSession, ActTypeCommit, ActChangeInfo:
		case ActFinalize:
		default:
			if f.EndsObject() || frees && f.Act != NoAct {
				t.Errorf("%s: act %v frees something", f.Name, f.Act)
			}
		}
	}
	for a := range Act(len(actNames)) {
		if !used[a] {
			t.Errorf("no function has act %v", a)
		}
	}
}

// TestModes checks the modes by the letters of section 3.4.
func TestModes(t *testing.T) {
	letters := map[string]Mode{"": StandardMode, "b": BufferedMode, "s": SynchronousMode, "r": ReadyMode}
	pattern := regexp.MustCompile(`(?i)^MPI_I?([bsr]?)send(_init)?(_c)?$`)
	n := 0
	for _, f := range Funcs() {
		want := StandardMode
		if m := pattern.FindStringSubmatch(f.Name); m != nil {
			n++
			want = letters[strings.ToLower(m[1])]
		}
		if f.Mode != want {
			t.Errorf("%s: mode %v, want %v", f.Name, f.Mode, want)
		}
	}
	if n != 24 { // 4 modes, 3 forms, large twins
		t.Errorf("%d functions send", n)
	}
}

// TestSplit checks that split collectives come in pairs, which work on one buffer.
func TestSplit(t *testing.T) {
	begun := map[FuncID]bool{}
	for _, f := range Funcs() {
		switch f.Split {
		case SplitBegin:
			begun[f.Base] = begun[f.Base] || false
		case SplitEnd:
			b := f.Begins()
			if b == nil || b.Split != SplitBegin || (b.Arg(SendBuf) < 0) != (f.Arg(SendBuf) < 0) {
				t.Errorf("%s ends %v", f.Name, b)
				continue
			}
			begun[b.ID] = true
		case SplitExcluded:
			if over := f.Over(); over < 0 || f.Params[over].Kind != File {
				t.Errorf("%s is not collective over a file", f.Name)
			}
		}
	}
	if len(begun) != 6 {
		t.Errorf("%d functions begin split collectives", len(begun))
	}
	for id, ends := range begun {
		if !ends {
			t.Errorf("nothing ends %s", ByID(id).Name)
		}
	}
}

// TestWaits checks that only collectives have column waits, and that column resync implies that all are waited for.
func TestWaits(t *testing.T) {
	for _, f := range Funcs() {
		if f.Waits != MayWait && !f.Coll || f.Resync && !(f.Waits == WaitsAll || f.Exchanges()) {
			t.Errorf("%s: waits %v, resync %v", f.Name, f.Waits, f.Resync)
		}
		if f.ByGroup && (f.Arg(TheGroup) < 0 || f.Arg(NewComm) < 0) || f.Connects && f.Arg(NewComm) < 0 {
			t.Errorf("%s makes no communicator of a group, or of another world", f.Name)
		}
		if f.Combiner != "" && f.Act != ActTypeNew {
			t.Errorf("%s makes %s, but its act is %v", f.Name, f.Combiner, f.Act)
		}
	}
}

// TestColumnNames checks that every value of a column has a name.
func TestColumnNames(t *testing.T) {
	names := map[string]int{
		"Act": len(actNames), "Mode": len(modeNames), "Flow": len(flowNames), "InPlace": len(inPlaceNames),
		"Waits": len(waitsNames), "Split": len(splitNames), "Timing": len(timingNames),
		"Agreement": len(agreementNames), "CommKind": len(commKindNames),
	}
	src, err := os.ReadFile("columns.go")
	if err != nil {
		t.Fatal(err)
	}
	acts, err := os.ReadFile("act.go")
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range names {
		_, list, ok := strings.Cut(string(acts)+string(src), " "+what+" = iota")
		list, _, _ = strings.Cut(list, "\n)")
		if got := 1 + strings.Count(list, "\n\t"); !ok || got != n {
			t.Errorf("%s has %d constants and %d names", what, got, n)
		}
	}
	for a, s := range map[Act]string{ActImrecv: "imrecv", ActPready: "pready", ActAbort: "abort"} {
		if a.String() != s {
			t.Errorf("%v, want %s", a, s)
		}
	}
}

func TestColumnErrors(t *testing.T) {
	for column, want := range map[string]string{
		"act=fly":        `"act=fly": want one of send, recv, `,
		"flow=none":      `"flow=none": want one of one-to-all, `,
		"inplace=root":   `"inplace=root": want send or recv before the colon`,
		"inplace=send:x": `"inplace=send:x": want one of root, all, each`,
		"parts=all":      `"parts=all": want send, recv or both`,
		"copies=yes":     `unknown column "copies=yes"`,
		"often":          `unknown column "often"`,
	} {
		_, err := parse("Query 1.0 MPI_X() : copies, " + column)
		if err == nil || !strings.HasPrefix(err.Error(), "api.txt:1: MPI_X: "+want) {
			t.Errorf("%s\ngot  %v\nwant %s", column, err, want)
		}
	}
}

// newComms are the functions that make a communicator of processes of one group: MPI standard, chapters 7 and 8.
var newComms = map[CommKind]string{
	IntraComm: "Comm_create Comm_create_group Comm_create_from_group Comm_split Comm_split_type Intercomm_merge",
	CartComm:  "Cart_create Cart_sub", GraphComm: "Graph_create",
	DistGraphComm: "Dist_graph_create Dist_graph_create_adjacent",
}

func TestNewComm(t *testing.T) {
	want := map[string]CommKind{}
	for kind, names := range newComms {
		for _, n := range strings.Fields(names) {
			want["MPI_"+n] = kind
		}
	}
	for _, f := range Funcs() {
		if f.NewComm != want[ByID(f.Base).Name] {
			t.Errorf("%s makes a communicator of kind %v, want %v", f.Name, f.NewComm, want[ByID(f.Base).Name])
		}
		if f.NewComm != AnyComm && f.Arg(NewComm) < 0 {
			t.Errorf("%s makes no communicator", f.Name)
		}
	}
}

// TestOne looks for the parameters that must be one of a few constants: MPI standard, sections 11.6.2, 12.5.3, 14.4.3
// and 19.1.9.
func TestOne(t *testing.T) {
	want := map[string]int{
		"MPI_Init_thread required": 4, "MPI_T_init_thread required": 4, "MPI_Win_lock lock_type": 2,
		"MPI_File_seek whence": 3, "MPI_File_seek_shared whence": 3, "MPI_Type_match_size typeclass": 3,
	}
	for _, f := range Funcs() {
		for i := range f.Params {
			q := &f.Params[i]
			if q.Pointer {
				continue
			}
			if n := want[ByID(f.Base).Name+" "+q.Name]; len(q.One) != n {
				t.Errorf("%s: %s must be one of %q, want %d constants", f.Name, q.Name, q.One, n)
			}
		}
	}
}
