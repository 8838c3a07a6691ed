// Package preload holds the library that is loaded into every rank: its hand-written C sources, and its wrappers, which
// are generated from the table of the MPI interface. The library records the calls of a rank in shared memory, as
// described in record.h.
//
// A build is made for one MPI library. It has a wrapper for every function of the table whose PMPI_ entry that library
// exports.
package preload

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
)

//go:embed record.h src/*.c src/*.h
var sources embed.FS

// Sources returns the hand-written C files by base name. For compilation, they lie in one directory.
func Sources() map[string][]byte {
	files := make(map[string][]byte)
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path.Base(name)], err = sources.ReadFile(name)
		return err
	})
	if err != nil {
		panic("preload: " + err.Error()) // they are part of the program
	}
	return files
}

// RecordHeader returns the file record.h.
func RecordHeader() []byte {
	b, err := sources.ReadFile("record.h")
	if err != nil {
		panic("preload: " + err.Error()) // it is part of the program
	}
	return b
}

// Digest returns a checksum of the hand-written files. It does not copy them: every rank needs it to start.
func Digest() []byte {
	h := sha256.New()
	buf := make([]byte, 8<<10)
	add := func(name string) error {
		f, err := sources.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.CopyBuffer(h, f, buf)
		fmt.Fprintf(h, "%s %d\n", name, n)
		return err
	}
	err := add("record.h")
	entries, readErr := sources.ReadDir("src")
	for _, e := range entries {
		err = errors.Join(err, add("src/"+e.Name()))
	}
	if err = errors.Join(err, readErr); err != nil {
		panic("preload: " + err.Error()) // they are part of the program
	}
	return h.Sum(nil)
}

// CompileFlags returns the flags for the MPI library's compiler wrapper, besides the *.c files and the output. They
// work with both WriteSources and WritePassthrough.
func CompileFlags() []string {
	return []string{
		"-shared", "-fPIC", "-O2", "-g", "-fno-var-tracking", "-std=gnu11", "-fvisibility=hidden", "-fno-plt",
		"-fno-stack-protector", "-fno-semantic-interposition",
		"-fasynchronous-unwind-tables", "-fno-optimize-sibling-calls", "-fcf-protection=none", "-pthread",
		// The library contains its own unwinder. So it has no influence on the program's unwinder. It takes nothing
		// from the MPI library that the compiler wrapper links.
		"-static-libgcc", "-Wl,--no-as-needed", "-ldl", "-Wl,--as-needed", "-Wl,-z,now",
		"-Wall", "-Wextra",
	}
}

// WriteSources writes all files of the library into a directory, with wrappers for the functions of one MPI library.
// exported reports whether that library exports a name like "PMPI_Send".
func WriteSources(dir string, exported func(name string) bool) error {
	files := Sources()
	maps.Copy(files, GenerateWrappers(exported))
	files["api.c"] = generateAPI()
	files["names.c"] = generateNames()
	files["held.c"] = generateHeld(exported)
	files["moved.c"] = generateMoved(exported)
	return write(dir, files)
}

// WritePassthrough writes all files of a library whose wrappers only call the real function. It shows the minimum
// overhead of such a tool.
func WritePassthrough(dir string, exported func(name string) bool) error {
	all := Sources()
	files := map[string][]byte{"passthrough.c": GeneratePassthrough(exported)}
	for _, name := range []string{"real.c", "real.h", "base.h", "rules.h"} {
		files[name] = all[name]
	}
	return write(dir, files)
}

func write(dir string, files map[string][]byte) error {
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return fmt.Errorf("writing the preload library's sources: %w", err)
		}
	}
	return nil
}
