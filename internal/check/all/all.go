// Package all lists the checks. The list is generated from the folders of internal/check.
package all

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
)

//go:generate go run ./gen

// Checks returns every check, by name.
func Checks() []*check.Check {
	list := generated()
	slices.SortFunc(list, func(a, b *check.Check) int { return strings.Compare(a.ID, b.ID) })
	return list
}
