package datatype

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError is an error in a path or in the textual form of a type.
type SyntaxError struct {
	Line, Column int // from 1, in characters
	Why          string
}

func (e *SyntaxError) Error() string {
	if e.Line > 1 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Why)
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Why)
}

// scanner reads tokens from left to right. It remembers the first error. After an error, it is at the end of the text.
type scanner struct {
	text string
	pos  int
	err  error
}

// fail sets the error, unless there is one already.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.err == nil {
		before := s.text[:at]
		line := strings.LastIndexByte(before, '\n') + 1
		s.err = &SyntaxError{
			Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[line:]),
			Why: fmt.Sprintf(format, args...),
		}
	}
	s.pos = len(s.text)
}

func (s *scanner) rest() string { return s.text[s.pos:] }

func (s *scanner) space() {
	s.pos = len(s.text) - len(strings.TrimLeftFunc(s.rest(), unicode.IsSpace))
}

// end is the result of peek at the end of the text.
const end rune = -1

// peek returns the next character that is not a space.
func (s *scanner) peek() rune {
	s.space()
	if s.rest() == "" {
		return end
	}
	r, _ := utf8.DecodeRuneInString(s.rest())
	return r
}

// next describes what comes next, for errors.
func (s *scanner) next() string {
	if r := s.peek(); r != end {
		return strconv.QuoteRune(r)
	}
	return "the end"
}

func (s *scanner) accept(r rune) bool {
	if s.peek() != r {
		return false
	}
	s.pos += utf8.RuneLen(r)
	return true
}

func (s *scanner) want(r rune) {
	if !s.accept(r) {
		s.fail(s.pos, "%q is expected, not %s", r, s.next())
	}
}

// number reads an integer.
func (s *scanner) number() int64 {
	s.space()
	rest := s.rest()
	behind := strings.TrimLeft(strings.TrimPrefix(rest, "-"), "0123456789")
	literal := rest[:len(rest)-len(behind)]
	if literal == "" || literal == "-" {
		s.fail(s.pos, "a number is expected, not %s", s.next())
		return 0
	}
	n, err := strconv.ParseInt(literal, 10, 64)
	if err != nil {
		s.fail(s.pos, "%s is beyond 64 bits", literal)
		return 0
	}
	s.pos += len(literal)
	return n
}

// word reads a name: letters, digits and underscores, but not digits alone. It is "" if there is none.
func (s *scanner) word() string {
	s.space()
	rest := s.rest()
	word := rest
	other := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if i := strings.IndexFunc(rest, other); i >= 0 {
		word = rest[:i]
	}
	if strings.Trim(word, "0123456789") == "" {
		return ""
	}
	s.pos += len(word)
	return word
}
