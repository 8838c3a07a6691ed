package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Process is one process of the program. Each of its parts is a table of the process's objects of one kind, with the
// methods that need only that table. A method of Process itself needs several parts.
type Process struct {
	*ring.Proc
	World   *match.World
	Rank    int // in its MPI_COMM_WORLD; until MPI_Init has reported it, the rank from the launcher; -1 if unknown
	Threads []*Thread
	Ended   *ring.ProcEnd // nil while it runs
	Lost    bool          // its records cannot be read any further

	Phase
	library
	callbacks
	commTable
	typeTable
	requestTable
	messageTable
	*objectTable // nil if the process has made no object
	births
	groupTable
	infoTable
	opTable
	memoryMap

	// the memory of the process that MPI holds, nil if there is none; only package analysis/buffers changes it
	Lent     *memory.Lent
	meanings uint32 // how often the meaning of a handle of a datatype or operation has changed
}
