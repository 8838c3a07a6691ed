package datatype

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// must returns the type. It panics if there is an error.
func must(t *Type, err error) *Type {
	if err != nil {
		panic(err)
	}
	return t
}

var (
	tInt    = Predefined("MPI_INT", 4)
	tChar   = Predefined("MPI_CHAR", 1)
	tDouble = Predefined("MPI_DOUBLE", 8)
)

// figure1 is s_type, the struct of figure 1 in the paper on MUST's datatype checks.
func figure1() *Type {
	return must(Struct([]int64{1, 5, 7, 2, 1}, []int64{-4, 0, 47, 76, 100},
		[]*Type{Predefined("MPI_LB", 0), tInt, tChar, tDouble, Predefined("MPI_UB", 0)}))
}

func TestPathsOfThePaper(t *testing.T) {
	s := figure1()
	for _, c := range []struct {
		path                string
		first, elements, at int64
	}{
		{"s_type(STRUCT)", 0, 14, 0},
		{"s_type(STRUCT)[3]", 12, 2, 76}, // the block of doubles
		{"s_type(STRUCT)[2][5](CHAR)", 10, 1, 52},
		{"s_type[2][5]", 10, 1, 52},
		{"[2][5]", 10, 1, 52},
		{"s_type[2][5](MPI_CHAR)", 10, 1, 52},
		{" s_type ( STRUCT ) [2] [5] (CHAR) ", 10, 1, 52},
		{"s_type(STRUCT)[0][0](LB)", 0, 0, -4},
		{"copy 3 of s_type(STRUCT)[2][5](CHAR)", 3*14 + 10, 1, 3*104 + 52},
	} {
		p, err := ParsePath(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		got, err := p.Resolve(s)
		if err != nil || got.First != c.first || got.Node.Elements() != c.elements || got.At != c.at {
			t.Errorf("%s: element %d, %d elements, displacement %d, %v", c.path, got.First, got.Node.Elements(),
				got.At, err)
		}
		if strings.HasPrefix(c.path, "s_type[2]") && p.Explained(s).String() != "s_type(STRUCT)[2][5](CHAR)" {
			t.Errorf("%s is explained as %s", c.path, p.Explained(s))
		}
	}
	if got := PathTo(s, "s_type", 10).String(); got != "s_type(STRUCT)[2][5](CHAR)" {
		t.Error(got)
	}
	// Bytes 0 to 19 of the data are integers, 20 to 26 characters.
	if got := PathToByte(s, "s_type", 25).String(); got != "s_type(STRUCT)[2][5](CHAR)" {
		t.Error(got)
	}
	if got := PathTo(s, "s_type", 3*14+10).String(); got != "copy 3 of s_type(STRUCT)[2][5](CHAR)" {
		t.Error(got)
	}
	if got := PathTo(s, "s_type", 10).Among(4).String(); got != "copy 0 of s_type(STRUCT)[2][5](CHAR)" {
		t.Error(got)
	}
	// Table I: the first element differs.
	send := must(Struct([]int64{2, 1}, []int64{0, 8}, []*Type{tInt, tDouble}))
	recv := must(Struct([]int64{1, 2}, []int64{0, 8}, []*Type{tDouble, tInt}))
	if a, b := PathTo(send, "Type", 0).String(), PathTo(recv, "Type", 0).String(); a != "Type(STRUCT)[0][0](INT)" ||
		b != "Type(STRUCT)[0][0](DOUBLE)" {
		t.Error(a, b)
	}
	// Section II: paths do not depend on displacements.
	wrong := must(Struct([]int64{1, 1, 1, 1, 1}, []int64{0, 0, -8, -16, -24},
		[]*Type{Predefined("MPI_LB", 0), tInt, tDouble, tChar, Predefined("MPI_UB", 0)}))
	if got := PathTo(wrong, "", 1).String(); got != "(STRUCT)[2][0](DOUBLE)" {
		t.Error(got)
	}
}

// TestPathStages checks that every constructor has the stages of section IV.C.
func TestPathStages(t *testing.T) {
	pair := Predefined("MPI_DOUBLE_INT", 12)
	for _, c := range []struct {
		t    *Type
		e    int64
		want string
	}{
		{tInt, 0, "t(INT)"},
		{pair, 1, "t(DOUBLE_INT)[1](INT)"},
		{must(Contiguous(3, pair)), 4, "t(CONTIGUOUS)[2](DOUBLE_INT)[0](DOUBLE)"},
		{must(Vector(3, 2, 4, tInt)), 3, "t(VECTOR)[1][1](INT)"},
		{must(Hvector(3, 2, 16, tInt)), 5, "t(HVECTOR)[2][1](INT)"},
		{must(Indexed([]int64{2, 0, 3}, []int64{9, 5, 0}, tInt)), 2, "t(INDEXED)[2][0](INT)"},
		{must(Hindexed([]int64{2, 1}, []int64{9, 0}, tInt)), 2, "t(HINDEXED)[1][0](INT)"},
		{must(IndexedBlock(2, []int64{4, 0}, tInt)), 3, "t(INDEXED_BLOCK)[1][1](INT)"},
		{must(HindexedBlock(2, []int64{4, 0}, tInt)), 3, "t(HINDEXED_BLOCK)[1][1](INT)"},
		{must(Struct([]int64{1, 2}, []int64{0, 8}, []*Type{tChar, pair})), 4, "t(STRUCT)[1][1](DOUBLE_INT)[1](INT)"},
		{
			must(Subarray([]int64{4, 5, 6}, []int64{2, 3, 4}, []int64{0, 0, 0}, OrderC, tInt)), 23,
			"t(SUBARRAY)[1][2][3](INT)",
		},
		{
			must(Darray(4, 1, []int64{4, 4}, []Distribution{DistributeBlock, DistributeCyclic},
				[]int64{DefaultDarg, 1}, []int64{2, 2}, OrderC, tInt)), 3, "t(DARRAY)[1][1](INT)",
		},
		{must(Resized(0, 16, tInt)), 0, "t(RESIZED)[0](INT)"},
		{must(Dup(must(Contiguous(2, tInt)))), 1, "t(DUP)[0](CONTIGUOUS)[1](INT)"},
		{F90(F90RealKind, 6, 30, 4), 0, "t(F90_REAL)"},
		{
			must(Contiguous(1<<40, must(Vector(1<<10, 1, 2, tInt)))), 1<<50 - 1,
			"t(CONTIGUOUS)[1099511627775](VECTOR)[1023][0](INT)",
		},
		{must(Contiguous(0, tInt)), 0, "t(CONTIGUOUS)"},
		{UnknownType(), 5, "t(UNKNOWN)"},
	} {
		if got := PathTo(c.t, "t", c.e).String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestPathErrors(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"s_type[5]", "s_type has [0] to [4], so no [5]"},
		{"s_type[1][1][0]", "s_type[1][1] has nothing below it, so no [0]"},
		{"s_type(VECTOR)[1]", "s_type(VECTOR) is STRUCT, not VECTOR"},
		{"s_type[1](INT)", "s_type[1](INT) is a stage between two types, not INT"},
		{"s_type[1][1](CHAR)", "s_type[1][1](CHAR) is INT, not CHAR"},
		{"[9]", "the type has [0] to [4], so no [9]"},
		{"s_type[1][0](LONG)", "s_type[1][0](LONG) is INT, not LONG"},
		{
			"copy 9223372036854775807 of s_type",
			"copy 9223372036854775807 of s_type is further away than an MPI_Count can tell",
		},
	} {
		p, err := ParsePath(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if _, err := p.Resolve(figure1()); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
	p, _ := ParsePath("s_type[3]")
	if _, err := p.Element(figure1()); err == nil ||
		err.Error() != "s_type[3] is no basic element, but a node with 2 below it" {
		t.Error(err)
	}
	for _, c := range []struct {
		path   string
		column int
		why    string
	}{
		{"s_type[", 8, "a number"},
		{"s_type[-1]", 8, "not negative"},
		{"s_type[1", 9, "']' is expected, not the end"},
		{"s_type[1](IN[T)", 13, "')' is expected, not '['"},
		{"s_type[1](", 11, "kind of type"},
		{"s_type[1]()", 11, "kind of type"},
		{"ty[1]x", 6, "not 'x'"},
		{"größe[x]", 7, "a number"},
		{"[99999999999999999999]", 2, "beyond 64 bits"},
		{`"abc[1]`, 1, "quote"},
		{"copy 3 s_type", 8, `"of"`},
		{"copy x of s_type", 6, "a number"},
		{"a b", 3, "square brackets"},
	} {
		_, err := ParsePath(c.path)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Column != c.column || !strings.Contains(syntax.Why, c.why) {
			t.Errorf("%s: %v, want column %d: …%s…", c.path, err, c.column, c.why)
		}
	}
}

// TestPathRoundTrip checks that the path of every element leads back to the element, also after a conversion to text
// and back, with or without explanations.
func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 4)
		if typ.Elements <= 0 {
			return
		}
		count := rapid.Int64Range(1, 3).Draw(t, "count")
		e := rapid.Int64Range(0, count*typ.Elements-1).Draw(t, "element")
		name := rapid.SampledFrom([]string{
			"", "x", "s_type", "copy", "my type", `a"b`, "f(x)[2]", "größe",
			"\x80",
		}).Draw(t, "name")
		p := PathTo(typ, name, e).Among(count)
		text := p.String()
		again, err := ParsePath(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again.Name != name || again.Copy != p.Copy || again.Kind != p.Kind || !slices.Equal(again.Steps, p.Steps) {
			t.Fatalf("%s is read as %+v", text, again)
		}
		if got, err := again.Element(typ); err != nil || got != e {
			t.Fatalf("%s leads to element %d, %v, not to %d", text, got, err, e)
		}
		for i := range again.Steps {
			again.Steps[i].Kind = ""
		}
		place, err := again.Resolve(typ)
		if err != nil || place.First != e {
			t.Fatalf("%s leads to element %d, %v, not to %d", again, place.First, err, e)
		}
		if size := place.Node.Bytes(); size > 0 {
			b := place.Byte + rapid.Int64Range(0, size-1).Draw(t, "byte")
			if got := PathToByte(typ, name, b).Among(count).String(); got != text {
				t.Fatalf("byte %d is at %s, not at %s", b, got, text)
			}
		}
		// Compare with element e of the type map.
		if n := flatten(typ); n != nil {
			want := n[e%typ.Elements]
			want.at += e / typ.Elements * typ.Extent()
			if place.At != want.at || place.Node.Type.Basic != want.basic {
				t.Fatalf("%s is %v at %d, but should be %v", text, place.Node.Type.Basic.Name, place.At, want)
			}
		}
	})
}

