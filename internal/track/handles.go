package track

import (
	"strings"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// kindNames are what handles stand for.
var kindNames = map[mpiapi.Kind]string{
	mpiapi.Comm: "a communicator", mpiapi.Group: "a group", mpiapi.Datatype: "a datatype", mpiapi.Op: "a reduction operation",
	mpiapi.Request: "a request", mpiapi.Win: "a window", mpiapi.File: "a file", mpiapi.Info: "an info object",
	mpiapi.Errhandler: "an error handler", mpiapi.Message: "a message", mpiapi.Session: "a session", mpiapi.Keyval: "an attribute key",
}

// no returns "no communicator" for the kind.
func no(k mpiapi.Kind) string {
	_, noun, _ := strings.Cut(kindNames[k], " ")
	return "no " + noun
}

// keepFreedObjects is how many freed objects are remembered, to tell who freed what is used afterwards.
const keepFreedObjects = 1024

// bury remembers who freed an object.
func (o *objects) bury(k objectKey, call match.Call) {
	if len(call.Raw) == 0 {
		return
	}
	if o.freed == nil {
		o.freed = make(map[objectKey]match.Call)
	}
	if len(o.graves) >= 2*keepFreedObjects { // those whose handles are used again are among them
		for _, old := range o.graves[:keepFreedObjects] {
			o.unbury(old)
		}
		o.graves = append(o.graves[:0], o.graves[keepFreedObjects:]...)
	}
	o.graves = append(o.graves, k)
	o.freed[k] = call
}

// handleAt returns where the handle is that a function is given in a parameter, false if it is given none there.
func (p *plan) handleAt(i int) (slot, bool) {
	q := &p.fn.Params[i]
	switch {
	case !q.Kind.Handle() && q.Kind != mpiapi.Keyval, q.Kind == mpiapi.Status, q.Role == mpiapi.PeerComm:
	case !q.Pointer:
		return slot{At: q.Layout.At, Wide: q.Layout.Wide}, true
	case q.Dir == mpiapi.InOut && q.Layout.Before != 0 && q.Elements.Kind == mpiapi.NoArray:
		return slot{At: q.Layout.Before, Wide: q.Layout.WideValue}, true
	}
	return slot{}, false
}

// handleRule finds handles that are null, freed, or of another kind. Datatypes and requests have checks of their own.
func (p *plan) handleRule(i int) rule {
	q := &p.fn.Params[i]
	at, ok := p.handleAt(i)
	if !ok || q.Kind == mpiapi.Datatype || q.Kind == mpiapi.Request {
		return nil
	}
	h := handleUse{param: i, kind: q.Kind, frees: q.Frees(), null: p.nullAllowed(i)}
	return func(j *judging) bool { return j.handle(&h, at.Handle(j.rec)) }
}

// handleUse is a handle among the arguments of a function.
type handleUse struct {
	param       int
	kind        mpiapi.Kind
	frees, null bool // it frees the object; it may be null
}

// nullAllowed reports whether a handle may be null.
func (p *plan) nullAllowed(i int) bool {
	f := p.fn
	switch f.Params[i].Kind {
	case mpiapi.Info:
		return !strings.HasPrefix(f.Name, "MPI_Info_")
	case mpiapi.File:
		return strings.HasSuffix(f.Name, "_errhandler") // that of files which are opened (section 14.7)
	case mpiapi.Errhandler, mpiapi.Group:
		return f.Base == mpiapi.IDCommCreateFromGroup || f.Base == mpiapi.IDIntercommCreateFromGroups
	}
	return false
}

func (j *judging) handle(u *handleUse, h uint64) bool {
	pr := j.pr
	if u.kind == mpiapi.Keyval {
		return j.keyval(u, int64(int32(h)))
	}
	if !u.frees && pr.knows(u.kind, h) || u.kind == mpiapi.Message && j.th.taken != nil {
		return true
	}
	if w := pr.names.handle(u.kind, h); w != nil {
		switch {
		case w.Null() && u.null:
			return true
		case w.Null() && u.frees:
			return !j.significant(u.param) || j.wrong(u.param, "has been freed already, or was never made")
		case w.Null():
			return !j.significant(u.param) || j.wrong(u.param, "is "+no(u.kind))
		case u.frees && (u.kind == mpiapi.Comm || u.kind == mpiapi.Op):
			return j.wrong(u.param, "stands for one of MPI's own, which can't be freed")
		}
		return true
	}
	if pr.knows(u.kind, h) || pr.live(objectKey{kind: u.kind, handle: h}) {
		return true
	}
	if !j.significant(u.param) {
		return true
	}
	if call, ok := pr.freedObject(objectKey{kind: u.kind, handle: h}); ok {
		if (u.kind == mpiapi.Info || pr.secretive()) && (j.c.State != event.Complete || returned(j.rec) == 0) {
			return true // MPI may have handed it out in a way that is not recorded
		}
		j.wrong(u.param, "was freed before")
		j.e.Other, j.e.Role = call, "freed"
		return false
	}
	if k, ok := pr.kindOf(h); ok && k != u.kind {
		return j.wrong(u.param, "is "+no(u.kind)+", but "+kindNames[k])
	}
	if pr.senseless(u.kind, h) {
		return j.wrong(u.param, "is "+no(u.kind)+": no MPI call returns such a handle")
	}
	return true
}

// knows reports whether a handle stands for a communicator, window, file or group that is known.
func (p *Process) knows(k mpiapi.Kind, h uint64) bool {
	switch k {
	case mpiapi.Comm:
		return p.View(h) != nil
	case mpiapi.Win:
		return p.wins[h] != nil
	case mpiapi.File:
		return p.files[h] != nil
	case mpiapi.Group:
		_, ok := p.groups[h]
		return ok
	case mpiapi.Message:
		return p.msgs[h] != nil
	}
	return false
}

// secretive reports whether functions of the program may have run inside of MPI, so that what they have made is not known.
func (p *Process) secretive() bool {
	return p.Callbacks || p.Handlers || p.objects != nil && p.objects.crowds[mpiapi.Keyval] != nil
}

// live reports whether the program has made an object and not freed it.
func (p *Process) live(k objectKey) bool { return p.objects != nil && len(p.objects.live[k]) > 0 }

// freedObject returns the call that freed an object.
func (p *Process) freedObject(k objectKey) (match.Call, bool) {
	if p.objects == nil {
		return match.Call{}, false
	}
	call, ok := p.objects.freed[k]
	return call, ok
}

// kindOf returns what a handle stands for, false if it is not known.
func (p *Process) kindOf(h uint64) (mpiapi.Kind, bool) {
	if h == 0 {
		return 0, false
	}
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		if w := p.names.handle(k, h); w != nil {
			return k, true
		}
	}
	if l := p.reqs.list(h, false); l != nil && l.n > 0 {
		return mpiapi.Request, true
	}
	if p.types[h] != nil {
		return mpiapi.Datatype, true
	}
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		if p.knows(k, h) || p.live(objectKey{kind: k, handle: h}) {
			return k, true
		}
	}
	return 0, false
}

