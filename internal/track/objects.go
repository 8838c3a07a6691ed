package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
)

// Object is an object that the program has made and must free, or a reference to one that a call has returned to it.
type Object struct {
	Made   match.Call
	Number uint64 // number among the process's objects, in the order of creation
	// Comm is the common state of a communicator, window or file; nil if it is not known.
	Comm *match.Comm

	variable uint64 // address of the handle that the call has set
}

// objectKey identifies an object. Keys of attributes are objects, too.
type objectKey struct {
	kind mpiapi.Kind
	//lint:ignore U1000 without a gap a key is hashed at once
	zero   [7]byte
	handle uint64
}

// objectTable has the objects that a process has made and not freed, except for its datatypes and requests.
type objectTable struct {
	records map[objectKey]*objectRecord
	crowds  map[mpiapi.Kind]*crowding
	made    uint64
	// users are objects that have an error handler or attributes. These exist as long as their users.
	users map[objectKey]map[attachment]objectKey

	graves []objectKey // the keys of the last freed objects, in the order of their end
}

// objectRecord has the objects of one handle. It stays for a while after the last object was freed: programs make and
// free the same few objects again and again, and need only one look-up then.
type objectRecord struct {
	live    []Object // several objects are references to one, the oldest first
	crowd   *crowding
	freedBy match.Call // the call that freed the last object; its memory serves the next call
	freed   bool       // freedBy is valid
}

// crowding has the number of objects of each kind, and the number at which the next notice is due.
type crowding struct{ live, notice int }

// attachment is the place of an object for an attribute with a key, or (noKey) for an error handler.
type attachment int64

const noKey attachment = -1 << 62

// counted reports whether libraries return the same handle of a kind several times. Each must be freed: the functions
// that return the group of a communicator, or the error handler of an object, behave as if they made a new one (MPI
// standard, sections 7.3.2 and 9.3.4).
func counted(k mpiapi.Kind) bool { return k == mpiapi.Group || k == mpiapi.Errhandler }

// owned reports whether objects of a kind are followed here.
func owned(k mpiapi.Kind) bool {
	switch k {
	case mpiapi.Comm, mpiapi.Group, mpiapi.Op, mpiapi.Win, mpiapi.File, mpiapi.Info, mpiapi.Errhandler, mpiapi.Keyval:
		return true
	}
	return false
}

// hasHandler reports whether objects of a kind can have an error handler or attributes.
func hasHandler(k mpiapi.Kind) bool {
	switch k {
	case mpiapi.Comm, mpiapi.Win, mpiapi.File, mpiapi.Datatype, mpiapi.Session:
		return true
	}
	return false
}

// followObjects follows the objects that a successful call made and freed.
func (t *Tracker) followObjects(th *Thread, o *objectPlan, c *event.Call) {
	pr, rec := th.Process, c.Raw()
	if pr.objectTable == nil {
		pr.objectTable = &objectTable{
			records: make(map[objectKey]*objectRecord), crowds: make(map[mpiapi.Kind]*crowding),
			users: make(map[objectKey]map[attachment]objectKey),
		}
	}
	for _, h := range o.frees {
		k := objectKey{kind: h.kind, handle: h.value.Handle(rec)}
		if !counted(k.kind) && th.renewed(k.kind, k.handle) {
			continue
		}
		if r := pr.objectTable.freeObject(k, h.variable.Handle(rec)); r != nil {
			r.freedBy.Thread = th.ID
			r.freedBy.Keep(rec)
			pr.objectTable.rememberFreed(k, r)
		}
	}
	for _, h := range o.makes {
		k := objectKey{kind: h.kind, handle: h.value.Handle(rec)}
		if pr.names.handle(k.kind, k.handle) != nil {
			continue // null, or MPI's own
		}
		pr.noteBirth(k.kind, k.handle)
		var of *match.Comm
		if v := pr.commTable.findView(k); v != nil {
			of = v.Comm
		}
		made, crowded := pr.objectTable.enterObject(k, t.Limits.Of(k.kind))
		made.Comm, made.variable, made.Made.Thread = of, h.variable.Handle(rec), th.ID
		made.Made.Keep(rec)
		if crowded {
			t.Events.Crowded.Publish(Crowded{pr, k.kind})
		}
	}
	if o.heir.kind != 0 {
		pr.objectTable.inheritUses(o, rec)
	}
	if o.what != 0 {
		pr.attach(o, rec)
	}
}

// removePredefined removes the objects that turn out to be MPI's own. Their names come with MPI_Init, and a few
// functions may be called before it (MPI standard, section 11.4.1).
func (o *objectTable) removePredefined(n *names) {
	for k, r := range o.records {
		if n.handle(k.kind, k.handle) != nil {
			delete(o.records, k)
			r.crowd.live -= len(r.live)
		}
	}
}

// freedInside follows an object that was freed by a function of the program that MPI called.
func (p *Process) freedInside(pl *plan, handle uint64) {
	if pl.objects == nil || len(pl.objects.frees) == 0 {
		return
	}
	k := objectKey{kind: pl.objects.frees[0].kind, handle: handle}
	if o := p.objectTable; o != nil && o.freeObject(k, 0) != nil {
		delete(o.records, k) // this call has no record of its own
	}
	if k.kind == mpiapi.Datatype {
		p.forgetType(handle)
	}
}

