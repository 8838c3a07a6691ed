package threads

import (
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// disorder says what is wrong with the time of a call.
type disorder uint8

const (
	beforeInit     disorder = iota
	afterFinalize           // or after the last session
	initTwice               // MPI_Init is called a second time
	initAgain               // MPI_Init is called after MPI_Finalize
	otherThread             // a thread calls MPI, but only the thread that has initialized MPI may
	twoAtOnce               // two threads are in MPI, but only one may be at a time
	sameCollective          // two threads are in collectives on one communicator, window or file
	sameRequest             // two threads wait for one request
)

const askForMore = "Ask for a higher level with MPI_Init_thread, and check the level that it provides: it may be lower."

// disorders has the texts of findings. what continues after "MPI_Send is called". The place of the other call follows.
var disorders = map[disorder]struct{ what, other, why, advice string }{
	beforeInit: {
		"before MPI_Init", "",
		"MPI must be initialized first (MPI standard, section 11.2).", "Call MPI_Init or MPI_Init_thread first.",
	},
	afterFinalize: {
		"after MPI_Finalize", "MPI_Finalize",
		"Only a few functions, such as MPI_Finalized, may be called then (MPI standard, section 11.4).",
		"Call MPI_Finalize last. Destructors of static objects and atexit functions run even later: let them call " +
			"MPI_Finalized first.",
	},
	initTwice: {
		"a second time, as MPI is initialized already", "initialized",
		"MPI can be initialized only once (MPI standard, section 11.2).",
		"Initialize MPI once. A library that may not be the first to do so calls MPI_Initialized before.",
	},
	initAgain: {
		"after MPI_Finalize", "MPI_Finalize",
		"MPI cannot be initialized again (MPI standard, section 11.2).",
		"Call MPI_Finalize once, at the end of the program. (MPI 4.0 sessions can be opened again.)",
	},
	otherThread: {
		"from another thread than the one that has initialized MPI", "initialized",
		"The provided level of thread support, %s, allows calls only from that thread (MPI standard, section 11.6).",
		askForMore,
	},
	twoAtOnce: {
		"while another thread is in MPI", "other thread",
		"The provided level of thread support, %s, allows one thread at a time (MPI standard, section 11.6).",
		askForMore + " Or use a lock, so that only one thread calls MPI at a time.",
	},
	sameCollective: {
		"while another thread of the process is in a collective operation on the same communicator, window or file",
		"other thread",
		"MPI matches collectives by their order, and calls of two threads have no order (MPI standard, section 11.6).",
		"Give each thread its own communicator (MPI_Comm_dup), or let only one thread at a time call collectives.",
	},
	sameRequest: {
		"for a request that another thread is waiting for", "other thread",
		"Only one thread may wait for a request (MPI standard, section 11.6).",
		"Let one thread complete the request and tell the others.",
	},
}

// report reports a call. Other checks do not report what follows from the mistake.
func (o *order) report(th *track.Thread, call match.Call, e mistake) {
	th.Explained = track.ByOrder
	o.publish(th, call, e)
}

// publish makes the finding about a call.
func (o *order) publish(th *track.Thread, call match.Call, e mistake) {
	x := o.x
	name, w := x.Func(call).Name, disorders[e.wrong]
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%d", x.Place(call), e.wrong),
		Sites:   []finding.Site{x.Site("call", call)},
		Message: fmt.Sprintf("%s is called %s", name, w.what),
		Why:     w.why,
		Advice:  w.advice,
		Details: map[string]any{"function": name},
	}
	if th.Process.Rank >= 0 {
		f.Ranks = []int{th.Process.Rank}
	}
	if e.wrong == otherThread || e.wrong == twoAtOnce {
		f.Why = fmt.Sprintf(w.why, e.level)
		f.Details["level"] = e.level.String()
	}
	if len(e.other.Raw) > 0 {
		f.Message += check.Parens(x.Line(e.other))
		f.Sites = append(f.Sites, x.Site(w.other, e.other))
	}
	x.Report(f)
}
