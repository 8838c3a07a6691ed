// Package report holds what reports of all formats share: the facts of a run, and the code that folds the places of a
// finding. Each format is a package below it.
package report

import (
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/finding"
)

// Run is the information about a run, apart from its findings.
type Run struct {
	Command    []string
	Ranks      int    // in MPI_COMM_WORLD; 0 if MPI was never initialised
	Nodes      []Node // nil if the job has only one node
	MPI        string // "Open MPI 4.1.4"; "" if not known
	ExitStatus int    // exit status of the program; 128+n if a signal ended it
	// EndedByMpivet says that mpivet ended the program after a finding. Then the exit status has no meaning.
	EndedByMpivet bool
	Duration      time.Duration

	Calls       uint64 // MPI calls, including queries
	Messages    uint64 // sends matched with receives
	Collectives uint64 // collective operations matched on all their processes

	Stall      time.Duration // total time that ranks waited for the analyzer
	Stalls     uint64        // number of times that ranks waited
	Unrecorded int           // threads without space for their records
	Shrunk     int           // threads with less space than wanted
	// Notes are further facts that the user must know to judge the result, one sentence each: for example lost records,
	// a file without symbols, or an analysis that was ended early.
	Notes []string
	// Suppressions are the rules by which findings were not reported.
	Suppressions []finding.SuppressionCount
	// Launcher says that the launcher was killed, and how; "" if it was not. It has already been reported to the user.
	Launcher string
	// Alone says that each process is alone in its MPI_COMM_WORLD, "" if not. It has already been reported, too.
	Alone string
	// Interrupted says that the run was ended from outside, or is reported before its end.
	Interrupted bool
}

// Node is a node of a job.
type Node struct {
	Host  string
	Ranks int // of all MPI_COMM_WORLDs
}

// Progress is the state of a job that still runs.
type Progress struct {
	Elapsed         time.Duration
	Calls, Messages uint64
	Findings        finding.Summary
	Ranks           int // that have not ended
	Waiting         int // of them, those that have been in one MPI call for some time
}

// Place is a call stack, with all sites of a finding that share it and have the same role.
type Place struct {
	Role  string
	Ranks []int // ascending
	Calls []Call
	Stack []finding.Frame
}

// Call is a call string and the ranks that made it.
type Call struct {
	Text  string
	Ranks []int // ascending
}

// Fold joins the sites of a finding that have the same role and stack, in their order. Calls that differ only in
// addresses are joined; the text is that of the first site. Sites without a stack are joined if their calls are the
// same.
func Fold(sites []finding.Site) []Place {
	var places []Place
	for i := range sites {
		s := &sites[i]
		ranks := append([]int{s.Rank}, s.Also...)
		masked := finding.WithoutAddresses(s.Call)
		k := slices.IndexFunc(places, func(p Place) bool {
			return p.Role == s.Role && finding.SameStack(p.Stack, s.Stack) &&
				(len(s.Stack) > 0 || finding.WithoutAddresses(p.Calls[0].Text) == masked)
		})
		if k < 0 {
			places = append(places, Place{Role: s.Role, Stack: s.Stack})
			k = len(places) - 1
		}
		p := &places[k]
		p.Ranks = union(p.Ranks, ranks)
		c := slices.IndexFunc(p.Calls, func(c Call) bool { return finding.WithoutAddresses(c.Text) == masked })
		if c < 0 {
			p.Calls = append(p.Calls, Call{Text: s.Call})
			c = len(p.Calls) - 1
		}
		p.Calls[c].Ranks = union(p.Calls[c].Ranks, ranks)
	}
	return places
}

func union(a, b []int) []int {
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}
