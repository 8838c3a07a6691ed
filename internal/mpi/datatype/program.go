package datatype

import (
	"errors"
	"math"
	"math/bits"
	"slices"
)

// A program lists the positions of the data of a type, in the order of serialisation. It is for the preload library,
// which does not know MPI's constructors: the library only interprets the program. A program is a list of words,
//
//	size, extent   bytes of data in a copy, and bytes from one copy to the next
//	instruction…
//
// and an instruction is a run of consecutive bytes, or a loop of instructions:
//
//	length, at                    length > 0
//	-count, at, stride, words, …  count > 0; words > 0 is the number of words of the instructions that follow
//
// The position at is relative to the copy, or to the iteration of the surrounding loop. preload/src/layout.c has the
// same interpreter.
const (
	// ProgramDepth is the greatest depth of nested loops.
	ProgramDepth = 16
	// ProgramLimit is a sensible limit for the number of words of a program: half a megabyte.
	ProgramLimit = 1 << 16
)

// Program returns the type's program. It returns nil if the program would have more than limit words or too deep loops,
// or if the type is unknown.
func (t *Type) Program(limit int) []int64 {
	if t == nil || t.Size < 0 {
		return nil
	}
	p := programmer{limit: limit - 2, known: make(map[*Type][]instruction)}
	body := p.typ(t)
	if p.failed || wordsOf(body, 0) > p.limit || depthOf(body) > ProgramDepth {
		return nil
	}
	return encode([]int64{t.Size, t.Extent()}, body)
}

// instruction is a run if length is not 0, else a loop.
type instruction struct {
	length, at    int64
	count, stride int64
	body          []instruction // shared, never changed
}

// programmer makes the instructions of types, once for each type.
type programmer struct {
	limit  int
	failed bool
	known  map[*Type][]instruction
}

func (p *programmer) typ(t *Type) []instruction {
	if t.stage == nil {
		if t.Size == 0 {
			return nil
		}
		return []instruction{{length: t.Size}}
	}
	body, ok := p.known[t]
	if !ok {
		body = p.stage(t.stage)
		p.known[t] = body
	}
	return body
}

func (p *programmer) stage(s *Stage) []instruction {
	if p.failed || s.size == 0 {
		return nil
	}
	if s.Blocks != nil {
		return p.blocks(s.Blocks)
	}
	var child []instruction
	if s.Old != nil {
		child = p.typ(s.Old)
	} else {
		child = p.stage(s.Of)
	}
	if s.Group == 0 || s.Group >= s.N {
		return repeated(child, s.N, s.First, s.Stride)
	}
	full := s.N / s.Group
	body := repeated(repeated(child, s.Group, 0, s.Stride), full, s.First, s.Jump)
	return join(body, repeated(child, s.N%s.Group, s.First+full*s.Jump, s.Stride))
}

func (p *programmer) blocks(b *Blocks) []instruction {
	var body []instruction
	words := 0
	for i, at := range b.At {
		old := b.Type(i)
		k := len(body)
		body = join(body, repeated(p.typ(old), b.Len(i), at, old.Extent()))
		if words = wordsOf(body[k:], words); words > 8*p.limit { // not just p.limit: loops can shorten it
			p.failed = true
			return nil
		}
	}
	return loops(body)
}

// repeated returns n copies of body. The first is moved by at bytes, and the copies are stride bytes apart.
func repeated(body []instruction, n, at, stride int64) []instruction {
	if n == 0 || len(body) == 0 {
		return nil
	}
	if n == 1 {
		body = slices.Clone(body)
		for i := range body {
			body[i].at += at
		}
		return body
	}
	if len(body) > 1 {
		return []instruction{{at: at, count: n, stride: stride, body: body}}
	}
	in := body[0]
	at += in.at
	in.at = 0
	switch {
	case in.length > 0 && in.length == stride:
		return []instruction{{length: n * in.length, at: at}}
	case in.count > 0 && stride == in.count*in.stride:
		in.count, in.at = in.count*n, at
		return []instruction{in}
	}
	return []instruction{{at: at, count: n, stride: stride, body: []instruction{in}}}
}

// join appends more to body. It merges runs of adjacent bytes.
func join(body, more []instruction) []instruction {
	for _, in := range more {
		if k := len(body) - 1; k >= 0 && in.length > 0 && body[k].length > 0 && body[k].at+body[k].length == in.at {
			body[k].length += in.length
			continue
		}
		body = append(body, in)
	}
	return body
}

