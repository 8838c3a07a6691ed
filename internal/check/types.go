package check

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

const (
	// formLimit is up to how many bytes the textual form of a datatype is part of a sentence.
	formLimit = 60
	// listLimit is up to how many arguments in arrays a datatype has a textual form: the text of a longer one would be
	// cut.
	listLimit = 16
)

// Data describes data: "4 × MPI_INT". A derived datatype has its name, or its textual form, or else its number.
func Data(count int64, t *match.Datatype) string {
	if t == nil {
		return fmt.Sprintf("%d × an unknown datatype", count)
	}
	if t.Name != "" || t.Type == nil {
		return fmt.Sprintf("%d × %s", count, t)
	}
	if form := Form(t.Type); form != "" && len(form) <= formLimit {
		return fmt.Sprintf("%d × %s", count, form)
	}
	if t.Number > 0 {
		return fmt.Sprintf("%d × datatype #%d", count, t.Number)
	}
	return fmt.Sprintf("%d × %s", count, t)
}

// Form returns the textual form of a datatype, "" if it is too long for a finding, or unknown.
func Form(t *datatype.Type) string {
	if t == nil || t.Size < 0 || !short(t, 0) {
		return ""
	}
	return datatype.Format(t)
}

// short reports whether a datatype has few arguments, on all levels.
func short(t *datatype.Type, depth int) bool {
	a := &t.Args
	if depth > 4 || len(a.Blocklengths)+len(a.Displacements)+len(a.Sizes)+len(a.Subsizes)+len(a.Psizes) > listLimit {
		return false
	}
	for _, old := range t.Olds {
		if old == nil || !short(old, depth+1) {
			return false
		}
	}
	return true
}

// mostOrigins is how many places a finding shows at which a datatype and those in it were made.
const mostOrigins = 4

// Origins returns the places where the program made a datatype, and the derived types that it consists of.
func (x *Run) Origins(role string, t *match.Datatype) (sites []finding.Site) {
	if t == nil {
		return nil
	}
	if len(t.Made.Raw) > 0 {
		sites = append(sites, x.Site(role+" made", t.Made))
	}
	list := append([]*match.Datatype(nil), t.From...)
	seen := make(map[*match.Datatype]bool)
	for len(list) > 0 && len(sites) < mostOrigins {
		inner := list[0]
		list = list[1:]
		if seen[inner] || len(inner.Made.Raw) == 0 {
			continue
		}
		seen[inner] = true
		name := inner.Name
		if name == "" {
			name = fmt.Sprintf("#%d", inner.Number)
		}
		sites = append(sites, x.Site("datatype "+name+" in it made", inner.Made))
		list = append(list, inner.From...)
	}
	return sites
}