// senseless reports whether a handle can be none of its kind, whatever MPI has done. In MPICH and what is made of it the bits
// from 26 to 29 of a handle are its kind.
func (p *Process) senseless(k mpiapi.Kind, h uint64) bool {
	if !strings.HasPrefix(p.Library, "MPICH") || k == mpiapi.File {
		return false
	}
	for i := range p.names.words {
		if w := &p.names.words[i]; !w.Const && w.Kind == k && w.Null() {
			return h>>32 == 0 && (h^p.names.values[i])>>26&0xf != 0
		}
	}
	return false
}

// keyval finds keys of attributes that are none, or are of another kind of objects, and attributes of MPI that can't be set.
func (j *judging) keyval(u *handleUse, key int64) bool {
	pr := j.pr
	if pr.names.isConst("MPI_KEYVAL_INVALID", key) {
		return j.wrong(u.param, "is no attribute key")
	}
	name := mpiapi.ByID(j.p.fn.Base).Name
	if strings.HasSuffix(name, "_get_attr") || name == "MPI_Attr_get" {
		return true
	}
	for _, s := range ownAttributes {
		if pr.names.isConst(s, key) {
			return j.wrong(u.param, "is an attribute of MPI's own, which can't be changed")
		}
	}
	if pr.objects == nil {
		return true
	}
	list := pr.objects.live[objectKey{kind: mpiapi.Keyval, handle: uint64(uint32(key))}]
	if len(list) == 0 {
		return true
	}
	made := list[len(list)-1].Made
	if a, b := subjectOf(name), subjectOf(mpiapi.ByID(made.Func()).Name); a != "" && b != "" && a != b {
		j.wrong(u.param, "is a key for attributes of "+b+", not of "+a)
		j.e.Other, j.e.Role = made, "key made"
		return false
	}
	return true
}

