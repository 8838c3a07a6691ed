package event

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Namer knows the names of values. Both methods return "" for a value without a name.
type Namer interface {
	// NameHandle returns the name of a handle: of a predefined one, or the one that the program gave it.
	NameHandle(kind mpiapi.Kind, value uint64) string
	// NameConst returns the name of a constant with a special meaning as value of a parameter: MPI_ANY_SOURCE as a
	// source, MPI_IN_PLACE as a buffer, MPI_STATUS_IGNORE as the address of a status.
	NameConst(p *mpiapi.Param, value int64) string
}

// maxText is how many bytes of a string argument are shown.
const maxText = 80

// Format returns the call with its arguments as text: MPI_Send(*buf=0x7ffe0010, count=1, datatype=MPI_INT, dest=1,
// tag=0, comm=MPI_COMM_WORLD). A parameter passed by address has a star, and its value is the address. Of arrays of
// numbers and datatypes, it shows the elements if they are recorded: recvcounts=[1, 2]. A nil Namer knows no names.
func (c *Call) Format(n Namer) string {
	if c.Func == nil {
		return ""
	}
	b := make([]byte, 0, 160)
	b = append(append(b, c.Func.Name...), '(')
	for i := range c.Func.Params {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = c.appendArg(b, i, n)
	}
	return string(append(b, ')'))
}

// FormatArg returns one argument as in Format: "count=1".
func (c *Call) FormatArg(i int, n Namer) string { return string(c.appendArg(nil, i, n)) }

func (c *Call) appendArg(b []byte, i int, n Namer) []byte {
	p := &c.Func.Params[i]
	if p.Kind == mpiapi.String {
		if s, ok := c.Text(i); ok {
			b = append(append(b, p.Name...), '=')
			cut := len(s) > maxText
			if cut {
				for s = s[:maxText]; len(s) > 0 && !utf8.RuneStart(s[len(s)-1]); {
					s = s[:len(s)-1]
				}
			}
			b = strconv.AppendQuote(b, string(s))
			if cut {
				b = append(b, "..."...)
			}
			return b
		}
	}
	if list, ok := c.shownArray(i); ok {
		return appendArray(append(append(b, p.Name...), '='), p, list, n)
	}
	v := c.Int(i)
	address := p.Pointer || p.Kind == mpiapi.Buffer || p.Kind == mpiapi.Pointer ||
		p.Kind == mpiapi.Function || p.Kind == mpiapi.String
	if address {
		b = append(b, '*')
	}
	b = append(append(b, p.Name...), '=')
	name := ""
	switch {
	case n == nil:
	case !address && p.Kind.Handle():
		name = n.NameHandle(p.Kind, uint64(v))
	default:
		// NULL is shown as NULL where MPI gives it no meaning.
		name = n.NameConst(p, v)
	}
	switch {
	case name != "":
		return append(b, name...)
	case address && v == 0:
		return append(b, "NULL"...)
	case address || p.Kind.Handle() || p.Kind == mpiapi.Tool:
		return strconv.AppendUint(append(b, "0x"...), uint64(v), 16)
	case p.Kind == mpiapi.Double:
		return strconv.AppendFloat(b, c.Double(i), 'g', -1, 64)
	}
	return strconv.AppendInt(b, v, 10)
}

// maxElements is how many elements of an array are shown.
const maxElements = 16

// shownArray returns the elements of an array of numbers or datatypes that the call reads. It returns false for other
// arrays: the handles in an array of requests say nothing.
func (c *Call) shownArray(i int) (Array, bool) {
	p := &c.Func.Params[i]
	if p.Elements.Kind == mpiapi.NoArray {
		return Array{}, false
	}
	switch p.Kind {
	case mpiapi.Request, mpiapi.Status, mpiapi.String, mpiapi.Buffer, mpiapi.Pointer, mpiapi.Function:
		return Array{}, false
	}
	return c.In(i)
}

func appendArray(b []byte, p *mpiapi.Param, list Array, n Namer) []byte {
	element := *p
	element.Pointer = false
	b = append(b, '[')
	for k := range list.Len() {
		if k > 0 {
			b = append(b, ", "...)
		}
		if k == maxElements {
			b = append(b, "…"...)
			break
		}
		b = appendElement(b, &element, list.At(k), n)
	}
	return append(b, ']')
}

func appendElement(b []byte, p *mpiapi.Param, v int64, n Namer) []byte {
	name := ""
	switch {
	case n == nil:
	case p.Kind.Handle():
		name = n.NameHandle(p.Kind, uint64(v))
	default:
		name = n.NameConst(p, v)
	}
	switch {
	case name != "":
		return append(b, name...)
	case p.Kind.Handle():
		return strconv.AppendUint(append(b, "0x"...), uint64(v), 16)
	}
	return strconv.AppendInt(b, v, 10)
}

