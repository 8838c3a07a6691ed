// Package mpiapi describes the MPI interface as data: every C function of MPI 1 to 5, its parameters and their roles.
// The wrapper generator, the record decoder, the printing of call strings and the checks all read this one table.
package mpiapi

import "strings"

// FuncID is a function's number in the table. Call records identify the function by this number.
type FuncID uint16

// Kind says what a parameter is in MPI's terms.
type Kind uint8

// The kinds of parameters.
const (
	Int        Kind = iota // int
	Count                  // MPI_Count
	Aint                   // MPI_Aint
	Offset                 // MPI_Offset
	Double                 // double
	Fint                   // MPI_Fint
	Buffer                 // void *: message data
	Pointer                // any other pointer: extra state, attribute values, argv
	Function               // pointer to a function
	String                 // char *
	Comm                   // MPI_Comm
	Group                  // MPI_Group
	Datatype               // MPI_Datatype
	Op                     // MPI_Op
	Request                // MPI_Request
	Win                    // MPI_Win
	File                   // MPI_File
	Info                   // MPI_Info
	Errhandler             // MPI_Errhandler
	Message                // MPI_Message
	Session                // MPI_Session
	Keyval                 // int: attribute key
	Status                 // MPI_Status
	Tool                   // handles and enums of the tool interface (MPI_T_…)
)

// Dir says whether the function reads a parameter, writes it, or both.
type Dir uint8

// The directions.
const (
	In Dir = iota
	Out
	InOut
)

// Role says what a parameter means to the call, beyond its kind.
type Role uint8

// The roles.
const (
	NoRole Role = iota
	SendBuf
	RecvBuf
	SendCount // also arrays of counts
	RecvCount
	SendType // also arrays of types
	RecvType
	SendDispls
	RecvDispls
	Dest
	Source
	SendTag
	RecvTag
	TheComm  // communicator that the call works on
	PeerComm // MPI_Intercomm_create
	NewComm  // communicator that the call creates
	Root
	ReduceOp
	TheRequest // request that the call creates, completes or changes
	Requests   // array of requests
	TheStatus  // returned status, or array of statuses
	Flag       // returned int flag
	Index      // returned index (waitany, testany)
	OutCount   // returned number of completions
	Indices    // returned indices of completions
	TheMessage // message handle (mprobe, mrecv)
	NewType    // datatype that the call creates or changes
	OldType
	TheWin
	TheFile
	TheGroup
	NewGroup
	ErrorCode
	ThreadLevel // required or provided
	TargetRank  // one-sided operations: rank in the window's group
	TargetDisp
	TargetCount
	TargetType
	Partitions // number of partitions of a partitioned message
	Color      // MPI_Comm_split
	Name       // name given to an object
)

// Class says how a function behaves. Recording, tracking and checks depend on it.
type Class uint8

// The classes.
const (
	Query          Class = iota // neither communicates nor creates: recorded only when it fails
	Local                       // creates, changes or frees something; it is local
	Send                        // blocking send of any mode
	Recv                        // blocking receive
	SendRecv                    // MPI_Sendrecv, MPI_Sendrecv_replace
	Isend                       // nonblocking send of any mode
	Irecv                       // nonblocking receive
	Isendrecv                   // MPI_Isendrecv(_replace)
	SendInit                    // persistent send request
	RecvInit                    // persistent receive request
	Probe                       // MPI_Probe, Iprobe, Mprobe, Improbe
	Mrecv                       // MPI_Mrecv, Imrecv
	Wait                        // MPI_Wait, Waitall, Waitany, Waitsome
	Test                        // MPI_Test, Testall, Testany, Testsome, Request_get_status(_all, _any, _some)
	Start                       // MPI_Start, Startall
	RequestOp                   // MPI_Request_free, MPI_Cancel, partitioned Pready, Parrived, generalized requests
	Collective                  // blocking collective: data movement, reductions, barrier, new communicators, …
	Icollective                 // nonblocking collective
	CollectiveInit              // persistent collective
	RMA                         // one-sided communication and synchronisation, not collective
	IO                          // file operation, not collective
	Env                         // Init, Finalize, Abort and the like
)

// Layout says where a call record has a parameter's values. All offsets are in bytes from the record's start.
type Layout struct {
	At     uint16 // offset of the value (or of the pointer, if the parameter is passed by pointer)
	Wide   bool   // the slot at At has 8 bytes, else 4
	Before uint16 // pointer to an InOut scalar: offset of the value at entry, 0 if none
	After  uint16 // pointer to an Out or InOut scalar: offset of the value after the call, 0 if none
	// WideValue: the slots at Before and After have 8 bytes, else 4.
	WideValue bool
	// InSection and OutSection are the kinds of sections (record.h: MV_IN32 …) that the parameter may add after the
	// fixed part, 0 if none.
	InSection, OutSection uint8
}

// Param is one parameter of a function.
type Param struct {
	Name  string
	CType string // as in the prototype, without the name: "const void *", "int", "MPI_Status *"
	Kind  Kind
	Dir   Dir
	Role  Role
	// Pointer says that C passes an address: an Out or InOut scalar, an array, a buffer, a string.
	Pointer bool
	// Length is the number of elements of an array, "" if the parameter is not an array. api.txt has the grammar.
	Length string
	// OutLength is the number of elements that the call writes, "" if it equals Length. It is "outcount" for the
	// indices of MPI_Waitsome.
	OutLength string
	// Elements and Written are Length and OutLength, parsed.
	Elements, Written Elements
	// Unless names the C constants that the program may pass instead of an array: MPI_UNWEIGHTED.
	Unless []string
	// One names the C constants that the program may pass. It is empty if every value is allowed.
	One []string
	// AtRoot: significant only at the root. On an inter-communicator, that is the process that passes MPI_ROOT.
	AtRoot bool
	// NotInPlace: not significant if the buffer of its side (see Func.InPlaceOf) is MPI_IN_PLACE. The pointer of an
	// array may then be invalid.
	NotInPlace bool
	// Record: the value is recorded (in, out) and not just its address.
	Record bool
	Layout Layout

	after bool // the value after the call is recorded
}

