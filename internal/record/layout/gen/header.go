package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
)

// A header holds the definitions of preload/record.h, in their order.
type header struct {
	defines []constant
	enums   []*enum
	structs []*structure

	values map[string]uint64 // of defines and enumerators
	sizes  map[string]*structure
}

type constant struct {
	name, text string // text is the value as written
	value      uint64
	comment    string
}

type enum struct {
	name, prefix, comment string
	values                []constant
}

// A structure is a struct. Offsets and sizes are those of the C compilers for x86-64 and arm64.
type structure struct {
	name, comment string
	payload       bool // it lies in records
	fields        []field
	tails         []tail
	size, align   int
}

type field struct {
	name, ctype   string
	count         int    // of an array, else 0
	countName     string // name of the constant that is the count, or empty
	atomic        bool
	lead, comment string // the comments before and after it
	at, size      int
}

// A tail is an array behind the struct. The field `count` is its length.
type tail struct{ name, ctype, count string }

// parser reads the small part of C that the header uses: #define, enum, struct.
type parser struct {
	s    scanner.Scanner
	tok  rune
	text string
	line int
	last int // the line of the previous token
	h    *header
}

func parse(src string) (h *header, err error) {
	p := &parser{h: &header{values: make(map[string]uint64), sizes: make(map[string]*structure)}}
	p.s.Init(strings.NewReader(src))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanComments
	p.s.Error = func(*scanner.Scanner, string) {} // ignore errors about suffixes of numbers
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("line %d: %w", p.line, e)
		}
	}()
	comment := ""
	for p.next(); p.tok != scanner.EOF; {
		switch {
		case p.tok == scanner.Comment:
			comment = plain(p.text)
			p.next()
			continue
		case p.tok == '#':
			p.readDefine()
		case p.text == "enum":
			p.readEnum(comment)
		case p.text == "struct":
			p.readStruct(comment)
		default:
			p.fail("%q is not understood", p.text)
		}
		comment = ""
	}
	return p.h, nil
}

