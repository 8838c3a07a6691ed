// Package state shows the present state of a running or hung job: the call that each thread is in, and how many times
// each rank has called each collective. It reads the shared memory of the ranks. It needs no analyzer, and does not
// disturb the job.
//
// The idea of counting collectives per communicator, which shows at once which ranks are missing, is taken from the MPI
// collective debugger extension (mqs_get_comm_coll_state).
package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Schema is the name of the JSON format that mpivet ps prints. Fields may be added, but no field will change.
const Schema = "mpivet-ps/1"

// About is the information about the run that the analyzer writes to the session.
type About struct {
	Command  []string  `json:"command"`
	MPI      string    `json:"mpi"`
	Ranks    int       `json:"ranks"` // expected on this node; 0 if not known
	Started  time.Time `json:"started"`
	Analyzer int       `json:"analyzer"` // its process ID
	// Head is where the analysis of the job is, if this is a part of a job on several nodes that another process
	// analyses.
	Head string `json:"head,omitempty"`
}

// Condition is the state of a whole run.
type Condition string

// The conditions.
const (
	Starting  Condition = "starting"    // no process has initialized MPI
	Running   Condition = "running"     // MPI calls begin and end
	Waiting   Condition = "waiting"     // all processes are in MPI, and no call has begun or ended for some time
	Computing Condition = "computing"   // no call has begun or ended for some time, and some processes are outside MPI
	Ended     Condition = "ended"       // all processes have ended, but the analyzer has not
	Abandoned Condition = "left behind" // all processes have ended, and the analyzer died before it could clean up
)

// Run is a run on this node, or on several if its head is on this node.
type Run struct {
	ID        string     `json:"run"`
	Command   []string   `json:"command,omitempty"`
	MPI       string     `json:"mpi,omitempty"`
	Ranks     int        `json:"ranks"`
	Age       Seconds    `json:"age_s"`
	Condition Condition  `json:"state"`
	Still     Seconds    `json:"still_s"`  // minimum time since a call last began or ended
	Analyzer  string     `json:"analyzer"` // "running", "gone", "stuck", "stopped"
	PID       int        `json:"analyzer_pid,omitempty"`
	Head      string     `json:"head,omitempty"` // see About
	Processes []*Process `json:"processes,omitempty"`
	Objects   []*Object  `json:"objects,omitempty"`
	Problems  []string   `json:"problems,omitempty"`
}

// Seconds is a duration. In JSON, it is a number of seconds.
type Seconds time.Duration

// MarshalJSON writes the seconds with two decimals.
func (s Seconds) MarshalJSON() ([]byte, error) {
	// Round down: these times are lower bounds.
	return fmt.Appendf(nil, "%.2f", time.Duration(s).Truncate(10*time.Millisecond).Seconds()), nil
}

// Process is a process of a run.
type Process struct {
	Rank    int       `json:"rank"` // in its MPI_COMM_WORLD; -1 if not known
	World   int       `json:"world"`
	Host    string    `json:"host,omitempty"` // if the job has several nodes
	PID     int       `json:"pid"`
	State   string    `json:"state"`
	Exe     string    `json:"exe,omitempty"`
	Threads []*Thread `json:"threads"`

	view  *ring.ProcessView
	names *tables.Names
}

// Alive reports whether the process exists.
func (p *Process) Alive() bool { return p.view.Alive }

// Thread is a thread that has called MPI.
type Thread struct {
	TID   int     `json:"tid"`
	InMPI bool    `json:"in_mpi"`
	Call  string  `json:"call"`  // the last call that it has begun, with its arguments
	Calls uint64  `json:"calls"` // number of calls begun so far, without those that need no record
	Still Seconds `json:"still_s"`
	Moved bool    `json:"moved"` // it moved between the two looks
}

// stuckAnalyzer is the age of the last sign of life after which an analyzer counts as stuck.
const stuckAnalyzer = 5 * time.Second

// stillEnough is the minimum time without an event that is reported.
const stillEnough = time.Second

// Session is what there is to see of a run. *ring.SessionView implements it.
type Session interface {
	Look(objects bool) (*ring.RunView, error)
}

// Find reads as much of a session as a list of runs needs. It reads it once if the analyzer has recorded since when
// each thread has not moved. Otherwise it reads it twice and calls pause in between.
func Find(name string, s Session, pause func()) (*Run, error) {
	first, err := s.Look(false)
	if err != nil {
		return nil, err
	}
	v := first
	if !marked(first) {
		pause()
		if v, err = s.Look(false); err != nil {
			return nil, err
		}
	}
	r := newRun(name, first, v)
	r.Processes, r.Objects = nil, nil
	return r, nil
}

// marked reports whether the analyzer has seen all threads at their present positions.
func marked(v *ring.RunView) bool {
	for _, p := range v.Processes {
		for _, t := range p.Threads {
			if t.Alive && t.Since == 0 {
				return false
			}
		}
	}
	return true
}

// Look reads a session twice and calls pause in between. A state that has not changed has lasted at least since the
// first look. A rank is behind if at the second look it has called a collective fewer times than another rank had at
// the first look.
func Look(name string, s Session, pause func()) (*Run, error) {
	first, err := s.Look(true)
	if err != nil {
		return nil, err
	}
	pause()
	second, err := s.Look(true)
	if err != nil {
		return nil, err
	}
	r := newRun(name, first, second)
	r.Objects = compare(first, second, r.Processes)
	return r, nil
}

