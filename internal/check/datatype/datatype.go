// Package datatype has the checks of datatypes: how programs create, commit, use and free them.
package datatype

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

// Checks are the checks of this family.
var Checks = []*check.Check{InvalidArgument, NotCommitted, Freed, Redundant, NotFreed}

// use is a call with a wrong datatype. It has what a finding says about it.
type use struct {
	x        *check.Run
	call     match.Call
	rank     int
	param    int             // of the function
	index    int             // in an array, else -1
	datatype *match.Datatype // nil if it is not known
}

// oddUse returns the use in an event.
func oddUse(x *check.Run, e *track.OddDatatype) *use {
	return &use{
		x: x, call: track.Call{Thread: e.Thread, Call: e.Call}.Kept(), rank: e.Thread.Process.Rank,
		param: e.Param, index: e.Index, datatype: e.Datatype,
	}
}

// onlyUse returns the use of a datatype by MPI_Type_commit or MPI_Type_free, whose only argument it is.
func onlyUse(x *check.Run, c track.Call, d *match.Datatype) *use {
	return &use{x: x, call: c.Kept(), rank: c.Thread.Process.Rank, index: -1, datatype: d}
}

// commits are the functions that commit datatypes, frees are those that free them.
var (
	commits = []mpiapi.FuncID{mpiapi.IDTypeCommit}
	frees   = []mpiapi.FuncID{mpiapi.IDTypeFree}
)

// given returns the handle that is passed to MPI_Type_commit or MPI_Type_free, and its datatype, nil if that is
// unknown.
func given(c track.Call) (handle uint64, d *match.Datatype) {
	handle = uint64(c.Call.Before(0))
	return handle, c.Thread.Process.Type(handle)
}

func (u *use) function() string { return u.x.Func(u.call).Name }

// argument names the argument: sendtypes[3].
func (u *use) argument() string {
	name := u.x.Func(u.call).Params[u.param].Name
	if u.index >= 0 {
		name += fmt.Sprintf("[%d]", u.index)
	}
	return name
}

// finding returns a finding about this use, with the calls that created, committed and freed the datatype.
func (u *use) finding(role, message, why, advice string) *finding.Finding {
	f := &finding.Finding{
		Key:     u.x.Place(u.call) + "|" + u.argument(),
		Ranks:   []int{u.rank},
		Message: message,
		Why:     why,
		Advice:  advice,
		Sites:   []finding.Site{u.x.Site(role, u.call)},
		Details: map[string]any{"function": u.function(), "parameter": u.argument()},
	}
	if d := u.datatype; d != nil {
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

// made describes a datatype by its name, or by its constructor: "a datatype made by MPI_Type_vector".
func made(x *check.Run, d *match.Datatype) string {
	switch {
	case d.Name != "":
		return d.Name
	case len(d.Made.Raw) > 0:
		return "a datatype made by " + x.Func(d.Made).Name
	}
	return "a derived datatype"
}
