// Command newcheck creates the files of a new check: its code, its documentation, a test, and a wrong program with a
// correct variant. The files compile and pass the tests, except the wrong program: the check finds nothing yet.
//
//	go run ./scripts/newcheck LOCAL:FOO:BAR "half a line that says what is wrong"
package main

import (
	"bytes"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed template
var templates embed.FS

// layout is the data of the templates.
type layout struct {
	ID, Title       string
	Family, Package string // the folders: internal/check/family/package
	Example         string // file name of the example without the extension
}

// identifier is the pattern for names of checks: LOCAL:FOO:BAR, GLOBAL:FOO:BAR:BAZ.
var identifier = regexp.MustCompile(`^(LOCAL|GLOBAL):([A-Z][A-Z0-9_]*)((:[A-Z][A-Z0-9_]*)+)$`)

func main() {
	root := flag.String("root", ".", "`folder` to write to: the top of the source tree")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			`usage: go run ./scripts/newcheck [-root FOLDER] LOCAL:FOO:BAR "what is wrong, in half a line"`)
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := lay(*root, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "newcheck:", err)
		os.Exit(1)
	}
}

// lay writes the files of a check. In a source tree, it then generates the list of all checks and their reference
// again.
func lay(root, id, title string) error {
	m := identifier.FindStringSubmatch(id)
	if m == nil {
		return fmt.Errorf("%q is not a name of a check: want LOCAL:FOO:BAR or GLOBAL:FOO:BAR", id)
	}
	name := func(s string) string { return strings.NewReplacer(":", "", "_", "").Replace(strings.ToLower(s)) }
	l := layout{ID: id, Title: title, Family: name(m[2]), Package: name(m[3])}
	l.Example = strings.Trim(strings.ReplaceAll(strings.ToLower(m[3]), ":", "_"), "_")
	check := filepath.Join(root, "internal/check", l.Family, l.Package)
	example := filepath.Join(root, "examples", l.Family, l.Example)
	for from, to := range map[string]string{
		"check.go": filepath.Join(check, l.Package+".go"), "doc.md": filepath.Join(check, "doc.md"),
		"check_test.go": filepath.Join(check, l.Package+"_test.go"), "wrong.c": example + ".c",
		"right.c": example + "_ok.c",
	} {
		text, err := templates.ReadFile("template/" + from + ".tmpl")
		if err != nil {
			return err
		}
		t, err := template.New(from).Parse(string(text))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, &l); err != nil {
			return err
		}
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already", to)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, b.Bytes(), 0o644)); err != nil {
			return err
		}
		fmt.Println(to)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil
	}
	generate := exec.Command("go", "generate", "./internal/check/all", "./internal/check/docgen")
	generate.Dir, generate.Stdout, generate.Stderr = root, os.Stdout, os.Stderr
	return generate.Run()
}
