package cli

import (
	"os"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report/waitgraph"
)

// graphSink draws the first reported deadlock, for --deadlock-graph.
type graphSink struct {
	path  string
	drawn bool
}

// Finding implements finding.Sink.
func (s *graphSink) Finding(f *finding.Finding) {
	g, ok := f.Details["graph"].(*waitgraph.Graph)
	if !ok || s.drawn {
		return
	}
	s.drawn = true
	if err := s.draw(g); err != nil {
		say("--deadlock-graph: %v", err)
	}
}

func (s *graphSink) draw(g *waitgraph.Graph) error {
	f, err := os.Create(s.path)
	if err != nil {
		return err
	}
	if err := g.Write(f, s.path); err != nil {
		f.Close() //nolint:errcheck // the first error is returned
		return err
	}
	return f.Close()
}
