package launch

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// findModules is a Python script for the program's interpreter. It prints the locations of modules without importing
// them.
//
//go:embed findmodules.py
var findModules string

var pythonName = lazyregexp.New(`^(python|pypy|ipython)[0-9.]*([a-z]|-dbg|-config)?$`)

// isPython reports whether a program is a Python interpreter, by its name.
func isPython(path string) bool { return pythonName().MatchString(filepath.Base(path)) }

// pythonCommand is the program that a Python interpreter runs. At most one field is set.
type pythonCommand struct {
	script, module, code string
}

// parsePython returns the program from the arguments of an interpreter. The result is empty if the program comes from
// standard input.
func parsePython(args []string) (c pythonCommand) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" || a == "-" {
			return c
		}
		if strings.HasPrefix(a, "--") {
			if a == "--check-hash-based-pycs" {
				i++
			}
			continue
		}
		if !strings.HasPrefix(a, "-") {
			c.script = a
			return c
		}
		for k := 1; k < len(a); k++ {
			rest := a[k+1:]
			if rest == "" && i+1 < len(args) {
				rest = args[i+1]
			}
			switch a[k] {
			case 'c':
				c.code = rest
				return c
			case 'm':
				c.module = rest
				// "-m mpi4py script.py" runs the script with mpi4py's error handling.
				return c
			case 'W', 'X':
				if a[k+1:] == "" {
					i++
				}
				k = len(a)
			}
		}
	}
	return c
}

// imported finds the names after import and from. It may also match text in strings, but additional names do no harm.
var imported = lazyregexp.New(`(?m)(?:^|[;:])\s*(?:import\s+([\w., \t]+)|from\s+(\w+)[\w.]*\s+import\b)`)

