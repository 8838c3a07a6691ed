package finding

import (
	"strings"
	"testing"
)

func functions(names string) []Frame {
	var s []Frame
	for f := range strings.FieldsSeq(names) {
		s = append(s, Frame{Function: f})
	}
	return s
}

// TestTrimPython: the names of C functions mean nothing in Python.
func TestTrimPython(t *testing.T) {
	stack := []Frame{
		{Function: "send", Module: "MPI.abi3.so"},
		{Function: "main", Language: Python},
		{Function: "_start", Language: Python},
		{Function: "start_thread", Language: Python},
		{Function: "<module>", Language: Python},
		{Function: "libc.so.6+0x29ca7", Module: "libc.so.6"},
		{Function: "__libc_start_main", Module: "libc.so.6"},
	}
	if got := len(Trim(stack)); got != 5 {
		t.Errorf("%d frames, want 5", got)
	}
	run, start := Frame{Function: "run", Module: "app"}, Frame{Function: "main", Module: "app"}
	embedded := append(stack[:5:5], run, start, stack[5])
	if got := len(Trim(embedded)); got != 7 {
		t.Errorf("%d frames in a program that runs Python, want 7", got)
	}
}

func TestTrim(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"send main __libc_start_call_main __libc_start_main@@GLIBC_2.34 _start", "send main"},
		{"send worker start_thread __clone3", "send worker"},
		{"send worker start_thread clone", "send worker"},
		{"send _start", "send"},
		{"send app+0x24df __libc_start_call_main __libc_start_main_impl app+0x2501", "send app+0x24df"},
		{"send lost", "send lost"},
		{"_start", "_start"},
		{"", ""},
	} {
		var got []string
		for _, f := range Trim(functions(tc.in)) {
			got = append(got, f.Function)
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("Trim(%s) = %s, want %s", tc.in, g, tc.want)
		}
	}
}
