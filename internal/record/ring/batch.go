// Package ring reads the records of ranks: live from the rings in shared memory, or from a file written earlier. Both
// sources deliver the same, so their users cannot tell them apart.
package ring

import "time"

// ThreadID numbers the threads of a session that called MPI, from 0, in the order in which they appeared.
type ThreadID int32

// ProcID numbers the processes of a session from 0, in the order in which they appeared.
type ProcID int32

// Thread is a thread of a process that called MPI.
type Thread struct {
	ID    ThreadID
	Proc  ProcID
	Index int // 0 for the first thread of its process to call MPI
	TID   int // Linux thread id
	Main  bool
}

// Proc is a process that was started in the session, whether or not it calls MPI. A process that calls exec() becomes a
// new Proc with the same PID.
type Proc struct {
	ID        ProcID
	PID, PPID int
	Rank      int // from the launcher's environment, -1 if unknown
	WorldSize int // from there, too
	Exe       string
	Start     time.Duration // CLOCK_MONOTONIC
	// Node numbers the nodes of a job from 0, the node of the analyzer. PIDs and times of CLOCK_MONOTONIC of different
	// nodes cannot be compared.
	Node int    `json:",omitempty"`
	Host string `json:",omitempty"` // name of the node, "" if the job has only one
}

// Numbers gives the processes and threads of a job their numbers. Sources that share it make one job.
type Numbers struct {
	proc ProcID
	thr  ThreadID
}

// NextProc returns the number of the next process.
func (n *Numbers) NextProc() ProcID {
	n.proc++
	return n.proc - 1
}

// NextThread returns the number of the next thread.
func (n *Numbers) NextThread() ThreadID {
	n.thr++
	return n.thr - 1
}

// Mapping is an executable mapping of a process at its end.
type Mapping struct {
	Start, End, Offset uint64
	Path               string
}

// EndKind says how a process ended.
type EndKind uint8

// The kinds of ends.
const (
	Exited   EndKind = iota // exit(), return from main, _exit()
	Signaled                // a fatal signal that the library caught
	// without a trace: SIGKILL, or a direct exit_group system call if the kernel does not report it
	Vanished
	Replaced // exec(): another Proc with the same PID goes on
	// the end is not known: the records cannot be read any more (see Reason), so missing records prove nothing
	Lost
)

// ProcEnd is the end of a process.
type ProcEnd struct {
	Kind       EndKind
	Code       int  // exit status or signal number; for Vanished the signal, 0 if it is not known
	Underscore bool // by _exit, _Exit or quick_exit
	// Unseen: the exit was reported by the kernel, and not by the library. The process made the system call itself, or
	// it had become another program by exec() without the library.
	Unseen      bool `json:",omitempty"`
	Initialized bool // MPI_Init had returned
	Finalized   bool // MPI_Finalize had been entered
	Aborted     bool // MPI_Abort had been entered
	InMPI       bool // during an MPI call of the program
	TID         int
	Time        time.Duration // CLOCK_MONOTONIC of the end, from the process or else from the analyzer
	FaultAddr   uint64
	SenderPID   int // of the signal, 0 if it was not sent by kill()
	// Asked: the user, the launcher or mpivet made the process end, so its end says nothing about the program. Sources
	// do not set it. The code that started the program sets it for the handlers that follow.
	Asked bool
	// LauncherKilled: the launcher was killed before, and so Asked is set.
	LauncherKilled bool `json:",omitempty"`
	PCs            []uint64
	Maps           []Mapping
	Reason         string // why the records cannot be read any more, for Lost
}

// Batch is a sequence of records of one thread, in program order.
//
// All of its calls have returned, with one exception: if Open is set, the last call is still under way, and its results
// are not valid yet. When that call returns, the next batch of the thread has Resume set. It begins with the same
// record again, now complete. (The record is never Open a second time: it is delivered once open, and once complete.)
//
// A call may publish further records: InfoComm, InfoNeighbours, InfoError, InfoMPI, InfoSums, InfoFreed, InfoChanged,
// InfoUnreachable, and InfoData of arrays that the call writes. They lie behind the call's record, but are always
// delivered before the call's completion. So such a call is delivered as open first, even if it has returned long ago.
// Then comes a batch with the further records, with neither Resume nor Open set. Then comes the batch that begins with
// the completed call. Batches without calls, with neither Resume nor Open set, may also come at other times.
//
// Tests and probes that are repeated and find nothing have records only the first time. Repeats is the number of
// further ones since the thread's last such batch. It comes in batches without Data: at each tick, before records that
// come later, and at the process's end.
//
// Each record in Data is complete and has a plausible length (at least one Line, and within Data). The rest of its
// content is from the memory of the program's process, so it may be anything. Data is valid only until the handler
// returns.
type Batch struct {
	Thread ThreadID
	Resume bool
	Open   bool
	Data   []byte
	// Repeats is the number of further tests and probes that have found nothing. Each has the arguments, the results
	// and the place of a call that was delivered before. Between that call and them, the thread has made only other
	// such calls. If there are fewer than 64 in a row, their callers further up the stack may differ.
	Repeats uint64
}

// Handler takes the deliveries of a source, in an order that is fit for analysis: a process before its threads, a
// thread before its batches, the batches of one process's threads in the order of time, and a process's end after all
// of its records.
type Handler interface {
	Proc(p *Proc)
	Thread(t *Thread)
	Batch(b *Batch)
	End(p ProcID, e *ProcEnd)
	// Tick marks the passing of a tenth of a second. Sources do not call it in a live run: the main loop calls it on
	// the pipeline and on the Writer. The Writer records it, and a source that reads a file delivers it in its place.
	// So results that depend on time (which calls have been open for long) are the same.
	Tick()
}

// Doubter is a Handler for which it makes a difference whether a tick was in doubt: the live analysis could not confirm
// a deadlock that the records seemed to show at that tick.
type Doubter interface {
	TickInDoubt()
}

// Stats are counts of the sources, in addition to the records.
type Stats struct {
	Queries    uint64        // calls that need no record
	Stalls     uint64        // how many times a rank waited for the analyzer
	StallTime  time.Duration // sum over all threads
	Unrecorded int           // threads that got no ring, as there was no room
	Shrunk     int           // rings that are smaller than wanted

	// How the run ended. Only a File knows this, if it was written to it.
	ExitStatus int           // of the program, as a shell reports it
	Duration   time.Duration // of the program
	Aborted    bool          // mpivet ended the program, so the status says nothing
	Notes      string        // messages to the user besides the findings, one line each
}

// Source delivers records.
type Source interface {
	// Poll delivers the records that are there now and returns their length in bytes. It returns io.EOF when no more
	// can come.
	Poll(h Handler) (int, error)
	Stats() Stats
	Close() error
}