func importsOf(source string) []string {
	var out []string
	for _, m := range imported().FindAllStringSubmatch(source, -1) {
		names := []string{m[2]}
		if m[1] != "" {
			names = strings.Split(m[1], ",")
		}
		for _, n := range names {
			n, _, _ = strings.Cut(strings.TrimSpace(n), " ")
			n, _, _ = strings.Cut(n, ".")
			if n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// pythonModules is the output of findmodules.py.
type pythonModules struct {
	Prefix  string `json:"prefix"`
	Modules map[string]struct {
		Origin string   `json:"origin"`
		Paths  []string `json:"paths"` // directories of a package
		Local  bool     `json:"local"` // in the directory of the script
	} `json:"modules"`
}

// askPython asks an interpreter for the locations of modules. dir is the directory of the script.
func askPython(interpreter, dir string, names []string) (*pythonModules, error) {
	text, err := output(interpreter, append([]string{"-c", findModules, dir}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("cannot ask %s for its modules: %w", interpreter, err)
	}
	var mods pythonModules
	if err := json.Unmarshal([]byte(text), &mods); err != nil {
		return nil, fmt.Errorf("cannot ask %s for its modules: %w", interpreter, err)
	}
	return &mods, nil
}

// Limits of the search.
const (
	maxSources    = 200 // files of Python source
	maxExtensions = 300 // extension modules
)

// python finds the MPI that a Python program will load: that of mpi4py, or of another extension module that it imports.
// With guess, it takes the MPI of mpi4py if the interpreter has mpi4py, even if it finds no import of mpi4py in the
// program.
func (d *detector) python(interpreter string, args []string, guess bool) (*MPI, error) {
	cmd := parsePython(args)
	dir, names, ok := cmd.imports()
	if !ok || d.quick {
		return nil, nil // the interpreter will report the error, or this is not a command but a word in a shell script
	}
	s := &importSearch{interpreter: interpreter, dir: dir, module: topModule(cmd.module)}
	mods, err := s.findMPI4py(names)
	if err != nil {
		d.pyError = err
		return nil, nil
	}
	if mods != nil {
		return d.mpi4py(interpreter, mods, cmd)
	}
	for _, ext := range s.extensions[:min(len(s.extensions), maxExtensions)] {
		if m, err := d.elf(ext, 1); err == nil && m != nil {
			d.first = nil // the sanitizers belong to the extension, not to the interpreter
			return m, nil
		}
	}
	if !guess {
		return nil, nil
	}
	mods, err = askPython(interpreter, dir, []string{"mpi4py"})
	if err != nil {
		d.pyError = err
		return nil, nil
	}
	if _, ok := mods.Modules["mpi4py"]; !ok {
		return nil, nil
	}
	return d.mpi4py(interpreter, mods, cmd)
}

// imports returns the modules that the program itself imports, and the directory of its modules. It returns false if
// the script does not exist.
func (c *pythonCommand) imports() (dir string, names []string, ok bool) {
	switch {
	case c.script != "":
		path := c.script
		if isDir(path) {
			path = filepath.Join(path, "__main__.py")
		}
		source, err := os.ReadFile(path)
		return filepath.Dir(path), importsOf(string(source)), err == nil
	case c.module != "":
		return ".", []string{topModule(c.module)}, true
	}
	return ".", importsOf(c.code), true
}

// topModule returns the name of the top-level package of a module. Without a package, it is the name of the module.
func topModule(name string) string {
	top, _, _ := strings.Cut(name, ".")
	return top
}

// importSearch follows the imports of a Python program through the modules that are part of the program.
type importSearch struct {
	interpreter string
	dir         string   // directory of the program's modules
	module      string   // the module that is run, "" for a script
	asked       []string // modules that the interpreter has been asked for
	sources     int      // number of files that have been read
	extensions  []string // extension modules of the imported modules
}

// findMPI4py asks the interpreter for the named modules, then for their imports, and so on. It returns the
// interpreter's answer when it finds an import of mpi4py, nil if there is none.
func (s *importSearch) findMPI4py(names []string) (*pythonModules, error) {
	for len(names) > 0 {
		s.asked = append(s.asked, names...)
		mods, err := askPython(s.interpreter, s.dir, append(slices.Clone(names), "mpi4py"))
		if err != nil {
			return nil, err
		}
		if slices.Contains(names, "mpi4py") {
			return mods, nil
		}
		var next []string
		for _, name := range names {
			mod, ok := mods.Modules[name]
			if !ok {
				continue
			}
			if mod.Local || name == s.module {
				next = s.readImports(next, sourcesOf(mod.Origin, mod.Paths))
			}
			s.extensions = append(s.extensions, extensionsOf(mod.Origin, mod.Paths)...)
		}
		names = next
	}
	return nil, nil
}

// readImports adds the imports of source files to next, except modules that the interpreter has been asked for.
func (s *importSearch) readImports(next, files []string) []string {
	for _, file := range files {
		if s.sources++; s.sources > maxSources {
			return next
		}
		source, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, n := range importsOf(string(source)) {
			if !slices.Contains(s.asked, n) && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
	}
	return next
}

// mpi4py finds the MPI of an interpreter's mpi4py.
func (d *detector) mpi4py(interpreter string, mods *pythonModules, cmd pythonCommand) (*MPI, error) {
	mod, ok := mods.Modules["mpi4py"]
	if !ok {
		what := cmd.script
		if what == "" {
			what = "the program"
		}
		d.pyError = &NoMPIError{fmt.Sprintf("%s imports mpi4py, which %s does not have: install it there, or run "+
			"the script with an interpreter that has it", what, interpreter)}
		return nil, nil
	}
	// Wheels of mpi4py contain one MPI module per ABI, and choose one at import.
	var files []string
	for _, dir := range mod.Paths {
		matches, _ := filepath.Glob(filepath.Join(dir, "MPI*.so"))
		files = append(files, matches...)
	}
	if abi := os.Getenv("MPI4PY_MPIABI"); abi != "" && len(files) > 1 {
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.Contains(filepath.Base(f), abi) })
	}
	for _, f := range files {
		o, err := readObject(f)
		if err != nil {
			continue
		}
		deps := d.loader.closure(o)
		for i := range deps {
			// An MPI that pip has installed is in the directory lib of the environment. mpi4py looks there by itself.
			if deps[i].obj == nil && isMPIName(deps[i].name) {
				if lib, err := readObject(filepath.Join(mods.Prefix, "lib", deps[i].name)); err == nil {
					deps[i].obj = lib
				}
			}
		}
		if m := d.mpiOf(deps, f); m != nil {
			d.missing = nil
			return m, nil
		}
	}
	if len(files) == 0 {
		d.pyError = &NoMPIError{fmt.Sprintf("%s's mpi4py (%s) has no MPI module: install it again, or name its MPI "+
			"with --mpi", interpreter, strings.Join(mod.Paths, ", "))}
	}
	return nil, nil
}

// sourcesOf returns the files of Python source of a module or package.
func sourcesOf(origin string, dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		out = append(out, filesBelow(dir, ".py", maxSources)...)
	}
	if len(dirs) == 0 && strings.HasSuffix(origin, ".py") {
		out = append(out, origin)
	}
	return out
}

// extensionsOf returns the extension modules of a module or package.
func extensionsOf(origin string, dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		out = append(out, filesBelow(dir, ".so", maxExtensions)...)
	}
	if len(dirs) == 0 && strings.HasSuffix(origin, ".so") {
		out = append(out, origin)
	}
	return out
}

func filesBelow(dir, suffix string, limit int) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // skip unreadable directories
		}
		if len(out) >= limit {
			return fs.SkipAll
		}
		if e.Type().IsRegular() && strings.HasSuffix(path, suffix) {
			out = append(out, path)
		}
		return nil
	})
	return out
}
