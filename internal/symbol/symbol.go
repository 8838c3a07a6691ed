// Package symbol converts program counters to functions, files and lines. It reads the ELF symbol tables and DWARF of
// the programs and libraries that ranks had loaded. The processes need not exist any more. It never runs another tool.
//
// Everything is lazy. A file is mapped when the first pc in it is looked up. Of its debug information, only the
// compilation units with such pcs are decoded. Files are not trusted: parts that are malformed, missing or changed
// since the run reduce the answer, at worst to module and offset, and are reported by [Resolver.Notes].
package symbol

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// Module is an executable or a shared library in a process.
type Module struct {
	Path string // as the process saw it
	// BuildID is the GNU build id that the process had in memory. If it is empty, the file is used without a check.
	// Otherwise, a file with another build id is not used.
	BuildID []byte
	// Base is the load address: pc - Base is the virtual address in the ELF file. It is 0 for a position-dependent
	// executable.
	Base       uint64
	Start, End uint64 // the mapped addresses
}

// name returns the name of the module in stack frames.
func (m *Module) name() string {
	if m.Path == "" {
		return "[anonymous]"
	}
	return filepath.Base(strings.TrimSuffix(m.Path, " (deleted)"))
}

// Option is an option of a [Resolver].
type Option func(*Resolver)

// WithDebugRoots replaces the directories that are searched for separate debug files (/usr/lib/debug). Below each,
// .build-id/xx/yyyy.debug and the path of a file's directory are searched, as gdb does.
func WithDebugRoots(dirs ...string) Option {
	return func(r *Resolver) { r.roots = dirs }
}

// WithoutLines selects functions of the C library for which Frames gives no line. Nearly every stack ends in these
// functions, their lines are of no interest, and the debug information with the lines is large.
func WithoutLines(function func(name string) bool) Option {
	return func(r *Resolver) { r.startup = function }
}

// Lookup returns the frames of an address in a file, the innermost one first: functions, files and lines.
type Lookup func(path string, buildID []byte, address uint64) []Frame

// SetRemote makes the resolver ask another machine about files that this one does not have.
func (r *Resolver) SetRemote(l Lookup) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remote = l
}

// Lookup looks up an address in a file.
func (r *Resolver) Lookup(path string, buildID []byte, address uint64) []Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(&Module{Path: path, BuildID: buildID}, address)
}

// Resolver reads ELF files. All address spaces of a session share one resolver, so that each file is read once. Several
// goroutines may use it.
type Resolver struct {
	roots   []string
	startup func(name string) bool // see WithoutLines
	table   Table                  // see WithTable; nil: files are read
	copy    Table                  // see WithCopy; nil: there is no copy
	remote  Lookup                 // see SetRemote; nil: there is none

	mu      sync.Mutex
	objects map[objectKey]*object
	notes   map[string]bool
	cus     cuCache
}

type objectKey struct {
	path, buildID string
}

// NewResolver returns a resolver that has read nothing yet.
func NewResolver(opts ...Option) *Resolver {
	r := &Resolver{
		roots:   []string{"/usr/lib/debug"},
		startup: func(string) bool { return false },
		objects: make(map[objectKey]*object),
		notes:   make(map[string]bool),
	}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Close unmaps the files. Frames that were returned stay valid. The resolver must not be used again.
func (r *Resolver) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range r.objects {
		o.close()
	}
	clear(r.objects)
	r.cus = cuCache{}
}

// Notes returns the reasons why the resolver could not give functions or lines, one sentence each, sorted: files that
// do not exist any more or have changed since the run, and malformed debug information. There is no note for a file
// that only has no debug information.
func (r *Resolver) Notes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := make([]string, 0, len(r.notes))
	for n := range r.notes {
		notes = append(notes, n)
	}
	sort.Strings(notes)
	return notes
}

func (r *Resolver) note(format string, args ...any) {
	r.notes[fmt.Sprintf(format, args...)] = true
}

// object returns the file of a module, opened at first use.
func (r *Resolver) object(m *Module) *object {
	k := objectKey{m.Path, string(m.BuildID)}
	o := r.objects[k]
	if o == nil {
		o = &object{module: m}
		r.objects[k] = o
		if err := guard(func() { r.openObject(o) }); err != nil {
			r.note("%s: malformed: %v", m.Path, err)
		}
	}
	return o
}

// Space is the address space of one process, with the addresses of its modules.
type Space struct {
	r       *Resolver
	modules []*Module // by Start, not overlapping
	frames  map[frameKey][]Frame
}

type frameKey struct {
	pc  uint64
	ret bool
}

// NewSpace returns an address space without modules. Only one goroutine at a time may use a Space.
func (r *Resolver) NewSpace() *Space {
	return &Space{r: r, frames: make(map[frameKey][]Frame)}
}

