package datatype

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text                   string
		size, elements, lb, ub int64
		formatted              string // "" if it is the text
	}{
		{"INT", 4, 1, 0, 4, ""},
		{"MPI_INT", 4, 1, 0, 4, "INT"},
		{"2INT", 8, 2, 0, 8, ""},
		{"LONG_LONG", 8, 1, 0, 8, "LONG_LONG_INT"},
		{"INTEGER:8", 8, 1, 0, 8, ""},
		{"MPIX_BFLOAT16:2", 2, 1, 0, 2, ""},
		{"REAL16", 16, 1, 0, 16, ""},
		{"struct{2*INT @0, DOUBLE @8}", 16, 3, 0, 16, ""},
		{"struct {\n 2 * MPI_INT @ 0 ,\n MPI_DOUBLE @ 8 }", 16, 3, 0, 16, "struct{2*INT @0, DOUBLE @8}"},
		{"struct{}", 0, 0, 0, 0, ""},
		{"struct{LB @-4, 5*INT @0, 7*CHAR @47, 2*DOUBLE @76, UB @100}", 43, 14, -4, 100, ""},
		{"contiguous(3, DOUBLE_INT)", 36, 6, 0, 48, ""},
		{"vector(3, 2, 4, INT)", 24, 6, 0, 40, ""},
		{"hvector(3, 2, -16, INT)", 24, 6, -32, 8, ""},
		{"indexed([2, 1], [0, 5], INT)", 12, 3, 0, 24, ""},
		{"hindexed([2, 1], [0, 5], INT)", 12, 3, 0, 12, ""},
		{"indexed_block(2, [0, 5], INT)", 16, 4, 0, 28, ""},
		{"hindexed_block(2, [0, 5], INT)", 16, 4, 0, 16, ""},
		{"indexed([], [], INT)", 0, 0, 0, 0, ""},
		{"subarray([10, 10], [2, 3], [1, 1], C, DOUBLE)", 48, 6, 0, 800, ""},
		{
			"subarray([10, 10], [2, 3], [1, 1], fortran, DOUBLE)", 48, 6, 0, 800,
			"subarray([10, 10], [2, 3], [1, 1], FORTRAN, DOUBLE)",
		},
		{"darray(4, 1, [10, 10], [block, cyclic(2)], [2, 2], C, DOUBLE)", 160, 20, 0, 800, ""},
		{"darray(2, 1, [10, 3], [block(5), none], [2, 1], C, DOUBLE)", 120, 15, 0, 240, ""},
		{"resized(0, 16, INT)", 4, 1, 0, 16, ""},
		{"dup(INT)", 4, 1, 0, 4, ""},
		{"f90_real(6, 37)", 4, 1, 0, 4, ""},
		{"f90_complex(15, 307)", 16, 1, 0, 16, ""},
		{"f90_integer(9):8", 8, 1, 0, 8, ""},
		{"f90_real(30, 4000)", -1, -1, 0, 0, ""},
		{"f90_real(30, 4000):16", 16, 1, 0, 16, ""},
		{"unknown", -1, -1, 0, 0, ""},
		{"contiguous(2, unknown)", -1, -1, 0, 0, ""},
		{
			"t1 = struct{2*INT @0, DOUBLE @8}; t2 = contiguous(3, t1)", 48, 9, 0, 48,
			"contiguous(3, struct{2*INT @0, DOUBLE @8})",
		},
		{
			"row = vector(2, 1, 2, INT); struct{row @0, row @100};", 16, 4, 0, 112,
			"t1 = vector(2, 1, 2, INT); struct{t1 @0, t1 @100}",
		},
	} {
		typ, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if typ.Size != c.size || typ.Elements != c.elements || typ.LB != c.lb || typ.UB != c.ub {
			t.Errorf("%s: %d bytes, %d elements, from %d to %d", c.text, typ.Size, typ.Elements, typ.LB, typ.UB)
		}
		want := c.formatted
		if want == "" {
			want = c.text
		}
		if got := Format(typ); got != want {
			t.Errorf("%s is formatted %s", c.text, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "column 1: a type is expected, not the end"},
		{"double", "column 1: there is no type double: did you mean DOUBLE?"},
		{"vector(3, 2, 4, MPI_int)", "column 17: there is no type MPI_int: did you mean INT?"},
		{"MPI_Type_vector(3, 2, 4, INT)", "column 1: there is no type MPI_Type_vector: did you mean vector?"},
		{
			"matrix(3, INT)", "column 1: there is no type matrix; constructors are contiguous, darray, dup, " +
				"f90_complex, f90_integer, f90_real, hindexed, hindexed_block, hvector, indexed, indexed_block, " +
				"resized, struct, subarray, unknown, vector",
		},
		{"FOO:4", "column 1: there is no type FOO"},
		{"REAL3", "column 1: there is no type REAL3"},
		{"INT:-1", "column 5: -1 is not the size of a basic type"},
		{"contiguous(-3, INT)", "column 12: count = -3 is negative"},
		{"contiguous(3 INT)", "column 14: ',' is expected, not 'I'"},
		{"contiguous(3, INT", "column 18: ')' is expected, not the end"},
		{"contiguous 3", "column 12: '(' is expected, not '3'"},
		{"contiguous(x, INT)", "column 12: a number is expected, not 'x'"},
		{"contiguous(99999999999999999999, INT)", "column 12: 99999999999999999999 is beyond 64 bits"},
		{
			"contiguous(9999999999999, contiguous(99999999999, INT))",
			"column 1: the datatype is larger than an MPI_Count can tell",
		},
		{"indexed([1, 2], [0], INT)", "column 17: array_of_displacements has 1 numbers, but the first list has 2"},
		{"indexed([1, -2], [0, 4], INT)", "column 9: array_of_blocklengths[1] = -2 is negative"},
		{"subarray([4], [5], [0], C, INT)", "column 15: array_of_subsizes[0] = 5 is larger than array_of_sizes there"},
		{"subarray([4], [2], [0], ROW, INT)", "column 25: C or FORTRAN is expected"},
		{"darray(4, 0, [10, 10], [block], [2, 2], C, INT)", "column 24: there are 1 distributions for 2 dimensions"},
		{"darray(4, 0, [10, 10], [block, round], [2, 2], C, INT)", "column 32: block or cyclic or none is expected"},
		{
			"darray(4, 0, [10, 10], [block(2), none], [4, 1], C, INT)",
			"column 24: array_of_dargs[0] = 2 is too small: with MPI_DISTRIBUTE_BLOCK, array_of_dargs times " +
				"array_of_psizes must cover array_of_gsizes",
		},
		{"struct{2 INT @0}", "column 10: '*' is expected, not 'I'"},
		{"struct{2*INT}", "column 13: '@' is expected, not '}'"},
		{"struct{-2*INT @0}", "column 8: -2 copies are less than none"},
		{"struct{INT @0", "column 14: '}' is expected, not the end"},
		{"struct{INT @0,}", "column 15: a type is expected, not '}'"},
		{"struct{INT @0 CHAR @4}", "column 15: '}' is expected, not 'C'"},
		{"INT INT", "column 5: the end or ';' is expected, not 'I'"},
		{"INT = contiguous(2, CHAR)", "column 1: INT is a predefined type already"},
		{"vector = contiguous(2, CHAR)", "column 1: vector is a constructor already"},
		{"a = INT; a = CHAR", "column 10: a is defined already"},
		{"a = contiguous(2, a)", "column 19: there is no type a"},
		{"a = INT;\n b = größe", "line 2, column 6: there is no type größe"},
		{strings.Repeat("dup(", 1001), "column 4001: types are nested more than 1000 deep"},
		{"\x00", "column 1: a type is expected, not '\\x00'"},
	} {
		_, err := Parse(c.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("%.50s: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestParseRefusesTooMuch(t *testing.T) {
	text := "indexed_block(1, [" + strings.Repeat("0,", maxNumbers) + "0], INT)"
	if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "there are more than 4194304 numbers") {
		t.Errorf("%.200v", err)
	}
}

// TestDefaultSizes checks sizes of types, among them those whose names contain the size.
func TestDefaultSizes(t *testing.T) {
	for name, want := range map[string]int64{
		"MPI_INTEGER2": 2, "MPI_REAL8": 8, "MPI_COMPLEX32": 32, "MPI_LOGICAL1": 1, "MPI_INT16_T": 2,
		"MPI_LONG_DOUBLE_INT": 20,
	} {
		if got, ok := DefaultSize(name); got != want || !ok {
			t.Errorf("%s: %d, %t", name, got, ok)
		}
	}
	for _, name := range []string{
		"MPI_INTEGER3", "MPI_REAL1", "INT", "MPI_COMPLEX64",
		"MPI_INTEGER99999999999999999999", "",
	} {
		if size, ok := DefaultSize(name); ok {
			t.Errorf("%q has size %d", name, size)
		}
	}
	for name := range pairs {
		size, ok := DefaultSize(name)
		if p := Predefined(name, size); !ok || p.Elements != 2 || p.Size != size {
			t.Errorf("%s: %d bytes, %d elements", name, p.Size, p.Elements)
		}
	}
}

// same returns an error unless two types have the same construction.
func same(a, b *Type) error {
	if a.Kind != b.Kind || a.Basic != b.Basic || len(a.Olds) != len(b.Olds) {
		return fmt.Errorf("%v %v of %d and %v %v of %d", a.Kind, a.Basic, len(a.Olds), b.Kind, b.Basic, len(b.Olds))
	}
	for i := range a.Olds {
		if err := same(a.Olds[i], b.Olds[i]); err != nil {
			return err
		}
	}
	if fmt.Sprint(a.Args) != fmt.Sprint(b.Args) || a.LB != b.LB || a.UB != b.UB || a.Size != b.Size ||
		a.Elements != b.Elements {
		return fmt.Errorf("%+v and %+v", a, b)
	}
	return nil
}

func TestFormatRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawType(t, 4)
		if rapid.Bool().Draw(t, "shared") {
			typ = must(Struct([]int64{1, 2}, []int64{0, 1000}, []*Type{typ, typ}))
		}
		text := Format(typ)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := same(typ, again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if twice := Format(again); twice != text {
			t.Fatalf("%s is read as %s", text, twice)
		}
	})
}

// TestFormatShares checks that a type of 2^50 nodes has a short text.
func TestFormatShares(t *testing.T) {
	typ := tInt
	for range 50 {
		typ = must(Struct([]int64{1, 1}, []int64{0, typ.Extent()}, []*Type{typ, typ}))
	}
	text := Format(typ)
	again, err := Parse(text)
	if err != nil || again.Elements != 1<<50 || len(text) > 3000 {
		t.Errorf("%d characters, %v", len(text), err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"t1 = struct{2*INT @0, DOUBLE @8}; t2 = contiguous(3, t1)",
		"darray(4, 1, [10,10], [block, cyclic(2)], [2,2], C, DOUBLE)",
		"subarray([10,10],[2,3],[1,1], C, INTEGER:8)", "indexed([1,2],[3,4],f90_real(6, 37):8)",
		"resized(0, 16, dup(unknown))",
		"hindexed_block(2, [0, 5], struct{LB @0})", "vector(3,2,-4,2INT)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Format(typ))
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, Format(typ), err)
		}
		if Format(again) != Format(typ) {
			t.Fatalf("%q is written as %q, and then as %q", text, Format(typ), Format(again))
		}
	})
}
