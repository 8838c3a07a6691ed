package preload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// GenerateWrappers returns the generated C files by name. For every function of the table whose PMPI_ entry the MPI
// library exports, there is a function that replaces both MPI_X and PMPI_X. exported reports whether the library
// exports a name like "PMPI_Send".
func GenerateWrappers(exported func(name string) bool) map[string][]byte {
	const title = "/* Generated from the table of the MPI interface. */\n"
	var near, far strings.Builder
	near.WriteString(title + "#include \"wrapper.h\"\n\n#include \"rules.h\"\n")
	// There are many of these, and programs call them rarely. So compile them quickly, with less optimization.
	far.WriteString(title + "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"O1\")\n#endif\n" +
		"#include \"wrapper.h\"\n\n#include \"rules.h\"\n")
	for _, f := range exportedFuncs(exported) {
		w := wrapper{Func: f, b: &far, near: isHot(f)}
		if w.near {
			w.b = &near
		}
		w.write()
	}
	return map[string][]byte{"wrappers.c": []byte(near.String()), "wrappers_far.c": []byte(far.String())}
}

// exportedFuncs returns the functions of the table that the MPI library has.
func exportedFuncs(exported func(name string) bool) []*mpiapi.Func {
	var list []*mpiapi.Func
	for _, f := range mpiapi.Funcs() {
		if exported("P" + f.Name) {
			g := *f
			g.Params = slices.Clone(f.Params)
			for i := range g.Params {
				g.Params[i].Name += "_" // different from the wrappers' own variables
			}
			list = append(list, &g)
		}
	}
	return list
}

// writeEntry writes the beginning of the wrapper of f, mv_X. The program and the Fortran layers call it as MPI_X and
// PMPI_X. In its body, real is the real function. The C names differ because the prototypes of mpi.h are not always
// those of the table (const or not).
//
// bind is the C function that looks up the real one.
func writeEntry(b *strings.Builder, f *mpiapi.Func, bind string) {
	fmt.Fprintf(b, "\nMV_EXPORT %s __asm__(\"%s\");\n", f.Declare("mv_"+f.Name), f.Name)
	b.WriteString("#ifndef MV_LINKED\n") // else the linker finds MPI's function
	fmt.Fprintf(b, "__asm__(\".globl P%[1]s\\n.type P%[1]s, %%function\\n.set P%[1]s, %[1]s\");\n", f.Name)
	b.WriteString("#endif\n")
	fmt.Fprintf(b, "static void *real_%s;\n", f.Name)
	fmt.Fprintf(b, "%s\n{\n", f.Declare("mv_"+f.Name))
	writeReal(b, f, "real_"+f.Name, bind)
}

// writeReal declares real, the function that a variable points to. Threads that bind the variable at the same time
// store the same value. bind is "" if the variable is known to be set.
func writeReal(b *strings.Builder, f *mpiapi.Func, variable, bind string) {
	fmt.Fprintf(b, "    %s;\n", f.Declare("(*real)"))
	fmt.Fprintf(b, "    void *bound = __atomic_load_n(&%s, __ATOMIC_ACQUIRE);\n", variable)
	if bind != "" {
		b.WriteString("    if (MV_UNLIKELY(!bound))\n")
		fmt.Fprintf(b, "        bound = %[2]s(&%[1]s, \"P%[3]s\");\n", variable, bind, f.Name)
	}
	b.WriteString("    memcpy(&real, &bound, sizeof real);\n")
}

// hooks are the calls that a wrapper makes in addition to recording. In all of them t is the thread, NULL if it is not
// recorded.
type hook struct {
	first         string // before the call's record, if there is one
	before, after string
	replace       map[string]string // other arguments for the real function
}

var hooks = map[string]hook{
	"MPI_Init":        {before: "mv_init_enter(t);", after: "mv_init_leave(t, rc);"},
	"MPI_Init_thread": {before: "mv_init_enter(t);", after: "mv_init_leave(t, rc);"},
	"MPI_Finalize":    {first: "mv_operations_unfinished(t);", before: "mv_finalize_enter(t);"},
	"MPI_Abort":       {before: "mv_abort_enter(t);"},

	"MPI_Session_init":     {after: "mv_session_leave(t, rc, session_);"},
	"MPI_Session_finalize": {before: "mv_session_enter(t, session_);"},

	"MPI_Comm_set_name": {after: "if (t && rc == MPI_SUCCESS)\n" +
		"        mv_object_name(MV_HANDLE(comm_), MV_OBJECT_COMM, comm_name_);"},
	"MPI_Win_set_name": {after: "if (t && rc == MPI_SUCCESS)\n" +
		"        mv_object_name(MV_HANDLE(win_), MV_OBJECT_WIN, win_name_);"},

	"MPI_Start": {before: "if (MV_UNLIKELY(t && mv_persistents && request_))\n" +
		"        mv_started(MV_HANDLE(*request_));"},
	"MPI_Startall": {before: "if (MV_UNLIKELY(t && mv_persistents && array_of_requests_))\n" +
		"        for (int i = 0; i < count_; i++)\n" +
		"            mv_started(MV_HANDLE(array_of_requests_[i]));"},
	"MPI_Request_free": {before: "if (MV_UNLIKELY(t && mv_persistents && request_))\n" +
		"        mv_persistent_free(MV_HANDLE(*request_));"},

	"MPI_Type_free": {before: "mv_type_free(t, datatype_ ? MV_HANDLE(*datatype_) : 0);"},

	"MPI_Comm_free":       endsComm,
	"MPI_Comm_disconnect": endsComm,
}

