package gropp_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/datatype"
	"github.com/mpivet/mpivet/internal/datatype/gropp"
)

func TestSignatures(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range gropp.Signatures() {
		seen[string(s)] = true
	}
	if len(seen) != 4625 || len(gropp.Signatures()) != len(seen) {
		t.Errorf("%d signatures, %d different", len(gropp.Signatures()), len(seen))
	}
}

func operators(r gropp.Row) string {
	plus, size := "+", "small"
	if r.Xor {
		plus = "xor"
	}
	if r.Medium {
		size = "medium"
	}
	return fmt.Sprintf("%-4s rotate %d  %-6s", plus, r.Rotate, size)
}

// TestTable prints the table (-v). What must hold of it is what the paper concludes from its own.
func TestTable(t *testing.T) {
	list := gropp.Signatures()
	t.Logf("%-22s %10s %10s %10s %10s", "", "collisions", "paper", "duplicates", "paper")
	collisions := make([]float64, len(gropp.Table))
	for i, row := range gropp.Table {
		c, d := row.Measure(list)
		collisions[i] = c
		t.Logf("%-22s %10.1f %10.1f %10.2f %10.2f", operators(row), c, row.Collisions, d, row.Duplicates)
		if c > 2*row.Collisions || c < row.Collisions/2 {
			t.Errorf("%s: %.1f %% collisions are not of the magnitude of the paper's %.1f %%", operators(row), c, row.Collisions)
		}
	}
	best := len(collisions) - 1
	for i, c := range collisions[:best] {
		if c < 5*collisions[best] {
			t.Errorf("+ with medium operands has %.1f %%, %s has %.1f %%", collisions[best], operators(gropp.Table[i]), c)
		}
	}
	values := make([]datatype.Hash, len(list))
	for i, s := range list {
		values[i] = own(s)
	}
	c, d := gropp.Quality(values)
	t.Logf("%-22s %10.1f %10s %10.2f", "mpivet's own", c, "", d)
	if c != 0 || d != 0 {
		t.Errorf("the hash in use has %v %% collisions", c)
	}
}

var names = [gropp.Types]string{"MPI_CHAR", "MPI_SHORT", "MPI_INT", "MPI_FLOAT", "MPI_DOUBLE"}

// own is the hash of package datatype.
func own(signature []uint8) (h datatype.Hash) {
	var one [gropp.Types]datatype.Hash
	for i, n := range names {
		one[i], _ = datatype.Use{Type: datatype.Predefined(n, 4), Count: 1}.Hash()
	}
	for _, t := range signature {
		h = h.Concat(one[t])
	}
	return h
}

func drawValue(r *rapid.T, label string) gropp.Value {
	return gropp.Value{Alpha: rapid.Uint32().Draw(r, label), N: uint32(rapid.IntRange(0, 100).Draw(r, label+" length"))}
}

func TestXorIsAssociative(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		o := gropp.Operators{Xor: true, Rotate: rapid.IntRange(1, 31).Draw(r, "rotate")}
		a, b, c := drawValue(r, "a"), drawValue(r, "b"), drawValue(r, "c")
		if x, y := o.Concat(o.Concat(a, b), c), o.Concat(a, o.Concat(b, c)); x != y {
			r.Fatalf("%x and %x", x, y)
		}
		n := rapid.IntRange(0, 50).Draw(r, "copies")
		var all gropp.Value
		for range n {
			all = o.Concat(all, a)
		}
		if o.Repeat(a, n) != all {
			r.Fatalf("%d copies at once differ from copies one by one", n)
		}
	})
}

// TestAdditionIsNotQuiteAssociative: a carry out of the highest bit is lost before the rotation, or comes in at the
// lowest after it.
func TestAdditionIsNotQuiteAssociative(t *testing.T) {
	o := gropp.Operators{Rotate: 1}
	a, b, c := gropp.Value{Alpha: 1, N: 1}, gropp.Value{Alpha: 1 << 31, N: 32}, gropp.Value{Alpha: 1 << 31, N: 1}
	if x, y := o.Concat(o.Concat(a, b), c), o.Concat(a, o.Concat(b, c)); x == y {
		t.Errorf("both are %x", x)
	}
}

func BenchmarkGropp(b *testing.B) {
	o := gropp.Operators{Rotate: 1}
	v := gropp.Value{Alpha: 12345, N: 1}
	for b.Loop() {
		v = o.Concat(v, gropp.Value{Alpha: 54321, N: 1})
	}
}
