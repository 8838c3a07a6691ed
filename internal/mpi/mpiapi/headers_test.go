package mpiapi

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// implementation is an MPI that may be installed.
type implementation struct {
	name, mpicc string
	headers     string
	least       int // least number of functions that its headers declare; a broken scan finds fewer
}

var implementations = []implementation{
	{"MPICH", "mpicc.mpich", "#include <mpi.h>\n", 400},
	// The define makes functions visible that MPI 3.0 removed. The library still exports them.
	{
		"Open MPI", "mpicc.openmpi", "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n#include <mpi-ext.h>\n",
		400,
	},
}

// each runs test for every installed MPI.
func each(t *testing.T, test func(t *testing.T, mpi implementation)) {
	for _, mpi := range implementations {
		t.Run(mpi.name, func(t *testing.T) {
			if _, err := exec.LookPath(mpi.mpicc); err != nil {
				t.Skipf("%s is not installed", mpi.name)
			}
			test(t, mpi)
		})
	}
}

func run(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	return out.String()
}

// prototype is a function declaration of a header, without names of parameters, const and blanks.
type prototype struct {
	result string
	params []string
}

func (p prototype) String() string { return p.result + "(" + strings.Join(p.params, ", ") + ")" }

var (
	declaration = regexp.MustCompile(`^(?:extern )?([A-Za-z_][A-Za-z_0-9 ]*[ *]+)(MPIX?_\w+) ?\((.*)\)$`)
	paramName   = regexp.MustCompile(`^(.*[ *])\w+$`)
	brackets    = regexp.MustCompile(`\[\w*\]`)
	macro       = regexp.MustCompile(`(?m)^#define (MPI_\w+_(?:c2f|f2c))\(`)
	numbers     = regexp.MustCompile(`(?m)^#define MPI_(VERSION|SUBVERSION)\s+(\d+)`)
	words       = regexp.MustCompile(`\w+`)
)

// prototypes returns the MPI functions that preprocessed C declares.
func prototypes(t *testing.T, source string) map[string]prototype {
	var b strings.Builder
	for line := range strings.Lines(source) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	source = strings.Join(strings.Fields(withoutAttributes(b.String())), " ")
	found := map[string]prototype{}
	for _, s := range strings.FieldsFunc(source, func(r rune) bool { return strings.ContainsRune(";{}", r) }) {
		m := declaration.FindStringSubmatch(strings.TrimSpace(s))
		if m == nil || strings.HasPrefix(m[1], "typedef ") {
			continue
		}
		p := prototype{result: normalize(m[1])}
		if list := strings.TrimSpace(m[3]); list != "void" {
			for _, s := range split(list) {
				p.params = append(p.params, normalize(nameless(s)))
			}
		}
		found[m[2]] = p
	}
	return found
}

// withoutAttributes removes __attribute__((…)).
func withoutAttributes(s string) string {
	const word = "__attribute__"
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, word)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		depth := 0
		end := strings.IndexFunc(after, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
				return depth == 0
			}
			return false
		})
		s = after[end+1:]
	}
}

// nameless removes the name from the declaration of a parameter and turns arrays into pointers.
func nameless(s string) string {
	dims := brackets.FindAllString(s, -1)
	s = strings.TrimSpace(brackets.ReplaceAllString(s, ""))
	if m := paramName.FindStringSubmatch(s); m != nil && strings.Trim(m[1], " ") != "const" {
		s = m[1]
	}
	switch {
	case len(dims) == 0:
	case len(dims) == 1:
		s += "*"
	default:
		s += "(*)" + strings.Join(dims[1:], "")
	}
	return s
}

// normalize removes const and blanks. MPI_Fint is int in both implementations, and in Open MPI's prototypes.
func normalize(s string) string {
	s = words.ReplaceAllStringFunc(s, func(w string) string {
		switch w {
		case "const":
			return ""
		case "MPI_Fint":
			return "int"
		case "MPI_Handler_function": // Open MPI uses this name in MPI_Errhandler_create
			return "MPI_Comm_errhandler_function"
		}
		return w
	})
	return strings.ReplaceAll(s, " ", "")
}

// TestHeaders fails if the table and a header disagree, or if the table lacks a function of a header.
func TestHeaders(t *testing.T) {
	each(t, func(t *testing.T, mpi implementation) {
		found := prototypes(t, run(t, mpi.headers, mpi.mpicc, "-E", "-x", "c", "-"))
		if len(found) < mpi.least {
			t.Fatalf("found only %d functions in the headers", len(found))
		}
		for name, p := range found {
			f := ByName(name)
			if f == nil {
				if Skipped(name) == "" {
					t.Errorf("%s%v is not in api.txt", name, p)
				}
				continue
			}
			want := prototype{result: normalize(f.Result)}
			for i := range f.Params {
				want.params = append(want.params, normalize(f.Params[i].CType))
			}
			if want.result != p.result || !slices.Equal(want.params, p.params) {
				t.Errorf("%s is %v in the header, %v in api.txt", name, p, want)
			}
		}
	})
}

