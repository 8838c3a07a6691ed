package tables

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Map is a mapping of a file into the memory of a process.
type Map struct {
	Start, End uint64
	Offset     uint64 // in the file, in bytes
	Path       string
}

// Image is the memory of a process and the files that are mapped into it.
type Image interface {
	Memory
	// Maps returns the mapped files, in the order of their addresses.
	Maps() []Map
	// File opens a mapped file for reading.
	File(path string) (*os.File, error)
	io.Closer
}

// Process is a live process. Its memory may change while it is read.
type Process struct {
	pid    int
	memory *os.File
	maps   []Map
}

// OpenProcess gives access to a process of this user on this node. The process goes on running.
func OpenProcess(pid int) (*Process, error) {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no process %d", pid)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("this user may not read the memory of process %d: see kernel.yama.ptrace_scope, "+
			"or use a debugger", pid)
	case err != nil:
		return nil, err
	}
	p := &Process{pid: pid, memory: memory}
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		memory.Close()
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if m, ok := parseMap(lines.Text()); ok {
			p.maps = append(p.maps, m)
		}
	}
	return p, lines.Err()
}

// parseMap parses a line of /proc/PID/maps. It returns false for memory without a file.
func parseMap(line string) (m Map, ok bool) {
	words := strings.SplitN(line, " ", 6)
	if len(words) < 6 {
		return m, false
	}
	m.Path = strings.TrimLeft(words[5], " ")
	from, to, _ := strings.Cut(words[0], "-")
	var errs [3]error
	m.Start, errs[0] = strconv.ParseUint(from, 16, 64)
	m.End, errs[1] = strconv.ParseUint(to, 16, 64)
	m.Offset, errs[2] = strconv.ParseUint(words[2], 16, 64)
	return m, strings.HasPrefix(m.Path, "/") && errors.Join(errs[:]...) == nil
}

// ReadMemory implements Memory.
func (p *Process) ReadMemory(addr uint64, b []byte) error {
	if addr > 1<<63-1 {
		return ErrMemory
	}
	if _, err := p.memory.ReadAt(b, int64(addr)); err != nil {
		return ErrMemory
	}
	return nil
}

// Maps implements Image.
func (p *Process) Maps() []Map { return p.maps }

// File implements Image.
func (p *Process) File(path string) (*os.File, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/root%s", p.pid, path))
	if err != nil {
		return os.Open(path)
	}
	return f, nil
}

// Close implements Image.
func (p *Process) Close() error { return p.memory.Close() }

// Core is a core file.
type Core struct {
	elf   *elf.File
	exe   string // replaces the file with its name; "": none
	maps  []Map
	files map[string]*os.File // nil: it cannot be opened
}

// OpenCore opens a core file. If exe is not "", it is a path of the executable, in case that it is not any more where
// it was.
func OpenCore(path, exe string) (*Core, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f.Type != elf.ET_CORE || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		f.Close()
		return nil, fmt.Errorf("%s is no core file of this kind of machine", path)
	}
	c := &Core{elf: f, exe: exe, files: make(map[string]*os.File)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && p.Filesz <= maxNotes {
			b := make([]byte, p.Filesz)
			if _, err := p.ReadAt(b, 0); err == nil {
				c.maps = append(c.maps, fileNotes(b)...)
			}
		}
	}
	return c, nil
}

const (
	maxNotes = 256 << 20
	ntFile   = 0x46494c45 // NT_FILE
)

// fileNotes returns the mapped files that the notes of a core file list.
func fileNotes(b []byte) []Map {
	for len(b) >= 12 {
		name, size, kind := uint64(u32(b, 0)), uint64(u32(b, 4)), u32(b, 8)
		at := 12 + (name+3)&^3
		if at+size > uint64(len(b)) {
			return nil
		}
		if kind == ntFile {
			return parseFiles(b[at : at+size])
		}
		b = b[min(at+(size+3)&^3, uint64(len(b))):]
	}
	return nil
}

// parseFiles parses the note NT_FILE: the number of mappings, the size of a page, the mappings, and their paths.
func parseFiles(b []byte) []Map {
	if len(b) < 16 {
		return nil
	}
	n, page := u64(b, 0), u64(b, 8)
	if n > uint64(len(b))/24 || 16+24*n > uint64(len(b)) {
		return nil
	}
	var maps []Map
	paths := b[16+24*n:]
	for i := range int(n) {
		at := 16 + 24*i
		path := text(paths)
		paths = paths[min(len(path)+1, len(paths)):]
		maps = append(maps, Map{u64(b, at), u64(b, at+8), u64(b, at+16) * page, path})
	}
	return maps
}

// ReadMemory implements Memory. Parts that the core file does not have come from the mapped files.
func (c *Core) ReadMemory(addr uint64, b []byte) error {
	for len(b) > 0 {
		n := c.readPart(addr, b)
		if n == 0 {
			return ErrMemory
		}
		addr, b = addr+uint64(n), b[n:]
	}
	return nil
}

