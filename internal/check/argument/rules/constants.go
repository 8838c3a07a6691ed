package rules

import (
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// constantRule finds numbers that are none of the constants for their parameter.
func (f function) constantRule(i int) rule {
	q := &f.Params[i]
	if len(q.One) == 0 || q.Pointer {
		return nil
	}
	at := f.value(i)
	return func(c *call) bool {
		v := at.Int(c.rec)
		for _, name := range q.One {
			if n, ok := c.process.Constant(name); !ok || n == v {
				return true
			}
		}
		return c.reject(i, "is not one of "+strings.Join(q.One, ", "))
	}
}

// modeRule looks at the access mode of MPI_File_open (section 14.2.1).
func (f function) modeRule() rule {
	param := f.Param("amode")
	at := f.value(param)
	return func(c *call) bool {
		mode := at.Int(c.rec)
		has := func(name string) bool {
			bit, ok := c.process.Constant(name)
			return ok && mode&bit != 0
		}
		n := 0
		for _, name := range []string{"MPI_MODE_RDONLY", "MPI_MODE_WRONLY", "MPI_MODE_RDWR"} {
			if bit, ok := c.process.Constant(name); !ok || bit == 0 {
				return true
			}
			if has(name) {
				n++
			}
		}
		switch {
		case n == 0:
			return c.reject(param, "lacks one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR")
		case n > 1:
			return c.reject(param, "has more than one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR")
		case has("MPI_MODE_RDONLY") && (has("MPI_MODE_CREATE") || has("MPI_MODE_EXCL")):
			return c.reject(param, "has MPI_MODE_CREATE or MPI_MODE_EXCL together with MPI_MODE_RDONLY")
		case has("MPI_MODE_RDWR") && has("MPI_MODE_SEQUENTIAL"):
			return c.reject(param, "has MPI_MODE_SEQUENTIAL together with MPI_MODE_RDWR")
		}
		return true
	}
}

// negativeBut finds negative numbers other than one constant. It finds nothing where the value of the constant is
// unknown.
func (f function) negativeBut(param int, constant, why string) rule {
	at := f.value(param)
	return func(c *call) bool {
		v := at.Int(c.rec)
		if v >= 0 {
			return true
		}
		only, ok := c.process.Constant(constant)
		return !ok || v == only || c.reject(param, why)
	}
}

// displacementRule looks at where a file view begins (section 14.3).
func (f function) displacementRule() rule {
	return f.negativeBut(f.Param("disp"), "MPI_DISPLACEMENT_CURRENT", "is negative")
}

// colorRule looks at the color of MPI_Comm_split (section 7.4.2).
func (f function) colorRule() rule {
	return f.negativeBut(f.Arg(mpiapi.Color), "MPI_UNDEFINED", "is negative, and not MPI_UNDEFINED")
}
