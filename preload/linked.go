package preload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Identity identifies this version of the library. A program that contains the library tells it: see LinkedSection.
// Its length is always the same.
func Identity() string { return fmt.Sprintf("%016x-%x", mpiapi.Hash(), Digest()[:8]) }

// LinkedSection is the section of an executable that contains Identity, if the library is linked into it: a note of
// ELF. So it is in memory, too, where a preloaded library finds it.
const LinkedSection = ".note.mpivet"

// LinkedFlags returns the compiler's flags for an object file that programs are linked with.
func LinkedFlags() []string {
	flags := slices.DeleteFunc(CompileFlags(), func(f string) bool {
		return f == "-shared" || f == "-static-libgcc" || f == "-ldl" || strings.HasPrefix(f, "-Wl,")
	})
	return append(flags, "-DMV_LINKED")
}

// WriteLinked writes all files of the library for a program that it is linked into.
func WriteLinked(dir string, exported func(name string) bool) error {
	if err := WriteSources(dir, exported); err != nil {
		return err
	}
	return write(dir, map[string][]byte{"linked.c": generateLinked(exported)})
}

// generateLinked returns linked.c: the mark, and the table of MPI's functions. The linker finds the functions.
func generateLinked(exported func(name string) bool) []byte {
	var b strings.Builder
	b.WriteString("/* Generated from the table of the MPI interface. */\n#include \"real.h\"\n\n" +
		"#include \"rules.h\"\n\n")
	fmt.Fprintf(&b, `__asm__(".pushsection %s,\"a\",%%note\n.p2align 2\n.long 7, 2f - 1f, 1\n"
        ".asciz \"mpivet\"\n.p2align 2\n1: .asciz \"%s\"\n2: .p2align 2\n.popsection");
`+"\n", LinkedSection, Identity())
	funcs := exportedFuncs(exported)
	for _, f := range funcs {
		fmt.Fprintf(&b, "extern char linked_%[1]s[] __asm__(\"P%[1]s\");\n", f.Name)
	}
	b.WriteString("\nconst struct mv_linked mv_linked[] = {\n")
	for _, f := range funcs {
		fmt.Fprintf(&b, "    {\"P%[1]s\", linked_%[1]s},\n", f.Name)
	}
	b.WriteString("    {NULL, NULL},\n};\n")
	return []byte(b.String())
}
