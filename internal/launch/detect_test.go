package launch

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needTool skips the test if a program is not installed.
func needTool(t *testing.T, name string) string {
	t.Helper()
	p, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return p
}

const mpiSource = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n"

// compile builds a program from C source.
func compile(t *testing.T, cc, source, out string, flags ...string) {
	t.Helper()
	src := filepath.Join(t.TempDir(), "main.c")
	write(t, src, source, 0o644)
	args := append([]string{src, "-o", out}, flags...)
	if text, err := exec.Command(needTool(t, cc), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, text)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

var implementations = []struct {
	cc      string
	flavour Flavour
}{
	{"mpicc.mpich", MPICH},
	{"mpicc.openmpi", OpenMPI},
}

func TestDetectFindsTheMPIOfAProgram(t *testing.T) {
	for _, impl := range implementations {
		t.Run(string(impl.flavour), func(t *testing.T) {
			cc := needTool(t, impl.cc)
			dir := t.TempDir()
			t.Chdir(dir)
			prog := filepath.Join(dir, "prog")
			compile(t, impl.cc, mpiSource, prog)
			write(t, "start.sh", "#!/bin/sh\n# not this: ./other\nexec ./prog \"$@\"\n", 0o755)
			write(t, "bydir.sh", "#!/usr/bin/env bash\nhere=$(dirname \"$0\")\nDEBUG=1 \"$here/prog\" $*\n", 0o755)
			write(t, "byvar.sh", "#!/bin/bash\nexec ${HERE_NOT_SET:-}/prog\n", 0o755)
			write(t, "twice.sh", "#!/bin/sh\n./start.sh 1 2 3\n", 0o755)
			write(t, "run.sh", "#!/bin/sh\n\"$@\"\n", 0o755)
			write(t, "nohashbang", "./prog\n", 0o755)
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			for _, argv := range [][]string{
				{"./prog"},
				{"prog", "arg"},
				{prog},
				{"./start.sh", "x"},
				{"./bydir.sh"},
				{"./byvar.sh"},
				{"./twice.sh"},
				{"./run.sh", "./prog"},
				{"./nohashbang"},
				{"env", "A=b", "./prog"},
				{"sh", "-c", "cd / && prog | cat"},
				{"bash", "./start.sh"},
				{"nice", "-n", "3", "./prog"},
			} {
				p, err := Detect(argv, "")
				if err != nil {
					t.Errorf("%q: %v", argv, err)
					continue
				}
				if p.MPI.Flavour != impl.flavour || p.MPI.Version == "" {
					t.Errorf("%q: found %s, want %s and its version", argv, p.MPI, impl.flavour)
				}
				if !filepath.IsAbs(p.Path) || !slices.Equal(p.Argv, argv) {
					t.Errorf("%q: path %q, argv %q", argv, p.Path, p.Argv)
				}
			}
			m, err := NamedMPI(strings.ToLower(strings.ReplaceAll(string(impl.flavour), " ", "")))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{m.Library, cc, impl.cc} {
				o, err := NamedMPI(name)
				if err != nil || o.Library != m.Library || o.String() != m.String() {
					t.Errorf("--mpi %s: %v, %v; want %s", name, o, err, m.Library)
				}
			}
			wrapper, _, err := m.Compiler()
			if err != nil {
				t.Error(err)
			} else if lib, err := libraryOfWrapper(wrapper); err != nil || lib != m.Library {
				t.Errorf("compiler %s is for %s (%v), want %s", wrapper, lib, err, m.Library)
			}
			if launcher, err := m.Launcher(); err != nil {
				t.Errorf("launcher: %q, %v", launcher, err)
			}
			if m.ID == "" || !m.Exports("PMPI_Send") || m.Exports("PMPI_No_such_function") {
				t.Errorf("%s: id %q, exports wrong", m, m.ID)
			}
		})
	}
}

// TestCallsByLinker: a preloaded library can't replace a function for the library that defines it, if that one is
// linked with -Bsymbolic-functions.
func TestCallsByLinker(t *testing.T) {
	t.Chdir(t.TempDir())
	source := "int f(void); int g(void) { return f(); } int f(void) { return 1; } int h(void) { return 2; }\n"
	compile(t, "gcc", source, "direct.so", "-shared", "-fPIC", "-O0", "-Wl,-Bsymbolic-functions")
	compile(t, "gcc", source, "replaceable.so", "-shared", "-fPIC", "-O0")
	for _, c := range []struct {
		file, function string
		want           bool
	}{
		{"replaceable.so", "f", true},
		{"replaceable.so", "h", false},
		{"replaceable.so", "none", false},
		{"direct.so", "f", false},
	} {
		f, err := openELF(c.file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.callsByLinker(c.function); err != nil || got != c.want {
			t.Errorf("%s: %s: %t, %v", c.file, c.function, got, err)
		}
		f.Close()
	}
}

// TestLauncherWithoutVersion: if a launcher does not tell its version, the name of its file decides.
func TestLauncherWithoutVersion(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range []string{"mpirun.openmpi", "mpiexec.hydra", "mpirun"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho Sorry!\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"mpiexec.openmpi": "mpirun.openmpi", "mpiexec.mpich": "mpiexec.hydra"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for flavour, want := range map[Flavour]string{OpenMPI: "mpiexec.openmpi", MPICH: "mpiexec.mpich"} {
		m := &MPI{Flavour: flavour, Library: filepath.Join(dir, "libmpi.so")}
		if got, err := m.Launcher(); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s: %s, %v", flavour, got, err)
		}
	}
}

func TestDetectThroughLibraries(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("lib", 0o755); err != nil {
		t.Fatal(err)
	}
	compile(t, "mpicc.mpich", "#include <mpi.h>\nvoid start(void) { MPI_Init(0, 0); MPI_Finalize(); }\n",
		"lib/libapp.so", "-shared", "-fPIC")
	main := "void start(void); int main(void) { start(); return 0; }"
	link := []string{"-Llib", "-lapp", "-Wl,--allow-shlib-undefined", "-Wl,--no-as-needed"}
	compile(t, "gcc", main, "byrunpath", append(link, "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/lib")...)
	compile(t, "gcc", main, "byrpath", append(link, "-Wl,--disable-new-dtags", "-Wl,-rpath,${ORIGIN}/lib")...)
	compile(t, "gcc", main, "byenv", link...)
	for _, name := range []string{"./byrunpath", "./byrpath"} {
		if p, err := Detect([]string{name}, ""); err != nil || p.MPI.Flavour != MPICH {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Detect([]string{"./byenv"}, ""); err == nil {
		t.Error("found an MPI through a library that is not found")
	}
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(dir, "lib"))
	if p, err := Detect([]string{"./byenv"}, ""); err != nil || p.MPI.Flavour != MPICH {
		t.Errorf("LD_LIBRARY_PATH: %v", err)
	}
}

func TestDetectPython(t *testing.T) {
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c",
		"import importlib.util as u, sys; sys.exit(u.find_spec('mpi4py') is None)").Run() != nil {
		t.Skip("python3-mpi4py is not installed")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "plain.py", "#!"+python+"\nimport sys, mpi4py.MPI\n", 0o755)
	write(t, "viaenv.py", "#!/usr/bin/env -S python3 -u\nfrom mpi4py import MPI\n", 0o755)
	write(t, "local.py", "#!"+python+"\nimport helper\n", 0o755)
	write(t, "helper.py", "def f():\n    from mpi4py import MPI\n", 0o644)
	write(t, "start.sh", "#!/bin/sh\nexec "+python+" plain.py \"$@\"\n", 0o755)
	t.Setenv("PATH", "/usr/bin:"+os.Getenv("PATH"))
	var want string
	for _, argv := range [][]string{
		{"./plain.py"},
		{"./viaenv.py"},
		{"./local.py"},
		{"python3", "plain.py", "-c"},
		{"python3", "-u", "-X", "dev", "./plain.py"},
		{"python3", "-c", "from mpi4py import MPI; print(1)"},
		{"python3", "-m", "mpi4py", "plain.py"},
		{"python3", "-um", "helper"},
		{"./start.sh"},
		{"env", python, "plain.py"},
	} {
		p, err := Detect(argv, "")
		if err != nil {
			t.Errorf("%q: %v", argv, err)
			continue
		}
		if want == "" {
			want = p.MPI.Library
		}
		if p.MPI.Library != want || !strings.Contains(p.MPI.Why, "mpi4py") {
			t.Errorf("%q: %s (%s), want %s through mpi4py", argv, p.MPI.Library, p.MPI.Why, want)
		}
	}
}

func TestDetectPythonWithoutMPI4py(t *testing.T) {
	python, err := filepath.EvalSymlinks(needTool(t, "python3"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	// An interpreter without site-packages.
	write(t, "python3", "#!/bin/sh\nexec "+python+" -I -S \"$@\"\n", 0o755)
	write(t, "prog.py", "from mpi4py import MPI\n", 0o644)
	_, err = Detect([]string{"./python3", "prog.py"}, "")
	if err == nil || !strings.Contains(err.Error(), "imports mpi4py") ||
		!strings.Contains(err.Error(), "does not have") {
		t.Errorf("got %v", err)
	}
}

func TestDetectSaysWhatToDo(t *testing.T) {
	needTool(t, "gcc")
	dir := t.TempDir()
	t.Chdir(dir)
	compile(t, "gcc", "int main(void) { return 0; }", "nompi")
	compile(t, "gcc", "int MPI_Init(void) { return 0; } int main(void) { return MPI_Init(); }", "static")
	compile(t, "gcc", "int MPI_Init(void) { return 0; }", "libmpi.so.40", "-shared", "-Wl,-soname,libmpi.so.499")
	compile(t, "gcc", "int MPI_Init(void); int main(void) { return MPI_Init(); }", "missing", "./libmpi.so.40")
	write(t, "empty.sh", "#!/bin/sh\necho hello\n", 0o755)
	write(t, "lost.sh", "#!/no/such/interpreter\n", 0o755)
	write(t, "data.txt", "hello\n", 0o644)
	for _, c := range []struct{ prog, want string }{
		{"./nompi", "it needs no MPI library"},
		{"./static", "contains a static MPI library"},
		{"./missing", "needs libmpi.so.499, which is not found: set LD_LIBRARY_PATH"},
		{"./empty.sh", "name the MPI with --mpi"},
		{"./lost.sh", "interpreter /no/such/interpreter does not exist"},
		{"./data.txt", "not executable"},
		{"./nothing", "no such file or directory"},
		{"nothing-in-path", "no such program in PATH"},
		{"./", "is a directory"},
	} {
		_, err := Detect([]string{c.prog}, "")
		if err == nil {
			t.Errorf("%s: no error, want %q", c.prog, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want one line with %q", c.prog, err, c.want)
		}
	}
	for _, c := range []struct{ name, want string }{
		{"no-such-thing", "not mpich, openmpi"},
		{"/no/such/libmpi.so", "no such file"},
		{"./libmpi.so.40", "does not define PMPI_Init"},
		{"./data.txt", "neither"},
	} {
		if _, err := NamedMPI(c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--mpi %s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestScriptOfTwoMPIsMustBeToldWhich(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	compile(t, "mpicc.mpich", mpiSource, "a")
	compile(t, "mpicc.openmpi", mpiSource, "b")
	write(t, "both.sh", "#!/bin/sh\n./a\n./b\n", 0o755)
	write(t, "one.sh", "#!/bin/sh\nif [ -x ./a ]; then ./a; fi\nexec ./b\n", 0o755)
	var none *NoMPIError
	if _, err := Detect([]string{"./both.sh"}, ""); !errors.As(err, &none) || !strings.Contains(err.Error(), "--mpi") {
		t.Errorf("both.sh: %v", err)
	}
	if p, err := Detect([]string{"./both.sh"}, "mpich"); err != nil || p.MPI.Flavour != MPICH {
		t.Errorf("both.sh with --mpi mpich: %v", err)
	}
	if p, err := Detect([]string{"./one.sh"}, ""); err != nil || p.MPI.Flavour != OpenMPI {
		t.Errorf("one.sh: %v", err)
	}
}

func TestSanitizerRuntimeComesFirst(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	compile(t, "mpicc.mpich", mpiSource, "prog", "-fsanitize=address")
	p, err := Detect([]string{"./prog"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.PreloadFirst) != 1 || !strings.Contains(p.PreloadFirst[0], "libasan") {
		t.Errorf("PreloadFirst %q", p.PreloadFirst)
	}
}

func TestLoaderCacheIsRead(t *testing.T) {
	if _, err := os.Stat("/etc/ld.so.cache"); err != nil {
		t.Skip("this machine has no loader cache")
	}
	cache := readLoaderCache("/etc/ld.so.cache")
	files := cache.files("libc.so.6")
	if len(files) == 0 {
		t.Fatalf("no libc.so.6 in %d bytes", len(cache.data))
	}
	for _, f := range files {
		if _, err := os.Stat(f); err != nil {
			t.Error(err)
		}
	}
	// A truncated cache must not cause a crash.
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "cache")
	for n := 0; n < len(data); n += 1 + len(data)/97 {
		write(t, short, string(data[:n]), 0o600)
		readLoaderCache(short).files("libc.so.6")
	}
}

func TestSplitWords(t *testing.T) {
	for in, want := range map[string][]string{
		"mpiexec -f hosts":       {"mpiexec", "-f", "hosts"},
		" a  'b c'\td\\ e ":      {"a", "b c", "d e"},
		`x "a \"q\" \n $y" ''`:   {"x", `a "q" \n $y`, ""},
		"":                       nil,
		`-l'a'"b"c`:              {"-labc"},
		"a\nb":                   {"a", "b"},
		`--opt="two words" 'it'`: {"--opt=two words", "it"},
		`"\\" '\'`:               {`\`, `\`},
	} {
		got, err := SplitWords(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{`'a`, `a"b`, `a\`} {
		if got, err := SplitWords(in); err == nil {
			t.Errorf("%q: %q, want an error", in, got)
		}
	}
}

// TestHiddenVersion: the version of an MPICH library is found although the library need not export it.
func TestHiddenVersion(t *testing.T) {
	m, err := NamedMPI("mpich")
	if err != nil {
		t.Skip("no MPICH: ", err)
	}
	open := func(path string) *elfFile {
		f, err := openELF(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	f := open(m.Library)
	if f.constant("MPII_Version_string") == "" {
		t.Skip("MPICH does not export its version")
	}
	if got := f.hiddenVersion(); got != m.Version {
		t.Errorf("version %q instead of %q", got, m.Version)
	}
	if got := open("/bin/sh").hiddenVersion(); got != "" {
		t.Errorf("version %q of a shell", got)
	}
}

// TestELFTables: the short ways through the tables of an ELF file find what Go's package finds.
func TestELFTables(t *testing.T) {
	f, err := openELF(someLibrary(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil || len(symbols) == 0 {
		t.Fatal(len(symbols), err)
	}
	values := map[string][]uint64{} // libm has several versions of some functions
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			values[s.Name] = append(values[s.Name], s.Value)
		}
	}
	for _, s := range symbols {
		value, ok := f.definition(s.Name)
		if ok != (len(values[s.Name]) > 0) || ok && !slices.Contains(values[s.Name], value) {
			t.Errorf("%s is at %#x %t, not %#x", s.Name, value, ok, values[s.Name])
		}
	}
	if f.defines("no such function") || f.defines("") {
		t.Error("it defines what is not there")
	}
	texts := f.dynamicTexts()
	for _, tag := range []elf.DynTag{elf.DT_SONAME, elf.DT_NEEDED, elf.DT_RUNPATH} {
		if want, err := f.DynString(tag); err != nil || !slices.Equal(texts[tag], want) {
			t.Errorf("%v: %q instead of %q, %v", tag, texts[tag], want, err)
		}
	}
}
