package pipeline

import (
	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Tasks tells how the kernel schedules threads of other nodes.
type Tasks interface {
	// Task returns the state of a thread (R, S, T, …; 0 if it has ended), its total running time in ns, and whether its
	// process has more threads than the given number. known is false if the node has not answered yet. local is true if
	// the thread is of this node.
	Task(id ring.ThreadID, pid, tid, threads int) (state byte, ran uint64, more, known, local bool)
}

// Scheduled returns a function for Options.Confirm that asks the kernel. The message of a send that has not returned
// may already have been copied, if its process is only starved or stopped (by a debugger). The send is taken to wait
// for its receive if its thread sleeps, or has run since the first look at it. Under MPI_THREAD_MULTIPLE, threads that
// have not called MPI so far may still make any call. tasks is nil if all processes are of this node.
func Scheduled(tasks Tasks) func([]waiting.Blocked) bool {
	type seen struct {
		calls uint64
		ran   uint64
	}
	first := make(map[ring.ThreadID]seen)
	return func(list []waiting.Blocked) bool {
		sure := true
		for i := range list {
			th := list[i].Thread
			many := th.Process.Multiple
			if many && th.Process.Helpers < 0 {
				return false
			}
			if !many && !sends(&list[i]) {
				continue
			}
			t := look(tasks, th)
			switch {
			case !t.known:
				sure = false
				continue
			case many && t.more:
				return false
			case !sends(&list[i]) || t.state == 0: // the thread may have ended; its end will be reported
				continue
			}
			f, ok := first[th.ID]
			if !ok || f.calls != th.Calls {
				first[th.ID] = seen{th.Calls, t.ran}
				sure = false
				continue
			}
			switch t.state {
			case 'T', 't', 'D':
				sure = false
			case 'R':
				sure = sure && t.ran > f.ran
			}
		}
		return sure
	}
}

// task is how the kernel schedules a thread, see Tasks.
type task struct {
	state       byte
	ran         uint64
	more, known bool
}

func look(tasks Tasks, th *track.Thread) (t task) {
	p := th.Process
	threads := p.Helpers + len(p.Threads)
	local := true
	if tasks != nil {
		t.state, t.ran, t.more, t.known, local = tasks.Task(th.ID, p.PID, th.TID, threads)
	}
	if local {
		t.state, t.ran, t.more = ring.TaskState(p.PID, th.TID, threads)
		t.known = true
	}
	return t
}

func sends(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) { found = found || c.What == waiting.ToReceive })
	return found
}
