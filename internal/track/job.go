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
	Killed    int  // of these, such as were killed inside the MPI program, or ended by MPI
	Aborting  bool // MPI_Abort was entered by some process

	byRank  map[rankKey]*Process
	resting []*Thread // see Resting
}

type rankKey struct {
	world *match.World
	rank  int
}

func newJob() job { return job{byRank: make(map[rankKey]*Process)} }

// ProcessOf returns the process of the given rank in a world, nil if it is not seen.
func (j *job) ProcessOf(w *match.World, rank int) *Process {
	return j.byRank[rankKey{w, rank}]
}

// ThreadByID returns a thread.
func (j *job) ThreadByID(id ring.ThreadID) *Thread { return j.Threads[id] }

// place puts a process into a world when MPI_Init has told its rank: one of the same size that has room for it. Several
// exist when a program starts others that are worlds of their own.
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

// Distrust keeps what p does not do from being held against anybody: not all that it does is known. With nil it
// concerns every process.
func (j *job) Distrust(p *Process) {
	for _, w := range j.Worlds {
		w.Unsure = w.Unsure || p == nil || p.World == w
	}
}

// Done reports whether a thread's process has left MPI_Finalize, so that the thread will call nothing any more that
// others could wait for.
func (j *job) Done(th *Thread) bool { return th.Process.Finalized && th.Open.Func == nil }

// addResting notes that the last batch of a thread left it in a call, or that it is done.
func (j *job) addResting(th *Thread) {
	if !th.resting && (th.Open.Func != nil || th.Process.Finalized) {
		th.resting = true
		j.resting = append(j.resting, th)
	}
}

// Resting appends to list the threads that have been seen in a call, or to be done, since it was asked last, but for
// those that it has returned before and that have not Rested since.
func (j *job) Resting(list []*Thread) []*Thread {
	list = append(list, j.resting...)
	clear(j.resting)
	j.resting = j.resting[:0]
	return list
}

// Calls returns how many calls have been recorded, with the polls that were counted only.
func (j *job) Calls() uint64 {
	var n uint64
	for _, th := range j.Threads {
		n += th.Calls + th.repeats
	}
	return n
}
