package track

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/record/event"
)

// mapping is a file in the memory of a process, from start on. Processes have many of them, so data that are the same
// for all processes are in mappedFile.
type mapping struct {
	file  *mappedFile
	start uint64
}

// mappedFile is a file that processes have in their memory.
type mappedFile struct {
	path    string
	buildID []byte
	size    uint64 // bytes that are mapped
	base    uint64 // where its address 0 lies, from the start on; modulo 2^64
}

// memoryMap has the files in the memory of a process.
type memoryMap struct {
	modules      []mapping
	lastFunction functionPlace
}

// mappedFiles has the files that processes have in their memory.
type mappedFiles struct {
	byPath   map[string]*mappedFile // the last one of each path
	mappings int                    // in the process whose mapping was announced last
}

func newMappedFiles() mappedFiles { return mappedFiles{byPath: make(map[string]*mappedFile)} }

// mappingRoom is the number of mappings by which the room for them grows.
const mappingRoom = 8

// addMapping notes that a file is in the memory of a process. It replaces the mappings that were there before.
func (mf *mappedFiles) addMapping(p *Process, m event.Module) {
	f := mf.byPath[m.Path]
	if size, base := m.End-m.Start, m.Base-m.Start; f == nil || !bytes.Equal(f.buildID, m.BuildID) || f.size != size ||
		f.base != base {
		f = &mappedFile{m.Path, bytes.Clone(m.BuildID), size, base}
		mf.byPath[m.Path] = f
	}
	p.modules = slices.DeleteFunc(p.modules, func(o mapping) bool { return o.start < m.End && m.Start < o.end() })
	if len(p.modules) == cap(p.modules) {
		room := len(p.modules) + max(mappingRoom, len(p.modules)/4)
		// most processes have the same files
		p.modules = append(make([]mapping, 0, max(room, mf.mappings)), p.modules...)
	}
	p.modules = append(p.modules, mapping{f, m.Start})
	p.lastFunction = functionPlace{}
	mf.mappings = len(p.modules)
}

func (m *mapping) end() uint64 { return m.start + m.file.size }

func (m *mapping) module() event.Module {
	return event.Module{
		Base: m.start + m.file.base, Start: m.start, End: m.end(), BuildID: m.file.buildID,
		Path: m.file.path,
	}
}

// Module returns the file that an address of the process lies in, false if it is not known.
func (mm *memoryMap) Module(address uint64) (event.Module, bool) {
	for i := range mm.modules {
		if m := &mm.modules[i]; address >= m.start && address < m.end() {
			return m.module(), true
		}
	}
	return event.Module{}, false
}

// ofMPI reports whether MPI itself freed an object inside a call, and not a function of the program that MPI called.
// MPI did so if the caller is in MPI's file, or in one of Open MPI's components. The code that passes on Fortran calls
// acts for the program, and is in other files. If a function of MPI ends with a jump to another one, the caller is the
// preload library. That counts as MPI, too.
func (mm *memoryMap) ofMPI(f *event.Freed) bool {
	caller, ok := mm.Module(f.Caller)
	if !ok { // code that was made at run time
		return false
	}
	for _, address := range []uint64{f.Real, f.Wrapper} {
		if m, ok := mm.Module(address); ok && m.Start == caller.Start {
			return true
		}
	}
	return strings.HasPrefix(filepath.Base(caller.Path), "mca_")
}

// Modules calls f for every known file in the memory of the process.
func (mm *memoryMap) Modules(f func(event.Module)) {
	for i := range mm.modules {
		f(mm.modules[i].module())
	}
}
