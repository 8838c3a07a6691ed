package datatype

import (
	"bufio"
	"encoding/binary"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// visitedRun is a run that a walk of a program visits.
type visitedRun struct{ at, length uint64 }

func TestProgramVisitsEveryByteInOrder(t *testing.T) {
	checkLayouts(t, func(t rapid.TB, roll dice) {
		b := layoutBuffer(roll)
		want := serialised(b)
		program := b.Type.Program(ProgramLimit)
		var got []int64
		var last uint64
		err := WalkProgram(program, b.Base, b.Count, func(at, length uint64) bool {
			if at == last {
				t.Fatalf("the run at %d goes on from the one before", at)
			}
			last = at + length
			for i := range length {
				got = append(got, int64(at+i))
			}
			return true
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: %v, got\n%v\nwant\n%v", program, err, got, want)
		}
	})
}

// TestProgramLength checks that regular types have short programs, and too irregular types have none.
func TestProgramLength(t *testing.T) {
	const k = 1000
	row := made(Vector(k, 1, k, double))
	list := make([]int64, k)
	for i := range list {
		list[i] = int64(i * i)
	}
	for _, c := range []struct {
		name string
		typ  *Type
		want int // 0: none
	}{
		{"contiguous", made(Contiguous(k, double)), 4},
		{"vector", row, 8},
		{"plane", made(Hvector(k, 1, 8*k*k, row)), 8},
		{"columns", made(Contiguous(k, made(Resized(0, 8, row)))), 12},
		{"face", made(Subarray([]int64{k, k, k}, []int64{k - 2, k - 2, 1}, []int64{1, 1, 1}, OrderC, double)), 12},
		{"irregular", made(IndexedBlock(1, list, double)), 2 + 2*k - 2}, // the first two are neighbours
		{"too irregular", made(IndexedBlock(1, append(list, 1<<20+1), made(IndexedBlock(1, list, double)))), 0},
		{"empty", made(Contiguous(0, double)), 2},
		{"unknown", UnknownType(), 0},
	} {
		if got := c.typ.Program(4096); len(got) != c.want {
			t.Errorf("%s: %d words, want %d: %v", c.name, len(got), c.want, got[:min(len(got), 20)])
		}
	}
}

// cWalker runs the interpreter of the preload library.
type cWalker struct {
	in  io.Writer
	out *bufio.Reader
}

func newCWalker(t *testing.T) *cWalker {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	bin := filepath.Join(t.TempDir(), "walk")
	const preload = "../../../preload"
	out, err := exec.Command(gcc, "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
		"-I"+preload, "-I"+preload+"/src", "-o", bin, "testdata/walk.c", preload+"/src/layout.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.Command(bin)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr lastWords
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("the walker: %v\n%s", err, stderr)
		}
	})
	return &cWalker{in, bufio.NewReader(from)}
}

type lastWords []byte

func (l *lastWords) Write(b []byte) (int, error) { *l = append(*l, b...); return len(b), nil }

// walk returns at most limit runs, and the result of the C function.
func (w *cWalker) walk(t rapid.TB, program []int64, base uint64, count int64, limit int) (runs []visitedRun,
	result int64,
) {
	head := []int64{int64(len(program)), int64(base), count, int64(limit)}
	if err := binary.Write(w.in, binary.NativeEndian, append(head, program...)); err != nil {
		t.Fatal(err)
	}
	for {
		var pair [2]uint64
		if err := binary.Read(w.out, binary.NativeEndian, &pair); err != nil {
			t.Fatal(err)
		}
		if pair[0] == 0 && len(runs) < limit || len(runs) == limit {
			return runs, int64(pair[1])
		}
		runs = append(runs, visitedRun{pair[0], pair[1]})
	}
}

func goWalk(program []int64, base uint64, count int64, limit int) (runs []visitedRun, result int64) {
	err := WalkProgram(program, base, count, func(at, length uint64) bool {
		runs = append(runs, visitedRun{at, length})
		return len(runs) < limit
	})
	switch {
	case len(runs) == limit:
		return runs, 7
	case err != nil:
		return runs, -1
	}
	return runs, 0
}

func TestWalkersAgree(t *testing.T) {
	w := newCWalker(t)
	compare := func(t rapid.TB, program []int64, base uint64, count int64, limit int) {
		want, wantResult := goWalk(program, base, count, limit)
		got, result := w.walk(t, program, base, count, limit)
		if !slices.Equal(got, want) || result != wantResult {
			t.Fatalf("%v, %d copies: C returns %d after %v, Go %d after %v", program, count, result, got, wantResult,
				want)
		}
	}
	checkLayouts(t, func(t rapid.TB, roll dice) {
		b := layoutBuffer(roll)
		b.Base += 1 << 40
		program := b.Type.Program(ProgramLimit)
		compare(t, program, b.Base, b.Count, 1<<20)
		compare(t, program, b.Base, b.Count, int(roll(1, 5)))
		// Damage the program. It may then be invalid, or another valid program.
		odd := []int64{0, 1, -1, 2, -2, 3, 4, 8, -3, 1 << 40, -1 << 40, 1<<63 - 1, -1 << 63}
		for range 5 {
			damaged := slices.Clone(program)
			for range roll(1, 3) {
				damaged[roll(0, int64(len(damaged)-1))] = odd[roll(0, int64(len(odd)-1))]
			}
			damaged = damaged[:roll(0, 4*int64(len(damaged)))%int64(len(damaged)+1)]
			compare(t, damaged, b.Base, b.Count, 100)
		}
	})
}
