package call

import (
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

// outages finds fatal errors that come of the end of the launcher, or of another end on request: MPI_Finalize of MPICH
// fails if the launcher has gone. Such errors are of a class that says little. The end of the process shows whether it
// was on request, so these failures are held back until then.
type outages struct {
	x    *check.Run
	held map[*track.Process][]*finding.Finding
}

// failed reports whether to withhold the finding about a failed call, for now or for good.
func (o *outages) failed(p *track.Process, f *track.Failure, out *finding.Finding) bool {
	if f == nil || !f.Fatal || !slices.Contains(vague, p.ErrorClass(f.Class)) {
		return false
	}
	if p.Ended != nil {
		return p.Ended.Asked
	}
	o.held[p] = append(o.held[p], out)
	return true
}

// end decides about the failures of a process that has ended.
func (o *outages) end(p *track.Process) {
	if !p.Ended.Asked {
		o.report(p)
	}
	delete(o.held, p)
}

// finish reports the failures of processes of which no end is known.
func (o *outages) finish() {
	for p := range o.held {
		o.report(p)
	}
	clear(o.held)
}

func (o *outages) report(p *track.Process) {
	for _, f := range o.held[p] {
		o.x.Report(f)
	}
}
