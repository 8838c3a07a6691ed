package e2e

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLibraryThatCallsItself: the code of a fatal error is known if the functions of Open MPI's library call each other
// directly, as on Ubuntu, and not through the dynamic linker.
func TestLibraryThatCallsItself(t *testing.T) {
	m := mpi(t, "openmpi")
	source, err := filepath.Abs("../../../examples/msg/truncated_wait.c")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "truncated")
	// With -fPIC, the program has no copies of the library's objects.
	if text, err := exec.Command(m.CC, "-g", "-fPIC", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	needed, err := exec.Command("ldd", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(libmpi\.so\.\d+) => (\S+)`).FindStringSubmatch(string(needed))
	if match == nil {
		t.Fatalf("no MPI library in\n%s", needed)
	}
	makeSymbolic(t, match[2], filepath.Join(dir, match[1]))
	t.Setenv("LD_LIBRARY_PATH", dir)
	r := vet(t, 2, nil, program)
	if n := len(r.report.Findings); n != 1 || r.report.Findings[0].Check != "GLOBAL:MSG:TRUNCATED" {
		t.Errorf("%d findings:\n%s", n, r.Stderr)
	}
}

// makeSymbolic copies a shared library. The dynamic linker looks up what the copy needs in the copy itself first, as if
// it had been linked with -Bsymbolic.
func makeSymbolic(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	dynamic := file.Section(".dynamic")
	if dynamic == nil || file.Class != elf.ELFCLASS64 {
		t.Fatalf("%s has no dynamic section of 64 bits", from)
	}
	const entry = 16
	end := dynamic.Offset + dynamic.FileSize
	for at := dynamic.Offset; at+2*entry <= end; at += entry {
		if elf.DynTag(file.ByteOrder.Uint64(data[at:])) == elf.DT_NULL { // and another one follows
			file.ByteOrder.PutUint64(data[at:], uint64(elf.DT_SYMBOLIC))
			if err := os.WriteFile(to, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s has no room for another entry in its dynamic section", from)
}
