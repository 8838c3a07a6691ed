package track

import (
	"github.com/mpivet/mpivet/internal/event"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpiapi"
)

// Object is an object that the program has made and is to free, or a reference to one that a call has returned to it.
type Object struct {
	Made   match.Call
	Number uint64 // among the process's objects, in the order of their making
	// Comm is what a communicator, window or file is to all its processes; nil if that is not known.
	Comm *match.Comm

	variable uint64 // address of the handle that the call has set
}

// objectKey is what an object is known by. Keys of attributes are objects, too.
type objectKey struct {
	kind   mpiapi.Kind
	handle uint64
}

// objects are what a process has made and not freed, but for its datatypes and requests.
type objects struct {
	live   map[objectKey][]Object // several of one handle are references, the oldest first
	crowds map[mpiapi.Kind]*crowding
	made   uint64
	// users are objects that have an error handler or attributes. What they have is there for as long as they are.
	users map[objectKey]map[attachment]objectKey

	freed  map[objectKey]match.Call // who freed the last ones
	graves []objectKey              // in turn
}

// crowding is how many objects of a kind there are, and how many will be told next.
type crowding struct{ live, notice int }

// attachment is the place that an object has for an attribute of a key, or (noKey) for an error handler.
type attachment int64

const noKey attachment = -1 << 62

// handleParam is a handle that a call makes or frees.
type handleParam struct {
	kind            mpiapi.Kind
	variable, value slot
}

// objectPlan is what a function does with objects.
type objectPlan struct {
	makes, frees []handleParam

	// old and heir: what is made of an object has its error handler, and its attributes if it is a copy (copies).
	old, heir handleParam
	copies    bool

	// user is the object that an error handler or an attribute is attached to.
	user     handleParam
	attached slot // handler or key
	what     mpiapi.Kind
	detach   bool // the attribute is deleted
}

// counted tells the kinds of which libraries return one and the same handle several times. Each is to be freed: the
// functions that return the group of a communicator, or the error handler of an object, behave as if they made a new one
// (MPI standard, sections 7.3.2 and 9.3.4).
func counted(k mpiapi.Kind) bool { return k == mpiapi.Group || k == mpiapi.Errhandler }

// owned tells the kinds that are followed here.
func owned(k mpiapi.Kind) bool {
	switch k {
	case mpiapi.Comm, mpiapi.Group, mpiapi.Op, mpiapi.Win, mpiapi.File, mpiapi.Info, mpiapi.Errhandler, mpiapi.Keyval:
		return true
	}
	return false
}

// hasHandler tells the kinds of objects that have an error handler or attributes.
func hasHandler(k mpiapi.Kind) bool {
	switch k {
	case mpiapi.Comm, mpiapi.Win, mpiapi.File, mpiapi.Datatype, mpiapi.Session:
		return true
	}
	return false
}

// planObjects works out from the kinds and directions of a function's parameters what it makes and frees. It is nil if
// that is nothing. A handle that is read and set becomes null: it is freed.
func planObjects(f *mpiapi.Func) *objectPlan {
	var o objectPlan
	switch f.Base {
	case mpiapi.IDCommDup, mpiapi.IDCommDupWithInfo, mpiapi.IDCommIdup, mpiapi.IDCommIdupWithInfo, mpiapi.IDTypeDup:
		o.copies = true
	}
	for i := range f.Params {
		q := &f.Params[i]
		l := q.Layout
		value := slot{l.At, l.Wide}
		switch {
		case q.Length != "":
		case q.Pointer && q.Dir == mpiapi.Out && l.After != 0:
			h := handleParam{q.Kind, slot{l.At, true}, slot{l.After, l.WideValue}}
			if owned(q.Kind) && f.Base != mpiapi.IDCommGetParent { // which returns the one that MPI has made
				o.makes = append(o.makes, h)
			}
			if hasHandler(q.Kind) {
				o.user = h
			}
			if q.Kind == o.old.kind {
				o.heir = h
			}
		case q.Frees():
			o.frees = append(o.frees, handleParam{q.Kind, slot{l.At, true}, slot{l.Before, l.WideValue}})
		case q.Pointer:
		case q.Kind == mpiapi.Errhandler || q.Kind == mpiapi.Keyval:
			o.attached, o.what = value, q.Kind
			o.detach = q.Kind == mpiapi.Keyval && i == len(f.Params)-1 // there is no value
		case hasHandler(q.Kind) && o.user.kind == 0:
			o.user = handleParam{kind: q.Kind, value: value}
			o.old = o.user
		}
	}
	if o.heir.kind == mpiapi.Datatype && !o.copies {
		o.heir.kind = 0
	}
	if o.what != 0 && o.user.value.at == 0 {
		o.what = 0
	}
	if len(o.makes) == 0 && len(o.frees) == 0 && o.what == 0 && o.heir.kind == 0 {
		return nil
	}
	return &o
}

