package pipeline

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/track"
)

// Threads are the threads of a live run. ring.Live implements it.
type Threads interface {
	// Found tells a thread of a finding, for its debugger.
	Found(id ring.ThreadID, check, text string)
	// Pass lets a thread go on whose calls wait: into its last delivered call, or out of it.
	Pass(ring.ThreadID)
	// EndBreaks ends the waiting of calls.
	EndBreaks()
}

// Breaks tells threads of findings, for their debuggers. It can hold a thread at a finding.
type Breaks struct {
	Threads Threads
	// Wanted reports whether to hold a thread because of a finding. nil: the calls of threads do not wait.
	Wanted func(*finding.Finding) bool
	// Held is called when a thread is held. Pipeline.Release ends that.
	Held func(*Held)
}

// Held is a thread that is held because of a finding.
type Held struct {
	*ring.Proc
	Thread   ring.ThreadID
	TID      int
	Rank     int // in MPI_COMM_WORLD
	Check    string
	Call     string // the call at which it is held: "MPI_Send at x.c:12"
	Returned bool   // the call was in MPI already, and is about to return
	// Late: the call comes after the faulty one, which had been passed when the finding was made.
	Late bool
}

// breaks carries out Breaks.
type breaks struct {
	Breaks
	tracker *track.Tracker
	places  *places

	batch *ring.Batch             // that is being analysed; nil: none
	next  map[ring.ThreadID]*Held // to be held when they may go on next
	held  map[ring.ThreadID]bool
}

func newBreaks(o *Breaks, t *track.Tracker, p *places) *breaks {
	return &breaks{
		Breaks: *o, tracker: t, places: p,
		next: make(map[ring.ThreadID]*Held), held: make(map[ring.ThreadID]bool),
	}
}

// begin notes the batch that is about to be analysed.
func (b *breaks) begin(batch *ring.Batch) { b.batch = batch }

// end lets the thread of the batch go on, or holds it. The batch has been analysed.
func (b *breaks) end(told func(*track.Process)) {
	batch := b.batch
	b.batch = nil
	if b.Wanted == nil || b.held[batch.Thread] {
		return
	}
	h := b.next[batch.Thread]
	if h == nil {
		b.Threads.Pass(batch.Thread)
		return
	}
	raw, ok := lastCall(batch.Data)
	if !ok {
		return // the records that the open call has published: they change nothing
	}
	delete(b.next, batch.Thread)
	b.held[batch.Thread] = true
	h.Call, h.Returned = b.callAt(match.Call{Thread: batch.Thread, Raw: raw}), !batch.Open
	told(b.tracker.ThreadByID(batch.Thread).Process)
	b.Held(h)
}

// lastCall returns the record of the last call in the data of a batch.
func lastCall(data []byte) (rec []byte, ok bool) {
	for len(data) >= layout.SizeofRecord {
		n := int(binary.LittleEndian.Uint16(data[2:])) * layout.Line
		if n == 0 || n > len(data) {
			break
		}
		if binary.LittleEndian.Uint16(data) < layout.Info {
			rec, ok = data[:n], true
		}
		data = data[n:]
	}
	return rec, ok
}

// callAt names a call and its place: "MPI_Send at x.c:12".
func (b *breaks) callAt(c match.Call) string {
	name := "MPI"
	if f := mpiapi.ByID(c.Func()); f != nil {
		name = f.Name
	}
	if s := b.places.site("", c).Stack; len(s) > 0 && s[0].File != "" {
		return fmt.Sprintf("%s at %s:%d", name, filepath.Base(s[0].File), s[0].Line)
	}
	return name
}

// found tells the threads that a finding concerns, and chooses the one to hold. It reports whether that thread is held
// at the faulty call.
func (b *breaks) found(f *finding.Finding) (held bool) {
	hold := b.Wanted != nil && !f.Known && b.Wanted(f)
	var chosen *track.Thread
	for _, p := range b.tracker.Processes {
		if p.World == nil || p.Ended != nil || !concerns(f, p.Rank) {
			continue
		}
		th := b.thread(p)
		if th == nil {
			continue
		}
		b.Threads.Found(th.ID, f.Check, f.Message)
		if chosen == nil || b.isCurrent(th) || !b.isCurrent(chosen) && len(f.Sites) > 0 && p.Rank == f.Sites[0].Rank {
			chosen = th
		}
	}
	if !hold || chosen == nil {
		return false
	}
	current := b.isCurrent(chosen)
	if b.next[chosen.ID] == nil && !b.held[chosen.ID] {
		p := chosen.Process
		b.next[chosen.ID] = &Held{
			Proc: p.Proc, Thread: chosen.ID, TID: chosen.TID, Rank: p.Rank, Check: f.Check, Late: !current,
		}
	}
	return current
}

// isCurrent reports whether the call of a thread is being analysed.
func (b *breaks) isCurrent(th *track.Thread) bool { return b.batch != nil && b.batch.Thread == th.ID }

// thread returns the thread of a process whose debugger gets a finding: the one whose call is being analysed, else the
// first one.
func (b *breaks) thread(p *track.Process) *track.Thread {
	for _, th := range p.Threads {
		if b.isCurrent(th) {
			return th
		}
	}
	if len(p.Threads) == 0 {
		return nil
	}
	return p.Threads[0]
}

// concerns reports whether a finding concerns a rank.
func concerns(f *finding.Finding, rank int) bool {
	_, ok := slices.BinarySearch(f.Ranks, rank)
	return ok
}

// isHeld reports whether a thread is held.
func (b *breaks) isHeld(th *track.Thread) bool { return b.held[th.ID] }

// release lets a held thread go on.
func (b *breaks) release(id ring.ThreadID) {
	if b.held[id] {
		delete(b.held, id)
		b.tracker.ThreadByID(id).Open.Since = b.tracker.Now
		b.Threads.Pass(id)
	}
}
