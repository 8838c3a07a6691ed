package pipeline

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/record/event"
)

// TestInterleave: Python functions stand where the interpreter's C functions were.
func TestInterleave(t *testing.T) {
	for _, tc := range []struct {
		name, stack, groups, want string
	}{
		{
			"a call", "Send/MPI.so vector/python3.11 _PyEval_EvalFrameDefault/python3.11 main/python3.11 start/libc.so",
			"f g module", "Send f g module start",
		},
		{
			"C calls Python", "Send/MPI.so _PyEval_EvalFrameDefault/libpython3.12.so call/libpython3.12.so " +
				"callback/lib.so _PyEval_EvalFrame/libpython3.12.so main/app",
			"f g | module", "Send f g callback module main",
		},
		{
			"a program that contains Python", "Send/MPI.so _PyEval_EvalFrameDefault/app solve/app main/app",
			"f", "Send f solve main",
		},
		{"without names", "Send/MPI.so x/libpython3.9.so y/libpython3.9.so main/app", "f | g", "Send f g main"},
		{"more Python than C", "Send/MPI.so _PyEval_EvalFrameDefault/python3", "f | g | h", "Send f g h"},
		{
			"more C than Python", "_PyEval_EvalFrame/python3 a/lib.so _PyEval_EvalFrame/python3 main/app",
			"f", "f a main",
		},
		{"no C stack", "Send/MPI.so", "f | g", "Send f g"},
	} {
		var stack []cFrame
		for f := range strings.FieldsSeq(tc.stack) {
			function, file, _ := strings.Cut(f, "/")
			stack = append(stack, cFrame{finding.Frame{Function: function}, "/usr/lib/" + file})
		}
		var groups [][]finding.Frame
		for g := range strings.SplitSeq(tc.groups, "|") {
			var group []finding.Frame
			for f := range strings.FieldsSeq(g) {
				group = append(group, finding.Frame{Function: f})
			}
			groups = append(groups, group)
		}
		var got []string
		for _, f := range interleave(stack, groups) {
			got = append(got, f.Function)
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, g, tc.want)
		}
	}
}

// TestPythonCodes: equal codes of several threads are kept once; numbers belong to a thread.
func TestPythonCodes(t *testing.T) {
	var p pythonCodes
	f := event.Code{ID: 1, Version: 0x030b, Name: "f", File: "a.py", FirstLine: 3}
	g := event.Code{ID: 2, Version: 0x030b, Name: "g", File: "a.py", FirstLine: 5}
	p.add(0, f)
	p.add(0, g)
	p.add(0, event.Code{ID: 3, Name: "find", File: "<frozen importlib._bootstrap>"})
	f.ID, g.ID = 2, 1
	p.add(1, f)
	p.add(1, g)
	if n := len(p.known); n != 3 || p.threads[0][1] != p.threads[1][2] {
		t.Errorf("%d codes", n)
	}
	groups := p.frames(0, []event.PythonFrame{
		{Code: 1, At: -2},
		{Code: 3, Entry: true},
		{Code: 9, Entry: true},
		{Code: 2, At: -2},
	})
	if len(groups) != 3 || len(groups[0]) != 1 || groups[0][0].Function != "f" || groups[0][0].Line != 3 ||
		len(groups[1]) != 0 || len(groups[2]) != 1 || groups[2][0].Function != "g" {
		t.Errorf("groups %+v", groups)
	}
}
