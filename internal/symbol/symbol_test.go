package symbol

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const inlineC = `
#include <stdio.h>
static int depth;
static inline __attribute__((always_inline)) int innermost(int x)
{
	depth += x;
	__asm__ volatile("nop");
	return depth * 3;
}
static inline __attribute__((always_inline)) int middle(int x)
{
	int y = innermost(x + 1);
	if (y & 1)
		y += innermost(y);
	return y;
}
__attribute__((noinline)) int outer(int x)
{
	int r = middle(x);
	return r + x;
}
static __attribute__((noinline)) int local_fn(int x)
{
	__asm__ volatile("nop");
	return outer(x) + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return local_fn(argc) == 0;
}
`

const templatesCC = `
#include <vector>
#include <string>
#include <algorithm>
namespace app {
template <class T> struct Sum {
	T total{};
	void __attribute__((noinline)) add(T x) { total += x; __asm__ volatile("nop"); }
};
struct Solver {
	int steps;
	explicit Solver(int n);
	int run(const std::vector<int> &v) const;
};
__attribute__((noinline)) Solver::Solver(int n) : steps(n) { __asm__ volatile("nop"); }
__attribute__((noinline)) int Solver::run(const std::vector<int> &v) const
{
	Sum<int> s;
	std::for_each(v.begin(), v.end(), [&](int x) { s.add(x * steps); });
	std::vector<std::string> names;
	names.push_back("x");
	return s.total + static_cast<int>(names.size());
}
}
extern "C" int c_entry(int x)
{
	return app::Solver(x).run({1, 2, 3});
}
int main(int argc, char **)
{
	return c_entry(argc);
}
`

const heatF90 = `
module heat
  implicit none
contains
  subroutine step(a)
    real, intent(inout) :: a(:)
    a = a * 0.5
    call finish()
  contains
    subroutine finish()
      a(1) = a(1) + 1.0
    end subroutine
  end subroutine
end module

subroutine external_one(x)
  real, intent(inout) :: x
  x = x + 1.0
end subroutine

program simulation
  use heat
  real :: a(10)
  a = 1.0
  call step(a)
  call external_one(a(1))
  print *, a(1)
end program
`

// build compiles source in dir with a compiler and flags, and returns the path of the program. It skips the test if the
// compiler does not exist.
func build(t *testing.T, dir, file, source, compiler string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	src := filepath.Join(dir, file)
	if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "prog")
	run(t, dir, compiler, append([]string{"-o", out, src}, flags...)...)
	return out
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

const base = 0x5500_0000_0000 // where the tests' modules are loaded

// load returns an address space with one module at base, and the symbols of the unstripped file sym.
func load(t *testing.T, path string, opts ...Option) (*Resolver, *Space) {
	t.Helper()
	r := NewResolver(opts...)
	t.Cleanup(r.Close)
	s := r.NewSpace()
	var id []byte
	if img, err := openImage(path); err == nil {
		id = bytes.Clone(img.buildID())
		img.close()
	}
	s.Add(Module{Path: path, BuildID: id, Base: base, Start: base, End: base + 1<<30})
	return r, s
}

// function returns the range of a function by its symbol.
func function(t *testing.T, path, name string) (lo, hi uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		syms, err = f.DynamicSymbols()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Name == name || strings.HasPrefix(s.Name, name+"@") {
			return s.Value, s.Value + s.Size
		}
	}
	t.Fatalf("%s has no symbol %s", path, name)
	return 0, 0
}

func text(frames []Frame) string {
	var b strings.Builder
	for i, f := range frames {
		if i > 0 {
			b.WriteString(" < ")
		}
		b.WriteString(f.Function)
		if f.File != "" {
			fmt.Fprintf(&b, " (%s:%d)", filepath.Base(f.File), f.Line)
		}
	}
	return b.String()
}

// nop returns the address after the first nop of a function: the return address of a call there.
func nop(t *testing.T, path, fn string) uint64 {
	t.Helper()
	lo, hi := function(t, path, fn)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sec := f.Section(".text")
	code, err := sec.Data()
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.IndexByte(code[lo-sec.Addr:hi-sec.Addr], 0x90)
	if i < 0 {
		t.Fatalf("no nop in %s", fn)
	}
	return lo + uint64(i) + 1
}

