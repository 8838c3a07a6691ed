package recorded

import (
	"context"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/stream"
	"github.com/mpivet/mpivet/internal/symbol"
	"github.com/mpivet/mpivet/internal/track"
)

// symbolize returns the frames of all code addresses in a record file: those of all call stacks, and those of the ends
// of processes.
func symbolize(recordFile string) (symbol.Table, error) {
	f, err := ring.OpenFile(recordFile, mpiapi.Reads)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	table := make(symbol.Table)
	s := symbolizer{
		resolver: pipeline.NewResolver(symbol.WithCopy(table)), spaces: make(map[*track.Process]*symbol.Space),
	}
	defer s.resolver.Close()
	t := track.New(match.New())
	owner := &stream.Owner{Name: "symbols", Bare: true}
	t.Events.ModuleMapped.On(owner, s.module)
	t.Events.SiteSeen.On(owner, s.site)
	t.Events.ProcessEnded.On(owner, s.end)
	if err := pipeline.Run(context.Background(), f, t, false); err != nil {
		return nil, err
	}
	for _, p := range s.pcs {
		s.space(p.process).Frames(p.pc, p.returns)
	}
	return table, nil
}

// A symbolizer collects addresses. They are looked up when all modules are known.
type symbolizer struct {
	resolver *symbol.Resolver
	spaces   map[*track.Process]*symbol.Space
	pcs      []pc
}

type pc struct {
	process *track.Process
	pc      uint64
	returns bool // it is a return address
}

func (s *symbolizer) space(p *track.Process) *symbol.Space {
	if s.spaces[p] == nil {
		s.spaces[p] = s.resolver.NewSpace()
	}
	return s.spaces[p]
}

func (s *symbolizer) module(e track.ModuleMapped) {
	m := e.Module
	s.space(e.Process).Add(symbol.Module{Path: m.Path, BuildID: m.BuildID, Base: m.Base, Start: m.Start, End: m.End})
}

func (s *symbolizer) site(e track.SiteSeen) {
	for i := range e.Site.PCs.Len() {
		s.pcs = append(s.pcs, pc{e.Thread.Process, e.Site.PCs.Handle(i), true})
	}
}

func (s *symbolizer) end(p *track.Process) {
	space := s.space(p)
	for _, m := range p.Ended.Maps {
		if _, ok := space.Module(m.Start); !ok {
			space.Add(symbol.Module{Path: m.Path, Base: m.Start - m.Offset, Start: m.Start, End: m.End})
		}
	}
	for _, a := range p.Ended.PCs {
		s.pcs = append(s.pcs, pc{p, a, true}, pc{p, a, false})
	}
}