// ConstName returns the name of the constant with this value for a parameter, like Namer.NameConst, or "" if there is
// none. isConst reports whether a constant has a value.
func ConstName(p *mpiapi.Param, value int64, isConst func(name string, value int64) bool) string {
	is := func(names ...string) string {
		for _, n := range names {
			if isConst(n, value) {
				return n
			}
		}
		return ""
	}
	switch p.Kind {
	case mpiapi.Buffer:
		// MPI_BOTTOM is NULL in the common implementations, and is shown as NULL.
		if value == 0 {
			return ""
		}
		return is("MPI_IN_PLACE", "MPI_BOTTOM", "MPI_BUFFER_AUTOMATIC")
	case mpiapi.Status:
		if p.Elements.Kind != mpiapi.NoArray {
			return is("MPI_STATUSES_IGNORE")
		}
		return is("MPI_STATUS_IGNORE")
	}
	if p.Pointer {
		if name := is(p.Unless...); name != "" {
			return name
		}
		if p.Role == mpiapi.ErrorCode {
			return is("MPI_ERRCODES_IGNORE")
		}
		return ""
	}
	if len(p.One) > 0 {
		return is(p.One...)
	}
	switch p.Name {
	case "amode", "assert":
		return modes(value, isConst)
	}
	if name := is(named[p.Name]...); name != "" {
		return name
	}
	switch p.Role {
	case mpiapi.Source:
		return is("MPI_ANY_SOURCE", "MPI_PROC_NULL")
	case mpiapi.Dest:
		return is("MPI_PROC_NULL")
	case mpiapi.Root:
		return is("MPI_ROOT", "MPI_PROC_NULL")
	case mpiapi.RecvTag:
		return is("MPI_ANY_TAG")
	case mpiapi.Color:
		return is("MPI_UNDEFINED")
	}
	if p.Kind == mpiapi.Keyval {
		return is("MPI_KEYVAL_INVALID", "MPI_TAG_UB", "MPI_WTIME_IS_GLOBAL", "MPI_HOST", "MPI_IO", "MPI_APPNUM",
			"MPI_UNIVERSE_SIZE", "MPI_LASTUSEDCODE", "MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT")
	}
	return ""
}

// named has the constants that are usual as values of parameters, by the name of the parameter.
var named = map[string][]string{
	"order":             {"MPI_ORDER_C", "MPI_ORDER_FORTRAN"},
	"array_of_distribs": {"MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC", "MPI_DISTRIBUTE_NONE"},
	"array_of_dargs":    {"MPI_DISTRIBUTE_DFLT_DARG"},
	"split_type": {
		"MPI_UNDEFINED", "MPI_COMM_TYPE_SHARED", "MPI_COMM_TYPE_HW_GUIDED", "MPI_COMM_TYPE_HW_UNGUIDED",
		"MPI_COMM_TYPE_RESOURCE_GUIDED", "MPIX_COMM_TYPE_NEIGHBORHOOD",
	},
	"p":    {"MPI_UNDEFINED"},
	"r":    {"MPI_UNDEFINED"},
	"disp": {"MPI_DISPLACEMENT_CURRENT"},
}

// modeNames are the constants whose sum is a mode of a file, or an assertion. Each is one bit.
var modeNames = []string{
	"MPI_MODE_RDONLY", "MPI_MODE_RDWR", "MPI_MODE_WRONLY", "MPI_MODE_CREATE", "MPI_MODE_EXCL",
	"MPI_MODE_DELETE_ON_CLOSE", "MPI_MODE_UNIQUE_OPEN", "MPI_MODE_SEQUENTIAL", "MPI_MODE_APPEND",
	"MPI_MODE_NOCHECK", "MPI_MODE_NOSTORE", "MPI_MODE_NOPUT", "MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED",
}

// modes names the parts of a sum of MPI_MODE_ constants: MPI_MODE_CREATE|MPI_MODE_RDWR. It returns "" if no part has a
// name.
func modes(value int64, isConst func(name string, value int64) bool) string {
	var parts []string
	rest := value
	for _, name := range modeNames {
		for bit := int64(1); bit <= rest && bit < 1<<31; bit <<= 1 {
			if rest&bit != 0 && isConst(name, bit) {
				parts = append(parts, name)
				rest &^= bit
			}
		}
	}
	if len(parts) > 0 && rest != 0 {
		parts = append(parts, strconv.FormatInt(rest, 10))
	}
	return strings.Join(parts, "|")
}
