package launch

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// Flavour is the family of an MPI implementation. The names of the tools and the options of the launcher depend on it.
type Flavour string

// The flavours.
const (
	MPICH   Flavour = "MPICH"
	OpenMPI Flavour = "Open MPI"
	Intel   Flavour = "Intel MPI"
	MVAPICH Flavour = "MVAPICH"
	Cray    Flavour = "Cray MPICH"
	Unknown Flavour = "MPI"
)

// MPI is an MPI library on this machine.
type MPI struct {
	Library string // absolute path, symbolic links resolved
	Soname  string // name by which programs refer to it: libmpi.so.40
	Flavour Flavour
	Version string // "4.0.2", "" if it is unknown
	// ID identifies the build of the MPI library: the build ID, or a hash of the file.
	ID string
	// Why says how the library was found, as a text for the user: "needed by /usr/bin/hpcc".
	Why string

	wrapper string // compiler wrapper named by --mpi
	// standard: its handles and constants are those of the standard ABI (MPI standard 5.0, chapter 20).
	standard bool

	// static: it is part of the executable Library.
	static bool

	exportsOnce sync.Once
	exported    map[string]bool
}

// String returns name and version: "MPICH 4.0.2", "Open MPI 6.0.0 (standard ABI)".
func (m *MPI) String() string {
	s := string(m.Flavour)
	if m.Version != "" {
		s += " " + m.Version
	}
	if m.standard {
		s += " (standard ABI)"
	}
	if m.static {
		s += " (static)"
	}
	return s
}

// Build identifies what a preload library is compiled for. MPIs with the same build can use the same library: all that
// have the standard ABI do.
func (m *MPI) Build() (name, id string) {
	if m.standard {
		return "standard ABI", "standard ABI " + m.Soname
	}
	return m.String(), m.ID
}

// Exports reports whether the library defines a function for programs to call.
func (m *MPI) Exports(name string) bool { return m.Exported()[name] }

// Exported returns the names that the library defines for programs. It must not be changed.
func (m *MPI) Exported() map[string]bool {
	m.exportsOnce.Do(func() { m.exported, _ = exports(m.Library) }) // it was an MPI library before
	return m.exported
}

// TellsErrors reports whether mpivet learns of an error before it ends the program. MPICH must call its own function
// for that through the dynamic linker, see preload/src/errors.c. That of Ubuntu does not.
func (m *MPI) TellsErrors() bool {
	if m.Flavour == OpenMPI { // it calls a function whose address is in an object that can be changed
		return true
	}
	f, err := openELF(m.Library)
	if err != nil {
		return true // not known
	}
	defer f.Close()
	tells, err := f.callsByLinker("MPIR_Err_return_comm")
	return tells || err != nil
}

// openMPI reads a library file and returns its MPI. It fails if the file is not an MPI library.
func openMPI(path, why string) (*MPI, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
	}
	f, err := openELF(real)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	o := f.object()
	m := &MPI{Library: real, Soname: o.soname, Why: why}
	if m.Soname == "" {
		m.Soname = filepath.Base(path)
	}
	if !f.defines("PMPI_Init") {
		return nil, fmt.Errorf("%s is not an MPI library: it does not define PMPI_Init", path)
	}
	m.standard = strings.HasPrefix(m.Soname, "libmpi_abi.so")
	m.identify(f, coreOfOpenMPI(o))
	if m.ID = f.buildID(); m.ID == "" {
		if m.ID, err = hashFile(real); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// identify sets flavour and version. f is the library, and core is another one that has Open MPI's version, or nil.
func (m *MPI) identify(f *elfFile, core *object) {
	path := m.Library
	if core != nil || f.defines("ompi_mpi_comm_world") || f.defines("ompi_mpi_init") {
		m.Flavour = OpenMPI
		if core != nil {
			var err error
			if f, err = openELF(core.path); err != nil {
				return
			}
			defer f.Close()
		}
		m.Version = f.constant("ompi_version_string")
		return
	}
	m.Flavour = Unknown
	relative := strings.HasPrefix(m.Soname, "libmpich") || strings.HasSuffix(m.Soname, ".so.12") ||
		f.defines("MPIR_Err_create_code")
	for _, symbol := range []string{"MVAPICH_Version_string", "MPII_Version_string", "MPIR_Version_string"} {
		if f.defines(symbol) {
			relative = true
			m.Version = cmp.Or(m.Version, f.constant(symbol))
		}
	}
	if !relative && !m.standard {
		return
	}
	flavour, version, ok := f.vendor()
	switch {
	case ok:
		m.Flavour, m.Version = flavour, cmp.Or(version, m.Version)
	case f.defines("MPIR_CVAR_I_MPI_VERSION") || f.defines("I_MPI_Library_version") ||
		strings.Contains(path, "/oneapi/mpi/") || strings.Contains(path, "/impi"):
		m.Flavour = Intel
	case f.defines("MV2_VERSION_string") || f.defines("MVAPICH_Version_string") ||
		strings.Contains(strings.ToLower(path), "mvapich"):
		m.Flavour = MVAPICH
	case crayName().MatchString(m.Soname):
		m.Flavour = Cray
	case relative:
		m.Flavour, m.Version = MPICH, cmp.Or(m.Version, f.hiddenVersion())
	}
}

// crayName matches the names of Cray MPICH's libraries: one for each family of compilers.
var crayName = lazyregexp.New(`^libmpi_(cray|gnu|intel|nvidia|pgi|amd|aocc)`)

// coreOfOpenMPI returns the library in which Open MPI 6 has its objects. It is nil if a library does not need it.
func coreOfOpenMPI(o *object) *object {
	for _, name := range o.needed {
		if strings.HasPrefix(name, "libopen_mpi.so") {
			return (&loader{env: os.Getenv}).find(name, []*object{o})
		}
	}
	return nil
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:20]), nil
}

