package track

import (
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// firstInfo is the first kind of records that are not calls.
const firstInfo = layout.InfoSite

// infos say how tracking follows the records that are not calls, by their kind.
var infos = [...]func(t *Tracker, th *Thread, c *event.Call) error{
	layout.InfoSite - firstInfo:        siteInfo,
	layout.InfoCode - firstInfo:        codeInfo,
	layout.InfoModule - firstInfo:      moduleInfo,
	layout.InfoNames - firstInfo:       namesInfo,
	layout.InfoComm - firstInfo:        commInfo,
	layout.InfoNeighbours - firstInfo:  neighboursInfo,
	layout.InfoError - firstInfo:       errorInfo,
	layout.InfoSums - firstInfo:        sumsInfo,
	layout.InfoChanged - firstInfo:     changedInfo,
	layout.InfoUnfinished - firstInfo:  unfinishedInfo,
	layout.InfoUnreachable - firstInfo: unreachableInfo,
	layout.InfoFreed - firstInfo:       freedInfo,
	layout.InfoMPI - firstInfo:         mpiInfo,
}

// info follows a record that is not a call.
func (t *Tracker) info(th *Thread, c *event.Call) {
	k := int(c.Info()) - firstInfo
	if k < 0 || k >= len(infos) || infos[k] == nil {
		return
	}
	if err := infos[k](t, th, c); err != nil {
		t.damaged++
	}
}

func siteInfo(t *Tracker, th *Thread, c *event.Call) error {
	s, err := c.SiteInfo()
	if err == nil {
		t.Events.SiteSeen.Publish(SiteSeen{th, s})
	}
	return err
}

func codeInfo(t *Tracker, th *Thread, c *event.Call) error {
	code, err := c.CodeInfo()
	if err == nil {
		t.Events.CodeSeen.Publish(CodeSeen{th, code})
	}
	return err
}

func moduleInfo(t *Tracker, th *Thread, c *event.Call) error {
	m, err := c.ModuleInfo()
	if err == nil {
		t.addMapping(th.Process, m)
		t.Events.ModuleMapped.Publish(ModuleMapped{th.Process, m})
	}
	return err
}

func namesInfo(t *Tracker, th *Thread, c *event.Call) error { return t.nameRecord(th.Process, c) }

func commInfo(t *Tracker, th *Thread, c *event.Call) error {
	m, err := c.CommInfo()
	if err != nil {
		return err
	}
	return t.enterComm(th, m)
}

// neighboursInfo follows the neighbours on the communicator of the last communicator record.
func neighboursInfo(_ *Tracker, th *Thread, c *event.Call) error {
	n, err := c.NeighboursInfo()
	if err == nil && len(th.comm) > 0 {
		th.comm[len(th.comm)-1].Neighbours = &n
	}
	return err
}

func errorInfo(t *Tracker, th *Thread, c *event.Call) error {
	e, err := c.ErrorInfo()
	if err == nil {
		t.followError(th, &e)
	}
	return err
}

func sumsInfo(t *Tracker, th *Thread, c *event.Call) error {
	s, err := c.SumsInfo()
	if err == nil && th.Open.Func != nil {
		t.Events.SumsSeen.Publish(SumsSeen{th, &s})
	}
	return err
}

func changedInfo(t *Tracker, th *Thread, c *event.Call) error {
	m, err := c.ChangedInfo()
	if err == nil && th.Open.Func != nil {
		t.Events.ChangeSeen.Publish(ChangeSeen{th, &m})
	}
	return err
}

// unfinishedInfo follows the data of an operation that is not complete. MPI_Finalize is the next call.
func unfinishedInfo(_ *Tracker, th *Thread, c *event.Call) error {
	m, err := c.ChangedInfo()
	if pr := th.Process; err == nil {
		if pr.modified == nil {
			pr.modified = make(map[uint64]event.Changed)
		}
		pr.modified[m.Operation] = m
	}
	return err
}

func unreachableInfo(t *Tracker, th *Thread, c *event.Call) error {
	u, err := c.UnreachableInfo()
	if err == nil && th.Open.Func != nil {
		t.Events.Unreachable.Publish(Unreachable{th, u})
	}
	return err
}

// freedInfo follows the end of an object that a function of the program has freed inside a call.
func freedInfo(t *Tracker, th *Thread, c *event.Call) error {
	f, err := c.FreedInfo()
	if pr := th.Process; err == nil && !pr.ofMPI(&f) {
		pr.freedInside(&t.plans[f.Func.ID], f.Handle)
	}
	return err
}

// mpiInfo follows the facts that a process reports about its MPI library when MPI_Init returns.
func mpiInfo(t *Tracker, th *Thread, c *event.Call) error {
	m, err := c.MPIInfo()
	if err != nil {
		return err
	}
	pr := th.Process
	pr.Library, pr.Version = t.shareText(m.Library), [2]int{m.Version, m.Subversion}
	pr.Helpers = m.Threads - 1
	pr.provided, pr.levelKnown = int64(m.ThreadLevel), m.ThreadLevel >= 0
	if m.TagUB > 0 && m.ThreadLevel >= 0 { // unknown in a session
		pr.maxTag = int32(m.TagUB)
	}
	if m.Size > 0 && pr.World == nil {
		t.place(pr, m.Rank, m.Size)
	}
	return nil
}
