package mpiapi

import (
	"fmt"
	"strings"
)

// Columns are the facts about a function that do not follow from its parameters. Each field is a column of api.txt,
// which documents it. Large-count and MPIX_ twins have the columns of their base. Nonblocking and persistent
// collectives have the columns of the blocking operation, except Act.
type Columns struct {
	Act      Act
	Mode     Mode
	Flow     Flow
	InPlace  InPlace
	Waits    Waits
	Split    Split
	Timing   Timing
	Agree    Agreement
	CommKind CommKind
	NewComm  CommKind // kind of the new communicator, if it has the processes of one group; AnyComm if that varies
	// SendParts: the send buffer has a part for each process that receives data. RecvParts: the receive buffer has a
	// part for each process that sends data. An array of counts describes the parts. Without such an array, all parts
	// have the same size.
	SendParts, RecvParts bool
	// InPlaceRecv: MPI_IN_PLACE replaces the receive buffer. Else it replaces the send buffer.
	InPlaceRecv bool
	Resync      bool   // a blocking call of all processes brings them to one point of the run
	ByGroup     bool   // collective over the processes of the group that is passed
	Connects    bool   // its communicator has processes of more than one MPI_COMM_WORLD
	Copies      bool   // the new object has the attributes and the topology of the old one
	Anytime     bool   // it may be called before MPI_Init, after MPI_Finalize, and by any thread at any time
	Combiner    string // name of the constructor of datatypes, "" for other functions
}

// Mode is the communication mode of a send (MPI standard, section 3.4).
type Mode uint8

// The modes.
const (
	StandardMode Mode = iota
	BufferedMode
	SynchronousMode
	ReadyMode
)

var modeNames = [...]string{"standard", "buffered", "synchronous", "ready"}

// String returns the name of the mode in api.txt.
func (m Mode) String() string { return name(modeNames[:], "Mode", uint8(m)) }

// Flow says which processes send data to which others in a collective operation. The flows are the categories of the
// MPI standard, section 6.2.2. Its category "other" is divided further.
type Flow uint8

// The flows.
const (
	NoFlow     Flow = iota // no data move, or only between processes and files
	OneToAll               // from the root to all
	AllToOne               // from all to the root
	AllToAll               // from all to all
	ScanFlow               // to each process from those of lower rank, and from itself
	ExscanFlow             // to each process from those of lower rank
	Neighbors              // along the edges of the topology
)

var flowNames = [...]string{"none", "one-to-all", "all-to-one", "all-to-all", "scan", "exscan", "neighbors"}

// String returns the name of the flow in api.txt.
func (f Flow) String() string { return name(flowNames[:], "Flow", uint8(f)) }

// InPlace says which processes may pass MPI_IN_PLACE (MPI standard, chapter 6). It is never allowed on an
// inter-communicator.
type InPlace uint8

// The processes that may pass MPI_IN_PLACE.
const (
	NotInPlace  InPlace = iota
	InPlaceRoot         // the root
	InPlaceAll          // all processes or none
	InPlaceEach         // each process, whatever the others pass
)

var inPlaceNames = [...]string{"none", "root", "all", "each"}

// String returns the name in api.txt.
func (p InPlace) String() string { return name(inPlaceNames[:], "InPlace", uint8(p)) }

// Waits says whether a collective may be complete for one process before others have entered it. For operations that
// move data, the requirements of the standard follow from the flow: see Func.Exchanges.
type Waits uint8

// The values.
const (
	MayWait    Waits = iota // it depends on the flow and on the MPI library
	WaitsAll                // it is complete for no process before all have entered it
	SeldomWait              // the standard lets it wait, but libraries implement it as a local call
)

var waitsNames = [...]string{"may", "all", "seldom"}

// String returns the name in api.txt.
func (w Waits) String() string { return name(waitsNames[:], "Waits", uint8(w)) }

// Split is a function's part in split collective accesses to a file (MPI standard, section 14.4.5).
type Split uint8

// The parts.
const (
	NoSplit       Split = iota
	SplitBegin          // it begins a split collective
	SplitEnd            // it ends a split collective
	SplitExcluded       // it must not be called on the file while a split collective is active
)

var splitNames = [...]string{"none", "begin", "end", "excluded"}

// String returns the name in api.txt.
func (s Split) String() string { return name(splitNames[:], "Split", uint8(s)) }

// Timing says whether the further course of a process may depend on other processes in a way that no record shows.
type Timing uint8

// The values.
const (
	NoTiming      Timing = iota
	TimingCall           // after this call: it takes a lock, or asks whether others are done
	TimingForever        // for the rest of the run: processes share memory
)

var timingNames = [...]string{"none", "call", "forever"}

// String returns the name in api.txt.
func (t Timing) String() string { return name(timingNames[:], "Timing", uint8(t)) }

// Agreement names the arguments that must be the same in all processes of a collective, besides root, operation and
// data. Package collargs has the code for each.
type Agreement uint8