// Add adds a module. It replaces earlier modules that overlap it: they have been unloaded.
func (s *Space) Add(m Module) {
	m.BuildID = slices.Clone(m.BuildID)
	if m.End <= m.Start {
		return
	}
	before := len(s.modules)
	s.modules = slices.DeleteFunc(s.modules, func(o *Module) bool {
		return o.Start < m.End && m.Start < o.End
	})
	i := sort.Search(len(s.modules), func(i int) bool { return s.modules[i].Start > m.Start })
	s.modules = slices.Insert(s.modules, i, &m)
	if len(s.modules) != before+1 || len(s.frames) > 0 {
		for k := range s.frames {
			if m.Start <= k.pc && k.pc <= m.End {
				delete(s.frames, k)
			}
		}
	}
}

// Module returns the module that contains pc.
func (s *Space) Module(pc uint64) (Module, bool) {
	if m := s.module(pc); m != nil {
		return *m, true
	}
	return Module{}, false
}

func (s *Space) module(pc uint64) *Module {
	i := sort.Search(len(s.modules), func(i int) bool { return s.modules[i].End > pc })
	if i < len(s.modules) && s.modules[i].Start <= pc {
		return s.modules[i]
	}
	return nil
}

// Frames returns the functions at pc, innermost first. There are several if functions were inlined. A return address is
// looked up one byte before it, because the call may be the last instruction of its line, block or function. A pc that
// faulted is looked up as it is. PC in each frame is pc itself. There is always at least one frame. The result is
// shared and must not be changed.
func (s *Space) Frames(pc uint64, isReturnAddress bool) []Frame {
	k := frameKey{pc, isReturnAddress}
	if f, ok := s.frames[k]; ok {
		return f
	}
	f := s.lookup(pc, isReturnAddress)
	s.frames[k] = f
	return f
}

func (s *Space) lookup(pc uint64, isReturnAddress bool) []Frame {
	at := pc
	if isReturnAddress && pc > 0 {
		at--
	}
	m := s.module(at)
	if m == nil {
		return []Frame{{Function: fmt.Sprintf("%#x", pc), PC: pc}}
	}
	s.r.mu.Lock()
	frames := s.r.find(m, at-m.Base)
	s.r.mu.Unlock()
	if len(frames) == 0 {
		frames = []Frame{{}}
	}
	for i := range frames {
		f := &frames[i]
		f.PC = pc
		f.Module = m.name()
		f.Address = at - m.Base
		if f.Function == "" {
			f.Function = fmt.Sprintf("%s+%#x", f.Module, f.Address)
		}
	}
	return frames
}

// Frame is a place in a program's code.
type Frame struct {
	Function string
	File     string // absolute path
	Line     int
	Module   string // base name of the executable or shared library
	PC       uint64
	// Address is the address in the module's file that was looked up, in the form that addr2line takes: that of the
	// instruction, or one less than a return address.
	Address uint64
}

// cLibrary matches the names of the C library's files that start a process or a thread.
var cLibrary = lazyregexp.New(`^(libc|libpthread|ld-linux.*|ld)([-.][0-9.]+)?\.so(\.[0-9]+)*$`)

// find looks up a virtual address of m's file, in the table or in the file. Functions without a name are "".
func (r *Resolver) find(m *Module, addr uint64) []Frame {
	if r.table != nil {
		return slices.Clone(r.table[Address{m.Path, addr}])
	}
	frames := r.resolve(m, addr)
	if o := r.object(m); r.remote != nil && len(frames) == 0 && o.missing() {
		frames = r.remote(m.Path, m.BuildID, addr)
	}
	if r.copy != nil {
		r.copy[Address{m.Path, addr}] = slices.Clone(frames)
	}
	return frames
}

// resolve looks up a virtual address in m's file. Functions without a name are "".
func (r *Resolver) resolve(m *Module, addr uint64) (frames []Frame) {
	o := r.object(m)
	if cLibrary().MatchString(m.name()) {
		var name string
		if guard(func() { name = o.symbol(addr) }) == nil && r.startup(name) {
			return []Frame{{Function: name}}
		}
	}
	if err := guard(func() {
		if d := o.dwarf(r); d != nil {
			frames = d.frames(r, addr)
		}
	}); err != nil {
		r.note("%s: malformed debug information: %v", o.debugPath(), err)
		frames = nil
	}
	if n := len(frames); n > 0 && frames[n-1].Function != "" {
		return frames
	}
	// The symbol table may have a name that the debug information does not have.
	var name string
	if err := guard(func() { name = o.symbol(addr) }); err != nil {
		r.note("%s: malformed symbol table: %v", m.Path, err)
	}
	if name == "" {
		return frames
	}
	if len(frames) == 0 {
		frames = []Frame{{}}
	}
	frames[len(frames)-1].Function = name
	return frames
}

func buildIDString(id []byte) string { return hex.EncodeToString(id) }
