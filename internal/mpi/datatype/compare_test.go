package datatype_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	. "github.com/mpivet/mpivet/internal/mpi/datatype"
)

// acceptable tells whether two basic types match, or are of two languages and may match.
func acceptable(s, r string) bool {
	together := [][]string{
		{"MPI_INT", "MPI_INTEGER"},
		{"MPI_LONG", "MPI_INTEGER8"},
		{"MPI_INT64_T", "MPI_INTEGER8"},
		{"MPI_CHAR", "MPI_CHARACTER"},
	}
	return s == r || slices.ContainsFunc(together, func(p []string) bool {
		return s == p[0] && r == p[1] || s == p[1] && r == p[0]
	})
}

// bytewise splits elements into bytes. A byte is the name of the type and the number of the byte in the element.
func bytewise(all []string) (out []string) {
	for _, name := range all {
		for i := range sizes[name] {
			if name == "MPI_BYTE" {
				out = append(out, name)
			} else {
				out = append(out, name+string(rune('0'+i)))
			}
		}
	}
	return out
}

func bytesFit(s, r []string, whole bool) bool {
	a, b := bytewise(s), bytewise(r)
	if len(a) > len(b) || whole && len(a) != len(b) {
		return false
	}
	for i, x := range a {
		y := b[i]
		if x != "MPI_BYTE" && y != "MPI_BYTE" && (x[len(x)-1] != y[len(y)-1] ||
			!acceptable(x[:len(x)-1], y[:len(y)-1])) {
			return false
		}
	}
	return true
}

func onlyPacked(all []string) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(n string) bool { return n != "MPI_PACKED" })
}

// expected compares element by element.
func expected(s, r []string, whole bool) (Verdict, int) {
	if onlyPacked(s) != onlyPacked(r) && len(s) > 0 && len(r) > 0 {
		return Matches, 0
	}
	related := -1
	for i := range min(len(s), len(r)) {
		switch {
		case s[i] == r[i]:
		case s[i] == "MPI_PACKED" || r[i] == "MPI_PACKED":
			return Undecided, i
		case s[i] == "MPI_BYTE" || r[i] == "MPI_BYTE":
			if bytesFit(s, r, whole) {
				return ByteMismatch, i
			}
			return Mismatch, i
		case !acceptable(s[i], r[i]):
			return Mismatch, i
		case related < 0:
			related = i
		}
	}
	switch {
	case len(s) > len(r):
		return TooLong, len(r)
	case len(s) < len(r) && whole:
		return TooShort, len(s)
	case related >= 0:
		return Undecided, related
	}
	return Matches, 0
}

// TestCompareElementByElement draws a sent and an expected signature, which are often similar. It checks Compare
// against a comparison element by element.
func TestCompareElementByElement(t *testing.T) {
	without := func(list ...string) []string {
		return slices.DeleteFunc(names(), func(n string) bool { return slices.Contains(list, n) })
	}
	alphabets := [][]string{
		names(), without("MPI_PACKED"), without("MPI_PACKED", "MPI_BYTE"),
		{"MPI_INT", "MPI_BYTE"},
		{"MPI_INT", "MPI_INTEGER"},
		{"MPI_INT", "MPI_INTEGER", "MPI_SHORT"},
		{"MPI_INT", "MPI_DOUBLE"},
		{"MPI_SHORT", "MPI_CHAR", "MPI_BYTE"},
		{"MPI_LONG", "MPI_INTEGER8", "MPI_INT64_T"},
		{"MPI_INT", "MPI_INTEGER", "MPI_BYTE"},
	}
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SampledFrom(alphabets).Draw(r, "alphabet")
		send, s := drawUse(r, names)
		recv, e := drawUse(r, names)
		if rapid.Bool().Draw(r, "alike") && len(s) > 0 {
			recv, e = remade(r, s, names)
		}
		whole := rapid.Bool().Draw(r, "whole")
		c := Compare(send, recv, whole)
		want, at := expected(s, e, whole)
		if len(s) == 0 && !whole {
			want, at = Matches, 0
		}
		if c.Verdict != want || want != Matches && c.At != int64(at) {
			r.Fatalf("%v sent, %v expected (whole: %v): %s; element by element %d at %d", s, e, whole, verdict(c),
				want, at)
		}
		name := func(list []string, i int) string {
			if i < len(list) && want != Matches {
				return list[i]
			}
			return ""
		}
		if c.Send.String() != name(s, at) || c.Recv.String() != name(e, at) {
			r.Fatalf("%v sent, %v expected: %s", s, e, verdict(c))
		}
	})
}

// remade makes another type of nearly the same elements: at most one element is changed, added or removed.
func remade(r *rapid.T, all, names []string) (Use, []string) {
	all = slices.Clone(all)
	switch rapid.IntRange(0, 3).Draw(r, "change") {
	case 0:
		all[rapid.IntRange(0, len(all)-1).Draw(r, "place")] = rapid.SampledFrom(names).Draw(r, "other")
	case 1:
		all = append(all, rapid.SampledFrom(names).Draw(r, "more"))
	case 2:
		all = all[:len(all)-1]
	}
	types, ones, at := make([]*Type, len(all)), make([]int64, len(all)), make([]int64, len(all))
	for i, name := range all {
		types[i], ones[i] = basic(name).t, 1
	}
	return Use{Type: must(Struct(ones, at, types)), Count: 1}, all
}
