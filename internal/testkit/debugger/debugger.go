// Package debugger is a small debugger front end for tests. It loads the library of preload/dbg, and looks at processes
// and core files through it, as debuggers do.
package debugger

import (
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/preload/dbg"
)

//go:embed testdata/front.c
var source embed.FS

// A Front is the front end, with a library.
type Front struct {
	Program string
	Library string // "-": the one that the process names, in the symbol MPIR_dll_name
}

// Build compiles the front end and the library with additional flags, such as -fsanitize=address. The test is skipped
// if there is no C compiler.
func Build(t *testing.T, flags ...string) *Front {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	dir := t.TempDir()
	var files []string
	for name, text := range dbg.Sources() {
		write(t, filepath.Join(dir, name), text)
		if filepath.Ext(name) == ".c" {
			files = append(files, filepath.Join(dir, name))
		}
	}
	text, err := source.ReadFile("testdata/front.c")
	if err != nil {
		t.Fatal(err)
	}
	front := filepath.Join(dir, "front", "front.c")
	write(t, front, text)
	f := &Front{Program: filepath.Join(dir, "front", "front"), Library: filepath.Join(dir, "libmpivet_dbg.so")}
	compile := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(cc, slices.Concat(args, flags)...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	compile(slices.Concat(dbg.CompileFlags(), files, []string{"-o", f.Library})...)
	compile("-O1", "-g", "-Wall", "-Wextra", "-I", dir, front, "-o", f.Program, "-ldl")
	return f
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Look returns what the front end prints about a process (its ID) or a core file.
func (f *Front) Look(t *testing.T, target string) string {
	t.Helper()
	cmd := exec.Command(f.Program, f.Library, target)
	// The front end counts the blocks of memory itself.
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		if strings.Contains(string(out), "cannot attach") {
			t.Skipf("this machine allows no debuggers: %s", out)
		}
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}
