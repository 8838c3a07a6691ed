package datatype_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	. "github.com/mpivet/mpivet/internal/mpi/datatype"
)

// sizes are the sizes of the basic types in random types. They are types of several languages, and types with special
// rules of comparison.
var sizes = map[string]int64{
	"MPI_INT": 4, "MPI_DOUBLE": 8, "MPI_CHAR": 1, "MPI_SHORT": 2, "MPI_LONG": 8, "MPI_INT64_T": 8,
	"MPI_INTEGER": 4, "MPI_INTEGER8": 8, "MPI_CHARACTER": 1, "MPI_BYTE": 1, "MPI_PACKED": 1, "MPI_REAL(p=6,r=30)": 4,
}

// expanded is a type and the list of its basic elements, which is computed without the type.
type expanded struct {
	t   *Type
	all []string
}

func (x expanded) String() string { return strings.Join(x.all, " ") }

func basic(name string) expanded { return expanded{Predefined(name, sizes[name]), []string{name}} }

// must panics if a constructor rejects arguments that the standard allows.
func must(t *Type, err error) *Type {
	if err != nil {
		panic(err)
	}
	return t
}

// drawType draws a small type with the given basic types and random constructors.
func drawType(r *rapid.T, names []string, depth int) expanded {
	if depth == 0 || rapid.IntRange(0, 5).Draw(r, "leaf") == 0 {
		if rapid.IntRange(0, 9).Draw(r, "pair") == 0 {
			return expanded{Predefined("MPI_DOUBLE_INT", 12), []string{"MPI_DOUBLE", "MPI_INT"}}
		}
		return basic(rapid.SampledFrom(names).Draw(r, "basic"))
	}
	small := func(label string) int64 { return int64(rapid.IntRange(0, 3).Draw(r, label)) }
	several := func(label string, n int64) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = small(label)
		}
		return list
	}
	old := drawType(r, names, depth-1)
	times := func(t *Type, n int64) expanded { return expanded{t, slices.Repeat(old.all, int(n))} }
	sum := func(list []int64) (n int64) {
		for _, l := range list {
			n += l
		}
		return n
	}
	count, length := small("count"), small("blocklength")
	order := Order(rapid.IntRange(0, 1).Draw(r, "order"))
	switch rapid.IntRange(0, 11).Draw(r, "constructor") {
	case 0:
		return times(must(Contiguous(count, old.t)), count)
	case 1:
		return times(must(Vector(count, length, small("stride")-1, old.t)), count*length)
	case 2:
		return times(must(Hvector(count, length, 5*small("stride"), old.t)), count*length)
	case 3:
		lens := several("blocklength", count)
		return times(must(Indexed(lens, several("displacement", count), old.t)), sum(lens))
	case 4:
		lens := several("blocklength", count)
		return times(must(Hindexed(lens, several("displacement", count), old.t)), sum(lens))
	case 5:
		return times(must(IndexedBlock(length, several("displacement", count), old.t)), count*length)
	case 6:
		return times(must(HindexedBlock(length, several("displacement", count), old.t)), count*length)
	case 7:
		return times(must(Resized(-small("lb"), 8*small("extent"), old.t)), 1)
	case 8:
		return times(must(Dup(old.t)), 1)
	case 9:
		n := 1 + small("ndims")%3
		grid, sub, start := make([]int64, n), make([]int64, n), make([]int64, n)
		all := int64(1)
		for i := range grid {
			sub[i], start[i] = 1+small("subsize")%2, small("start")
			grid[i] = start[i] + sub[i] + small("more")
			all *= sub[i]
		}
		return times(must(Subarray(grid, sub, start, order, old.t)), all)
	case 10:
		return drawDarray(r, old, order)
	}
	n := small("count")
	lens, types := several("blocklength", n), make([]*Type, n)
	var all []string
	for i := range types {
		x := drawType(r, names, depth-1)
		types[i] = x.t
		all = append(all, slices.Repeat(x.all, int(lens[i]))...)
	}
	return expanded{must(Struct(lens, several("displacement", n), types)), all}
}

