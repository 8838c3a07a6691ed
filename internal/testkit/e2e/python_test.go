package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// pythons returns the interpreters that are installed: the system's, and those of pyenv.
func pythons() []string {
	list, _ := filepath.Glob("/usr/bin/python3.[0-9]*[0-9]")
	if home, err := os.UserHomeDir(); err == nil {
		more, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
		list = append(list, more...)
	}
	return list
}

// TestPythonStacks: the Python functions on the stacks of calls are those that Python itself gives, with all versions
// of CPython that are installed.
func TestPythonStacks(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		switch m.Name {
		case "openmpi": // with Debian's mpi4py
			const python = "/usr/bin/python3"
			program, err := launch.Detect([]string{python, "testdata/mpi4py/each.py"}, "")
			if err != nil || program.MPI.Flavour != launch.OpenMPI {
				t.Skip("there is no mpi4py for Open MPI")
			}
			pythonStacks(t, python, "mpi4py")
		case "mpich":
			for _, python := range pythons() {
				t.Run(strings.ReplaceAll(python, "/", "_"), func(t *testing.T) {
					out, err := exec.Command(python, "-c",
						"import ctypes, sys; print(sys.implementation.name, *sys.version_info[:2])").Output()
					if err != nil {
						t.Skip(err)
					}
					var name string
					var major, minor int
					if _, err := fmt.Sscan(string(out), &name, &major, &minor); err != nil {
						t.Fatal(err)
					}
					if name != "cpython" || minor < 9 || minor > 14 {
						t.Skipf("%s", out)
					}
					pythonStacks(t, python, "ctypes", "--mpi", m.Name)
				})
			}
		default:
			t.Skip("the script does not know this MPI")
		}
	})
}

func pythonStacks(t *testing.T, python, kind string, flags ...string) {
	t.Helper()
	script, err := filepath.Abs("testdata/mpi4py/stacks.py")
	if err != nil {
		t.Fatal(err)
	}
	expectedFile := filepath.Join(t.TempDir(), "expected.json")
	flags = append(flags, "--quiet", "--limit", "0", "--cause-frames", "100", "--fail-on", "never")
	r := vet(t, 1, flags, python, script, expectedFile, kind)
	data, err := os.ReadFile(expectedFile)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stderr)
	}
	var list [][2]json.RawMessage // tag, stack
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	// The script calls MPI in the function send. At most 64 frames are recorded.
	want, missing := make(map[string]string), make(map[string]bool)
	for _, e := range list {
		var stack [][2]any
		if err := json.Unmarshal(e[1], &stack); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(stack[:min(len(stack), 63)])
		want[string(e[0])], missing[text] = text, true
	}
	tag := regexp.MustCompile(`tag=(\d+)`)
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if f.Check != "LOCAL:MPI:INVALID_ARGUMENT" {
			continue
		}
		stack := make([][2]string, 0, 64)
		for _, frame := range f.Sites[0].Stack {
			if frame.Language == finding.Python {
				name := frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
				stack = append(stack, [2]string{name, strconv.Itoa(frame.Line)})
			}
		}
		if len(stack) == 0 {
			t.Fatalf("no Python function on %v", f.Sites[0].Stack)
		}
		number := tag.FindStringSubmatch(f.Sites[0].Call)[1]
		if got := fmt.Sprint(stack[1:]); stack[0][0] != "send" || got != want[number] {
			t.Errorf("call %s: %s in\n%s, want\n%s", number, stack[0], got, want[number])
		}
		delete(missing, want[number])
	}
	if len(missing) > 0 || len(list) < 80 {
		t.Errorf("%d of %d stacks are missing: %v", len(missing), len(list), missing)
	}
}