// inheritUses notes that the object that a call has made has the error handler and attributes of the object that it was
// made from.
func (o *objectTable) inheritUses(pl *objectPlan, rec []byte) {
	has := o.users[objectKey{kind: pl.old.kind, handle: pl.old.value.Handle(rec)}]
	if len(has) == 0 {
		return
	}
	m := make(map[attachment]objectKey)
	for at, k := range has {
		if pl.copies || at == noKey {
			m[at] = k
		}
	}
	o.users[objectKey{kind: pl.heir.kind, handle: pl.heir.value.Handle(rec)}] = m
}

// findView returns the process's view of a communicator, window or file, nil if it is not known.
func (ct *commTable) findView(k objectKey) *View {
	switch k.kind {
	case mpiapi.Comm:
		return ct.views[k.handle]
	case mpiapi.Win:
		return ct.wins[k.handle]
	case mpiapi.File:
		return ct.files[k.handle]
	}
	return nil
}

// keepFreedObjects is the number of freed objects that are remembered, to say which call freed an object that is used
// afterwards.
const keepFreedObjects = 1024

// rememberFreed remembers which call freed an object. r is the record of its handle, with that call.
func (o *objectTable) rememberFreed(k objectKey, r *objectRecord) {
	r.freed = true
	if len(o.graves) >= 2*keepFreedObjects { // it also contains objects whose handles are used again
		for _, old := range o.graves[:keepFreedObjects] {
			o.forgetFreed(old)
		}
		o.graves = append(o.graves[:0], o.graves[keepFreedObjects:]...)
	}
	o.graves = append(o.graves, k)
}

// forgetFreed forgets which call freed an object, unless its handle now stands for another object.
func (o *objectTable) forgetFreed(k objectKey) {
	if r := o.records[k]; r != nil && len(r.live) == 0 {
		delete(o.records, k)
	}
}

// enterObject adds an object; the caller fills it in. crowded: there are now so many that a notice is due, namely
// limit, or twice as many as at the last notice.
func (o *objectTable) enterObject(k objectKey, limit int) (made *Object, crowded bool) {
	o.made++
	r := o.records[k]
	if r == nil {
		r = &objectRecord{crowd: o.crowds[k.kind]}
		if r.crowd == nil {
			r.crowd = &crowding{notice: limit}
			o.crowds[k.kind] = r.crowd
		}
		o.records[k] = r
	}
	r.freed = false
	if !counted(k.kind) { // the old object with this handle was freed without a record
		r.crowd.live -= len(r.live)
		r.live = r.live[:0]
		o.removeUser(k)
	}
	n := len(r.live)
	if n < cap(r.live) {
		r.live = r.live[:n+1]
		r.live[n] = Object{Made: match.Call{Raw: r.live[n].Made.Raw[:0]}, Number: o.made}
	} else {
		r.live = append(r.live, Object{Number: o.made})
	}
	made = &r.live[n]
	r.crowd.live++
	if r.crowd.live < r.crowd.notice {
		return made, false
	}
	r.crowd.notice *= 2
	return made, true
}

// removeUser forgets the error handler and attributes of an object that does not exist any more.
func (o *objectTable) removeUser(k objectKey) {
	if len(o.users) > 0 {
		delete(o.users, k)
	}
}

// freeObject removes a freed object. It returns the record of the handle if nothing is left of the object, nil
// otherwise. If there are several references, it removes the last one that was stored in the same variable.
func (o *objectTable) freeObject(k objectKey, variable uint64) *objectRecord {
	r := o.records[k]
	if r == nil || len(r.live) == 0 {
		o.removeUser(k)
		return nil
	}
	at := len(r.live) - 1
	for i := range r.live {
		if r.live[i].variable == variable {
			at = i
		}
	}
	r.crowd.live--
	gone := r.live[at]
	last := len(r.live) - 1
	copy(r.live[at:], r.live[at+1:])
	r.live[last] = Object{Made: match.Call{Raw: gone.Made.Raw}} // its memory serves the next object
	r.live = r.live[:last]
	if last > 0 {
		return nil
	}
	o.removeUser(k)
	return r
}

// attach notes that an object has got an error handler or an attribute, or lost it.
func (p *Process) attach(o *objectPlan, rec []byte) {
	user := objectKey{kind: o.user.kind, handle: o.user.value.Handle(rec)}
	what := objectKey{kind: o.what, handle: o.attached.Handle(rec)}
	place := noKey
	if o.what == mpiapi.Keyval {
		place = attachment(what.handle)
	} else {
		p.setHandler(p.names, what.handle)
	}
	m := p.objectTable.users[user]
	switch {
	case o.detach:
		delete(m, place)
	case m == nil:
		p.objectTable.users[user] = map[attachment]objectKey{place: what}
	default:
		m[place] = what
	}
}

// Objects calls f, in no particular order, for every object of a kind that the process has made and not freed, and for
// every reference to one. It leaves out keys and error handlers that another object uses.
func (o *objectTable) Objects(kind mpiapi.Kind, f func(*Object)) {
	if o.LiveObjects(kind) == 0 {
		return
	}
	used := make(map[objectKey]bool)
	for _, m := range o.users {
		for _, k := range m {
			used[k] = true
		}
	}
	for k, r := range o.records {
		list := r.live
		if k.kind != kind || len(list) == 0 {
			continue
		}
		if used[k] {
			list = list[1:] // the user has no further references
		}
		for i := range list {
			f(&list[i])
		}
	}
}

// LiveObjects returns how many objects of a kind the process has made and not freed, even if others use them.
func (o *objectTable) LiveObjects(kind mpiapi.Kind) int {
	if o == nil || o.crowds[kind] == nil {
		return 0
	}
	return o.crowds[kind].live
}
