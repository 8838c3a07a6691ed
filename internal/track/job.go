package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// job is the processes of the program, the threads that call MPI, and the worlds that the processes are in.
type job struct {
	Processes []*Process
	Threads   []*Thread
	Worlds    []*match.World
	Ended     int  // processes that have ended
	Killed    int  // of these, those that were killed inside the MPI program, or that MPI ended
	Aborting  bool // MPI_Abort was entered by some process

	byRank  map[rankKey]*Process
	resting []*Thread // see Resting
}

type rankKey struct {
	world *match.World
	rank  int
}

func newJob() job { return job{byRank: make(map[rankKey]*Process)} }

// ProcessOf returns the process of the given rank in a world, nil if it was not seen yet.
func (j *job) ProcessOf(w *match.World, rank int) *Process {
	return j.byRank[rankKey{w, rank}]
}

// ThreadByID returns a thread.
func (j *job) ThreadByID(id ring.ThreadID) *Thread { return j.Threads[id] }

// place puts a process into a world when MPI_Init has reported its rank: a world of the same size that has room for it.
// There are several worlds if a program starts others that have their own.
func (j *job) place(p *Process, rank, size int) {
	p.Rank = rank
	for _, w := range j.Worlds {
		if w.Size == size && j.byRank[rankKey{w, rank}] == nil {
			p.World = w
			j.byRank[rankKey{w, rank}] = p
			return
		}
	}
	w := &match.World{Size: size}
	j.Worlds = append(j.Worlds, w)
	p.World = w
	j.byRank[rankKey{w, rank}] = p
}

// Alone returns how many processes a launcher has started together, if all of them have left MPI_Init, each in an
// MPI_COMM_WORLD of its own. Then the launcher does not work with their MPI. Otherwise, Alone returns 0.
func (j *job) Alone() (n int) {
	for _, w := range j.Worlds {
		if w.Size > 1 {
			return 0
		}
	}
	ranks := make(map[int]bool) // the launcher's
	for _, p := range j.Processes {
		if p.World != nil && p.WorldSize > 1 {
			n = max(n, p.WorldSize)
			ranks[p.Proc.Rank] = true
		}
	}
	if len(ranks) < n {
		return 0
	}
	return n
}

// Distrust prevents conclusions from calls that p seems to lack: not all of its calls are known. nil stands for all
// processes.
func (j *job) Distrust(p *Process) {
	for _, w := range j.Worlds {
		w.Unsure = w.Unsure || p == nil || p.World == w
	}
}

// Done reports whether a thread's process has left MPI_Finalize. Then other processes cannot wait for any later call of
// the thread.
func (j *job) Done(th *Thread) bool { return th.Process.Finalized && th.Open.Func == nil }

// addResting notes that after the last batch of a thread it is in a call, or that it is done.
func (j *job) addResting(th *Thread) {
	if !th.resting && (th.Open.Func != nil || th.Process.Finalized) {
		th.resting = true
		j.resting = append(j.resting, th)
	}
}

// Resting appends threads to list: those that were seen in a call, or that are done, since its last call. It leaves out
// those that it has returned before, unless Rested was called for them.
func (j *job) Resting(list []*Thread) []*Thread {
	list = append(list, j.resting...)
	clear(j.resting)
	j.resting = j.resting[:0]
	return list
}

// Calls returns the number of recorded calls, including polls that were only counted.
func (j *job) Calls() uint64 {
	var n uint64
	for _, th := range j.Threads {
		n += th.Calls + th.repeats
	}
	return n
}
