package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDebuggerLibrary(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler: ", err)
	}
	var log strings.Builder
	l := &DebuggerLibrary{
		Dir: t.TempDir(), Log: &log, Flags: []string{"-shared", "-fPIC"},
		Sources: map[string][]byte{"a.c": []byte("#include \"a.h\"\n"), "a.h": []byte("int here;\n")},
	}
	path, err := l.Build()
	if err != nil {
		t.Fatal(err)
	}
	if names, err := exports(path); err != nil || !names["here"] {
		t.Errorf("%v %v", names, err)
	}
	t.Setenv("CC", "/no/such/cc")
	if again, err := l.Build(); err != nil || again != path || strings.Count(log.String(), "compiling") != 1 {
		t.Errorf("%q, %v; want %q from the cache; %s", again, err, path, log.String())
	}
	if entries, err := os.ReadDir(l.Dir); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
	other := *l
	other.Sources = map[string][]byte{"a.c": []byte("int x = ;\n")}
	if _, err := other.Build(); err == nil || !strings.Contains(err.Error(), "no C compiler") {
		t.Error(err)
	}
	t.Setenv("CC", "")
	if _, err := other.Build(); err == nil || !strings.Contains(err.Error(), "error: expected expression") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(l.Dir, ".build*")); len(left) > 0 {
		t.Errorf("%v is left in the cache", left)
	}
}
