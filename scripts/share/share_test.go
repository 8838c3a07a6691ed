package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/cli"
)

// made returns the files that the command makes, by their names.
func made(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir("../..")
	dir := t.TempDir()
	if err := write(dir, "/opt/mpivet", page{version: "1.2.3", date: time.Unix(1e9, 0).UTC()}); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unzip(t *testing.T, name, data string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(text)
}

// TestManual: each command that users see has a manual page, and man has nothing to complain about it.
func TestManual(t *testing.T) {
	files := made(t)
	pages := []string{"mpivet"}
	for _, cmd := range cli.Command().Commands() {
		if cmd.IsAvailableCommand() {
			pages = append(pages, "mpivet-"+cmd.Name())
		}
	}
	for _, p := range pages {
		name := "man/man1/" + p + ".1.gz"
		if files[name] == "" {
			t.Fatalf("there is no page %s", p)
		}
		text := unzip(t, name, files[name])
		for _, want := range []string{
			`.TH "` + strings.ToUpper(p) + `" "1" "Sep 2001" "mpivet 1.2.3" "User Commands"`,
			".SH NAME", ".SH SYNOPSIS", ".TP\n\\fB-h\\fP, \\fB--help\\fP\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", p, want)
			}
		}
		delete(files, name)
		warnings(t, p, text)
		for _, other := range pages[1:] {
			if p == "mpivet" && !strings.Contains(text, other+"(1)") {
				t.Errorf("mpivet(1) does not name %s(1)", other)
			}
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "man/") {
			t.Errorf("%s belongs to no command", name)
		}
	}
}

// warnings tests a page with man, if there is one.
func warnings(t *testing.T, name, text string) {
	t.Helper()
	if _, err := exec.LookPath("groff"); err != nil {
		return
	}
	cmd := exec.Command("groff", "-man", "-ww", "-Kutf8", "-Tutf8", "-z")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// TestFlagsOnPages: pages show the values and defaults of flags as --help does.
func TestFlagsOnPages(t *testing.T) {
	text := unzip(t, "run", made(t)["man/man1/mpivet-run.1.gz"])
	for _, want := range []string{
		".TP\n\\fB--fail-on\\fP=fatal|error|warning|never\n", "(default error)\n",
		".TP\n\\fB--json\\fP=FILE\nwrite findings to FILE as JSON", ".TP\n\\fB--quiet\\fP\n", "'LOCAL:MEMORY:*=off'",
		".TP\n\\fB-n\\fP, \\fB--np\\fP=number\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// TestReproducible: the same checkout gives the same files.
func TestReproducible(t *testing.T) {
	a := made(t)
	t.Chdir("scripts/share")
	b := made(t)
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
	if x, y := len(a), len(b); x != y {
		t.Errorf("there are %d files, and then %d", x, y)
	}
}

// TestCompletions: the shells accept the scripts for them.
func TestCompletions(t *testing.T) {
	files := made(t)
	for shell, name := range map[string]string{
		"bash": "bash-completion/completions/mpivet", "zsh": "zsh/site-functions/_mpivet",
		"fish": "fish/vendor_completions.d/mpivet.fish",
	} {
		if files[name] == "" {
			t.Fatalf("there is no %s, but %v", name, slices.Sorted(maps.Keys(files)))
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("no %s: its script is not tested", shell)
			continue
		}
		cmd := exec.Command(shell, "-n")
		cmd.Stdin = strings.NewReader(files[name])
		if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestExtensions: the extensions for debuggers name the installed mpivet.
func TestExtensions(t *testing.T) {
	files := made(t)
	for _, name := range []string{"mpivet/gdb/mpivet_gdb.py", "mpivet/lldb/mpivet_lldb.py"} {
		if !strings.Contains(files[name], "/opt/mpivet") {
			t.Errorf("%s does not name the installed mpivet", name)
		}
	}
	if files["doc/mpivet/README.md"] == "" || files["doc/mpivet/docs/user-guide.md"] == "" {
		t.Error("documents are missing")
	}
}
