package threads

import (
	"fmt"

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
	otherThread             // a thread calls MPI, but only the thread may that has initialized MPI
	twoAtOnce               // two threads are in MPI, but only one at a time may
	sameCollective          // two threads are in collectives on one communicator, window or file
	sameRequest             // two threads wait for one request
)

const askForMore = "Ask for more by MPI_Init_thread, look at the level that it provides, and keep to that: it need not be the one that was asked for."

// disorders goes on after "Rank 0 calls MPI_Send".
var disorders = map[disorder]struct{ what, other, advice string }{
	beforeInit: {"before MPI_Init", "", "Call MPI_Init or MPI_Init_thread first."},
	afterFinalize: {
		"after MPI_Finalize", "MPI_Finalize",
		"Call MPI_Finalize last. Destructors of static objects and functions for atexit run later still: let them ask MPI_Finalized.",
	},
	initTwice: {
		"though MPI is initialized already", "initialized",
		"Initialize MPI once. A library that does not know whether its user has asks MPI_Initialized.",
	},
	initAgain: {
		"after MPI_Finalize: MPI can't be initialized again", "MPI_Finalize",
		"Call MPI_Finalize once, at the end of the program. (Sessions, of MPI 4.0, can be opened again.)",
	},
	otherThread: {"from another thread than the one that has initialized MPI", "initialized", askForMore},
	twoAtOnce: {
		"while another thread is in MPI", "other thread",
		askForMore + " Or let a lock keep threads from calling MPI at the same time.",
	},
	sameCollective: {
		"while another thread of the process is in a collective operation on the same communicator, window or file.\n" +
			"Collectives are told apart by their order alone, and here there is none",
		"other thread", "Give each thread a communicator of its own (MPI_Comm_dup), or let only one at a time call collectives.",
	},
	sameRequest: {
		"for a request that another thread is waiting for", "other thread",
		"Let one thread complete a request, and tell the others.",
	},
}

// report reports a call. What follows from the mistake is not reported by other checks.
func (o *order) report(th *track.Thread, call match.Call, e mistake) {
	th.Explained = track.ByOrder
	o.publish(th, call, e)
}

// publish hands in the finding about a call.
func (o *order) publish(th *track.Thread, call match.Call, e mistake) {
	x, who := o.x, "A process"
	if th.Process.Rank >= 0 {
		who = fmt.Sprintf("Rank %d", th.Process.Rank)
	}
	name, w := x.Func(call).Name, disorders[e.wrong]
	f := &finding.Finding{
		Key:     fmt.Sprintf("%s|%d", x.Place(call), e.wrong),
		Sites:   []finding.Site{x.Site("call", call)},
		Message: fmt.Sprintf("%s calls %s %s.", who, name, w.what),
		Advice:  w.advice,
		Details: map[string]any{"function": name},
	}
	if th.Process.Rank >= 0 {
		f.Ranks = []int{th.Process.Rank}
	}
	if e.wrong == otherThread || e.wrong == twoAtOnce {
		f.Message += "\nThe level of thread support that MPI provides is " + e.level.String() + "."
		f.Details["level"] = e.level.String()
	}
	if len(e.other.Raw) > 0 {
		f.Sites = append(f.Sites, x.Site(w.other, e.other))
	}
	x.Report(f)
}