func newRun(name string, first, v *ring.RunView) *Run {
	r := &Run{ID: name, Problems: slices.Clone(v.Problems), Analyzer: "running"}
	var about About
	if v.About != nil && json.Unmarshal(v.About, &about) != nil {
		r.Problems = append(r.Problems, "what the session says about the run is damaged")
		about = About{}
	}
	r.Command, r.MPI, r.Ranks, r.PID = about.Command, about.MPI, max(about.Ranks, 0), about.Analyzer
	r.Head = about.Head
	if !about.Started.IsZero() {
		r.Age = Seconds(time.Since(about.Started))
	}
	switch {
	case !v.Analyzer:
		r.Analyzer = "gone"
	case v.Stopped:
		r.Analyzer = "stopped"
	case len(v.Processes) > 0 && v.Now-v.Beat > stuckAnalyzer: // before they start, it may wait for another node
		r.Analyzer = "stuck"
	}
	r.Processes = processes(first, v)
	for _, p := range r.Processes {
		if r.Age == 0 && p.Host == "" {
			r.Age = Seconds(v.Now - p.view.Start)
		}
		if p.World == 0 && p.Rank >= 0 {
			r.Ranks = max(r.Ranks, worldSize(p.view))
		}
	}
	r.condition()
	return r
}

// condition works out the condition of the run from its processes.
func (r *Run) condition() {
	var alive, begun, outside, threads int
	still := time.Duration(1<<63 - 1)
	for _, p := range r.Processes {
		if !p.view.Alive {
			continue
		}
		alive++
		if len(p.Threads) == 0 {
			continue
		}
		begun++
		for _, t := range p.Threads {
			threads++
			still = min(still, time.Duration(t.Still))
			if !t.InMPI {
				outside++
			}
		}
	}
	if threads > 0 {
		r.Still = Seconds(still)
	}
	switch {
	case alive == 0 && r.Analyzer == "gone":
		r.Condition = Abandoned
	case alive == 0 && len(r.Processes) > 0:
		r.Condition = Ended
	case begun == 0:
		r.Condition = Starting
	case still < stillEnough:
		r.Condition = Running
	case outside > 0:
		r.Condition = Computing
	default:
		r.Condition = Waiting
	}
}

// worldSize returns the size of the MPI_COMM_WORLD of a process; 0 if it is not known.
func worldSize(p *ring.ProcessView) int {
	if o := worldOf(p); o != nil {
		return o.Size
	}
	return max(p.WorldSize, 0)
}

func worldOf(p *ring.ProcessView) *ring.ObjectView {
	for _, o := range p.Objects {
		if o.Made == ring.MadeWorld {
			return o
		}
	}
	return nil
}

// processes returns the processes that use MPI, by world and rank.
func processes(first, v *ring.RunView) []*Process {
	var all worlds
	var list []*Process
	for _, q := range v.Processes {
		rank := q.Rank
		if o := worldOf(q); o != nil {
			rank = o.Rank
		}
		if rank < 0 && !q.Initialized && len(q.Threads) == 0 {
			continue // a script, or a launcher
		}
		p := &Process{
			Rank: rank, Host: q.Host, PID: q.PID, Exe: q.Exe, view: q, names: tables.NewNames(q.Names, q.Objects),
			State: processState(q),
		}
		if rank >= 0 {
			p.World = all.place(worldSize(q), rank)
		}
		before := sameProcess(first, q)
		for _, t := range q.Threads {
			if t.Alive || !q.Alive {
				p.Threads = append(p.Threads, newThread(t, sameThread(before, t), v.Now, first.Now, p.names))
			}
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b *Process) int {
		if a.World != b.World {
			return a.World - b.World
		}
		return a.Rank - b.Rank
	})
	return list
}

// worlds are the MPI_COMM_WORLDs of a run. There are several if a program starts others.
type worlds []world

type world struct {
	size  int
	ranks map[int]bool
}

// place returns the number of the world of a process. As in the analyzer, this is the first world of that size in which
// the rank is free.
func (w *worlds) place(size, rank int) int {
	for i, x := range *w {
		if x.size == size && !x.ranks[rank] {
			x.ranks[rank] = true
			return i
		}
	}
	*w = append(*w, world{size, map[int]bool{rank: true}})
	return len(*w) - 1
}

func processState(q *ring.ProcessView) string {
	switch {
	case q.Alive && q.Aborted:
		return "aborting"
	case q.Alive && q.Finalized:
		return "finalizes MPI, or has"
	case q.Alive && !q.Initialized:
		return "starting"
	case q.Alive:
		return "running"
	case q.End == ring.Exited:
		return fmt.Sprintf("exited with status %d", q.Code)
	case q.End == ring.Signaled:
		return fmt.Sprintf("killed by signal %d", q.Code)
	}
	return "killed"
}

func sameProcess(v *ring.RunView, q *ring.ProcessView) *ring.ProcessView {
	for _, p := range v.Processes {
		if p.Host == q.Host && p.Name == q.Name && p.Start == q.Start {
			return p
		}
	}
	return nil
}

func sameThread(p *ring.ProcessView, t *ring.ThreadView) *ring.ThreadView {
	if p == nil {
		return nil
	}
	for _, u := range p.Threads {
		if u.Index == t.Index && u.TID == t.TID {
			return u
		}
	}
	return nil
}

// newThread describes a thread. before is its state at the first look, which took place at the time then.
func newThread(t, before *ring.ThreadView, now, then time.Duration, n *tables.Names) *Thread {
	out := &Thread{TID: t.TID, InMPI: t.InCall(), Calls: t.Calls, Call: n.Call(t.Call)}
	same := before != nil && before.Calls == t.Calls && before.Done == t.Done
	out.Moved = !same
	switch {
	case t.Since > 0 && t.Since <= now:
		out.Still = Seconds(now - t.Since)
	case same:
		out.Still = Seconds(now - then)
	}
	return out
}
