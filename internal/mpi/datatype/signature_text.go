package datatype

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// maxRuns is the greatest number of runs of equal elements of a signature that is compressed as a whole. The text of a
// longer signature follows its construction.
const maxRuns = 512

// Signature returns the type signature in a compact form: "3×{INT, DOUBLE}, SHORT". It first finds the largest
// repetition of the whole. Then it combines runs and repetitions as algorithm 1 of the paper on MUST's datatype checks
// does. So equal signatures have equal texts, however the types were constructed, if a copy of the type has at most
// maxRuns runs of equal elements. The text ends with "…" after about limit bytes.
func (u Use) Signature(limit int) string {
	n, s, ok := u.known()
	switch {
	case !ok:
		return "unknown"
	case n == 0:
		return "nothing"
	}
	w := textWriter{limit: limit}
	w.terms(newTerms(limit).repeated(times(u.Count, s.copies), s.of))
	return w.b.String()
}

// term is a repetition in a compact signature: of a basic type, or of further terms.
type term struct {
	copies int64
	basic  *Basic
	of     []*term
}

// terms are the terms of one signature. Equal terms are one term, so that pointers can be compared.
type terms struct {
	basics map[*Basic]uint64
	known  map[string]*term
	number map[*term]uint64
	left   int // number of parts of long units that still fit into the limit
}

func newTerms(limit int) *terms {
	return &terms{
		basics: make(map[*Basic]uint64), known: make(map[string]*term), number: make(map[*term]uint64),
		left: limit/len("A, ") + 2,
	}
}

func (t *terms) basic(copies int64, b *Basic) *term {
	id, ok := t.basics[b]
	if !ok {
		id = uint64(len(t.basics))
		t.basics[b] = id
	}
	key := binary.AppendUvarint(binary.AppendVarint([]byte{0}, copies), id)
	return t.intern(string(key), &term{copies: copies, basic: b})
}

func (t *terms) group(copies int64, of []*term) *term {
	key := binary.AppendVarint([]byte{1}, copies)
	for _, o := range of {
		key = binary.AppendUvarint(key, t.number[o])
	}
	return t.intern(string(key), &term{copies: copies, of: of})
}

func (t *terms) intern(key string, n *term) *term {
	if k := t.known[key]; k != nil {
		return k
	}
	t.known[key] = n
	t.number[n] = uint64(len(t.number))
	return n
}

// repeated returns the terms of copies of u.
func (t *terms) repeated(copies int64, u *unit) []*term {
	if u.basic != nil {
		return []*term{t.basic(copies, u.basic)}
	}
	var of []*term
	if runs, ok := u.runs(); ok {
		n, one := root(runs)
		copies *= n
		if len(one) == 1 {
			return []*term{t.basic(copies*one[0].copies, one[0].of.basic)}
		}
		for _, r := range one {
			of = append(of, t.basic(r.copies, r.of.basic))
		}
		of = t.compress(of)
	} else {
		for _, p := range u.parts {
			if t.left--; t.left < 0 {
				break // beyond the limit
			}
			of = append(of, t.repeated(p.copies, p.of)...)
		}
	}
	if copies == 1 {
		return of
	}
	return []*term{t.group(copies, of)}
}

// compress combines adjacent equal sequences of terms, short sequences first.
func (t *terms) compress(list []*term) []*term {
	for size := 2; size <= len(list)/2; size++ {
		var out []*term
		for i := 0; i < len(list); {
			n := 1
			for repeats(list[i:], n*size, size) {
				n++
			}
			if n == 1 {
				out = append(out, list[i])
				i++
				continue
			}
			out = append(out, t.group(int64(n), list[i:i+size:i+size]))
			i += n * size
		}
		if len(out) < len(list) {
			list, size = out, 1
		}
	}
	return list
}

// repeats reports whether the size terms from at on equal the first size terms.
func repeats(list []*term, at, size int) bool {
	if at+size > len(list) {
		return false
	}
	for i := range size {
		if list[i] != list[at+i] {
			return false
		}
	}
	return true
}

// runs returns the unit's runs of equal elements, the typesig of the paper on MUST's datatype checks (section VI.A). ok
// is false if there are more than maxRuns.
func (u *unit) runs() (runs []part, ok bool) {
	return u.appendRuns(nil)
}

func (u *unit) appendRuns(runs []part) ([]part, bool) {
	if len(u.parts) > maxRuns {
		return nil, false
	}
	for _, p := range u.parts {
		if p.of.basic != nil {
			if n := len(runs); n > 0 && runs[n-1].of.basic == p.of.basic {
				runs[n-1].copies += p.copies
			} else {
				runs = append(runs, part{copies: p.copies, of: p.of})
			}
			continue
		}
		for range p.copies {
			var ok bool
			if runs, ok = p.of.appendRuns(runs); !ok {
				return nil, false
			}
		}
	}
	return runs, len(runs) <= maxRuns
}

// root returns the shortest sequence of runs whose n-fold repetition equals runs, and n.
func root(runs []part) (n int64, one []part) {
	last := len(runs) - 1
	cycle := runs
	joined := last > 0 && runs[0].of.basic == runs[last].of.basic
	if joined {
		// The last run of a copy and the first run of the next copy are one run.
		cycle = append([]part(nil), runs[:last]...)
		cycle[0].copies += runs[last].copies
	}
	for size := 1; size <= len(cycle)/2; size++ {
		if len(cycle)%size != 0 || !periodic(cycle, size) {
			continue
		}
		one = runs[:size:size]
		if joined {
			one = append(one, runs[last])
		}
		return int64(len(cycle) / size), one
	}
	if len(cycle) == 1 {
		return cycle[0].copies, []part{{copies: 1, of: runs[0].of}}
	}
	return 1, runs
}

func periodic(runs []part, size int) bool {
	for i := size; i < len(runs); i++ {
		if runs[i].of.basic != runs[i-size].of.basic || runs[i].copies != runs[i-size].copies {
			return false
		}
	}
	return true
}

// textWriter writes terms up to a limit.
type textWriter struct {
	b     strings.Builder
	limit int
}

func (w *textWriter) terms(list []*term) {
	for i, t := range list {
		if i > 0 {
			w.b.WriteString(", ")
		}
		if w.b.Len() >= w.limit {
			w.b.WriteString("…")
			return
		}
		w.term(t)
	}
}

func (w *textWriter) term(t *term) {
	if t.copies > 1 {
		w.b.WriteString(strconv.FormatInt(t.copies, 10) + "×")
	}
	if t.basic != nil {
		w.b.WriteString(strings.TrimPrefix(t.basic.Name, "MPI_"))
		return
	}
	w.b.WriteByte('{')
	w.terms(t.of)
	w.b.WriteByte('}')
}
