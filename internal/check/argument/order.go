package argument

import (
	_ "embed"
	"fmt"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/track"
)

//go:embed order.md
var orderDoc string

// OutOfOrder finds calls before MPI is there, when it is gone, and from threads that the provided level of thread support
// forbids (MPI standard, sections 11.2, 11.4 and 11.6).
var OutOfOrder = &check.Check{
	ID:       "LOCAL:MPI:OUT_OF_ORDER",
	Severity: finding.Error,
	Title:    "a call comes at a time, or from a thread, that the standard forbids",
	Doc:      orderDoc,
	Start: func(x *check.Run) {
		x.Track.OutOfOrder.On(x.Owner, func(ev track.OutOfOrder) {
			t, c, e := ev.Thread, ev.Call, ev.Error
			name, who := x.Func(c).Name, "A process"
			if t.Process.Rank >= 0 {
				who = fmt.Sprintf("Rank %d", t.Process.Rank)
			}
			w := disorders[e.Wrong]
			f := &finding.Finding{
				Key:     fmt.Sprintf("%s|%d", x.Place(c), e.Wrong),
				Sites:   []finding.Site{x.Site("call", c)},
				Message: fmt.Sprintf("%s calls %s %s.", who, name, w.what),
				Advice:  w.advice,
				Details: map[string]any{"function": name},
			}
			if t.Process.Rank >= 0 {
				f.Ranks = []int{t.Process.Rank}
			}
			if e.Wrong == track.OtherThread || e.Wrong == track.TwoAtOnce {
				f.Message += "\nThe level of thread support that MPI provides is " + e.Level + "."
				f.Details["level"] = e.Level
			}
			if len(e.Other.Raw) > 0 {
				f.Sites = append(f.Sites, x.Site(w.other, e.Other))
			}
			x.Report(f)
		})
	},
}

const askForMore = "Ask for more by MPI_Init_thread, look at the level that it provides, and keep to that: it need not be the one that was asked for."

// disorders goes on after "Rank 0 calls MPI_Send".
var disorders = map[track.Disorder]struct{ what, other, advice string }{
	track.BeforeInit: {"before MPI_Init", "", "Call MPI_Init or MPI_Init_thread first."},
	track.AfterFinalize: {
		"after MPI_Finalize", "MPI_Finalize",
		"Call MPI_Finalize last. Destructors of static objects and functions for atexit run later still: let them ask MPI_Finalized.",
	},
	track.InitTwice: {"though MPI is initialized already", "initialized", "Initialize MPI once. A library that does not know whether its user has asks MPI_Initialized."},
	track.InitAgain: {
		"after MPI_Finalize: MPI can't be initialized again", "MPI_Finalize",
		"Call MPI_Finalize once, at the end of the program. (Sessions, of MPI 4.0, can be opened again.)",
	},
	track.OtherThread: {"from another thread than the one that has initialized MPI", "initialized", askForMore},
	track.TwoAtOnce:   {"while another thread is in MPI", "other thread", askForMore + " Or let a lock keep threads from calling MPI at the same time."},
	track.SameCollective: {
		"while another thread of the process is in a collective operation on the same communicator, window or file.\nCollectives are told apart by their order alone, and here there is none",
		"other thread", "Give each thread a communicator of its own (MPI_Comm_dup), or let only one at a time call collectives.",
	},
	track.SameRequest: {
		"for a request that another thread is waiting for", "other thread",
		"Let one thread complete a request, and tell the others.",
	},
}
