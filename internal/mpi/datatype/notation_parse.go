package datatype

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of Parse, so that every text is parsed in a short time.
const (
	maxNumbers = 4 << 20 // blocks, and numbers in lists
	maxNesting = 1000
)

// Parse reads a type in its textual form, as Format writes it and docs/types.md describes it. All errors are
// *SyntaxErrors, also if a constructor rejects its arguments.
func Parse(text string) (*Type, error) {
	p := parser{scanner: scanner{text: text}, types: map[string]*Type{}}
	t := p.whole()
	if p.err != nil {
		return nil, p.err
	}
	return t, nil
}

// parser is a parser by recursive descent.
type parser struct {
	scanner
	types   map[string]*Type // by name: definitions of the text, and predefined types so far
	nesting int
	numbers int // read so far
}

// whole reads definitions, and then the type. If there is none, the type is the last definition.
func (p *parser) whole() *Type {
	t := p.statement()
	for p.accept(';') && p.peek() != end {
		t = p.statement()
	}
	if p.peek() != end {
		p.fail(p.pos, "the end or ';' is expected, not %s", p.next())
	}
	return t
}

// statement reads "name = type", or a type.
func (p *parser) statement() *Type {
	p.space()
	at := p.pos
	name := p.word()
	if name == "" || !p.accept('=') {
		p.pos = at
		return p.typ()
	}
	_, predefined := predefinedName(name)
	_, constructor := kindCalled(name)
	switch {
	case predefined:
		p.fail(at, "%s is a predefined type already", name)
	case constructor:
		p.fail(at, "%s is a constructor already", name)
	case p.types[name] != nil:
		p.fail(at, "%s is defined already", name)
	}
	t := p.typ()
	p.types[name] = t
	return t
}

// typ reads a type: a name, or a constructor with its arguments. It returns nil after an error, so that types made from
// it are unknown.
func (p *parser) typ() *Type {
	p.space()
	at := p.pos
	word := p.word()
	if word == "" {
		p.fail(at, "a type is expected, not %s", p.next())
		return nil
	}
	if t := p.types[word]; t != nil {
		return t
	}
	kind, ok := kindCalled(word)
	switch {
	case !ok:
		return p.predefined(at, word)
	case kind == Unknown:
		return UnknownType()
	case p.nesting == maxNesting:
		p.fail(at, "types are nested more than %d deep", maxNesting)
		return nil
	}
	p.nesting++
	call := call{parser: p, at: map[string]int{}}
	t, err := call.construct(kind)
	p.nesting--
	if err != nil {
		var argument *ArgumentError
		if errors.As(err, &argument) {
			at = max(at, call.at[argument.Param])
		}
		p.fail(at, "%v", err)
		return nil
	}
	return t
}

// kindCalled returns the kind of type of a constructor's name.
func kindCalled(word string) (Kind, bool) {
	for kind, w := range kindWords {
		if w == word {
			return kind, true
		}
	}
	return 0, false
}

// predefined returns the predefined type of the given name. A size in bytes may follow the name: INTEGER:8.
func (p *parser) predefined(at int, word string) *Type {
	name, known := predefinedName(word)
	size, _ := DefaultSize(name)
	hint := p.didYouMean(word)
	if given, ok := p.size(); ok {
		size = given
		known = known || strings.HasPrefix(word, "MPI")
	}
	if !known {
		p.fail(at, "there is no type %s%s", word, hint)
		return nil
	}
	key := fmt.Sprintf("%s:%d", name, size)
	if p.types[key] == nil {
		p.types[key] = Predefined(name, size)
	}
	return p.types[key]
}

// size reads a size after a name, if there is one: ":8".
func (p *parser) size() (int64, bool) {
	if !p.accept(':') {
		return 0, false
	}
	p.space()
	at := p.pos
	n := p.number()
	if n < 0 || n > 1<<20 {
		p.fail(at, "%d is not the size of a basic type", n)
	}
	return n, true
}

// predefinedName returns the full name of a predefined type. The word may have the prefix MPI_ or not.
func predefinedName(word string) (string, bool) {
	name := "MPI_" + strings.TrimPrefix(word, "MPI_")
	if _, ok := DefaultSize(name); ok {
		return name, true
	}
	return word, false
}

// didYouMean returns a hint at the meaning of an unknown word.
func (p *parser) didYouMean(word string) string {
	if name, ok := predefinedName(strings.ToUpper(word)); ok {
		return ": did you mean " + strings.TrimPrefix(name, "MPI_") + "?"
	}
	short := strings.ToLower(word)
	for _, prefix := range []string{"mpi_", "type_", "create_"} {
		short = strings.TrimPrefix(short, prefix)
	}
	if _, ok := kindCalled(short); ok {
		return ": did you mean " + short + "?"
	}
	if r := p.peek(); r == '(' || r == '{' {
		return "; constructors are " + strings.Join(slices.Sorted(maps.Values(kindWords)), ", ")
	}
	return ""
}

// call reads the arguments of a constructor, in MPI's order.
type call struct {
	*parser
	at    map[string]int // positions of parameters, by their names in MPI
	begun bool
}

// argument goes to the next argument.
func (c *call) argument(param string) {
	if c.begun {
		c.want(',')
	} else {
		c.want('(')
	}
	c.begun = true
	c.space()
	c.at[param] = c.pos
}

func (c *call) num(param string) int64 {
	c.argument(param)
	return c.number()
}

func (c *call) nums(param string) []int64 {
	c.argument(param)
	return list(c.parser, c.number)
}

// asMany reads a list that must have n numbers, like the first list. The returned list always has n numbers.
func (c *call) asMany(param string, n int) []int64 {
	l := c.nums(param)
	if len(l) != n {
		c.fail(c.at[param], "%s has %d numbers, but the first list has %d", param, len(l), n)
		return make([]int64, n)
	}
	return l
}

