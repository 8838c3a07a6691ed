package launch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ReadyMade is a preload library that was compiled ahead of time. It works with every MPI of an ABI: it refers to MPI's
// functions by name, and only mpi.h determines its contents.
type ReadyMade struct {
	ABI     string // as MPI.ABI returns it
	Version string // of the MPI whose mpi.h it was compiled with
	io.WriterTo
}

// ABI returns the binary interface of an MPI, if that is the same in several versions or implementations: "abi" (MPI
// standard 5.0, chapter 20), "mpich" (the MPICH ABI Compatibility Initiative: MPICH, Intel MPI, MVAPICH, Cray MPICH) or
// "openmpi" (Open MPI from 4 on). Else it returns "".
func (m *MPI) ABI() string {
	switch {
	case m.standard:
		return "abi"
	case m.Flavour == OpenMPI && strings.HasPrefix(m.Soname, "libmpi.so.40"):
		return "openmpi"
	case m.Flavour != OpenMPI && strings.HasSuffix(m.Soname, ".so.12"):
		return "mpich"
	}
	return ""
}

// readyPrefix is how the names of ready-made libraries begin in the cache.
const readyPrefix = "libmpivet-ready-"

// IsReadyMade reports whether a library that Library has returned was compiled ahead of time.
func IsReadyMade(path string) bool { return strings.HasPrefix(filepath.Base(path), readyPrefix) }

// UnusableError says why no ready-made library can be used for an MPI.
type UnusableError struct {
	MPI *MPI
	Why string
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("no ready-made library for %s: %s", e.MPI, e.Why)
}

// ready returns the best ready-made library for an MPI, in the cache. It is the one of the newest mpi.h whose functions
// the MPI has all. If there is none, it is the one of which the MPI has most: programs cannot call the others.
func (b *Builder) ready(m *MPI) (string, error) {
	abi := m.ABI()
	if abi == "" {
		return "", &UnusableError{m, fmt.Sprintf("the ABI of %s is not known", m.Soname)}
	}
	libraries := slices.DeleteFunc(slices.Clone(b.ReadyMade), func(r ReadyMade) bool { return r.ABI != abi })
	if len(libraries) == 0 {
		return "", &UnusableError{m, "this mpivet has none for its ABI"}
	}
	slices.SortFunc(libraries, func(x, y ReadyMade) int { return compareVersions(y.Version, x.Version) })
	var best []byte
	missing := -1
	for _, r := range libraries {
		var data bytes.Buffer
		if _, err := r.WriteTo(&data); err != nil {
			return "", &UnusableError{m, err.Error()}
		}
		n, err := lacks(m, data.Bytes())
		if err != nil {
			return "", &UnusableError{m, err.Error()}
		}
		if missing < 0 || n < missing {
			best, missing = data.Bytes(), n
		}
	}
	h := sha256.Sum256(best)
	path := filepath.Join(b.Dir, readyPrefix+abi+"-"+hex.EncodeToString(h[:8])+".so")
	if exists(path) {
		return path, nil
	}
	return path, install(b.Dir, path, func(out string) error { return os.WriteFile(out, best, 0o600) })
}

// lacks checks that a library can be loaded here, and returns how many functions it has that an MPI lacks.
func lacks(m *MPI, data []byte) (n int, err error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return 0, fmt.Errorf("it is damaged: %w", err)
	}
	o, err := readObject(m.Library)
	if err != nil {
		return 0, err
	}
	if f.Machine != o.machine {
		return 0, fmt.Errorf("%s is for another processor (%s)", m.Library, o.machine)
	}
	if err := loadable(f, o); err != nil {
		return 0, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return 0, fmt.Errorf("it is damaged: %w", err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, "PMPI_") && !m.Exports(s.Name) {
			n++
		}
	}
	return n, nil
}

// loadable checks that the C library of this machine has the versions that a library needs.
func loadable(f *elf.File, mpi *object) error {
	needs, err := f.DynamicVersionNeeds()
	if err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	loader := &loader{env: os.Getenv}
	for _, need := range needs {
		o := loader.find(need.Name, []*object{mpi})
		if o == nil {
			return fmt.Errorf("it needs %s, which is not installed", need.Name)
		}
		library, err := openELF(o.path)
		if err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
		has, err := library.DynamicVersions()
		library.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
		for _, v := range need.Needs {
			if !slices.ContainsFunc(has, func(h elf.DynamicVersion) bool { return h.Name == v.Dep }) {
				return fmt.Errorf("it needs %s of %s, and the system is older", v.Dep, need.Name)
			}
		}
	}
	return nil
}

// compareVersions compares versions by their numbers: "4.1.4", "6.0.0rc2".
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if c := cmp.Compare(number(x), number(y)); c != 0 {
			return c
		}
	}
	return 0
}

// number returns the number at the beginning of s.
func number(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		s = s[:end]
	}
	n, _ := strconv.Atoi(s)
	return n
}

// CompileWith compiles the library for an MPI with a C compiler and flags that find mpi.h, and returns its contents.
// They do not depend on where it is compiled.
func (b *Builder) CompileWith(m *MPI, cc string, flags ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "mpivet-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	_, files, err := b.prepare(m, dir)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "lib.so")
	c := compilation{mpi: m, cc: cc, flags: append(flags, b.Flags...), path: "/usr/src/mpivet.so", dir: dir}
	if err := c.run(context.Background(), files, out); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}
