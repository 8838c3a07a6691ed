package launch

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// Program is a program to start, and its MPI.
type Program struct {
	// Path is the absolute path of the file to execute.
	Path string
	// Argv is the user's command line.
	Argv []string
	MPI  *MPI
	// PreloadFirst are libraries that must be loaded before all others: sanitizer runtimes.
	PreloadFirst []string
	// Linked is the version of mpivet's library that the program contains (mpivet link-flags), "" if it contains none.
	// Then nothing is preloaded.
	Linked string
}

// NoMPIError means that a program's MPI was not found. Its text is one line, with advice for the user.
type NoMPIError struct{ text string }

func (e *NoMPIError) Error() string { return e.text }

// UnobservableError means that a program has an MPI, but a library cannot be preloaded into it. Its text is one line.
type UnobservableError struct{ text string }

func (e *UnobservableError) Error() string { return e.text }

// Detect finds the program of a command line, with PATH like a shell, and its MPI. It takes the MPI from the libraries
// that the executable needs, or from programs that its script or its arguments name. If named is not empty, Detect uses
// NamedMPI instead.
func Detect(argv []string, named string) (*Program, error) {
	path, err := FindProgram(argv[0])
	if err != nil {
		return nil, err
	}
	p := &Program{Path: path, Argv: argv}
	d := &detector{loader: loader{env: os.Getenv}, seen: map[string]*MPI{}}
	if named != "" {
		if p.MPI, err = NamedMPI(named); err != nil {
			return nil, err
		}
		if err := d.refuse(path, argv[1:]); err != nil {
			return nil, err
		}
		// Ignore errors: the MPI does not depend on the program.
		if o, err := readObject(path); err == nil {
			p.PreloadFirst = sanitizers(d.loader.closure(o))
			p.Linked = linked(path)
		}
		return p, nil
	}
	if p.MPI, err = d.file(path, argv[1:], 0); err != nil {
		return nil, err
	}
	if p.MPI == nil {
		return nil, d.failure(path)
	}
	p.PreloadFirst, p.Linked = d.first, d.linked
	return p, nil
}

// refuse returns an error for a command line with a program that cannot be observed, although its MPI is named. It
// ignores other problems of the search.
func (d *detector) refuse(path string, args []string) error {
	d.quick = true
	m, err := d.file(path, args, 0)
	var no *UnobservableError
	switch {
	case errors.As(err, &no):
		return err
	case err == nil && m == nil && d.static != "":
		return d.failure(path)
	}
	return nil
}

// FindProgram returns the absolute path of a program, from a path or from a name in PATH. A name that is not in PATH
// may be a file in the working directory, because launchers allow that.
func FindProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		if strings.Contains(name, "/") {
			st, statErr := os.Stat(name)
			switch {
			case statErr != nil:
				return "", fmt.Errorf("%s: %w", name, reason(statErr))
			case st.IsDir():
				return "", fmt.Errorf("%s: is a directory", name)
			}
			return "", fmt.Errorf("%s: not executable", name)
		}
		if !isExecutable(name) {
			return "", fmt.Errorf("%s: no such program in PATH", name)
		}
		path = name
	}
	return filepath.Abs(path)
}

// reason removes operation and path from a file system error, for messages that have them already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// detector looks for the MPI of one command line.
type detector struct {
	loader loader
	seen   map[string]*MPI // results by ELF file; nil for files without MPI
	first  []string        // sanitizers of the program
	linked string          // version of mpivet's library in the program
	quick  bool            // leave out Python programs, which take time
	// Problems of the search, for the error message.
	missing *dependency // an MPI library that was not found
	static  string      // an executable with a static MPI library
	pyError error
}

// maxDepth is the greatest depth of scripts that name other scripts.
const maxDepth = 4

// file finds the MPI of an executable file with the arguments args. It returns nil if there is none.
func (d *detector) file(path string, args []string, depth int) (*MPI, error) {
	if depth > maxDepth {
		return nil, nil
	}
	head := make([]byte, 512)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	n, err := io.ReadFull(f, head)
	f.Close()
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		m, err := d.elf(path, depth)
		if m != nil || err != nil {
			return m, err
		}
		return d.command(path, args, depth)
	case bytes.HasPrefix(head, []byte("#!")):
		line, _, _ := strings.Cut(string(head[2:]), "\n")
		return d.script(path, strings.Fields(line), args, depth)
	default:
		// The kernel can't execute such a file. Launchers and shells then run it as a shell script.
		return d.shellScript(path, depth)
	}
}

