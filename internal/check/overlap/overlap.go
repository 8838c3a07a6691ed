// Package overlap has the checks of memory that a program passes to MPI twice.
package overlap

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/buffers"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed overlap.md
var overlapDoc string

//go:embed read.md
var readDoc string

// Overlap finds buffers that a pending operation also uses, if at least one of the two writes. It also finds buffers of
// one call that overlap, and receive buffers that have a byte twice (MPI standard, sections 2.3, 3.7.2, 3.10, 5.1.11
// and 6.1).
var Overlap = &check.Check{
	ID:       "LOCAL:MEMORY:OVERLAP",
	Severity: finding.Error,
	Title:    "a call uses memory that a pending operation uses",
	Doc:      overlapDoc,
	Needs:    []analysis.Need{buffers.Fact},
	Start: func(x *check.Run) {
		o := &overlaps{x: x, severity: finding.Error, told: make(map[string]bool)}
		buffers.Fact.Of(x.Facts).Clashes.On(x.Owner, func(c *buffers.Clash) {
			if c.Reads() {
				return
			}
			o.report(c)
			if th := c.Thread; c.Within && th.Explained == track.Unexplained {
				th.Explained = track.ByOverlap
			}
		})
	},
}

// ReadOverlap finds buffers that two operations read at the same time, which the standard forbade before MPI 2.2.
var ReadOverlap = &check.Check{
	ID:       "LOCAL:MEMORY:READ_OVERLAP",
	Severity: finding.Off,
	Title:    "two pending operations read the same memory, which was forbidden before MPI 2.2",
	Doc:      readDoc,
	Needs:    []analysis.Need{buffers.Fact},
	Start: func(x *check.Run) {
		o := &overlaps{x: x, severity: finding.Warning, told: make(map[string]bool)}
		uses := buffers.Fact.Of(x.Facts)
		uses.WatchReads()
		uses.Clashes.On(x.Owner, func(c *buffers.Clash) {
			if c.Reads() {
				o.report(c)
			}
		})
	},
}

// Checks are the checks of this family.
var Checks = []*check.Check{Overlap, ReadOverlap}

// overlaps reports the clashes for one of the checks.
type overlaps struct {
	x        *check.Run
	severity finding.Severity
	told     map[string]bool // by key: the text of a finding is needed only once
}

func (o *overlaps) report(c *buffers.Clash) {
	x, rank := o.x, c.Thread.Process.Rank
	f := &finding.Finding{
		Severity: o.severity,
		Key:      fmt.Sprintf("%s|%s|%v", x.Place(c.Call), x.Place(c.First.Call), c.Within || c.Itself),
		Ranks:    []int{rank},
		Sites:    sites(x, c),
	}
	if !o.told[f.Key] {
		o.told[f.Key] = true
		describe(&overlap{x, x.Func(c.Call), c}, f)
	}
	x.Report(f)
}

// sites are the call, the pending operation, and the calls that made persistent requests.
func sites(x *check.Run, c *buffers.Clash) []finding.Site {
	list := []finding.Site{x.Site("call", c.Call)}
	if len(c.Second.By.Raw) > 0 {
		list = append(list, x.Site("request made", c.Second.Call))
	}
	if !c.Within && !c.Itself {
		list = append(list, x.Site("pending operation", c.First.Call))
	}
	return list
}

// overlap is the subject of a finding.
type overlap struct {
	x    *check.Run
	call *mpiapi.Func
	*buffers.Clash
}

