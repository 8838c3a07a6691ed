package datatype

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Path addresses a node of a type's expanded tree, such as an element of a message, as the paper on MUST's datatype
// checks does (section IV.C): s_type(STRUCT)[2][5](CHAR). A number in square brackets counts, from 0, the edges to the
// left of the one to take. What is in round brackets is the kind of the type that is reached, and only explains; stages
// between two types have none.
type Path struct {
	// Name is the root's: a variable, or the name that the program gave the type. It may be empty.
	Name string
	// Copy is the number, from 0, of the root among several copies in a buffer, -1 if there is but one.
	Copy int64
	// Kind explains the root, "" if it is not explained.
	Kind string
	// Steps lead down from the root.
	Steps []Step
}

// A Step goes down one edge.
type Step struct {
	Index int64
	Kind  string // explains what is reached: "CHAR"; "" if that is an intermediate stage, or not explained
}

// PathTo returns the path of basic element e of t, in the order of the signature. The elements of further copies of t
// follow; in them, the path tells the copy. A type without elements, or of which nothing is known, has only its root.
func PathTo(t *Type, name string, e int64) Path {
	return pathTo(t, name, e, t.Elements, Node.ChildWithElement, func(n Node, i int64) int64 {
		before, _ := n.Before(i)
		return before
	})
}

// PathToByte is PathTo for the element that a byte belongs to, given the byte's position in the data of t, and of copies
// of it, when elements lie end to end in the order of the signature (as packed).
func PathToByte(t *Type, name string, b int64) Path {
	return pathTo(t, name, b, t.Size, Node.ChildWithByte, func(n Node, i int64) int64 {
		_, before := n.Before(i)
		return before
	})
}

// pathTo finds the path to position pos, in units of which t has size, of which child finds the child, and before says
// how many there are before a child.
func pathTo(t *Type, name string, pos, size int64, child, before func(n Node, i int64) int64) Path {
	p := Path{Name: name, Copy: -1, Kind: t.kindName()}
	if size <= 0 || pos < 0 {
		return p
	}
	if pos >= size {
		p.Copy = pos / size
		pos %= size
	}
	for n := t.Root(); n.Children() > 0; {
		i := child(n, pos)
		pos -= before(n, i)
		n = n.Child(i)
		step := Step{Index: i}
		if n.Type != nil {
			step.Kind = n.Type.kindName()
		}
		p.Steps = append(p.Steps, step)
	}
	return p
}

// Among returns the path in a buffer of count copies of the type: if there are several, it tells the copy, be it the
// first.
func (p Path) Among(count int64) Path {
	if count > 1 && p.Copy < 0 {
		p.Copy = 0
	}
	return p
}

// kindName is what explains t in a path: CHAR, STRUCT.
func (t *Type) kindName() string {
	if t.Kind == Named {
		return strings.TrimPrefix(t.Basic.Name, "MPI_")
	}
	return t.Kind.String()
}

// String writes the path: s_type(STRUCT)[2][5](CHAR), or copy 3 of s_type(STRUCT)[2][5](CHAR) if a copy is told. A name
// that could not be told from what follows is quoted as in Go.
func (p Path) String() string {
	var b strings.Builder
	if p.Copy >= 0 {
		fmt.Fprintf(&b, "copy %d of ", p.Copy)
	}
	if strings.ContainsFunc(p.Name, endsName) {
		b.WriteString(strconv.Quote(p.Name))
	} else {
		b.WriteString(p.Name)
	}
	writeKind(&b, p.Kind)
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "[%d]", s.Index)
		writeKind(&b, s.Kind)
	}
	return b.String()
}

func writeKind(b *strings.Builder, kind string) {
	if kind != "" {
		b.WriteString("(" + kind + ")")
	}
}

// endsName reports whether r can't be part of a name that is not quoted.
func endsName(r rune) bool {
	return strings.ContainsRune("()[]\"", r) || unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
}

// ParsePath reads what Path.String writes. Everything but the numbers in brackets may be left out. Errors are
// *SyntaxErrors.
func ParsePath(text string) (Path, error) {
	s := pathScanner{scanner{text: text}}
	p := Path{Copy: s.copyNumber(), Name: s.name(), Kind: s.kind()}
	for s.accept('[') {
		index := s.count()
		s.want(']')
		p.Steps = append(p.Steps, Step{Index: index, Kind: s.kind()})
	}
	if s.peek() != end {
		s.fail(s.pos, "a number in square brackets is expected, not %s", s.next())
	}
	if s.err != nil {
		return Path{}, s.err
	}
	return p, nil
}

type pathScanner struct{ scanner }

// count reads a number that is not negative.
func (s *pathScanner) count() int64 {
	if s.peek() == '-' {
		s.fail(s.pos, "a number that is not negative is expected")
	}
	return s.number()
}