// prefixes returns the possible installation roots of the library file, nearest first: /opt/mpi for
// /opt/mpi/lib/libmpi.so.12, and /usr for /usr/lib/x86_64-linux-gnu/openmpi/lib/libmpi.so.40.
func (m *MPI) prefixes() []string {
	var out []string
	if m.standard { // Debian's MPICH
		out = append(out, filepath.Join(filepath.Dir(m.Library), "mpi_abi_mpich"))
	}
	for d := filepath.Dir(m.Library); d != "/" && len(out) < 6; d = filepath.Dir(d) {
		if isDir(filepath.Join(d, "bin")) {
			out = append(out, d)
		}
	}
	return out
}

// tools returns the executables of the given names: first those in the library's installation roots, then those in
// PATH.
func (m *MPI) tools(names ...string) []string {
	var out []string
	add := func(path string) {
		if isExecutable(path) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, prefix := range m.prefixes() {
		for _, name := range names {
			add(filepath.Join(prefix, "bin", name))
		}
	}
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil {
			add(p)
		}
	}
	return out
}

// Compiler returns the compiler wrapper (mpicc) of this MPI. For the standard ABI, it may be a C compiler. Then flags
// say where mpi.h is.
func (m *MPI) Compiler() (cc string, flags []string, err error) {
	if m.wrapper != "" {
		return m.wrapper, nil, compiles(m.wrapper)
	}
	if cc, err = m.compilerWrapper(); err != nil && m.standard {
		if cc, flags := m.compilerOfABI(); cc != "" {
			return cc, flags, nil
		}
	}
	if err == nil {
		err = compiles(cc)
	}
	return cc, nil, err
}

// compiles checks that a compiler wrapper finds its compiler.
func compiles(cc string) error {
	shown, err := output(cc, "-show")
	if err != nil {
		return nil //nolint:nilerr // the wrapper has no such flag: the compilation shows whether it works
	}
	words := strings.Fields(shown)
	if len(words) == 0 {
		return nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return fmt.Errorf("%s needs %s, which is not installed", cc, words[0])
	}
	return nil
}

// compilerOfABI returns a C compiler and the directory of an mpi.h of the standard ABI, "" if there is none.
func (m *MPI) compilerOfABI() (cc string, flags []string) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", nil
	}
	lib := filepath.Dir(m.Library)
	dirs := []string{lib + "/openmpi/include/standard_abi", lib + "/mpi_abi_mpich/include"}
	for _, prefix := range m.prefixes() {
		dirs = append(dirs, prefix+"/include/standard_abi", prefix+"/include/mpi_abi")
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "mpi.h")); err == nil {
			return cc, []string{"-I" + dir}
		}
	}
	return "", nil
}

// compilerWrapper returns the compiler wrapper of this MPI.
func (m *MPI) compilerWrapper() (string, error) {
	var names []string
	switch m.Flavour {
	case OpenMPI:
		names = []string{"mpicc.openmpi", "mpicc"}
	case Intel:
		names = []string{"mpigcc", "mpicc", "mpiicx", "mpiicc"}
	default:
		names = []string{"mpicc.mpich", "mpicc"}
	}
	if m.standard {
		names = append([]string{"mpicc_abi"}, names...)
	}
	var similar string
	for _, cc := range m.tools(names...) {
		lib, err := libraryOfWrapper(cc)
		if err != nil {
			continue
		}
		if lib == m.Library {
			return cc, nil
		}
		if similar == "" {
			// A library with the same ABI is good enough, for example another build of the same implementation.
			o, err := openMPI(lib, "")
			if err == nil && o.Soname == m.Soname && (o.Flavour == m.Flavour || m.standard) {
				similar = cc
			}
		}
	}
	if similar != "" {
		return similar, nil
	}
	return "", fmt.Errorf("no compiler wrapper (%s) of %s beside %s or in PATH: install %s, put it into PATH, or "+
		"name it with --mpi /path/to/mpicc",
		strings.Join(names, ", "), m, m.Library, m.devPackage())
}

