package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func testBuilder(t *testing.T, source string) *Builder {
	t.Helper()
	return &Builder{
		Dir: t.TempDir(),
		Write: func(dir string, exported func(string) bool) error {
			text := source
			if exported("PMPI_Send") {
				text += "int has_send;\n"
			}
			return os.WriteFile(filepath.Join(dir, "lib.c"), []byte(text), 0o600)
		},
		Flags: []string{"-shared", "-fPIC"},
	}
}

func anyMPI(t *testing.T) *MPI {
	t.Helper()
	for _, name := range []string{"mpich", "openmpi"} {
		if m, err := NamedMPI(name); err == nil {
			return m
		}
	}
	t.Skip("no MPI is installed")
	return nil
}

func TestLibraryIsBuiltOnceHoweverManyAsk(t *testing.T) {
	m := anyMPI(t)
	b := testBuilder(t, "#include <mpi.h>\nint here = MPI_SUCCESS;\n")
	var log syncBuffer
	b.Log = &log
	var wg sync.WaitGroup
	paths := make([]string, 6)
	for i := range paths {
		wg.Go(func() {
			path, err := b.Library(m)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	wg.Wait()
	for _, p := range paths {
		if p != paths[0] {
			t.Errorf("different libraries: %q", paths)
		}
	}
	if n := strings.Count(log.String(), "compiling"); n != 1 {
		t.Errorf("built %d times:\n%s", n, log.String())
	}
	names, err := exports(paths[0])
	if err != nil || !names["here"] || !names["has_send"] {
		t.Errorf("%s: %v %v", paths[0], names, err)
	}
	entries, err := os.ReadDir(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if p := filepath.Join(b.Dir, e.Name()); p != paths[0] && p != sourcesName(paths[0]) {
			t.Errorf("%s is left in the cache", e.Name())
		}
	}
}

func TestLibraryInTheCacheNeedsNoCompiler(t *testing.T) {
	m := anyMPI(t)
	b := testBuilder(t, "int here;\n")
	path, err := b.Library(m)
	if err != nil {
		t.Fatal(err)
	}
	bare := &MPI{
		Library: m.Library, Soname: m.Soname, Flavour: m.Flavour, Version: m.Version, ID: m.ID,
		wrapper: "/no/such/mpicc",
	}
	if again, err := b.Library(bare); err != nil || again != path {
		t.Errorf("%q, %v; want %q from the cache", again, err, path)
	}
	// Other flags, other sources, or another build of MPI mean another library.
	for what, other := range map[string]*Builder{
		"flags":   {Dir: b.Dir, Write: b.Write, Flags: append([]string{"-O2"}, b.Flags...)},
		"sources": {Dir: b.Dir, Write: testBuilder(t, "int other;\n").Write, Flags: b.Flags},
	} {
		if p, _, err := other.Cached(m); err != nil || p == path {
			t.Errorf("other %s: %q, %v", what, p, err)
		}
	}
	bare.ID = "00"
	if p, ok, err := b.Cached(bare); err != nil || p == path || ok {
		t.Errorf("other MPI: %q, %v, %v", p, ok, err)
	}
}

// TestLibraryIsNoted checks that a program that has found its library once finds it again without writing the sources.
func TestLibraryIsNoted(t *testing.T) {
	m := anyMPI(t)
	b := testBuilder(t, "int here;\n")
	write, written := b.Write, 0
	b.Write = func(dir string, exported func(string) bool) error {
		written++
		return write(dir, exported)
	}
	b.Program = "one"
	path := ""
	library := func(what string, want int) {
		t.Helper()
		written = 0
		p, err := b.Library(m)
		if err != nil || path != "" && p != path || !exists(p) {
			t.Fatalf("%s: %q, %v; want %q", what, p, err, path)
		}
		if path = p; written != want {
			t.Errorf("%s: the sources were written %d times, want %d", what, written, want)
		}
	}
	library("first", 1)
	library("again", 0)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	library("without the library", 1)
	library("built again", 0)
	for _, wrong := range []string{"", "../" + filepath.Base(path), "/bin/sh", "nothing"} {
		if err := os.WriteFile(b.note(m), []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		library(fmt.Sprintf("the note says %q", wrong), 1)
	}
	b.Program = "two"
	library("another program", 1)
	b.Program = ""
	library("unknown program", 1)
	library("unknown program again", 1)
}

func TestLibraryThatDoesNotCompile(t *testing.T) {
	m := anyMPI(t)
	b := testBuilder(t, "int here;\nint wrong = no_such_thing;\n")
	_, err := b.Library(m)
	var be *BuildError
	if !errors.As(err, &be) {
		t.Fatalf("got %v", err)
	}
	text := err.Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "no_such_thing") || !strings.Contains(text, be.Log) ||
		be.Log == "" {
		t.Errorf("message %q, log %q", text, be.Log)
	}
	log, readErr := os.ReadFile(be.Log)
	if readErr != nil || !strings.Contains(string(log), "no_such_thing") || !strings.Contains(string(log), "-shared") {
		t.Errorf("log: %s, %v", log, readErr)
	}
}

func TestPreloadVariableNamesTheLibrary(t *testing.T) {
	m := &MPI{Flavour: MPICH}
	b := testBuilder(t, "")
	lib := filepath.Join(t.TempDir(), "mine.so")
	t.Setenv("MPIVET_PRELOAD", lib)
	if _, err := b.Library(m); err == nil || !strings.Contains(err.Error(), "MPIVET_PRELOAD") {
		t.Errorf("missing file: %v", err)
	}
	write(t, lib, "x", 0o600)
	if p, err := b.Library(m); err != nil || p != lib {
		t.Errorf("%q, %v", p, err)
	}
}

func TestCacheDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("MPIVET_CACHE", "")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", t.TempDir())
	if dir, err := CacheDir(); err != nil || dir != filepath.Join(home, ".cache", "mpivet") {
		t.Errorf("home: %q, %v", dir, err)
	}
	// Other users could put a library there.
	if err := os.Chmod(filepath.Join(home, ".cache", "mpivet"), 0o777); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(os.TempDir(), fmt.Sprintf("mpivet-cache-%d", os.Getuid()))
	if dir, err := CacheDir(); err != nil || dir != temp {
		t.Errorf("writable by others: %q, %v; want %q", dir, err, temp)
	}
	t.Setenv("HOME", "")
	if dir, err := CacheDir(); err != nil || dir != temp {
		t.Errorf("no home: %q, %v; want %q", dir, err, temp)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "xdg"))
	if dir, err := CacheDir(); err != nil || dir != filepath.Join(home, "xdg", "mpivet") {
		t.Errorf("XDG_CACHE_HOME: %q, %v", dir, err)
	}
	mine := filepath.Join(home, "mine")
	t.Setenv("MPIVET_CACHE", mine)
	if dir, err := CacheDir(); err != nil || dir != mine {
		t.Errorf("MPIVET_CACHE: %q, %v", dir, err)
	}
}

// syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
