package cli

import (
	"os"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Keys of the facts about a run in a record file. The flags for leaks have further facts, with the names of the flags.
const (
	factMPI        = "mpi"         // the MPI of the program
	factNoProgress = "no-progress" // value of --no-progress
	factStrict     = "strict"      // only in strict mode: value of --on-error
	factMaxPending = "max-pending" // value of --max-pending
	factMaxErrors  = "max-errors"  // value of --max-errors
)

// recording is a record file that is being written.
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
