package inspect

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// buffer answers a request for memory that is shown through a datatype.
func (s *look) buffer(q *Request) (*item, error) {
	if q.Type == nil || q.Address == nil {
		return nil, errRequest(q.Do, "a type and an address")
	}
	h, err := s.toHandle(kinds["datatype"], uint64(*q.Type), q.Fortran)
	if err != nil {
		return nil, err
	}
	t, err := s.typeOf(h)
	if err != nil {
		return nil, err
	}
	count := int64(1)
	if q.Count != nil {
		count = *q.Count
	}
	steps, names := splitPath(q.Path)
	it, err := s.data(t, uint64(*q.Address), count)
	if err != nil || steps == "" {
		if err != nil {
			return nil, err
		}
		return open(it, names)
	}
	return s.part(t, uint64(*q.Address), count, steps)
}

// data shows count elements of a datatype in memory: their basic elements, in the order of the signature. If the
// datatype has parts, each of several copies is a node.
func (s *look) data(t *typ, at uint64, count int64) (*item, error) {
	switch {
	case t.Size < 0:
		return nil, fmt.Errorf("the layout of the datatype is not known: %s", t.line())
	case count < 0:
		return nil, fmt.Errorf("the count is %d", count)
	case t.Elements > 0 && count > math.MaxInt64/t.Elements/max(t.Size, 1):
		return nil, errors.New("the buffer is larger than memory")
	}
	v := view{s: s, t: t, at: at, count: count}
	text := fmt.Sprintf("%d × %s at %#x", count, t.label(), at)
	if count < 2 || t.Root().Children() == 0 {
		return v.elements(0, count*t.Elements, text), nil
	}
	return &item{text: text + ": " + v.first(0, count*t.Elements), n: count, field: func(i int64) (string, *item) {
		c := v.elements(i*t.Elements, t.Elements, "")
		c.text = "{" + v.first(i*t.Elements, t.Elements) + "}"
		return "[" + strconv.FormatInt(i, 10) + "]", c
	}}, nil
}

// part shows the part of a buffer at the end of a path. For a basic type, the path has the number of the copy.
func (s *look) part(t *typ, at uint64, count int64, path string) (*item, error) {
	p, err := datatype.ParsePath(path)
	if err != nil {
		return nil, err
	}
	if t.Root().Children() == 0 && len(p.Steps) == 1 && p.Copy < 0 {
		p = datatype.Path{Copy: p.Steps[0].Index}
	}
	if p.Copy >= count {
		return nil, fmt.Errorf("the buffer has only %d copies of the datatype, so there is no copy %d", count, p.Copy)
	}
	place, err := p.Resolve(t.Type)
	if err != nil {
		return nil, err
	}
	v := view{s: s, t: t, at: at, count: count}
	n := place.Node.Elements()
	if n == 1 && place.Node.Children() == 0 {
		return v.element(place.First), nil
	}
	return v.elements(place.First, n, fmt.Sprintf("%s, %d elements at %#x", v.name(p), n, at+uint64(place.At))), nil
}

// view is a buffer.
type view struct {
	s     *look
	t     *typ
	at    uint64
	count int64
}

// firstValues is how many values the line about a buffer has.
const firstValues = 8

// elements shows some of the basic elements of a buffer. Their names are their paths.
func (v view) elements(first, n int64, text string) *item {
	return &item{text: text + ": " + v.first(first, n), n: n, field: func(i int64) (string, *item) {
		return v.name(datatype.PathTo(v.t.Type, "", first+i)), v.element(first + i)
	}}
}

// first returns the first values of some elements.
func (v view) first(first, n int64) string {
	var values []string
	for i := range min(n, firstValues) {
		values = append(values, v.element(first+i).text)
	}
	if n > firstValues {
		values = append(values, "…")
	}
	return strings.Join(values, ", ")
}

// name returns a path without explanations, and without the number of the copy. Only a basic type has nothing but that
// number.
func (v view) name(p datatype.Path) string {
	p.Kind = ""
	for i := range p.Steps {
		p.Steps[i].Kind = ""
	}
	if v.t.Root().Children() == 0 {
		return "[" + strconv.FormatInt(max(p.Copy, 0), 10) + "]"
	}
	p.Copy = -1
	return p.String()
}

// element shows a basic element, by its number.
func (v view) element(e int64) *item {
	p := datatype.PathTo(v.t.Type, "", e)
	place, err := p.Resolve(v.t.Type)
	if err != nil || place.Node.Type == nil {
		return line("?")
	}
	basic := place.Node.Type
	b := make([]byte, min(max(basic.Size, 0), mostBasic))
	if err := v.s.Memory().ReadMemory(v.at+uint64(place.At), b); err != nil {
		return line("<cannot be read at %#x>", v.at+uint64(place.At))
	}
	return line("%s", value(basic.Basic, b))
}
