package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
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
	kind mpiapi.Kind
	//lint:ignore U1000 without a gap a key is hashed at once
	zero   [7]byte
	handle uint64
}

// objectTable is what a process has made and not freed, but for its datatypes and requests.
type objectTable struct {
	records map[objectKey]*objectRecord
	crowds  map[mpiapi.Kind]*crowding
	made    uint64
	// users are objects that have an error handler or attributes. What they have is there for as long as they are.
	users map[objectKey]map[attachment]objectKey

	graves []objectKey // of the last objects that were freed, in turn
}

// objectRecord is what is known of the objects that have had one handle. It stays for a while after the last one was
// freed: programs make and free the same few objects again and again, and one look-up then finds all.
type objectRecord struct {
	live    []Object // several are references, the oldest first
	crowd   *crowding
	freedBy match.Call // the call that freed the last object; its room serves the next one
	freed   bool       // freedBy is such a call
}

// crowding is how many objects of a kind there are, and how many will be told next.
type crowding struct{ live, notice int }

// attachment is the place that an object has for an attribute of a key, or (noKey) for an error handler.
type attachment int64

const noKey attachment = -1 << 62

// counted tells the kinds of which libraries return one and the same handle several times. Each is to be freed: the
// functions that return the group of a communicator, or the error handler of an object, behave as if they made a new
// one (MPI standard, sections 7.3.2 and 9.3.4).
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

// followObjects follows what a call that has succeeded made and freed.
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

// removePredefined takes out the objects that turn out to be MPI's own. The names of these come with MPI_Init, and a
// few functions may be called before it (MPI standard, section 11.4.1).
func (o *objectTable) removePredefined(n *names) {
	for k, r := range o.records {
		if n.handle(k.kind, k.handle) != nil {
			delete(o.records, k)
			r.crowd.live -= len(r.live)
		}
	}
}

// freedInside follows what a function of the program has freed that MPI called.
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

// inheritUses notes that the object that a call has made has what the one has that it was made of.
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

// findView returns what a communicator, window or file is to the process, nil if that is not known.
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

// keepFreedObjects is how many freed objects are remembered, to tell who freed what is used afterwards.
const keepFreedObjects = 1024

// rememberFreed remembers who freed an object: r, the record of its handle, says it.
func (o *objectTable) rememberFreed(k objectKey, r *objectRecord) {
	r.freed = true
	if len(o.graves) >= 2*keepFreedObjects { // those whose handles are used again are among them
		for _, old := range o.graves[:keepFreedObjects] {
			o.forgetFreed(old)
		}
		o.graves = append(o.graves[:0], o.graves[keepFreedObjects:]...)
	}
	o.graves = append(o.graves, k)
}

// forgetFreed forgets who freed an object, unless its handle stands for another object now.
func (o *objectTable) forgetFreed(k objectKey) {
	if r := o.records[k]; r != nil && len(r.live) == 0 {
		delete(o.records, k)
	}
}

// enterObject adds an object, which the caller fills in. crowded: there are so many now that it is worth a notice,
// namely limit, or twice as many as at the last notice.
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
	if !counted(k.kind) { // a handle that is made again was freed in a way that is not recorded
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

// removeUser forgets what an object has that is no more.
func (o *objectTable) removeUser(k objectKey) {
	if len(o.users) > 0 {
		delete(o.users, k)
	}
}

// freeObject takes out what is freed. It returns the record of the handle if nothing is left of the object, nil
// otherwise. Of several references, it takes the last one that was put into the same variable.
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
	r.live[last] = Object{Made: match.Call{Raw: gone.Made.Raw}} // its room serves the next one
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

// Objects calls f, in no order, for every object of a kind that the process has made and not freed, and for every
// reference to one. Keys and error handlers are left out while another object uses them.
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
			list = list[1:] // further references are none that the user has
		}
		for i := range list {
			f(&list[i])
		}
	}
}

// LiveObjects returns how many objects of a kind the process has made and not freed, be they used by others or not.
func (o *objectTable) LiveObjects(kind mpiapi.Kind) int {
	if o == nil || o.crowds[kind] == nil {
		return 0
	}
	return o.crowds[kind].live
}
