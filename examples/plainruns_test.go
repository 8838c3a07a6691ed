package examples

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/exampletest"
)

// plainRuns are the runs of correct examples with one MPI and without mpivet, by the examples' names. They are kept in
// a file: programs that look the same with mpivet need not run without it each time.
type plainRuns struct {
	known map[string]*exampletest.Plain
	mu    sync.Mutex
}

// readPlainRuns reads the runs with an MPI. If recordings are to be renewed, it writes them when the test is over.
func readPlainRuns(t *testing.T, mpi string) *plainRuns {
	t.Helper()
	r := &plainRuns{known: make(map[string]*exampletest.Plain)}
	path := filepath.Join(recordings, mpi, "plain.json")
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &r.known)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if *renew {
		t.Cleanup(func() { r.write(t, path) })
	}
	return r
}

// of returns the run of an example. Check fills it in if it is not known, or stale.
func (r *plainRuns) of(t *testing.T, e *exampletest.Example) *exampletest.Plain {
	t.Helper()
	fingerprint, err := exampletest.Fingerprint(e)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.known[exampletest.Name(e)]
	if p == nil || p.Program != fingerprint {
		p = new(exampletest.Plain)
		r.known[exampletest.Name(e)] = p
	}
	return p
}

// needs reports whether the run of a correct example is not known yet.
func (r *plainRuns) needs(e *exampletest.Example, p *exampletest.Plain) bool {
	return len(e.Wants) == 0 && p.Program == ""
}

// write writes the runs that are known to a file.
func (r *plainRuns) write(t *testing.T, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, p := range r.known {
		if p.Program == "" {
			delete(r.known, name)
		}
	}
	data, err := json.MarshalIndent(r.known, "", "\t")
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
