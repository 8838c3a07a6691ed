// Package reporttest has the findings that the tests of all report formats print, so the formats can be compared.
package reporttest

import (
	"time"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
)

// Run returns the run in which the findings occurred.
func Run() *report.Run {
	return &report.Run{
		Command:     []string{"./exchange", "--size", "8 MiB"},
		Ranks:       18,
		MPI:         "Open MPI 4.1.4",
		ExitStatus:  139,
		Duration:    1234567 * time.Microsecond,
		Calls:       1234567,
		Messages:    345,
		Collectives: 67,
		Stall:       12 * time.Millisecond,
		Stalls:      3,
		Unrecorded:  1,
		Notes:       []string{"/opt/lib/libgone.so is gone: its functions and lines are not known"},
	}
}

func frame(function, file string, line int, pc uint64) finding.Frame {
	return finding.Frame{Function: function, File: file, Line: line, Module: "exchange", PC: pc}
}

func stack(pc uint64, frames ...finding.Frame) []finding.Frame {
	return append(frames,
		frame("main", "/home/user/src/exchange.c", 88, pc+0x200),
		finding.Frame{Function: "__libc_start_call_main", Module: "libc.so.6", PC: 0x7f0000027249},
		finding.Frame{
			Function: "__libc_start_main_impl", File: "/build/glibc/csu/libc-start.c", Line: 360,
			Module: "libc.so.6", PC: 0x7f0000027304,
		},
		finding.Frame{Function: "_start", Module: "exchange", PC: 0x401090})
}

// deadlock returns the finding of four processes that wait for each other.
func deadlock() *finding.Finding {
	f := &finding.Finding{
		Check:    "GLOBAL:DEADLOCK:HARD",
		Severity: finding.Fatal,
		Key:      "cycle",
		Count:    1,
		Ranks:    []int{0, 1, 2, 3},
		Message: "4 processes wait for each other and can never go on:\n  0 waits for 3, 1 waits for 0, 2 waits for " +
			"1, 3 waits for 2",
		Advice: "Let every second process send first, or use MPI_Sendrecv.",
	}
	for rank := range 4 {
		f.Sites = append(f.Sites, finding.Site{
			Rank: rank, Role: "waiting",
			Call: "MPI_Recv(*buf=0x7ffe2a1" + string(rune('0'+rank)) + ", count=1, datatype=MPI_INT, source=" +
				string(rune('0'+(rank+3)%4)) + ", tag=0, comm=ring, *status=MPI_STATUS_IGNORE)",
			Stack: stack(0x401336+uint64(rank)<<32,
				frame("ring", "/home/user/src/exchange.c", 60, 0x401336+uint64(rank)<<32)),
		})
	}
	return f
}

// Findings returns findings of all kinds, in the order in which they occurred, and a matching summary.
func Findings() ([]*finding.Finding, finding.Summary) {
	mismatch := &finding.Finding{
		Check:    "GLOBAL:MSG:DATATYPE:MISMATCH",
		Severity: finding.Error,
		Key:      "send 1 receive 2",
		Count:    3,
		Ranks:    []int{0, 1},
		Message: "The data sent does not have the type of the data received.\n" +
			"Element 0 is MPI_INT in the send, but MPI_FLOAT in the receive.",
		Advice: "Use the same basic types in the same order on both sides.",
		Sites: []finding.Site{
			{
				Rank: 0, Role: "send",
				Call: "MPI_Send(*buf=0x7ffe2a10, count=1, datatype=MPI_INT, dest=1, tag=100, comm=MPI_COMM_WORLD)",
				Stack: stack(0x401136,
					frame("put", "/home/user/src/halo.h", 12, 0x401136),
					frame("exchange", "/home/user/src/exchange.c", 41, 0x401136)),
			},
			{
				Rank: 1, Role: "MPI_Irecv that created the request",
				Call: "MPI_Irecv(*buf=0x7ffe2a14, count=1, datatype=MPI_FLOAT, source=0, tag=100, " +
					"comm=MPI_COMM_WORLD, *request=0x7ffe2a20)",
				Stack: stack(0x401236, frame("exchange", "/usr/include/mpl/exchange.hpp", 7, 0x401236)),
			},
		},
		Details: map[string]any{"sent": "MPI_INT", "expected": "MPI_FLOAT", "element": 0},
	}
	collective := &finding.Finding{
		Check:    "GLOBAL:COLLECTIVE:ROOT_MISMATCH",
		Severity: finding.Error,
		Key:      "bcast",
		Count:    1,
		Ranks:    []int{0, 1, 2, 3, 4, 5, 7},
		Message:  "The root of MPI_Bcast differs: rank 1 says 1, all others say 0.",
		FollowUp: true,
		Sites: []finding.Site{
			{Rank: 1, Role: "broadcast from 1", Call: "MPI_Bcast(*buffer=0x1, count=0, datatype=MPI_BYTE, root=1, " +
				"comm=MPI_COMM_WORLD)", Stack: stack(0x401436)},
			{Rank: 0, Role: "broadcast from 0", Call: "MPI_Bcast(*buffer=0x2, count=0, datatype=MPI_BYTE, root=0, " +
				"comm=MPI_COMM_WORLD)", Stack: stack(0x401436), Also: []int{2, 3, 4, 5}},
			{Rank: 7, Role: "broadcast from 0", Call: "MPI_Bcast(*buffer=0x3, count=0, datatype=MPI_BYTE, root=0, " +
				"comm=MPI_COMM_WORLD)", Stack: stack(0x401436)},
		},
	}
	leak := &finding.Finding{
		Check:    "LOCAL:REQUEST:NOT_FREED",
		Severity: finding.Warning,
		Key:      "irecv",
		Count:    12345,
		Ranks:    []int{17},
		Message:  "12345 requests were never completed.",
		Sites: []finding.Site{
			{
				Rank: 17, Role: "created", Call: "MPI_Irecv(…)",
				Stack: []finding.Frame{
					{Function: "libsolver.so+0x4711", Module: "libsolver.so", PC: 0x7f0000104711},
					{Function: "solve", Module: "libsolver.so", PC: 0x7f0000104800},
				},
			},
		},
	}
	hostile := &finding.Finding{
		Check:    "LOCAL:MPI:CALL_FAILED",
		Severity: finding.Info,
		Key:      "name",
		Count:    1,
		Ranks:    []int{2},
		Message:  "MPI_Comm_set_name(\"\x1b[2J\xff\") failed: <MPI_ERR_ARG> & more",
	}
	return []*finding.Finding{leak, mismatch, deadlock(), collective, hostile},
		finding.Summary{Fatal: 1, Error: 2, Warning: 1, Info: 1, Suppressed: 2, Limited: 4}
}
