package cli

import (
	"time"

	"github.com/mpivet/mpivet/internal/report"
)

// progressLines are lines about the progress of a long job, on a terminal. They come at growing intervals: a line that
// is rewritten in place would mix with the output of the program.
type progressLines struct {
	next time.Duration // time of the next line since the beginning
}

const (
	firstProgress = 10 * time.Second
	mostProgress  = 5 * time.Minute // between two lines
	// waited is how many ticks a rank has been in its call before it is said to wait.
	waited = 20
)

// due reports whether it is time for a line. elapsed is the time since the beginning.
func (p *progressLines) due(elapsed time.Duration) bool {
	if p.next == 0 {
		p.next = firstProgress
	}
	if elapsed < p.next {
		return false
	}
	for p.next <= elapsed {
		p.next += min(max(p.next, firstProgress), mostProgress)
	}
	return true
}

// sayProgress prints a line about the progress if it is time. It runs with the analysis.
func (a *analysis) sayProgress() {
	if a.text == nil || !a.terminal {
		return
	}
	elapsed := time.Since(a.began)
	if !a.lines.due(elapsed) {
		return
	}
	p := report.Progress{
		Elapsed: elapsed, Calls: a.pipeline.Tracker.Calls(), Messages: a.pipeline.Matcher.Messages,
		Findings: a.collector.Summary(),
	}
	for _, pr := range a.pipeline.Tracker.Processes {
		if pr.World == nil || pr.Ended != nil {
			continue
		}
		p.Ranks++
		for _, th := range pr.Threads {
			if th.Open.Func != nil && a.pipeline.Tracker.Waited(th) >= waited {
				p.Waiting++
				break
			}
		}
	}
	a.text.Progress(&p)
}
