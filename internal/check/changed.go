package check

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Difference says which bytes and elements of count copies of t have changed. t is nil if the datatype is not known.
func Difference(c *event.Changed, t *match.Datatype, count int64) string {
	last := c.At + c.Length - 1
	switch first := Element(t, count, c.At); {
	case c.Exact && c.Length == 1:
		return fmt.Sprintf("byte %d of the %d%s is different", c.At, c.Bytes, Parens(first))
	case c.Exact:
		return fmt.Sprintf("of the %d bytes, those from byte %d%s to byte %d%s are different",
			c.Bytes, c.At, Parens(first), last, other(first, Element(t, count, last)))
	case c.Length == c.Bytes:
		return fmt.Sprintf("some of its %d bytes are different", c.Bytes)
	default:
		return fmt.Sprintf("some of its %d bytes are different, the first between byte %d%s and byte %d%s",
			c.Bytes, c.At, Parens(first), last, other(first, Element(t, count, last)))
	}
}

// Element names the element that a byte of the data of count copies of t belongs to. It is "" if that is unknown.
func Element(t *match.Datatype, count int64, at uint64) string {
	of := t.Of()
	if of == nil || of.Size <= 0 {
		return ""
	}
	if path := BytePath(t, "datatype", count, int64(at)); path != "" {
		return path
	}
	return fmt.Sprintf("element %d of %d × %s", int64(at)/of.Size, count, t)
}

// other names the last element, if it is another one than the first.
func other(first, last string) string {
	if first == last {
		return ""
	}
	return Parens(last)
}
