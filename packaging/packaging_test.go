// Package packaging tests what users install. The tests in this file need neither the network nor root.
package packaging

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/zip"
)

const (
	module  = "github.com/mpivet/mpivet"
	command = module + "/cmd/mpivet"
)

// run runs a command in a folder and returns its output. The environment is that of the test, and env.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.String()
}

// root returns the root of the checkout.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestModuleIsComplete: the module, as Go's proxy packs it, has all files that mpivet is compiled from. A nested
// module, a link or a strange name would be left out.
func TestModuleIsComplete(t *testing.T) {
	checked, err := zip.CheckDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	packed := make(map[string]bool)
	for _, name := range checked.Valid {
		packed[name] = true
	}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, p := range list(t, arch) {
			for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.EmbedFiles) {
				if file := filepath.Join(p.Dir, name); p.Module != nil && p.Module.Main && !packed[file] {
					t.Errorf("%s is not in the module", file)
				}
			}
		}
	}
}

// TestNoGenerators: programs that make packages are not linked into mpivet, nor do they enlarge the module: the tools
// for packages have their own.
func TestNoGenerators(t *testing.T) {
	for _, p := range list(t, "amd64") {
		if p.ImportPath == "github.com/spf13/cobra/doc" {
			t.Error("mpivet contains the generator of manual pages")
		}
	}
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"nfpm", "cyclonedx"} {
		if strings.Contains(string(text), tool) {
			t.Errorf("go.mod has %s, which belongs into packaging/tools", tool)
		}
	}
}

// listed is a package that mpivet consists of.
type listed struct {
	ImportPath, Dir             string
	GoFiles, SFiles, EmbedFiles []string
	Module                      *struct {
		Path, Version string
		Main          bool
	}
}

func list(t *testing.T, arch string) (packages []listed) {
	t.Helper()
	out := run(t, root(t), []string{"GOARCH=" + arch, "CGO_ENABLED=0"}, "go", "list", "-deps",
		"-json=ImportPath,Dir,GoFiles,SFiles,EmbedFiles,Module", "./cmd/mpivet")
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestVersion: versions of packages follow from tags, and later commits have greater ones.
func TestVersion(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		env := []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}
		for _, who := range []string{"AUTHOR", "COMMITTER"} {
			env = append(env, "GIT_"+who+"_NAME=t", "GIT_"+who+"_EMAIL=t@example.org")
		}
		run(t, dir, env, "git", args...)
	}
	script := filepath.Join(root(t), "scripts/version.sh")
	want := func(pattern string) {
		t.Helper()
		got := strings.TrimSpace(run(t, dir, nil, script))
		if ok, err := path.Match(pattern, got); err != nil || !ok {
			t.Errorf("the version is %s, want %s", got, pattern)
		}
	}
	hash := "g" + strings.Repeat("[0-9a-f]", 7)
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "1")
	want("0.0.0+1." + hash)
	git("tag", "v0.3.0-rc.1")
	git("tag", "unrelated")
	want("0.3.0-rc.1")
	git("commit", "-q", "--allow-empty", "-m", "2")
	want("0.3.0-rc.1+1." + hash)
	git("tag", "-a", "v0.3.0", "-m", "release")
	want("0.3.0")
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "file")
	want("0.3.0+dirty")
	git("commit", "-q", "-m", "3")
	want("0.3.0+1." + hash)
}

// TestSpackRecipe: the recipe loads, and passes the flags of the Makefile. Spack itself is replaced by what the recipe
// uses of it.
func TestSpackRecipe(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	out := run(t, ".", nil, "python3", "testdata/spack/try.py", "spack/package.py")
	flags := "-trimpath -modcacherw -tags grpcnotrace -ldflags -s -w %-X " + module +
		"/internal/cli.version=v1.2.3 -o mpivet ./cmd/mpivet"
	for _, want := range []string{
		"version main branch=main\n", "depends_on go@1.26: type=build\n",
		"x86_64 " + strings.Replace(flags, "%", "-E mpivet_entry ", 1) + "\n",
		"aarch64 " + strings.Replace(flags, "%", "", 1) + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the recipe lacks %q:\n%s", want, out)
		}
	}
}
