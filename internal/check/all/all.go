// Package all lists the checks. It is the only place that names every family.
package all

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/argument"
	"github.com/mpivet/mpivet/internal/check/buffer"
	"github.com/mpivet/mpivet/internal/check/call"
	"github.com/mpivet/mpivet/internal/check/collective"
	"github.com/mpivet/mpivet/internal/check/datatype"
	"github.com/mpivet/mpivet/internal/check/deadlock"
	"github.com/mpivet/mpivet/internal/check/exit"
	"github.com/mpivet/mpivet/internal/check/leak"
	"github.com/mpivet/mpivet/internal/check/memory"
	"github.com/mpivet/mpivet/internal/check/message"
	"github.com/mpivet/mpivet/internal/check/overlap"
	"github.com/mpivet/mpivet/internal/check/request"
)

// Checks returns every check, by name.
func Checks() []*check.Check {
	list := slices.Concat(argument.Checks, buffer.Checks, call.Checks, collective.Checks, datatype.Checks, deadlock.Checks, exit.Checks, leak.Checks, memory.Checks,
		message.Checks, overlap.Checks, request.Checks)
	slices.SortFunc(list, func(a, b *check.Check) int { return strings.Compare(a.ID, b.ID) })
	return list
}