// copyNumber reads "copy 3 of", if that is how the path begins: a type may be called copy.
func (s *pathScanner) copyNumber() int64 {
	before := *s
	if s.word() != "copy" || !strings.HasPrefix(s.rest(), " ") || strings.ContainsRune("([", s.peek()) {
		*s = before
		return -1
	}
	n := s.count()
	s.space()
	if at := s.pos; s.word() != "of" {
		s.fail(at, `"of" is expected`)
	}
	return n
}

func (s *pathScanner) name() string {
	if s.peek() == '"' {
		quoted, err := strconv.QuotedPrefix(s.rest())
		if err != nil {
			s.fail(s.pos, "a name that begins with a quote must end with one")
			return ""
		}
		s.pos += len(quoted)
		name, _ := strconv.Unquote(quoted) // can be unquoted: it is a quoted prefix
		return name
	}
	name := s.rest()
	if i := strings.IndexFunc(name, endsName); i >= 0 {
		name = name[:i]
	}
	s.pos += len(name)
	return name
}

// kind reads an explanation in round brackets, if there is one.
func (s *pathScanner) kind() string {
	if !s.accept('(') {
		return ""
	}
	s.space()
	at := s.pos
	kind := s.word()
	if kind == "" {
		s.fail(at, "the name of a kind of type is expected")
	}
	s.want(')')
	return kind
}

// A Place is what a path leads to.
type Place struct {
	Node Node
	// First is the number of the first basic element of the node, in the order of the signature of all copies of the
	// type, and Byte the position of its first byte when they lie end to end. Node says how many there are.
	First, Byte int64
	// At is the node's displacement in bytes, relative to the buffer.
	At int64
}

// Resolve follows the path in t. The error says which step can't be taken, or which explanation is wrong. The name is
// not looked at.
func (p Path) Resolve(t *Type) (Place, error) {
	n := t.Root()
	place := Place{Node: n}
	if err := checkKind(p.Kind, n); err != nil {
		return Place{}, p.wrong(0, err)
	}
	if p.Copy > 0 {
		var a arith
		place.First, place.Byte = a.mul(p.Copy, n.Elements()), a.mul(p.Copy, n.Bytes())
		place.At = a.mul(p.Copy, t.Extent())
		if a.over {
			return Place{}, p.wrong(0, errors.New("is further away than an MPI_Count can tell"))
		}
	}
	for k, step := range p.Steps {
		if step.Index < 0 || step.Index >= n.Children() {
			return Place{}, p.wrong(k, n.noChild(step.Index))
		}
		elements, bytes := n.Before(step.Index)
		place.First += elements
		place.Byte += bytes
		place.At += n.At(step.Index)
		n = n.Child(step.Index)
		if err := checkKind(step.Kind, n); err != nil {
			return Place{}, p.wrong(k+1, err)
		}
	}
	place.Node = n
	return place, nil
}

// Explained returns the path with everything explained, in t. It is p itself as far as it can't be followed.
func (p Path) Explained(t *Type) Path {
	n := t.Root()
	p.Kind, p.Steps = t.kindName(), slices.Clone(p.Steps)
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Index < 0 || step.Index >= n.Children() {
			break
		}
		n = n.Child(step.Index)
		step.Kind = ""
		if n.Type != nil {
			step.Kind = n.Type.kindName()
		}
	}
	return p
}

// wrong says that there is something wrong behind the first steps of the path.
func (p Path) wrong(steps int, err error) error {
	p.Steps = p.Steps[:steps]
	s := p.String()
	if s == "" {
		s = "the type"
	}
	return fmt.Errorf("%s %w", s, err)
}

// canonical returns the name of a predefined type that its synonyms share.
func canonical(name string) string {
	if c, ok := synonyms[name]; ok {
		return c
	}
	return name
}

func (n Node) noChild(i int64) error {
	switch n.Children() {
	case 0:
		return fmt.Errorf("has nothing below it, so no [%d]", i)
	case 1:
		return fmt.Errorf("has only [0], so no [%d]", i)
	}
	return fmt.Errorf("has [0] to [%d], so no [%d]", n.Children()-1, i)
}

// checkKind checks an explanation of n, if there is one. Names of predefined types may be told in full, and synonyms.
func checkKind(kind string, n Node) error {
	if kind == "" {
		return nil
	}
	if n.Type == nil {
		return fmt.Errorf("is a stage between two types, not %s", kind)
	}
	is := n.Type.kindName()
	if kind == is || n.Type.Kind == Named && canonical("MPI_"+strings.TrimPrefix(kind, "MPI_")) == n.Type.Basic.Name {
		return nil
	}
	return fmt.Errorf("is %s, not %s", is, kind)
}

// Element resolves a path that leads to one basic element, and returns the element's number in the order of the
// signature of all copies of t.
func (p Path) Element(t *Type) (int64, error) {
	place, err := p.Resolve(t)
	if err != nil {
		return 0, err
	}
	if n := place.Node.Elements(); n != 1 || place.Node.Children() > 0 {
		return 0, p.wrong(len(p.Steps), fmt.Errorf("is no basic element, but a node with %d below it", n))
	}
	return place.First, nil
}
