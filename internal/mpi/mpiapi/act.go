package mpiapi

// Act is what a call does to the objects and operations of its process. Functions of one act differ in their arguments
// only: MPI_Isend and MPI_Ibsend_c are both ActIsend.
type Act uint8

// The acts. api.txt spells them in small letters, without "Act".
const (
	NoAct               Act = iota // it changes nothing that is followed
	ActSend                        // sends a message and waits for the operation
	ActRecv                        // receives a message and waits for it
	ActSendrecv                    // does both
	ActIsend                       // begins a send, and returns its request
	ActIrecv                       // begins a receive, and returns its request
	ActIsendrecv                   // begins both, with one request
	ActSendInit                    // makes a persistent request of a send
	ActRecvInit                    // makes a persistent request of a receive
	ActProbe                       // looks for a message
	ActMprobe                      // looks for a message, and takes it
	ActMrecv                       // receives the message that a matched probe took
	ActImrecv                      // begins to receive it
	ActWait                        // completes one operation
	ActWaitall                     // completes all of a list
	ActWaitany                     // completes one of a list
	ActWaitsome                    // completes some of a list
	ActTest                        // completes one operation if that is possible now
	ActTestall                     // completes all of a list or none
	ActTestany                     // completes at most one of a list
	ActTestsome                    // completes those of a list that can be completed now
	ActRequestStatus               // tells whether an operation could be completed, and does not complete it
	ActStart                       // starts a persistent operation
	ActStartall                    // starts a list of them
	ActRequestFree                 // frees a request; its operation may go on
	ActCancel                      // cancels an operation
	ActParrived                    // tells whether a part of a partitioned message has come
	ActGrequestComplete            // says that a generalized request is complete
	ActOtherRequest                // begins an operation of another kind, and returns its request
	ActPsendInit                   // makes a request of a partitioned send
	ActPrecvInit                   // makes a request of a partitioned receive
	ActPready                      // says that parts of a partitioned send may go
	ActCollective                  // takes part in a collective, and waits for it
	ActIcollective                 // begins a collective, or makes a persistent request of one
	ActCommFree                    // frees a communicator
	ActWinFree                     // frees a window
	ActFileClose                   // closes a file
	ActTypeNew                     // makes a datatype
	ActTypeCommit                  // commits a datatype
	ActTypeFree                    // frees a datatype
	ActTypeGiven                   // returns datatypes that others have made
	ActTypeContents                // returns the datatypes that a datatype was made of
	ActSetName                     // names an object
	ActSetFileHandler              // sets the error handler of a file
	ActAttribute                   // makes a key of attributes, or gives an object an attribute
	ActChangeInfo                  // makes, changes or frees an info object
	ActOpNew                       // makes a reduction operation
	ActOpFree                      // frees a reduction operation
	ActGroupNew                    // makes a group
	ActGroupFree                   // frees a group
	ActBufferAttach                // gives MPI a buffer for buffered sends
	ActBufferDetach                // takes it back
	ActInit                        // initialises MPI, or a session
	ActFinalize                    // finalises MPI
	ActEndSession                  // finalises a session
	ActAbort                       // aborts the program
)

var actNames = [...]string{
	"noact", "send", "recv", "sendrecv", "isend", "irecv", "isendrecv", "sendinit", "recvinit", "probe", "mprobe", "mrecv",
	"imrecv", "wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome", "requeststatus", "start",
	"startall", "requestfree", "cancel", "parrived", "grequestcomplete", "otherrequest", "psendinit", "precvinit",
	"pready", "collective", "icollective", "commfree", "winfree", "fileclose", "typenew", "typecommit", "typefree",
	"typegiven", "typecontents", "setname", "setfilehandler", "attribute", "changeinfo", "opnew", "opfree", "groupnew",
	"groupfree", "bufferattach", "bufferdetach", "init", "finalize", "endsession", "abort",
}

// String returns the name of the act in api.txt.
func (a Act) String() string { return name(actNames[:], "Act", uint8(a)) }

// actOfClass gives the act of functions for which api.txt names none.
var actOfClass = [...]Act{
	Send: ActSend, Recv: ActRecv, SendRecv: ActSendrecv, Isend: ActIsend, Irecv: ActIrecv, Isendrecv: ActIsendrecv,
	SendInit: ActSendInit, RecvInit: ActRecvInit, Probe: ActProbe, Mrecv: ActMrecv, Wait: ActWait, Test: ActTest,
	Start: ActStart, Collective: ActCollective, Icollective: ActIcollective, CollectiveInit: ActIcollective, Env: NoAct,
}

// defaultAct returns the act that follows from the function's class or, where the class has none, from what it returns.
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

// Completion says which of the operations that it is given a call completes.
type Completion uint8

// The completions.
const (
	CompletesNone Completion = iota // the function completes no operation
	CompletesOne                    // the one that it is given: MPI_Wait, MPI_Test
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
