package cli

import (
	"os"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// What a record file says of the run besides the records, with the flags for leaks under their names.
const (
	factMPI        = "mpi"         // which MPI was used
	factNoProgress = "no-progress" // what --no-progress was
	factStrict     = "strict"      // there in strict mode: what --on-error was
	factMaxPending = "max-pending" // what --max-pending was
	factMaxErrors  = "max-errors"  // what --max-errors was
)

// A recording is a record file that is being written.
type recording struct {
	*ring.Writer
	file *os.File
}

func newRecording(path string, command []string, facts map[string]string) (*recording, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w, err := ring.NewWriter(f, ring.Meta{
		Version: versionText(), Command: command, Start: time.Now(), TableHash: mpiapi.Hash(), Facts: facts,
	})
	if err != nil {
		f.Close()
		return nil, err
	}
	return &recording{w, f}, nil
}

// close completes the file.
func (r *recording) close(s ring.Stats) error {
	err := r.Close(s)
	if closeErr := r.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