// ownAttributes are the attributes that MPI sets.
var ownAttributes = []string{
	"MPI_TAG_UB", "MPI_HOST", "MPI_IO", "MPI_WTIME_IS_GLOBAL", "MPI_APPNUM", "MPI_LASTUSEDCODE", "MPI_UNIVERSE_SIZE",
	"MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT", "MPI_WIN_CREATE_FLAVOR", "MPI_WIN_MODEL",
}

// subjectOf returns the kind of objects that a function on attributes or error handlers is for, "" if it is none.
func subjectOf(name string) string {
	switch {
	case strings.HasPrefix(name, "MPI_Comm_"), strings.HasPrefix(name, "MPI_Keyval_"), strings.HasPrefix(name, "MPI_Attr_"),
		name == "MPI_Errhandler_create", name == "MPI_Errhandler_set":
		return "communicators"
	case strings.HasPrefix(name, "MPI_Type_"):
		return "datatypes"
	case strings.HasPrefix(name, "MPI_Win_"):
		return "windows"
	case strings.HasPrefix(name, "MPI_File_"):
		return "files"
	case strings.HasPrefix(name, "MPI_Session_"):
		return "sessions"
	}
	return ""
}

// errorClasses are what MPI says of handles that are none of their kind.
var errorClasses = map[mpiapi.Kind]string{
	mpiapi.Comm: "MPI_ERR_COMM", mpiapi.Group: "MPI_ERR_GROUP", mpiapi.Op: "MPI_ERR_OP", mpiapi.Win: "MPI_ERR_WIN", mpiapi.File: "MPI_ERR_FILE",
	mpiapi.Info: "MPI_ERR_INFO", mpiapi.Keyval: "MPI_ERR_KEYVAL", mpiapi.Datatype: "MPI_ERR_TYPE", mpiapi.Errhandler: "MPI_ERR_ERRHANDLER",
	mpiapi.Message: "MPI_ERR_REQUEST", mpiapi.Session: "MPI_ERR_SESSION",
}

// unknownHandle finds the first handle that a call is given and that no call returned; of the kind that MPI complains of,
// unless class is "". It may be one nevertheless: who asks knows that the call has failed.
func (t *Tracker) unknownHandle(th *Thread, p *plan, c *event.Call, class string) bool {
	pr := th.Process
	if pr.Lost || class == "" && pr.secretive() || len(pr.names.words) == 0 {
		return false
	}
	j := t.begin(th, p, c)
	defer j.end()
	for i := range p.fn.Params {
		k := p.fn.Params[i].Kind
		at, ok := p.handleAt(i)
		if !ok || k == mpiapi.Request || k == mpiapi.Keyval || class != "" && class != errorClasses[k] || class == "" && !complete(k) {
			continue
		}
		h := at.Handle(j.rec)
		switch {
		case pr.names.handle(k, h) != nil || pr.knows(k, h) || pr.live(objectKey{kind: k, handle: h}),
			k == mpiapi.Datatype && (pr.types[h] != nil || pr.FreedType(h) != nil),
			k == mpiapi.Message && th.taken != nil,
			k == mpiapi.Session && p.fn.Class == mpiapi.Env, !j.significant(i):
			continue
		}
		j.wrong(i, "is "+no(k)+": no MPI call has returned such a handle")
		return true
	}
	return false
}

// complete tells the kinds of which all that MPI brings are known by name.
func complete(k mpiapi.Kind) bool {
	return k == mpiapi.Comm || k == mpiapi.Group || k == mpiapi.Win || k == mpiapi.File
}

// unknownArgument tells that a call failed for a handle that no call returned.
func (t *Tracker) unknownArgument(th *Thread, call match.Call) {
	f := th.Failure
	if f == nil || f.Refused || th.Explained != Unexplained {
		return
	}
	c, err := event.ParseCall(call.Raw)
	if class := th.Process.ErrorClass(f.Class); err == nil && class != "" && t.unknownHandle(th, &t.plans[call.Func()], &c, class) {
		t.wrongArgument(th, call)
	}
}

// died looks at the call in which a process was killed by a signal: MPI may have looked behind a handle that nobody gave it, or
// have followed a null pointer.
func (t *Tracker) died(p *Process) {
	for _, th := range p.Threads {
		if th.Open.Func == nil || th.TID != p.Ended.TID || th.Explained != Unexplained {
			continue
		}
		pl, c := &t.plans[th.Open.Func.ID], &th.Open.Call
		if !t.judge(th, pl, c) || t.unknownHandle(th, pl, c, "") {
			t.wrongArgument(th, match.Call{Thread: th.ID, Raw: c.Raw()})
		}
	}
}