// elf finds the MPI that an ELF file needs. At depth 0, the file is the program to start.
func (d *detector) elf(path string, depth int) (*MPI, error) {
	if m, ok := d.seen[path]; ok {
		return m, nil
	}
	d.seen[path] = nil
	o, err := readObject(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	deps := d.loader.closure(o)
	m := d.mpiOf(deps, path)
	mark := linked(path)
	var static *MPI
	if m == nil {
		static = staticMPI(path)
	}
	// Scripts may name programs like ping, which need no watching.
	if depth == 0 || m != nil || static != nil || !needsNoMPI(deps) {
		if err := observable(o); err != nil {
			return nil, err
		}
	}
	if m == nil && static != nil && needsNoMPI(deps) {
		if mark != "" {
			m = static
		} else if d.static == "" {
			d.static = path
		}
	}
	if m != nil {
		d.first, d.linked = sanitizers(deps), mark
	}
	d.seen[path] = m
	return m, nil
}

// observable returns an error if mpivet's library cannot be loaded into the program, or into those that it starts.
func observable(o *object) error {
	if text := cmp.Or(foreign(o), privileged(o.path)); text != "" {
		return &UnobservableError{text}
	}
	return nil
}

// needsNoMPI reports whether a program needs no MPI library, not even one that is missing.
func needsNoMPI(deps []dependency) bool {
	return !slices.ContainsFunc(deps, func(d dependency) bool { return isMPIName(d.name) })
}

// mpiOf returns the first MPI library of a closure, nil if there is none.
func (d *detector) mpiOf(deps []dependency, of string) *MPI {
	for i, dep := range deps {
		if !isMPIName(dep.name) {
			continue
		}
		if dep.obj == nil {
			if d.missing == nil {
				d.missing = &deps[i]
			}
			continue
		}
		if m, err := openMPI(dep.obj.path, "needed by "+of); err == nil {
			m.Soname = dep.name
			return m
		}
	}
	return nil
}

// isMPIName reports whether a name is a possible name of an MPI library: libmpi.so.40, libmpich.so.12, libmpi_abi.so.0,
// libmpi_cray.so.12.
func isMPIName(soname string) bool {
	return strings.HasPrefix(soname, "libmpi")
}

func sanitizers(deps []dependency) []string {
	var out []string
	for _, dep := range deps {
		if strings.HasPrefix(dep.name, "libasan.so") || strings.HasPrefix(dep.name, "libclang_rt.asan") {
			if dep.obj != nil {
				out = append(out, dep.obj.path)
			}
		}
	}
	return out
}

// script finds the MPI of a file with a #! line.
func (d *detector) script(path string, interpreter, args []string, depth int) (*MPI, error) {
	if len(interpreter) == 0 {
		return nil, nil
	}
	if isPython(path) {
		return d.python(path, args, true) // tools like pyenv replace the interpreter by a script
	}
	name, options := interpreter[0], interpreter[1:]
	if filepath.Base(name) == "env" {
		// "env python3", "env -S python3 -u", "env VAR=x python3"
		for len(options) > 0 && (strings.HasPrefix(options[0], "-") || strings.Contains(options[0], "=")) {
			options = options[1:]
		}
		if len(options) == 0 {
			return nil, nil
		}
		p, err := exec.LookPath(options[0])
		if err != nil {
			return nil, fmt.Errorf("%s: its interpreter %s is not in PATH", path, options[0])
		}
		name, options = p, options[1:]
	}
	if !isExecutable(name) {
		return nil, fmt.Errorf("%s: its interpreter %s does not exist", path, name)
	}
	if isPython(name) {
		return d.python(name, append(append(slices.Clone(options), path), args...), true)
	}
	if m, err := d.shellScript(path, depth); m != nil || err != nil {
		return m, err
	}
	// The script names no MPI program. Perhaps its arguments do: run.sh ./prog
	return d.arguments(args, depth)
}

// command finds the MPI of a program that is not an MPI program itself, but may start one: an interpreter, a shell,
// env, numactl, valgrind …
func (d *detector) command(path string, args []string, depth int) (*MPI, error) {
	if isPython(path) {
		return d.python(path, args, true)
	}
	if isShell(path) {
		for i, a := range args {
			if a == "-c" && i+1 < len(args) {
				return d.text(args[i+1], []string{"."}, depth)
			}
			if !strings.HasPrefix(a, "-") {
				if m, err := d.shellScript(a, depth); m != nil || err != nil {
					return m, err
				}
				return d.arguments(args[i+1:], depth)
			}
		}
		return nil, nil
	}
	return d.arguments(args, depth)
}

// arguments looks for a program among the words of a command line.
func (d *detector) arguments(args []string, depth int) (*MPI, error) {
	for i, a := range args {
		path, err := FindProgram(a)
		if err != nil {
			continue
		}
		if m, err := d.file(path, args[i+1:], depth+1); m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// shellScript looks for programs in a script of a shell-like language.
func (d *detector) shellScript(path string, depth int) (*MPI, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil // not an existing file
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, nil // some other binary
	}
	return d.text(string(data), []string{".", filepath.Dir(path)}, depth)
}

var (
	separators = lazyregexp.New("[\\s\"'`();|&<>=,]+")
	variables  = lazyregexp.New(`\$\{?[A-Za-z_0-9@*]+[^}/\s]*\}?|\$`)
)

// text looks for programs among the words of a script. It tries relative names in all given directories. It prefers
// programs on a line with exec, because the script becomes such a program.
func (d *detector) text(text string, dirs []string, depth int) (*MPI, error) {
	s := scriptSearch{detector: d, dirs: dirs, depth: depth}
	lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(text, "\\\n", " ")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := s.searchLine(lines.Text()); err != nil {
			return nil, err
		}
	}
	found := s.found
	if len(s.execed) > 0 {
		found = s.execed
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, &NoMPIError{fmt.Sprintf("the script names programs of different MPIs (%s: %s; %s: %s): choose one "+
		"with --mpi",
		found[0], found[0].Why, found[1], found[1].Why)}
}

// scriptSearch is the search for programs in one script.
type scriptSearch struct {
	*detector
	dirs   []string // directories for relative names
	depth  int
	found  []*MPI // different MPIs of the programs in the script
	execed []*MPI // different MPIs of the programs on lines with exec
}

// searchLine looks for programs among the words of a line.
func (s *scriptSearch) searchLine(line string) error {
	line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
	if line == "" || line[0] == '#' {
		return nil
	}
	words := separators().Split(line, -1)
	for i, w := range words {
		if w == "" {
			continue
		}
		if w == "cd" && i+1 < len(words) {
			s.enterDirectory(words[i+1])
		}
		m, err := s.program(w, words[i+1:])
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		s.found = addMPI(s.found, m)
		if slices.Contains(words, "exec") {
			s.execed = addMPI(s.execed, m)
		}
	}
	return nil
}

// enterDirectory adds the possible directories after "cd name" to the search.
func (s *scriptSearch) enterDirectory(name string) {
	const most = 8 // directories in which name is looked for
	for _, dir := range s.dirs[:min(len(s.dirs), most)] {
		if sub := filepath.Join(dir, name); isDir(sub) {
			s.dirs = append(s.dirs, sub)
		}
	}
}

// program finds the MPI of the program that a word may name. args are the words after it.
func (s *scriptSearch) program(word string, args []string) (*MPI, error) {
	for _, path := range candidates(word, s.dirs) {
		if m, err := s.file(path, withoutEmpty(args), s.depth+1); m != nil || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// addMPI adds m to a list, unless the list contains it.
func addMPI(list []*MPI, m *MPI) []*MPI {
	if slices.ContainsFunc(list, func(o *MPI) bool { return o.Library == m.Library }) {
		return list
	}
	return append(list, m)
}

func withoutEmpty(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
}

// candidates returns the executable files that a word of a script may name. The values of the script's variables are
// not known. So it looks for "$dir/prog" with the value of dir in the environment, and for prog in all directories.
func candidates(word string, dirs []string) []string {
	var out []string
	add := func(path string) {
		if isExecutable(path) {
			if abs, err := filepath.Abs(path); err == nil && !slices.Contains(out, abs) {
				out = append(out, abs)
			}
		}
	}
	if strings.HasPrefix(word, "-") || len(word) > 4096 {
		return nil
	}
	if !strings.Contains(word, "/") {
		if p, err := exec.LookPath(word); err == nil {
			add(p)
		}
		return out
	}
	if strings.Contains(word, "$") {
		add(os.ExpandEnv(word))
		word = strings.TrimPrefix(variables().ReplaceAllString(word, ""), "/")
	}
	if filepath.IsAbs(word) {
		add(word)
		if filepath.Dir(word) != "/" {
			return out
		}
		word = filepath.Base(word) // "$(dirname $0)/prog" was split at the parenthesis
	}
	for _, dir := range dirs {
		add(filepath.Join(dir, word))
	}
	return out
}

func isShell(path string) bool {
	switch filepath.Base(path) {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "csh", "tcsh", "fish", "busybox":
		return true
	}
	return false
}

// failure returns an error of one line: why no MPI was found, and what to do.
func (d *detector) failure(path string) error {
	const choose = "--mpi mpich|openmpi|abi|/path/to/mpicc"
	switch {
	case d.missing != nil:
		return &NoMPIError{fmt.Sprintf("%s needs %s, which is not found: set LD_LIBRARY_PATH or load the module "+
			"of its MPI", d.missing.by, d.missing.name)}
	case d.static != "":
		return &NoMPIError{hidden(d.static)}
	case d.pyError != nil:
		return d.pyError
	}
	o, err := readObject(path)
	if err != nil {
		return &NoMPIError{fmt.Sprintf("%s: no MPI found, because none of the programs that it names needs one: "+
			"name the MPI with %s", path, choose)}
	}
	if isPython(path) || isShell(path) {
		return &NoMPIError{fmt.Sprintf("%s: no MPI found, because no program in its arguments needs one: "+
			"name the MPI with %s", path, choose)}
	}
	if !o.dynamic {
		return &NoMPIError{fmt.Sprintf("%s is not an MPI program that mpivet can observe: it is statically linked; "+
			"if it starts an MPI program, name the MPI with %s", path, choose)}
	}
	return &NoMPIError{fmt.Sprintf("%s is not an MPI program: it needs no MPI library; if it loads an MPI library, or "+
		"starts an MPI program, name the MPI with %s", path, choose)}
}