// TestAgainstAddr2line compares the result for every address of the program's own functions with that of binutils.
func TestAgainstAddr2line(t *testing.T) {
	if _, err := exec.LookPath("addr2line"); err != nil {
		t.Skip("addr2line is not installed")
	}
	type variant struct {
		name, file, source, compiler string
		flags                        []string
		funcs                        []string
	}
	c := []string{"main", "outer", "local_fn"}
	cc := []string{"main", "c_entry", "_ZNK3app6Solver3runERKSt6vectorIiSaIiEE"}
	f90 := []string{"MAIN__", "external_one_", "__heat_MOD_step"}
	variants := []variant{
		{"c-O0-dwarf5", "in.c", inlineC, "gcc", []string{"-g", "-O0", "-gdwarf-5"}, c},
		{"c-O2-dwarf5", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gdwarf-5"}, c},
		{"c-O2-dwarf4", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gdwarf-4"}, c},
		{"c-O2-dwarf3-nopie", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gdwarf-3", "-no-pie"}, c},
		{"c-O2-compressed", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gz"}, c},
		{"c-O2-zlib-gnu", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-gz=zlib-gnu"}, c},
		{"c-O2-sections", "in.c", inlineC, "gcc", []string{"-g", "-O2", "-ffunction-sections", "-Wl,--gc-sections"}, c},
		{"c-clang", "in.c", inlineC, "clang", []string{"-g", "-O2"}, c},
		{"c-clang-dwarf4", "in.c", inlineC, "clang", []string{"-g", "-O2", "-gdwarf-4"}, c},
		{"cc-O0", "in.cc", templatesCC, "g++", []string{"-g", "-O0"}, cc},
		{"cc-O2", "in.cc", templatesCC, "g++", []string{"-g", "-O2"}, cc},
		{"f90-O0", "in.f90", heatF90, "gfortran", []string{"-g", "-O0"}, f90},
		{"f90-O2", "in.f90", heatF90, "gfortran", []string{"-g", "-O2"}, f90[:1]},
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			prog := build(t, t.TempDir(), v.file, v.source, v.compiler, v.flags...)
			r, s := load(t, prog)
			var addrs []uint64
			args := []string{"-i", "-a", "-e", prog}
			for _, fn := range v.funcs {
				lo, hi := function(t, prog, fn)
				for a := lo; a < hi; a++ {
					addrs = append(addrs, a)
					args = append(args, fmt.Sprintf("%#x", a))
				}
			}
			out := run(t, t.TempDir(), "addr2line", args...)
			// "0x…" lines are followed by "file:line [(discriminator n)]" lines.
			var want []string
			for line := range strings.Lines(out) {
				line = strings.TrimSpace(line)
				if strings.HasPrefix(line, "0x") {
					want = append(want, "")
					continue
				}
				line, _, _ = strings.Cut(line, " (discriminator")
				if want[len(want)-1] != "" {
					line = " < " + line
				}
				want[len(want)-1] += line
			}
			if len(want) != len(addrs) {
				t.Fatalf("addr2line gave %d answers for %d addresses", len(want), len(addrs))
			}
			bad := 0
			for i, a := range addrs {
				var got []string
				for _, f := range s.Frames(base+a, false) {
					got = append(got, fmt.Sprintf("%s:%d", f.File, f.Line))
				}
				if g := strings.Join(got, " < "); g != filepathClean(want[i]) && bad < 5 {
					bad++
					t.Errorf("%#x: %s\nwant      %s", a, g, want[i])
				}
			}
			if n := r.Notes(); len(n) != 0 {
				t.Errorf("notes: %q", n)
			}
		})
	}
}

// filepathClean cleans each file of an answer.
func filepathClean(s string) string {
	parts := strings.Split(s, " < ")
	for i := range parts {
		parts[i] = filepath.Clean(parts[i])
	}
	return strings.Join(parts, " < ")
}

func TestInlined(t *testing.T) {
	// binutils 2.40 is wrong about two of these.
	for _, flags := range []string{"-gdwarf-5", "-gdwarf-4", "-gdwarf64", "-flto", "-gz"} {
		t.Run(flags, func(t *testing.T) {
			prog := build(t, t.TempDir(), "in.c", inlineC, "gcc", "-g", "-O2", flags)
			_, s := load(t, prog)
			pc := base + nop(t, prog, "outer")
			frames := s.Frames(pc, true)
			if got, want := text(frames), "innermost (in.c:7) < middle (in.c:12) < outer (in.c:19)"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			for _, f := range frames {
				if f.PC != pc || f.Module != "prog" || !filepath.IsAbs(f.File) {
					t.Errorf("frame %+v", f)
				}
			}
		})
	}
}

func TestZstd(t *testing.T) {
	dir := t.TempDir()
	prog := build(t, dir, "in.c", inlineC, "gcc", "-g", "-O2")
	pc := base + nop(t, prog, "outer")
	if out, err := exec.Command("objcopy", "--compress-debug-sections=zstd", prog).CombinedOutput(); err != nil {
		t.Skipf("objcopy can't compress with zstd: %s", out)
	}
	_, s := load(t, prog)
	if got, want := text(s.Frames(pc, true)), "innermost (in.c:7) < middle (in.c:12) < outer (in.c:19)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestReturnAddress: a call is the last instruction of a function, so its return address already belongs to another
// function.
func TestReturnAddress(t *testing.T) {
	const source = `
#include <stdlib.h>
void leave(void)
{
	exit(3);
}
void next(void) { __asm__ volatile("nop"); }
int main(void) { leave(); next(); }
`
	prog := build(t, t.TempDir(), "ret.c", source, "gcc", "-g", "-O2", "-fno-align-functions", "-fno-reorder-functions")
	_, s := load(t, prog)
	_, hi := function(t, prog, "leave")
	if got, want := text(s.Frames(base+hi, true)), "leave (ret.c:5)"; got != want {
		t.Errorf("as return address: %s, want %s", got, want)
	}
	if got, want := text(s.Frames(base+hi, false)), "next (ret.c:7)"; got != want {
		t.Errorf("as faulting pc: %s, want %s", got, want)
	}
}

func TestNames(t *testing.T) {
	t.Run("c++", func(t *testing.T) {
		prog := build(t, t.TempDir(), "in.cc", templatesCC, "g++", "-g", "-O0")
		_, s := load(t, prog)
		for sym, want := range map[string]string{
			"_ZNK3app6Solver3runERKSt6vectorIiSaIiEE": "app::Solver::run",
			"_ZN3app6SolverC2Ei":                      "app::Solver::Solver",
			"_ZN3app3SumIiE3addEi":                    "app::Sum<int>::add",
			"c_entry":                                 "c_entry",
			"main":                                    "main",
		} {
			lo, _ := function(t, prog, sym)
			if got := s.Frames(base+lo, false)[0].Function; got != want {
				t.Errorf("%s: %s, want %s", sym, got, want)
			}
		}
	})
	t.Run("fortran", func(t *testing.T) {
		prog := build(t, t.TempDir(), "in.f90", heatF90, "gfortran", "-g", "-O0")
		_, s := load(t, prog)
		for sym, want := range map[string]string{
			"MAIN__":          "simulation",
			"external_one_":   "external_one",
			"__heat_MOD_step": "heat::step",
		} {
			lo, _ := function(t, prog, sym)
			if got := s.Frames(base+lo, false)[0].Function; got != want {
				t.Errorf("%s: %s, want %s", sym, got, want)
			}
		}
	})
	t.Run("fortran without debug information", func(t *testing.T) {
		prog := build(t, t.TempDir(), "in.f90", heatF90, "gfortran", "-O0")
		_, s := load(t, prog)
		for sym, want := range map[string]string{
			"external_one_":   "external_one",
			"__heat_MOD_step": "heat::step",
		} {
			lo, _ := function(t, prog, sym)
			if got := s.Frames(base+lo, false)[0].Function; got != want {
				t.Errorf("%s: %s, want %s", sym, got, want)
			}
		}
	})
}

func TestReadable(t *testing.T) {
	for sym, want := range map[string]string{
		"":                                   "",
		"main":                               "main",
		"work.constprop.0":                   "work",
		"work.isra.0.cold":                   "work",
		"main._omp_fn.0":                     "main._omp_fn",
		"dgemm_":                             "dgemm",
		"mpi_send__":                         "mpi_send",
		"Foo_":                               "Foo_",
		"_private_":                          "_private_",
		"MAIN__":                             "MAIN__",
		"__grid_MOD_exchange":                "grid::exchange",
		"_ZN3app5solveEid":                   "app::solve",
		"_ZN3app5solveEid.part.0":            "app::solve",
		"_Znot-really":                       "_Znot-really",
		"_RNvCs1234_7mycrate3foo":            "mycrate::foo",
		"memcpy@@GLIBC_2.14":                 "memcpy",
		"_ZNSt6vectorIiSaIiEE9push_backERKi": "std::vector<int, std::allocator<int> >::push_back",
		"_ZNSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE" +
			"9push_backEOS5_": "std::vector::push_back",
	} {
		if got := readable(sym); got != want {
			t.Errorf("readable(%q) = %q, want %q", sym, got, want)
		}
	}
}

// TestWithoutDebugInformation removes more and more: from a full symbol table down to nothing.
func TestWithoutDebugInformation(t *testing.T) {
	dir := t.TempDir()
	prog := build(t, dir, "in.c", inlineC, "gcc", "-O2", "-rdynamic")
	outer := nop(t, prog, "outer")
	local := nop(t, prog, "local_fn")
	_, s := load(t, prog)
	if got := text(s.Frames(base+outer, true)); got != "outer" {
		t.Errorf("with symbols: %s", got)
	}
	if got := text(s.Frames(base+local, true)); got != "local_fn" {
		t.Errorf("with symbols: %s", got)
	}

	stripped := filepath.Join(dir, "stripped")
	run(t, dir, "strip", "-o", stripped, prog)
	r, s := load(t, stripped)
	if got := text(s.Frames(base+outer, true)); got != "outer" {
		t.Errorf("with dynamic symbols: %s", got)
	}
	if got, want := text(s.Frames(base+local, true)), fmt.Sprintf("stripped+%#x", local-1); got != want {
		t.Errorf("static function without symbol: %s, want %s", got, want)
	}
	if n := r.Notes(); len(n) != 0 {
		t.Errorf("notes about a file that merely has no debug information: %q", n)
	}
	if got, want := text(s.Frames(0x1234, true)), "0x1234"; got != want {
		t.Errorf("outside all modules: %s, want %s", got, want)
	}
}

// TestMiniDebugInfo: functions that are not exported are in the section .gnu_debugdata, as in Fedora's files.
func TestMiniDebugInfo(t *testing.T) {
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	prog := build(t, dir, "in.c", inlineC, "gcc", "-O2", "-rdynamic")
	outer, local := nop(t, prog, "outer"), nop(t, prog, "local_fn")
	mini, stripped := filepath.Join(dir, "mini"), filepath.Join(dir, "stripped")
	run(t, dir, "objcopy", "-S", "--remove-section=.comment", "--keep-symbol=local_fn", prog, mini)
	run(t, dir, "xz", mini)
	run(t, dir, "strip", "-o", stripped, prog)
	run(t, dir, "objcopy", "--add-section", ".gnu_debugdata="+mini+".xz", stripped)
	_, s := load(t, stripped)
	if got := text(s.Frames(base+local, true)); got != "local_fn" {
		t.Errorf("a function that is not exported: %s", got)
	}
	if got := text(s.Frames(base+outer, true)); got != "outer" {
		t.Errorf("an exported function: %s", got)
	}
}

// TestAddr2line: addr2line finds the functions at the addresses of frames.
func TestAddr2line(t *testing.T) {
	if _, err := exec.LookPath("addr2line"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, flag := range map[string]string{"pie": "-pie", "fixed": "-no-pie"} {
		prog := build(t, dir, "in.c", inlineC, "gcc", "-O2", flag)
		at := nop(t, prog, "local_fn")
		load := uint64(base)
		if name == "fixed" {
			load = 0
		}
		r := NewResolver()
		defer r.Close()
		s := r.NewSpace()
		s.Add(Module{Path: prog, Base: load, Start: load + at - at%0x1000, End: load + at + 0x1000})
		f := s.Frames(load+at, true)[0]
		out, err := exec.Command("addr2line", "-f", "-e", prog, fmt.Sprintf("%#x", f.Address)).Output()
		function, _, _ := strings.Cut(string(out), "\n")
		if err != nil || function != "local_fn" || f.Function != function {
			t.Errorf("%s: %s at %#x; addr2line says %q (%v)", name, f.Function, f.Address, out, err)
		}
	}
}

func TestSharedLibrary(t *testing.T) {
	dir := t.TempDir()
	const source = "int twice(int x)\n{\n\t__asm__ volatile(\"nop\");\n\treturn 2 * x;\n}\n"
	lib := build(t, dir, "lib.c", source, "gcc", "-g", "-O2", "-shared", "-fPIC")
	renamed := filepath.Join(dir, "libtwice.so.1")
	if err := os.Rename(lib, renamed); err != nil {
		t.Fatal(err)
	}
	_, s := load(t, renamed)
	f := s.Frames(base+nop(t, renamed, "twice"), true)
	if got, want := text(f), "twice (lib.c:3)"; got != want || f[0].Module != "libtwice.so.1" {
		t.Errorf("%s in %s, want %s", got, f[0].Module, want)
	}
}

func TestSeparateDebugFile(t *testing.T) {
	const want = "innermost (in.c:7) < middle (in.c:12) < outer (in.c:19)"
	prepare := func(t *testing.T, flags ...string) (prog, debugFile string, pc uint64) {
		t.Helper()
		dir := t.TempDir()
		prog = build(t, dir, "in.c", inlineC, "gcc", append([]string{"-g", "-O2"}, flags...)...)
		pc = base + nop(t, prog, "outer")
		debugFile = filepath.Join(t.TempDir(), "prog.debug")
		run(t, dir, "objcopy", "--only-keep-debug", prog, debugFile)
		return prog, debugFile, pc
	}
	move := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("build id", func(t *testing.T) {
		root := t.TempDir()
		prog, debugFile, pc := prepare(t, "-Wl,--build-id")
		run(t, root, "strip", prog)
		img, err := openImage(prog)
		if err != nil {
			t.Fatal(err)
		}
		id := buildIDString(img.buildID())
		img.close()
		move(t, debugFile, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
		_, s := load(t, prog, WithDebugRoots(root))
		if got := text(s.Frames(pc, true)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		// If the program itself does not exist any more, its debug file is still used.
		r := NewResolver(WithDebugRoots(root))
		defer r.Close()
		s2 := r.NewSpace()
		m, _ := s.Module(pc)
		m.Path += " (deleted)"
		s2.Add(m)
		if got := text(s2.Frames(pc, true)); got != want {
			t.Errorf("deleted program: got %s\nwant %s", got, want)
		}
		if got := s2.Frames(pc, true)[0].Module; got != "prog" {
			t.Errorf("deleted program is called %s", got)
		}
	})
	for _, place := range []string{"beside", ".debug", "root"} {
		for _, id := range []string{"-Wl,--build-id", "-Wl,--build-id=none"} {
			t.Run("link "+place+id, func(t *testing.T) {
				prog, debugFile, pc := prepare(t, id)
				run(t, filepath.Dir(debugFile), "strip", prog)
				run(t, filepath.Dir(debugFile), "objcopy", "--add-gnu-debuglink=prog.debug", prog)
				root := t.TempDir()
				switch place {
				case "beside":
					move(t, debugFile, filepath.Join(filepath.Dir(prog), "prog.debug"))
				case ".debug":
					move(t, debugFile, filepath.Join(filepath.Dir(prog), ".debug", "prog.debug"))
				case "root":
					move(t, debugFile, filepath.Join(root, filepath.Dir(prog), "prog.debug"))
				}
				_, s := load(t, prog, WithDebugRoots(root))
				if got := text(s.Frames(pc, true)); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			})
		}
	}
	t.Run("of another build", func(t *testing.T) {
		prog, debugFile, pc := prepare(t)
		run(t, filepath.Dir(debugFile), "strip", prog)
		run(t, filepath.Dir(debugFile), "objcopy", "--add-gnu-debuglink=prog.debug", prog)
		other := build(t, t.TempDir(), "in.c", strings.Replace(inlineC, "* 3", "* 5", 1), "gcc", "-g", "-O2")
		move(t, other, filepath.Join(filepath.Dir(prog), "prog.debug"))
		r, s := load(t, prog)
		if got, want := text(s.Frames(pc, true)), fmt.Sprintf("prog+%#x", pc-base-1); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := strings.Join(r.Notes(), "\n"); !strings.Contains(n, "prog.debug does not belong to") {
			t.Errorf("notes: %q", n)
		}
	})
}

func TestChangedFile(t *testing.T) {
	dir := t.TempDir()
	prog := build(t, dir, "in.c", inlineC, "gcc", "-g", "-O2", "-Wl,--build-id")
	pc := base + nop(t, prog, "outer")
	_, s := load(t, prog)
	m, _ := s.Module(pc)
	build(t, dir, "in.c", "\n\n\n"+strings.Replace(inlineC, "* 3", "* 5", 1), "gcc", "-g", "-O2", "-Wl,--build-id")
	r := NewResolver()
	defer r.Close()
	s = r.NewSpace()
	s.Add(m)
	if got, want := text(s.Frames(pc, true)), fmt.Sprintf("prog+%#x", pc-base-1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := r.Notes(); len(n) != 1 || !strings.Contains(n[0], prog+" has changed since it was run") {
		t.Errorf("notes: %q", n)
	}
}

func TestMissingFile(t *testing.T) {
	r := NewResolver()
	defer r.Close()
	s := r.NewSpace()
	s.Add(Module{Path: "/no/such/libgone.so", Base: base, Start: base, End: base + 0x10000})
	s.Add(Module{Path: "linux-vdso.so.1", Base: 2 * base, Start: 2 * base, End: 2*base + 0x1000})
	if got, want := text(s.Frames(base+0x42, true)), "libgone.so+0x41"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := text(s.Frames(2*base+0x42, true)), "linux-vdso.so.1+0x41"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := r.Notes(); len(n) != 1 || !strings.Contains(n[0], "/no/such/libgone.so is gone") {
		t.Errorf("notes: %q", n)
	}
}

// TestReplacedModule loads a library at the address of another one that was unloaded.
func TestReplacedModule(t *testing.T) {
	r := NewResolver()
	defer r.Close()
	s := r.NewSpace()
	s.Add(Module{Path: "first.so", Base: base, Start: base, End: base + 0x3000})
	s.Add(Module{Path: "far.so", Base: base + 0x9000, Start: base + 0x9000, End: base + 0xa000})
	if got := text(s.Frames(base+0x1800, true)); got != "first.so+0x17ff" {
		t.Error(got)
	}
	s.Add(Module{Path: "second.so", Base: base + 0x1000, Start: base + 0x1000, End: base + 0x2000})
	if got := text(s.Frames(base+0x1800, true)); got != "second.so+0x7ff" {
		t.Error(got)
	}
	if got := text(s.Frames(base+0x9010, true)); got != "far.so+0xf" {
		t.Error(got)
	}
}

func TestSplitDwarf(t *testing.T) {
	for _, tc := range []struct{ name, compiler, version, want string }{
		{"gcc dwarf 5", "gcc", "-gdwarf-5", "innermost (in.c:7) < middle (in.c:12) < outer (in.c:19)"},
		{"clang dwarf 5", "clang", "-gdwarf-5", "innermost (in.c:7) < middle (in.c:12) < outer (in.c:19)"},
		{"gcc dwarf 4", "gcc", "-gdwarf-4", "outer (in.c:7)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			build(t, dir, "in.c", inlineC, tc.compiler, "-g", "-O2", "-gsplit-dwarf", tc.version, "-c")
			object := filepath.Join(dir, "in.o")
			prog := filepath.Join(dir, "prog")
			run(t, dir, tc.compiler, "-g", "-O2", "-gsplit-dwarf", tc.version, "-c", "in.c", "-o", object)
			run(t, dir, tc.compiler, "-o", prog, object)
			pc := base + nop(t, prog, "outer")
			_, s := load(t, prog)
			if got := text(s.Frames(pc, true)); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
			if err := os.Remove(filepath.Join(dir, "in.dwo")); err != nil {
				t.Fatal(err)
			}
			_, s = load(t, prog)
			if got, want := text(s.Frames(pc, true)), "outer (in.c:7)"; got != want {
				t.Errorf("without .dwo: got %s\nwant %s", got, want)
			}
		})
	}
}

// TestSharedDebugInformation moves the common debug information of two programs to a third file, as distributions do.
func TestSharedDebugInformation(t *testing.T) {
	if _, err := exec.LookPath("dwz"); err != nil {
		t.Skip("dwz is not installed")
	}
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		t.Run(version, func(t *testing.T) {
			dir, dir2 := t.TempDir(), t.TempDir()
			prog := build(t, dir, "in.cc", templatesCC, "g++", "-g", "-O2", version)
			prog2 := build(t, dir2, "in.cc", templatesCC+"int unused;\n", "g++", "-g", "-O2", version)
			lo, hi := function(t, prog, "_ZNK3app6Solver3runERKSt6vectorIiSaIiEE")
			ask := func() (got []string, notes []string) {
				r, s := load(t, prog)
				for a := lo; a < hi; a++ {
					got = append(got, text(s.Frames(base+a, false)))
				}
				return got, r.Notes()
			}
			want, _ := ask()
			common := filepath.Join(dir, "common.debug")
			run(t, dir, "dwz", "-m", common, prog, prog2)
			if _, err := os.Stat(common); err != nil {
				t.Skip("dwz found nothing to share")
			}
			got, notes := ask()
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%#x: got %s\nwant %s", lo+uint64(i), got[i], want[i])
				}
			}
			if len(notes) != 0 {
				t.Errorf("notes: %q", notes)
			}
			if err := os.Remove(common); err != nil {
				t.Fatal(err)
			}
			got, notes = ask()
			if len(notes) != 1 || !strings.Contains(notes[0], "common.debug is missing") {
				t.Errorf("without the shared file: notes %q", notes)
			}
			for i := range got {
				if !strings.Contains(got[i], ".cc:") && strings.Contains(want[i], ".cc:") {
					t.Fatalf("without the shared file: %#x: %s, want lines as in %s", lo+uint64(i), got[i], want[i])
				}
			}
		})
	}
}

// TestInstalled resolves every exported function of the libraries installed here. It logs the time of the first one.
func TestInstalled(t *testing.T) {
	for _, path := range []string{
		"/usr/bin/hpcc", "/usr/lib/x86_64-linux-gnu/libmpich.so.12", "/usr/lib/x86_64-linux-gnu/libmpi.so.40",
		"/lib/x86_64-linux-gnu/libc.so.6",
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := elf.Open(path)
			if err != nil {
				t.Skip(err)
			}
			syms, err := f.DynamicSymbols()
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			r, s := load(t, path)
			first := true
			for _, y := range syms {
				if elf.ST_TYPE(y.Info) != elf.STT_FUNC || y.Value == 0 || y.Size == 0 {
					continue
				}
				start := time.Now()
				frames := s.Frames(base+y.Value+y.Size/2, false)
				if first {
					first = false
					t.Logf("first pc: %v", time.Since(start))
				}
				last := frames[len(frames)-1]
				if strings.Contains(last.Function, "+0x") {
					t.Errorf("%s (%#x): %s", y.Name, y.Value, text(frames))
				}
			}
			if n := r.Notes(); len(n) != 0 {
				t.Errorf("notes: %q", n)
			}
		})
	}
}
