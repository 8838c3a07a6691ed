// Package mpitest compares package datatype with the installed MPI libraries. It lets MPI make random types, and asks
// MPI for their size, their bounds, and the order of their bytes.
package mpitest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// library is an MPI library, and a process that makes types with it: testdata/types.c, as a program of one rank without
// a launcher.
type library struct {
	name    string
	dialect datatype.Dialect
	program string

	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  bytes.Buffer

	predefined []*datatype.Type
	number     map[string]int // of a predefined type in the list

	unfit []string // parts of the names of predefined types that MPI packs in another way
}

// open builds and starts the program with an MPI. It skips the test if that MPI is not installed.
func open(t *testing.T, name string) *library {
	mpirun.NeedLive(t)
	mpicc := "mpicc." + name
	if _, err := exec.LookPath(mpicc); err != nil {
		t.Skip(err)
	}
	l := &library{name: name, program: filepath.Join(t.TempDir(), "types")}
	version := ""
	for _, m := range mpirun.Installed() {
		if m.Name == name {
			version = m.Version()
		}
	}
	switch {
	case name == "mpich":
		l.dialect = datatype.MPICH4
		// MPICH 4.0.2 packs only the 10 bytes of a long double that hold its value, and omits the other 6.
		l.unfit = []string{"LONG_DOUBLE"}
	case strings.HasPrefix(version, "5."):
		// Open MPI 5.0.7 does the same in some types. It also takes the alignment of complex numbers for their size,
		// and packs types with other displacements wrongly.
		l.unfit = []string{"LONG_DOUBLE", "COMPLEX"}
	}
	out, err := exec.Command(mpicc, "-g", "-O1", "-Wall", "-D_GNU_SOURCE", "-o", l.program,
		"testdata/types.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", mpicc, err, out)
	}
	if err := l.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.stop() })
	return l
}

func (l *library) start() error {
	l.stderr.Reset()
	l.process = exec.Command(l.program)
	l.process.Env = append(os.Environ(), "OMPI_MCA_btl=self", "OMPI_MCA_pml=ob1")
	l.process.Stderr = &l.stderr
	stdout, err := l.process.StdoutPipe()
	if err != nil {
		return err
	}
	if l.stdin, err = l.process.StdinPipe(); err != nil {
		return err
	}
	if err := l.process.Start(); err != nil {
		return err
	}
	l.stdout = bufio.NewReaderSize(stdout, 1<<20)
	l.predefined, l.number = nil, make(map[string]int)
	for {
		line, err := l.stdout.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the program does not start: %w\n%s", l.stop(), l.stderr.String())
		}
		name, size, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil
		}
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return err
		}
		l.number[name] = len(l.predefined)
		l.predefined = append(l.predefined, l.dialect.Predefined(name, n))
	}
}

// stop ends the process, and returns the error of its end.
func (l *library) stop() error {
	l.stdin.Close()
	return l.process.Wait()
}

// run is a range of consecutive bytes.
type run struct{ from, to int64 }

// answer has the properties of a type.
type answer struct {
	size, lb, extent, trueLB, trueExtent int64
	runs                                 []run // of the bytes of all copies, in their order; empty if copies is 0
}

func (a *answer) String() string {
	return fmt.Sprintf("size %d, lb %d, extent %d, true lb %d, true extent %d, bytes %v", a.size, a.lb, a.extent,
		a.trueLB, a.trueExtent, a.runs)
}

