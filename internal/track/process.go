package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/memory"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Process is one process of the program. Each of its parts is a table of what the process has of one kind, and has the
// methods that need nothing else. A method of Process itself needs several parts.
type Process struct {
	*ring.Proc
	World   *match.World
	Rank    int // in its MPI_COMM_WORLD; what the launcher said until MPI_Init has told; -1 if unknown
	Threads []*Thread
	Ended   *ring.ProcEnd // nil while it runs
	Lost    bool          // its records can't be followed any further

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

	Lent     *memory.Lent // what MPI holds of its memory. Only package analysis/buffers changes it. nil if nothing
	meanings uint32       // how often the meaning of a handle of a datatype or operation has changed
}
