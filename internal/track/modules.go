package track

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/record/event"
)

// mapping is a file in the memory of a process, from start on. Processes have many, so what is the same in all of
// them is not in it.
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
	mappings int                    // in the process whose mapping was told last
}

func newMappedFiles() mappedFiles { return mappedFiles{byPath: make(map[string]*mappedFile)} }

// mappingRoom is how many mappings room is made for at a time.
const mappingRoom = 8

// addMapping notes that a file is in the memory of a process. What lay there before is gone.
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
		p.modules = append(make([]mapping, 0, max(room, mf.mappings)), p.modules...) // most have the same
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

// ofMPI reports whether it is MPI itself that freed an object inside of a call, and not a function of the program
// that it called: the caller is in MPI's file, or in one of Open MPI's components. What passes calls of Fortran on
// does so for the program, and is in other files. A function of MPI that ends by jumping to another returns to the
// preload library, which knows of its call.
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

// Modules calls f for every file in the memory of the process, as far as they are known.
func (mm *memoryMap) Modules(f func(event.Module)) {
	for i := range mm.modules {
		f(mm.modules[i].module())
	}
}