// devPackage returns the name of the package to install to compile for this MPI.
func (m *MPI) devPackage() string {
	switch {
	case m.Flavour == OpenMPI && strings.HasPrefix(m.Library, "/usr/lib"):
		return "libopenmpi-dev"
	case m.Flavour == MPICH && strings.HasPrefix(m.Library, "/usr/lib"):
		return "libmpich-dev"
	}
	return "its development files"
}

// Launcher returns the launcher of this MPI.
func (m *MPI) Launcher() (string, error) {
	var names []string
	switch m.Flavour {
	case OpenMPI:
		names = []string{"mpiexec.openmpi", "mpirun.openmpi", "mpiexec", "mpirun", "orterun", "prterun"}
	case Intel, MVAPICH:
		names = []string{"mpiexec.hydra", "mpiexec", "mpirun"}
	case Cray:
		names = []string{"srun", "aprun", "mpiexec"}
	default:
		names = []string{"mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"}
	}
	var failed error
	for _, tool := range m.tools(names...) {
		fits, err := m.fits(tool)
		if fits {
			return tool, nil
		}
		failed = cmp.Or(failed, err)
	}
	if failed != nil {
		return "", fmt.Errorf("no launcher of %s can be asked for its version: %w", m, failed)
	}
	return "", fmt.Errorf("no launcher (%s) of %s beside %s or in PATH: install it, put it into PATH, or give the "+
		"command with --launcher",
		strings.Join(names, ", "), m, m.Library)
}

// fits reports whether a launcher belongs to this MPI's family, by the output of --version. Some installations lack the
// text of it (Open MPI of Ubuntu 26.04): then the name of its file decides.
func (m *MPI) fits(launcher string) (bool, error) {
	text, err := output(launcher, "--version")
	if _, own := errors.AsType[*exec.ExitError](err); own {
		return false, nil // it has no --version, so it is not a launcher
	}
	if err != nil {
		return false, err
	}
	isOpen := strings.Contains(text, "Open MPI") || strings.Contains(text, "OpenRTE") || strings.Contains(text, "PRRTE")
	isHydra := strings.Contains(text, "HYDRA") || strings.Contains(text, "MPICH") ||
		strings.Contains(text, "Intel(R) MPI") ||
		strings.Contains(strings.ToUpper(text), "MVAPICH")
	if !isOpen && !isHydra {
		file, err := filepath.EvalSymlinks(launcher)
		if err != nil {
			return false, err
		}
		file = filepath.Base(file)
		isOpen = strings.HasSuffix(file, ".openmpi") || slices.Contains([]string{"orterun", "prterun", "prte"}, file)
		isHydra = file == "mpiexec.hydra"
	}
	switch m.Flavour {
	case OpenMPI:
		return isOpen, nil
	case Unknown:
		return isOpen || isHydra, nil
	case Cray: // the launcher is that of the batch system
		lower := strings.ToLower(text)
		return isHydra || strings.Contains(lower, "slurm") || strings.Contains(lower, "alps") ||
			strings.Contains(lower, "aprun") || strings.Contains(lower, "pals"), nil
	}
	return isHydra, nil
}

// output runs a tool and returns its standard output. It kills the tool after ten seconds.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.WaitDelay = time.Second
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	return out.String(), err
}

// libraryOfWrapper returns the MPI library (symbolic links resolved) that a compiler wrapper links programs with. It
// reads the command line that the wrappers of MPICH, Open MPI and related libraries print for -show.
func libraryOfWrapper(cc string) (string, error) {
	text, err := output(cc, "-show")
	if err != nil {
		return "", fmt.Errorf("%s -show: %w", cc, err)
	}
	words, err := SplitWords(text)
	if err != nil {
		return "", fmt.Errorf("%s -show: %w", cc, err)
	}
	var dirs, names []string
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case w == "-L":
			dirs = append(dirs, next)
		case strings.HasPrefix(w, "-L"):
			dirs = append(dirs, w[2:])
		case strings.HasPrefix(w, "-l"):
			names = append(names, "lib"+w[2:]+".so")
		case strings.HasPrefix(w, "/") && strings.Contains(filepath.Base(w), ".so"):
			names = append(names, w)
		}
	}
	self := nativeObject()
	dirs = append(dirs, defaultDirs(self)...)
	for _, name := range names {
		if !strings.HasPrefix(filepath.Base(name), "libmpi") {
			continue
		}
		candidates := []string{name}
		if !filepath.IsAbs(name) {
			candidates = candidates[:0]
			for _, d := range dirs {
				candidates = append(candidates, filepath.Join(d, name))
			}
		}
		for _, file := range candidates {
			if real, err := filepath.EvalSymlinks(file); err == nil {
				if e, err := exports(real); err == nil && e["PMPI_Init"] {
					return real, nil
				}
			}
		}
	}
	return "", fmt.Errorf("the MPI library of %s cannot be found in its command line (%s)", cc, strings.TrimSpace(text))
}

