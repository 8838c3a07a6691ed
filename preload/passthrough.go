package preload

import (
	"fmt"
	"strings"
)

// GeneratePassthrough returns passthrough.c: wrappers like those of GenerateWrappers that only call the real function.
func GeneratePassthrough(exported func(name string) bool) []byte {
	var b strings.Builder
	b.WriteString("/* Generated from the table of the MPI interface. */\n" +
		"#include <mpi.h>\n#include <string.h>\n#include \"real.h\"\n\n#include \"rules.h\"\n")
	for _, f := range exportedFuncs(exported) {
		writeEntry(&b, f, "mv_bind")
		w := wrapper{Func: f, b: &b}
		fmt.Fprintf(&b, "    return real(%s);\n}\n", w.args(nil))
	}
	return []byte(b.String())
}
