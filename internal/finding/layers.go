package finding

import (
	"path/filepath"
	"slices"
	"strings"
)

// DefaultLayers are patterns for frames between a program and MPI, see [NewLayers]: interfaces of languages, libraries
// that wrap MPI's functions, and the system's libraries.
var DefaultLayers = []string{
	// C++
	"boost::mpi::*", "mpl::*", "kamping::*", "MPI::*",
	// Python
	"MPI.cpython-*.so", "MPI.abi3*.so", "MPI.*.cpython-*.so", "*/mpi4py/*", "__pyx_*", "libpython3*.so*",
	"_ctypes.cpython-*.so", "libffi.so*", "_cffi_backend.cpython-*.so",
	// Julia
	"*/MPI.jl/*",
	// wrappers of PETSc, hypre, ARMCI, HDF5, netCDF
	"MPIU_*", "PetscMPI*", "MPIPetsc_*", "hypre_MPI_*", "ARMCI_*", "PARMCI_*", "comex_*", "H5FD__mpio_*",
	"H5FD_mpio_*", "H5_mpio_*", "ncmpio_*",
	// MPI libraries, and mpivet's own
	"libmpi.so*", "libmpich*.so*", "libmpi_*.so*", "libmpifort*.so*", "libmpicxx*.so*", "libpmpi*.so*",
	"libmpivet*.so*", "libopen-pal.so*", "libopen-rte.so*", "libopen_mpi.so*", "libucp.so*", "libfabric.so*",
	// the system
	"libc.so*", "libc-2*.so", "libpthread*.so*", "libstdc++.so*", "libgcc_s.so*", "libgfortran.so*", "libgomp.so*",
	"libm.so*", "ld-linux*.so*", "linux-vdso.so*",
}

// DefaultCauseFrames is the number of frames that identify a cause.
const DefaultCauseFrames = 2

// Layers knows which frames of a call stack are the program's own. Those of language interfaces and of libraries that
// wrap MPI are not: an error that is seen in them has its cause in the code that calls them. A nil Layers takes all
// frames as the program's own.
type Layers struct {
	functions, files []string
	frames           int
}

// NewLayers returns the layers that patterns describe. In a pattern, "*" stands for any characters, and "?" for any one
// character. A pattern with ".so" matches the name of a library without its directory, one with "/" the path of a
// source file, any other one the name of a function without its arguments. frames is the number of frames that identify
// a cause, at least 1.
func NewLayers(patterns []string, frames int) *Layers {
	l := &Layers{frames: max(frames, 1)}
	for _, p := range patterns {
		if strings.Contains(p, "/") || strings.Contains(p, ".so") {
			l.files = append(l.files, p)
		} else {
			l.functions = append(l.functions, p)
		}
	}
	return l
}

// Has reports whether a frame is of a layer, and not of the program.
func (l *Layers) Has(f *Frame) bool {
	if l == nil {
		return false
	}
	match := func(name string) func(string) bool {
		return func(pattern string) bool { return name != "" && matchText(pattern, name) }
	}
	if slices.ContainsFunc(l.files, match(f.Module)) || slices.ContainsFunc(l.files, match(f.File)) {
		return true
	}
	return slices.ContainsFunc(l.functions, match(plainName(f.Function)))
}

// Program returns the index of the innermost frame that is the program's own, 0 if there is none.
func (l *Layers) Program(stack []Frame) int {
	return max(0, slices.IndexFunc(stack, func(f Frame) bool { return !l.Has(&f) }))
}

// Cause returns the frames of a stack that identify the cause of a finding: the innermost frames of the program itself.
func (l *Layers) Cause(stack []Frame) []Frame {
	if l == nil {
		return stack
	}
	stack = stack[l.Program(stack):]
	return stack[:min(l.frames, len(stack))]
}

// plainName returns the name of a C++ function without its template arguments.
func plainName(function string) string {
	if !strings.ContainsRune(function, '<') || strings.Contains(function, "operator<") {
		return function
	}
	var b strings.Builder
	depth := 0
	for i, r := range function {
		switch {
		case r == '<':
			depth++
		case r == '>' && depth > 0 && function[i-1] != '-':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// where identifies a frame for people: its file, or else its module.
func (f *Frame) where() string {
	if f.File != "" {
		return filepath.Base(f.File)
	}
	return f.Module
}
