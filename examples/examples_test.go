// Package examples holds small MPI programs that go wrong in one way each, and correct ones beside them. The test here
// runs all of them under mpivet.
package examples

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

var (
	jobs     = flag.Int("jobs", runtime.GOMAXPROCS(0), "examples to run at once: ranks that wait are busy, too")
	thorough = flag.Bool("thorough", false,
		"run correct programs in both modes, and compare and replay all runs, not every fourth")
	until = flag.Int64("until", 0,
		"a Unix time: begin no example after it, and replay none; each runs with one MPI first, then with the others; "+
			"order and first MPI change each day")
)

// TestExamples runs every example with every MPI and compares what mpivet finds with what the program's comments
// want. Nothing changes for correct programs with collectives in strict mode: half of them run in strict mode with one
// MPI, the other half with the other MPI. One example:
// LIVE_TESTS=1 go test ./examples -run 'TestExamples/mpich/deadlock/recv_recv.c'.
func TestExamples(t *testing.T) {
	b := newBench(t)
	for _, m := range b.mpis {
		if want := recordedVersions[m.Name]; *renew && !strings.HasPrefix(m.Version(), want+".") {
			t.Fatalf("recordings are made with version %s of %s, not %s", want, m.Name, m.Version())
		}
	}
	b.run(t, b.mpis)
}

// TestStandardABI does the same with programs of the standard ABI, under each library that supports it.
func TestStandardABI(t *testing.T) {
	b := newBench(t)
	mpis, err := mpirun.StandardABI(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(mpis) == 0 {
		t.Skip("no library of the standard ABI is installed as Debian does")
	}
	b.run(t, mpis)
}

// run runs all examples with all MPIs. With the flag until, it does so in rounds: each example runs with one MPI in the
// first round, and with another one in each further round.
func (b *bench) run(t *testing.T, mpis []mpirun.MPI) {
	t.Helper()
	rounds := 1
	if *until != 0 {
		rounds = len(mpis)
	}
	for round := range rounds {
		for i, m := range mpis {
			t.Run(m.Name, func(t *testing.T) { b.with(t, m, section{i, len(mpis), round}) })
		}
	}
}

// section is what part of a run of all examples with all MPIs it is.
type section struct {
	part, parts int // number of the MPI, from 0 on; number of MPIs
	round       int // from 0 on
}

// with runs the examples of a section with an MPI. One half of the correct programs runs in strict mode with the first
// MPI, the other half with the second one.
func (b *bench) with(t *testing.T, m mpirun.MPI, s section) {
	t.Helper()
	paths, err := exampletest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	if *until != 0 {
		paths = b.today(t, m, paths, s)
	}
	r := newRecorder(m.Name)
	alone := readPlainRuns(t, m.Name)
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			e, err := exampletest.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if !e.For(m) || *renew && !e.Recorded(m.Name, m.Version()) {
				t.Skip("it is for other MPIs")
			}
			options := exampletest.Options{Thorough: *thorough, Quick: *until != 0, Plain: alone.of(t, e)}
			modes := []string{""}
			switch {
			case *renew && !r.needs(e) && !alone.needs(e, options.Plain):
				t.Skip("its recording is up to date")
			case *renew && r.needs(e):
				options.Keep = func(run *recorded.Run) error { return r.write(e, run) }
			case *renew:
			case strict(path) && *thorough:
				modes = []string{"", "--strict"}
			case strict(path) && exampletest.Part(e, 2) == uint32(s.part):
				modes = []string{"--strict"}
			}
			if problems := b.check(t, e, m, options, modes...); len(problems) > 0 {
				t.Errorf("%s with %s:\n%s", path, m.Name, strings.Join(problems, "\n"))
			}
		})
	}
}

// strict reports whether a program is run in strict mode, too.
func strict(path string) bool {
	return strings.HasPrefix(path, "clean/") || strings.HasPrefix(path, "collective/") && strings.Contains(path, "_ok.")
}

// bench is what programs are run with.
type bench struct {
	mpivet string
	mpis   []mpirun.MPI
	places chan struct{} // one for each that may run at a time
	end    time.Time     // no example begins after it, unless it is zero
	left   atomic.Int64  // examples that would have begun later
}

// today returns the examples of a section today, and sets their end: each MPI gets an equal share of the time that is
// left for the round.
func (b *bench) today(t *testing.T, m mpirun.MPI, paths []string, s section) (list []string) {
	now := time.Now()
	b.end = now.Add(time.Unix(*until, 0).Sub(now) / time.Duration(s.parts-s.part))
	day := uint64(now.Unix() / (24 * 60 * 60))
	for i, k := range rand.New(rand.NewPCG(day, 0)).Perm(len(paths)) {
		if (i+s.round)%s.parts == s.part {
			list = append(list, paths[k])
		}
	}
	others := ""
	if s.round > 0 {
		others = " that belong to another MPI today"
	}
	t.Cleanup(func() {
		fmt.Printf("%s: no time for %d of %d examples%s\n", m.Name, b.left.Swap(0), len(list), others)
	})
	return list
}

func newBench(t *testing.T) *bench {
	t.Helper()
	mpirun.NeedLive(t)
	b := &bench{
		mpivet: filepath.Join(t.TempDir(), "mpivet"), mpis: mpirun.Installed(), places: make(chan struct{}, *jobs),
	}
	if len(b.mpis) == 0 {
		t.Skip("neither MPICH nor Open MPI is installed")
	}
	if err := mpirun.BuildMpivet(b.mpivet); err != nil {
		t.Fatal(err)
	}
	return b
}

// check builds an example, and runs it once for each mode, in parallel with other examples. A mode is a further flag
// for mpivet run, or "". It returns what is not as it should be.
func (b *bench) check(
	t *testing.T, e *exampletest.Example, m mpirun.MPI, o exampletest.Options, modes ...string,
) (problems []string) {
	t.Parallel()
	b.places <- struct{}{}
	defer func() { <-b.places }()
	if !b.end.IsZero() && time.Now().After(b.end) {
		b.left.Add(1)
		t.Skip("no time is left")
	}
	dir := t.TempDir()
	command, err := exampletest.Build(e, m, dir)
	if err != nil {
		t.Fatal(err)
	}
	if o.Plain == nil {
		o.Plain = new(exampletest.Plain)
	}
	flags := e.Flags
	for _, mode := range modes {
		e.Flags = flags
		if mode != "" {
			e.Flags = append(slices.Clone(flags), mode)
		}
		list, err := exampletest.Check(b.mpivet, e, m, command, dir, severityOf, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 && mode != "" {
			problems = append(problems, "with "+mode+":")
		}
		problems = append(problems, list...)
	}
	return problems
}

// severityOf is a check's default severity.
func severityOf(id string) string {
	for _, c := range all.Checks() {
		if c.ID == id {
			return c.Severity.String()
		}
	}
	return ""
}
