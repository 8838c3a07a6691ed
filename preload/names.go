package preload

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

//go:embed names.txt
var nameList string

// nameKinds maps the headings of names.txt to the kinds of struct mv_name, and to the null handle that stands for
// objects that an MPI library does not have.
var nameKinds = map[string]struct{ kind, null string }{
	"const":      {kind: "MV_NAME_CONST"},
	"comm":       {"MV_NAME_COMM", "MPI_COMM_NULL"},
	"group":      {"MV_NAME_GROUP", "MPI_GROUP_NULL"},
	"datatype":   {"MV_NAME_DATATYPE", "MPI_DATATYPE_NULL"},
	"op":         {"MV_NAME_OP", "MPI_OP_NULL"},
	"request":    {"MV_NAME_REQUEST", "MPI_REQUEST_NULL"},
	"win":        {"MV_NAME_WIN", "MPI_WIN_NULL"},
	"file":       {"MV_NAME_FILE", "MPI_FILE_NULL"},
	"info":       {"MV_NAME_INFO", "MPI_INFO_NULL"},
	"errhandler": {"MV_NAME_ERRHANDLER", "MPI_ERRHANDLER_NULL"},
	"message":    {"MV_NAME_MESSAGE", "MPI_MESSAGE_NULL"},
	"session":    {"MV_NAME_SESSION", "MPI_SESSION_NULL"},
}

// definesABI defines whether mpi.h is the header of the standard ABI. Others have no version of the ABI, or a negative
// one.
const definesABI = "#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION >= 1\n#define MV_ABI 1\n" +
	"#else\n#define MV_ABI 0\n#endif\n\n"

// generateNames returns names.c, which publishes the predefined handles and constants.
func generateNames() []byte {
	var b strings.Builder
	b.WriteString("/* Generated from names.txt: predefined handles and constants of MPI. */\n" +
		"#include \"names.h\"\n\n#include \"rules.h\"\n\n" + definesABI +
		"void mv_names(struct mv_thread *t)\n{\n    struct mv_names n;\n    mv_names_begin(&n);\n")
	heading := ""
	for line := range strings.Lines(nameList) {
		line, _, _ = strings.Cut(line, "#")
		if h, rest, ok := strings.Cut(line, ":"); ok {
			heading, line = strings.TrimSpace(h), rest
		}
		for _, name := range strings.Fields(line) {
			name, standard := strings.CutSuffix(name, "!")
			name, variable := strings.CutSuffix(name, "*")
			name, function := strings.CutSuffix(name, "()")
			k := nameKinds[heading]
			switch {
			case function:
				fmt.Fprintf(&b, "#if defined(%[1]s) && defined(MV_LINKED)\n"+
					"    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", (uint64_t)(uintptr_t)%[1]s);\n"+
					"#elif defined(%[1]s)\n"+
					"    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", (uint64_t)(uintptr_t)mv_symbol(MV_TEXT(%[1]s)));\n"+
					"#endif\n",
					name)
				continue
			case variable:
				fmt.Fprintf(&b, "#ifdef %[1]s\n"+
					"    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", (uint64_t)(uintptr_t)%[1]s);\n"+
					"#elif defined(MV_LINKED)\n"+
					"    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", (uint64_t)(uintptr_t)%[1]s);\n#else\n"+
					"    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", "+
					"(uint64_t)(uintptr_t)mv_pointer_constant(\"%[1]s\"));\n"+
					"#endif\n",
					name)
				continue
			case standard:
				fmt.Fprintf(&b, "#if MPI_VERSION >= 3 || defined(%s)\n", name)
			case heading == "const" && !strings.HasPrefix(name, "MPIX_"):
				fmt.Fprintf(&b, "#if MV_ABI || defined(%s)\n", name)
			default:
				fmt.Fprintf(&b, "#ifdef %s\n", name)
			}
			switch heading {
			case "const":
				fmt.Fprintf(&b, "    mv_name(t, &n, MV_NAME_CONST, \"%[1]s\", (uint64_t)(intptr_t)%[1]s);\n", name)
			case "datatype":
				fmt.Fprintf(&b, "    mv_name_datatype(t, &n, \"%[1]s\", %[1]s);\n", name)
			default:
				fmt.Fprintf(&b, "    mv_name_handle(t, &n, %[1]s, \"%[2]s\", MV_HANDLE(%[2]s), MV_HANDLE(%[3]s));\n",
					k.kind, name, k.null)
			}
			b.WriteString("#endif\n")
		}
	}
	b.WriteString("    mv_names_end(t, &n);\n}\n")
	return []byte(b.String())
}

// generateAPI returns api.c: the part of the table of the MPI interface that the hand-written code needs.
func generateAPI() []byte {
	var b strings.Builder
	b.WriteString("/* Generated from the table of the MPI interface. */\n" +
		"#include \"api.h\"\n#include \"record.h\"\n\n#include \"rules.h\"\n\n")
	fmt.Fprintf(&b, "const uint64_t mv_table_hash = 0x%xULL;\nconst char mv_identity[] = %q;\n%s", mpiapi.Hash(),
		Identity(), collectiveTable())
	b.WriteString("\nconst char *mv_function_name(unsigned kind)\n{\n    static const char *const names[] = {\n")
	for _, f := range mpiapi.Funcs() {
		fmt.Fprintf(&b, "        [%d] = %q,\n", f.ID, f.Name)
	}
	b.WriteString("    };\n    return kind < sizeof names / sizeof names[0] && names[kind] ? names[kind] : \"MPI\";\n" +
		"}\n")
	return []byte(b.String())
}
