package preload

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// An mpi is an installed MPI library that the tests run with.
type mpi struct {
	name    string
	mpicc   string
	mpiexec []string
	soname  string

	once     sync.Once
	exported map[string]bool
	sources  string // directory of the generated library
	library  string
	err      error
}

var mpis = []*mpi{
	{name: "mpich", mpicc: "mpicc.mpich", mpiexec: []string{"mpiexec.mpich"}, soname: "libmpich.so.12"},
	{
		name: "openmpi", mpicc: "mpicc.openmpi",
		mpiexec: []string{"mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"}, soname: "libmpi.so.40",
	},
}

var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mpivet-preload")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// each runs a test with every installed MPI.
func each(t *testing.T, test func(t *testing.T, m *mpi)) {
	mpirun.NeedLive(t)
	for _, m := range mpis {
		t.Run(m.name, func(t *testing.T) {
			if _, err := exec.LookPath(m.mpicc); err != nil {
				t.Skip(err)
			}
			m.once.Do(func() { m.err = m.build() })
			if m.err != nil {
				t.Fatal(m.err)
			}
			test(t, m)
		})
	}
}

func (m *mpi) build() error {
	dir := filepath.Join(scratch, m.name)
	m.sources = filepath.Join(dir, "src")
	if err := os.MkdirAll(m.sources, 0o700); err != nil {
		return err
	}
	// A program linked to the MPI library reports the library's path.
	probe := filepath.Join(dir, "probe")
	if err := m.compile(probe, "#include <mpi.h>\n"+
		"int main(int c, char **v) { return MPI_Init(&c, &v); }\n"); err != nil {
		return err
	}
	out, err := exec.Command("ldd", probe).Output()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] != m.soname {
			continue
		}
		if m.exported, err = dynamicSymbols(f[2]); err != nil {
			return err
		}
	}
	if m.exported == nil {
		return fmt.Errorf("%s: no %s in\n%s", m.name, m.soname, out)
	}
	if err := WriteSources(m.sources, func(name string) bool { return m.exported[name] }); err != nil {
		return err
	}
	m.library = filepath.Join(dir, "libmpivet.so")
	args := append(CompileFlags(), "-Werror", "-o", m.library)
	files, err := filepath.Glob(filepath.Join(m.sources, "*.c"))
	if err != nil {
		return err
	}
	return run(m.mpicc, append(args, files...)...)
}

func dynamicSymbols(file string) (map[string]bool, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	syms, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for _, s := range syms {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names[s.Name] = true
		}
	}
	return names, nil
}

// compile makes a program from a C source, or a library if the flags include -shared.
func (m *mpi) compile(out, source string, flags ...string) error {
	file := out + ".c"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return err
	}
	return run(m.mpicc, slices.Concat([]string{"-g", "-O0", "-Wall", "-Wno-deprecated-declarations", "-o", out, file},
		flags)...)
}

func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// TestCompiles: the library compiles without warnings (build checks that), depends only on libc, and takes nothing from
// the MPI library when it is loaded.
func TestCompiles(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		f, err := elf.Open(m.library)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		needed, err := f.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		for _, lib := range needed {
			if !strings.HasPrefix(lib, "libc.so") && !strings.HasPrefix(lib, "libdl.so") &&
				!strings.HasPrefix(lib, "libpthread.so") && !strings.HasPrefix(lib, "ld-linux") {
				t.Errorf("the library needs %s", lib)
			}
		}
		imported, err := f.ImportedSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range imported {
			if strings.Contains(strings.ToLower(s.Name), "mpi") {
				t.Errorf("the library imports %s", s.Name)
			}
		}
		syms, err := dynamicSymbols(m.library)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"MPI_Send", "PMPI_Send", "MPI_Waitall", "PMPI_Init", "_exit", "sigaction"} {
			if !syms[name] {
				t.Errorf("the library doesn't define %s", name)
			}
		}
		for name := range syms {
			if strings.HasPrefix(name, "mv_") {
				t.Errorf("the library shows %s to the program", name)
			}
		}
	})
}

// TestClang: clang gives no warnings either.
func TestClang(t *testing.T) {
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip(err)
	}
	each(t, func(t *testing.T, m *mpi) {
		out, err := exec.Command(m.mpicc, "-show").Output()
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-fsyntax-only", "-std=gnu11", "-Wall", "-Wextra", "-Werror"}
		for _, f := range strings.Fields(string(out)) {
			if strings.HasPrefix(f, "-I") {
				args = append(args, f)
			}
		}
		files, err := filepath.Glob(filepath.Join(m.sources, "*.c"))
		if err != nil {
			t.Fatal(err)
		}
		if err := run("clang", append(args, files...)...); err != nil {
			t.Error(err)
		}
	})
}
