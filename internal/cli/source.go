package cli

import (
	"github.com/mpivet/mpivet/internal/analysis/hold"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// source has the records of a running program: *ring.Live if it runs on this node only, *head.Head if it runs on
// several.
type source interface {
	ring.Source
	hold.Gate
	pipeline.Threads
	// Programs and Teller open files of processes, see pipeline.Options.
	Programs(id ring.ProcID) (ring.Programs, error)
	Teller(id ring.ProcID) (ring.Teller, error)
	// Mark leaves marks for mpivet ps.
	Mark()
	// Stop ends the recording. The program goes on.
	Stop()
	// Notes returns what the user has to know.
	Notes() []string
	// Verdict lets processes that wait in their exit end.
	Verdict(status int)
}
