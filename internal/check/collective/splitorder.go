package collective

import (
	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// splitOrder follows the split collectives of files (MPI standard, section 14.4.5; column split). There may be one at a
// time on a file. The end function that belongs to its begin function must end it, with the same buffer. No other
// collective access may come in between.
type splitOrder struct {
	// splits has an entry for each file on which a process has begun a split collective.
	splits map[*track.View]*splits
}

// splits is the state of a file's split collectives.
type splits struct {
	active match.Call // the split collective that has begun; empty if none has
	before match.Call // active as it was before the latest call on the file
}

// newSplitOrder returns what the check does when a process enters a collective on a file.
func newSplitOrder(x *check.Run) func(track.CollectiveEntering) {
	o := &splitOrder{splits: make(map[*track.View]*splits)}
	x.Track.CallFailed.On(x.Owner, o.takeBack)
	return func(e track.CollectiveEntering) {
		if e.View.Domain == match.File {
			e.Entry.Disorder = o.enter(e)
		}
		if e.Entry.Disorder != "" { // The finding explains what follows from it.
			e.Thread.Explained = track.ByArgument
		}
	}
}

// enter follows a collective on a file. It returns what is wrong with the place of the call among those on the file, ""
// if nothing is.
func (o *splitOrder) enter(e track.CollectiveEntering) string {
	f, s := e.Call.Func, o.splits[e.View]
	if s != nil && len(s.active.Raw) > 0 {
		s.before = s.active
		return s.follow(f, e.Call)
	}
	switch f.Split {
	case mpiapi.SplitBegin:
		o.splits[e.View] = &splits{active: track.Call{Thread: e.Thread, Call: e.Call}.Kept()}
		return ""
	case mpiapi.SplitEnd:
		delete(o.splits, e.View)
		return baseName(f) + " though " + f.Begins().Name + " was not called"
	}
	delete(o.splits, e.View)
	return ""
}

// follow follows a call of f while a split collective is under way on the file.
func (s *splits) follow(f *mpiapi.Func, c *event.Call) string {
	begun := mpiapi.ByID(s.active.Func())
	switch f.Split {
	case mpiapi.NoSplit:
		return ""
	case mpiapi.SplitEnd:
		active := s.active
		s.active = match.Call{}
		if begun.Base != f.Begins().ID {
			return baseName(f) + " after " + begun.Name
		}
		if b, err := event.ParseCall(active.Raw); err == nil && buffer(&b) != buffer(c) {
			return baseName(f) + " with another buffer than " + begun.Name
		}
		return ""
	}
	return baseName(f) + " while " + begun.Name + " has not been ended"
}

// takeBack undoes the effect of a call that strict mode has refused, as it has not entered MPI.
func (o *splitOrder) takeBack(e track.CallFailed) {
	if e.Failure == nil || !e.Failure.Refused || !mpiapi.ByID(e.Call.Func()).Held() {
		return
	}
	v, _ := e.Thread.Joined()
	if s := o.splits[v]; s != nil {
		s.active = s.before
	}
}

// baseName returns the name of a function without what marks its large-count twin.
func baseName(f *mpiapi.Func) string { return mpiapi.ByID(f.Base).Name }

// buffer returns the address of the data that a call reads or writes.
func buffer(c *event.Call) uint64 {
	if i := max(c.Func.Arg(mpiapi.SendBuf), c.Func.Arg(mpiapi.RecvBuf)); i >= 0 {
		return c.Addr(i)
	}
	return 0
}
