// Command licences prints the licences of mpivet and of everything that is linked into it: the Go modules, as far as
// mpivet uses their packages, and Go itself. Packages must have these texts.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	flag.Parse()
	packages := flag.Args()
	if len(packages) == 0 {
		packages = []string{"./cmd/mpivet"}
	}
	if err := print(os.Stdout, packages...); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// head comes before the texts.
const head = `mpivet - https://github.com/mpivet/mpivet

mpivet is under the Apache License 2.0. It contains code of the Go packages below, which are under their own licences.
`

// print writes all licences of the packages and of what they import.
func print(w io.Writer, packages ...string) error {
	texts, err := collect(packages...)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(head)
	for _, t := range texts {
		fmt.Fprintf(&b, "\n\n======== %s: %s\n\n%s\n", t.of, t.file, bytes.TrimSpace(t.text))
	}
	_, err = w.Write(b.Bytes())
	return err
}

// text is a file with a licence.
type text struct {
	of   string // a module and its version
	file string // relative to the module
	text []byte
}

// listed is a package, as go list prints it.
type listed struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// collect returns the licences: that of mpivet, those of modules by name, and that of Go.
func collect(packages ...string) ([]text, error) {
	out, err := run(append([]string{"list", "-deps", "-json=Dir,Module"}, packages...)...)
	if err != nil {
		return nil, err
	}
	var texts []text
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module == nil { // of Go itself
			continue
		}
		name := strings.TrimSpace(p.Module.Path + " " + p.Module.Version)
		if p.Module.Main {
			name = "mpivet"
		}
		found, err := licencesAbove(name, p.Dir, p.Module.Dir)
		if err != nil {
			return nil, err
		}
		texts = append(texts, found...)
	}
	slices.SortFunc(texts, order)
	texts = slices.CompactFunc(texts, func(a, b text) bool { return order(a, b) == 0 })
	ours, err := ofGo()
	return append(texts, ours), err
}

// order puts mpivet first. Within a module, the licence of the whole module comes first.
func order(a, b text) int {
	if c := strings.Compare(a.of, b.of); c != 0 {
		if a.of == "mpivet" {
			return -1
		} else if b.of == "mpivet" {
			return 1
		}
		return c
	}
	if c := strings.Count(a.file, "/") - strings.Count(b.file, "/"); c != 0 {
		return c
	}
	return strings.Compare(a.file, b.file)
}

// legal are the names of files with licences and notices.
var legal = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|authors)([._-].*)?$`)

// licencesAbove returns the licences in the folder of a package and in those above it, up to the root of its module.
// The root must have one.
func licencesAbove(module, folder, root string) (texts []text, err error) {
	for {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		atRoot := folder == root
		found := 0
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			path := filepath.Join(folder, e.Name())
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			found++
			texts = append(texts, text{module, filepath.ToSlash(name), content})
		}
		if atRoot && found == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", module, root)
		}
		if atRoot {
			return texts, nil
		}
		folder = filepath.Dir(folder)
	}
}

// ofGo returns the licence of Go's runtime and standard library.
func ofGo() (text, error) {
	out, err := run("env", "GOROOT", "GOVERSION")
	if err != nil {
		return text{}, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	content, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	return text{"Go " + strings.TrimPrefix(version, "go"), "LICENSE", content}, err
}

func run(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
