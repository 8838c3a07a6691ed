package track

import "github.com/mpivet/mpivet/internal/mpi/mpiapi"

// handleParam is a handle that a call makes or frees.
type handleParam struct {
	kind            mpiapi.Kind
	variable, value slot
}

// objectPlan says how a function uses objects.
type objectPlan struct {
	makes, frees []handleParam

	// old and heir: the object made from old has its error handler. If it is a copy (copies), it also has its
	// attributes.
	old, heir handleParam
	copies    bool

	// user is the object that an error handler or an attribute is attached to.
	user     handleParam
	attached slot // handler or key
	what     mpiapi.Kind
	detach   bool // the attribute is deleted
}

// planObjects determines which objects a function makes and frees, from the kinds and directions of its parameters. It
// returns nil if there are none. A handle that is read and set becomes null: it is freed.
func planObjects(f *mpiapi.Func) *objectPlan {
	o := objectPlan{copies: f.Copies}
	for i := range f.Params {
		q := &f.Params[i]
		l := q.Layout
		value := slot{At: l.At, Wide: l.Wide}
		switch {
		case q.Length != "":
		case q.Pointer && q.Dir == mpiapi.Out && l.After != 0:
			h := handleParam{q.Kind, slot{At: l.At, Wide: true}, slot{At: l.After, Wide: l.WideValue}}
			if owned(q.Kind) && f.Base != mpiapi.IDCommGetParent { // it returns the communicator that MPI has made
				o.makes = append(o.makes, h)
			}
			if hasHandler(q.Kind) {
				o.user = h
			}
			if q.Kind == o.old.kind {
				o.heir = h
			}
		case q.Frees():
			h := handleParam{q.Kind, slot{At: l.At, Wide: true}, slot{At: l.Before, Wide: l.WideValue}}
			o.frees = append(o.frees, h)
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
	if o.what != 0 && o.user.value.At == 0 {
		o.what = 0
	}
	if len(o.makes) == 0 && len(o.frees) == 0 && o.what == 0 && o.heir.kind == 0 {
		return nil
	}
	return &o
}
