package datatype

import "testing"

// TestFigure1 checks the type of figure 1 in the paper on MUST's datatype checks.
func TestFigure1(t *testing.T) {
	lb, ub := Predefined("MPI_LB", 0), Predefined("MPI_UB", 0)
	s, err := Struct([]int64{1, 5, 7, 2, 1}, []int64{-4, 0, 47, 76, 100},
		[]*Type{lb, Predefined("MPI_INT", 4), Predefined("MPI_CHAR", 1), Predefined("MPI_DOUBLE", 8), ub})
	if err != nil {
		t.Fatal(err)
	}
	if s.LB != -4 || s.UB != 100 || s.TrueLB != 0 || s.TrueUB != 92 || s.Size != 43 || s.Elements != 14 {
		t.Errorf("got %d to %d (data %d to %d), %d bytes, %d elements", s.LB, s.UB, s.TrueLB, s.TrueUB, s.Size,
			s.Elements)
	}
}

func TestPairTypes(t *testing.T) {
	for _, c := range []struct {
		name                string
		size, bytes, extent int64
	}{
		{"MPI_DOUBLE_INT", 12, 12, 16},
		{"MPI_SHORT_INT", 6, 6, 8},
		{"MPI_LONG_DOUBLE_INT", 20, 20, 32},
		{"MPI_2INT", 8, 8, 8},
	} {
		p := Predefined(c.name, c.size)
		if p.Size != c.bytes || p.Extent() != c.extent || p.Elements != 2 || !p.Predefined() {
			t.Errorf("%s: %d bytes, extent %d, %d elements", c.name, p.Size, p.Extent(), p.Elements)
		}
	}
}