func describe(o *overlap, f *finding.Finding) {
	name := o.call.Name
	first := o.x.Func(o.First.Call).Name
	switch {
	case o.Itself:
		f.Message = fmt.Sprintf("The receive buffer of %s has a byte twice: in %s and in %s", name,
			o.element(&o.First, o.At.First), o.element(&o.Second, o.At.Second)) +
			fmt.Sprintf("\nThe buffer is %s.", o.buffer(&o.Second))
		f.Why = "A receive must not name a byte twice, whatever the length of the message (MPI standard, section " +
			"5.1.11). The value of the byte depends on the order in which MPI writes."
		f.Advice = "Describe each byte once. Where copies overlap, the extent of the datatype is too small for the " +
			"count: see MPI_Type_create_resized."
		if o.lists() {
			f.Advice = "Choose displacements and counts so that no two parts overlap."
		}
	case o.Within:
		same := "overlap"
		if o.First.Base == o.Second.Base {
			same = "begin at the same address"
		}
		f.Message = fmt.Sprintf("The send buffer and the receive buffer of %s %s", name, same)
		if o.First.Base != o.Second.Base {
			f.Message += o.both()
		}
		f.Why = "A buffer that a call writes must not overlap its other arguments (MPI standard, section 2.3). MPI " +
			"may overwrite data before it sends them."
		f.Advice = o.instead()
	default:
		f.Message = fmt.Sprintf("%s %s memory that %s %s", name, does(o.call, o.Second.Write),
			o.x.CallIn(o.First.Call), has(first, o.First.Write)) + o.both()
		if o.Reads() {
			f.Why = "Both only read. The standard allows this since MPI 2.2 (section 3.7.2), but older libraries may " +
				"not."
			f.Advice = "Nothing needs to change, unless the program must run with MPI 2.1 or older. Then send copies."
			break
		}
		f.Why = "Before an operation is complete, the program must not use its receive buffer, nor write to its send " +
			"buffer (MPI standard, section 3.7.2). The data depend on which operation comes first."
		f.Advice = fmt.Sprintf("Complete %s with MPI_Wait or MPI_Test before %s. Or use another buffer.", first, name)
		switch {
		case first == "MPI_Buffer_attach":
			f.Advice = "Use another buffer for messages: the attached memory belongs to MPI until MPI_Buffer_detach."
		case strings.HasSuffix(strings.TrimSuffix(first, "_c"), "_begin"):
			f.Advice = "End the split collective before using its buffer again. Or use another buffer."
		}
	}
	f.Details = map[string]any{
		"function": name, "other": first, "address": fmt.Sprintf("%#x", o.At.Address),
		"type": typeName(o.Second.Type), "count": o.Second.Count, "path": o.path(&o.Second, o.At.Second),
		"other_type": typeName(o.First.Type), "other_count": o.First.Count, "other_path": o.path(&o.First, o.At.First),
	}
}

// both is a line of the message: the first elements that overlap.
func (o *overlap) both() string {
	return fmt.Sprintf("\nThe overlap begins with %s of %s, which is %s of %s.",
		o.element(&o.Second, o.At.Second), o.buffer(&o.Second), o.element(&o.First, o.At.First), o.buffer(&o.First))
}

// element names the element of a buffer that a byte belongs to.
func (o *overlap) element(h *buffers.Use, pos int64) string {
	t, d := h.Type, o.description(h)
	switch {
	case t != nil && t.Elements == 1 && t.Predefined() && t.Size > 0:
		return fmt.Sprintf("element %d", pos/t.Size)
	case d == nil:
		return o.path(h, pos)
	case d.list == "" || h.Count > 1:
		return "an element"
	}
	// The program has not made the datatype: its first level are the parts for the other processes.
	path := datatype.PathToByte(t, "", pos)
	if len(path.Steps) < 2 {
		return "the part " + d.of + strconv.FormatInt(path.Steps[0].Index, 10)
	}
	return fmt.Sprintf("element %d of the part %s%d", path.Steps[1].Index, d.of, path.Steps[0].Index)
}

// description is how the arguments of a call describe a buffer that no datatype of the program describes.
type description struct {
	arguments string // "recvcounts=[1, 2], displs=[0, 1], recvtype=MPI_INT"
	list, of  string // the parameter with a displacement for each part, "" if there is none; what a part is for
}