// nativeObject returns an object for this machine's architecture. It replaces the object of a program if there is no
// program.
func nativeObject() *object {
	machine := map[string]elf.Machine{
		"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV,
	}[runtime.GOARCH]
	return &object{class: elf.ELFCLASS64, machine: machine}
}

// NamedMPI finds the MPI with a name from the user: "mpich", "openmpi", "abi" (the standard ABI), the path of an MPI
// library, or the path or name of a compiler wrapper.
func NamedMPI(name string) (*MPI, error) {
	const why = "named by --mpi"
	switch strings.ToLower(name) {
	case "mpich":
		return installedMPI("mpich", []string{"mpicc.mpich", "mpicc"}, []string{"libmpich.so.12", "libmpi.so.12"},
			MPICH, Intel, MVAPICH)
	case "openmpi":
		return installedMPI("openmpi", []string{"mpicc.openmpi", "mpicc"},
			[]string{"libmpi.so.40", "libmpi.so.80", "libmpi.so.20"}, OpenMPI)
	}
	if name == "abi" {
		return installedMPI("abi", []string{"mpicc_abi"}, []string{"libmpi_abi.so.1", "libmpi_abi.so.0"},
			MPICH, OpenMPI, Intel, MVAPICH, Unknown)
	}
	path := name
	if !strings.Contains(name, "/") {
		p, err := exec.LookPath(name)
		if err != nil {
			return nil, fmt.Errorf("--mpi %s: not mpich, openmpi, abi, an MPI library or a compiler wrapper", name)
		}
		path = p
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("--mpi %s: %w", name, errors.Unwrap(err))
	}
	if strings.Contains(filepath.Base(path), ".so") {
		m, err := openMPI(path, why)
		if err != nil {
			return nil, fmt.Errorf("--mpi %w", err)
		}
		return m, nil
	}
	if !isExecutable(path) {
		return nil, fmt.Errorf("--mpi %s: neither a shared library nor a compiler wrapper", name)
	}
	lib, err := libraryOfWrapper(path)
	if err != nil {
		return nil, fmt.Errorf("--mpi: %w", err)
	}
	m, err := openMPI(lib, why)
	if err != nil {
		return nil, err
	}
	m.wrapper = path
	return m, nil
}

// installedMPI looks for an MPI of one of the flavours, by the names of compiler wrappers and libraries.
func installedMPI(name string, wrappers, sonames []string, flavours ...Flavour) (*MPI, error) {
	const why = "named by --mpi"
	for _, w := range wrappers {
		cc, err := exec.LookPath(w)
		if err != nil {
			continue
		}
		lib, err := libraryOfWrapper(cc)
		if err != nil {
			continue
		}
		if m, err := openMPI(lib, why); err == nil && slices.Contains(flavours, m.Flavour) {
			m.wrapper = cc
			return m, nil
		}
	}
	l := &loader{env: os.Getenv}
	for _, s := range sonames {
		if o := l.find(s, []*object{nativeObject()}); o != nil {
			if m, err := openMPI(o.path, why); err == nil && slices.Contains(flavours, m.Flavour) {
				return m, nil
			}
		}
	}
	return nil, fmt.Errorf("--mpi %s: not found on this machine: install it, or give the path of its library or "+
		"of its mpicc", name)
}

// InstalledMPIs returns the MPIs that can be found without a program: by the compiler wrappers in PATH, and in the
// directories of the loader.
func InstalledMPIs() []*MPI {
	var out []*MPI
	for _, name := range []string{"mpicc", "mpich", "openmpi", "abi"} {
		m, err := NamedMPI(name)
		if err != nil || slices.ContainsFunc(out, func(o *MPI) bool { return o.Library == m.Library }) {
			continue
		}
		m.Why = "installed"
		out = append(out, m)
	}
	return out
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// isExecutable reports whether path is an executable file.
func isExecutable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}