// followObjects follows what a call that has succeeded made and freed.
func (t *Tracker) followObjects(th *Thread, o *objectPlan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	if pr.objects == nil {
		pr.objects = &objects{
			live: make(map[objectKey][]Object), crowds: make(map[mpiapi.Kind]*crowding),
			users: make(map[objectKey]map[attachment]objectKey),
		}
	}
	for _, h := range o.frees {
		if k := (objectKey{h.kind, h.value.handle(rec)}); pr.objects.free(k, h.variable.handle(rec)) {
			pr.objects.bury(k, th.call(rec))
		}
	}
	for _, h := range o.makes {
		k := objectKey{h.kind, h.value.handle(rec)}
		if len(pr.names.words) == 0 || pr.names.handle(k.kind, k.handle) != nil {
			continue // null, or MPI's own
		}
		made := Object{Made: th.call(rec), variable: h.variable.handle(rec)}
		if v := pr.shared(k); v != nil {
			made.Comm = v.Comm
		}
		if pr.objects.enter(k, made, t.Limits.Of(k.kind)) {
			t.sink.Crowded(pr, k.kind)
		}
	}
	if o.heir.kind != 0 {
		pr.objects.inherit(o, rec)
	}
	if o.what != 0 {
		pr.attach(o, rec)
	}
}

// freedInside follows what a function of the program has freed that MPI called.
func (p *Process) freedInside(pl *plan, handle uint64) {
	if pl.objects == nil || len(pl.objects.frees) == 0 {
		return
	}
	k := objectKey{pl.objects.frees[0].kind, handle}
	if p.objects != nil {
		p.objects.free(k, 0)
	}
	if k.kind == mpiapi.Datatype {
		p.forgetType(handle)
	}
}

// inherit notes that the object that a call has made has what the one has that it was made of.
func (o *objects) inherit(pl *objectPlan, rec []byte) {
	has := o.users[objectKey{pl.old.kind, pl.old.value.handle(rec)}]
	if len(has) == 0 {
		return
	}
	m := make(map[attachment]objectKey)
	for at, k := range has {
		if pl.copies || at == noKey {
			m[at] = k
		}
	}
	o.users[objectKey{pl.heir.kind, pl.heir.value.handle(rec)}] = m
}

// shared returns what a communicator, window or file is to the process, nil if that is not known.
func (p *Process) shared(k objectKey) *View {
	switch k.kind {
	case mpiapi.Comm:
		return p.views[k.handle]
	case mpiapi.Win:
		return p.wins[k.handle]
	case mpiapi.File:
		return p.files[k.handle]
	}
	return nil
}

// enter adds an object, and reports whether there are so many now that it is worth a notice: limit, or twice as many as
// the last time.
func (o *objects) enter(k objectKey, made Object, limit int) bool {
	o.made++
	made.Number = o.made
	delete(o.freed, k)
	n := o.crowds[k.kind]
	if n == nil {
		n = &crowding{notice: limit}
		o.crowds[k.kind] = n
	}
	if !counted(k.kind) { // a handle that is made again was freed in a way that is not recorded
		n.live -= len(o.live[k])
		delete(o.live, k)
		delete(o.users, k)
	}
	o.live[k] = append(o.live[k], made)
	n.live++
	if n.live < n.notice {
		return false
	}
	n.notice *= 2
	return true
}

// free takes out what is freed, and reports whether nothing is left of it. Of several references, it is the last one that was
// put into the same variable.
func (o *objects) free(k objectKey, variable uint64) bool {
	list := o.live[k]
	if len(list) == 0 {
		delete(o.users, k)
		return false
	}
	at := len(list) - 1
	for i, r := range list {
		if r.variable == variable {
			at = i
		}
	}
	o.crowds[k.kind].live--
	if len(list) > 1 {
		o.live[k] = append(list[:at], list[at+1:]...)
		return false
	}
	delete(o.live, k)
	delete(o.users, k)
	return true
}

// attach notes that an object has got an error handler or an attribute, or lost it.
func (p *Process) attach(o *objectPlan, rec []byte) {
	user := objectKey{o.user.kind, o.user.value.handle(rec)}
	what := objectKey{o.what, o.attached.handle(rec)}
	place := noKey
	if o.what == mpiapi.Keyval {
		place = attachment(what.handle)
	} else if p.names.handle(o.what, what.handle) == nil {
		p.Handlers = true
	}
	m := p.objects.users[user]
	switch {
	case o.detach:
		delete(m, place)
	case m == nil:
		p.objects.users[user] = map[attachment]objectKey{place: what}
	default:
		m[place] = what
	}
}

// Objects calls f, in no order, for every object of a kind that the process has made and not freed, and for every
// reference to one. Keys and error handlers are left out while another object uses them.
func (p *Process) Objects(kind mpiapi.Kind, f func(*Object)) {
	if p.LiveObjects(kind) == 0 {
		return
	}
	used := make(map[objectKey]bool)
	for _, m := range p.objects.users {
		for _, k := range m {
			used[k] = true
		}
	}
	for k, list := range p.objects.live {
		if k.kind != kind {
			continue
		}
		if used[k] {
			list = list[1:] // further references are none that the user has
		}
		for i := range list {
			f(&list[i])
		}
	}
}

// LiveObjects returns how many objects of a kind the process has made and not freed, be they used by others or not.
func (p *Process) LiveObjects(kind mpiapi.Kind) int {
	if p.objects == nil || p.objects.crowds[kind] == nil {
		return 0
	}
	return p.objects.crowds[kind].live
}