// loops replaces three and more instructions by a loop if they differ only in their positions, at equal distances.
func loops(body []instruction) []instruction {
	for {
		var out []instruction
		for i := 0; i < len(body); {
			n := i + 1
			for n < len(body) && body[i].alike(&body[n]) && body[n].at-body[n-1].at == body[i+1].at-body[i].at {
				n++
			}
			if n -= i; n < 3 {
				n = 1
				out = append(out, body[i])
			} else {
				out = append(out, repeated(body[i:i+1], int64(n), 0, body[i+1].at-body[i].at)...)
			}
			i += n
		}
		if len(out) == len(body) {
			return out
		}
		body = out
	}
}

func (in *instruction) alike(other *instruction) bool {
	if in.length != other.length || in.count != other.count || in.stride != other.stride ||
		len(in.body) != len(other.body) {
		return false
	}
	for i := range in.body {
		if a, b := &in.body[i], &other.body[i]; a != b && (a.at != b.at || !a.alike(b)) {
			return false
		}
	}
	return true
}

// wordsOf adds the number of words of the instructions to words. It stops when the sum is large.
func wordsOf(body []instruction, words int) int {
	for i := range body {
		if words > math.MaxInt32 {
			break
		}
		words += 2
		if in := &body[i]; in.length == 0 {
			words = wordsOf(in.body, words+2)
		}
	}
	return words
}

// depthOf returns the depth of nested loops.
func depthOf(body []instruction) int {
	depth := 0
	for i := range body {
		if body[i].length == 0 {
			depth = max(depth, 1+depthOf(body[i].body))
		}
	}
	return depth
}

func encode(out []int64, body []instruction) []int64 {
	for i := range body {
		in := &body[i]
		if in.length > 0 {
			out = append(out, in.length, in.at)
			continue
		}
		out = append(out, -in.count, in.at, in.stride, 0)
		from := len(out)
		out = encode(out, in.body)
		out[from-1] = int64(len(out) - from)
	}
	return out
}

// ErrProgram means that the words are not a valid program.
var ErrProgram = errors.New("the layout program is damaged")

// WalkProgram visits the data of count copies at the address base, in the order of serialisation, until visit returns
// false. It merges adjacent bytes into runs as long as possible. It is the reference for the interpreter in the preload
// library. Like that one, it is safe for all inputs: it never reads outside program, and visits at most size·count
// bytes.
func WalkProgram(program []int64, base uint64, count int64, visit func(address, length uint64) bool) error {
	if len(program) < 2 || program[0] < 0 || count < 0 || (program[0] == 0) != (len(program) == 2) {
		return ErrProgram
	}
	size, extent := uint64(program[0]), uint64(program[1])
	high, all := bits.Mul64(size, uint64(count))
	if high != 0 || all > math.MaxInt64 {
		return ErrProgram
	}
	w := runWalk{visit: visit}
	if all == 0 {
		return nil
	}
	if len(program) == 4 && program[2] == program[0] && (extent == size || count == 1) {
		w.run(base+uint64(program[3]), all)
		w.flush()
		return nil
	}
	for ; count > 0 && !w.stopped; count-- {
		w.left = size
		if !w.body(program[2:], base, ProgramDepth) || w.left != 0 && !w.stopped {
			return ErrProgram
		}
		base += extent
	}
	w.flush()
	return nil
}

type runWalk struct {
	visit      func(address, length uint64) bool
	at, length uint64 // the current run, which may grow
	left       uint64 // remaining bytes of the copy
	stopped    bool
}

func (w *runWalk) run(at, length uint64) {
	if w.length > 0 && w.at+w.length == at {
		w.length += length
		return
	}
	w.flush()
	w.at, w.length = at, length
}

func (w *runWalk) flush() {
	if w.length > 0 && !w.stopped && !w.visit(w.at, w.length) {
		w.stopped = true
	}
	w.length = 0
}

// body walks instructions. It returns false if they are invalid.
func (w *runWalk) body(p []int64, base uint64, depth int) bool {
	for len(p) > 0 && !w.stopped {
		switch {
		case len(p) < 2 || p[0] == 0 || p[0] == math.MinInt64:
			return false
		case p[0] > 0:
			if uint64(p[0]) > w.left {
				return false
			}
			w.left -= uint64(p[0])
			w.run(base+uint64(p[1]), uint64(p[0]))
			p = p[2:]
		default:
			if len(p) < 4 || depth == 0 || p[3] < 2 || p[3] > int64(len(p)-4) {
				return false
			}
			in, at := p[4:4+p[3]], base+uint64(p[1])
			for range -p[0] {
				if !w.body(in, at, depth-1) {
					return false
				}
				if w.stopped {
					break
				}
				at += uint64(p[2])
			}
			p = p[4+p[3]:]
		}
	}
	return true
}
