// Package track follows the state of each process: its communicators, requests, datatypes and names, and the call that
// each of its threads is in. It turns calls into the operations that package match puts together across processes.
package track

import (
	"math"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// Tracker follows all processes. It reads the records and passes each call to the parts that it concerns, by the table
// of actions.
type Tracker struct {
	core
	job

	messages
	requests
	rounds
	partitions
	collectives
	comms
	gatherings
	leaders
	groups
	types
	dictionary
	mappedFiles
	polls
	failures
	fastPath

	// Types gets the events of datatypes. It may be nil, and must be set before the first process.
	Types TypeWatcher

	damaged int // records of communicators and other objects that were invalid
}

// New returns a tracker that passes operations to m.
func New(m *match.Matcher) *Tracker {
	t := &Tracker{core: core{Limits: DefaultLimits, Match: m, plans: makePlans()}, job: newJob()}
	registry := match.NewRegistry()
	t.messages = messages{core: &t.core}
	t.rounds = newRounds()
	t.partitions = newPartitions(&t.core)
	t.requests = requests{core: &t.core, messages: &t.messages, rounds: &t.rounds}
	t.groups = newGroups()
	t.gatherings = newGatherings(&t.core, &t.job, registry)
	t.leaders = newLeaders(&t.core, &t.job)
	t.comms = comms{core: &t.core, gatherings: &t.gatherings, Comms: registry}
	t.collectives = collectives{
		core: &t.core, registry: registry, gatherings: &t.gatherings, leaders: &t.leaders, rounds: &t.rounds,
	}
	t.types = types{core: &t.core, trees: newTrees()}
	t.dictionary = newDictionary()
	t.mappedFiles = newMappedFiles()
	t.polls = polls{core: &t.core}
	t.failures = failures{core: &t.core}
	t.fastPath = newFastPath(&t.core, &t.collectives)
	return t
}

// Proc enters a process.
func (t *Tracker) Proc(p *ring.Proc) {
	t.Processes = append(t.Processes, &Process{
		Proc: p, Rank: p.Rank,
		library:      library{names: t.unnamed, constants: t.unnamed.constants, maxTag: math.MaxInt32},
		commTable:    commTable{views: make(map[uint64]*View), registry: t.Comms, selfRank: -1},
		typeTable:    typeTable{watcher: t.Types, derived: derivedTypes{notice: t.Limits.Of(mpiapi.Datatype)}},
		requestTable: requestTable{notice: t.Limits.Of(mpiapi.Request)},
	})
}

// Thread enters a thread of a process that is known.
func (t *Tracker) Thread(th *ring.Thread) {
	p := t.Processes[th.Proc]
	n := &Thread{Thread: th, Process: p}
	p.Threads = append(p.Threads, n)
	p.several = len(p.Threads) > 1
	p.noteOrderly()
	t.Threads = append(t.Threads, n)
	if t.Replay != nil {
		t.Replay.Start(n)
	}
}

// End notes that a process has ended.
func (t *Tracker) End(id ring.ProcID, e *ring.ProcEnd) {
	p := t.Processes[id]
	if e.Kind == ring.Lost {
		p.Lost = true
		t.Distrust(p)
		return
	}
	p.Ended = e
	p.Finalizing = p.Finalizing || e.Finalized // its last session
	t.Ended++
	killed := e.Kind == ring.Vanished || e.Kind == ring.Exited && e.InMPI
	if e.Kind == ring.Signaled || killed && p.Initialized && !p.Finalizing {
		t.Killed++
	}
	if e.Kind == ring.Signaled {
		t.Events.ProcessDied.Publish(p)
	}
	t.endedByHandler(p)
	t.Events.ProcessEnded.Publish(p)
}

// Tick lets a tenth of a second pass.
func (t *Tracker) Tick() {
	t.Now++
	t.Events.Tick.Publish(struct{}{})
}

// Finish announces the end of the run.
func (t *Tracker) Finish() { t.Events.RunOver.Publish(struct{}{}) }

// Waited returns the number of ticks that a thread has been in its present call.
func (t *Tracker) Waited(th *Thread) int { return t.Now - th.Open.Since }

// Damaged returns how many records were invalid and left out.
func (t *Tracker) Damaged() int {
	n := t.damaged
	for _, th := range t.Threads {
		bad, _ := th.decoder.Err()
		n += bad
	}
	return n
}

// Batch follows the calls of a batch.
func (t *Tracker) Batch(b *ring.Batch) {
	t.fastPath.start()
	th := t.Threads[b.Thread]
	if b.Repeats > 0 {
		t.followRepeats(th, b.Repeats)
		return
	}
	d := &th.decoder
	var last []byte
	d.Start(b)
	for {
		if th.orderly && !th.watching() {
			if rec := t.followQuick(th, d); rec != nil {
				last = rec
			}
		}
		if !d.Next() {
			break
		}
		c := &d.Call
		if c.Func == nil {
			t.info(th, c)
			continue
		}
		p := &t.plans[c.Func.ID]
		last = c.Raw()
		if c.State != event.Resumed {
			th.Calls++
			t.enter(th, p, c)
		}
		if c.State == event.Open {
			th.Open.Call = c.Clone(th.Open.room)
			th.Open.room = th.Open.Call.Raw()
			th.Open.Func, th.Open.Since, th.Open.Refused = c.Func, t.Now, false
		} else {
			th.Open.Func = nil
			t.leave(th, p, c)
			if p.findsNothing(last) {
				t.followPoll(th, c)
			}
		}
	}
	if last != nil {
		th.Last.Thread = th.ID
		th.Last.Keep(last)
	}
	t.addResting(th)
	t.noteProgress(th)
	t.Events.CollectiveEntered.Flush() // the memory of the batch becomes invalid
}
