package picture

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// strip is the memory of a buffer from its lowest to its highest byte. Repetitions are omitted.
type strip struct {
	runs   []run
	lanes  []int // of each run: runs that overlap are drawn in different lanes; -1 if there is no lane left
	hidden []hidden
	// toScale says that all bytes have the same width.
	toScale bool
	// edges are the displacements at which something begins or ends, ascending. xs are their positions in the drawing,
	// from 0.
	edges []int64
	xs    []float64
}

// hidden is the bytes from lo up to hi, and the number of elements that begin there; -1 if it is not known.
type hidden struct{ lo, hi, elements int64 }

const (
	stripWidth = 1100.0 // maximum
	mostRuns   = 24
	mostLanes  = 4
)

// strip returns the part of the buffer that is shown. It is nil if there is no data, or if the buffer is too irregular
// to be examined quickly.
func (s *scene) strip(m *memory) *strip {
	t := s.whole
	if t.Size <= 0 {
		return nil
	}
	all, ok := m.around(t.TrueLB, t.TrueLB, 0, mostRuns+1)
	if !ok {
		return nil
	}
	if len(all) <= mostRuns {
		st := s.complete(all)
		if st.toScale || st.width() <= stripWidth {
			return st
		}
	}
	w, ok := s.windows(m, rooms[0])
	if !ok {
		return nil
	}
	var st *strip
	for _, r := range rooms {
		if st = s.folded(m, w, r); st.width() <= stripWidth {
			break
		}
	}
	return st
}

// room is the maximum number of runs that are shown at the beginning, on each side of the path's target, and at the
// end.
type room struct{ head, path, tail int }

var rooms = []room{{8, 3, 4}, {6, 2, 3}, {4, 2, 2}, {3, 1, 2}, {2, 1, 1}, {1, 0, 1}}

// windows has the runs that may be shown.
type windows struct{ first, middle, last []run }

// windows finds the runs for which there is space. ok is false if it takes too long.
func (s *scene) windows(m *memory, r room) (w windows, ok bool) {
	t := s.whole
	var ok1, ok2 bool
	ok3 := true
	w.first, ok1 = m.around(t.TrueLB, t.TrueLB, 0, r.head)
	w.last, ok2 = m.around(t.TrueUB, t.TrueUB, r.tail, 0)
	if lo, hi, marked := s.begin(); marked {
		w.middle, ok3 = m.around(lo, hi, r.path, r.path)
	}
	return w, ok1 && ok2 && ok3
}

// begin returns the bytes of the path's target. If the target has several elements, it returns only the first byte.
func (s *scene) begin() (lo, hi int64, ok bool) {
	if s.path == nil || s.place.Node.Bytes() == 0 {
		return 0, 0, false
	}
	lo, hi = s.marked()
	if s.place.Node.Elements() > 1 {
		hi = lo + 1
	}
	return lo, hi, true
}

// cut keeps the runs for which there is space.
func (s *scene) cut(w windows, r room) windows {
	w.first = w.first[:min(len(w.first), r.head)]
	w.last = w.last[max(0, len(w.last)-r.tail):]
	if lo, hi, marked := s.begin(); marked {
		i, j := meeting(w.middle, lo, hi)
		j = min(j, i+2*mostLanes) // very many runs may overlap
		w.middle = w.middle[max(0, i-r.path):min(len(w.middle), j+r.path)]
	}
	return w
}

// complete shows all runs, to scale if that is possible.
func (s *scene) complete(all []run) *strip {
	st := &strip{runs: all}
	st.layOut(s, nil)
	lo, hi := st.edges[0], st.edges[len(st.edges)-1]
	scale := min(28, stripWidth/float64(hi-lo))
	for i := range st.edges[1:] {
		if float64(st.edges[i+1]-st.edges[i])*scale < 4 {
			return st
		}
	}
	st.toScale = true
	for i, e := range st.edges {
		st.xs[i] = float64(e-lo) * scale
	}
	return st
}

// folded shows the first runs, those around the path's target, and the last ones, as far as there is space.
func (s *scene) folded(m *memory, w windows, r room) *strip {
	w = s.cut(w, r)
	st := &strip{}
	for _, more := range [][]run{w.first, w.middle, w.last} {
		st.add(more)
	}
	end := s.whole.TrueLB
	for _, r := range st.runs {
		if r.at > end {
			n, ok := m.elementsIn(end, r.at)
			if !ok {
				n = -1
			}
			if n != 0 {
				st.hidden = append(st.hidden, hidden{end, r.at, n})
			}
		}
		end = max(end, r.end())
	}
	st.layOut(s, st.hidden)
	return st
}

