// Package picture draws datatypes, as SVG or as text. A picture shows how a type is made (the meta type-tree of the
// paper on MUST's datatype checks, section IV.A), where its data lie in memory, and the element in both to which a path
// leads. Repetitions are folded. So the picture of a type with millions of elements is as small as others, and is drawn
// as quickly.
package picture

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

// Options are the options of a drawing.
type Options struct {
	// Name is the name of the type; "" if it has none.
	Name string
	// Count is the number of copies of the type in the buffer that is drawn, 1 if it is not positive.
	Count int64
	// Path leads to the part that is highlighted; nil if nothing is highlighted.
	Path *datatype.Path
}

// scene is the content of a picture.
type scene struct {
	typ   *datatype.Type
	name  string
	count int64
	path  *datatype.Path // nil if nothing is highlighted
	place datatype.Place // the place that the path leads to
	// whole is the buffer: the type, or count copies of it.
	whole *datatype.Type
}

func newScene(t *datatype.Type, o Options) (*scene, error) {
	s := &scene{typ: t, name: printable(o.Name), count: max(o.Count, 1), whole: t}
	if o.Path != nil {
		place, err := o.Path.Resolve(t)
		if err != nil {
			return nil, err
		}
		p := *o.Path
		if o.Count <= 0 {
			s.count = max(1, p.Copy+1)
		}
		if p.Copy >= s.count {
			return nil, fmt.Errorf("there is no copy %d among %d", p.Copy, s.count)
		}
		p = p.Explained(t).Among(s.count)
		s.path, s.place = &p, place
	}
	if s.count > 1 {
		whole, err := datatype.Contiguous(s.count, t)
		if err != nil {
			return nil, err
		}
		s.whole = whole
	}
	return s, nil
}

// Draw writes a picture of t as SVG. If the path is invalid, it returns the error of Path.Resolve.
func Draw(w io.Writer, t *datatype.Type, o Options) error {
	s, err := newScene(t, o)
	if err != nil {
		return err
	}
	_, err = w.Write(s.svg())
	return err
}

// Write writes the content of the picture that Draw makes as text.
func Write(w io.Writer, t *datatype.Type, o Options) error {
	s, err := newScene(t, o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, s.plain())
	return err
}

// title names the type and gives an expression for it, in about a hundred characters.
func (s *scene) title() string {
	title := datatype.Format(s.typ)
	if s.name != "" {
		title = s.name + " = " + title
	}
	title = shorten(title, 110)
	if s.count > 1 {
		title = fmt.Sprintf("%d copies of %s", s.count, title)
	}
	return title
}

// facts returns the size, extent and bounds of the type.
func (s *scene) facts() string {
	t := s.typ
	if t.Size < 0 {
		return "nothing is known of its size and extent"
	}
	text := fmt.Sprintf("%s, %s of data, extent %d (%d to %d)", plural(t.Elements, "element"), plural(t.Size, "byte"),
		t.Extent(), t.LB, t.UB)
	if t.Size > 0 && (t.TrueLB != t.LB || t.TrueUB != t.UB) {
		text += fmt.Sprintf(", data from %d to %d", t.TrueLB, t.TrueUB)
	}
	return text
}

// found describes the part that the path leads to.
func (s *scene) found() string {
	n := s.place.Node
	text := shorten(s.path.String(), 90) + ": "
	switch elements := n.Elements(); {
	case elements == 1 && n.Children() == 0:
		text += fmt.Sprintf("element %d, %s at displacement %d", s.place.First, plural(n.Bytes(), "byte"), s.place.At)
	case elements == 0:
		text += fmt.Sprintf("no elements, at displacement %d", s.place.At)
	case elements == 1:
		text += fmt.Sprintf("element %d only, from displacement %d on", s.place.First, s.place.At)
	default:
		text += fmt.Sprintf("elements %d to %d, from displacement %d on", s.place.First, s.place.First+elements-1,
			s.place.At)
	}
	return text
}

// printable replaces characters that could disturb a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shorten cuts text to at most n characters, with an ellipsis in the middle.
func shorten(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	head := n * 2 / 3
	return string(r[:head]) + " … " + string(r[len(r)-(n-head-3):])
}
