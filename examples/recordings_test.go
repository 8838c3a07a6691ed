package examples

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// recordings has a folder for each MPI with the recorded runs of the examples.
const recordings = "testdata/recordings"

// recordedVersions are the versions of the MPIs with which the recordings are made.
var recordedVersions = map[string]string{"mpich": "4.0", "openmpi": "4.1"}

// renewCommand renews recordings that are stale, and makes those that are missing.
const renewCommand = "make recordings"

var renew = flag.Bool("renew", false, "run only the examples whose recording is missing or stale, and record them")

// recordingOf returns the name of the file with the recording of an example.
func recordingOf(mpi string, e *exampletest.Example) string {
	return filepath.Join(recordings, mpi, filepath.FromSlash(exampletest.Name(e))+".run")
}

// TestRecordings replays a recorded run of every example with every MPI, and compares what mpivet finds with what the
// program's comments want. It needs no MPI. One example: go test ./examples -run
// 'TestRecordings/mpich/deadlock/recv_recv.c'.
func TestRecordings(t *testing.T) {
	paths, err := exampletest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for mpi, version := range recordedVersions {
		dictionary, err := recorded.ReadDictionary(filepath.Join(recordings, mpi))
		if err != nil {
			t.Errorf("there are no recordings: %v (%s)", err, renewCommand)
			continue
		}
		var mu sync.Mutex
		var stale []string
		known := make(map[string]bool)
		t.Run(mpi, func(t *testing.T) {
			for _, path := range paths {
				e, err := exampletest.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				if !e.Recorded(mpi, version) {
					continue
				}
				known[recordingOf(mpi, e)] = true
				t.Run(path, func(t *testing.T) {
					t.Parallel()
					problems, why := replay(t, mpi, e, dictionary)
					if why != "" {
						mu.Lock()
						defer mu.Unlock()
						stale = append(stale, path+": "+why)
						return
					}
					if len(problems) > 0 {
						t.Errorf("the recording of %s with %s:\n%s", path, mpi, strings.Join(problems, "\n"))
					}
				})
			}
		})
		if len(stale) > 0 {
			slices.Sort(stale)
			t.Errorf("%d recordings with %s are missing or stale. To renew them: %s\n%s",
				len(stale), mpi, renewCommand, strings.Join(stale, "\n"))
		}
		for _, path := range orphans(t, mpi, known) {
			t.Errorf("%s is a recording of no example: remove it", path)
		}
	}
}

// replay analyses the recorded run of an example. It returns what is not as it should be, or why there is no such run.
func replay(t *testing.T, mpi string, e *exampletest.Example, d recorded.Dictionary) (problems []string, stale string) {
	t.Helper()
	fingerprint, err := exampletest.Fingerprint(e)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorded.Find(recordingOf(mpi, e), d, fingerprint)
	if err != nil {
		return nil, err.Error()
	}
	if problems, err = exampletest.CheckRecorded(e, r, severityOf); err != nil {
		t.Fatal(err)
	}
	return problems, ""
}

// orphans returns the recordings whose example is gone.
func orphans(t *testing.T, mpi string, known map[string]bool) (paths []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(recordings, mpi, "*", "*.run"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(path string) bool { return known[path] })
}

// A recorder writes recordings of runs with one MPI.
type recorder struct {
	mpi        string
	dictionary func() (recorded.Dictionary, error) // once
	first      chan *recorded.Run                  // what a new dictionary is made of
}

func newRecorder(mpi string) *recorder {
	r := &recorder{mpi: mpi, first: make(chan *recorded.Run, 1)}
	dir := filepath.Join(recordings, mpi)
	r.dictionary = sync.OnceValues(func() (recorded.Dictionary, error) {
		d, err := recorded.ReadDictionary(dir)
		if errors.Is(err, os.ErrNotExist) {
			return recorded.MakeDictionary(dir, <-r.first)
		}
		return d, err
	})
	return r
}

// needs reports whether the recording of an example is missing or stale.
func (r *recorder) needs(e *exampletest.Example) bool {
	fingerprint, err := exampletest.Fingerprint(e)
	if err != nil {
		return true
	}
	d, err := recorded.ReadDictionary(filepath.Join(recordings, r.mpi))
	if err != nil {
		return true
	}
	_, err = recorded.Find(recordingOf(r.mpi, e), d, fingerprint)
	return err != nil
}

// write writes the recording of an example, if what is found in it is what the example wants.
func (r *recorder) write(e *exampletest.Example, run *recorded.Run) error {
	problems, err := exampletest.CheckRecorded(e, run, severityOf)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return fmt.Errorf("the recording is not like the run:\n%s", strings.Join(problems, "\n"))
	}
	select {
	case r.first <- run:
	default:
	}
	d, err := r.dictionary()
	if err != nil {
		return err
	}
	return run.Write(recordingOf(r.mpi, e), d)
}
