package event

import (
	"strconv"
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
// tag=0, comm=MPI_COMM_WORLD). A parameter passed by address has a star, and its value is the address. A nil Namer
// knows no names.
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
	switch p.Role {
	case mpiapi.Source:
		return is("MPI_ANY_SOURCE", "MPI_PROC_NULL")
	case mpiapi.Dest:
		return is("MPI_PROC_NULL")
	case mpiapi.Root:
		return is("MPI_ROOT", "MPI_PROC_NULL")
	case mpiapi.RecvTag:
		return is("MPI_ANY_TAG")
	case mpiapi.ThreadLevel:
		return is("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")
	case mpiapi.Color:
		return is("MPI_UNDEFINED")
	}
	if p.Kind == mpiapi.Keyval {
		return is("MPI_KEYVAL_INVALID", "MPI_TAG_UB", "MPI_WTIME_IS_GLOBAL", "MPI_HOST", "MPI_IO", "MPI_APPNUM",
			"MPI_UNIVERSE_SIZE", "MPI_LASTUSEDCODE", "MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT")
	}
	return ""
}
