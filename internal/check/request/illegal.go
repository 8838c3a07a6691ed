package request

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed illegal.md
var illegalDoc string

// IllegalCall finds calls that the state or the kind of a request forbids (MPI 4.0, sections 3.7 to 3.9, 4.2, 6.12,
// 12.3.5 and 13.2).
var IllegalCall = &check.Check{
	ID:       "LOCAL:REQUEST:ILLEGAL_CALL",
	Severity: finding.Error,
	Title:    "a call gets a request that it does not allow",
	Doc:      illegalDoc,
	Start: func(x *check.Run) {
		i := &illegal{x: x, times: make(map[uint64]int)}
		x.Track.OddRequests.On(x.Owner, i.entered)
		for _, f := range mpiapi.Funcs() {
			switch f.Act {
			case mpiapi.ActRequestFree, mpiapi.ActCancel, mpiapi.ActPready, mpiapi.ActParrived,
				mpiapi.ActGrequestComplete:
				x.Track.CallEntered.On(x.Owner, i.entered, f.ID)
			}
		}
		x.Track.StrayHandle.On(x.Owner, i.stray)
		x.Track.CallFailed.Early(x.Owner, i.failed)
		x.Track.ProcessEnded.On(x.Owner, i.died)
	},
}

// illegal looks for calls that get a request that they do not allow.
type illegal struct {
	x     *check.Run
	times map[uint64]int // how often a handle is in the current array
}

// entered checks the requests among the arguments of a call. It reports the first wrong one.
func (i *illegal) entered(c track.Call) {
	p, f := c.Thread.Process, c.Call.Func
	if p.Lost || c.Thread.Failure != nil && c.Thread.Failure.Refused {
		return
	}
	starts := f.Act == mpiapi.ActStartall
	once := starts || f.Completes() == mpiapi.CompletesAll // a request may be in the array once only
	if len(i.times) > 1000 {
		i.times = make(map[uint64]int) // clearing a map takes as long as it was ever large
	} else {
		clear(i.times)
	}
	for g := range i.x.Tracker.GivenRequests(p, c.Call) {
		d := examineRequest(p, f, g)
		if d.what == fine && once && i.repeated(p, g, starts) {
			d = problem{what: repeatedRequest, made: p.Request(track.GivenRequest{Handle: g.Handle}).Made}
		}
		if d.what != fine {
			d.index = g.Index
			i.report(c, d)
			return
		}
	}
}

// repeated counts a handle of the current array. It reports whether the array has the handle more often than there are
// requests with it: then the call uses a request that is complete or active. Waiting twice for a persistent request is
// fine.
func (i *illegal) repeated(p *track.Process, g track.GivenRequest, starting bool) bool {
	n := p.RequestsWith(g.Handle)
	if n == 0 || p.IsNull(mpiapi.Request, g.Handle) || p.RequestsUncertain() {
		return false
	}
	if !starting && p.Request(track.GivenRequest{Handle: g.Handle}).Persistent {
		return false
	}
	i.times[g.Handle]++
	return i.times[g.Handle] > n
}

// examineRequest checks one request among the arguments of f.
func examineRequest(p *track.Process, f *mpiapi.Func, g track.GivenRequest) (d problem) {
	if p.IsNull(mpiapi.Request, g.Handle) {
		if needsRequest(f) {
			d.what = nullRequest
		}
		return d
	}
	r := p.Request(g)
	if r == nil {
		if made, over := p.FormerRequest(g.Handle); over && !p.RequestsUncertain() {
			return problem{what: overRequest, made: made}
		}
		return d // an unknown request
	}
	d.made = r.Made
	switch {
	case p.RequestsWith(g.Handle) > 1 && r.Var != g.Variable: // It may be another one.
	case f.Act == mpiapi.ActGrequestComplete && mpiapi.ByID(r.Made.Func()).Class != mpiapi.RequestOp:
		d.what = notGeneralized
	case !p.RequestsUncertain():
		d.what = forbidden(f, r)
	}
	return d
}

// needsRequest reports whether f does not allow MPI_REQUEST_NULL.
func needsRequest(f *mpiapi.Func) bool {
	switch f.Act {
	case mpiapi.ActStart, mpiapi.ActStartall, mpiapi.ActRequestFree, mpiapi.ActCancel, mpiapi.ActPready,
		mpiapi.ActGrequestComplete:
		return true
	}
	return false
}

