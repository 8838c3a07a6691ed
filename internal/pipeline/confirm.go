package pipeline

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Scheduled returns a function for Options.Confirm that asks the kernel. The message of a send that has not returned
// may already have been copied, if its process is only starved or stopped (by a debugger). The send is taken to wait
// for its receive if its thread sleeps, or has run since the first look at it. Under MPI_THREAD_MULTIPLE, threads that
// have not called MPI so far may still make any call.
func Scheduled() func([]waiting.Blocked) bool {
	type seen struct {
		calls uint64
		ran   uint64
	}
	first := make(map[ring.ThreadID]seen)
	return func(list []waiting.Blocked) bool {
		sure := true
		for i := range list {
			if p := list[i].Thread.Process; p.Multiple && moreThreads(p) {
				return false
			}
			if !sends(&list[i]) {
				continue
			}
			th := list[i].Thread
			state, ran, err := taskState(th.Process.PID, th.TID)
			if err != nil {
				continue // the thread may have ended; its end will be reported
			}
			f, ok := first[th.ID]
			if !ok || f.calls != th.Calls {
				first[th.ID] = seen{th.Calls, ran}
				sure = false
				continue
			}
			switch state {
			case 'T', 't', 'D':
				sure = false
			case 'R':
				sure = sure && ran > f.ran
			}
		}
		return sure
	}
}

// moreThreads reports whether a process has threads that have not called MPI yet, but may.
func moreThreads(p *track.Process) bool {
	if p.Helpers < 0 {
		return true
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID))
	return err == nil && len(tasks) > p.Helpers+len(p.Threads)
}

func sends(b *waiting.Blocked) (found bool) {
	waiting.Each(b.Clauses, func(c *waiting.Clause) { found = found || c.What == waiting.ToReceive })
	return found
}

// taskState returns a thread's scheduling state (R, S, T, …) and its total running time in ns.
func taskState(pid, tid int) (state byte, ran uint64, err error) {
	dir := fmt.Sprintf("/proc/%d/task/%d/", pid, tid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return 0, 0, err
	}
	if i := strings.LastIndexByte(string(stat), ')'); i >= 0 && i+2 < len(stat) {
		state = stat[i+2]
	}
	sched, err := os.ReadFile(dir + "schedstat")
	if err != nil {
		return 0, 0, err
	}
	field, _, _ := strings.Cut(string(sched), " ")
	ran, err = strconv.ParseUint(field, 10, 64)
	return state, ran, err
}