func (c *call) old() *Type {
	c.argument("oldtype")
	t := c.typ()
	c.want(')')
	return t
}

// construct reads the arguments of a constructor, and calls it, even after a syntax error.
func (c *call) construct(kind Kind) (*Type, error) {
	switch kind {
	case DupKind:
		return Dup(c.old())
	case ContiguousKind:
		count := c.num("count")
		return Contiguous(count, c.old())
	case VectorKind:
		return c.vector(Vector)
	case HvectorKind:
		return c.vector(Hvector)
	case IndexedKind:
		return c.indexed(Indexed)
	case HindexedKind:
		return c.indexed(Hindexed)
	case IndexedBlockKind:
		return c.indexedBlock(IndexedBlock)
	case HindexedBlockKind:
		return c.indexedBlock(HindexedBlock)
	case StructKind:
		return Struct(c.blocks())
	case SubarrayKind:
		sizes := c.nums("array_of_sizes")
		subsizes, starts := c.asMany("array_of_subsizes", len(sizes)), c.asMany("array_of_starts", len(sizes))
		order := c.order()
		return Subarray(sizes, subsizes, starts, order, c.old())
	case DarrayKind:
		size, rank, gsizes := c.num("size"), c.num("rank"), c.nums("array_of_gsizes")
		distribs, dargs := c.distributions(len(gsizes))
		psizes := c.asMany("array_of_psizes", len(gsizes))
		order := c.order()
		return Darray(size, rank, gsizes, distribs, dargs, psizes, order, c.old())
	case ResizedKind:
		lb, extent := c.num("lb"), c.num("extent")
		return Resized(lb, extent, c.old())
	}
	return c.f90(kind), nil
}

func (c *call) vector(construct func(count, blocklength, stride int64, old *Type) (*Type, error)) (*Type, error) {
	count, blocklength, stride := c.num("count"), c.num("blocklength"), c.num("stride")
	return construct(count, blocklength, stride, c.old())
}

func (c *call) indexed(construct func(blocklengths, displacements []int64, old *Type) (*Type, error)) (*Type, error) {
	lengths := c.nums("array_of_blocklengths")
	displacements := c.asMany("array_of_displacements", len(lengths))
	return construct(lengths, displacements, c.old())
}

func (c *call) indexedBlock(
	construct func(blocklength int64, displacements []int64, old *Type) (*Type, error),
) (*Type, error) {
	length, displacements := c.num("blocklength"), c.nums("array_of_displacements")
	return construct(length, displacements, c.old())
}

// blocks reads {2*INT @0, DOUBLE @8}.
func (c *call) blocks() (lengths, displacements []int64, types []*Type) {
	c.want('{')
	for more := c.peek() != '}'; more && c.err == nil; more = c.accept(',') {
		c.another()
		length := int64(1)
		if r := c.peek(); r == '-' || r >= '0' && r <= '9' && !c.wordAhead() {
			at := c.pos
			length = c.number()
			c.want('*')
			if length < 0 {
				c.fail(at, "%d copies are less than none", length)
			}
		}
		lengths, types = append(lengths, length), append(types, c.typ())
		c.want('@')
		displacements = append(displacements, c.number())
	}
	c.want('}')
	return lengths, displacements, types
}

// wordAhead reports whether a word comes next. 2INT is a word, too.
func (c *call) wordAhead() bool {
	ahead := c.scanner
	return ahead.word() != ""
}

// distributions reads [block, cyclic(2)]: distributions with optional arguments.
func (c *call) distributions(n int) (distribs []Distribution, dargs []int64) {
	c.argument("array_of_distribs")
	c.at["array_of_dargs"] = c.pos
	distribs = list(c.parser, func() Distribution {
		d := choice(c.parser, distributionWords)
		darg := int64(DefaultDarg)
		if c.accept('(') {
			darg = c.number()
			c.want(')')
		}
		dargs = append(dargs, darg)
		return d
	})
	if len(distribs) != n {
		c.fail(c.at["array_of_distribs"], "there are %d distributions for %d dimensions", len(distribs), n)
		return make([]Distribution, n), make([]int64, n)
	}
	return distribs, dargs
}

func (c *call) order() Order {
	c.argument("order")
	return choice(c.parser, orderWords)
}

// f90 reads the arguments of a Fortran type, and its size if there is one. The default size is the common size of all
// compilers.
func (c *call) f90(kind Kind) *Type {
	var precision int64
	if kind != F90IntegerKind {
		precision = c.num("p")
	}
	r := c.num("r")
	c.want(')')
	size, given := c.size()
	if !given {
		size = F90Size(kind, precision, r)
	}
	return F90(kind, precision, r, size)
}

// list reads [1, 2, 3].
func list[T any](p *parser, item func() T) []T {
	out := []T{}
	p.want('[')
	for more := p.peek() != ']'; more && p.err == nil; more = p.accept(',') {
		p.another()
		out = append(out, item())
	}
	p.want(']')
	return out
}

// another counts one more number or block.
func (p *parser) another() {
	p.numbers++
	if p.numbers > maxNumbers {
		p.fail(p.pos, "there are more than %d numbers and blocks", maxNumbers)
	}
}

// choice reads one of the given words. Case does not matter.
func choice[T comparable](p *parser, words map[T]string) (value T) {
	p.space()
	at := p.pos
	word := p.word()
	for v, w := range words {
		if strings.EqualFold(word, w) {
			return v
		}
	}
	p.fail(at, "%s is expected", strings.Join(slices.Sorted(maps.Values(words)), " or "))
	return value
}
