package rules

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// kindNames say what handles stand for.
var kindNames = map[mpiapi.Kind]string{
	mpiapi.Comm: "a communicator", mpiapi.Group: "a group", mpiapi.Datatype: "a datatype",
	mpiapi.Op:      "a reduction operation",
	mpiapi.Request: "a request", mpiapi.Win: "a window", mpiapi.File: "a file", mpiapi.Info: "an info object",
	mpiapi.Errhandler: "an error handler", mpiapi.Message: "a message", mpiapi.Session: "a session",
	mpiapi.Keyval: "an attribute key",
}

// not returns "not a communicator" for the kind.
func not(k mpiapi.Kind) string { return "not " + kindNames[k] }

// given is a handle among the arguments of a function.
type given struct {
	param       int
	kind        mpiapi.Kind
	at          event.Slot
	frees, null bool // the function frees the object; the handle may be null
}

// given returns the handle in a parameter of the function. The result is false if the parameter is not a handle, or is
// significant only for the leader of a group.
func (f function) given(i int) (given, bool) {
	q := &f.Params[i]
	g := given{param: i, kind: q.Kind, frees: q.Frees(), null: f.nullAllowed(i)}
	switch {
	case !q.Kind.Handle() && q.Kind != mpiapi.Keyval, q.Kind == mpiapi.Status, q.Role == mpiapi.PeerComm:
		return g, false
	case !q.Pointer:
		g.at = f.value(i)
		return g, true
	case q.Dir == mpiapi.InOut && q.Layout.Before != 0 && q.Elements.Kind == mpiapi.NoArray:
		g.at = event.BeforeSlot(f.Func, i)
		return g, true
	}
	return g, false
}

// nullAllowed reports whether a handle may be null.
func (f function) nullAllowed(i int) bool {
	switch f.Params[i].Kind {
	case mpiapi.Info:
		return !strings.HasPrefix(f.Name, "MPI_Info_")
	case mpiapi.File:
		return strings.HasSuffix(f.Name, "_errhandler") // the handler for new files (section 14.7)
	case mpiapi.Errhandler, mpiapi.Group:
		return f.Base == mpiapi.IDCommCreateFromGroup || f.Base == mpiapi.IDIntercommCreateFromGroups
	}
	return false
}

// handleRule finds handles that are null, freed, or of another kind. Other checks are for datatypes and requests.
func (f function) handleRule(i int) rule {
	g, ok := f.given(i)
	switch {
	case !ok || g.kind == mpiapi.Datatype || g.kind == mpiapi.Request:
		return nil
	case g.kind == mpiapi.Keyval:
		return f.keyvalRule(g)
	}
	return func(c *call) bool { return c.handle(&g, g.at.Handle(c.rec)) }
}

// handle checks the value of a handle.
func (c *call) handle(g *given, h uint64) bool {
	pr := c.process
	if !g.frees && pr.Knows(g.kind, h) || g.kind == mpiapi.Message && c.thread.TakesMessage() {
		return true
	}
	if null, ok := pr.Predefined(g.kind, h); ok {
		return c.predefined(g, null)
	}
	if pr.Knows(g.kind, h) || !c.significant(g.param) {
		return true
	}
	if freed, ok := pr.FreedBy(g.kind, h); ok {
		if (g.kind == mpiapi.Info || pr.RunsCallbacks()) && (c.State != event.Complete || c.RC() == 0) {
			return true // MPI may have returned the value again in a call that is not recorded
		}
		c.reject(g.param, "was freed before")
		return c.blame(freed, "freed")
	}
	if k, ok := pr.KindOf(h); ok && k != g.kind {
		return c.reject(g.param, "is "+kindNames[k]+", "+not(g.kind))
	}
	if impossible(pr, g.kind, h) {
		return c.reject(g.param, "is "+not(g.kind)+": no MPI call returns such a handle")
	}
	return true
}

// predefined checks the handle of a predefined object.
func (c *call) predefined(g *given, null bool) bool {
	switch {
	case null && g.null:
		return true
	case null && g.frees:
		return !c.significant(g.param) || c.reject(g.param, "has been freed already, or was never created")
	case null:
		return !c.significant(g.param) || c.reject(g.param, "is "+not(g.kind))
	case g.frees && (g.kind == mpiapi.Comm || g.kind == mpiapi.Op):
		return c.reject(g.param, "is predefined, so it must not be freed")
	}
	return true
}

// impossible reports whether no object of a kind can have this handle. In MPICH and the libraries derived from it, bits
// 26 to 29 of a handle are its kind.
func impossible(pr *track.Process, k mpiapi.Kind, h uint64) bool {
	if !strings.HasPrefix(pr.Library, "MPICH") || k == mpiapi.File {
		return false
	}
	null, ok := pr.NullHandle(k)
	return ok && h>>32 == 0 && (h^null)>>26&0xf != 0
}

// errorClasses are the classes of the errors that MPI returns for invalid handles.
var errorClasses = map[mpiapi.Kind]string{
	mpiapi.Comm: "MPI_ERR_COMM", mpiapi.Group: "MPI_ERR_GROUP", mpiapi.Op: "MPI_ERR_OP", mpiapi.Win: "MPI_ERR_WIN",
	mpiapi.File: "MPI_ERR_FILE", mpiapi.Info: "MPI_ERR_INFO", mpiapi.Keyval: "MPI_ERR_KEYVAL",
	mpiapi.Datatype:   "MPI_ERR_TYPE",
	mpiapi.Errhandler: "MPI_ERR_ERRHANDLER", mpiapi.Message: "MPI_ERR_REQUEST", mpiapi.Session: "MPI_ERR_SESSION",
}

// UnknownHandle returns the first handle among the arguments of a call that no call has returned. If the call has
// failed, class is the class of the error, and only handles of the kind that it is about are checked. If the process
// has died in the call, class is "". Such a handle may still be valid: only the failure makes it likely that it is not.
func (j *Judge) UnknownHandle(th *track.Thread, c *event.Call, class string) *Mistake {
	pr := th.Process
	if pr.Lost || class == "" && pr.RunsCallbacks() || !pr.HasNames() {
		return nil
	}
	f := function{Func: c.Func}
	k := j.take(th, c)
	defer k.drop()
	for i := range f.Params {
		g, ok := f.given(i)
		if !ok || g.kind == mpiapi.Request || g.kind == mpiapi.Keyval || class != "" && class != errorClasses[g.kind] ||
			class == "" && !namesAll(g.kind) {
			continue
		}
		if k.unknown(&g, g.at.Handle(k.rec)) {
			k.reject(i, "is "+not(g.kind)+": no MPI call has returned such a handle")
			return &k.mistake
		}
	}
	return nil
}

// unknown reports whether a handle stands for no known object.
func (c *call) unknown(g *given, h uint64) bool {
	pr := c.process
	_, predefined := pr.Predefined(g.kind, h)
	switch {
	case predefined, pr.Knows(g.kind, h),
		g.kind == mpiapi.Datatype && pr.FreedType(h) != nil,
		g.kind == mpiapi.Message && c.thread.TakesMessage(),
		g.kind == mpiapi.Session && c.Func.Class == mpiapi.Env:
		return false
	}
	return c.significant(g.param)
}

// namesAll reports whether all predefined objects of a kind are known by name.
func namesAll(k mpiapi.Kind) bool {
	return k == mpiapi.Comm || k == mpiapi.Group || k == mpiapi.Win || k == mpiapi.File
}
