package tables_test

import (
	"os"
	"testing"
	"unsafe"

	"github.com/mpivet/mpivet/internal/debug/tables"
)

var known = [...]byte{1, 2, 3, 4}

// TestProcess reads the memory of a live process: this one.
func TestProcess(t *testing.T) {
	p, err := tables.OpenProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	b := make([]byte, len(known))
	if err := p.ReadMemory(uint64(uintptr(unsafe.Pointer(&known[0]))), b); err != nil || [4]byte(b) != known {
		t.Error(b, err)
	}
	if err := p.ReadMemory(8, b); err == nil {
		t.Error("memory at 8")
	}
	if err := p.ReadMemory(1<<63, b); err == nil {
		t.Error("memory at 1<<63")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Maps()) == 0 || p.Maps()[0].Path != exe {
		t.Errorf("%v, want %s first", p.Maps(), exe)
	}
	if _, err := tables.FindDebug(p); err == nil {
		t.Error("this process has no tables")
	}
}