// ask lets MPI make the type and pack some copies of it.
func (l *library) ask(t *datatype.Type, copies int64) (*answer, error) {
	from, to := span(t, copies)
	e := encoder{library: l, made: make(map[*datatype.Type]int64)}
	e.add(t)
	words := append([]int64{int64(len(e.made))}, e.words...)
	words = append(words, copies, from, to)
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintf(&b, "%d ", w)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(l.stdin, b.String())
	line := ""
	if err == nil {
		line, err = l.stdout.ReadString('\n')
	}
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", b.String(), l.stop(), l.stderr.String())
		if again := l.start(); again != nil {
			return nil, again
		}
		return nil, err
	}
	fields := strings.Fields(line)
	numbers := make([]int64, len(fields))
	for i, f := range fields {
		if numbers[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return nil, fmt.Errorf("MPI does not make it: %s", line)
		}
	}
	if len(numbers) < 5 || len(numbers)%2 != 1 {
		return nil, fmt.Errorf("the program answers %q", line)
	}
	a := &answer{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], nil}
	for i := 5; i < len(numbers); i += 2 {
		a.runs = append(a.runs, run{numbers[i], numbers[i+1]})
	}
	return a, nil
}

// span returns the bounds of some copies of a type.
func span(t *datatype.Type, copies int64) (from, to int64) {
	last := (max(copies, 1) - 1) * t.Extent()
	return t.TrueLB + min(0, last), t.TrueUB + max(0, last)
}

// encoder writes the construction of a type, in the format that testdata/types.c reads.
type encoder struct {
	*library
	words []int64
	made  map[*datatype.Type]int64 // number of each type
}

// add writes the old types of a type, and then the type. It returns the number of the type.
func (e *encoder) add(t *datatype.Type) int64 {
	if t.Kind == datatype.Named {
		return int64(-1 - e.number[t.Name()])
	}
	if name, ok := e.made[t]; ok {
		return name
	}
	var olds []int64
	for _, o := range t.Olds {
		olds = append(olds, e.add(o))
	}
	a := &t.Args
	w := []int64{int64(t.Kind)}
	switch t.Kind {
	case datatype.ContiguousKind:
		w = append(w, a.Count)
	case datatype.VectorKind, datatype.HvectorKind:
		w = append(w, a.Count, a.Blocklength, a.Stride)
	case datatype.IndexedKind, datatype.HindexedKind, datatype.StructKind:
		w = slices.Concat(w, []int64{a.Count}, a.Blocklengths, a.Displacements)
	case datatype.IndexedBlockKind, datatype.HindexedBlockKind:
		w = append(append(w, a.Count, a.Blocklength), a.Displacements...)
	case datatype.SubarrayKind:
		w = slices.Concat(w, []int64{a.Count}, a.Sizes, a.Subsizes, a.Starts, []int64{int64(a.Order)})
	case datatype.DarrayKind:
		w = append(append(w, a.Size, a.Rank, a.Count), a.Sizes...)
		for _, d := range a.Distributions {
			w = append(w, int64(d))
		}
		for _, d := range a.Dargs {
			w = append(w, max(d, 0)) // 0 for the default
		}
		w = append(append(w, a.Psizes...), int64(a.Order))
	case datatype.ResizedKind:
		w = append(w, a.LB, a.Extent)
	}
	e.words = slices.Concat(e.words, w, olds)
	name := int64(len(e.made))
	e.made[t] = name
	return name
}

// computed returns the answer of package datatype.
func computed(t *datatype.Type, copies int64) *answer {
	a := &answer{t.Size, t.LB, t.Extent(), t.TrueLB, t.TrueUB - t.TrueLB, nil}
	for i := range copies {
		a.walk(t, i*t.Extent())
	}
	return a
}

// walk appends the bytes of a type at a displacement.
func (a *answer) walk(t *datatype.Type, at int64) {
	if s := t.Stage(); s != nil {
		a.walkStage(s, at)
	} else if t.Size > 0 {
		if n := len(a.runs); n > 0 && a.runs[n-1].to == at {
			a.runs[n-1].to += t.Size
		} else {
			a.runs = append(a.runs, run{at, at + t.Size})
		}
	}
}

func (a *answer) walkStage(s *datatype.Stage, at int64) {
	for i := range s.N {
		to := at + s.At(i)
		switch {
		case s.Blocks != nil:
			b := s.Block(i)
			a.walkStage(&b, to)
		case s.Of != nil:
			a.walkStage(s.Of, to)
		default:
			a.walk(s.Old, to)
		}
	}
}
