// Package exampletest runs the programs under examples/ with mpivet. It compares the findings with the expectations,
// which stand in comments beside the lines concerned. examples/README.md has the grammar.
package exampletest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// Example is one program with its expectations.
type Example struct {
	Path    string        // absolute
	NP      int           // ranks
	Args    []string      // of the program
	Env     []string      // additional, "NAME=value"
	Flags   []string      // of mpivet run
	CFlags  []string      // of the compiler
	MPIs    MPIs          // the only ones with which the example makes sense; nil for all
	Needs   string        // a function without which the example makes no sense; "" if MPI 3.1 has all of them
	Hangs   MPIs          // MPIs with which the program may hang: then it is ended after its time
	Timeout time.Duration // after which the run has failed
	Within  time.Duration // maximum time of the run under mpivet; 0: no limit
	Status  int           // expected exit status of mpivet, -1 if it follows from the findings
	Stdout  bool          // the output is the same in every run, except for the order of lines
	Wants   []Want
}

// Want is one expectation.
type Want struct {
	Line     int // of the comment; 0 if the finding has no place in the file
	Optional bool
	Check    string
	Severity string // "" for the check's default
	Says     *regexp.Regexp
	Count    int   // occurrences, -1 for any number
	Ranks    []int // nil for any ranks
	Func     string
}

// For reports whether the example makes sense with an MPI implementation.
func (e *Example) For(m mpirun.MPI) bool {
	if m.Standard && filepath.Ext(e.Path) != ".c" {
		return false
	}
	return (e.MPIs == nil || e.MPIs.Has(m.Name, m.Version())) && (e.Needs == "" || m.Has(e.Needs))
}

// Recorded reports whether there is a recorded run of the example, with an MPI implementation of a version. There is
// none of examples that need newer functions.
func (e *Example) Recorded(mpi, version string) bool {
	return (e.MPIs == nil || e.MPIs.Has(mpi, version)) && e.Needs == ""
}

// Twin reports whether the program is a correct one: its name ends in _ok.
func (e *Example) Twin() bool {
	name := filepath.Base(e.Path)
	return strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "_ok")
}

// extensions are the extensions of source files that are examples.
var extensions = []string{".c", ".cc", ".f90", ".py"}

// Find returns the paths of all examples below dir, in order.
func Find(dir string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains(extensions, filepath.Ext(path)) {
			paths = append(paths, path)
		}
		return err
	})
	return paths, err
}

// Load reads and parses the example at path.
func Load(path string) (*Example, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(source))
}

