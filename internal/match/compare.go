package match

import "github.com/mpivet/mpivet/internal/mpi/datatype"

// Compare compares the type and length of a message with the receive that takes it.
func Compare(send, recv *Op) datatype.Comparison {
	if send.Type == recv.Type && send.Count <= recv.Count { // this is nearly always the case
		return datatype.Comparison{}
	}
	return datatype.Compare(send.Use(), recv.Use(), false)
}

// Overflows reports whether a message has more bytes than its receive has space for. It is false if either is unknown.
func Overflows(send, recv *Op) bool {
	sent, ok := send.Use().Bytes()
	room, known := recv.Use().Bytes()
	return ok && known && sent > room
}

// Use returns the datatype and count of the data that the operation sends, or has space for.
func (op *Op) Use() datatype.Use { return datatype.Use{Type: op.Type.Of(), Count: op.Count} }
