package datatype

import (
	"fmt"
	"slices"
	"testing"
)

// interval is an interval of a blocklist: section VII.A.5 of the paper on MUST's datatype checks.
type interval struct{ begin, end int64 }

// blocklist is algorithm 3 of the paper: the compact and sorted blocklist of a stage from the blocklists of its
// children.
func blocklist(s *Stage) []interval {
	var list []interval
	for i := range s.N {
		var child []interval
		switch {
		case s.Blocks != nil:
			block := s.Block(i)
			child = blocklist(&block)
		case s.Old != nil && s.Old.stage == nil:
			child = []interval{{0, s.Old.Size}}
		case s.Old != nil:
			child = blocklist(s.Old.stage)
		default:
			child = blocklist(s.Of)
		}
		for _, c := range child {
			list = append(list, interval{c.begin + s.At(i), c.end + s.At(i)})
		}
	}
	if byBegin := func(a, b interval) int { return int(a.begin - b.begin) }; !slices.IsSortedFunc(list, byBegin) {
		slices.SortFunc(list, byBegin)
	}
	compact := list[:0]
	for _, c := range list {
		if k := len(compact) - 1; k >= 0 && c.begin <= compact[k].end {
			compact[k].end = max(compact[k].end, c.end)
			continue
		}
		compact = append(compact, c)
	}
	return compact
}

// overlapping is algorithm 4 of the paper, for one buffer and one pending buffer: it passes through both memory maps
// once.
func overlapping(a []interval, baseA int64, b []interval, baseB int64) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].end+baseA <= b[0].begin+baseB:
			a = a[1:]
		case b[0].end+baseB <= a[0].begin+baseA:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}

// planes returns the planes of a k×k×k array of doubles, and the faces of an array with a halo, for each fixed
// dimension.
func planes(k int64) map[string]*Type {
	cube, whole := []int64{k, k, k}, []int64{1, k, k}
	face := func(subsizes []int64, start int64) *Type {
		return made(Subarray(cube, subsizes, []int64{start, start, start}, OrderC, double))
	}
	return map[string]*Type{
		"plane=xy": made(Subarray(cube, whole, []int64{0, 0, 0}, OrderC, double)),
		"plane=xz": made(Vector(k, k, k*k, double)),
		"plane=yz": made(Vector(k*k, 1, k, double)),
		"face=yz":  face([]int64{k - 2, k - 2, 1}, 1),
	}
}

func TestPlanesAsTheBlocklistHasThem(t *testing.T) {
	const k = 6
	for nameA, a := range planes(k) {
		for nameB, b := range planes(k) {
			for shift := int64(-8 * k * k * k); shift < 8*k*k*k; shift += 4 {
				want := overlapping(blocklist(a.stage), 1<<20, blocklist(b.stage), 1<<20+shift)
				if _, got := FirstOverlap(Buffer{1 << 20, 1, a}, Buffer{uint64(1<<20 + shift), 1, b}); got != want {
					t.Fatalf("%s and %s, %d bytes apart: got %v, want %v", nameA, nameB, shift, got, want)
				}
			}
		}
	}
}

// BenchmarkPlanes is the motivating case of the paper (section VIII): it compares a plane of an array with the
// neighbouring plane, which is pending. There is no overlap. "making" builds the list, once per type. "checking"
// compares, once per communication.
func BenchmarkPlanes(b *testing.B) {
	for _, name := range []string{"plane=xy", "plane=xz", "plane=yz", "face=yz"} {
		for _, k := range []int64{16, 64, 256, 1024} {
			t := planes(k)[name]
			beside := map[string]uint64{"plane=xy": 8 * uint64(k*k), "plane=xz": 8 * uint64(k)}[name]
			if beside == 0 {
				beside = 8
			}
			first, second := Buffer{1 << 20, 1, t}, Buffer{1<<20 + beside, 1, t}
			var blocks []interval
			run := func(what string, f func() bool) {
				b.Run(fmt.Sprintf("%s/k=%d/%s", name, k, what), func(b *testing.B) {
					for b.Loop() {
						if f() {
							b.Fatal("overlap")
						}
					}
				})
			}
			run("making=blocklist", func() bool { blocks = blocklist(t.stage); return false })
			run("making=strided", func() bool { return layoutOf(t) == nil })
			run("checking=blocklist",
				func() bool { return overlapping(blocks, int64(first.Base), blocks, int64(second.Base)) })
			run("checking=strided", func() bool { _, ok := FirstOverlap(first, second); return ok })
		}
	}
}
