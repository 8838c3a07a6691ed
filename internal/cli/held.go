package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// stopping lets the user debug the threads that are held because of --break-on. The goroutine of the analysis calls its
// methods.
type stopping struct {
	fatal   *fatalities
	tasks   pipeline.Tasks // for threads of other nodes; nil if there are none
	release func(ring.ThreadID)
	held    []*stopped
	over    chan ring.ThreadID // threads whose debugger has ended
}

// stopped is a thread that is held until a debugger was there.
type stopped struct {
	*pipeline.Held
	// seen: a debugger has stopped the thread.
	seen bool
	// traced is the number of ticks for which a debugger has been attached, and let the thread run.
	traced int
}

func newStopping(fatal *fatalities, tasks pipeline.Tasks) *stopping {
	return &stopping{fatal: fatal, tasks: tasks, over: make(chan ring.ThreadID, 64)}
}

// wanted returns the function that says at which findings to stop.
func (o *options) wanted() func(*finding.Finding) bool {
	return func(f *finding.Finding) bool {
		return slices.ContainsFunc(o.breakOn, func(what string) bool {
			if s, err := finding.ParseSeverity(what); err == nil {
				return f.Severity >= s
			}
			return finding.MatchCheck(what, f.Check)
		})
	}
}

// checkBreaks returns an error for a value of --break-on that is neither a severity nor the name of a check.
func (o *options) checkBreaks() error {
	for _, what := range o.breakOn {
		if s, err := finding.ParseSeverity(what); err == nil && s != finding.Off {
			continue
		}
		if err := o.rules.Known(what); err != nil {
			return usageError{fmt.Errorf("--break-on: %w, or a severity: fatal, error, warning, info", err)}
		}
	}
	if len(o.breakOn) > 0 && !o.flags.Changed("on-error") {
		o.onError = onErrorPause
	}
	return nil
}

// hold tells the user how to debug a thread that is held. With --on-error gdb, it opens gdb.
func (s *stopping) hold(h *pipeline.Held) {
	where := "before " + h.Call + " enters MPI"
	if h.Returned {
		where = "before " + h.Call + " returns"
	}
	if h.Late {
		where += ", after the faulty call"
	}
	say("rank %d is held %s (%s)", h.Rank, where, h.Check)
	s.held = append(s.held, &stopped{Held: h})
	v := victim{h.Rank, h.PID, elsewhere(h.Proc)}
	if s.fatal.action != onErrorGDB || v.node != "" {
		say("  to look at it: %s; rank %d goes on when the debugger lets it go on or ends", v.gdb(), h.Rank)
		return
	}
	s.fatal.working.Go(func() {
		s.fatal.openGDB([]victim{v})
		select {
		case s.over <- h.Thread:
		case <-s.fatal.over:
		}
	})
}

// tick lets the threads go on whose debuggers let them go on or have ended.
func (s *stopping) tick() {
	for {
		select {
		case id := <-s.over:
			s.letGo(func(h *stopped) bool { return h.Thread == id })
			continue
		default:
		}
		break
	}
	if len(s.held) > 0 {
		s.letGo(s.done)
	}
}

func (s *stopping) letGo(which func(*stopped) bool) {
	s.held = slices.DeleteFunc(s.held, func(h *stopped) bool {
		if !which(h) {
			return false
		}
		s.release(h.Thread)
		return true
	})
}

// done reports whether the thread may go on: a debugger had stopped it, and it does not any more. A debugger that was
// attached earlier has got the call of mpivet_finding, and need not stop the thread.
func (s *stopping) done(h *stopped) bool {
	if h.Node != 0 && s.tasks != nil {
		return h.doneElsewhere(s.tasks)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", h.PID, h.TID))
	if err != nil {
		return true // the thread has ended
	}
	var state, tracer string
	for line := range strings.Lines(string(status)) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "State":
			state = strings.TrimSpace(value)
		case "TracerPid":
			tracer = strings.TrimSpace(value)
		}
	}
	switch {
	case tracer == "0":
		return h.seen
	case strings.HasPrefix(state, "t"): // stopped by the debugger
		h.seen = true
		return false
	}
	h.traced++
	// A debugger that has just attached itself is about to stop the thread.
	return h.seen || h.traced > 2
}

// doneElsewhere is done for a thread of another node. There, it is only known whether a debugger stops the thread.
func (h *stopped) doneElsewhere(tasks pipeline.Tasks) bool {
	state, _, _, known, _ := tasks.Task(h.Thread, h.PID, h.TID, 0)
	switch {
	case !known:
		return false
	case state == 't': // stopped by the debugger
		h.seen = true
		return false
	}
	return h.seen || state == 0
}