func (p *parser) fail(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

func (p *parser) next() string {
	text := p.text
	p.last = p.line
	p.tok = p.s.Scan()
	p.text, p.line = p.s.TokenText(), p.s.Position.Line
	return text
}

func (p *parser) expect(text string) {
	if p.text != text {
		p.fail("%q where %q is expected", p.text, text)
	}
	p.next()
}

// readDefine reads a line that begins with #. It skips macros with arguments: only C uses them.
func (p *parser) readDefine() {
	line := p.line
	p.next()
	var words []string
	adjacent := false // the name is followed by a parenthesis
	what := p.next()
	for p.line == line && p.tok != scanner.EOF && p.tok != scanner.Comment {
		if len(words) == 1 && p.tok == '(' {
			adjacent = true
		}
		words = append(words, p.next())
	}
	if what != "define" || len(words) < 2 || adjacent {
		return
	}
	c := constant{name: words[0], text: strings.Join(words[1:], "")}
	if p.tok == scanner.Comment && p.line == line {
		c.comment = plain(p.text)
		p.next()
	}
	c.value = p.value(c.text)
	p.h.values[c.name] = c.value
	p.h.defines = append(p.h.defines, c)
}

// value returns the number that a constant stands for.
func (p *parser) value(text string) uint64 {
	if text == "UINT64_MAX" {
		return ^uint64(0)
	}
	if v, ok := p.h.values[text]; ok {
		return v
	}
	v, err := strconv.ParseUint(strings.TrimRight(text, "uUlL"), 0, 64)
	if err != nil {
		p.fail("%q is not a number", text)
	}
	return v
}

// comments reads the comments that come next. A comment that begins on the line of the previous token belongs to that
// token. Any other comment belongs to the token that follows.
func (p *parser) comments() (behind, before string) {
	for p.tok == scanner.Comment {
		if p.line == p.last {
			behind = plain(p.text)
		} else {
			before = plain(p.text)
		}
		line := p.line + strings.Count(p.text, "\n")
		p.next()
		p.last = line
	}
	return behind, before
}

func (p *parser) readEnum(comment string) {
	p.next()
	e := &enum{name: p.next(), comment: comment}
	p.expect("{")
	if behind, _ := p.comments(); behind != "" {
		prefix, ok := strings.CutPrefix(behind, "Go: ")
		if !ok {
			p.fail("the comment of enum %s is not a marker: %q", e.name, behind)
		}
		e.prefix = prefix
	}
	next := uint64(0)
	for p.tok != '}' {
		c := constant{name: p.next()}
		if p.tok == '=' {
			p.next()
			next = p.value(p.number())
		}
		c.value = next
		next++
		if p.tok == ',' {
			p.next()
		}
		c.comment, _ = p.comments()
		p.h.values[c.name] = c.value
		e.values = append(e.values, c)
	}
	p.expect("}")
	p.expect(";")
	p.h.enums = append(p.h.enums, e)
}

// number reads a number with its suffix.
func (p *parser) number() string {
	n := p.next()
	if p.tok == scanner.Ident && strings.Trim(p.text, "uUlL") == "" {
		n += p.next()
	}
	return n
}

func (p *parser) readStruct(comment string) {
	p.next()
	s := &structure{name: p.next(), comment: comment, align: 1}
	p.expect("{")
	behind, lead := p.comments()
	switch behind {
	case "":
	case "payload":
		s.payload = true
	default:
		p.fail("the comment of struct %s is not a marker: %q", s.name, behind)
	}
	for p.tok != '}' {
		lead = s.takeTails(lead)
		p.readFields(s, lead)
		var behind string
		behind, lead = p.comments()
		s.describe(s.takeTails(behind))
	}
	s.takeTails(lead)
	p.expect("}")
	p.expect(";")
	s.size = roundUp(s.size, s.align)
	p.h.structs = append(p.h.structs, s)
	p.h.sizes[s.name] = s
}

// describe gives the last field its comment.
func (s *structure) describe(text string) {
	if len(s.fields) == 0 || text == "" {
		return
	}
	f := &s.fields[len(s.fields)-1]
	if rest, ok := strings.CutPrefix(text, "atomic"); ok {
		f.atomic = true
		text = strings.TrimLeft(rest, ":, ")
	}
	f.comment = text
}

// takeTails takes the marker of tails out of a comment: "tail: path: char[path_len], …; the rest is a comment". It
// returns the rest.
func (s *structure) takeTails(text string) string {
	list, ok := strings.CutPrefix(text, "tail: ")
	if !ok {
		return text
	}
	list, rest, _ := strings.Cut(list, "; ")
	for one := range strings.SplitSeq(list, ", ") {
		var t tail
		name, typ, ok := strings.Cut(one, ": ")
		if open := strings.IndexByte(typ, '['); ok && open > 0 && strings.HasSuffix(typ, "]") {
			t = tail{name, typ[:open], typ[open+1 : len(typ)-1]}
		} else {
			panic(fmt.Errorf("struct %s: %q is not a tail", s.name, one))
		}
		s.tails = append(s.tails, t)
	}
	return rest
}

// readFields reads one declaration.
func (p *parser) readFields(s *structure, lead string) {
	least := 1
	if p.text == "_Alignas" {
		p.next()
		p.expect("(")
		least = int(p.value(p.number()))
		p.expect(")")
	}
	ctype := p.next()
	if ctype == "struct" {
		ctype = p.next()
	}
	for {
		f := field{name: p.next(), ctype: ctype, lead: lead}
		lead = ""
		size, align := p.sizeOf(ctype)
		if p.tok == '[' {
			p.next()
			if p.tok == ']' { // a tail: a comment describes it
				p.next()
				break
			}
			if p.tok == scanner.Ident {
				f.countName = p.text
			}
			f.count = int(p.value(p.number()))
			p.expect("]")
			size *= f.count
		}
		align = max(align, least)
		f.at, f.size = roundUp(s.size, align), size
		s.size, s.align = f.at+size, max(s.align, align)
		s.fields = append(s.fields, f)
		if p.tok != ',' {
			break
		}
		p.next()
	}
	p.expect(";")
}

var cTypes = map[string]int{
	"char": 1, "uint8_t": 1, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8,
}

func (p *parser) sizeOf(ctype string) (size, align int) {
	if n, ok := cTypes[ctype]; ok {
		return n, n
	}
	s := p.h.sizes[ctype]
	if s == nil {
		p.fail("the type %q is not known", ctype)
	}
	return s.size, s.align
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// plain returns the text of a C comment, each of its paragraphs in one line.
func plain(comment string) string {
	comment = strings.TrimSuffix(strings.TrimPrefix(comment, "/*"), "*/")
	var lines []string
	for line := range strings.Lines(comment) {
		lines = append(lines, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*")))
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	paragraphs := strings.Split(text, "\n\n")
	for i, one := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(one), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}
