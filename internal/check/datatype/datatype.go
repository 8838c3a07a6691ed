// Package datatype has the checks of how datatypes are made, committed, used and freed.
package datatype

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// Checks are the checks of this family.
var Checks = []*check.Check{InvalidArgument, NotCommitted, Freed, Redundant, NotFreed}

// use is a datatype that a call must not have been given, and what a finding says about it.
type use struct {
	*track.DatatypeUse
	x    *check.Run
	call match.Call
	rank int
}

// misuses has report called for uses of one of the given kinds.
func misuses(x *check.Run, report func(u *use), kinds ...track.Misuse) {
	x.Track.WrongDatatype.On(x.Owner, func(ev track.WrongDatatype) {
		t, c, d := ev.Thread, ev.Call, ev.Use
		for _, k := range kinds {
			if d.Wrong == k {
				report(&use{d, x, c, t.Process.Rank})
			}
		}
	})
}

func (u *use) function() string { return u.x.Func(u.call).Name }

// param names the argument: sendtypes[3].
func (u *use) param() string {
	name := u.x.Func(u.call).Params[u.Param].Name
	if u.Index >= 0 {
		name += fmt.Sprintf("[%d]", u.Index)
	}
	return name
}

// finding returns a finding of this use, with the sites of what was done with the datatype.
func (u *use) finding(role, message, advice string) *finding.Finding {
	f := &finding.Finding{
		Key:     u.x.Place(u.call) + "|" + u.param(),
		Ranks:   []int{u.rank},
		Message: message,
		Advice:  advice,
		Sites:   []finding.Site{u.x.Site(role, u.call)},
		Details: map[string]any{"function": u.function(), "parameter": u.param()},
	}
	if d := u.Datatype; d != nil {
		f.Details["datatype"] = d.String()
		for _, s := range []struct {
			role string
			call match.Call
		}{{"datatype made", d.Made}, {"datatype committed", d.Committed}, {"datatype freed", d.Freed}} {
			if len(s.call.Raw) > 0 {
				f.Sites = append(f.Sites, u.x.Site(s.role, s.call))
			}
		}
	}
	return f
}

// made says what a datatype is: "a datatype made by MPI_Type_vector", or by its name.
func made(x *check.Run, d *match.Datatype) string {
	switch {
	case d.Name != "":
		return d.Name
	case len(d.Made.Raw) > 0:
		return "a datatype made by " + x.Func(d.Made).Name
	}
	return "a derived datatype"
}
