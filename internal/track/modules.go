package track

import (
	"bytes"
	"slices"

	"github.com/mpivet/mpivet/internal/event"
)

// mapping is a file in the memory of a process. Processes have many, so what is the same in all of them is not in it.
type mapping struct {
	file             *mappedFile
	base, start, end uint64
}

// mappedFile is a file that processes have in their memory.
type mappedFile struct {
	path    string
	buildID []byte
}

// mappingRoom is how many mappings room is made for at a time.
const mappingRoom = 8

// mapped notes that a file is in the memory of a process. What lay there before is gone.
func (t *Tracker) mapped(p *Process, m event.Module) {
	f := t.files[m.Path]
	if f == nil || !bytes.Equal(f.buildID, m.BuildID) {
		f = &mappedFile{m.Path, bytes.Clone(m.BuildID)}
		t.files[m.Path] = f
	}
	p.modules = slices.DeleteFunc(p.modules, func(o mapping) bool { return o.start < m.End && m.Start < o.end })
	if len(p.modules) == cap(p.modules) {
		p.modules = append(make([]mapping, 0, len(p.modules)+max(mappingRoom, len(p.modules)/4)), p.modules...)
	}
	p.modules = append(p.modules, mapping{f, m.Base, m.Start, m.End})
}

func (m *mapping) module() event.Module {
	return event.Module{Base: m.base, Start: m.start, End: m.end, BuildID: m.file.buildID, Path: m.file.path}
}

// Module returns the file that an address of the process lies in, false if it is not known.
func (p *Process) Module(address uint64) (event.Module, bool) {
	for i := range p.modules {
		if m := &p.modules[i]; address >= m.start && address < m.end {
			return m.module(), true
		}
	}
	return event.Module{}, false
}

// Modules calls f for every file in the memory of the process, as far as they are known.
func (p *Process) Modules(f func(event.Module)) {
	for i := range p.modules {
		f(p.modules[i].module())
	}
}