// TestPathRange checks that a path to an inner node covers the elements of its children.
func TestPathRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 4)
		if typ.Elements <= 0 {
			return
		}
		e := rapid.Int64Range(0, typ.Elements-1).Draw(t, "element")
		p := PathTo(typ, "t", e)
		p.Steps = p.Steps[:rapid.IntRange(0, len(p.Steps)).Draw(t, "steps")]
		place, err := p.Resolve(typ)
		if err != nil {
			t.Fatal(err)
		}
		if e < place.First || e >= place.First+place.Node.Elements() {
			t.Fatalf("%s is %d elements from %d, without element %d", p, place.Node.Elements(), place.First, e)
		}
		var sum int64
		for i := range min(place.Node.Children(), 1000) {
			if before, _ := place.Node.Before(i); before != sum {
				t.Fatalf("%s: %d elements before child %d, not %d", p, before, i, sum)
			}
			sum += place.Node.Child(i).Elements()
		}
	})
}

func FuzzParsePath(f *testing.F) {
	f.Add("copy 3 of s_type(STRUCT)[2][5](CHAR)")
	f.Add(`"a\"b"(X)[1]`)
	s := figure1()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("%q: written as %q, which is %q, %v", text, p, again, err)
		}
		_, _ = p.Resolve(s)
	})
}
