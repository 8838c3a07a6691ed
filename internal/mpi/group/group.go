// Package group models MPI's groups: ordered lists of processes, and the operations on them (MPI standard, section
// 7.3).
//
// A group is a value, and groups can be compared with ==. Equal groups share their memory, even if many processes have
// them: a group is a unique string, which encodes runs of equally spaced ranks. The memory of unused groups is freed.
package group

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unique"
)

// Group is a list of different processes. It has their ranks in MPI_COMM_WORLD, in the order of their ranks in the
// group. The zero value is MPI_GROUP_EMPTY.
type Group struct {
	runs unique.Handle[string] // the runs of a builder, runSize bytes each; the zero handle if there are none
	size int32
}

// run is a sequence of count ranks: start, start+stride, …
type run struct{ start, stride, count int32 }

const runSize = 12

// builder makes runs from ranks that are added one by one. Each run is as long as possible, so that each group has
// exactly one encoding.
type builder struct {
	runs []run
	size int32
}

func (b *builder) add(rank int32) {
	b.size++
	if n := len(b.runs); n > 0 {
		r := &b.runs[n-1]
		switch {
		case r.count == 1:
			r.stride, r.count = rank-r.start, 2
			return
		case rank == r.start+r.stride*r.count:
			r.count++
			return
		}
	}
	b.runs = append(b.runs, run{start: rank, count: 1})
}

// addRun adds the ranks of a run. It adds three ranks one by one. Then the last run of the builder has the stride of r,
// and takes all other ranks at once.
func (b *builder) addRun(r run) {
	for i := range min(r.count, 3) {
		b.add(r.start + i*r.stride)
	}
	if more := r.count - 3; more > 0 {
		b.runs[len(b.runs)-1].count += more
		b.size += more
	}
}

func (b *builder) group() Group {
	if b.size == 0 {
		return Group{}
	}
	text := make([]byte, 0, len(b.runs)*runSize)
	for _, r := range b.runs {
		text = binary.LittleEndian.AppendUint32(text, uint32(r.start))
		text = binary.LittleEndian.AppendUint32(text, uint32(r.stride))
		text = binary.LittleEndian.AppendUint32(text, uint32(r.count))
	}
	return Group{unique.Make(string(text)), b.size}
}

// Of returns the group of the processes with these ranks.
func Of(ranks iter.Seq[int32]) Group {
	var b builder
	for r := range ranks {
		b.add(r)
	}
	return b.group()
}

// First returns the group of the processes with ranks 0 to n-1.
func First(n int) Group {
	var b builder
	b.addRun(run{0, 1, int32(n)})
	return b.group()
}

func (g Group) all() iter.Seq[run] {
	return func(yield func(run) bool) {
		if g.size == 0 {
			return
		}
		text := g.runs.Value()
		num := func(at int) int32 {
			return int32(uint32(text[at]) | uint32(text[at+1])<<8 | uint32(text[at+2])<<16 | uint32(text[at+3])<<24)
		}
		for at := 0; at < len(text); at += runSize {
			if !yield(run{num(at), num(at + 4), num(at + 8)}) {
				return
			}
		}
	}
}

// Size returns the number of processes.
func (g Group) Size() int { return int(g.size) }

// Ranks yields the processes.
func (g Group) Ranks() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := range g.all() {
			for i := range r.count {
				if !yield(r.start + i*r.stride) {
					return
				}
			}
		}
	}
}

// List returns the processes.
func (g Group) List() []int32 { return slices.AppendSeq(make([]int32, 0, g.size), g.Ranks()) }

// Index returns the rank of a process in the group, -1 if the process is not a member.
func (g Group) Index(process int32) int {
	before := int32(0)
	for r := range g.all() {
		if i := r.index(process); i >= 0 {
			return int(before + i)
		}
		before += r.count
	}
	return -1
}

func (r run) index(process int32) int32 {
	d := process - r.start
	switch {
	case d == 0:
		return 0
	case r.count < 2 || d%r.stride != 0 || d/r.stride < 0 || d/r.stride >= r.count:
		return -1
	}
	return d / r.stride
}

// Hash returns a hash. It is the same for equal groups, also in different runs of mpivet, and never 0.
func (g Group) Hash() uint64 {
	h := fnv.New64a()
	if g.size > 0 {
		_, _ = h.Write([]byte(g.runs.Value()))
	}
	return h.Sum64() | 1
}

// shown is the greatest number of processes that String lists.
const shown = 16

// String returns the processes in their order: {0, 2, 1}.
func (g Group) String() string {
	var parts []string
	for r := range g.Ranks() {
		if len(parts) == shown {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, strconv.Itoa(int(r)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
