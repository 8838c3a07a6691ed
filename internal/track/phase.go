package track

import (
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Phase says how far a process is in the use of MPI, and which of its threads may call MPI (MPI standard, sections
// 11.2, 11.4 and 11.6).
type Phase struct {
	Initialized bool // MPI_Init or MPI_Init_thread has returned
	Finalizing  bool // MPI_Finalize was entered, or the last session was finalized
	Finalizes   bool // MPI_Finalize was entered
	Finalized   bool // MPI_Finalize has returned
	Aborting    bool // MPI_Abort was entered

	Init     match.Call // MPI_Init or MPI_Init_thread, once it has returned; else empty
	Finalize match.Call // MPI_Finalize, once it has returned; else empty
	Main     *Thread    // the thread that called Init
	Sessions int        // number of open sessions
	Level    ThreadLevel

	// provided is the value that the library has returned for the level; it is valid if levelKnown is set.
	provided   int64
	levelKnown bool
}

// ThreadLevel is a level of thread support.
type ThreadLevel uint8

// The levels of thread support.
const (
	UnknownLevel ThreadLevel = iota
	SingleLevel
	FunneledLevel
	SerializedLevel
	MultipleLevel
)

var levelNames = [...]string{
	"", "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
	"MPI_THREAD_MULTIPLE",
}

// String returns the name that the standard gives to the level, "" for UnknownLevel.
func (l ThreadLevel) String() string { return levelNames[l] }

// MainOnly reports whether only the thread that has initialized MPI may call it.
func (l ThreadLevel) MainOnly() bool { return l == SingleLevel || l == FunneledLevel }

// level returns the thread level for a value of the process's MPI library.
func (n *names) level(v int64) ThreadLevel {
	for l := SingleLevel; l <= MultipleLevel; l++ {
		if n.isConst(l.String(), v) {
			return l
		}
	}
	return UnknownLevel
}

// Open reports whether MPI may be called: it is initialized and not finalized, or a session is open.
func (p *Phase) Open() bool {
	return p.Sessions > 0 || len(p.Init.Raw) > 0 && !p.Finalized
}

// noteOrderly determines for each thread whether its calls may come at a wrong time: see Events.OddTime.
func (p *Process) noteOrderly() {
	for _, th := range p.Threads {
		th.orderly = p.Open() && (len(p.Threads) == 1 || p.Phase.Level.MainOnly() && th == p.Phase.Main)
	}
}

// changePhase follows functions that initialize and finalize MPI, when they have returned successfully.
func (pr *Process) changePhase(th *Thread, p *plan, rec []byte) {
	switch p.fn.Base {
	case mpiapi.IDInit, mpiapi.IDInitThread:
		pr.Phase.Init, pr.Phase.Main = th.call(rec), th
		switch {
		case pr.Phase.levelKnown:
			pr.Phase.Level = pr.names.level(pr.Phase.provided)
		case p.level.At != 0:
			pr.Phase.Level = pr.names.level(p.level.Int(rec))
		}
	case mpiapi.IDSessionInit:
		pr.Phase.Sessions++
	case mpiapi.IDSessionFinalize:
		pr.Phase.Sessions--
	case mpiapi.IDFinalize:
		pr.Phase.Finalize = th.call(rec)
	}
	pr.noteOrderly()
}
