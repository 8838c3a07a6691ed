package match

import "github.com/mpivet/mpivet/internal/mpi/datatype"

// Compare tells whether a message may be received as the receive says that takes it.
func Compare(send, recv *Op) datatype.Comparison {
	if send.Type == recv.Type && send.Count <= recv.Count { // nearly always
		return datatype.Comparison{}
	}
	return datatype.Compare(send.Use(), recv.Use(), false)
}

// Overflows reports whether a message has more bytes than the receive has room for; false if either is unknown.
func Overflows(send, recv *Op) bool {
	sent, ok := send.Use().Bytes()
	room, known := recv.Use().Bytes()
	return ok && known && sent > room
}

// Use returns what the operation sends, or has room for.
func (op *Op) Use() datatype.Use { return datatype.Use{Type: op.Type.Of(), Count: op.Count} }
