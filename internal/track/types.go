package track

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/datatype"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

type cachedType struct {
	handle uint64
	typ    *match.Datatype
}

// types makes the datatypes that calls construct.
type types struct {
	*core
	trees trees
}

// typeTable has the datatypes of a process by handle.
type typeTable struct {
	types   map[uint64]*match.Datatype // that are not predefined
	derived derivedTypes
	watcher TypeWatcher    // may be nil
	cached  [16]cachedType // recently used ones that are ready for communication
	lately  *cachedType    // the most recently used one of these
}

// derivedTypes is what is known of a process's derived datatypes besides the table of handles.
type derivedTypes struct {
	live    int // made and not freed
	notice  int // the number of them at which the next notice is due
	made    uint64
	freed   map[uint64]*match.Datatype // the last ones, by handle
	order   []uint64                   // their handles, in the order of their end
	unknown *datatype.Type             // their type
}

// keepFreed is the number of freed datatypes that are remembered, to say which call freed a datatype that is used
// afterwards.
const keepFreed = 1024

// Type returns the datatype of a handle, nil if it is unknown.
func (p *Process) Type(handle uint64) *match.Datatype {
	if ty := p.readyType(handle); ty != nil {
		return ty
	}
	ty := p.datatype(handle)
	if ty != nil && ty.Standing <= match.DoubtfulType {
		*p.cacheSlot(handle) = cachedType{handle, ty}
	}
	return ty
}

// datatype returns the datatype of a handle, made by the program or by MPI.
func (p *Process) datatype(handle uint64) *match.Datatype {
	if ty := p.types[handle]; ty != nil {
		return ty
	}
	if w := p.names.handle(mpiapi.Datatype, handle); w != nil {
		return w.typ
	}
	return nil
}

// readyType returns the datatype of a handle if it was looked up recently and if it may be used for communication. nil
// does not mean that it may not be used.
func (tt *typeTable) readyType(handle uint64) *match.Datatype {
	if c := tt.lately; c != nil && c.handle == handle {
		return c.typ
	}
	c := tt.cacheSlot(handle)
	if c.handle != handle {
		return nil
	}
	tt.lately = c
	return c.typ
}

// cacheSlot returns the place of a handle in the cache. Handles are multiples of a small size (pointers) or count in
// the low bits.
func (tt *typeTable) cacheSlot(handle uint64) *cachedType {
	return &tt.cached[(handle^handle>>4^handle>>8)&15]
}

// FreedType returns the datatype that the program freed under a handle that has no meaning now, nil if there is none.
func (tt *typeTable) FreedType(handle uint64) *match.Datatype { return tt.derived.freed[handle] }

// FreedThrough returns the datatype that was freed last through a variable at an address; MPI_Type_free set the
// variable to MPI_DATATYPE_NULL. It returns nil if there is none.
func (tt *typeTable) FreedThrough(variable uint64) *match.Datatype {
	for _, h := range slices.Backward(tt.derived.order) {
		if ty := tt.derived.freed[h]; ty != nil {
			if c, _, err := event.Parse(ty.Freed.Raw); err == nil && c.Addr(0) == variable {
				return ty
			}
		}
	}
	return nil
}

// Datatypes calls f for every datatype that the process has made and not freed, in no particular order. It leaves out
// those that MPI made.
func (tt *typeTable) Datatypes(f func(*match.Datatype)) {
	for _, ty := range tt.types {
		if !ty.Permanent && !ty.Given {
			f(ty)
		}
	}
}

// DerivedDatatypes returns the number of datatypes that Datatypes visits.
func (tt *typeTable) DerivedDatatypes() int { return tt.derived.live }

// enterType gives a handle its meaning. If it had another meaning, that has ended, as MPI returns the handle again: the
// program has freed the old datatype without a record.
func (p *Process) enterType(handle uint64, ty *match.Datatype) {
	p.forgetType(handle)
	delete(p.derived.freed, handle)
	p.types = put(p.types, handle, ty)
	p.meanings++
	if !ty.Permanent && !ty.Given {
		p.derived.live++
		p.derived.made++
		ty.Number = p.derived.made
	}
}

// announceType reports to the watcher that a datatype may be used.
func (p *Process) announceType(handle uint64, ty *match.Datatype) {
	if p.watcher != nil {
		p.watcher.Committed(p, handle, ty.Type)
	}
}

// forgetType takes a handle out of the table.
func (p *Process) forgetType(handle uint64) {
	ty := p.types[handle]
	if ty == nil {
		return
	}
	*p.cacheSlot(handle) = cachedType{}
	p.meanings++
	delete(p.types, handle)
	if p.watcher != nil {
		p.watcher.Gone(p, handle)
	}
	if !ty.Permanent && !ty.Given {
		p.derived.live--
	}
}

// typeObject is a datatype with room for records of calls. Programs make many datatypes, and one piece of memory is
// made faster than three.
type typeObject struct {
	match.Datatype
	room [2][layout.Line]byte
}

// keepIn keeps the call that a record holds, in room if it fits.
func (th *Thread) keepIn(room *[layout.Line]byte, rec []byte) match.Call {
	c := match.Call{Thread: th.ID, Raw: room[:0:layout.Line]}
	c.Keep(rec)
	return c
}

