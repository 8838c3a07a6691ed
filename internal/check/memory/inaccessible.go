package memory

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed inaccessible.md
var inaccessibleDoc string

// Inaccessible finds buffers that the process passes to MPI, but cannot read or write (MPI standard, sections 3.2.2 and
// 3.2.4).
var Inaccessible = &check.Check{
	ID:       "LOCAL:MEMORY:INACCESSIBLE",
	Severity: finding.Error,
	Title:    "the program cannot access a buffer that it passes to MPI",
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
		Key:   fmt.Sprintf("%s|%t", x.Place(c), i.Written),
		Ranks: []int{rank},
		Sites: []finding.Site{x.Site("call", c)},
		Advice: "Check whether the memory was freed or unmapped before, whether the address is a valid pointer, and " +
			"whether count and datatype describe more than the buffer has.",
		Details: map[string]any{
			"function": name, "address": fmt.Sprintf("%#x", i.Address), "byte": i.At,
			"written": i.Written,
		},
	}
	do, what, section := "read", "send buffer", "section 3.2.2"
	switch {
	case i.fault: // a read or a write
		do, what, section = "access", "buffer", "sections 3.2.2 and 3.2.4"
	case i.Written:
		do, what, section = "write to", "receive buffer", "section 3.2.4"
	}
	where := fmt.Sprintf("at address %#x", i.Address)
	if e := check.Element(i.typ, i.count, i.At); e != "" {
		where = "for " + e
		f.Details["element"] = e
	}
	f.Message = fmt.Sprintf("MPI cannot %s the %s of %s: ", do, what, name)
	switch {
	case i.fault:
		f.Message += "the process was killed " + strings.Replace(where, "for", "at", 1)
	case i.Mapped:
		f.Message += fmt.Sprintf("the memory %s is not %s", where,
			map[bool]string{true: "writable", false: "readable"}[i.Written])
	default:
		f.Message += "there is no memory " + where
	}
	f.Why = fmt.Sprintf("A %s must hold all elements that count and datatype describe (MPI standard, %s).", what,
		section)
	if len(i.in.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site("killed in", i.in))
	}
	return f
}
