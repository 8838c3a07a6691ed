package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// A program with a static MPI library cannot be observed by a library that is preloaded, because its calls of MPI do
// not leave the executable. It is linked with an object file instead, which has the same sources.

// linkedSection is the section of an executable that says which version of the object file it contains: a note of ELF.
const linkedSection = ".note.mpivet"

// noteHeader is the size of what comes before the text in the note: three numbers, and the name "mpivet" with padding.
const noteHeader = 3*4 + 8

// wrappedSymbols are internal functions of MPI libraries that the object file stands before.
var wrappedSymbols = map[bool][]string{
	false: {"MPIR_Err_return_comm", "MPIR_Err_return_win", "MPIR_Err_return_session"},
	true: {
		"ompi_mpi_errors_are_fatal_comm_handler", "ompi_mpi_errors_are_fatal_win_handler",
		"ompi_mpi_errors_are_fatal_file_handler", "ompi_mpi_errors_are_fatal_instance_handler",
	},
}

// LinkFlags returns what to add to the command line that links a program with a static library of this MPI, before the
// MPI library. b is a Builder for the object file. LinkFlags makes the file if the cache does not have it.
func (b *Builder) LinkFlags(m *MPI) ([]string, error) {
	path, err := b.build(m)
	if err != nil {
		return nil, err
	}
	flags := []string{path}
	for _, s := range wrappedSymbols[m.Flavour == OpenMPI] {
		flags = append(flags, "-Wl,--wrap="+s)
	}
	return append(flags, "-pthread"), nil
}

// join makes one object file of all. Its own symbols become local, so that they cannot be those of the program.
func (c *compilation) join(ctx context.Context, objects []string, out string) error {
	// Not the compiler wrapper: it would add the MPI library.
	for _, command := range [][]string{
		append([]string{"ld", "-r", "-o", out}, objects...), {"objcopy", "--localize-hidden", out},
	} {
		tool, err := exec.LookPath(command[0])
		if err != nil {
			return fmt.Errorf("%s is not in PATH: install binutils", command[0])
		}
		if text, err := runCompiler(ctx, tool, c.dir, command[1:]); err != nil {
			return fmt.Errorf("%s failed: %s", command[0], firstError(text, err))
		}
	}
	return nil
}

// linked returns the text of the mark in an executable that contains the object file, "" if it has none.
func linked(path string) string {
	f, err := openELF(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(linkedSection)
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil || len(data) < noteHeader {
		return ""
	}
	text, _, _ := strings.Cut(string(data[noteHeader:]), "\x00")
	return text
}

// staticTexts are texts in every program with a static MPI library. They may have the version.
var staticTexts = []struct {
	flavour Flavour
	text    func() *regexp.Regexp
}{
	{OpenMPI, lazyregexp.New(`Open MPI v(\d+\.[\w.]*)|ompi_mpi_init`)},
	{MPICH, lazyregexp.New(`MPIR_CVAR_ABORT_ON_LEAKED_HANDLES()`)},
}

// staticMPI returns the MPI that was linked into an executable, nil if there is none. It finds the MPI in executables
// without a symbol table, too.
func staticMPI(path string) *MPI {
	m := &MPI{Library: path, Soname: filepath.Base(path), Flavour: Unknown, Why: "part of " + path, static: true}
	f, err := openELF(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if flavour, version, ok := f.vendor(); ok {
		m.Flavour, m.Version = flavour, version
		return m
	}
	for _, s := range staticTexts {
		if found := s.text().FindSubmatch(f.constants()); found != nil {
			m.Flavour, m.Version = s.flavour, string(found[1])
			if m.Version == "" {
				m.Version = f.hiddenVersion()
			}
			return m
		}
	}
	if definesMPI(path) {
		return m
	}
	return nil
}

// hidden says what to do about an executable with a static MPI library.
func hidden(path string) string {
	return path + " contains a static MPI library, whose calls cannot be observed: link it with the shared MPI " +
		"library, or with what mpivet link-flags prints"
}

// Hidden says what to do about an executable, if it has a static MPI library and not the library of mpivet. Otherwise,
// it returns "".
func Hidden(path string) string {
	o, err := readObject(path)
	if err != nil || linked(path) != "" || staticMPI(path) == nil {
		return ""
	}
	l := loader{env: os.Getenv}
	if !needsNoMPI(l.closure(o)) {
		return ""
	}
	return hidden(path)
}

// privileged says why the loader ignores LD_PRELOAD for an executable, "" if it does not: if the program has more
// rights than the user who starts it (AT_SECURE in getauxval(3)).
func privileged(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	what := privileges(path, st)
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%s %s, so the loader ignores mpivet's library: run a copy of it without that (cp %s copy)",
		path, what, path)
}
