// Command gen writes what the debugger library in C needs of the API table: where the records of messages have their
// arguments, and the classes of collectives. Run it in the folder preload/dbg.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

const made = "/* Code generated from the table of the MPI interface by preload/dbg/gen. DO NOT EDIT. */\n"

func main() {
	for name, text := range generate() {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// generate returns the contents of the generated files by name.
func generate() map[string]string {
	return map[string]string{"src/classes.h": classesHeader(), "src/functions.c": functions()}
}

// established are the blocking collectives that have a class in the published extension, in the order of the classes.
var established = []string{
	"Barrier", "Bcast", "Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Reduce_scatter", "Reduce",
	"Gather", "Gatherv", "Scan", "Scatter", "Scatterv",
}

// classes returns the kinds of collectives in the order of enum mqs_comm_class. The first four groups of classes are
// those of the kinds (blocking, nonblocking, persistent, starts). In each group, the established operations come first.
// All other kinds have their own number as their class.
func classes() []mpiapi.CollKind {
	kinds := mpiapi.CollKinds()
	var order []int
	seen := make(map[string]bool)
	for _, name := range established {
		for k := range mpiapi.Movements {
			if kinds[k] == "MPI_"+name {
				order = append(order, k)
				seen[kinds[k]] = true
			}
		}
	}
	for k := range mpiapi.Movements {
		if !seen[kinds[k]] {
			order = append(order, k)
		}
	}
	var list []mpiapi.CollKind
	for k := range kinds {
		if k < 4*mpiapi.Movements {
			k = k/mpiapi.Movements*mpiapi.Movements + order[k%mpiapi.Movements]
		}
		list = append(list, mpiapi.CollKind(k))
	}
	return list
}

// className returns the name of a kind in enum mqs_comm_class.
func className(k mpiapi.CollKind) string {
	return "mqs_comm_" + strings.ToLower(strings.TrimPrefix(k.Constant(), "MV_COLL_"))
}

func classesHeader() string {
	var b strings.Builder
	b.WriteString(made + `#ifndef MPIVET_CLASSES_H
#define MPIVET_CLASSES_H

/* Classes of collectives. The first fourteen are those of the published extension; the others are mpivet's own. */
typedef enum {
`)
	for i, k := range classes() {
		fmt.Fprintf(&b, "    %s = %d, /* %s */\n", className(k), i, k)
	}
	b.WriteString("    mqs_comm_classes\n} mqs_comm_class;\n\n#endif\n")
	return b.String()
}

// A side is the sending or the receiving part of a message function.
type side struct{ buf, count, typ, peer, tag mpiapi.Role }

var (
	sending   = side{mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType, mpiapi.Dest, mpiapi.SendTag}
	receiving = side{mpiapi.RecvBuf, mpiapi.RecvCount, mpiapi.RecvType, mpiapi.Source, mpiapi.RecvTag}
)

// moves says for each class of message functions what they do.
var moves = map[mpiapi.Class]string{
	mpiapi.Send: "SENDS", mpiapi.Recv: "RECEIVES", mpiapi.SendRecv: "SENDS | RECEIVES",
	mpiapi.Isend: "SENDS", mpiapi.Irecv: "RECEIVES", mpiapi.Isendrecv: "SENDS | RECEIVES",
	mpiapi.SendInit: "SENDS", mpiapi.RecvInit: "RECEIVES", mpiapi.Mrecv: "RECEIVES",
}

func functions() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#include \"functions.h\"\n\nconst uint64_t dbg_table_hash = 0x%xULL;\n\n", made, mpiapi.Hash())
	b.WriteString("const struct function dbg_functions[] = {\n")
	funcs := mpiapi.Funcs()
	for _, f := range funcs {
		b.WriteString(function(f))
	}
	b.WriteString("};\n\nconst unsigned dbg_function_count = sizeof dbg_functions / sizeof *dbg_functions;\n\n")
	b.WriteString("const struct kind dbg_kinds[] = {\n")
	over := make(map[mpiapi.CollKind]bool)
	for _, f := range funcs {
		if k, ok := f.CollKind(); ok {
			i := f.Over()
			over[k] = i < 0 || f.Params[i].Kind == mpiapi.Comm
			if start, ok := k.Started(); ok {
				over[start] = over[k]
			}
		}
	}
	for i, name := range mpiapi.CollKinds() {
		onComm := 0
		if over[mpiapi.CollKind(i)] {
			onComm = 1
		}
		fmt.Fprintf(&b, "    {\"%s\", %d},\n", name, onComm)
	}
	b.WriteString("};\n\nconst unsigned dbg_kind_count = sizeof dbg_kinds / sizeof *dbg_kinds;\n\n")
	b.WriteString("const unsigned char dbg_kind_of_class[] = {\n")
	for _, k := range classes() {
		fmt.Fprintf(&b, "    [%s] = %s,\n", className(k), k.Constant())
	}
	b.WriteString("};\n")
	return b.String()
}

// function returns the table entry of a function, or nothing if the library does not need the function.
func function(f *mpiapi.Func) string {
	acts := moves[f.Class]
	kind, coll := f.CollKind()
	request := f.Class == mpiapi.Icollective || f.Class == mpiapi.CollectiveInit
	if acts == "" && !(coll && request) {
		return ""
	}
	at := func(r mpiapi.Role) uint16 {
		if i := f.Arg(r); i >= 0 {
			return f.Params[i].Layout.At
		}
		return 0
	}
	var b strings.Builder
	fmt.Fprintf(&b, "    [%d] = {\"%s\", .fixed = %d, .comm = %d", f.ID, f.Name, f.Fixed, at(mpiapi.TheComm))
	if acts == "" {
		if start, ok := kind.Started(); ok {
			kind = start
		}
		fmt.Fprintf(&b, ", .acts = COLLECTIVE, .kind = %s},\n", kind.Constant())
		return b.String()
	}
	if f.Arg(mpiapi.TheRequest) < 0 {
		acts += " | BLOCKS"
	}
	fmt.Fprintf(&b, ", .acts = %s, .partitions = %d", acts, at(mpiapi.Partitions))
	if strings.Contains(acts, "SENDS") {
		fmt.Fprintf(&b, ",\n        .send = %s", place(f, sending))
	}
	if strings.Contains(acts, "RECEIVES") {
		s := receiving
		if f.Arg(s.buf) < 0 { // one buffer for both
			s.buf, s.count, s.typ = mpiapi.SendBuf, mpiapi.SendCount, mpiapi.SendType
		}
		fmt.Fprintf(&b, ",\n        .receive = %s", place(f, s))
	}
	b.WriteString("},\n")
	return b.String()
}

// place returns the offsets of one side's arguments.
func place(f *mpiapi.Func, s side) string {
	var b strings.Builder
	for _, a := range []struct {
		name string
		role mpiapi.Role
	}{{"buffer", s.buf}, {"count", s.count}, {"type", s.typ}, {"peer", s.peer}, {"tag", s.tag}} {
		i := f.Arg(a.role)
		if i < 0 {
			continue
		}
		l := f.Params[i].Layout
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".%s = %d", a.name, l.At)
		if a.name == "count" && l.Wide {
			b.WriteString(", .wide = 1")
		}
	}
	return "{" + b.String() + "}"
}