// endsComm is the hook of functions that end a communicator.
var endsComm = hook{
	before: "const uint64_t gone = comm_ ? MV_HANDLE(*comm_) : 0;\n" +
		"    const unsigned serial_before = mv_known(gone)->serial;",
	after: "if (rc == MPI_SUCCESS)\n        mv_forget_comm(gone, serial_before);",
}

type wrapper struct {
	*mpiapi.Func
	b *strings.Builder
	// near: inlined code writes the record. That is for functions that programs call often.
	near bool
}

// isHot reports whether programs call a function so often that its wrapper should be as fast as possible.
func isHot(f *mpiapi.Func) bool {
	if f.Base != f.ID {
		return false
	}
	switch f.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Irecv, mpiapi.Wait, mpiapi.Test, mpiapi.Start:
		return true
	}
	switch f.Name {
	case "MPI_Iprobe", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall",
		"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Fetch_and_op", "MPI_Pready", "MPI_Parrived",
		"MPI_Comm_rank", "MPI_Comm_size", "MPI_Get_count":
		return true
	}
	return false
}

// fn returns the name of a C function, or of its twin that is not inlined.
func (w *wrapper) fn(name string) string {
	if w.near {
		return name
	}
	return name + "_far"
}

func (w *wrapper) line(format string, args ...any) {
	w.b.WriteString("    ")
	fmt.Fprintf(w.b, format, args...)
	w.b.WriteByte('\n')
}

