package collective

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

//go:embed datatype.md
var datatypeDoc string

//go:embed size.md
var sizeDoc string

// DatatypeMismatch finds data whose signatures must be equal in this collective and are not (MPI standard, chapter 6:
// for most operations "the type signature implied by sendcount, sendtype … must be equal to …").
var DatatypeMismatch = newCheck("DATATYPE:MISMATCH", "processes pass different datatypes to a collective operation",
	datatypeDoc, &rule{
		groups: data(differentTypes),
		what:   about("pass different datatypes to %s"),
		verbs:  passes,
		why: "In a collective, each process must expect exactly the basic types that the other one sends (MPI " +
			"standard, chapter 6). Otherwise MPI may deliver wrong data.",
		advice: "Pass the same datatype on all processes, or datatypes with the same signature.",
	})

// SizeMismatch finds data of the right basic types, but more or less of them than expected.
var SizeMismatch = newCheck("SIZE_MISMATCH", "processes pass different amounts of data to a collective operation",
	sizeDoc, &rule{
		groups: data(differentSizes),
		what:   about("pass different amounts of data to %s"),
		verbs:  passes,
		more:   sizeAdvice,
	})

// sizeAdvice fits the operation: only some have a twin with a count for each process.
func sizeAdvice(c *match.Collective) (why, advice string) {
	why = "In a collective, each process must expect exactly as much data as the other one sends (MPI standard, " +
		"chapter 6). Unlike in MPI_Recv, it may not expect more."
	f := mpiapi.ByID(c.Variants[0].Func)
	switch vector := mpiapi.ByName(f.Blocking() + "v"); {
	case vector != nil:
		advice = "Make the counts equal. To move a different amount from or to each process, use " + vector.Name + "."
	case f.Param("recvcounts") >= 0 && f.Param("sendcounts") >= 0:
		advice = "Each element of sendcounts must be equal to the element of recvcounts for the same pair of processes."
	case f.Param("recvcounts") >= 0 && f.Param("sendcount") >= 0:
		advice = "Each element of recvcounts must be equal to the sendcount of the process that it stands for."
	case f.Param("sendcounts") >= 0:
		advice = "Each element of sendcounts must be equal to the recvcount of the process that it stands for."
	default:
		advice = "Pass the same amount of data on all processes."
	}
	return why, advice
}

// difference is how two signatures differ.
type difference uint8

const (
	noDifference difference = iota
	differentSizes
	differentTypes
)

func use(s match.Side) datatype.Use { return datatype.Use{Type: s.Type.Of(), Count: s.Count} }

// compare returns the difference between sent and expected data.
func compare(sent, expected match.Side) difference {
	if r := datatype.Compare(use(sent), use(expected), true); r.Verdict == datatype.Mismatch ||
		r.Verdict == datatype.ByteMismatch {
		return differentTypes
	} else if r.Verdict == datatype.Matches || r.Verdict == datatype.Undecided {
		return noDifference
	}
	return differentSizes
}

// side describes the data of one side. A derived datatype is followed by its basic types.
func side(s match.Side) string {
	text := check.Data(s.Count, s.Type)
	if s.Type != nil && !s.Type.Predefined() {
		text += fmt.Sprintf(" (%s)", use(s).Signature(60))
	}
	return text
}

// data returns the groups of a collective in which the data differ in the given way, at worst.
func data(d difference) func(*check.Run, *match.Collective) []group {
	return func(x *check.Run, c *match.Collective) []group {
		if !settled(c) || c.Variants[0].Func == mpiapi.IDDistGraphCreateAdjacent {
			return nil
		}
		worst, gs := compareData(x, c)
		if worst != d {
			return nil
		}
		return gs
	}
}

func compareData(x *check.Run, c *match.Collective) (worst difference, gs []group) {
	for _, a := range []match.Aspect{match.Data, match.DataBack} {
		if c.Conflicts.Has(a) {
			if d, g := uniform(c, a); d > worst {
				worst, gs = d, g
			}
		}
	}
	for _, a := range []match.Aspect{match.Counts, match.CountsBack} {
		if c.Conflicts.Has(a) {
			if d, g := vectors(x, c, a); d > worst {
				worst, gs = d, g
			}
		}
	}
	if d, g := torn(c); d > worst {
		worst, gs = d, g
	}
	if c.Uneven {
		if d, g := pairwise(c); d > worst {
			worst, gs = d, g
		}
	}
	return worst, gs
}

