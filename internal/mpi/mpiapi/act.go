package mpiapi

// Act is the effect of a call on the objects and operations of its process. Functions of one act differ only in their
// arguments: MPI_Isend and MPI_Ibsend_c are both ActIsend.
type Act uint8

// The acts. api.txt spells them in small letters, without "Act".
const (
	NoAct                Act = iota // it changes nothing that mpivet tracks
	ActSend                         // sends a message and waits for the operation
	ActRecv                         // receives a message and waits for the operation
	ActSendrecv                     // does both
	ActIsend                        // begins a send, and returns its request
	ActIrecv                        // begins a receive, and returns its request
	ActIsendrecv                    // begins both, with one request
	ActSendInit                     // makes a persistent request of a send
	ActRecvInit                     // makes a persistent request of a receive
	ActProbe                        // looks for a message
	ActMprobe                       // looks for a message, and matches it
	ActMrecv                        // receives the message of a matched probe
	ActImrecv                       // begins to receive the message of a matched probe
	ActWait                         // completes one operation
	ActWaitall                      // completes all of a list
	ActWaitany                      // completes one of a list
	ActWaitsome                     // completes some of a list
	ActTest                         // completes one operation if that is possible now
	ActTestall                      // completes all of a list or none
	ActTestany                      // completes at most one of a list
	ActTestsome                     // completes those of a list that can be completed now
	ActRequestStatus                // tells whether an operation could be completed, and does not complete it
	ActRequestStatusAll             // does so for all of a list
	ActRequestStatusAny             // does so for one of a list
	ActRequestStatusSome            // does so for each of a list
	ActStart                        // starts a persistent operation
	ActStartall                     // starts a list of persistent operations
	ActRequestFree                  // frees a request; its operation may continue
	ActCancel                       // cancels an operation
	ActParrived                     // tells whether a partition of a partitioned message has arrived
	ActGrequestComplete             // marks a generalized request as complete
	ActOtherRequest                 // begins an operation of another kind, and returns its request
	ActPsendInit                    // makes a request of a partitioned send
	ActPrecvInit                    // makes a request of a partitioned receive
	ActPready                       // marks partitions of a partitioned send as ready
	ActCollective                   // takes part in a collective, and waits for it
	ActIcollective                  // begins a collective, or makes a persistent request of one
	ActCommFree                     // frees a communicator
	ActWinFree                      // frees a window
	ActFileClose                    // closes a file
	ActTypeNew                      // makes a datatype
	ActTypeCommit                   // commits a datatype
	ActTypeFree                     // frees a datatype
	ActTypeGiven                    // returns datatypes that exist already: MPI_File_get_view
	ActTypeContents                 // returns the datatypes that a datatype was made of
	ActSetName                      // names an object
	ActSetFileHandler               // sets the error handler of a file
	ActAttribute                    // makes an attribute key, or sets an attribute of an object
	ActChangeInfo                   // makes, changes or frees an info object
	ActOpNew                        // makes a reduction operation
	ActOpFree                       // frees a reduction operation
	ActGroupNew                     // makes a group
	ActGroupFree                    // frees a group
	ActBufferAttach                 // gives MPI a buffer for buffered sends
	ActBufferDetach                 // takes the buffer back, once its messages are sent
	ActBufferFlush                  // waits until the messages in the buffer are sent
	ActBufferIflush                 // begins to wait for that, and returns the request
	ActInit                         // initialises MPI, or a session
	ActFinalize                     // finalises MPI
	ActEndSession                   // finalises a session
	ActAbort                        // aborts the program
)

var actNames = [...]string{
	"noact", "send", "recv", "sendrecv", "isend", "irecv", "isendrecv", "sendinit", "recvinit", "probe", "mprobe",
	"mrecv", "imrecv", "wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome",
	"requeststatus", "requeststatusall", "requeststatusany", "requeststatussome", "start", "startall", "requestfree",
	"cancel", "parrived", "grequestcomplete", "otherrequest", "psendinit", "precvinit", "pready", "collective",
	"icollective", "commfree", "winfree", "fileclose", "typenew", "typecommit", "typefree", "typegiven",
	"typecontents", "setname", "setfilehandler", "attribute", "changeinfo", "opnew", "opfree", "groupnew", "groupfree",
	"bufferattach", "bufferdetach", "bufferflush", "bufferiflush", "init", "finalize", "endsession", "abort",
}

// String returns the name of the act in api.txt.
func (a Act) String() string { return name(actNames[:], "Act", uint8(a)) }

// actOfClass gives the act of functions that have no act in api.txt.
var actOfClass = [...]Act{
	Send: ActSend, Recv: ActRecv, SendRecv: ActSendrecv, Isend: ActIsend, Irecv: ActIrecv, Isendrecv: ActIsendrecv,
	SendInit: ActSendInit, RecvInit: ActRecvInit, Probe: ActProbe, Mrecv: ActMrecv, Wait: ActWait, Test: ActTest,
	Start: ActStart, Collective: ActCollective, Icollective: ActIcollective, CollectiveInit: ActIcollective, Env: NoAct,
}

// defaultAct returns the act that follows from the function's class or, if the class has none, from its results.
func (f *Func) defaultAct() Act {
	returns := func(r Role) bool {
		i := f.Arg(r)
		return i >= 0 && f.Params[i].Layout.After != 0
	}
	switch act := actOfClass[f.Class]; {
	case act != NoAct:
		return act
	case returns(NewType):
		return ActTypeNew
	case f.Arg(NewGroup) >= 0:
		return ActGroupNew
	case returns(TheRequest) && f.Class != RequestOp:
		return ActOtherRequest
	}
	return NoAct
}

// ReportsStatus tells whether calls of the function report whether operations are complete, but complete none (MPI
// standard, section 3.7.6). A call that completes them must follow.
func (f *Func) ReportsStatus() bool {
	switch f.Act {
	case ActRequestStatus, ActRequestStatusAll, ActRequestStatusAny, ActRequestStatusSome:
		return true
	}
	return false
}

// Completion says which operations a call completes, of those that it gets as arguments.
type Completion uint8

// The completions.
const (
	CompletesNone Completion = iota // the function completes no operation
	CompletesOne                    // its only operation: MPI_Wait, MPI_Test
	CompletesAll                    // all of them: MPI_Waitall, MPI_Testall
	CompletesAny                    // one of them: MPI_Waitany, MPI_Testany
	CompletesSome                   // at least one (MPI_Waitsome), or those that can be (MPI_Testsome)
)

// Completes tells which operations calls of the function complete (MPI standard, section 3.7.5).
func (f *Func) Completes() Completion {
	switch f.Act {
	case ActWait, ActTest:
		return CompletesOne
	case ActWaitall, ActTestall:
		return CompletesAll
	case ActWaitany, ActTestany:
		return CompletesAny
	case ActWaitsome, ActTestsome:
		return CompletesSome
	}
	return CompletesNone
}
