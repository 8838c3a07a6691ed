package memory

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed inaccessible.md
var inaccessibleDoc string

// Inaccessible finds buffers handed to MPI that the process can't read or write (MPI standard, sections 3.2.2 and 3.2.4).
var Inaccessible = &check.Check{
	ID:       "LOCAL:MEMORY:INACCESSIBLE",
	Severity: finding.Error,
	Title:    "a buffer handed to MPI can't be accessed",
	Doc:      inaccessibleDoc,
	Start: func(x *check.Run) {
		x.Track.Unreachable.On(x.Owner, func(e track.Unreachable) {
			i := unreachable(e)
			x.Report(inaccessible(x, &i))
		})
		x.Track.ProcessDied.On(x.Owner, func(p *track.Process) {
			if i, ok := fault(p); ok {
				x.Report(inaccessible(x, &i))
			}
		})
	},
}

func inaccessible(x *check.Run, i *buffer) *finding.Finding {
	c := i.call
	rank, name := i.thread.Process.Rank, x.Func(c).Name
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%t", x.Place(c), i.Written),
		Ranks:   []int{rank},
		Sites:   []finding.Site{x.Site("call", c)},
		Advice:  "Look whether the memory was freed or unmapped before, whether the address is a pointer at all, and whether count and datatype describe no more than there is.",
		Details: map[string]any{"function": name, "address": fmt.Sprintf("%#x", i.Address), "byte": i.At, "written": i.Written},
	}
	do, what, section := "read", "send buffer", "section 3.2.2"
	switch {
	case i.fault: // how it was accessed is not known
		do, what, section = "access", "buffer", "sections 3.2.2 and 3.2.4"
	case i.Written:
		do, what, section = "write to", "receive buffer", "section 3.2.4"
	}
	f.Message = fmt.Sprintf("Rank %d hands a %s to %s that it can't %s: ", rank, what, name, do)
	switch {
	case i.fault:
		f.Message += fmt.Sprintf("the access to address %#x", i.Address)
	case i.Mapped:
		f.Message += fmt.Sprintf("the memory at address %#x must not be %s", i.Address, map[bool]string{true: "written", false: "read"}[i.Written])
	default:
		f.Message += fmt.Sprintf("there is no memory at address %#x", i.Address)
	}
	if e := element(i.typ, i.count, i.At); e != "" {
		f.Message += ", where " + e + ", is to be"
		f.Details["element"] = e
	}
	if i.fault {
		f.Message += ", kills it"
	}
	f.Message += fmt.Sprintf(".\nA %s is the storage of all the elements that count and datatype name (MPI standard, %s).", what, section)
	if len(i.in.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site("killed in", i.in))
	}
	return f
}