// add adds further runs by displacement, except for those that are already present.
func (st *strip) add(more []run) {
	shown := 0
	if k := len(st.runs); k > 0 {
		for shown < len(more) && more[shown].compare(st.runs[k-1]) <= 0 {
			shown++
		}
	}
	st.runs = append(st.runs, more[shown:]...)
}

// marked returns the range of bytes of the path's target.
func (s *scene) marked() (lo, hi int64) {
	lo, hi = s.place.Node.Bounds()
	return s.place.At + lo, s.place.At + hi
}

// bounds returns the lower and upper bounds of the buffer, and those of the copies of the type if there are few copies.
func (s *scene) bounds() []int64 {
	out := []int64{s.whole.LB, s.whole.UB}
	if s.count > 1 && s.count <= 8 {
		for i := range s.count {
			out = append(out, s.typ.LB+i*s.typ.Extent(), s.typ.UB+i*s.typ.Extent())
		}
	}
	return out
}

// layOut chooses the lanes, the edges, and the widths for a drawing that is not to scale.
func (st *strip) layOut(s *scene, hidden []hidden) {
	var ends [mostLanes]int64
	for i := range ends {
		ends[i] = math.MinInt64
	}
	st.edges = s.bounds()
	for _, r := range st.runs {
		lane := slices.IndexFunc(ends[:], func(end int64) bool { return end <= r.at })
		if lane >= 0 {
			ends[lane] = r.end()
		}
		st.lanes = append(st.lanes, lane)
		st.edges = append(st.edges, r.at, r.end())
	}
	if s.path != nil && s.place.Node.Bytes() > 0 {
		lo, hi := s.marked()
		st.edges = append(st.edges, lo, hi)
	}
	slices.Sort(st.edges)
	st.edges = slices.Compact(st.edges)
	widths := make([]float64, len(st.edges)-1)
	wide := func(lo, hi int64, width float64) {
		first, _ := slices.BinarySearch(st.edges, lo)
		for i := first; i < len(widths) && st.edges[i] < hi; i++ {
			widths[i] = max(widths[i], width*float64(st.edges[i+1]-st.edges[i])/float64(hi-lo))
		}
	}
	for _, r := range st.runs {
		wide(r.at, r.end(), runWidth(r))
	}
	for _, h := range hidden {
		wide(h.lo, h.hi, hiddenWidth(h))
	}
	for i := range widths {
		if widths[i] == 0 {
			widths[i] = max(26, textWidth(gapLabel(st.edges[i+1]-st.edges[i]), small)+8)
		}
		widths[i] = max(widths[i], 3)
	}
	st.xs = make([]float64, len(st.edges))
	for i, w := range widths {
		st.xs[i+1] = st.xs[i] + w
	}
}

func (st *strip) width() float64 { return st.xs[len(st.xs)-1] }

// x returns the position of a displacement in the drawing.
func (st *strip) x(at int64) float64 {
	i := sort.Search(len(st.edges)-1, func(i int) bool { return st.edges[i+1] >= at })
	i = min(i, len(st.edges)-2)
	lo, hi := st.edges[i], st.edges[i+1]
	part := float64(at-lo) / float64(hi-lo)
	return st.xs[i] + max(0, min(1, part))*(st.xs[i+1]-st.xs[i])
}

type interval struct{ lo, hi int64 }

// gaps returns the ranges of bytes without data between the shown and hidden ranges. A gap ends at the bound of a copy.
func (st *strip) gaps(bounds []int64) []interval {
	var covered []interval
	for _, b := range bounds {
		covered = append(covered, interval{b, b})
	}
	for _, r := range st.runs {
		covered = append(covered, interval{r.at, r.end()})
	}
	for _, h := range st.hidden {
		covered = append(covered, interval{h.lo, h.hi})
	}
	slices.SortFunc(covered, func(a, b interval) int { return cmp.Compare(a.lo, b.lo) })
	var out []interval
	lo := covered[0].lo
	for _, c := range covered {
		if c.lo > lo {
			out = append(out, interval{lo, c.lo})
		}
		lo = max(lo, c.hi)
	}
	return out
}