// freeType follows MPI_Type_free. Operations under way keep the datatype (section 5.1.9).
func (p *Process) freeType(handle uint64, th *Thread, rec []byte) {
	ty := p.types[handle]
	if ty == nil || ty.Permanent {
		return
	}
	if ty.Again > 0 {
		ty.Again--
		return
	}
	p.forgetType(handle)
	d := &p.derived
	if d.freed == nil {
		d.freed = make(map[uint64]*match.Datatype)
	}
	if len(d.order) >= 2*keepFreed { // it also contains handles that were returned again
		for _, h := range d.order[:keepFreed] {
			delete(d.freed, h)
		}
		d.order = append(d.order[:0], d.order[keepFreed:]...)
	}
	d.order = append(d.order, handle)
	// Its tree may be large, and is not needed any more.
	if d.unknown == nil {
		d.unknown = datatype.UnknownType()
	}
	o := new(typeObject)
	o.Datatype = match.Datatype{
		Type: d.unknown, Name: ty.Name, Standing: match.FreedType, Made: ty.Made, Committed: ty.Committed,
		Freed: th.keepIn(&o.room[0], rec), Number: ty.Number,
	}
	d.freed[handle] = &o.Datatype
}

// construct determines what a constructor of datatypes is going to make, and publishes invalid arguments.
func (ts *types) construct(th *Thread, p *plan, c *event.Call) {
	th.constructed, th.from = nil, nil
	if p.constructor == nil {
		return
	}
	ty, err := ts.trees.makeType(th.Process, p.constructor, c)
	th.constructed, th.from = ty, slices.Clone(ts.trees.from)
	if err != nil {
		ts.Events.TypeRejected.Publish(TypeRejected{th, th.call(c.Raw()), err})
	}
}

// commitType follows MPI_Type_commit.
func (p *Process) commitType(handle uint64, th *Thread, rec []byte) {
	ty := p.types[handle]
	if ty == nil || ty.Permanent || ty.Standing == match.CommittedType {
		return
	}
	ty.Standing = match.CommittedType
	if ty.Returned {
		ty.Standing = match.DoubtfulType
	}
	ty.Committed.Thread = th.ID
	ty.Committed.Keep(rec) // in its typeObject, if it has one
	p.announceType(handle, ty)
}

// newType enters the datatype that a constructor has returned.
func (ts *types) newType(th *Thread, p *plan, rec []byte) {
	pr := th.Process
	h := p.newType.Handle(rec)
	ty, from := th.constructed, th.from
	th.constructed, th.from = nil, nil
	if h == pr.typeNull {
		return
	}
	if old := pr.datatype(h); old != nil && old.Permanent {
		return // MPI_Type_create_f90_… returns the same handle for the same arguments
	}
	if ty == nil {
		ty = datatype.UnknownType()
	}
	o := new(typeObject)
	d := &o.Datatype
	*d = match.Datatype{Type: ty, Standing: match.UncommittedType, Made: th.keepIn(&o.room[0], rec), From: from}
	d.Committed.Raw = o.room[1][:0:layout.Line]
	switch k := p.constructor.kind(); {
	case f90Kind(k):
		d.Standing, d.Permanent = match.CommittedType, true
	case k == datatype.DupKind: // committed if the original is (section 5.1.10)
		d.Standing = match.DoubtfulType
		if old := pr.datatype(p.constructor.old.Handle(rec)); old != nil {
			d.Standing, d.Committed = old.Standing, old.Committed.Clone()
		}
	}
	pr.enterType(h, d)
	pr.noteBirth(mpiapi.Datatype, h)
	if d.Standing == match.CommittedType {
		pr.announceType(h, d)
	}
	ts.Events.TypeMade.Publish(TypeMade{pr, d})
	if pr.derived.live >= pr.derived.notice {
		pr.derived.notice *= 2
		ts.Events.Crowded.Publish(Crowded{pr, mpiapi.Datatype})
	}
}

// givenType enters a datatype that MPI has returned without making one: the handle of an existing one, or a new one. It
// may be committed or not (section 5.1.13).
func (p *Process) givenType(handle uint64, ty *datatype.Type) {
	if handle == p.typeNull {
		return
	}
	if old := p.datatype(handle); old != nil {
		if !old.Permanent {
			old.Again++
			old.Returned = true
			old.Standing = max(old.Standing, match.DoubtfulType)
		}
		return
	}
	if ty == nil {
		ty = datatype.UnknownType()
	}
	p.enterType(handle, &match.Datatype{Type: ty, Standing: match.DoubtfulType, Given: true, Returned: true})
	p.noteBirth(mpiapi.Datatype, handle)
}

// TypeWatcher gets the handles of committed datatypes.
type TypeWatcher interface {
	// Committed: from now on, handle is a datatype that may be used.
	Committed(p *Process, handle uint64, t *datatype.Type)
	// Gone: handle is not a datatype any more, or will be another one.
	Gone(p *Process, handle uint64)
	// FreeReturned: a call of MPI_Type_free has returned, successfully or not, and all of its consequences were
	// reported.
	FreeReturned(p *Process)
}
