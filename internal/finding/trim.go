package finding

import (
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// beginning matches functions that call main, or a thread's function. No frame above them belongs to the user's
// program, even if it has no symbol.
var beginning = lazyregexp.New(`^(__libc_start.*|start_thread)$`)

// startup matches functions that are above main, or above a thread's function, on the stack.
var startup = lazyregexp.New(
	`^(_start|__libc_start.*|__libc_init_first|start_thread|(__|__GI___)?clone3?|_dl_start_user)$`)

// cLibrary matches the names of the files that start a process or a thread.
var cLibrary = lazyregexp.New(`^(libc|libpthread|ld-.*)[-.0-9]*\.so`)

// pythonThread matches functions of Python's library that call the function of a thread.
var pythonThread = lazyregexp.New(`^(Thread\.)?_bootstrap(_inner)?$`)

// fortran matches the names of Fortran's source files.
var fortran = lazyregexp.New(`(?i)\.(f|for|ftn|fpp|f77|f90|f95|f03|f08|f18)$`)

// Startup reports whether a function is one of the C library's functions that start a process or a thread. Trim removes
// them.
func Startup(function string) bool { return startup().MatchString(function) }

// Trim returns the user's part of a stack: up to main, without the C library's functions that start a process or a
// thread.
func Trim(stack []Frame) []Frame {
	for i, f := range slices.Backward(stack) {
		if f.is("main") {
			stack = stack[:i+1]
			break
		}
	}
	if n := len(stack); n > 1 && stack[n-1].is("main") && fortran().MatchString(stack[n-1].File) {
		stack = stack[:n-1] // made by the compiler, for the main program below it
	}
	n := len(stack)
	begins := func(f Frame) bool { return f.Language == "" && beginning().MatchString(f.Function) }
	if i := slices.IndexFunc(stack, begins); i > 0 {
		n = i
	}
	for n > 0 && stack[n-1].Language == "" && startup().MatchString(stack[n-1].Function) {
		n--
	}
	// The interpreter's main function is not on a stack with Python functions. Of the functions that call it, the C
	// library may have no names.
	for n > 0 && stack[n-1].Language == "" && cLibrary().MatchString(stack[n-1].Module) && hasPython(stack[:n]) {
		n--
	}
	for n > 0 && stack[n-1].Language == Python && pythonThread().MatchString(stack[n-1].Function) &&
		strings.HasSuffix(stack[n-1].File, "/threading.py") {
		n--
	}
	if n == 0 {
		return stack // a stack without a user function is better than none
	}
	return stack[:n]
}

// is reports whether a frame is of a C function of that name.
func (f *Frame) is(name string) bool { return f.Function == name && f.Language == "" }

func hasPython(stack []Frame) bool {
	return slices.ContainsFunc(stack, func(f Frame) bool { return f.Language == Python })
}
