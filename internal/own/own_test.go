package own

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/datatype"
)

var (
	char = datatype.Predefined("MPI_CHAR", 1)
	comb = must(datatype.Vector(4, 2, 5, char)) // 2 of every 5 bytes
	far  = must(datatype.Hindexed([]int64{3, 3}, []int64{-40, 60}, char))
	pair = must(datatype.Indexed([]int64{2, 2}, []int64{0, 1}, char)) // has a byte twice
)

func must(t *datatype.Type, err error) *datatype.Type {
	if err != nil {
		panic(err)
	}
	return t
}

func part(base, count int, t *datatype.Type, write bool) *Part {
	return &Part{Buffer: datatype.Buffer{Base: Lowest + uint64(base), Count: int64(count), Type: t}, Write: write}
}

// model is a set by the book: it compares with all that is held.
type model struct {
	exclusive bool
	held      []*Part // nil where it was released
}

func (m *model) clashes(p *Part) bool {
	if from, to := p.Bounds(); from >= to {
		return false
	}
	if _, twice := p.SelfOverlap(); twice && p.Write && !m.exclusive {
		return true
	}
	for _, q := range m.held {
		if q == nil || !q.Write && !p.Write && !m.exclusive {
			continue
		}
		if _, ok := datatype.FirstOverlap(q.Buffer, p.Buffer); ok {
			return true
		}
	}
	return false
}

func TestSetIsExact(t *testing.T) {
	clashes := 0
	rapid.Check(t, func(t *rapid.T) {
		num := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
		s := Set{Exclusive: num(0, 3) == 0}
		m := model{exclusive: s.Exclusive}
		var holds []Hold
		room := num(50, 3000)
		types := []*datatype.Type{char, char, char, comb, far, pair}
		for range num(1, 300) {
			if k := num(0, 9); k < 4 && len(holds) > 0 {
				i := num(0, len(holds)-1)
				s.Release(holds[i])
				holds[i], m.held[i] = 0, nil
				continue
			}
			p := part(100+num(0, room), num(0, 12), types[num(0, len(types)-1)], num(0, 2) > 0)
			if num(0, 3) == 0 {
				c := s.Look(p)
				if (c != nil) != m.clashes(p) {
					t.Fatalf("look at %+v: %v", p, c)
				}
				continue
			}
			want := m.clashes(p)
			h, c := s.Hold(p)
			if (c != nil) != want {
				t.Fatalf("%+v: %v, want a clash: %v", p, c, want)
			}
			if c != nil {
				clashes++
				if h != 0 || c.With != 0 && s.slots[c.With].users == 0 {
					t.Fatalf("%+v: %v, and %v held", p, c, h)
				}
				continue
			}
			if h != 0 {
				holds, m.held = append(holds, h), append(m.held, p)
			}
		}
		n := 0
		for _, h := range holds {
			if h != 0 {
				n++
			}
		}
		if n != s.Holds() {
			t.Fatalf("%d holds, want %d", s.Holds(), n)
		}
		check(t, &s)
	})
	if clashes == 0 {
		t.Error("nothing clashed: nothing was tested")
	}
}

// check looks at the set's own order.
func check(t rapid.TB, s *Set) {
	high, busy := uint64(0), 0
	for k, i := range s.index {
		q := &s.slots[i]
		if k > 0 && s.slots[s.index[k-1]].from > q.from {
			t.Fatal("not in order")
		}
		if high = max(high, q.to); s.tops[k] != high {
			t.Fatalf("the largest end up to %d is %d, not %d", k, high, s.tops[k])
		}
		if q.users > 0 {
			busy++
		}
	}
	if busy != s.busy || len(s.index) > 2*max(idle, s.busy)+1 {
		t.Fatalf("%d of %d held, want %d", s.busy, len(s.index), busy)
	}
}

func TestJoin(t *testing.T) {
	var s Set
	for range 3 {
		var h Hold
		for i := range 4 {
			one, c := s.Hold(part(100*i, 10, char, true))
			if c != nil {
				t.Fatal(c)
			}
			h = s.Join(h, one)
		}
		_, c := s.Hold(part(205, 1, char, false))
		if c == nil || !s.Has(h, c.With) || s.Has(h, 0) {
			t.Fatalf("%v in %v", c, h)
		}
		s.Release(h)
		if s.Holds() != 0 {
			t.Fatalf("%d holds", s.Holds())
		}
	}
}

// What has no bytes, or no memory, is not held.
func TestNothing(t *testing.T) {
	var s Set
	for _, p := range []*Part{
		part(0, 0, char, true), part(0, 1, nil, true), part(0, 1, must(datatype.Contiguous(0, char)), true),
		{Buffer: datatype.Buffer{Count: 4, Type: char}, Write: true},
		{Buffer: datatype.Buffer{Base: ^uint64(0), Count: 4, Type: char}, Write: true},
		part(0, 1<<62, char, true),
	} {
		for range 2 {
			if h, c := s.Hold(p); h != 0 || c != nil {
				t.Errorf("%+v: %v %v", p, h, c)
			}
		}
	}
}

// BenchmarkHold holds and releases n buffers in turns, over and over: ns for each.
func BenchmarkHold(b *testing.B) {
	for _, n := range []int{2, 8, 1000} {
		for _, place := range []string{"same", "new"} {
			b.Run(fmt.Sprintf("%d %s", n, place), func(b *testing.B) {
				var s Set
				holds := make([]Hold, n)
				at := 0
				b.ReportAllocs()
				for i := 0; i < b.N; i += n {
					for k := range holds {
						holds[k], _ = s.Hold(part(at+100*k, 100, char, k%2 == 0))
					}
					for _, h := range holds {
						s.Release(h)
					}
					if place == "new" {
						at = (at + 8) % 100000
					}
				}
			})
		}
	}
}
