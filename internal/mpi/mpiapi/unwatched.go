package mpiapi

import (
	"slices"
	"strings"
	"unicode"
)

// Unwatched returns the MPI functions that a library exports and that the table lacks, sorted: functions that are newer
// than the table, and extensions of the library. exported are the names of all symbols of the library. An MPI function
// has a second name for tools (MPI standard, section 15.2), which begins with P.
func Unwatched(exported map[string]bool) []string {
	var list []string
	for name := range exported {
		rest, ok := strings.CutPrefix(name, "MPI_")
		if !ok {
			rest, ok = strings.CutPrefix(name, "MPIX_")
		}
		// Names without small letters are entries of Fortran bindings, or callbacks.
		if ok && exported["P"+name] && strings.ContainsFunc(rest, unicode.IsLower) && ByName(name) == nil &&
			Skipped(name) == "" {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