// drawDarray draws a darray. It finds the elements of the process index by index.
func drawDarray(r *rapid.T, old expanded, order Order) expanded {
	n := rapid.IntRange(1, 2).Draw(r, "ndims")
	grid, dargs, procs := make([]int64, n), make([]int64, n), make([]int64, n)
	dist := make([]Distribution, n)
	size := int64(1)
	for i := range n {
		dist[i] = Distribution(rapid.IntRange(0, 2).Draw(r, "distribution"))
		grid[i], procs[i], dargs[i] = int64(rapid.IntRange(1, 6).Draw(r, "gsize")),
			int64(rapid.IntRange(1, 3).Draw(r, "psize")), DefaultDarg
		switch dist[i] {
		case DistributeNone:
			procs[i] = 1
		case DistributeCyclic:
			dargs[i] = int64(rapid.IntRange(1, 3).Draw(r, "darg"))
		}
		size *= procs[i]
	}
	rank := int64(rapid.IntRange(0, int(size)-1).Draw(r, "rank"))
	t := must(Darray(size, rank, grid, dist, dargs, procs, order, old.t))
	all := int64(1)
	for i, rest := n-1, rank; i >= 0; i-- {
		me, block := rest%procs[i], dargs[i]
		rest /= procs[i]
		if dist[i] != DistributeCyclic {
			block = (grid[i] + procs[i] - 1) / procs[i]
		}
		own := int64(0)
		for j := range grid[i] {
			if j/block%procs[i] == me {
				own++
			}
		}
		all *= own
	}
	return expanded{t, slices.Repeat(old.all, int(all))}
}

// drawUse draws some copies of a type.
func drawUse(r *rapid.T, names []string) (Use, []string) {
	x := drawType(r, names, rapid.IntRange(0, 3).Draw(r, "depth"))
	n := rapid.IntRange(0, 4).Draw(r, "copies")
	if len(x.all)*n > 1<<14 {
		n = 1
	}
	return Use{Type: x.t, Count: int64(n)}, slices.Repeat(x.all, n)
}

func names() []string {
	var list []string
	for n := range sizes {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// listed hashes a list of basic types, one by one.
func listed(all []string) (h Hash) {
	for _, name := range all {
		one, _ := Use{Type: Predefined(name, 1), Count: 1}.Hash()
		h = h.Concat(one)
	}
	return h
}

func TestSignatureIsThatOfItsElements(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u, all := drawUse(r, names())
		n, ok := u.Elements()
		if !ok || n != int64(len(all)) {
			r.Fatalf("%d elements (%v), not %d", n, ok, len(all))
		}
		if h, ok := u.Hash(); !ok || h != listed(all) {
			r.Fatalf("the hash is not that of %v", all)
		}
		at := rapid.IntRange(0, len(all)).Draw(r, "prefix")
		if h, ok := u.Prefix(int64(at)); !ok || h != listed(all[:at]) {
			r.Fatalf("the hash of the first %d is not that of %v", at, all[:at])
		}
		if at < len(all) {
			if b := u.Element(int64(at)); b == nil || b.Name != all[at] {
				r.Fatalf("element %d is %v, not %s", at, b, all[at])
			}
		}
		if b := u.Element(n); b != nil {
			r.Fatalf("element %d of %d is %s", n, n, b.Name)
		}
	})
}

func TestHashLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var h [3]Hash
		for i := range h {
			all := rapid.SliceOfN(rapid.SampledFrom(names()), 0, 6).Draw(r, "elements")
			h[i] = listed(all)
		}
		a, b, c := h[0], h[1], h[2]
		if a.Concat(b).Concat(c) != a.Concat(b.Concat(c)) {
			r.Fatal("not associative")
		}
		if (Hash{}).Concat(a) != a || a.Concat(Hash{}) != a {
			r.Fatal("the zero hash is no identity")
		}
		n := rapid.IntRange(0, 70).Draw(r, "repetitions")
		var all Hash
		for range n {
			all = all.Concat(a)
		}
		if a.Repeat(int64(n)) != all {
			r.Fatalf("%d repetitions differ from as many concatenations", n)
		}
	})
	x, y := listed([]string{"MPI_INT"}), listed([]string{"MPI_DOUBLE"})
	if x.Concat(y) == y.Concat(x) {
		t.Error("commutative")
	}
}