// uniform compares what each member passes with what most members pass.
func uniform(c *match.Collective, a match.Aspect) (worst difference, gs []group) {
	at := int(a - match.Data)
	var most *match.Variant
	for i := range c.Variants {
		if v := &c.Variants[i]; v.Values[a] != 0 && (most == nil || weight(c, v, a) > weight(c, most, a)) {
			most = v
		}
	}
	if most == nil {
		return
	}
	same := group{argument: side(most.Sides[at]), call: most.Call, data: most.Sides[at]}
	for i := range c.Variants {
		v := &c.Variants[i]
		if v.Values[a] == 0 {
			continue
		}
		d := compare(v.Sides[at], most.Sides[at])
		own := noDifference
		if v.Torn && a == match.Data {
			own = compare(v.Sides[at], v.Other)
		}
		switch {
		case own != noDifference:
			gs = append(gs, group{
				argument: side(v.Sides[at]) + " and " + side(v.Other) + ", which must be equal",
				call:     v.Call, members: members(c, v),
			})
		case d != noDifference:
			gs = append(gs, group{
				argument: side(v.Sides[at]), call: v.Call, members: members(c, v), data: v.Sides[at],
			})
		default:
			same.members = append(same.members, members(c, v)...)
		}
		worst = max(worst, d, own)
	}
	if len(same.members) > 0 {
		gs = append([]group{same}, gs...)
	}
	return worst, gs
}

// firstDifference is a line of the message: where the data of two groups differ first. It is "" if the datatypes are
// basic ones: then the first line says it.
func firstDifference(a, b match.Side) string {
	basic := func(s match.Side) bool { return s.Type == nil || s.Type.Predefined() && s.Type.Elements == 1 }
	if basic(a) && basic(b) {
		return ""
	}
	r := datatype.Compare(use(a), use(b), true)
	if r.Verdict != datatype.Mismatch && r.Verdict != datatype.ByteMismatch {
		return ""
	}
	line := fmt.Sprintf("\nThe first difference is element %d: %s and %s.", r.At, r.Send, r.Recv)
	for _, s := range []match.Side{a, b} {
		if basic(s) {
			continue
		}
		name := s.Type.Name
		if name == "" {
			name = "datatype"
		}
		line += fmt.Sprintf("\nIn %s, it is %s.", check.Data(s.Count, s.Type),
			datatype.PathTo(s.Type.Of(), name, r.At).Among(s.Count))
	}
	return line
}

// torn finds members of MPI_Allgatherv that send something else than what they expect from themselves.
func torn(c *match.Collective) (worst difference, gs []group) {
	for i := range c.Variants {
		v := &c.Variants[i]
		if !v.Torn || v.Values[match.Data] != 0 {
			continue
		}
		d := compare(v.Other, v.Sides[0])
		if d == noDifference {
			continue
		}
		worst = max(worst, d)
		gs = append(gs, group{
			argument: fmt.Sprintf("%s to send, but %s to receive from itself", side(v.Other), side(v.Sides[0])),
			call:     v.Call, members: members(c, v),
		})
	}
	return worst, gs
}

// weight returns how many members pass the same as v.
func weight(c *match.Collective, v *match.Variant, a match.Aspect) (n int) {
	for i := range c.Variants {
		if c.Variants[i].Values[a] == v.Values[a] {
			n += c.Variants[i].Count
		}
	}
	return n
}

// vectors compares vectors that must be the same on all members.
func vectors(x *check.Run, c *match.Collective, a match.Aspect) (worst difference, gs []group) {
	first := -1
	for i := range c.Variants {
		if c.Variants[i].Values[a] != 0 {
			first = i
			break
		}
	}
	if first < 0 {
		return
	}
	v := &c.Variants[first]
	for i := range c.Variants {
		w := &c.Variants[i]
		if w.Values[a] != 0 && w.Values[a] != v.Values[a] {
			worst = max(worst, vector(v, w, mpiapi.RecvCount))
		}
	}
	if worst == noDifference {
		return worst, nil
	}
	return worst, byValue(c, a, func(v *match.Variant) string {
		return argument(x, "recvcounts")(v) + " of " + v.Sides[0].Type.String()
	})
}

// vector compares two vectors of counts, each of one type.
func vector(v, w *match.Variant, r mpiapi.Role) (worst difference) {
	a, ok1 := array(v, r)
	b, ok2 := array(w, r)
	one := compare(match.Side{Count: 1, Type: v.Sides[0].Type}, match.Side{Count: 1, Type: w.Sides[0].Type})
	if !ok1 || !ok2 || a.Len() != b.Len() {
		// The counts are not known. Where the types are equal, the counts differ.
		hv, known1 := use(match.Side{Count: 1, Type: v.Sides[0].Type}).Hash()
		hw, known2 := use(match.Side{Count: 1, Type: w.Sides[0].Type}).Hash()
		if one == noDifference && known1 && known2 && hv == hw {
			return differentSizes
		}
		return one
	}
	for i := range a.Len() {
		here := compare(match.Side{Count: a.At(i), Type: v.Sides[0].Type},
			match.Side{Count: b.At(i), Type: w.Sides[0].Type})
		worst = max(worst, here)
	}
	return worst
}

func array(v *match.Variant, r mpiapi.Role) (event.Array, bool) {
	c, err := event.ParseCall(v.Call.Raw)
	if err != nil || c.Func.Arg(r) < 0 {
		return event.Array{}, false
	}
	return c.In(c.Func.Arg(r))
}
