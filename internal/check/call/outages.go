package call

import (
	"slices"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

// outages finds fatal errors that come of the end of the launcher: MPI_Finalize of MPICH fails if the launcher was
// killed. Such errors are of a class that says little. They are held back until the end of the process, which says
// whether the launcher was killed before.
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
		return p.Ended.LauncherKilled
	}
	o.held[p] = append(o.held[p], out)
	return true
}

// end decides about the failures of a process that has ended.
func (o *outages) end(p *track.Process) {
	if !p.Ended.LauncherKilled {
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
