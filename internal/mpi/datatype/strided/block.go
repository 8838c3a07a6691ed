// Package strided describes regular sets of bytes as strided blocks, and tells whether two of them share a byte. It
// does not depend on MPI: internal/mpi/datatype makes the layouts of datatypes with it.
//
// The idea comes from the paper on MUST's datatype checks (section VIII): a plane of an array is a comb, and arithmetic
// decides whether two combs touch. Here a comb may have several levels (the interior of a plane has two). For combs
// with unrelated strides, the paper visits every block. This package uses Euclid's algorithm instead.
package strided

import "slices"

// Level is a regular repetition.
type Level struct {
	Count  int64 // at least 2
	Stride int64 // bytes from one to the next in memory, not negative
	Bytes  int64 // bytes from one to the next in the serialised data, may be negative
}

// Block is a strided block: an interval of Length bytes at Start, and its repetitions by the Levels.
type Block struct {
	Start  int64   // lowest byte
	Length int64   // bytes of one interval
	Pos    int64   // position of the byte at Start in the serialised data
	Levels []Level // largest stride first; shared, so do not change it
}

// End returns the byte after the last one.
func (b *Block) End() int64 {
	end := b.Start + b.Length
	for i := range b.Levels {
		end += (b.Levels[i].Count - 1) * b.Levels[i].Stride
	}
	return end
}

// repeat returns n copies of the block. In memory, they are stride bytes apart. In the serialised data, the distance is
// bytes.
func (b Block) repeat(n, stride, bytes int64) Block {
	if n == 1 {
		return b
	}
	if stride < 0 {
		b.Start += stride * (n - 1)
		b.Pos += bytes * (n - 1)
		stride, bytes = -stride, -bytes
	}
	if stride == b.Length && bytes == b.Length && len(b.Levels) == 0 {
		b.Length *= n
		return b
	}
	b.Levels = withLevel(b.Levels, Level{Count: n, Stride: stride, Bytes: bytes})
	return b
}

// withLevel returns a copy of levels with one more level, which is sorted in. It joins adjacent levels if one continues
// the other.
func withLevel(levels []Level, l Level) []Level {
	at := 0
	for at < len(levels) && levels[at].Stride > l.Stride {
		at++
	}
	out := make([]Level, 0, len(levels)+1)
	out = append(append(append(out, levels[:at]...), l), levels[at:]...)
	for i := len(out) - 2; i >= 0; i-- {
		outer, inner := out[i], out[i+1]
		if outer.Stride == inner.Count*inner.Stride && outer.Bytes == inner.Count*inner.Bytes {
			out[i] = Level{Count: outer.Count * inner.Count, Stride: inner.Stride, Bytes: inner.Bytes}
			out = slices.Delete(out, i+1, i+2)
		}
	}
	return out
}

// apart reports whether repetitions by the levels, of something of at most span bytes, can't share a byte. It compares
// sizes only: at every level, the stride must not be less than the length of one copy.
func apart(levels []Level, span int64) bool {
	for i := len(levels) - 1; i >= 0; i-- {
		l := &levels[i]
		if l.Stride < span {
			return false
		}
		span += (l.Count - 1) * l.Stride
	}
	return true
}

// alike reports whether two blocks differ only in their positions.
func alike(a, b *Block) bool {
	return a.Length == b.Length && slices.Equal(a.Levels, b.Levels)
}

// compress merges blocks, which must be in the order of the serialised data. It merges adjacent intervals, and three or
// more similar blocks at equal distances. It changes the slice.
func compress(blocks []Block) []Block {
	blocks = fuse(blocks)
	for len(blocks) > 1 {
		n := len(blocks)
		if blocks = runs(blocks); len(blocks) == n {
			break
		}
	}
	return blocks
}

func fuse(blocks []Block) []Block {
	out := blocks[:0]
	for _, b := range blocks {
		if k := len(out) - 1; k >= 0 && len(b.Levels) == 0 && len(out[k].Levels) == 0 &&
			out[k].Start+out[k].Length == b.Start && out[k].Pos+out[k].Length == b.Pos {
			out[k].Length += b.Length
			continue
		}
		out = append(out, b)
	}
	return out
}

func runs(blocks []Block) []Block {
	out := blocks[:0]
	for i := 0; i < len(blocks); {
		n := run(blocks[i:])
		b := blocks[i]
		if n >= 3 || n == len(blocks) {
			b = b.repeat(int64(n), blocks[i+1].Start-b.Start, blocks[i+1].Pos-b.Pos)
		} else {
			n = 1
		}
		out = append(out, b)
		i += n
	}
	return out
}

// run returns the number of blocks, from the first on, that are alike and have equal distances.
func run(blocks []Block) int {
	n := 1
	for n < len(blocks) && alike(&blocks[0], &blocks[n]) &&
		blocks[n].Start-blocks[n-1].Start == blocks[1].Start-blocks[0].Start &&
		blocks[n].Pos-blocks[n-1].Pos == blocks[1].Pos-blocks[0].Pos {
		n++
	}
	return n
}
