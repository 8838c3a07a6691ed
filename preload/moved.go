package preload

import (
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// isMoved reports whether sums of data are made for a function: its calls move data, or begin, start, complete or free
// operations that move data.
func isMoved(f *mpiapi.Func) bool {
	if readsApart(f) {
		return true
	}
	switch f.Class {
	case mpiapi.Collective, mpiapi.Icollective, mpiapi.CollectiveInit:
		return motion(f) != ""
	case mpiapi.Start, mpiapi.Wait, mpiapi.Test:
		return true
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Irecv, mpiapi.Isendrecv,
		mpiapi.SendInit, mpiapi.RecvInit, mpiapi.Mrecv:
		return f.Arg(mpiapi.Partitions) < 0 // a part of a partitioned message may change until it is ready
	}
	return f.Act == mpiapi.ActRequestFree
}

// readsApart reports whether a function begins or makes an operation that reads a buffer, but not for a message that is
// received unchanged: for a file, or for a reduction whose result is scattered. It returns false for windows: there,
// MPI_Win_flush and the like may return the buffer to the program before the request is completed.
func readsApart(f *mpiapi.Func) bool {
	if f.Arg(mpiapi.SendBuf) < 0 || f.Arg(mpiapi.TheRequest) < 0 {
		return false
	}
	return f.Arg(mpiapi.TheFile) >= 0 || scatters(f) && f.Class != mpiapi.Collective
}

// scatters reports whether a function is a reduction whose result is scattered: each process gets a part.
func scatters(f *mpiapi.Func) bool { return f.Reduces() && f.SendParts }

// isKept reports whether a function begins, starts, completes or frees operations that send from a buffer while the
// program goes on.
func isKept(f *mpiapi.Func) bool {
	switch f.Class {
	case mpiapi.Collective, mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Irecv, mpiapi.RecvInit, mpiapi.Mrecv:
		return false
	}
	return isMoved(f)
}

// generateMoved returns moved.c. For each function with sums of data, it has a function that the wrapper then calls
// instead of the real one.
func generateMoved(exported func(name string) bool) []byte {
	moved := generateBetween(exported, "move", "mv_moved", isMoved, (*wrapper).move)
	return append(moved, betweenTable(exported, "move", "mv_kept", isKept)...)
}

// move writes the body of the function for sums of data.
func (w *wrapper) move() {
	real := fmt.Sprintf("real(%s)", w.args(nil))
	if w.Class == mpiapi.Wait || w.Class == mpiapi.Test {
		list, n := w.requests()
		w.line("if (MV_LIKELY(!mv_operations_known(%s, sizeof(MPI_Request), %s)))\n        return %s;", list, n, real)
	}
	w.line("struct mv_thread *const t = mv_sums_thread(%d);", w.ID)
	switch w.Class {
	case mpiapi.Wait, mpiapi.Test:
		list, n := w.requests()
		w.line("struct mv_operation *const found = mv_operations_find(t, %s, sizeof(MPI_Request), %s);", list, n)
		w.line("int rc = %s;", real)
		status := w.Params[w.Arg(mpiapi.TheStatus)].Name
		w.line("if (found)\n        mv_operations_completed(t, found, rc != MPI_SUCCESS, "+
			"&(struct mv_completion){%s, %s, mv_status_at});", w.completed(), status)
		w.line("return rc;")
		return
	case mpiapi.RequestOp:
		request := w.Params[w.Arg(mpiapi.TheRequest)].Name
		w.line("if (%[1]s)\n        mv_operation_free(t, MV_HANDLE(*%[1]s));", request)
		w.line("return %s;", real)
		return
	}
	w.line("if (!t)\n        return %s;", real)
	switch {
	case readsApart(w.Func):
		w.moveApart()
		return
	case w.Arg(mpiapi.TheComm) < 0 && w.Class != mpiapi.Start || w.Arg(mpiapi.Dest) >= 0 || w.Arg(mpiapi.Source) >= 0:
		w.moveMessage()
		return
	}
	switch w.Class {
	case mpiapi.Start:
		list, n := w.requests()
		w.line("struct mv_operation *const started = mv_operations_start(t, %s, sizeof(MPI_Request), %s);", list, n)
		w.line("int rc = %s;", real)
		w.line("mv_operations_started(t, started, rc != MPI_SUCCESS);")
	case mpiapi.Collective:
		w.line("mv_sums_sent(t, &%s);", w.movement())
		w.line("int rc = %s;", real)
		w.line("mv_sums_received(t, &%s, rc);", w.movement())
	default:
		persistent := 0
		if w.Class == mpiapi.CollectiveInit {
			persistent = 1
		}
		w.line("struct mv_operation *const o = mv_operation_begin(t, &%s, %d);", w.movement(), persistent)
		w.line("int rc = %s;", real)
		request := w.Params[w.Arg(mpiapi.TheRequest)].Name
		w.line("mv_operation_begun(t, o, rc != MPI_SUCCESS, rc == MPI_SUCCESS ? MV_HANDLE(*%s) : 0);", request)
	}
	w.line("return rc;")
}

// moveMessage continues move for a function that sends or receives a message.
func (w *wrapper) moveMessage() {
	name := func(r mpiapi.Role) string { return w.Params[w.Arg(r)].Name }
	send, recv := "NULL", "NULL"
	buffer := func(buf, count, typ, peer mpiapi.Role) string {
		none := "0" // a message that a probe has found
		if w.Arg(peer) >= 0 {
			none = name(peer) + " == MPI_PROC_NULL"
		}
		return fmt.Sprintf("&(struct mv_buffered){%s, %s, %s, %s}", name(buf), name(count), w.handle(w.Arg(typ)), none)
	}
	if w.Arg(mpiapi.Dest) >= 0 {
		send = buffer(mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType, mpiapi.Dest)
	}
	switch {
	case w.Arg(mpiapi.RecvBuf) >= 0:
		recv = buffer(mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType, mpiapi.Source)
	case w.Arg(mpiapi.Source) >= 0: // one buffer for both
		recv = buffer(mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType, mpiapi.Source)
	}
	if i := w.Arg(mpiapi.TheRequest); i >= 0 {
		persistent := 0
		if w.Class == mpiapi.SendInit || w.Class == mpiapi.RecvInit {
			persistent = 1
		}
		w.line("struct mv_operation *const o = mv_transfer_begin(t, %s, %s, %d);", send, recv, persistent)
		w.line("int rc = real(%s);", w.args(nil))
		w.line("mv_operation_begun(t, o, rc != MPI_SUCCESS, rc == MPI_SUCCESS ? MV_HANDLE(*%s) : 0);", w.Params[i].Name)
		w.line("return rc;")
		return
	}
	replace := map[string]string{}
	bytes := "-1"
	w.line("struct mv_message m;")
	if w.Arg(mpiapi.TheStatus) >= 0 {
		status := name(mpiapi.TheStatus)
		w.line("MPI_Status own, *const s = %[1]s == MPI_STATUS_IGNORE ? &own : %[1]s;", status)
		replace[status] = "s"
		bytes = "rc == MPI_SUCCESS ? mv_status_bytes(s) : -1"
	}
	w.line("mv_message_begin(t, &m, %s, %s);", send, recv)
	w.line("int rc = real(%s);", w.args(replace))
	w.line("mv_message_end(t, &m, rc, %s);", bytes)
	w.line("return rc;")
}

// moveApart continues move for a function that readsApart.
func (w *wrapper) moveApart() {
	name := func(r mpiapi.Role) string { return w.Params[w.Arg(r)].Name }
	var count string
	var nothing []string // conditions under which no buffer is read
	if scatters(w.Func) {
		comm := w.handle(w.Arg(mpiapi.TheComm))
		nothing = append(nothing, name(mpiapi.SendBuf)+" == MPI_IN_PLACE",
			fmt.Sprintf("mv_known(%s)->remote != 0", comm))
		if i := w.Arg(mpiapi.RecvCount); w.isArray(i) {
			w.line("int64_t all = 0;\n    for (int i = 0, n = mv_comm_size(%s); i < n; i++)\n        all += %s[i];",
				comm, name(mpiapi.RecvCount))
			count = "all"
		} else {
			count = fmt.Sprintf("(int64_t)%s * mv_comm_size(%s)", name(mpiapi.RecvCount), comm)
		}
	} else {
		count = name(mpiapi.SendCount)
	}
	if w.Arg(mpiapi.RecvBuf) >= 0 {
		nothing = append(nothing, name(mpiapi.SendBuf)+" == "+name(mpiapi.RecvBuf))
	}
	persistent := 0
	if w.Class == mpiapi.CollectiveInit {
		persistent = 1
	}
	none := "0"
	if len(nothing) > 0 {
		none = strings.Join(nothing, " || ")
	}
	w.line("struct mv_operation *const o = mv_reading_begin(t, &(struct mv_buffered){%s, %s, %s, %s}, %d);",
		name(mpiapi.SendBuf), count, w.handle(w.Arg(mpiapi.SendType)), none, persistent)
	w.line("int rc = real(%s);", w.args(nil))
	w.line("mv_operation_begun(t, o, rc != MPI_SUCCESS, rc == MPI_SUCCESS ? MV_HANDLE(*%s) : 0);",
		name(mpiapi.TheRequest))
	w.line("return rc;")
}

// requests returns C expressions for the array of requests of a call, and for their number.
func (w *wrapper) requests() (list, n string) {
	if i := w.Arg(mpiapi.Requests); i >= 0 {
		return w.Params[i].Name, w.elements(w.Params[i].Elements)
	}
	i := w.Arg(mpiapi.TheRequest)
	if w.Params[i].Pointer {
		return w.Params[i].Name, "1"
	}
	return "&" + w.Params[i].Name, "1"
}

// completed returns C expressions that say which operations a call has completed: whether all, an array of indices, and
// its length.
func (w *wrapper) completed() string {
	name := func(r mpiapi.Role) string {
		if i := w.Arg(r); i >= 0 {
			return w.Params[i].Name
		}
		return ""
	}
	flag := "1"
	if f := name(mpiapi.Flag); f != "" {
		flag = fmt.Sprintf("(%s && *%s)", f, f)
	}
	switch {
	case name(mpiapi.Indices) != "":
		return fmt.Sprintf("0, %s, *%s", name(mpiapi.Indices), name(mpiapi.OutCount))
	case name(mpiapi.Index) != "":
		return fmt.Sprintf("0, %s, %s", name(mpiapi.Index), flag)
	}
	return flag + ", NULL, 0"
}

// generateBetween returns a C file with functions that stand between wrappers and the real functions, and a table of
// them. wanted selects the functions of MPI. body writes a function that calls real_kind_….
func generateBetween(
	exported func(name string) bool, kind, tableName string, wanted func(*mpiapi.Func) bool, body func(*wrapper),
) []byte {
	var b strings.Builder
	b.WriteString("/* Generated from the table of the MPI interface. */\n")
	b.WriteString("#if defined(__GNUC__) && !defined(__clang__)\n" +
		"#pragma GCC optimize(\"O1\", \"optimize-sibling-calls\")\n#endif\n" +
		"#include \"wrapper.h\"\n\n#include \"rules.h\"\n")
	for _, f := range exportedFuncs(exported) {
		if !wanted(f) {
			continue
		}
		w := wrapper{Func: f, b: &b}
		fmt.Fprintf(&b, "\nstatic void *real_%s_%s;\n", kind, f.Name)
		fmt.Fprintf(&b, "static %s\n{\n", f.Declare(kind+"_"+f.Name))
		writeReal(&b, f, "real_"+kind+"_"+f.Name, "")
		body(&w)
		b.WriteString("}\n")
	}
	return append([]byte(b.String()), betweenTable(exported, kind, tableName, wanted)...)
}

// betweenTable returns the table of all or some of these functions.
func betweenTable(exported func(name string) bool, kind, name string, wanted func(*mpiapi.Func) bool) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "\nconst struct mv_between %s[] = {\n", name)
	for _, f := range exportedFuncs(exported) {
		if wanted(f) {
			fmt.Fprintf(&b, "    {\"P%[2]s\", (void (*)(void))%[1]s_%[2]s, &real_%[1]s_%[2]s},\n", kind, f.Name)
		}
	}
	b.WriteString("    {NULL, NULL, NULL},\n};\n")
	return []byte(b.String())
}