// Parse reads the expectations out of a program's text. Errors name the line.
func Parse(path, source string) (*Example, error) {
	e := &Example{Path: path, NP: 0, Timeout: 40 * time.Second, Status: -1, Stdout: true}
	for i, line := range strings.Split(source, "\n") {
		for _, comment := range comments(line, filepath.Ext(path)) {
			words, err := split(comment)
			if err == nil && len(words) > 0 {
				switch words[0].text {
				case "run:":
					err = e.parseRun(words[1:])
				case "want", "may":
					err = e.parseWants(words, i+1)
				}
			} else if word, _, _ := strings.Cut(comment, " "); word != "want" && word != "may" && word != "run:" {
				err = nil // a comment for readers
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
		}
	}
	if e.NP == 0 {
		return nil, fmt.Errorf("%s: no comment «run: np=N»", path)
	}
	required := slices.ContainsFunc(e.Wants, func(w Want) bool { return !w.Optional })
	if e.Twin() && slices.ContainsFunc(e.Wants, func(w Want) bool { return w.Severity != "info" }) {
		return nil, fmt.Errorf("%s: a correct program (_ok) has no want or may, except of severity info", path)
	}
	if !e.Twin() && !required {
		return nil, fmt.Errorf("%s: a program that goes wrong has a want; a correct one is called …_ok", path)
	}
	return e, nil
}

// marks are the beginnings of comments up to the end of the line, by the extension of the file. C has other comments.
var marks = map[string]string{".cc": "//", ".f90": "!", ".py": "#"}

// comments returns the comments that begin on a line, without their marks.
func comments(line, ext string) []string {
	if ext == ".c" {
		var list []string
		for {
			_, rest, found := strings.Cut(line, "/*")
			if !found {
				return list
			}
			comment, after, _ := strings.Cut(rest, "*/")
			list = append(list, strings.TrimSpace(comment))
			line = after
		}
	}
	if _, comment, found := strings.Cut(line, marks[ext]); found {
		return []string{strings.TrimSpace(comment)}
	}
	return nil
}

// word is a word of a comment. quoted says that it began with a quote: then it is not a key=value.
type word struct {
	text   string
	quoted bool
}

// split divides a comment into words. Quotes hold a text together, at the beginning of a word or inside it. A backslash
// is an ordinary character, as regular expressions need it.
func split(s string) ([]word, error) {
	var words []word
	rest := strings.TrimSpace(s)
	for rest != "" {
		var w word
		w.quoted = rest[0] == '"'
		for rest != "" && !unicode.IsSpace(rune(rest[0])) {
			if rest[0] != '"' {
				w.text += rest[:1]
				rest = rest[1:]
				continue
			}
			text, after, found := strings.Cut(rest[1:], `"`)
			if !found {
				return nil, fmt.Errorf("a quote is not closed: %s", rest)
			}
			w.text += text
			rest = after
		}
		words = append(words, w)
		rest = strings.TrimSpace(rest)
	}
	return words, nil
}

func (e *Example) parseRun(words []word) error {
	for _, w := range words {
		key, value, _ := strings.Cut(w.text, "=")
		var err error
		switch key {
		case "np":
			e.NP, err = strconv.Atoi(value)
		case "timeout":
			e.Timeout, err = time.ParseDuration(value)
		case "within":
			e.Within, err = time.ParseDuration(value)
		case "status":
			e.Status, err = strconv.Atoi(value)
		case "args":
			e.Args = strings.Fields(value)
		case "flags":
			e.Flags = strings.Fields(value)
		case "cflags":
			e.CFlags = strings.Fields(value)
		case "env":
			e.Env = append(e.Env, value)
		case "mpi":
			err = e.MPIs.add(strings.Split(value, ","))
		case "needs":
			e.Needs = value
		case "hangs":
			err = e.Hangs.add(strings.Split(value, ","))
		case "stdout":
			e.Stdout = value != "any"
			if e.Stdout {
				err = fmt.Errorf("stdout can only be «any», not %q", value)
			}
		default:
			err = fmt.Errorf("run: has no option %q", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parseWants reads the expectations of one comment.
func (e *Example) parseWants(words []word, line int) error {
	for len(words) > 0 {
		w := Want{Line: line, Count: -1}
		rest, err := w.parse(words)
		if err != nil {
			return err
		}
		e.Wants = append(e.Wants, w)
		words = rest
	}
	return nil
}

// parse reads one expectation from the beginning of a list of words. It returns the remaining words.
func (w *Want) parse(words []word) (rest []word, err error) {
	switch words[0].text {
	case "want":
	case "may":
		w.Optional = true
	default:
		return nil, fmt.Errorf("want or may is expected before %q", words[0].text)
	}
	words = words[1:]
	for ; len(words) > 0 && !words[0].quoted; words = words[1:] {
		switch s := words[0].text; s {
		case "info", "warning", "error", "fatal":
			w.Severity = s
		case "nowhere":
			w.Line = 0
		default:
			return nil, fmt.Errorf("a severity or the name of a check in quotes is expected, not %q", s)
		}
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("the name of a check in quotes is missing")
	}
	w.Check = words[0].text
	words = words[1:]
	if len(words) > 0 && words[0].quoted {
		if w.Says, err = regexp.Compile(words[0].text); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	for ; len(words) > 0 && strings.Contains(words[0].text, "="); words = words[1:] {
		key, value, _ := strings.Cut(words[0].text, "=")
		if err := w.setOption(key, value); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// setOption sets the option of a word key=value.
func (w *Want) setOption(key, value string) (err error) {
	switch key {
	case "count":
		w.Count, err = strconv.Atoi(value)
	case "func":
		w.Func = value
	case "ranks":
		for _, s := range strings.Split(value, ",") {
			rank, err := strconv.Atoi(s)
			if err != nil {
				return err
			}
			w.Ranks = append(w.Ranks, rank)
		}
	default:
		err = fmt.Errorf("a want has no %q", key)
	}
	return err
}
