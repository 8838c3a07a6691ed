package pipeline

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/symbol"
	"github.com/mpivet/mpivet/internal/track"
)

// places knows the call stacks of all threads, and converts them for the user.
type places struct {
	tracker  *track.Tracker
	layers   *finding.Layers
	resolver *symbol.Resolver
	spaces   []*symbol.Space // by process; nil until it is needed
	sites    [][]*stack      // by thread, ordered by their numbers
	codes    pythonCodes
}

// stack is a call stack with derived data.
type stack struct {
	id     uint32
	pcs    []uint64
	python []event.PythonFrame
	place  string
	frames []finding.Frame
}

// NewResolver returns the resolver with which an analysis finds functions and lines.
func NewResolver(options ...symbol.Option) *symbol.Resolver {
	return symbol.NewResolver(append(options, symbol.WithoutLines(finding.Startup))...)
}

func (p *places) init(t *track.Tracker, o *stream.Owner, r *symbol.Resolver, l *finding.Layers) {
	if r == nil {
		r = NewResolver()
	}
	p.tracker, p.resolver, p.layers = t, r, l
	t.Events.ModuleMapped.On(o, func(e track.ModuleMapped) { p.module(e.Process.Proc.ID, e.Module) })
	t.Events.CodeSeen.On(o, func(e track.CodeSeen) { p.codes.add(e.Thread.Thread.ID, e.Code) })
	t.Events.SiteSeen.On(o, func(e track.SiteSeen) { p.add(e.Thread.Thread.ID, e.Site) })
}

func (p *places) proc() { p.spaces = append(p.spaces, nil) }

func (p *places) thread() { p.sites = append(p.sites, nil) }

func (p *places) module(id ring.ProcID, m event.Module) {
	if s := p.spaces[id]; s != nil {
		addModule(s, m)
	}
}

func addModule(s *symbol.Space, m event.Module) {
	s.Add(symbol.Module{Path: m.Path, BuildID: m.BuildID, Base: m.Base, Start: m.Start, End: m.End})
}

// space returns the address space of a process, for symbols.
func (p *places) space(pr *track.Process) *symbol.Space {
	id := pr.Proc.ID
	if p.spaces[id] == nil {
		p.spaces[id] = p.resolver.NewSpace()
		pr.Modules(func(m event.Module) { addModule(p.spaces[id], m) })
	}
	return p.spaces[id]
}

func (p *places) add(id ring.ThreadID, s event.Site) {
	st := &stack{id: s.ID, pcs: make([]uint64, s.PCs.Len()), python: s.Python}
	for i := range st.pcs {
		st.pcs[i] = s.PCs.Handle(i)
	}
	list := p.sites[id]
	at, again := slices.BinarySearchFunc(list, s.ID, byID)
	if again {
		list[at] = st
		return
	}
	p.sites[id] = slices.Insert(list, at, st)
}

func byID(s *stack, id uint32) int { return cmp.Compare(s.id, id) }

func (p *places) stack(c match.Call) *stack {
	if len(c.Raw) < 8 {
		return nil
	}
	site := uint32(c.Raw[4]) | uint32(c.Raw[5])<<8 | uint32(c.Raw[6])<<16 | uint32(c.Raw[7])<<24
	list := p.sites[c.Thread]
	if at, ok := slices.BinarySearchFunc(list, site, byID); ok {
		return list[at]
	}
	return nil
}

// place identifies the place of a call by the innermost frames of the program itself. It is the same on all ranks, and
// for all instances of a template.
func (p *places) place(c match.Call) string {
	s := p.stack(c)
	if s == nil {
		return fmt.Sprintf("%d@?", c.Func())
	}
	if s.place == "" {
		th := p.tracker.ThreadByID(c.Thread)
		h := fnv.New128a()
		for _, f := range p.layers.Cause(finding.Trim(p.frames(th, s))) {
			if m, ok := th.Process.Module(f.PC); f.Line > 0 {
				fmt.Fprintf(h, "%s:%d ", f.File, f.Line)
			} else if f.File != "" {
				fmt.Fprintf(h, "%s %s ", f.File, f.Function)
			} else if ok {
				fmt.Fprintf(h, "%s+%x ", m.Path, f.PC-m.Base)
			} else {
				fmt.Fprintf(h, "%x ", f.PC)
			}
		}
		s.place = fmt.Sprintf("%x", h.Sum(nil))
	}
	return fmt.Sprintf("%d@%s", c.Func(), s.place)
}

// site describes a call and its place.
func (p *places) site(role string, c match.Call) finding.Site {
	th := p.tracker.ThreadByID(c.Thread)
	out := finding.Site{Rank: th.Process.Rank, Role: role}
	if call, _, err := event.Parse(c.Raw); err == nil {
		out.Call = call.Format(namer{th.Process, p})
	} else if f := mpiapi.ByID(c.Func()); f != nil {
		out.Call = f.Name
	}
	if s := p.stack(c); s != nil {
		out.Stack = p.frames(th, s)
	}
	return out
}