// description returns nil if a datatype of the program, and a count, describe the buffer.
func (o *overlap) description(h *buffers.Use) *description {
	c, err := event.ParseCall(h.Call.Raw)
	if err != nil {
		return nil
	}
	f, p := c.Func, o.Thread.Process
	roles := [3]mpiapi.Role{mpiapi.RecvCount, mpiapi.RecvDispls, mpiapi.RecvType}
	if f.Arg(mpiapi.RecvBuf) != h.Param {
		roles = [3]mpiapi.Role{mpiapi.SendCount, mpiapi.SendDispls, mpiapi.SendType}
	}
	d := &description{of: "for rank "}
	if i := f.Arg(roles[1]); i >= 0 {
		d.list = f.Params[i].Name
		if by := f.Params[i].Elements.Kind; by == mpiapi.ByInDegree || by == mpiapi.ByOutDegree {
			d.of = "for neighbour "
		}
	} else if i := f.Arg(roles[2]); i < 0 || h.Type == nil || h.Type.Predefined() ||
		p.Type(c.Handle(i)) != nil && p.Type(c.Handle(i)).Type == h.Type {
		return nil
	}
	var parts []string
	for _, r := range roles {
		if i := f.Arg(r); i >= 0 {
			parts = append(parts, strings.TrimPrefix(c.FormatArg(i, p), "*"))
		}
	}
	d.arguments = strings.Join(parts, ", ")
	return d
}

func does(f *mpiapi.Func, write bool) string {
	switch {
	case strings.HasPrefix(f.Name, "MPI_Buffer_attach"):
		return "attaches"
	case write:
		return "writes to"
	}
	return "reads"
}

func has(name string, write bool) string {
	switch {
	case strings.HasPrefix(name, "MPI_Buffer_attach"):
		return "has attached for buffered sends"
	case write:
		return "is still filling"
	}
	return "is still reading"
}

// buffer describes a buffer of a call: "buf of MPI_Isend (10 × MPI_INT)".
func (o *overlap) buffer(h *buffers.Use) string {
	f := o.x.Func(h.Call)
	if d := o.description(h); d != nil {
		return fmt.Sprintf("%s of %s (%s)", f.Params[h.Param].Name, f.Name, d.arguments)
	}
	return fmt.Sprintf("%s of %s (%d × %s)", f.Params[h.Param].Name, f.Name, h.Count, typeName(h.Type))
}

// typeLimit is about how many bytes of a datatype are shown.
const typeLimit = 120

func typeName(t *datatype.Type) string {
	if name := t.Name(); name != "" {
		return name
	}
	if t == nil || t.Size > 0 && len(t.Args.Displacements) > typeLimit {
		return "a datatype made by " + combiner(t)
	}
	s := datatype.Format(t)
	if len(s) > typeLimit {
		return "a datatype made by " + combiner(t)
	}
	return s
}

// combiner names a type's constructor.
func combiner(t *datatype.Type) string {
	if t == nil {
		return "an unknown constructor"
	}
	return t.Kind.String()
}

// path addresses the element that a byte of a buffer belongs to.
func (o *overlap) path(h *buffers.Use, pos int64) string {
	name := o.x.Func(h.Call).Params[h.Param].Name
	return datatype.PathToByte(h.Type, name, pos).Among(h.Count).String()
}

// lists reports whether the call describes its buffer by arrays.
func (o *overlap) lists() bool {
	f := o.x.Func(o.Second.Call)
	return f.Arg(mpiapi.RecvDispls) >= 0
}

// instead says what to do if the buffers of one call overlap.
func (o *overlap) instead() string {
	f := o.x.Func(o.Second.Call)
	switch {
	case f.Act == mpiapi.ActSendrecv:
		return "Use MPI_Sendrecv_replace, which sends and receives in one buffer. Or use two buffers."
	case f.Act == mpiapi.ActIsendrecv:
		return "Use MPI_Isendrecv_replace, which sends and receives in one buffer. Or use two buffers."
	case f.InPlaceRecv:
		return "Pass MPI_IN_PLACE as the receive buffer at the root: its own part then stays where it is. Or use two " +
			"buffers."
	case f.InPlace != mpiapi.NotInPlace:
		return "Use MPI_IN_PLACE as the send buffer: MPI then takes the data from the receive buffer. Or use two " +
			"buffers."
	}
	return "Use two buffers."
}