func (w *wrapper) args(replace map[string]string) string {
	var list []string
	for i := range w.Params {
		name := w.Params[i].Name
		if r, ok := replace[name]; ok {
			name = r
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

func (w *wrapper) write() {
	w.declareMaking()
	writeEntry(w.b, w.Func, "mv_bind_wrapper")
	// Give each argument a place in memory, where debuggers find it at any time.
	for i := range w.Params {
		w.line("MV_AT_HOME(%s);", w.Params[i].Name)
	}
	switch {
	case !w.ReturnsCode():
		w.writeValue()
	case w.Class == mpiapi.Query:
		w.writeQuery()
	default:
		w.writeCall()
	}
	w.b.WriteString("}\n")
}

// writeValue writes the body of a function that returns a value. Its calls are only counted.
func (w *wrapper) writeValue() {
	w.line("struct mv_thread *t = mv_tls.ready;")
	w.line("if (MV_LIKELY(t))\n        mv_query_begin(t, 0, 0, 0);")
	w.line("return real(%s);", w.args(nil))
}

// writeQuery writes the body of a function whose calls are recorded only if they fail.
func (w *wrapper) writeQuery() {
	w.line("struct mv_thread *t = %s(MV_CFA);", w.fn("mv_enter"))
	w.line("if (MV_UNLIKELY(!t))\n        return real(%s);", w.args(nil))
	w.line("unsigned char *r = %s(t, %d, %d, MV_RA);", w.fn("mv_query_begin"), w.ID, w.Fixed)
	if len(w.Params) == 0 {
		w.line("(void)r;")
	}
	w.slots()
	w.line("int rc = real(%s);", w.args(nil))
	if overflowed, ok := overflows[w.Name]; ok {
		w.line("if (MV_UNLIKELY(rc == MPI_SUCCESS && %s))\n        mv_query_told(t);", overflowed)
	}
	if w.near {
		w.line("if (MV_LIKELY(rc == MPI_SUCCESS))\n        mv_leave(t);\n    else")
		w.line("    mv_query_end_far(t, rc);")
	} else {
		w.line("mv_query_end_far(t, rc);")
	}
	w.line("return rc;")
}

// overflows are the C conditions under which queries that have succeeded are nevertheless recorded: an int cannot hold
// their result.
var overflows = map[string]string{
	"MPI_Type_size":    "size_ && *size_ == MPI_UNDEFINED",
	"MPI_Get_count":    "count_ && *count_ == MPI_UNDEFINED && mv_count_overflowed(t, status_, datatype_)",
	"MPI_Get_elements": "count_ && *count_ == MPI_UNDEFINED && mv_elements_overflowed(t, status_, datatype_)",
}

// section is a variable part of a record.
type section struct {
	i    int // parameter
	out  bool
	kind uint8
}

var sectionNames = map[uint8]string{
	mpiapi.SectionIn32: "MV_IN32", mpiapi.SectionIn64: "MV_IN64", mpiapi.SectionOut32: "MV_OUT32",
	mpiapi.SectionOut64: "MV_OUT64", mpiapi.SectionStatus: "MV_STATUS", mpiapi.SectionString: "MV_STRING",
}

func (s section) width() int {
	switch s.kind {
	case mpiapi.SectionIn32, mpiapi.SectionOut32:
		return 4
	case mpiapi.SectionStatus:
		return 24
	case mpiapi.SectionString:
		return 1
	}
	return 8
}

// sections lists the variable parts: first those that the call reads, then those that it writes.
func (w *wrapper) sections() []section {
	var in, out []section
	for i := range w.Params {
		l := w.Params[i].Layout
		if l.InSection != 0 {
			in = append(in, section{i, false, l.InSection})
		}
		if l.OutSection != 0 {
			out = append(out, section{i, true, l.OutSection})
		}
	}
	return append(in, out...)
}

func (w *wrapper) writeCall() {
	h := hooks[w.Name]
	w.line("struct mv_thread *t = %s(MV_CFA);", w.fn("mv_enter"))
	w.line("if (MV_UNLIKELY(!t)) {")
	if h.before != "" {
		w.line("    %s", h.before)
	}
	freed := w.freed()
	if freed >= 0 {
		w.line("    const uint64_t freed = %[1]s ? MV_HANDLE(*%[1]s) : 0;", w.Params[freed].Name)
	}
	w.line("    int rc = real(%s);", w.args(h.replace))
	if h.after != "" {
		w.line("    %s", h.after)
	}
	if freed >= 0 {
		w.line("    if (rc == MPI_SUCCESS)\n            mv_freed(MV_RA, (const void *)(uintptr_t)real, %d, freed);",
			w.ID)
		if w.ends(freed) {
			w.line("    if (rc == MPI_SUCCESS)\n            mv_unkeep(freed, %s);", keptKinds[w.Params[freed].Kind])
		}
	}
	w.line("    return rc;\n    }")
	if h.first != "" {
		w.line("%s", h.first)
	}
	sections := w.sections()
	sum := fmt.Sprint(w.start())
	w.beginKeeping()
	w.lengths(sections)
	w.listRequests()
	for _, s := range sections {
		sum += fmt.Sprintf(" + room%d%s", s.i, s.suffix())
	}
	if poll := w.poll(); poll != "" {
		w.writePoll(poll, sections, sum)
		return
	}
	w.open(sections, sum)
	if w.near {
		w.line("mv_publish(t, r, len, timed);")
	} else {
		w.line("mv_open_publish(t, &o);")
	}

	if h.before != "" {
		w.line("%s", h.before)
	}
	replace := map[string]string{}
	for k, v := range h.replace {
		replace[k] = v
	}
	w.ownStatuses(sections, replace)
	w.look()
	coll := w.collective()
	w.enterCollective(coll)
	w.line("int rc = real(%s);", w.args(replace))
	w.leaveCollective(coll)
	if h.after != "" {
		w.line("%s", h.after)
	}
	w.results(sections)
	w.newComm(coll)
	w.keep(sections)
	w.done(sections, "len, timed")
	w.line("mv_leave(t);")
	w.line("return rc;")
}

// open begins the record and fills in everything except the results. end is the C expression for the end of its
// sections.
func (w *wrapper) open(sections []section, end string) {
	if w.near {
		w.line("const int timed = mv_is_timed();")
		w.line("const uint32_t site = mv_site(t, MV_RA, MV_CFA);")
		w.line("const uint64_t end = %s, trailer = timed ? 16 : 0, len = (end + trailer + 63) & ~(uint64_t)63;", end)
		w.line("unsigned char *r = mv_reserve(t, len);")
		w.line("mv_head(r, %d, len, site, %d, timed);", w.ID, w.Fixed)
		w.line("mv_section_end(r, end, len - trailer);")
	} else {
		w.line("const struct mv_open o = mv_open(t, MV_RA, %d, %d, %s);", w.ID, w.Fixed, end)
		if len(w.Params) > 0 {
			w.line("unsigned char *const r = o.r;")
		}
	}
	w.slots()
	if len(sections) > 0 {
		w.line("unsigned char *at = r + %d;", w.start())
	}
	for _, s := range sections {
		w.putSection(s)
	}
}

// start returns where the sections of a record begin.
func (w *wrapper) start() int { return int(w.Fixed+7) &^ 7 }

// done completes the record. size is the C expression for its length and for whether it has times.
func (w *wrapper) done(sections []section, size string) {
	if w.near {
		w.line("if (MV_UNLIKELY(rc != MPI_SUCCESS))\n        mv_error(t, rc, 0);")
		w.line("mv_done(t, r, %s, rc);", size)
	} else {
		w.line("mv_open_done(t, &o, rc);")
	}
	for _, s := range sections {
		if s.out && (s.kind != mpiapi.SectionStatus || w.isArray(s.i)) {
			width := fmt.Sprintf("sizeof *%s", w.Params[s.i].Name)
			if s.kind == mpiapi.SectionStatus {
				width = "rc != MPI_SUCCESS"
			}
			w.line("if (MV_UNLIKELY(mv_is_cut(room%[1]d%[2]s)) && n%[1]d_after)\n"+
				"        mv_data(t, %[3]s, %[1]d, %[4]s, n%[1]d_after, %[5]s);",
				s.i, s.suffix(), sectionNames[s.kind], w.passed(s), width)
		}
	}
}

// writePoll writes the rest of a test or probe. *flag says whether it has found anything. If a poll is the same as a
// recorded one, it gets no record while it finds nothing: see polls.h.
func (w *wrapper) writePoll(flag string, sections []section, end string) {
	replace := map[string]string{}
	w.ownStatuses(sections, replace)
	w.line("int rc;")
	w.line("struct mv_open o;")
	w.line("const unsigned char *same = mv_poll_again(t, %d, MV_RA, MV_CFA);", w.ID)
	w.line("if (MV_LIKELY(same != NULL) && MV_UNLIKELY(%s))\n        same = NULL;", w.differs(sections))
	w.line("if (MV_LIKELY(same != NULL)) {")
	w.line("mv_poll_borrow(t);")
	w.line("rc = real(%s);", w.args(replace))
	w.line("if (MV_LIKELY(rc == MPI_SUCCESS && %[1]s && !*%[1]s && t->borrowed && !(%[2]s))) {",
		flag, w.resultsDiffer())
	w.line("    mv_poll_repeated(t);\n        mv_leave(t);\n        return rc;\n    }")
	w.line("o = mv_poll_open(t);")
	w.line("unsigned char *const r = o.r;")
	w.line("(void)r;")
	for i := range w.Params {
		if p := &w.Params[i]; p.Layout.After != 0 {
			w.line("%s", w.put(p, p.Layout.After, "0", p.Layout.WideValue))
		}
	}
	w.line("} else {")
	w.open(sections, end)
	w.line("mv_publish(t, r, len, timed);")
	w.line("rc = real(%s);", w.args(replace))
	w.line("o = (struct mv_open){r, len, timed};")
	w.line("}")
	w.line("unsigned char *const r = o.r;")
	w.results(sections)
	w.keep(sections)
	w.done(sections, "o.len, o.timed")
	w.line("if (rc == MPI_SUCCESS && %[1]s && !*%[1]s)\n        mv_poll_note(t, r, o.len, o.timed, MV_RA);", flag)
	w.line("mv_leave(t);")
	w.line("return rc;")
}

// differs returns the C expression for whether the arguments differ from those of a record.
func (w *wrapper) differs(sections []section) string {
	var list []string
	for i := range w.Params {
		p := &w.Params[i]
		l := p.Layout
		if p.Pointer {
			list = append(list, fmt.Sprintf("mv_differ8(same, %d, (uint64_t)(uintptr_t)%s)", l.At, p.Name))
		} else {
			list = append(list, w.differ(p, l.At, p.Name, l.Wide))
		}
		if l.Before != 0 {
			list = append(list, fmt.Sprintf("(%s ? %s : %s)", p.Name, w.differ(p, l.Before, deref(p), l.WideValue),
				w.differ(p, l.Before, "0", l.WideValue)))
		}
	}
	// Compare the sections only if the fixed parts are equal: otherwise the lengths may differ.
	all := strings.Join(list, " | ")
	offset := fmt.Sprintf("same + %d", w.start())
	for _, s := range sections {
		if p := &w.Params[s.i]; !s.out {
			all += fmt.Sprintf(" || mv_section_differs(%s, %s, n%d, %s, %d)", offset, p.Name,
				s.i, elementWidth(s, p), s.width())
		}
		offset += fmt.Sprintf(" + room%d%s", s.i, s.suffix())
	}
	return all
}

// resultsDiffer returns the C expression for whether the results of a call differ from those of a record.
func (w *wrapper) resultsDiffer() string {
	var list []string
	for i := range w.Params {
		if p := &w.Params[i]; p.Layout.After != 0 {
			list = append(list, fmt.Sprintf("(%s ? %s : 0)", p.Name,
				w.differ(p, p.Layout.After, deref(p), p.Layout.WideValue)))
		}
	}
	return strings.Join(list, " | ")
}

// differ returns the C expression for whether a value of the parameter's kind differs from that in a record. It is 0 if
// the values are equal.
func (w *wrapper) differ(p *mpiapi.Param, at uint16, value string, wide bool) string {
	bytes, word := word(p, value, wide)
	return fmt.Sprintf("mv_differ%d(same, %d, %s)", bytes, at, word)
}

// poll returns the parameter in which a test or probe says, by 0, that it has found nothing. It returns "" for other
// functions, for functions that are not called often, and for functions with hooks.
func (w *wrapper) poll() string {
	_, hooked := hooks[w.Name]
	if w.Class != mpiapi.Test && w.Class != mpiapi.Probe || !w.near || hooked {
		return ""
	}
	for _, r := range []mpiapi.Role{mpiapi.Flag, mpiapi.OutCount} {
		if i := w.Arg(r); i >= 0 && w.Params[i].Pointer {
			return w.Params[i].Name
		}
	}
	return ""
}

// look adds a check of the buffers of a call, before MPI gets them: whether they can be accessed. Buffers of persistent
// requests need be accessible only when the request is started. If a collective has one count for the parts of several
// processes, only the first part is checked.
func (w *wrapper) look() {
	switch w.Class {
	case mpiapi.Send, mpiapi.Recv, mpiapi.SendRecv, mpiapi.Isend, mpiapi.Irecv, mpiapi.Isendrecv, mpiapi.Mrecv:
	case mpiapi.Collective, mpiapi.Icollective, mpiapi.IO:
		if strings.Contains(w.Name, "eighbor") { // there may be no neighbours
			return
		}
	default:
		return
	}
	w.lookAt(mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType, mpiapi.Dest)
	if !strings.Contains(w.Name, "xscan") { // one process receives nothing
		w.lookAt(mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType, mpiapi.Source)
	}
}

// lookAt continues look for the parameters of one side, if it has a buffer.
func (w *wrapper) lookAt(buf, count, typ, peer mpiapi.Role) {
	either := func(role, other mpiapi.Role) int {
		if i := w.Arg(role); i >= 0 || buf == mpiapi.SendBuf {
			return i
		}
		return w.Arg(other) // of a reduction: one for both
	}
	b, n, t := w.Arg(buf), either(count, mpiapi.SendCount), either(typ, mpiapi.SendType)
	if b < 0 || n < 0 || t < 0 || w.isArray(n) || w.isArray(t) {
		return
	}
	name := w.Params[b].Name
	var cond []string
	if i := w.Arg(peer); i >= 0 {
		cond = append(cond, w.Params[i].Name+" != MPI_PROC_NULL")
	}
	if w.Class == mpiapi.Collective || w.Class == mpiapi.Icollective {
		cond = append(cond, "(const void *)"+name+" != MPI_IN_PLACE")
	}
	written := "0"
	if buf == mpiapi.RecvBuf {
		written = "1"
	}
	if root := w.Arg(mpiapi.Root); root >= 0 {
		// Negative: a process in the root's group that takes no part (MPI_PROC_NULL), or the root itself (MPI_ROOT).
		cond = append(cond, w.Params[root].Name+" >= 0")
		isRoot := fmt.Sprintf("mv_is_root(%s, %s)", w.Params[root].Name, w.handle(w.Arg(mpiapi.TheComm)))
		if w.Params[b].AtRoot {
			cond = append(cond, isRoot)
		} else if w.Arg(mpiapi.RecvBuf) < 0 {
			written = "!" + isRoot
		}
	}
	call := fmt.Sprintf("mv_look(t, %s, %s, %s, %s);", name, w.Params[n].Name, w.handle(t), written)
	if len(cond) > 0 {
		call = fmt.Sprintf("if (MV_LIKELY(%s))\n        %s", strings.Join(cond, " && "), call)
	}
	w.line("%s", call)
}

// freed returns the parameter whose object the function frees, -1 if there is none.
func (w *wrapper) freed() int {
	for i := range w.Params {
		if w.Params[i].Frees() {
			return i
		}
	}
	return -1
}

func (s section) suffix() string {
	if s.out {
		return "_out"
	}
	return ""
}

func (w *wrapper) isArray(i int) bool { return w.Params[i].Elements.Kind != mpiapi.NoArray }

// handle returns the C expression for a communicator's handle in a record.
func (w *wrapper) handle(i int) string { return "MV_HANDLE(" + w.Params[i].Name + ")" }

// number returns the C expression for a number passed by value or by address.
func (w *wrapper) number(i int) string {
	p := &w.Params[i]
	if p.Pointer {
		return "(" + p.Name + " ? *" + p.Name + " : 0)"
	}
	return p.Name
}

// elements returns the C expression for the number of elements.
func (w *wrapper) elements(e mpiapi.Elements) string {
	switch e.Kind {
	case mpiapi.ByParam:
		n := "mv_n(" + w.number(e.Arg) + ")"
		if e.Factor > 1 {
			n = fmt.Sprintf("%d * %s", e.Factor, n)
		}
		return n
	case mpiapi.BySize:
		return "mv_n(mv_comm_size(" + w.handle(e.Arg) + "))"
	case mpiapi.ByLocalSize:
		return "mv_n(mv_known(" + w.handle(e.Arg) + ")->size)"
	case mpiapi.ByDims:
		return "mv_n(mv_known(" + w.handle(e.Arg) + ")->dims)"
	case mpiapi.ByInDegree:
		return "mv_n(mv_known(" + w.handle(e.Arg) + ")->in)"
	case mpiapi.ByOutDegree:
		return "mv_n(mv_known(" + w.handle(e.Arg) + ")->out)"
	case mpiapi.ByLast:
		return fmt.Sprintf("mv_last(%s, mv_n(%s))", w.Params[e.Arg].Name, w.number(e.N))
	case mpiapi.BySum:
		return fmt.Sprintf("mv_sum(%s, mv_n(%s))", w.Params[e.Arg].Name, w.number(e.N))
	}
	return "0"
}

// significant returns the C condition under which parameter i is significant.
func (w *wrapper) significant(i int) string {
	p := &w.Params[i]
	cond := []string{p.Name}
	if p.AtRoot {
		root, comm := w.Arg(mpiapi.Root), w.Arg(mpiapi.TheComm)
		cond = append(cond, fmt.Sprintf("mv_is_root(%s, %s)", w.Params[root].Name, w.handle(comm)))
	}
	if j := w.InPlaceOf(i); j >= 0 {
		cond = append(cond, w.Params[j].Name+" != MPI_IN_PLACE")
	}
	for _, c := range p.Unless {
		cond = append(cond, fmt.Sprintf("(const void *)%s != MV_CONSTANT_%s", p.Name, c))
	}
	return strings.Join(cond, " && ")
}

// lengths computes the sizes of all sections, and publishes arrays that the call reads and that are too long.
func (w *wrapper) lengths(sections []section) {
	for _, s := range sections {
		p := &w.Params[s.i]
		n := "1"
		switch {
		case s.kind == mpiapi.SectionString:
			n = fmt.Sprintf("%s ? mv_string_length(t, %s) : 0", w.significant(s.i), p.Name)
		case w.isArray(s.i):
			cond := w.significant(s.i)
			if s.kind == mpiapi.SectionStatus {
				cond = "1" // the address may be MPI_STATUSES_IGNORE, which may be NULL
			}
			n = fmt.Sprintf("%s ? %s : 0", cond, w.elements(p.Elements))
		case s.kind == mpiapi.SectionStatus && (w.Class == mpiapi.Recv || w.Class == mpiapi.SendRecv):
			// Without wildcards, a receive's status has no more information than the message that it matches.
			n = fmt.Sprintf("%s == MPI_ANY_SOURCE || %s == MPI_ANY_TAG", w.Params[w.Arg(mpiapi.Source)].Name,
				w.Params[w.Arg(mpiapi.RecvTag)].Name)
		}
		if s.out {
			w.line("const uint64_t n%d_out = %s;", s.i, n)
		} else {
			w.line("const uint64_t n%d = %s;", s.i, n)
		}
		w.line("const uint64_t room%[1]d%[2]s = %[4]s(t, n%[1]d%[2]s, %[3]d);", s.i, s.suffix(),
			s.width(), w.fn("mv_section_room"))
		if !s.out {
			w.line("if (MV_UNLIKELY(mv_is_cut(room%[1]d)))\n        mv_data(t, %[2]s, %[1]d, %[3]s, n%[1]d, %[4]s);",
				s.i, sectionNames[s.kind], p.Name, elementWidth(s, p))
		}
	}
}

// elementWidth returns the C expression for an element's size in the program.
func elementWidth(s section, p *mpiapi.Param) string {
	switch {
	case s.kind == mpiapi.SectionString:
		return "1"
	case strings.Contains(p.CType, "(*)"): // triples count as single numbers
		return "sizeof(int)"
	}
	return "sizeof *" + p.Name
}

func (w *wrapper) putSection(s section) {
	p := &w.Params[s.i]
	kind := sectionNames[s.kind]
	if !w.near {
		if s.out {
			w.line("at = mv_section_out_far(at, %[2]s, %[1]d, n%[1]d_out, room%[1]d_out);", s.i, kind)
		} else {
			w.line("at = mv_section_in_far(at, %[2]s, %[1]d, %[3]s, n%[1]d, room%[1]d, %[4]s);",
				s.i, kind, p.Name, elementWidth(s, p))
		}
		return
	}
	if s.out {
		w.line("mv_section_out(at, %[2]s, %[1]d, n%[1]d_out, room%[1]d_out);", s.i, kind)
	} else {
		w.line("mv_section_in(at, %[2]s, %[1]d, %[3]s, n%[1]d, room%[1]d, %[4]s, %[5]d);", s.i,
			kind, p.Name, elementWidth(s, p), s.width())
	}
	w.line("at += room%d%s;", s.i, s.suffix())
}

// passed returns the argument of the real function for an array or status that it writes.
func (w *wrapper) passed(s section) string {
	if s.kind == mpiapi.SectionStatus {
		return fmt.Sprintf("status%d", s.i)
	}
	return w.Params[s.i].Name
}

// ownStatuses makes the real function write its statuses to the library's memory if the program ignores them. It
// replaces arguments.
func (w *wrapper) ownStatuses(sections []section, replace map[string]string) {
	for _, s := range sections {
		if s.kind == mpiapi.SectionStatus {
			w.ownStatus(s, replace)
		}
	}
}

// ownStatus makes the real function write its status to the library's memory if the program ignores it.
func (w *wrapper) ownStatus(s section, replace map[string]string) {
	p := &w.Params[s.i]
	if w.isArray(s.i) {
		w.line("MPI_Status *const status%[1]d = mv_statuses(t, %[2]s, n%[1]d_out);", s.i, p.Name)
	} else {
		w.line("MPI_Status own%d;", s.i)
		w.line("MPI_Status *const status%[1]d = n%[1]d_out && %[2]s == MPI_STATUS_IGNORE ? &own%[1]d : %[2]s;",
			s.i, p.Name)
	}
	replace[p.Name] = w.passed(s)
}

// newComm publishes the communicator that the call has made.
func (w *wrapper) newComm(coll *collective) {
	i := w.Arg(mpiapi.NewComm)
	if i < 0 || !w.Params[i].Pointer {
		return
	}
	made := "*" + w.Params[i].Name
	parent, fromParent := made, 0
	if w.Class == mpiapi.Icollective {
		// It may not be used before the operation completes. It has the parent's group.
		parent, fromParent = w.Params[w.Arg(mpiapi.TheComm)].Name, 1
	}
	cond := "rc == MPI_SUCCESS && " + w.Params[i].Name
	if w.Class == mpiapi.Local { // MPI_Comm_get_parent does not make a communicator
		cond += " && mv_known(MV_HANDLE(" + made + "))->rank < 0"
	}
	of, how := "NULL", "MV_MADE_ELSE"
	if coll != nil {
		of, how = "object", coll.kind.Constant()
	}
	w.line("if (%s)\n        mv_new_comm(t, %s, %s, %d, %s, %s);", cond, made, parent, fromParent, of, how)
}

// results copies the results of the call into the record.
func (w *wrapper) results(sections []section) {
	valid := "rc == MPI_SUCCESS"
	if w.Class == mpiapi.Wait || w.Class == mpiapi.Test {
		// They say which operations are complete, even if one of those has failed.
		w.line("const int valid = MV_LIKELY(rc == MPI_SUCCESS) || mv_operation_failed(t, rc);")
		w.line("(void)valid;") // a call that completes requests may have no results but statuses
		valid = "valid"
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Layout.After == 0 {
			continue
		}
		w.line("if (%s && %s)", p.Name, valid)
		w.line("    %s", w.put(p, p.Layout.After, deref(p), p.Layout.WideValue))
	}
	offset := fmt.Sprintf("r + %d", w.start())
	for _, s := range sections {
		room := fmt.Sprintf(" + room%d%s", s.i, s.suffix())
		if !s.out {
			offset += room
			continue
		}
		w.line("unsigned char *const at%d = %s + 8;", s.i, offset)
		offset += room
		p := &w.Params[s.i]
		ok := "rc == MPI_SUCCESS"
		if f := w.Arg(mpiapi.Flag); f >= 0 && w.Params[f].Pointer {
			ok += " && " + w.Params[f].Name + " && *" + w.Params[f].Name
		}
		switch {
		case s.kind == mpiapi.SectionStatus && !w.isArray(s.i):
			w.line("if (n%[1]d_out && %[2]s)\n        %[3]s(at%[1]d, status%[1]d, 1, 0);", s.i,
				ok, w.fn("mv_fill_status"))
			w.line("else if (MV_UNLIKELY(n%[1]d_out && rc != MPI_SUCCESS))\n"+
				"        mv_failed_status(t, at%[1]d, status%[1]d, rc);", s.i)
		default:
			n := fmt.Sprintf("n%d_out", s.i)
			if p.Written.Kind != mpiapi.NoArray {
				n = w.elements(p.Written)
			}
			if s.kind == mpiapi.SectionStatus {
				// With MPI_ERR_IN_STATUS, they say which operation failed, and how.
				w.line("int in_status%d = 0;", s.i)
				w.line("if (MV_UNLIKELY(rc != MPI_SUCCESS))\n        in_status%d = mv_is_error_in_status(t, rc);", s.i)
				w.line("uint64_t n%[1]d_after = ((%[2]s) || in_status%[1]d) && "+
					"status%[1]d != MPI_STATUSES_IGNORE ? %[3]s : 0;", s.i, ok, n)
			} else {
				w.line("uint64_t n%d_after = %s && %s ? %s : 0;", s.i, p.Name,
					strings.Replace(ok, "rc == MPI_SUCCESS", valid, 1), n)
			}
			w.line("if (n%[1]d_after > n%[1]d_out)\n        n%[1]d_after = n%[1]d_out;", s.i)
			if s.kind == mpiapi.SectionStatus {
				w.line("if (n%[1]d_after && !mv_is_cut(room%[1]d_out))\n"+
					"        %[2]s(at%[1]d, status%[1]d, n%[1]d_after, in_status%[1]d);", s.i, w.fn("mv_fill_status"))
			} else {
				w.line("if (n%[1]d_after && !mv_is_cut(room%[1]d_out))\n"+
					"        mv_fill(at%[1]d, %[2]s, n%[1]d_after, sizeof *%[2]s, %[3]d);", s.i, p.Name, s.width())
			}
		}
	}
}

// slots fills in the fixed part.
func (w *wrapper) slots() {
	for i := range w.Params {
		p := &w.Params[i]
		l := p.Layout
		if p.Pointer {
			w.line("mv_put8(r, %d, (uint64_t)(uintptr_t)%s);", l.At, p.Name)
		} else {
			w.line("%s", w.put(p, l.At, p.Name, l.Wide))
		}
		if l.Before != 0 {
			w.line("if (%s)\n        %s", p.Name, w.put(p, l.Before, deref(p), l.WideValue))
			w.line("else\n        %s", w.put(p, l.Before, "0", l.WideValue))
		}
		if l.After != 0 {
			w.line("%s", w.put(p, l.After, "0", l.WideValue))
		}
	}
}

// deref returns the C expression for the value at an address.
func deref(p *mpiapi.Param) string {
	if p.CType == "void *" {
		return "*(void **)" + p.Name
	}
	return "*" + p.Name
}

// put returns the C statement that stores a value of the parameter's kind.
func (w *wrapper) put(p *mpiapi.Param, at uint16, value string, wide bool) string {
	if p.Kind == mpiapi.Double && wide && value != "0" {
		return fmt.Sprintf("memcpy(r + %d, &(double){%s}, 8);", at, value)
	}
	bytes, word := word(p, value, wide)
	return fmt.Sprintf("mv_put%d(r, %d, %s);", bytes, at, word)
}

// word returns the C expression for the recorded form of a value, and its size in bytes. The parameter must not be a
// floating-point number.
func word(p *mpiapi.Param, value string, wide bool) (bytes int, expr string) {
	switch {
	case !wide:
		return 4, value
	case value == "0":
		return 8, value
	case p.Kind.Handle() || p.Kind == mpiapi.Tool:
		return 8, "MV_HANDLE(" + value + ")"
	case p.Kind == mpiapi.Count || p.Kind == mpiapi.Aint || p.Kind == mpiapi.Offset:
		return 8, "(uint64_t)" + value
	}
	return 8, "(uint64_t)(uintptr_t)" + value
}
