package memory

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
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

// model is a simple set: it compares a part with all held parts.
type model struct {
	exclusive bool
	held      []*Part // nil after the release
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

// check checks the index of the set.
func check(t rapid.TB, s *Set) {
	before, from := uint64(0), uint64(0)
	known, busy := 0, 0
	for n, r := range s.index {
		if r.high != before {
			t.Fatalf("the largest end before run %d is %d, not %d", n, r.high, before)
		}
		if len(r.slots) == 0 || len(r.slots) > longest || len(r.slots) != len(r.tops) {
			t.Fatalf("run %d has %d parts, %d ends", n, len(r.slots), len(r.tops))
		}
		high := uint64(0)
		for k, i := range r.slots {
			q := &s.slots[i]
			if from > q.from {
				t.Fatal("not in order")
			}
			from = q.from
			if high = max(high, q.to); r.tops[k] != high {
				t.Fatalf("the largest end up to %d of run %d is %d, not %d", k, n, r.tops[k], high)
			}
			if q.users > 0 {
				busy++
			}
			known++
		}
		before = max(before, high)
	}
	if known != s.known || busy != s.busy || known > 2*max(idle, s.busy)+1 {
		t.Fatalf("%d held, %d known, want %d and %d", busy, known, s.busy, s.known)
	}
}

// TestManyParts checks the index with many parts, in random orders of holds and releases.
func TestManyParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Set
		n := rapid.IntRange(1, 3*longest).Draw(t, "n")
		places := make([]int, n)
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "places")
		holds := make([]Hold, n)
		for _, k := range places {
			var c *Clash
			if holds[k], c = s.Hold(part(10*k, 10, char, true)); c != nil {
				t.Fatal(c)
			}
		}
		check(t, &s)
		gone := rapid.IntRange(0, n).Draw(t, "gone")
		for _, k := range places[:gone] {
			s.Release(holds[k])
		}
		for i, k := range places {
			if c := s.Look(part(10*k+9, 1, char, false)); (c != nil) != (i >= gone) {
				t.Fatalf("look at %d: %v", k, c)
			}
		}
		check(t, &s)
		s.tidy()
		check(t, &s)
		if s.known != n-gone {
			t.Fatalf("%d known, want %d", s.known, n-gone)
		}
	})
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

// TestNothing checks that parts without bytes, or at invalid addresses, are not held.
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

// BenchmarkOutstanding holds n new buffers at the same time, in different orders of addresses. The result is the time
// per buffer.
func BenchmarkOutstanding(b *testing.B) {
	for _, n := range []int{1000, 60000, 1000000} {
		for order, place := range map[string]func(i int) int{
			"up":    func(i int) int { return i },
			"down":  func(i int) int { return n - 1 - i },
			"mixed": func(i int) int { return i * 7919 % n }, // a prime that does not divide n
		} {
			b.Run(fmt.Sprintf("%d %s", n, order), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; i < b.N; i += n {
					var s Set
					for k := range n {
						if h, _ := s.Hold(part(100*place(k), 100, char, true)); h == 0 {
							b.Fatal("clash")
						}
					}
				}
			})
		}
	}
}

// BenchmarkHold holds and releases n buffers, again and again. The result is the time per buffer.
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