// parse expands a compact signature.
func parse(t interface{ Fatalf(string, ...any) }, s string) []string {
	var all []string
	if s == "nothing" {
		return nil
	}
	var list func(closing bool) []string
	list = func(closing bool) (out []string) {
		for {
			n := 1
			if digits, rest, ok := strings.Cut(s, "×"); ok {
				if v, err := strconv.Atoi(digits); err == nil {
					n, s = v, rest
				}
			}
			if rest, ok := strings.CutPrefix(s, "{"); ok {
				s = rest
				out = append(out, slices.Repeat(list(true), n)...)
			} else {
				name := s
				depth := 0
				for i, c := range s {
					if c == '(' {
						depth++
					} else if c == ')' {
						depth--
					} else if depth == 0 && (c == ',' || c == '}') {
						name = s[:i]
						break
					}
				}
				s = s[len(name):]
				out = append(out, slices.Repeat([]string{"MPI_" + name}, n)...)
			}
			if closing {
				if rest, ok := strings.CutPrefix(s, "}"); ok {
					s = rest
					return out
				}
			}
			rest, ok := strings.CutPrefix(s, ", ")
			if !ok {
				if s != "" || closing {
					t.Fatalf("rest %q", s)
				}
				return out
			}
			s = rest
		}
	}
	all = list(false)
	return all
}

func TestCompactSignature(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u, all := drawUse(r, []string{"MPI_INT", "MPI_DOUBLE", "MPI_REAL(p=6,r=30)"})
		text := u.Signature(1 << 30)
		if got := parse(r, text); !slices.Equal(got, all) {
			r.Fatalf("%s stands for %v, not %v", text, got, all)
		}
		// The same elements one by one.
		types, ones, at := make([]*Type, len(all)), make([]int64, len(all)), make([]int64, len(all))
		for i, name := range all {
			types[i], ones[i] = basic(name).t, 1
		}
		if other := (Use{Type: must(Struct(ones, at, types)), Count: 1}).Signature(1 << 30); other != text &&
			len(all) < 500 {
			r.Fatalf("%s reads %s when its elements come one by one", text, other)
		}
		limit := rapid.IntRange(0, 60).Draw(r, "limit")
		short := u.Signature(limit)
		if short != text && (!strings.Contains(short, "…") || len(short) > limit+100) {
			r.Fatalf("%s is cut to %s at %d", text, short, limit)
		}
	})
}

func TestSignatureExamples(t *testing.T) {
	i, d, s, c := basic("MPI_INT").t, basic("MPI_DOUBLE").t, basic("MPI_SHORT").t, basic("MPI_CHAR").t
	two := must(Struct([]int64{1, 1}, []int64{0, 8}, []*Type{i, d}))
	gropp := must(Struct([]int64{2, 1}, []int64{0, 32}, []*Type{two, s}))
	one := []int64{1, 1, 1, 1, 1, 1, 1, 1}
	for _, x := range []struct {
		u    Use
		want string
	}{
		{Use{i, 0}, "nothing"},
		{Use{nil, 3}, "unknown"},
		{Use{UnknownType(), 3}, "unknown"},
		{Use{i, 1}, "INT"},
		{Use{i, 7}, "7×INT"},
		{Use{Predefined("MPI_2INT", 8), 2}, "4×INT"},
		{Use{Predefined("MPI_DOUBLE_INT", 12), 1}, "DOUBLE, INT"},
		{Use{Predefined("MPI_DOUBLE_INT", 12), 3}, "3×{DOUBLE, INT}"},
		{Use{two, 1 << 40}, "1099511627776×{INT, DOUBLE}"},
		// The example of section 1 of Gropp, Runtime Checking of Datatype Signatures in MPI.
		{Use{gropp, 1}, "2×{INT, DOUBLE}, SHORT"},
		{Use{gropp, 5}, "5×{2×{INT, DOUBLE}, SHORT}"},
		// The example of section VI.B of the paper on MUST's datatype checks.
		{Use{must(Struct(one, one, []*Type{d, c, d, c, d, c, c, c})), 1}, "2×{DOUBLE, CHAR}, DOUBLE, 3×CHAR"},
		{Use{must(Struct(one[:3], one[:3], []*Type{i, d, i})), 4}, "4×{INT, DOUBLE, INT}"},
		{Use{must(Struct(one[:6], one[:6], []*Type{i, d, i, i, d, i})), 1}, "2×{INT, DOUBLE, INT}"},
		{Use{must(Struct([]int64{1000000, 1}, one[:2], []*Type{two, s})), 3}, "3×{1000000×{INT, DOUBLE}, SHORT}"},
	} {
		if got := x.u.Signature(200); got != x.want {
			t.Errorf("%s, not %s", got, x.want)
		}
	}
	if got := (Use{gropp, 5}).Signature(10); got != "5×{2×{INT, DOUBLE, …}, …}" && got != "5×{2×{INT, …}, …}" {
		t.Errorf("cut: %s", got)
	}
}