// forbidden returns why a request does not allow a call of f, or fine.
func forbidden(f *mpiapi.Func, r *track.Request) misuse {
	maker := mpiapi.ByID(r.Made.Func())
	switch f.Act {
	case mpiapi.ActStart, mpiapi.ActStartall:
		switch {
		case !r.Persistent:
			return transientStart
		case r.Active:
			return activeStart
		}
	case mpiapi.ActRequestFree, mpiapi.ActCancel:
		cancels := f.Act == mpiapi.ActCancel
		switch {
		case fixed(maker, r.Active, cancels):
			return irrevocable
		case cancels && r.Persistent && !r.Active:
			return inactiveCancel
		}
	case mpiapi.ActPready:
		switch {
		case maker.Act != mpiapi.ActPsendInit:
			return noPartitionedSend
		case !r.Active:
			return inactiveReady
		}
	case mpiapi.ActParrived:
		if maker.Act != mpiapi.ActPrecvInit {
			return noPartitionedReceive
		}
	}
	return fine
}

// fixed reports whether a request of the function maker can be neither freed nor cancelled. This is so for collectives
// and one-sided operations (MPI standard, sections 6.12, 6.13 and 12.3.5). An inactive persistent collective may be
// freed.
func fixed(maker *mpiapi.Func, active, cancels bool) bool {
	switch maker.Class {
	case mpiapi.Icollective: // not of files, and not MPI_Comm_idup
		return maker.Arg(mpiapi.TheFile) < 0 && maker.Arg(mpiapi.NewComm) < 0
	case mpiapi.RMA:
		return true
	case mpiapi.CollectiveInit:
		return cancels || active
	}
	return false
}

// stray checks a handle that a wait or test has completed, but that stands for no known request.
func (i *illegal) stray(e track.StrayHandle) {
	p := e.Thread.Process
	made, over := p.FormerRequest(e.Handle)
	if !over || p.Lost || p.RequestsUncertain() || e.Thread.Explained != track.Unexplained {
		return
	}
	d := problem{what: overRequest, made: made, index: -1}
	for g := range i.x.Tracker.GivenRequests(p, e.Call) {
		if g.Index < 0 {
			break
		}
		d.index = e.Index
		if g.Index < e.Index && g.Handle == e.Handle {
			d.what = repeatedRequest
		}
	}
	i.report(track.Call{Thread: e.Thread, Call: e.Call}, d)
}

// failed reports that a call failed because of a handle that no call has returned.
func (i *illegal) failed(e track.CallFailed) {
	th, f := e.Thread, e.Failure
	if f == nil || th.Explained != track.Unexplained || th.Process.Lost ||
		th.Process.ErrorClass(f.Class) != "MPI_ERR_REQUEST" {
		return
	}
	i.reportUnknown(th, e.Call)
}

// died checks the call in which a signal killed a process: MPI may have followed a handle that no call has returned.
func (i *illegal) died(p *track.Process) {
	if p.Ended.Kind != ring.Signaled || p.Lost {
		return
	}
	for _, th := range p.Threads {
		if th.Open.Func != nil && th.TID == p.Ended.TID {
			i.reportUnknown(th, match.Call{Thread: th.ID, Raw: th.Open.Call.Raw()})
		}
	}
}

// reportUnknown reports the first request among the arguments of a call that no call has returned, if there is one.
func (i *illegal) reportUnknown(th *track.Thread, call match.Call) {
	c, err := event.ParseCall(call.Raw)
	if err != nil || !takesRequests(c.Func) {
		return
	}
	for g := range i.x.Tracker.GivenRequests(th.Process, &c) {
		if th.Process.NeverRequest(g.Handle) {
			i.report(track.Call{Thread: th, Call: &c}, problem{what: unknownRequest, index: g.Index})
			return
		}
	}
}

// takesRequests reports whether f gets requests that other calls have returned.
func takesRequests(f *mpiapi.Func) bool {
	if f.Completes() != mpiapi.CompletesNone || f.ReportsStatus() || f.Act == mpiapi.ActParrived {
		return true
	}
	return needsRequest(f)
}

// report reports what is wrong with a request among the arguments of a call.
func (i *illegal) report(c track.Call, d problem) {
	c.Thread.Explained = track.ByRequest
	x, call, rank, name := i.x, c.Kept(), c.Thread.Process.Rank, c.Call.Func.Name
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%d", x.Place(call), d.what),
		Ranks:   []int{rank},
		Sites:   []finding.Site{x.Site("call", call)},
		Details: map[string]any{"function": name},
	}
	which := "a request"
	if d.what == unknownRequest {
		which = "a handle"
	}
	if len(d.made.Raw) > 0 {
		made := x.Func(d.made).Name
		f.Sites = append(f.Sites, x.Site("request made", d.made))
		f.Details["made"] = made
		which += " of " + made + check.Parens(x.Line(d.made))
	}
	if d.index >= 0 {
		which += fmt.Sprintf(", element %d of the array,", d.index)
		f.Details["index"] = d.index
	}
	w := wrongs[d.what]
	f.Message = fmt.Sprintf("%s gets %s %s", name, which, w.what)
	f.Why, f.Advice = w.why, w.advice
	x.Report(f)
}
