// Package violation generates MPI programs that break the rules of collective operations, one rule at a time, and their
// correct twins. A table says which function has which rules: tables 1 and 2 of Falzone et al., Collective Error
// Detection for MPI Collective Operations, and additions of later MPI versions.
package violation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// table says for each collective what it is collective over, and which rules its calls can break.
//
// The words for the first: group (of one communicator), groups (the same, and two groups of an inter-communicator),
// ring (neighbours), window, or file. The rules for a function's nonblocking (MPI_I…) and persistent (…_init) twins
// follow from its own line.
//
// The rules, with the names of the paper and some additions:
//
//	call      all call the same function
//	root      all name the same root
//	datatype  data sent have the expected type
//	size      … and the expected size (the paper's datatype, too)
//	in-place  MPI_IN_PLACE is passed by all or by none, and only by those that may
//	op        all name the same operation
//	invalid   no count is negative
//	leader    the members of a group name the same leader
//	high      the members of a group pass the same value of high
//	dims      all describe the same grid
//	graph     all describe the same graph
//	assert    all give the same assertions on a fence
//	amode, size, datarep, etype, flag, pointer
//	          all pass the same argument to a file operation
//	order     no other collective on a file is called between the beginning and the end of a split collective
//
// Not in the table: the tags of MPI_Intercomm_create, which concern two communicators
// (examples/collective/leader_tag.c), and the groups and split types of constructors (group_*.c, split_type.c).
const table = `
MPI_Barrier                     groups  call
MPI_Bcast                       groups  call root datatype size in-place invalid
MPI_Gather                      groups  call root datatype size in-place invalid
MPI_Gatherv                     groups  call root datatype size in-place invalid
MPI_Scatter                     groups  call root datatype size in-place invalid
MPI_Scatterv                    groups  call root datatype size in-place invalid
MPI_Allgather                   groups  call datatype size in-place invalid
MPI_Allgatherv                  groups  call datatype size in-place invalid
MPI_Alltoall                    groups  call datatype size in-place invalid
MPI_Alltoallv                   groups  call datatype size in-place invalid
MPI_Alltoallw                   groups  call datatype size in-place invalid
MPI_Reduce                      groups  call root datatype size in-place op invalid
MPI_Allreduce                   groups  call datatype size in-place op invalid
MPI_Reduce_scatter              groups  call datatype size in-place op invalid
MPI_Reduce_scatter_block        groups  call datatype size in-place op invalid
MPI_Scan                        group   call datatype size in-place op invalid
MPI_Exscan                      group   call datatype size in-place op invalid
MPI_Neighbor_allgather          ring    call datatype size in-place invalid
MPI_Neighbor_allgatherv         ring    call datatype size in-place invalid
MPI_Neighbor_alltoall           ring    call datatype size in-place invalid
MPI_Neighbor_alltoallv          ring    call datatype size in-place invalid
MPI_Neighbor_alltoallw          ring    call datatype size in-place invalid

MPI_Comm_dup                    groups  call
MPI_Comm_dup_with_info          groups  call
MPI_Comm_idup                   groups  call
MPI_Comm_idup_with_info         groups  call
MPI_Comm_create                 groups  call
MPI_Comm_split                  groups  call
MPI_Comm_split_type             group   call
MPI_Comm_set_info               groups  call
MPI_Comm_disconnect             groups  call
MPI_Intercomm_create            group   call leader
MPI_Intercomm_merge             between call high
MPI_Cart_create                 group   call dims
MPI_Cart_map                    group   call dims
MPI_Cart_sub                    ring    call
MPI_Graph_create                group   call graph
MPI_Graph_map                   group   call graph
MPI_Dist_graph_create           group   call graph
MPI_Dist_graph_create_adjacent  group   call graph

MPI_Comm_spawn                  group   call root
MPI_Comm_spawn_multiple         group   call root
MPI_Comm_accept                 group   call root
MPI_Comm_connect                group   call root

MPI_Win_create                  group   call
MPI_Win_allocate                group   call
MPI_Win_allocate_shared         group   call
MPI_Win_create_dynamic          group   call
MPI_Win_set_info                window  call
MPI_Win_fence                   window  call assert
MPI_Win_free                    window  call

MPI_File_open                   group   call amode
MPI_File_close                  file    call order
MPI_File_set_info               file    call
MPI_File_set_size               file    call size order
MPI_File_preallocate            file    call size
MPI_File_set_view               file    call datarep etype order
MPI_File_set_atomicity          file    call flag
MPI_File_sync                   file    call order
MPI_File_seek_shared            file    call pointer order
MPI_File_read_all               file    call order
MPI_File_read_at_all            file    call order
MPI_File_read_ordered           file    call order
MPI_File_write_all              file    call order
MPI_File_write_at_all           file    call order
MPI_File_write_ordered          file    call order
MPI_File_iread_all              file    call order
MPI_File_iread_at_all           file    call order
MPI_File_iwrite_all             file    call order
MPI_File_iwrite_at_all          file    call order
MPI_File_read_all_begin         file    call order
MPI_File_read_all_end           file    call order
MPI_File_read_at_all_begin      file    call order
MPI_File_read_at_all_end        file    call order
MPI_File_read_ordered_begin     file    call order
MPI_File_read_ordered_end       file    call order
MPI_File_write_all_begin        file    call order
MPI_File_write_all_end          file    call order
MPI_File_write_at_all_begin     file    call order
MPI_File_write_at_all_end       file    call order
MPI_File_write_ordered_begin    file    call order
MPI_File_write_ordered_end      file    call order
`

// Row is a line of the table.
type Row struct {
	Func  *mpiapi.Func
	Over  string
	Rules []string
}

// Rows returns the table.
func Rows() []Row {
	var rows []Row
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f := mpiapi.ByName(words[0])
		if f == nil || len(words) < 3 {
			panic(fmt.Sprintf("violation: %q", line)) // the table is part of the program, and tested
		}
		rows = append(rows, Row{f, words[1], words[2:]})
	}
	return rows
}

// Form is one of the ways to call a collective: blocking, nonblocking or persistent, and what it is collective over.
type Form struct {
	Row
	// Call is the function itself: Func, or its nonblocking or persistent twin.
	Call *mpiapi.Func
	// Between: it is collective over the two groups of an inter-communicator.
	Between bool
}

// Forms returns all ways to call the functions of the table.
func Forms() []Form {
	var list []Form
	for _, row := range Rows() {
		twins := []*mpiapi.Func{row.Func}
		if row.Func.Class == mpiapi.Collective {
			_, name, _ := strings.Cut(row.Func.Name, "_")
			twins = append(twins, mpiapi.ByName("MPI_I"+strings.ToLower(name[:1])+name[1:]),
				mpiapi.ByName(row.Func.Name+"_init"))
		}
		for _, call := range twins {
			if call == nil || call.Class == mpiapi.Icollective && call.Arg(mpiapi.NewComm) >= 0 && call != row.Func {
				continue
			}
			if row.Over != "between" {
				list = append(list, Form{Row: row, Call: call})
			}
			if row.Over == "groups" && call.Class != mpiapi.CollectiveInit || row.Over == "between" {
				list = append(list, Form{Row: row, Call: call, Between: true})
			}
		}
	}
	return list
}

// Has reports whether a rule applies to the function.
func (r Row) Has(rule string) bool { return slices.Contains(r.Rules, rule) }
