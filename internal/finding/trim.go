package finding

import (
	"regexp"
	"slices"
)

// beginning is what calls main, or a thread's function, and has nothing of the user's above it, even where no symbol
// says so.
var beginning = regexp.MustCompile(`^(__libc_start.*|start_thread)$`)

// startup is what lies above main, or above a thread's function.
var startup = regexp.MustCompile(`^(_start|__libc_start.*|__libc_init_first|start_thread|(__|__GI___)?clone3?|_dl_start_user)$`)

// Startup reports whether a function is one of the C library's that start a process or a thread. Trim takes these away.
func Startup(function string) bool { return startup.MatchString(function) }

// Trim returns the part of a stack that is the user's: up to main, and without the C library's functions that start a
// process or a thread.
func Trim(stack []Frame) []Frame {
	for i, f := range slices.Backward(stack) {
		if f.Function == "main" {
			stack = stack[:i+1]
			break
		}
	}
	n := len(stack)
	if i := slices.IndexFunc(stack, func(f Frame) bool { return beginning.MatchString(f.Function) }); i > 0 {
		n = i
	}
	for n > 0 && startup.MatchString(stack[n-1].Function) {
		n--
	}
	if n == 0 {
		return stack // better than nothing
	}
	return stack[:n]
}
