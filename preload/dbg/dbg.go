// Package dbg holds the C sources of a library for debuggers, libmpivet_dbg.so. It shows the message queues and the
// state of collectives of a process under mpivet, through the established interface of such libraries (mqs.h). The
// debugger loads it into its own process. It reads the tables of preload/record.h (struct mv_debug) in the process.
package dbg

import (
	"embed"

	"github.com/mpivet/mpivet/preload"
)

//go:generate go run ./gen

//go:embed src/*.c src/*.h
var sources embed.FS

// Sources returns the C files by name. For compilation, they lie in one directory.
func Sources() map[string][]byte {
	files := map[string][]byte{"record.h": preload.RecordHeader()}
	entries, err := sources.ReadDir("src")
	if err != nil {
		panic("dbg: " + err.Error()) // they are part of the program
	}
	for _, e := range entries {
		if files[e.Name()], err = sources.ReadFile("src/" + e.Name()); err != nil {
			panic("dbg: " + err.Error())
		}
	}
	return files
}

// CompileFlags returns the flags of the C compiler, besides the *.c files and the output.
func CompileFlags() []string {
	return []string{
		"-shared", "-fPIC", "-O2", "-g", "-std=gnu11", "-fvisibility=hidden", "-Wl,-z,defs", "-Wall", "-Wextra",
	}
}