// TestKnown fails if no header declares a function of the table: its name is misspelt. Functions that are newer than
// the installed MPIs do not count, nor the extensions of Open MPI 4 if it is not installed.
func TestKnown(t *testing.T) {
	known, newest := map[string]bool{}, 0
	for _, mpi := range implementations {
		if _, err := exec.LookPath(mpi.mpicc); err != nil {
			t.Skipf("%s is not installed", mpi.name)
		}
		for name := range prototypes(t, run(t, mpi.headers, mpi.mpicc, "-E", "-x", "c", "-")) {
			known[name] = true
		}
		macros := run(t, mpi.headers, mpi.mpicc, "-E", "-dM", "-x", "c", "-")
		for _, m := range macro.FindAllStringSubmatch(macros, -1) {
			known[m[1]] = true
		}
		newest = max(newest, tenthsIn(macros))
	}
	for _, f := range Funcs() {
		added := f.Since == 0 && f.ID > IDBufferIflush                              // an extension of a later MPI
		gone := strings.HasPrefix(f.Name, "MPIX_") && !known["MPIX_Allreduce_init"] // of Open MPI 4
		if !known[f.Name] && f.Since <= newest && !added && !gone {
			t.Errorf("%s is in no header", f.Name)
		}
	}
}

// tenthsIn returns the version of the standard, in tenths, that a header claims by its macros.
func tenthsIn(macros string) int {
	version := 0
	for _, m := range numbers.FindAllStringSubmatch(macros, -1) {
		n, _ := strconv.Atoi(m[2])
		if m[1] == "VERSION" {
			n *= 10
		}
		version += n
	}
	return version
}

// TestCompile lets the compiler read the table's prototypes, and checks that all values fit into their slots.
func TestCompile(t *testing.T) {
	each(t, func(t *testing.T, mpi implementation) {
		found := prototypes(t, run(t, mpi.headers, mpi.mpicc, "-E", "-x", "c", "-"))
		var b strings.Builder
		b.WriteString(mpi.headers)
		for _, f := range Funcs() {
			if _, ok := found[f.Name]; !ok {
				continue
			}
			fmt.Fprintf(&b, "%s;\n", f.Declare("table_"+f.Name))
			for i := range f.Params {
				p := &f.Params[i]
				if width := Width(p.Kind); width != 0 {
					if p.Pointer && (p.Kind == Buffer || p.Kind == Pointer || p.Kind == String) {
						continue // addresses
					}
					rel := "<="
					if width == 4 {
						rel = "=="
					}
					ctype := strings.TrimSuffix(p.CType, "(*)[3]")
					if p.Pointer {
						ctype = strings.TrimSuffix(ctype, "*")
					}
					fmt.Fprintf(&b, "_Static_assert(sizeof(%s) %s %d, \"%s of %s\");\n",
						ctype, rel, width, p.Name, f.Name)
				}
			}
		}
		run(t, b.String(), mpi.mpicc, "-fsyntax-only", "-Wall", "-Werror", "-x", "c", "-")
	})
}

var needed = regexp.MustCompile(`(?m)^\s*(libmpi\S*|libmpich\S*) => (\S+)`)

// TestSymbols fails if the table lacks a profiling entry of a library.
func TestSymbols(t *testing.T) {
	each(t, func(t *testing.T, mpi implementation) {
		exe := filepath.Join(t.TempDir(), "a.out")
		run(t, "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n", mpi.mpicc, "-o", exe, "-x", "c", "-")
		libs := needed.FindAllStringSubmatch(run(t, "", "ldd", exe), -1)
		entries := 0
		for _, lib := range libs {
			f, err := elf.Open(lib[2])
			if err != nil {
				t.Fatal(err)
			}
			symbols, err := f.DynamicSymbols()
			f.Close()
			if err != nil {
				t.Fatalf("%s: %v", lib[2], err)
			}
			for _, s := range symbols {
				name, ok := strings.CutPrefix(s.Name, "P")
				if !ok || s.Section == elf.SHN_UNDEF ||
					!strings.HasPrefix(name, "MPI_") && !strings.HasPrefix(name, "MPIX_") {
					continue
				}
				entries++
				if ByName(name) == nil && Skipped(name) == "" {
					t.Errorf("%s exports P%s, which is not in api.txt", lib[1], name)
				}
			}
		}
		if entries < mpi.least {
			t.Errorf("found only %d entries in %v", entries, libs)
		}
	})
}
