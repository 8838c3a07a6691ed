// Package state tells what a running or hung job does at this moment, from the shared memory of its ranks: the call each
// thread is in, and which ranks have called each collective how often. It needs no analyzer and disturbs nothing.
//
// The idea of counting collectives per communicator, and of seeing at once who has not come, is that of the MPI collective
// debugger extension (mqs_get_comm_coll_state).
package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// Schema names the form of the JSON that mpivet ps prints. Fields may be added, none will change.
const Schema = "mpivet-ps/1"

// About is what the analyzer leaves in the session about the run.
type About struct {
	Command  []string  `json:"command"`
	MPI      string    `json:"mpi"`
	Ranks    int       `json:"ranks"` // to expect on this node, 0 if not known
	Started  time.Time `json:"started"`
	Analyzer int       `json:"analyzer"` // its process number
}

// Condition is what can be said of a whole run.
type Condition string

// The conditions.
const (
	Starting  Condition = "starting"    // no process has initialized MPI
	Running   Condition = "running"     // MPI calls begin and end
	Waiting   Condition = "waiting"     // all processes are in MPI, and no call has begun or ended for some time
	Computing Condition = "computing"   // none has begun or ended for some time, and some processes are outside MPI
	Ended     Condition = "ended"       // all processes have ended, the analyzer not yet
	Abandoned Condition = "left behind" // all have ended, and the analyzer has died before it could clean up
)

// Run is a run on this node.
type Run struct {
	ID        string     `json:"run"`
	Command   []string   `json:"command,omitempty"`
	MPI       string     `json:"mpi,omitempty"`
	Ranks     int        `json:"ranks"`
	Age       Seconds    `json:"age_s"`
	Condition Condition  `json:"state"`
	Still     Seconds    `json:"still_s"`  // since when no call has begun or ended, at least
	Analyzer  string     `json:"analyzer"` // "running", "gone", "stuck", "stopped"
	PID       int        `json:"analyzer_pid,omitempty"`
	Processes []*Process `json:"processes,omitempty"`
	Objects   []*Object  `json:"objects,omitempty"`
	Problems  []string   `json:"problems,omitempty"`
}

// Seconds is a time that JSON has in seconds.
type Seconds time.Duration

// MarshalJSON writes the seconds, to a hundredth.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.2f", time.Duration(s).Seconds()), nil
}

// Process is a process of a run.
type Process struct {
	Rank    int       `json:"rank"` // in its MPI_COMM_WORLD, -1 if not known
	World   int       `json:"world"`
	PID     int       `json:"pid"`
	State   string    `json:"state"`
	Exe     string    `json:"exe,omitempty"`
	Threads []*Thread `json:"threads"`

	view  *ring.ProcessView
	names *names
}

// Thread is a thread that has called MPI.
type Thread struct {
	TID   int     `json:"tid"`
	InMPI bool    `json:"in_mpi"`
	Call  string  `json:"call"`  // the last one that it has begun, with its arguments
	Calls uint64  `json:"calls"` // begun so far, but those that need no record
	Still Seconds `json:"still_s"`
	Moved bool    `json:"moved"` // while it was looked at
}

// stuckAnalyzer is how old the sign of life of an analyzer is that does not respond.
const stuckAnalyzer = 5 * time.Second

// stillEnough is how long nothing must happen for that to be worth saying.
const stillEnough = time.Second

// Find looks at a session as far as it takes to list it: once if the analyzer has left word since when nothing has moved, else
// twice, and calls pause in between.
func Find(s *ring.SessionView, pause func()) (*Run, error) {
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
	r := newRun(s, first, v)
	r.Processes, r.Objects = nil, nil
	return r, nil
}

// marked tells whether the analyzer has seen all threads where they are now.
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

// Look looks at a session twice, and calls pause in between: what has not changed lasts at least since the first look, and
// who has called a collective less often at the second than another one at the first is behind.
func Look(s *ring.SessionView, pause func()) (*Run, error) {
	first, err := s.Look(true)
	if err != nil {
		return nil, err
	}
	pause()
	second, err := s.Look(true)
	if err != nil {
		return nil, err
	}
	r := newRun(s, first, second)
	r.Objects = compare(first, second, r.Processes)
	return r, nil
}

func newRun(s *ring.SessionView, first, v *ring.RunView) *Run {
	r := &Run{ID: s.Name, Problems: slices.Clone(v.Problems), Analyzer: "running"}
	var about About
	if v.About != nil && json.Unmarshal(v.About, &about) != nil {
		r.Problems = append(r.Problems, "what the session says about the run is damaged")
		about = About{}
	}
	r.Command, r.MPI, r.Ranks, r.PID = about.Command, about.MPI, max(about.Ranks, 0), about.Analyzer
	if !about.Started.IsZero() {
		r.Age = Seconds(time.Since(about.Started))
	}
	switch {
	case !v.Analyzer:
		r.Analyzer = "gone"
	case v.Stopped:
		r.Analyzer = "stopped"
	case v.Beat > 0 && v.Now-v.Beat > stuckAnalyzer:
		r.Analyzer = "stuck"
	}
	r.Processes = processes(first, v)
	for _, p := range r.Processes {
		if r.Age == 0 {
			r.Age = Seconds(v.Now - p.view.Start)
		}
		if p.World == 0 && p.Rank >= 0 {
			r.Ranks = max(r.Ranks, worldSize(p.view))
		}
	}
	r.condition()
	return r
}

// condition judges the run by its processes.
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

// worldSize returns how many processes the MPI_COMM_WORLD of a process has, 0 if that is not known.
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

// processes returns those that have to do with MPI, by world and rank.
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
		p := &Process{Rank: rank, PID: q.PID, Exe: q.Exe, view: q, names: newNames(q), State: processState(q)}
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

// worlds are the MPI_COMM_WORLDs of a run: several if a program starts others.
type worlds []world

type world struct {
	size  int
	ranks map[int]bool
}

// place returns the number of the world of a process. As for the analyzer, it is the first one of that size that has room for
// the rank.
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
		if p.Name == q.Name && p.Start == q.Start {
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

// newThread tells what a thread does, given how it was when it was looked at first, at a time.
func newThread(t, before *ring.ThreadView, now, then time.Duration, n *names) *Thread {
	out := &Thread{TID: t.TID, InMPI: t.InCall(), Calls: t.Calls, Call: n.call(t.Call)}
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
