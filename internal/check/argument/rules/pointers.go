package rules

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/track"
)

const nullPointer = "is a null pointer"

// resultRule finds null pointers where the call would store a result.
func (f function) resultRule(i int) rule {
	q := &f.Params[i]
	if !q.Pointer || q.Dir == mpiapi.In || q.Elements.Kind != mpiapi.NoArray {
		return nil
	}
	at := f.address(i)
	switch {
	case q.Kind == mpiapi.Status:
		return func(c *call) bool {
			if at.Handle(c.rec) != 0 {
				return true
			}
			if ignore, ok := c.process.Constant("MPI_STATUS_IGNORE"); !ok || ignore == 0 {
				return true
			}
			return c.reject(i, nullPointer)
		}
	case q.Kind.Handle(), q.Kind == mpiapi.Keyval, isNumber(q.Kind):
		return func(c *call) bool { return at.Handle(c.rec) != 0 || c.reject(i, nullPointer) }
	}
	return nil
}

// isNumber reports whether parameters of a kind are numbers.
func isNumber(k mpiapi.Kind) bool {
	return k == mpiapi.Int || k == mpiapi.Count || k == mpiapi.Aint || k == mpiapi.Offset
}

// arrayRule finds null pointers in place of arrays that have elements.
func (f function) arrayRule(i int) rule {
	q := &f.Params[i]
	if !q.Pointer || q.Kind == mpiapi.Status || len(q.Unless) > 0 || q.Role == mpiapi.ErrorCode || f.constructsType() ||
		f.Base == mpiapi.IDTypeGetContents {
		return nil
	}
	length := f.length(i)
	if length == nil {
		return nil
	}
	if (f.Base == mpiapi.IDCommSpawn || f.Base == mpiapi.IDCommSpawnMultiple) && q.Dir != mpiapi.In {
		return nil // MPI_ERRCODES_IGNORE may be null
	}
	at := f.address(i)
	counts := -1 // if q has displacements: the counts for them
	switch q.Role {
	case mpiapi.SendDispls:
		counts = f.Arg(mpiapi.SendCount)
	case mpiapi.RecvDispls:
		counts = f.Arg(mpiapi.RecvCount)
	}
	return func(c *call) bool {
		return at.Handle(c.rec) != 0 || length(c) <= 0 || counts >= 0 && !c.anyPositive(counts) || !c.significant(i) ||
			c.reject(i, nullPointer)
	}
}

// length returns a function that says how many elements array i has in a call. It is nil if the API table does not say.
func (f function) length(i int) func(*call) int64 {
	switch e := f.Params[i].Elements; e.Kind {
	case mpiapi.ByParam:
		if f.Params[e.Arg].Pointer {
			return nil
		}
		count := f.value(e.Arg)
		return func(c *call) int64 { return count.Int(c.rec) }
	case mpiapi.BySize, mpiapi.ByLocalSize:
		return func(c *call) int64 {
			if c.view == nil {
				return 0
			}
			return int64(c.view.Peers) // neither group is empty
		}
	}
	return nil
}

// constructsType reports whether the function makes a datatype. Package track judges its arguments.
func (f function) constructsType() bool { return track.ConstructsType(f.Func) }

// textRule finds texts and functions that are null pointers. It also finds keys and values of info objects that are too
// long (section 10).
func (f function) textRule(i int) rule {
	q, at := &f.Params[i], f.address(i)
	switch {
	case q.Kind == mpiapi.Function && (q.Name == "user_fn" || strings.HasSuffix(q.Name, "errhandler_fn")):
		return func(c *call) bool { return at.Handle(c.rec) != 0 || c.reject(i, nullPointer) }
	case q.Kind != mpiapi.String || q.Dir != mpiapi.In:
		return nil
	}
	limit := ""
	if strings.HasPrefix(f.Name, "MPI_Info_") {
		limit = infoLimits[q.Name]
	}
	return func(c *call) bool {
		if at.Handle(c.rec) == 0 {
			return !c.significant(i) || c.reject(i, nullPointer)
		}
		return limit == "" || c.fits(i, limit)
	}
}

// infoLimits has the constants that limit the length of texts in info objects, by the name of the parameter.
var infoLimits = map[string]string{"key": "MPI_MAX_INFO_KEY", "value": "MPI_MAX_INFO_VAL"}

// fits checks the length of text i.
func (c *call) fits(i int, limit string) bool {
	text, ok := c.Text(i)
	most, known := c.process.Constant(limit)
	return !ok || !known || int64(len(text)) < most ||
		c.reject(i, fmt.Sprintf("is too long: the limit is %s, %d characters with the terminating zero", limit, most))
}
