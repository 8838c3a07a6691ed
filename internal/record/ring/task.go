package ring

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// TaskState returns a thread's scheduling state (R, S, T, …; 0 if it has ended), its total running time in ns, and
// whether its process has more threads than the given number.
func TaskState(pid, tid, threads int) (state byte, ran uint64, more bool) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	more = err == nil && len(tasks) > threads
	dir := fmt.Sprintf("/proc/%d/task/%d/", pid, tid)
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return 0, 0, more
	}
	sched, err := os.ReadFile(dir + "schedstat")
	if err != nil {
		return 0, 0, more
	}
	if i := strings.LastIndexByte(string(stat), ')'); i >= 0 && i+2 < len(stat) {
		state = stat[i+2]
	}
	field, _, _ := strings.Cut(string(sched), " ")
	ran, err = strconv.ParseUint(field, 10, 64)
	if err != nil {
		return 0, 0, more
	}
	return state, ran, more
}