// The agreements.
const (
	NoAgreement   Agreement = iota
	AgreeLeader             // the local leader of MPI_Intercomm_create
	AgreeGroup              // the group of MPI_Comm_create
	AgreeTagged             // the group and the tag of MPI_Comm_create_group
	AgreeSplit              // the type of MPI_Comm_split_type
	AgreeLeaders            // both leaders of MPI_Intercomm_create_from_groups
	AgreeHigh               // the order of the groups in MPI_Intercomm_merge
	AgreeGrid               // a Cartesian grid
	AgreeGraph              // a graph
	AgreeEdges              // the options of a distributed graph
	AgreeAdjacent           // these options, and the edges: both ends of an edge name it
	AgreeFence              // assertions of a fence
	AgreeWindow             // assertions in the info of a window
	AgreeAmode              // the access mode of a file
	AgreeSize               // the size of a file
	AgreeFlag               // a flag
	AgreeOffset             // an offset and its origin (whence)
	AgreeView               // the view of a file
)

var agreementNames = [...]string{
	"none", "leader", "group", "tagged", "split", "leaders", "high", "grid", "graph", "edges", "adjacent", "fence",
	"window", "amode", "size", "flag", "offset", "view",
}

// String returns the name in api.txt.
func (a Agreement) String() string { return name(agreementNames[:], "Agreement", uint8(a)) }

// CommKind says which communicators a function takes.
type CommKind uint8

// The kinds of communicators.
const (
	AnyComm         CommKind = iota
	IntraComm                // intra-communicators
	InterComm                // inter-communicators
	CartComm                 // communicators with a Cartesian topology
	GraphComm                // communicators with a graph topology
	DistGraphComm            // communicators with a distributed graph topology
	TopologicalComm          // communicators with any topology
)

var commKindNames = [...]string{"any", "intra", "inter", "cart", "graph", "distgraph", "topology"}

// String returns the name in api.txt.
func (k CommKind) String() string { return name(commKindNames[:], "CommKind", uint8(k)) }

// column sets one column of a function. It returns an error if the value is invalid.
func (c *Columns) column(s string) error {
	key, value, _ := strings.Cut(s, "=")
	switch key {
	case "act":
		return choose(&c.Act, actNames[:], s, value)
	case "mode":
		return choose(&c.Mode, modeNames[:], s, value)
	case "flow":
		return choose(&c.Flow, flowNames[:], s, value)
	case "waits":
		return choose(&c.Waits, waitsNames[:], s, value)
	case "split":
		return choose(&c.Split, splitNames[:], s, value)
	case "timing":
		return choose(&c.Timing, timingNames[:], s, value)
	case "agree":
		return choose(&c.Agree, agreementNames[:], s, value)
	case "comm":
		return choose(&c.CommKind, commKindNames[:], s, value)
	case "newcomm":
		return choose(&c.NewComm, commKindNames[:], s, value)
	case "inplace":
		buffer, who, _ := strings.Cut(value, ":")
		if buffer != "send" && buffer != "recv" {
			return fmt.Errorf("%q: want send or recv before the colon", s)
		}
		c.InPlaceRecv = buffer == "recv"
		return choose(&c.InPlace, inPlaceNames[:], s, who)
	case "parts":
		c.SendParts, c.RecvParts = value == "send" || value == "both", value == "recv" || value == "both"
		if !c.SendParts && !c.RecvParts {
			return fmt.Errorf("%q: want send, recv or both", s)
		}
		return nil
	case "combiner":
		c.Combiner = value
		return nil
	}
	return c.flag(s)
}

// flag sets a column without a value.
func (c *Columns) flag(s string) error {
	switch s {
	case "resync":
		c.Resync = true
	case "bygroup":
		c.ByGroup = true
	case "connects":
		c.Connects = true
	case "copies":
		c.Copies = true
	case "anytime":
		c.Anytime = true
	default:
		return fmt.Errorf("unknown column %q", s)
	}
	return nil
}

// choose sets a column that has names for its values. The first name is the value of functions without the column.
func choose[T ~uint8](to *T, names []string, column, value string) error {
	for i := 1; i < len(names); i++ {
		if names[i] == value {
			*to = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q: want one of %s", column, strings.Join(names[1:], ", "))
}

// MovesData tells whether the function is a collective operation that moves data between processes.
func (f *Func) MovesData() bool { return f.Flow != NoFlow && f.Arg(SendBuf) >= 0 }

// Reduces tells whether a collective combines the data that it moves.
func (f *Func) Reduces() bool { return f.Flow != NoFlow && f.Arg(ReduceOp) >= 0 }

// CountsVary tells whether the function takes an array of counts. Its processes may then move different amounts of
// data, or none.
func (f *Func) CountsVary() bool {
	for _, r := range []Role{SendCount, RecvCount} {
		if i := f.Arg(r); i >= 0 && f.Params[i].Length != "" {
			return true
		}
	}
	return false
}

// Exchanges tells whether each process gets data of every other process, unless the counts are 0. Such an operation
// cannot be complete for any process before all have entered it. An operation whose counts vary is not one of them: a
// process may have nothing to wait for.
func (f *Func) Exchanges() bool { return f.Flow == AllToAll && f.MovesData() && !f.CountsVary() }

// EndsObject tells whether the function is collective over an object that it frees.
func (f *Func) EndsObject() bool {
	i := f.Over()
	return i >= 0 && f.Params[i].Frees()
}

// Begins returns the function that begins the split collectives that f ends. It returns nil if f does not end any.
func (f *Func) Begins() *Func {
	if f.Split != SplitEnd {
		return nil
	}
	return ByName(strings.TrimSuffix(ByID(f.Base).Name, "_end") + "_begin")
}

// Operation returns the blocking form of an operation: MPI_Bcast for MPI_Ibcast, MPI_Bcast_init and their large-count
// twins.
func (f *Func) Operation() *Func { return ByID(f.operation) }
