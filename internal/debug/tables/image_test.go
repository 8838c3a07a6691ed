package tables_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/testkit/faketables"
)

// segment is a part of the memory in a core file.
type segment struct {
	at   uint64
	data []byte
}

// writeCore writes a core file with segments and mapped files.
func writeCore(t *testing.T, segments []segment, maps []tables.Map) string {
	t.Helper()
	le := binary.LittleEndian
	files := le.AppendUint64(le.AppendUint64(nil, uint64(len(maps))), 4096)
	var names []byte
	for _, m := range maps {
		files = le.AppendUint64(le.AppendUint64(le.AppendUint64(files, m.Start), m.End), m.Offset/4096)
		names = append(append(names, m.Path...), 0)
	}
	files = append(files, names...)
	note := func(kind uint32, body []byte) []byte {
		b := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 5), uint32(len(body))), kind)
		b = append(append(b, "CORE\x00\x00\x00\x00"...), body...)
		return append(b, make([]byte, -len(b)&3)...)
	}
	notes := append(note(1, []byte("registers")), note(0x46494c45, files)...)
	var out bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&out, le, v); err != nil {
			t.Fatal(err)
		}
	}
	n := len(segments) + 1
	put(elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64),
		Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: uint16(n),
	})
	at := uint64(64 + 56*n)
	put(elf.Prog64{Type: uint32(elf.PT_NOTE), Off: at, Filesz: uint64(len(notes))})
	at += uint64(len(notes))
	for _, s := range segments {
		size := uint64(len(s.data))
		put(elf.Prog64{Type: uint32(elf.PT_LOAD), Off: at, Vaddr: s.at, Filesz: size, Memsz: size + 4096})
		at += size
	}
	out.Write(notes)
	for _, s := range segments {
		out.Write(s.data)
	}
	path := filepath.Join(t.TempDir(), "core")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openCore(t *testing.T, path, exe string) *tables.Core {
	t.Helper()
	c, err := tables.OpenCore(path, exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestCore: the tables are found in a core file, although the library's file is gone. Parts that were not saved come
// from mapped files.
func TestCore(t *testing.T) {
	p := faketables.New(4)
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, append(make([]byte, 4096), "the text of the program"...), 0o600); err != nil {
		t.Fatal(err)
	}
	maps := []tables.Map{
		{Start: 0x400000, End: 0x401000, Offset: 4096, Path: "/gone/program"},
		{Start: p.Base(), End: p.Base() + 4096, Path: "/gone/libmpivet-mpich-12.so"},
	}
	path := writeCore(t, []segment{{p.Base(), p.Bytes[:8192]}, {p.Base() + 8192, p.Bytes[8192:]}}, maps)
	c := openCore(t, path, file)
	at, err := tables.FindDebug(c)
	if err != nil || at != p.Debug() {
		t.Fatalf("%#x, %v", at, err)
	}
	if x, err := tables.Open(c, at); err != nil || x.Rank != 1 || x.Program != "/usr/bin/mpivet" {
		t.Errorf("%+v, %v", x, err)
	}
	across := make([]byte, 64)
	if err := c.ReadMemory(p.Base()+8192-32, across); err != nil || !bytes.Equal(across, p.Bytes[8192-32:][:64]) {
		t.Error("across two segments", err)
	}
	b := make([]byte, 8)
	if err := c.ReadMemory(0x400004, b); err != nil || string(b) != "text of " {
		t.Errorf("%q, %v", b, err)
	}
	if err := c.ReadMemory(0x10, b); err == nil {
		t.Error("memory that does not exist")
	}
	if err := openCore(t, path, "").ReadMemory(0x400004, b); err == nil {
		t.Error("the program's file is gone")
	}
}

func TestNoTables(t *testing.T) {
	for _, c := range []struct {
		maps []tables.Map
		want string
	}{
		{nil, "the library of mpivet is not loaded: the process does not run under mpivet"},
		{
			[]tables.Map{{Start: 0x1000, End: 0x2000, Path: "/gone/libmpivet-x.so"}},
			"the library of mpivet has no variable mpivet_debug",
		},
	} {
		_, err := tables.FindDebug(openCore(t, writeCore(t, []segment{{0x1000, make([]byte, 4096)}}, c.maps), ""))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := tables.OpenCore("/bin/sh", ""); err == nil || !strings.Contains(err.Error(), "is no core file") {
		t.Error(err)
	}
}

// TestDamagedCore: parts of core files are missing or overwritten.
func TestDamagedCore(t *testing.T) {
	p := faketables.New(4)
	path := writeCore(t, []segment{{p.Base(), p.Bytes}},
		[]tables.Map{{Start: p.Base(), End: p.Base() + 4096, Path: "/gone/libmpivet.so"}})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < 400; at++ {
		b := bytes.Clone(whole)
		b[at] ^= 0xff
		if at%3 == 0 {
			b = b[:at]
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := tables.OpenCore(path, "")
		if err != nil {
			continue
		}
		if at, err := tables.FindDebug(c); err == nil {
			_, _ = tables.Open(c, at)
		}
		c.Close()
	}
}

// TestSymbols: variables are found in a library that is mapped at another address than it was linked for.
func TestSymbols(t *testing.T) {
	const mapped = 0x7e0000000000
	var library string
	for _, pattern := range []string{"/lib/*/libc.so.6", "/lib64/libc.so.6"} {
		if list, _ := filepath.Glob(pattern); len(list) > 0 {
			library = list[0]
		}
	}
	if library == "" {
		t.Skip("there is no libc.so.6")
	}
	b, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "libmpi.so.40")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	list, err := e.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	var want uint64
	for _, s := range list {
		if s.Name == "environ" {
			want = mapped + s.Value
		}
	}
	core := writeCore(t, nil, []tables.Map{{Start: mapped, End: mapped + 4096, Path: path}})
	found := tables.FindSymbols(openCore(t, core, ""), "environ", "no_such_variable")
	if len(found) != 1 || want == 0 || found["environ"] != want {
		t.Errorf("%v, want %#x", found, want)
	}
}