// namer names arguments of a process's calls: also functions of the program, and operations that it made from them.
type namer struct {
	*track.Process
	places *places
}

// NameConst returns the name of a constant or of a function of the program.
func (n namer) NameConst(q *mpiapi.Param, value int64) string {
	if name := n.Process.NameConst(q, value); name != "" || q.Kind != mpiapi.Function {
		return name
	}
	return n.places.function(n.Process, uint64(value))
}

// NameHandle returns the name of a handle.
func (n namer) NameHandle(kind mpiapi.Kind, value uint64) string {
	name := n.Process.NameHandle(kind, value)
	if address, _, ok := n.OpFunction(value); name == "" && kind == mpiapi.Op && ok {
		return n.places.function(n.Process, address)
	}
	return name
}

// function returns the name of the function at an address, "" if it is not known.
func (p *places) function(pr *track.Process, address uint64) string {
	space := p.space(pr)
	if _, ok := space.Module(address); !ok {
		return ""
	}
	name := space.Frames(address, false)[0].Function
	if strings.Contains(name, "+0x") {
		return ""
	}
	return name
}

// frames returns the functions and lines of a stack. Frames of MPI's own layers (Fortran, C++) are of no use to the
// user.
func (p *places) frames(th *track.Thread, s *stack) []finding.Frame {
	if s.frames != nil {
		return s.frames
	}
	space := p.space(th.Process)
	var stack []cFrame
	for i, pc := range s.pcs {
		m, ok := space.Module(pc)
		if len(stack) == 0 && ok && i+1 < len(s.pcs) && isMPILibrary(m.Path) {
			continue
		}
		for _, f := range space.Frames(pc, true) {
			stack = append(stack, cFrame{cFunction(f), m.Path})
		}
	}
	if len(s.python) > 0 {
		s.frames = interleave(stack, p.codes.frames(th.Thread.ID, s.python))
		return s.frames
	}
	s.frames = make([]finding.Frame, 0, len(stack))
	for i := range stack {
		s.frames = append(s.frames, stack[i].Frame)
	}
	return s.frames
}

// layered reports whether a layer of MPI (for example of Fortran) makes the call for the program.
func (p *places) layered(c match.Call) bool {
	s := p.stack(c)
	if s == nil || len(s.pcs) == 0 {
		return false
	}
	m, ok := p.tracker.ThreadByID(c.Thread).Process.Module(s.pcs[0])
	return ok && isMPILibrary(m.Path)
}

// isMPILibrary reports whether a file belongs to an MPI library, or is mpivet's own library.
func isMPILibrary(path string) bool {
	base := filepath.Base(path)
	for _, prefix := range []string{
		"libmpi.", "libmpich", "libmpi_", "libmpifort", "libmpicxx", "libpmpi",
		"libmpivet",
	} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return false
}

// endSpace returns the address space of a process at its end.
func (p *places) endSpace(pr *track.Process) *symbol.Space {
	space := p.space(pr)
	for _, m := range pr.Ended.Maps {
		base := m.Start - m.Offset
		if _, ok := space.Module(m.Start); !ok {
			space.Add(symbol.Module{Path: m.Path, Base: base, Start: m.Start, End: m.End})
		}
	}
	return space
}

// isOwn reports whether an address is in mpivet's own library.
func isOwn(space *symbol.Space, pc uint64) bool {
	m, ok := space.Module(pc)
	return ok && strings.HasPrefix(filepath.Base(m.Path), "libmpivet")
}

// faultInside returns the function of mpivet's library in which a fault killed a process. ok is false if the fault was
// elsewhere.
func (p *places) faultInside(pr *track.Process) (function string, ok bool) {
	e := pr.Ended
	if e == nil || e.Kind != ring.Signaled || e.SenderPID != 0 || len(e.PCs) == 0 {
		return "", false
	}
	space := p.endSpace(pr)
	if !isOwn(space, e.PCs[0]) {
		return "", false
	}
	if frames := space.Frames(e.PCs[0], false); len(frames) > 0 {
		function = frames[0].Function
	}
	return function, true
}

func cFunction(f symbol.Frame) finding.Frame {
	return finding.Frame{
		Function: f.Function, File: f.File, Line: f.Line, Module: f.Module, PC: f.PC, Address: f.Address,
	}
}

// end returns the call stack of a process at its end.
func (p *places) end(pr *track.Process) []finding.Frame {
	e := pr.Ended
	if e == nil {
		return nil
	}
	space := p.endSpace(pr)
	var frames []finding.Frame
	for i, pc := range e.PCs {
		if isOwn(space, pc) {
			continue
		}
		for _, f := range space.Frames(pc, i > 0 || e.Kind != ring.Signaled) {
			frames = append(frames, cFunction(f))
		}
	}
	return frames
}
