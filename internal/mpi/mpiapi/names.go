package mpiapi

import "strconv"

// The names of the constants. api.txt uses the same names.
var (
	kindNames = [...]string{
		"Int", "Count", "Aint", "Offset", "Double", "Fint", "Buffer", "Pointer", "Function", "String", "Comm", "Group",
		"Datatype", "Op", "Request", "Win", "File", "Info", "Errhandler", "Message", "Session", "Keyval", "Status",
		"Tool",
	}
	dirNames  = [...]string{"In", "Out", "InOut"}
	roleNames = [...]string{
		"NoRole", "SendBuf", "RecvBuf", "SendCount", "RecvCount", "SendType", "RecvType", "SendDispls", "RecvDispls",
		"Dest", "Source", "SendTag", "RecvTag", "TheComm", "PeerComm", "NewComm", "Root", "ReduceOp", "TheRequest",
		"Requests", "TheStatus", "Flag", "Index", "OutCount", "Indices", "TheMessage", "NewType", "OldType", "TheWin",
		"TheFile", "TheGroup", "NewGroup", "ErrorCode", "ThreadLevel", "TargetRank", "TargetDisp", "TargetCount",
		"TargetType", "Partitions", "Color", "Name",
	}
	classNames = [...]string{
		"Query", "Local", "Send", "Recv", "SendRecv", "Isend", "Irecv", "Isendrecv", "SendInit", "RecvInit", "Probe",
		"Mrecv", "Wait", "Test", "Start", "RequestOp", "Collective", "Icollective", "CollectiveInit", "RMA", "IO",
		"Env",
	}
)

func name(names []string, what string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return what + "(" + strconv.Itoa(int(i)) + ")"
}

// String returns the name of the constant.
func (k Kind) String() string { return name(kindNames[:], "Kind", uint8(k)) }

// String returns the name of the constant.
func (d Dir) String() string { return name(dirNames[:], "Dir", uint8(d)) }

// String returns the name of the constant.
func (r Role) String() string { return name(roleNames[:], "Role", uint8(r)) }

// String returns the name of the constant.
func (c Class) String() string { return name(classNames[:], "Class", uint8(c)) }
