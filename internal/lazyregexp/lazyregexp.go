// Package lazyregexp compiles regular expressions when they are first used. mpivet starts processes of itself for each
// rank of a program, and most of them need none.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the regular expression. It panics at its first call if the expression is wrong.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
