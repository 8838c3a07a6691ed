// Package ring reads what ranks recorded: live from the rings in shared memory, or from a file written earlier. Both
// deliver the same thing, so that everything downstream can't tell them apart.
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

// Proc is a process that was started under the session, whether or not it calls MPI. One that calls exec() becomes a
// new Proc with the same PID.
type Proc struct {
	ID        ProcID
	PID, PPID int
	Rank      int // by the launcher's environment, -1 if unknown
	WorldSize int // likewise
	Exe       string
	Start     time.Duration // CLOCK_MONOTONIC
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
	Signaled                // a fatal signal that the library saw coming
	Vanished                // no trace: SIGKILL, or, where the kernel does not tell, the exit_group system call made directly
	Replaced                // exec(): another Proc with the same PID goes on
	Lost                    // none: its records can't be followed any further (Reason), so nothing follows from their absence
)

// ProcEnd is the end of a process.
type ProcEnd struct {
	Kind       EndKind
	Code       int  // exit status or signal number; of Vanished the signal, 0 if it is not known
	Underscore bool // by _exit, _Exit or quick_exit
	// Unseen: the library did not see the exit, the kernel told of it. The process made the system call itself, or had become
	// another program by exec() without the library.
	Unseen      bool `json:",omitempty"`
	Initialized bool // MPI_Init had returned
	Finalized   bool // MPI_Finalize had been entered
	Aborted     bool // MPI_Abort had been entered
	InMPI       bool // inside an MPI call of the program
	TID         int
	Time        time.Duration // CLOCK_MONOTONIC of the end, as told by the process or seen by the analyzer
	FaultAddr   uint64
	SenderPID   int // of the signal, 0 if it was not sent by kill()
	// Asked: the user, the launcher or mpivet had it end: its end says nothing about the program. Sources don't know;
	// whoever started the program tells the handlers that follow.
	Asked  bool
	PCs    []uint64
	Maps   []Mapping
	Reason string // of Lost
}

// Batch is a run of records of one thread, in program order.
//
// All its calls have returned, except that the last one is still under way if Open is set; its results are not valid
// yet. When it returns, the next batch of that thread has Resume set and begins with the same record once more, now
// complete (unless it is Open again, which never happens: an open record is delivered once open, then once complete).
//
// What a call publishes (InfoComm, InfoNeighbours, InfoError, InfoMPI, InfoSums, InfoFreed, InfoChanged, InfoUnreachable, and
// InfoData of arrays written by the call) lies behind its record, but is always delivered before the call's completion: a call that has published something is
// delivered open first, even if it has returned long since, then comes a batch with what it published, neither Resume
// nor Open, then the one that begins with the completed call. Batches without calls, neither Resume nor Open, may also
// come at other times.
//
// Tests and probes in vain that are made over and over have records only the first time. How often it was since the thread's last
// such batch is told by Repeats, in batches without Data: at each tick, before records that come later, and at the process's end.
//
// Each record in Data is complete and of a plausible length (at least one Line, within Data); the rest of its content is
// what the program's process left in its memory, which may be anything. Data is valid only until the handler returns.
type Batch struct {
	Thread ThreadID
	Resume bool
	Open   bool
	Data   []byte
	// Repeats is how many more calls the thread has made with the arguments and results of ones delivered before, from the same
	// place, and as those have found nothing: tests and probes, between which and those ones it has made nothing but other such
	// calls. Fewer than 64 in a row may have other callers further up the stack.
	Repeats uint64
}

// Handler takes what a source delivers, in the order in which it may be analysed: a process before its threads, a
// thread before its batches, the batches of one process's threads in the order of time, and a process's end after
// everything that it recorded.
type Handler interface {
	Proc(p *Proc)
	Thread(t *Thread)
	Batch(b *Batch)
	End(p ProcID, e *ProcEnd)
	// Tick marks the passing of a tenth of a second. Live, whoever runs the loop calls it on the pipeline and on the
	// Writer alike (sources don't); the Writer records it, and a source that reads a file delivers it where it was, so
	// that all that depends on time (which calls have been open for long) comes out the same.
	Tick()
}

// Stats are what the sources count besides the records.
type Stats struct {
	Queries    uint64        // calls that were made but need no record
	Stalls     uint64        // times a rank waited for the analyzer
	StallTime  time.Duration // in all, over all threads
	Unrecorded int           // threads that found no room for a ring
	Shrunk     int           // rings smaller than wanted

	// How the run ended, where whoever recorded it wrote that down: only a File knows.
	ExitStatus int           // of the program, as a shell has it
	Duration   time.Duration // of the program
	Aborted    bool          // mpivet ended it, so that the status says nothing
	Notes      string        // what the user was told besides the findings, a line each
}

// Source delivers records.
type Source interface {
	// Poll delivers what is there now and returns how many bytes of records that was. It returns io.EOF when nothing
	// more can come.
	Poll(h Handler) (int, error)
	Stats() Stats
	Close() error
}
