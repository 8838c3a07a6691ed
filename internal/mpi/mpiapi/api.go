// Package mpiapi is the MPI interface as data: every C function of MPI 1 to 4, its parameters and their roles. The
// wrapper generator, the record decoder, the printing of call strings and the checks all read this one table.
package mpiapi

import "strings"

// FuncID is a function's number in the table. It is what a call record carries.
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
	TheComm  // the communicator the call works on
	PeerComm // MPI_Intercomm_create
	NewComm  // communicator created
	Root
	ReduceOp
	TheRequest // request created, completed or changed
	Requests   // array of requests
	TheStatus  // status, or array of statuses, returned
	Flag       // int flag returned
	Index      // index returned (waitany, testany)
	OutCount   // number of completions returned
	Indices    // indices of completions returned
	TheMessage // message handle (mprobe, mrecv)
	NewType    // datatype created or changed
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

// Class says how a function behaves; recording, tracking and checks choose by it.
type Class uint8

// The classes.
const (
	Query          Class = iota // neither communicates nor creates: recorded only when it fails
	Local                       // creates, changes or frees something, purely local
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
	Test                        // MPI_Test, Testall, Testany, Testsome, Request_get_status
	Start                       // MPI_Start, Startall
	RequestOp                   // MPI_Request_free, MPI_Cancel, partitioned Pready, Parrived, generalized requests
	Collective                  // blocking collective: data movement, reductions, barrier, communicator constructors, …
	Icollective                 // nonblocking collective
	CollectiveInit              // persistent collective
	RMA                         // one-sided communication and synchronisation that is not collective
	IO                          // file operation that is not collective
	Env                         // Init, Finalize, Abort and the like
)

// Layout places a parameter's values in a call record.
type Layout struct {
	At     uint16 // offset of the value (or of the pointer, for a parameter passed by pointer) from the record's start
	Wide   bool   // 8 bytes, else 4
	Before uint16 // pointer to an InOut scalar: offset of the value at entry, 0 if none
	After  uint16 // pointer to an Out or InOut scalar: offset of the value after the call, 0 if none
	// Width of Before, After: WideValue.
	WideValue bool
	// Section kinds (record.h MV_IN32 …) that the parameter may add behind the fixed part, 0 if none.
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
	// Length is the number of elements where the parameter is an array, "" otherwise: see the grammar in api.txt.
	Length string
	// OutLength is the number of elements written, where that is another: "outcount" for indices of MPI_Waitsome.
	OutLength string
	// Elements and Written are Length and OutLength, parsed.
	Elements, Written Elements
	// Unless names the C constants that the program may pass instead of an array: MPI_UNWEIGHTED.
	Unless []string
	// One names the C constants one of which a value that the program passes must be; empty if it may be any.
	One []string
	// AtRoot: significant only at the root. Between groups that is the process that passes MPI_ROOT.
	AtRoot bool
	// NotInPlace: not significant where the buffer of its side (see Func.InPlaceOf) is MPI_IN_PLACE. An array may then
	// be no array at all.
	NotInPlace bool
	// Record: the value is recorded (in, out) and not just its address.
	Record bool
	Layout Layout

	after bool // what the call writes is recorded
}

// Func is one MPI function.
type Func struct {
	ID   FuncID
	Name string
	// Base is the function of which this is the large-count (_c) or MPIX_ twin, else its own ID.
	Base   FuncID
	Result string // C type: "int", but "double" for MPI_Wtime …
	Class  Class
	// Version of the standard that brought it, in tenths: 10, 20, 30, 31, 40, or 0 if none did (MPIX_…). Removed likewise,
	// 0 if it is current.
	Since, Removed int
	// Coll: the function is collective over TheComm (or the window, file, group given), whatever its class.
	Coll bool
	Columns
	Params []Param
	// Fixed is the length of the fixed part of its record in bytes, header included.
	Fixed int
	// By role: index of the first parameter that has the role, -1 if there is none.
	byRole    [64]int8
	operation FuncID // see Operation
}

// Arg returns the index of the first parameter with the given role, or -1.
func (f *Func) Arg(r Role) int { return int(f.byRole[r]) }

// Param returns the index of the parameter with the given name, or -1.
func (f *Func) Param(name string) int { return f.param(name) }

// Over returns the index of the communicator, window, file or group over which f is collective, or -1 if f is not
// collective or is so over all processes: MPI_Finalize.
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

// Held tells whether calls of the function are held in strict mode, before they enter MPI, until all that take part have
// come. A nonblocking collective is not, as it must return without waiting for others; nor is MPI_Comm_free, which is
// collective but as good as local, so that programs may free communicators in any order (MPI standard, section 7.4.3).
// Collectives of no standard (MPIX_Comm_shrink) are for when processes have failed, and can't wait for them.
func (f *Func) Held() bool {
	switch f.Class {
	case Collective, CollectiveInit:
		return f.Coll && (f.Since > 0 || f.Base != f.ID) && f.Base != IDCommFree
	}
	return false
}

// Blocking returns the name of the blocking operation that a function stands for: MPI_Bcast for MPI_Ibcast,
// MPI_Bcast_init and their large-count twins.
func (f *Func) Blocking() string { return f.Operation().Name }

// InPlaceOf returns the index of the buffer that makes parameter i insignificant where it is MPI_IN_PLACE, or -1.
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

// ReturnsCode tells whether the function's result is an error code. Else it is a value, and the function can't fail.
func (f *Func) ReturnsCode() bool { return f.Result == "int" }

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

// Frees tells whether calls free the object whose handle is in the parameter, and set that to null. Those of operations
// (requests, messages) don't count.
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

// Width returns the bytes that a value of the kind takes in a record: 4 for int and its like, else 8. (A status takes
// none: it is a section.)
func Width(k Kind) int {
	switch k {
	case Int, Keyval, Fint:
		return 4
	case Status:
		return 0
	}
	return 8
}
