package track

import (
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// info follows a record that is no call.
func (t *Tracker) info(th *Thread, c *event.Call) {
	var err error
	pr := th.Process
	switch c.Info() {
	case layout.InfoSite:
		var s event.Site
		if s, err = c.SiteInfo(); err == nil {
			t.Events.SiteSeen.Publish(SiteSeen{th, s})
		}
	case layout.InfoModule:
		var m event.Module
		if m, err = c.ModuleInfo(); err == nil {
			t.mapped(pr, m)
			t.Events.ModuleMapped.Publish(ModuleMapped{pr, m})
		}
	case layout.InfoNames:
		err = t.nameRecord(pr, c)
	case layout.InfoComm:
		var m event.Comm
		if m, err = c.CommInfo(); err == nil {
			t.commRecord(th, m)
		}
	case layout.InfoNeighbours:
		var n event.Neighbours
		if n, err = c.NeighboursInfo(); err == nil && len(th.comm) > 0 {
			th.comm[len(th.comm)-1].Neighbours = &n
		}
	case layout.InfoError:
		var e event.Error
		if e, err = c.ErrorInfo(); err == nil {
			t.failing(th, &e)
		}
	case layout.InfoSums:
		var s event.Sums
		if s, err = c.SumsInfo(); err == nil && th.Open.Func != nil {
			t.Events.SumsSeen.Publish(SumsSeen{th, &s})
		}
	case layout.InfoChanged:
		var m event.Changed
		if m, err = c.ChangedInfo(); err == nil && th.Open.Func != nil {
			t.Events.ChangeSeen.Publish(ChangeSeen{th, &m})
		}
	case layout.InfoUnreachable:
		var u event.Unreachable
		if u, err = c.UnreachableInfo(); err == nil && th.Open.Func != nil {
			t.Events.Unreachable.Publish(Unreachable{th, u})
		}
	case layout.InfoFreed:
		var f event.Freed
		if f, err = c.FreedInfo(); err == nil && !pr.ofMPI(&f) {
			pr.freedInside(&t.plans[f.Func.ID], f.Handle)
		}
	case layout.InfoMPI:
		var m event.MPI
		if m, err = c.MPIInfo(); err == nil {
			pr.Library, pr.Version = t.text(m.Library), [2]int{m.Version, m.Subversion}
			pr.Helpers = m.Threads - 1
			pr.Phase.provided, pr.Phase.levelKnown = int64(m.ThreadLevel), m.ThreadLevel >= 0
			if m.TagUB > 0 && m.ThreadLevel >= 0 { // a session can't tell it
				pr.maxTag = int32(m.TagUB)
			}
			if m.Size > 0 && pr.World == nil {
				t.place(pr, m.Rank, m.Size)
			}
		}
	}
	if err != nil {
		t.damaged++
	}
}

// text returns the one copy of a text that many processes tell.
func (t *Tracker) text(s string) string {
	if one, ok := t.texts[s]; ok {
		return one
	}
	t.texts[s] = s
	return s
}