// Func is one MPI function.
type Func struct {
	ID   FuncID
	Name string
	// Base is the base function of a large-count (_c) or MPIX_ twin. Of any other function, it is the function's own
	// ID.
	Base   FuncID
	Result string // C type: "int", but "double" for MPI_Wtime …
	Class  Class
	// Since and Removed are the versions of the standard that added and removed the function, in tenths: 10, 20, 30,
	// 31, 40, 41, 50. Since is 0 if the standard does not have it (MPIX_…). Removed is 0 if it is current.
	Since, Removed int
	// Coll: the function is collective over TheComm (or over its window, file or group), whatever its class.
	Coll bool
	Columns
	Params []Param
	// Fixed is the length of the fixed part of its record in bytes, with the header.
	Fixed int
	// byRole is, by role, the index of the first parameter with the role, -1 if there is none.
	byRole    [64]int8
	operation FuncID // see Operation
	value     bool   // see ReturnsCode
}

// Arg returns the index of the first parameter with the given role, or -1.
func (f *Func) Arg(r Role) int { return int(f.byRole[r]) }

// Param returns the index of the parameter with the given name, or -1.
func (f *Func) Param(name string) int { return f.param(name) }

// Over returns the index of the communicator, window, file or group over which f is collective. It returns -1 if f is
// not collective, or collective over all processes: MPI_Finalize.
func (f *Func) Over() int {
	if f.Coll {
		for _, r := range []Role{TheComm, TheWin, TheFile, TheGroup} {
			if i := f.Arg(r); i >= 0 {
				return i
			}
		}
	}
	return -1
}

// Held tells whether strict mode holds calls of the function before they enter MPI, until all participants have called
// it. A nonblocking collective is not held, because it must return without waiting for others. MPI_Comm_free is not
// held either: it is collective, but libraries implement it as a local call, and programs free communicators in any
// order (MPI standard, section 7.4.3). Collectives outside the standard (MPIX_Comm_shrink) are used after processes
// have failed, and can't wait for them.
func (f *Func) Held() bool {
	switch f.Class {
	case Collective, CollectiveInit:
		return f.Coll && (f.Since > 0 || f.Base != f.ID) && f.Base != IDCommFree
	}
	return false
}

// Blocking returns the name of the blocking form of an operation: MPI_Bcast for MPI_Ibcast, MPI_Bcast_init and their
// large-count twins.
func (f *Func) Blocking() string { return f.Operation().Name }

// InPlaceOf returns the index of a buffer, or -1. Parameter i is insignificant if that buffer is MPI_IN_PLACE.
func (f *Func) InPlaceOf(i int) int {
	if !f.Params[i].NotInPlace {
		return -1
	}
	switch f.Params[i].Role {
	case SendCount, SendType, SendDispls:
		return f.Arg(SendBuf)
	case RecvCount, RecvType, RecvDispls:
		return f.Arg(RecvBuf)
	}
	return -1
}

// ReturnsCode tells whether the function's result is an error code. Other functions return a value and can't fail.
func (f *Func) ReturnsCode() bool { return f.Result == "int" && !f.value }

// Prototype returns the function's C declaration, without a semicolon.
func (f *Func) Prototype() string { return f.Declare(f.Name) }

// Declare returns the function's C declaration under another name; "(*name)" makes it a pointer to such a function.
func (f *Func) Declare(name string) string {
	var b strings.Builder
	b.WriteString(f.Result + " " + name + "(")
	if len(f.Params) == 0 {
		b.WriteString("void")
	}
	for i := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Params[i].Decl())
	}
	b.WriteString(")")
	return b.String()
}

// Decl returns the C declaration of the parameter: "const void *buf".
func (p *Param) Decl() string {
	if before, after, ok := strings.Cut(p.CType, "(*)"); ok { // pointer to an array
		return before + "(*" + p.Name + ")" + after
	}
	if strings.HasSuffix(p.CType, "*") {
		return p.CType + p.Name
	}
	return p.CType + " " + p.Name
}

// Frees tells whether calls free the object whose handle is in the parameter, and set the handle to null. Handles of
// operations (requests, messages) don't count.
func (p *Param) Frees() bool {
	if !p.Pointer || p.Dir != InOut || p.Layout.Before == 0 {
		return false
	}
	switch p.Kind {
	case Comm, Group, Datatype, Op, Win, File, Info, Errhandler, Keyval, Session:
		return true
	}
	return false
}

// Handle tells whether parameters of this kind are handles of MPI objects.
func (k Kind) Handle() bool { return k >= Comm && k <= Session }

// Width returns the number of bytes that a value of the kind takes in a record: 4 for int and kinds that are int in C,
// else 8. A status takes 0: it has a section.
func Width(k Kind) int {
	switch k {
	case Int, Keyval, Fint:
		return 4
	case Status:
		return 0
	}
	return 8
}
