package rules

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// keyvalRule finds handles that are not attribute keys, keys for another kind of object, and predefined attributes,
// which must not be set (section 7.7).
func (f function) keyvalRule(g given) rule {
	name := mpiapi.ByID(f.Base).Name
	gets := strings.HasSuffix(name, "_get_attr") || name == "MPI_Attr_get"
	mine := subjectOf(name)
	return func(c *call) bool {
		key := int64(int32(g.at.Handle(c.rec)))
		switch {
		case c.is(key, "MPI_KEYVAL_INVALID"):
			return c.reject(g.param, "is not an attribute key")
		case gets:
			return true
		}
		for _, s := range ownAttributes {
			if c.is(key, s) {
				return c.reject(g.param, "is the key of a predefined attribute, which must not be changed")
			}
		}
		made, ok := c.process.MadeBy(mpiapi.Keyval, uint64(uint32(key)))
		if !ok {
			return true
		}
		theirs := subjectOf(mpiapi.ByID(made.Func()).Name)
		if mine == "" || theirs == "" || mine == theirs {
			return true
		}
		c.reject(g.param, "is a key for attributes of "+theirs+", not of "+mine)
		return c.blame(made, "key made")
	}
}

// ownAttributes are the attributes that MPI sets (sections 9.1.2, 11.10.1, 12.2.6).
var ownAttributes = []string{
	"MPI_TAG_UB", "MPI_HOST", "MPI_IO", "MPI_WTIME_IS_GLOBAL", "MPI_APPNUM", "MPI_LASTUSEDCODE", "MPI_UNIVERSE_SIZE",
	"MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT", "MPI_WIN_CREATE_FLAVOR", "MPI_WIN_MODEL",
}

// errhandlerRule finds error handlers for another kind of object (section 9.3).
func (f function) errhandlerRule() rule {
	param := f.Param("errhandler")
	at, mine := f.value(param), subjectOf(f.Name)
	return func(c *call) bool {
		made, ok := c.process.MadeBy(mpiapi.Errhandler, at.Handle(c.rec))
		if !ok {
			return true
		}
		theirs := subjectOf(mpiapi.ByID(made.Func()).Name)
		if theirs == mine || theirs == "" {
			return true
		}
		c.reject(param, "is an error handler for "+theirs+", not for "+mine)
		return c.blame(made, "handler made")
	}
}

// subjectOf returns the kind of objects that a function about attributes or error handlers works on, "" for other
// functions.
func subjectOf(name string) string {
	switch {
	case strings.HasPrefix(name, "MPI_Comm_"), strings.HasPrefix(name, "MPI_Keyval_"),
		strings.HasPrefix(name, "MPI_Attr_"),
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