// TestLargeSignatures checks that everything is fast, whatever the number of elements.
func TestLargeSignatures(t *testing.T) {
	start := time.Now()
	deep, other := basic("MPI_INT").t, basic("MPI_INT").t
	for range 15 {
		deep = must(Struct([]int64{3, 2, 3}, []int64{0, 0, 0}, []*Type{deep, basic("MPI_DOUBLE").t, deep}))
		other = must(Struct([]int64{3, 1, 1, 3}, []int64{0, 0, 0, 0},
			[]*Type{other, basic("MPI_DOUBLE").t, basic("MPI_DOUBLE").t, other}))
	}
	// One element differs: the last one, in the last of many copies.
	wrong := must(Struct([]int64{1000, 1}, []int64{0, 0}, []*Type{deep, basic("MPI_CHAR").t}))
	right := must(Struct([]int64{1000, 1}, []int64{0, 0}, []*Type{other, basic("MPI_SHORT").t}))
	c := Compare(Use{wrong, 1}, Use{right, 7}, false)
	if n, _ := (Use{deep, 1000}).Elements(); c.Verdict != Mismatch || c.At != n || c.Send.Name != "MPI_CHAR" ||
		c.Recv.Name != "MPI_SHORT" {
		t.Errorf("%v at %d, not at %d", c.Verdict, c.At, n)
	}
	if c := Compare(Use{deep, 1000}, Use{other, 1000}, true); c.Verdict != Matches {
		t.Errorf("the same: %v at %d", c.Verdict, c.At)
	}
	if text := (Use{deep, 1000}).Signature(150); len(text) > 400 || !strings.HasPrefix(text, "1000×{") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("%v", d)
	}
}