// readPart reads some bytes, and returns their number.
func (c *Core) readPart(addr uint64, b []byte) int {
	for _, p := range c.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			n := int(min(uint64(len(b)), p.Filesz-(addr-p.Vaddr)))
			if _, err := p.ReadAt(b[:n], int64(addr-p.Vaddr)); err == nil {
				return n
			}
		}
	}
	for _, m := range c.maps {
		if addr < m.Start || addr >= m.End {
			continue
		}
		f, known := c.files[m.Path]
		if !known {
			f, _ = c.File(m.Path)
			c.files[m.Path] = f
		}
		if f == nil {
			return 0
		}
		n := int(min(uint64(len(b)), m.End-addr))
		n, _ = f.ReadAt(b[:n], int64(m.Offset+(addr-m.Start)))
		return n
	}
	return 0
}

// Maps implements Image.
func (c *Core) Maps() []Map { return c.maps }

// File implements Image.
func (c *Core) File(path string) (*os.File, error) {
	if c.exe != "" && filepath.Base(path) == filepath.Base(c.exe) {
		path = c.exe
	}
	return os.Open(path)
}

// Close implements Image.
func (c *Core) Close() error {
	for _, f := range c.files {
		if f != nil {
			f.Close()
		}
	}
	return c.elf.Close()
}

// isLibrary reports whether a file is the library of mpivet.
func isLibrary(path string) bool {
	name := filepath.Base(strings.TrimSuffix(path, " (deleted)"))
	return strings.HasPrefix(name, "libmpivet") && strings.Contains(name, ".so")
}

// isMPI reports whether a file is the library of Open MPI.
func isMPI(path string) bool { return strings.HasPrefix(filepath.Base(path), "libmpi.so") }

// FindDebug returns the address of mpivet_debug.
func FindDebug(i Image) (uint64, error) {
	if at := symbols(i, isLibrary, "mpivet_debug")["mpivet_debug"]; at != 0 {
		return at, nil
	}
	found := false
	for _, m := range i.Maps() {
		if isLibrary(m.Path) {
			found = true
			if at := searchDebug(i, m); at != 0 {
				return at, nil
			}
		}
	}
	if !found {
		return 0, errors.New("the library of mpivet is not loaded: the process does not run under mpivet")
	}
	return 0, errors.New("the library of mpivet has no variable mpivet_debug: it is of another version, " +
		"or this memory was not saved")
}

// FindSymbols returns the addresses of variables of the MPI library. Those that do not exist are left out.
func FindSymbols(i Image, names ...string) map[string]uint64 { return symbols(i, isMPI, names...) }

// symbols returns the addresses of variables of the files that is selects.
func symbols(i Image, is func(path string) bool, names ...string) map[string]uint64 {
	found := make(map[string]uint64)
	for _, m := range i.Maps() {
		if !is(m.Path) {
			continue
		}
		f, err := i.File(m.Path)
		if err != nil {
			continue
		}
		if e, err := elf.NewFile(f); err == nil {
			addSymbols(found, e, m, names)
		}
		f.Close()
		if len(found) > 0 {
			break
		}
	}
	return found
}

// addSymbols adds the addresses of variables in a file, one mapping of which is m.
func addSymbols(found map[string]uint64, e *elf.File, m Map, names []string) {
	list, err := e.DynamicSymbols()
	if err != nil {
		return
	}
	var bias uint64
	known := false
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD && m.Offset >= p.Off&^(pageSize-1) && m.Offset < p.Off+max(p.Filesz, 1) {
			bias = m.Start - (p.Vaddr - p.Off + m.Offset)
			known = true
			break
		}
	}
	for _, s := range list {
		if known && s.Section != elf.SHN_UNDEF && slices.Contains(names, s.Name) {
			found[s.Name] = bias + s.Value
		}
	}
}

// mostSearched is how many bytes from a mapping of the library on are searched. The variables of the library without
// initial values follow its mappings.
const mostSearched = 4 << 20

// searchDebug returns the address of a struct mv_debug in or behind a mapping of the library, 0 if there is none. The
// library's file may be gone.
func searchDebug(i Image, m Map) uint64 {
	page := make([]byte, pageSize)
	for at := m.Start; at < m.Start+mostSearched; at += pageSize {
		if i.ReadMemory(at, page) != nil {
			if at >= m.End {
				return 0
			}
			continue
		}
		for k := 0; k < pageSize; k += 8 {
			if u64(page, k) != layout.MagicDebug {
				continue
			}
			if h, err := read(i, at+uint64(k), 16); err == nil && u32(h, layout.DebugVersionAt) == layout.Version &&
				u32(h, layout.DebugHeaderSizeAt) == layout.SizeofDebug {
				return at + uint64(k)
			}
		}
	}
	return 0
}
