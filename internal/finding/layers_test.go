package finding

import "testing"

// TestDefaultLayers: the program's innermost frame is found below what wraps MPI.
func TestDefaultLayers(t *testing.T) {
	l := NewLayers(append([]string{"my_send*", "libours.so*"}, DefaultLayers...), 2)
	own := Frame{Function: "solve", File: "/home/me/solve.cpp", Line: 3, Module: "app"}
	for _, f := range []Frame{
		{Function: "boost::mpi::communicator::send<std::vector<int>>", Module: "app"},
		{Function: "__pyx_pw_6mpi4py_3MPI_4Comm_Send", Module: "MPI.cpython-311-x86_64-linux-gnu.so"},
		{Function: "_PyEval_EvalFrameDefault", Module: "libpython3.11.so.1.0"},
		{Function: "Bcast", File: "/usr/lib/python3/dist-packages/mpi4py/util/dtlib.py", Line: 9, Module: "python"},
		{Function: "hypre_MPI_Isend", Module: "libHYPRE-2.26.0.so"},
		{Function: "mpi_send_f08_", Module: "libmpi_usempif08.so.40"},
		{Function: "raise", Module: "libc.so.6"},
		{Function: "my_send_array", Module: "app"},
		{Function: "anything", Module: "libours.so.3"},
	} {
		if got := l.Program([]Frame{f, own}); got != 1 {
			t.Errorf("%s (%s): the program's frame is %d", f.Function, f.Module, got)
		}
	}
	for _, f := range []Frame{
		own,
		{Function: "main", Module: "app"},
		{Function: "simple::send<boost::mpi::request>", Module: "app"},
		{Function: "my_solver", Module: "app"},
		{Function: "MatMult", Module: "libpetsc.so.3.18"},
		{Function: "operator<<", Module: "app"},
		{},
	} {
		if l.Has(&f) {
			t.Errorf("%s (%s) is taken for a layer", f.Function, f.Module)
		}
	}
	if got := l.Program([]Frame{{Function: "raise", Module: "libc.so.6"}}); got != 0 {
		t.Errorf("without a frame of the program: %d", got)
	}
}

// TestCause: what is above the frames that identify a cause does not matter.
func TestCause(t *testing.T) {
	l := NewLayers([]string{"wrap"}, 2)
	got := l.Cause(functions("wrap put exchange step main"))
	if len(got) != 2 || got[0].Function != "put" || got[1].Function != "exchange" {
		t.Errorf("got %v", got)
	}
	if got := l.Cause(functions("main")); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
