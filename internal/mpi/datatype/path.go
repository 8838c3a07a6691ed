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

// Path addresses a node of a type's expanded tree, for example an element of a message, in the notation of the paper on
// MUST's datatype checks (section IV.C): s_type(STRUCT)[2][5](CHAR). A number in square brackets is the number, from 0,
// of the edge to follow. The word in round brackets is the kind of the type at the end of that edge. It is only an
// explanation. Stages between two types have no such word.
type Path struct {
	// Name is the name of the root: that of a variable, or of the type in the program. It may be empty.
	Name string
	// Copy is the number, from 0, of the copy in a buffer of several copies, -1 if there is only one.
	Copy int64
	// Kind is the explanation of the root, "" if there is none.
	Kind string
	// Steps lead down from the root.
	Steps []Step
}

// Step goes down one edge.
type Step struct {
	Index int64
	Kind  string // explanation of the child: "CHAR"; "" for an intermediate stage, or if there is no explanation
}

// PathTo returns the path of basic element e of t, in the order of the signature. If e is not less than t.Elements, the
// element is in a later copy of t, and the path has the number of that copy. If t is unknown, or has no elements, the
// path has no steps.
func PathTo(t *Type, name string, e int64) Path {
	return pathTo(t, name, e, t.Elements, Node.ChildWithElement, func(n Node, i int64) int64 {
		before, _ := n.Before(i)
		return before
	})
}

// PathToByte returns the path of the element that contains byte b. This is the position of the byte in the packed data
// of t and of its further copies: the elements lie end to end in the order of the signature.
func PathToByte(t *Type, name string, b int64) Path {
	return pathTo(t, name, b, t.Size, Node.ChildWithByte, func(n Node, i int64) int64 {
		_, before := n.Before(i)
		return before
	})
}

// pathTo finds the path to position pos, which counts elements or bytes. t has size of them. child returns the child
// that contains a position, and before returns how many of them are before a child.
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

// Among returns the path in a buffer of count copies of the type. If there are several, the path has the number of the
// copy, even for the first copy.
func (p Path) Among(count int64) Path {
	if count > 1 && p.Copy < 0 {
		p.Copy = 0
	}
	return p
}

// kindName returns the explanation of t in a path: CHAR, STRUCT.
func (t *Type) kindName() string {
	if t.Kind == Named {
		return strings.TrimPrefix(t.Basic.Name, "MPI_")
	}
	return t.Kind.String()
}

// String returns the text of the path: s_type(STRUCT)[2][5](CHAR), or copy 3 of s_type(STRUCT)[2][5](CHAR) if the path
// has a copy. A name with special characters is quoted as in Go.
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

// ParsePath parses the format of Path.String. Only the numbers in brackets are required. Errors are *SyntaxErrors.
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

// count reads a number that must not be negative.
func (s *pathScanner) count() int64 {
	if s.peek() == '-' {
		s.fail(s.pos, "a number that is not negative is expected")
	}
	return s.number()
}

// copyNumber reads "copy 3 of", if the path begins with it. It returns -1 otherwise. A type may be called copy.
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
		name, _ := strconv.Unquote(quoted) // cannot fail: it is a quoted prefix
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

// Place is the node at the end of a path.
type Place struct {
	Node Node
	// First is the number of the first basic element of the node, in the order of the signature of all copies of the
	// type. Byte is the position of the node's first byte in the packed data. Node has the numbers of both.
	First, Byte int64
	// At is the node's displacement in bytes, relative to the buffer.
	At int64
}

// Resolve follows the path in t. It returns an error if a step has no edge, or if an explanation is wrong. It ignores
// the name.
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

// Explained returns the path with all explanations, in t. Steps after one without an edge stay as they are.
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

// wrong returns an error about the node after the first steps of the path.
func (p Path) wrong(steps int, err error) error {
	p.Steps = p.Steps[:steps]
	s := p.String()
	if s == "" {
		s = "the type"
	}
	return fmt.Errorf("%s %w", s, err)
}

// canonical returns the name of a predefined type that stands for all its synonyms.
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

// checkKind checks an explanation of n, unless it is empty. It accepts full names of predefined types, and synonyms.
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