// TestCompareExamples checks the special cases of the rules, which random types seldom reach.
func TestCompareExamples(t *testing.T) {
	b := func(name string, n int64) Use { return Use{Predefined(name, sizes[name]), n} }
	of := func(n int64, parts ...Use) Use {
		lens, at, types := make([]int64, len(parts)), make([]int64, len(parts)), make([]*Type, len(parts))
		for i, p := range parts {
			lens[i], types[i] = p.Count, p.Type
		}
		return Use{must(Struct(lens, at, types)), n}
	}
	const huge = 1 << 40
	for _, x := range []struct {
		name       string
		send, recv Use
		whole      bool
		want       string
	}{
		{"one type", b("MPI_INT", 4), b("MPI_INT", 4), false, "matches"},
		{"fewer", b("MPI_INT", 3), b("MPI_INT", 4), false, "matches"},
		{"fewer, collective", b("MPI_INT", 3), b("MPI_INT", 4), true, "too short at 3: - INT"},
		{"more", b("MPI_INT", 5), b("MPI_INT", 4), false, "too long at 4: INT -"},
		{"none", b("MPI_INT", 0), b("MPI_DOUBLE", 4), false, "matches"},
		{"none of an unknown type", Use{nil, 0}, b("MPI_DOUBLE", 4), false, "matches"},
		{"none, collective", b("MPI_INT", 0), b("MPI_DOUBLE", 0), true, "matches"},
		{"none for some, collective", b("MPI_INT", 0), b("MPI_DOUBLE", 1), true, "too short at 0: - DOUBLE"},
		{"some for none", b("MPI_INT", 2), b("MPI_DOUBLE", 0), false, "too long at 0: INT -"},
		{"unknown", b("MPI_INT", 2), Use{UnknownType(), 1}, false, "undecided at 0: - -"},
		{"no handle", Use{nil, 1}, Use{nil, 1}, false, "undecided at 0: - -"},
		{"other type", b("MPI_INT", 2), b("MPI_DOUBLE", 1), false, "mismatch at 0: INT DOUBLE"},
		{
			"longer and another type within", of(1, b("MPI_INT", 2), b("MPI_DOUBLE", 9)), b("MPI_INT", 3), false,
			"mismatch at 2: DOUBLE INT",
		},
		{
			"longer and another type behind", of(1, b("MPI_INT", 3), b("MPI_DOUBLE", 9)), b("MPI_INT", 3), false,
			"too long at 3: DOUBLE -",
		},
		{"names, not sizes", b("MPI_LONG", 1), b("MPI_INT64_T", 1), false, "mismatch at 0: LONG INT64_T"},
		{"pair types", Use{Predefined("MPI_2INT", 8), 2}, b("MPI_INT", 4), false, "matches"},
		{
			"partial receive", of(1, b("MPI_INT", 1), b("MPI_DOUBLE", 10)),
			of(1, b("MPI_INT", 1), b("MPI_DOUBLE", 50)), false, "matches",
		},
		{
			"partial receive ending in a copy", of(2, b("MPI_INT", 1), b("MPI_DOUBLE", 2)),
			of(2, b("MPI_INT", 1), b("MPI_DOUBLE", 2), b("MPI_INT", 1)), false, "mismatch at 4: DOUBLE INT",
		},
		{"packed sent", b("MPI_PACKED", 100), of(1, b("MPI_INT", 1), b("MPI_DOUBLE", 1)), false, "matches"},
		{"packed expected", of(9, b("MPI_INT", 1), b("MPI_DOUBLE", 1)), b("MPI_PACKED", 1), false, "matches"},
		{"packed, longer", b("MPI_PACKED", 100), b("MPI_PACKED", 50), false, "too long at 50: PACKED -"},
		{
			"packed among others", of(1, b("MPI_INT", 1), b("MPI_PACKED", 8)),
			of(1, b("MPI_INT", 1), b("MPI_DOUBLE", 1)), false, "undecided at 1: PACKED DOUBLE",
		},
		{
			"packed behind a mismatch", of(1, b("MPI_INT", 1), b("MPI_PACKED", 8)),
			of(1, b("MPI_SHORT", 1), b("MPI_DOUBLE", 8)), false, "mismatch at 0: INT SHORT",
		},
		{"bytes sent", b("MPI_BYTE", 8), b("MPI_INT", 2), false, "bytes at 0: BYTE INT"},
		{"bytes expected, longer", b("MPI_INT", 2), b("MPI_BYTE", 100), false, "bytes at 0: INT BYTE"},
		{"bytes expected, shorter", b("MPI_INT", 2), b("MPI_BYTE", 7), false, "mismatch at 0: INT BYTE"},
		{"bytes, collective", b("MPI_INT", 2), b("MPI_BYTE", 8), true, "bytes at 0: INT BYTE"},
		{"bytes, collective, shorter", b("MPI_INT", 2), b("MPI_BYTE", 9), true, "mismatch at 0: INT BYTE"},
		{
			"bytes within", of(huge, b("MPI_INT", 1), b("MPI_BYTE", 4)), b("MPI_INT", 2*huge), false,
			"bytes at 1: BYTE INT",
		},
		{
			"bytes across elements", of(1, b("MPI_BYTE", 6), b("MPI_INT", 1)),
			of(1, b("MPI_INT", 1), b("MPI_BYTE", 6)), false, "bytes at 0: BYTE INT",
		},
		{
			"bytes of two copies for one element", of(2, b("MPI_BYTE", 2), b("MPI_INT", 1), b("MPI_BYTE", 2)),
			of(1, b("MPI_BYTE", 2), b("MPI_INT", 3), b("MPI_BYTE", 2)), false, "bytes at 3: BYTE INT",
		},
		{
			"bytes beside another machine's type", of(1, b("MPI_BYTE", 4), b("MPI_LONG", 1)),
			of(1, b("MPI_INT", 1), Use{Predefined("MPI_LONG", 4), 2}), false, "mismatch at 0: BYTE INT",
		},
		{"another machine's type", b("MPI_LONG", 4), Use{Predefined("MPI_LONG", 4), 4}, false, "matches"},
		{
			"bytes that cut an element", of(1, b("MPI_BYTE", 6), b("MPI_SHORT", 1)), b("MPI_INT", 2), false,
			"mismatch at 0: BYTE INT",
		},
		{
			"bytes and a mismatch behind", of(1, b("MPI_BYTE", 4), b("MPI_SHORT", 1)),
			of(1, b("MPI_INT", 1), b("MPI_CHAR", 2)), false, "mismatch at 0: BYTE INT",
		},
		{
			"a mismatch before bytes", of(1, b("MPI_SHORT", 2), b("MPI_BYTE", 4)), b("MPI_INT", 2), false,
			"mismatch at 0: SHORT INT",
		},
		{"two languages", b("MPI_INT", huge), b("MPI_INTEGER", huge), false, "undecided at 0: INT INTEGER"},
		{"two languages, longer", b("MPI_INT", 3), b("MPI_INTEGER", 2), false, "too long at 2: INT -"},
		{
			"two languages and a mismatch behind", of(1, b("MPI_INT", huge), b("MPI_SHORT", 1)),
			of(1, b("MPI_INTEGER", huge), b("MPI_CHAR", 1)), false, "mismatch at 1099511627776: SHORT CHAR",
		},
		{
			"two languages, nested", of(1, of(huge, b("MPI_INT", 1), b("MPI_CHAR", 3)), b("MPI_SHORT", 1)),
			of(1, of(huge/2, of(2, b("MPI_INTEGER", 1), b("MPI_CHARACTER", 3))), b("MPI_CHAR", 1)), false,
			"mismatch at 4398046511104: SHORT CHAR",
		},
		{
			"two languages, a mismatch behind and matches before",
			of(2, b("MPI_SHORT", 2), b("MPI_INT", 3), b("MPI_SHORT", 1)),
			of(2, b("MPI_SHORT", 2), b("MPI_INTEGER", 3), b("MPI_CHAR", 1)), false, "mismatch at 5: SHORT CHAR",
		},
		{
			"another size in another language", b("MPI_INT", 1), b("MPI_INTEGER8", 1), false,
			"mismatch at 0: INT INTEGER8",
		},
		{"precision and range", b("MPI_REAL(p=6,r=30)", 3), b("MPI_REAL(p=6,r=30)", 3), false, "matches"},
		{
			"other precision",
			Use{F90(F90RealKind, 6, 30, 4), 1},
			Use{F90(F90RealKind, 6, 37, 4), 1},
			false,
			"mismatch at 0: REAL(p=6,r=30) REAL(p=6,r=37)",
		},
		{
			"precision and range against none",
			Use{F90(F90RealKind, 6, 30, 4), 1},
			Use{Predefined("MPI_REAL", 4), 1},
			false, "mismatch at 0: REAL(p=6,r=30) REAL",
		},
		{
			"more elements than there can be",
			Use{must(Contiguous(1<<60, basic("MPI_CHAR").t)), 1 << 60},
			b("MPI_INT", 1), false, "undecided at 0: - -",
		},
	} {
		if got := verdict(Compare(x.send, x.recv, x.whole)); got != x.want {
			t.Errorf("%s: %s against %s is %s, not %s", x.name, x.send.Signature(60), x.recv.Signature(60), got, x.want)
		}
	}
}

func verdict(c Comparison) string {
	if c == (Comparison{}) {
		return "matches"
	}
	name := func(b *Basic) string {
		if b == nil {
			return "-"
		}
		return strings.TrimPrefix(b.Name, "MPI_")
	}
	what := map[Verdict]string{
		Matches: "matches", Mismatch: "mismatch", ByteMismatch: "bytes", TooLong: "too long", TooShort: "too short",
		Undecided: "undecided",
	}
	return fmt.Sprintf("%s at %d: %s %s", what[c.Verdict], c.At, name(c.Send), name(c.Recv))
}
