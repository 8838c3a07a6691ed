// Package overlap has the checks of memory that is handed to MPI twice.
package overlap

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis"
	"github.com/mpivet/mpivet/internal/analysis/buffers"
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed overlap.md
var overlapDoc string

//go:embed read.md
var readDoc string

// Overlap finds buffers that are handed to MPI while an operation that is under way has them or is to get them, where at least
// one of the two writes; buffers of one call that overlap; and buffers that are written and have a byte twice (MPI standard,
// sections 2.3, 3.7.2, 3.10, 5.1.11 and 6.1).
var Overlap = &check.Check{
	ID:       "LOCAL:MEMORY:OVERLAP",
	Severity: finding.Error,
	Title:    "memory is handed to MPI that an operation under way uses",
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
	Title:    "two operations under way read the same memory, which was forbidden before MPI 2.2",
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

// overlaps reports the clashes that one of the checks is about.
type overlaps struct {
	x        *check.Run
	severity finding.Severity
	told     map[string]bool // by key. The text of a finding is needed only once
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
		describe(&overlap{x, rank, x.Func(c.Call), c}, f)
	}
	x.Report(f)
}

// sites are the call, the operation under way, and what made persistent requests.
func sites(x *check.Run, c *buffers.Clash) []finding.Site {
	list := []finding.Site{x.Site("call", c.Call)}
	if len(c.Second.By.Raw) > 0 {
		list = append(list, x.Site("request made", c.Second.Call))
	}
	if !c.Within && !c.Itself {
		list = append(list, x.Site("under way", c.First.Call))
	}
	return list
}

// overlap is what a finding is about.
type overlap struct {
	x    *check.Run
	rank int
	call *mpiapi.Func
	*buffers.Clash
}

func describe(o *overlap, f *finding.Finding) {
	name := o.call.Name
	first := o.x.Func(o.First.Call).Name
	switch {
	case o.Itself:
		f.Message = fmt.Sprintf("Rank %d calls %s with a buffer that is written and has a byte twice.", o.rank, name) +
			"\n" + o.buffer(&o.Second) +
			fmt.Sprintf("\nThe byte at %#x is in %s and in %s.", o.At.Address, o.path(&o.First, o.At.First), o.path(&o.Second, o.At.Second)) +
			"\nA datatype that has a byte twice, or copies of one that overlap, may be sent, but nothing may be received into it, whatever the length of the " +
			"message (MPI standard, section 5.1.11): what the byte is then depends on the order in which MPI writes."
		f.Advice = "Describe each place once. Where copies overlap, the extent is too small for the count: see MPI_Type_create_resized."
		if o.lists() {
			f.Advice = "Choose displacements and counts so that no part reaches into another one."
		}
	case o.Within:
		same := "overlap"
		if o.First.Base == o.Second.Base {
			same = "begin at the same address"
		}
		f.Message = fmt.Sprintf("Rank %d calls %s with a send and a receive buffer that %s.", o.rank, name, same) +
			"\nWhat is sent: " + o.buffer(&o.First) + "\nWhat is received: " + o.buffer(&o.Second) + o.both() +
			"\nA buffer that a call writes must not be any other of its arguments, not even in part (MPI standard, section 2.3): MPI may overwrite what it " +
			"has still to send."
		f.Advice = o.instead()
	default:
		f.Message = fmt.Sprintf("Rank %d calls %s, which %s memory that %s %s.", o.rank, name, does(o.call, o.Second.Write), first, has(first, o.First.Write)) +
			"\nUnder way: " + o.buffer(&o.First) + "\nThe call: " + o.buffer(&o.Second) + o.both()
		if o.Reads() {
			f.Message += "\nBoth only read it, which the standard allows since MPI 2.2 (section 3.7.2); libraries of older versions need not."
			f.Advice = "Nothing, unless the program must run with an MPI library of version 2.1 or older: then send copies."
			break
		}
		f.Message += "\nWhat an operation receives must not be touched before it is complete, and what it sends must not be changed (MPI standard, " +
			"section 3.7.2): the data depend on which comes first."
		f.Advice = fmt.Sprintf("Complete %s by MPI_Wait, MPI_Test or one of their relatives before the memory is used again, or use another buffer.", first)
		switch {
		case first == "MPI_Buffer_attach":
			f.Advice = "The memory of the attached buffer is MPI's until MPI_Buffer_detach: use another buffer for messages."
		case strings.HasSuffix(strings.TrimSuffix(first, "_c"), "_begin"):
			f.Advice = "End the split collective before its buffer is used again, or use another buffer."
		}
	}
	f.Details = map[string]any{
		"function": name, "other": first, "address": fmt.Sprintf("%#x", o.At.Address),
		"type": typeName(o.Second.Type), "count": o.Second.Count, "path": o.path(&o.Second, o.At.Second),
		"other_type": typeName(o.First.Type), "other_count": o.First.Count, "other_path": o.path(&o.First, o.At.First),
	}
}

// both is a line of the message: the byte that is shared.
func (o *overlap) both() string {
	return fmt.Sprintf("\nThe byte at %#x is in both: it is in %s and in %s.", o.At.Address, o.path(&o.First, o.At.First), o.path(&o.Second, o.At.Second))
}

func does(f *mpiapi.Func, write bool) string {
	switch {
	case strings.HasPrefix(f.Name, "MPI_Buffer_attach"):
		return "is given"
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
		return "has still to fill"
	}
	return "is still reading"
}

// buffer describes what a call hands over: "MPI_Isend sends 10 × MPI_INT from buf = 0x7ffe10".
func (o *overlap) buffer(h *buffers.Use) string {
	f := o.x.Func(h.Call)
	return fmt.Sprintf("%s of %s, %d × %s at %#x", f.Params[h.Param].Name, f.Name, h.Count, typeName(h.Type), h.Base)
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

// instead says what to do where the buffers of one call overlap.
func (o *overlap) instead() string {
	f := o.x.Func(o.Second.Call)
	switch {
	case f.Act == mpiapi.ActSendrecv:
		return "Use MPI_Sendrecv_replace, which sends and receives in the same buffer, or two buffers."
	case f.Act == mpiapi.ActIsendrecv:
		return "Use MPI_Isendrecv_replace, which sends and receives in the same buffer, or two buffers."
	case f.InPlaceRecv:
		return "Pass MPI_IN_PLACE as the receive buffer at the root, whose own part then stays where it is. Else use two buffers."
	case f.InPlace != mpiapi.NotInPlace:
		return "Use MPI_IN_PLACE as the send buffer: then the data are taken from the receive buffer. Else use two buffers."
	}
	return "Use two buffers."
}
