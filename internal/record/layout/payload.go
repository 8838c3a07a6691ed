// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.

package layout

import "encoding/binary"

var le = binary.LittleEndian

// cut splits n elements of a size off the beginning of b; ok is false if b is too short.
func cut(b []byte, n uint64, size uint64) (elements, rest []byte, ok bool) {
	if n > uint64(len(b))/size {
		return nil, nil, false
	}
	n *= size
	return b[:n:n], b[n:], true
}

// DecodeRecord reads a Record from the beginning of b. ok is false if b is too short. The results are valid as long
// as b.
func DecodeRecord(b []byte) (v Record, ok bool) {
	if len(b) < SizeofRecord {
		return v, false
	}
	v.Kind = le.Uint16(b[0:])
	v.Lines = le.Uint16(b[2:])
	v.Site = le.Uint32(b[4:])
	v.RC = int32(le.Uint32(b[8:]))
	v.Flags = le.Uint16(b[12:])
	v.Used = le.Uint16(b[14:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Record) Append(b []byte) []byte {
	b = le.AppendUint16(b, v.Kind)
	b = le.AppendUint16(b, v.Lines)
	b = le.AppendUint32(b, uint32(v.Site))
	b = le.AppendUint32(b, uint32(v.RC))
	b = le.AppendUint16(b, v.Flags)
	b = le.AppendUint16(b, v.Used)
	return b
}

// DecodeTimes reads a Times from the beginning of b. ok is false if b is too short. The results are valid as long
// as b.
func DecodeTimes(b []byte) (v Times, ok bool) {
	if len(b) < SizeofTimes {
		return v, false
	}
	v.Enter = le.Uint64(b[0:])
	v.Leave = le.Uint64(b[8:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Times) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Enter))
	b = le.AppendUint64(b, uint64(v.Leave))
	return b
}

// DecodeSection reads a Section from the beginning of b. ok is false if b is too short. The results are valid as
// long as b.
func DecodeSection(b []byte) (v Section, ok bool) {
	if len(b) < SizeofSection {
		return v, false
	}
	v.Kind = le.Uint16(b[0:])
	v.Param = le.Uint16(b[2:])
	v.Count = le.Uint32(b[4:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Section) Append(b []byte) []byte {
	b = le.AppendUint16(b, v.Kind)
	b = le.AppendUint16(b, v.Param)
	b = le.AppendUint32(b, uint32(v.Count))
	return b
}

// DecodeStatus reads a Status from the beginning of b. ok is false if b is too short. The results are valid as long
// as b.
func DecodeStatus(b []byte) (v Status, ok bool) {
	if len(b) < SizeofStatus {
		return v, false
	}
	v.Source = int32(le.Uint32(b[0:]))
	v.Tag = int32(le.Uint32(b[4:]))
	v.Error = int32(le.Uint32(b[8:]))
	v.Cancelled = int32(le.Uint32(b[12:]))
	v.Bytes = int64(le.Uint64(b[16:]))
	return v, true
}

// Append appends v to b, without its tails.
func (v *Status) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Source))
	b = le.AppendUint32(b, uint32(v.Tag))
	b = le.AppendUint32(b, uint32(v.Error))
	b = le.AppendUint32(b, uint32(v.Cancelled))
	b = le.AppendUint64(b, uint64(v.Bytes))
	return b
}

// DecodeSite reads a Site from the beginning of b. pcs are the NPCs elements behind it, 8 bytes each. frames are
// the Python elements behind it, 16 bytes each. ok is false if b is too short. The results are valid as long as b.
func DecodeSite(b []byte) (v Site, pcs, frames []byte, ok bool) {
	if len(b) < SizeofSite {
		return v, nil, nil, false
	}
	v.NPCs = le.Uint32(b[0:])
	v.Python = le.Uint32(b[4:])
	b = b[SizeofSite:]
	if pcs, b, ok = cut(b, uint64(v.NPCs), 8); !ok {
		return v, nil, nil, false
	}
	if frames, _, ok = cut(b, uint64(v.Python), 16); !ok {
		return v, nil, nil, false
	}
	return v, pcs, frames, true
}

// Append appends v to b, without its tails.
func (v *Site) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.NPCs))
	b = le.AppendUint32(b, uint32(v.Python))
	return b
}

// DecodeFrame reads a Frame from the beginning of b. ok is false if b is too short. The results are valid as long
// as b.
func DecodeFrame(b []byte) (v Frame, ok bool) {
	if len(b) < SizeofFrame {
		return v, false
	}
	v.Code = le.Uint32(b[0:])
	v.Entry = le.Uint32(b[4:])
	v.At = int64(le.Uint64(b[8:]))
	return v, true
}

// Append appends v to b, without its tails.
func (v *Frame) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Code))
	b = le.AppendUint32(b, uint32(v.Entry))
	b = le.AppendUint64(b, uint64(v.At))
	return b
}

// DecodeCode reads a Code from the beginning of b. name are the NameLen elements behind it, 1 bytes each. file are
// the FileLen elements behind it, 1 bytes each. lines are the LinesLen elements behind it, 1 bytes each. ok is
// false if b is too short. The results are valid as long as b.
func DecodeCode(b []byte) (v Code, name, file, lines []byte, ok bool) {
	if len(b) < SizeofCode {
		return v, nil, nil, nil, false
	}
	v.FirstLine = int32(le.Uint32(b[0:]))
	v.Version = le.Uint16(b[4:])
	v.NameWidth = b[6]
	v.FileWidth = b[7]
	v.NameLen = le.Uint32(b[8:])
	v.FileLen = le.Uint32(b[12:])
	v.LinesLen = le.Uint32(b[16:])
	b = b[SizeofCode:]
	if name, b, ok = cut(b, uint64(v.NameLen), 1); !ok {
		return v, nil, nil, nil, false
	}
	if file, b, ok = cut(b, uint64(v.FileLen), 1); !ok {
		return v, nil, nil, nil, false
	}
	if lines, _, ok = cut(b, uint64(v.LinesLen), 1); !ok {
		return v, nil, nil, nil, false
	}
	return v, name, file, lines, true
}

// Append appends v to b, without its tails.
func (v *Code) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.FirstLine))
	b = le.AppendUint16(b, v.Version)
	b = append(b, v.NameWidth)
	b = append(b, v.FileWidth)
	b = le.AppendUint32(b, uint32(v.NameLen))
	b = le.AppendUint32(b, uint32(v.FileLen))
	b = le.AppendUint32(b, uint32(v.LinesLen))
	b = le.AppendUint32(b, uint32(0))
	return b
}

// DecodeModule reads a Module from the beginning of b. buildID are the BuildIDLen elements behind it, 1 bytes each.
// path are the PathLen elements behind it, 1 bytes each. ok is false if b is too short. The results are valid as
// long as b.
func DecodeModule(b []byte) (v Module, buildID, path []byte, ok bool) {
	if len(b) < SizeofModule {
		return v, nil, nil, false
	}
	v.Base = le.Uint64(b[0:])
	v.Start = le.Uint64(b[8:])
	v.End = le.Uint64(b[16:])
	v.BuildIDLen = le.Uint16(b[24:])
	v.PathLen = le.Uint16(b[26:])
	b = b[SizeofModule:]
	if buildID, b, ok = cut(b, uint64(v.BuildIDLen), 1); !ok {
		return v, nil, nil, false
	}
	if path, _, ok = cut(b, uint64(v.PathLen), 1); !ok {
		return v, nil, nil, false
	}
	return v, buildID, path, true
}

// Append appends v to b, without its tails.
func (v *Module) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Base))
	b = le.AppendUint64(b, uint64(v.Start))
	b = le.AppendUint64(b, uint64(v.End))
	b = le.AppendUint16(b, v.BuildIDLen)
	b = le.AppendUint16(b, v.PathLen)
	b = le.AppendUint32(b, uint32(0))
	return b
}

// DecodeName reads a Name from the beginning of b. name are the NameLen elements behind it, 1 bytes each. ok is
// false if b is too short. The results are valid as long as b.
func DecodeName(b []byte) (v Name, name []byte, ok bool) {
	if len(b) < SizeofName {
		return v, nil, false
	}
	v.Kind = b[0]
	v.NameLen = b[1]
	v.More = le.Uint16(b[2:])
	v.Size = int32(le.Uint32(b[4:]))
	v.Value = le.Uint64(b[8:])
	b = b[SizeofName:]
	if name, _, ok = cut(b, uint64(v.NameLen), 1); !ok {
		return v, nil, false
	}
	return v, name, true
}

// Append appends v to b, without its tails.
func (v *Name) Append(b []byte) []byte {
	b = append(b, v.Kind)
	b = append(b, v.NameLen)
	b = le.AppendUint16(b, v.More)
	b = le.AppendUint32(b, uint32(v.Size))
	b = le.AppendUint64(b, uint64(v.Value))
	return b
}

// DecodeRun reads a Run from the beginning of b. ok is false if b is too short. The results are valid as long as b.
func DecodeRun(b []byte) (v Run, ok bool) {
	if len(b) < SizeofRun {
		return v, false
	}
	v.Start = int32(le.Uint32(b[0:]))
	v.Stride = int32(le.Uint32(b[4:]))
	v.Count = int32(le.Uint32(b[8:]))
	return v, true
}

// Append appends v to b, without its tails.
func (v *Run) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Start))
	b = le.AppendUint32(b, uint32(v.Stride))
	b = le.AppendUint32(b, uint32(v.Count))
	return b
}

// DecodeComm reads a Comm from the beginning of b. local are the Runs elements behind it, 12 bytes each. remote are
// the RemoteRuns elements behind it, 12 bytes each. ok is false if b is too short. The results are valid as long as
// b.
func DecodeComm(b []byte) (v Comm, local, remote []byte, ok bool) {
	if len(b) < SizeofComm {
		return v, nil, nil, false
	}
	v.Handle = le.Uint64(b[0:])
	v.Rank = int32(le.Uint32(b[8:]))
	v.Size = int32(le.Uint32(b[12:]))
	v.RemoteSize = int32(le.Uint32(b[16:]))
	v.Runs = le.Uint32(b[20:])
	v.RemoteRuns = le.Uint32(b[24:])
	v.IsInter = le.Uint32(b[28:])
	b = b[SizeofComm:]
	if local, b, ok = cut(b, uint64(v.Runs), 12); !ok {
		return v, nil, nil, false
	}
	if remote, _, ok = cut(b, uint64(v.RemoteRuns), 12); !ok {
		return v, nil, nil, false
	}
	return v, local, remote, true
}

// Append appends v to b, without its tails.
func (v *Comm) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Handle))
	b = le.AppendUint32(b, uint32(v.Rank))
	b = le.AppendUint32(b, uint32(v.Size))
	b = le.AppendUint32(b, uint32(v.RemoteSize))
	b = le.AppendUint32(b, uint32(v.Runs))
	b = le.AppendUint32(b, uint32(v.RemoteRuns))
	b = le.AppendUint32(b, uint32(v.IsInter))
	return b
}

// DecodeNeighbours reads a Neighbours from the beginning of b. sources are the In elements behind it, 4 bytes each.
// destinations are the Out elements behind it, 4 bytes each. ok is false if b is too short. The results are valid
// as long as b.
func DecodeNeighbours(b []byte) (v Neighbours, sources, destinations []byte, ok bool) {
	if len(b) < SizeofNeighbours {
		return v, nil, nil, false
	}
	v.In = le.Uint32(b[0:])
	v.Out = le.Uint32(b[4:])
	b = b[SizeofNeighbours:]
	if sources, b, ok = cut(b, uint64(v.In), 4); !ok {
		return v, nil, nil, false
	}
	if destinations, _, ok = cut(b, uint64(v.Out), 4); !ok {
		return v, nil, nil, false
	}
	return v, sources, destinations, true
}

// Append appends v to b, without its tails.
func (v *Neighbours) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.In))
	b = le.AppendUint32(b, uint32(v.Out))
	return b
}

// DecodeFreed reads a Freed from the beginning of b. ok is false if b is too short. The results are valid as long
// as b.
func DecodeFreed(b []byte) (v Freed, ok bool) {
	if len(b) < SizeofFreed {
		return v, false
	}
	v.Handle = le.Uint64(b[0:])
	v.Function = le.Uint32(b[8:])
	v.Caller = le.Uint64(b[16:])
	v.Real = le.Uint64(b[24:])
	v.Wrapper = le.Uint64(b[32:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Freed) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Handle))
	b = le.AppendUint32(b, uint32(v.Function))
	b = le.AppendUint32(b, uint32(0))
	b = le.AppendUint64(b, uint64(v.Caller))
	b = le.AppendUint64(b, uint64(v.Real))
	b = le.AppendUint64(b, uint64(v.Wrapper))
	return b
}

// DecodeError reads a Error from the beginning of b. text are the TextLen elements behind it, 1 bytes each. ok is
// false if b is too short. The results are valid as long as b.
func DecodeError(b []byte) (v Error, text []byte, ok bool) {
	if len(b) < SizeofError {
		return v, nil, false
	}
	v.Code = int32(le.Uint32(b[0:]))
	v.Class = int32(le.Uint32(b[4:]))
	v.TextLen = le.Uint32(b[8:])
	v.Flags = le.Uint32(b[12:])
	b = b[SizeofError:]
	if text, _, ok = cut(b, uint64(v.TextLen), 1); !ok {
		return v, nil, false
	}
	return v, text, true
}

// Append appends v to b, without its tails.
func (v *Error) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Code))
	b = le.AppendUint32(b, uint32(v.Class))
	b = le.AppendUint32(b, uint32(v.TextLen))
	b = le.AppendUint32(b, uint32(v.Flags))
	return b
}

// DecodeMPI reads a MPI from the beginning of b. library are the LibraryLen elements behind it, 1 bytes each. ok is
// false if b is too short. The results are valid as long as b.
func DecodeMPI(b []byte) (v MPI, library []byte, ok bool) {
	if len(b) < SizeofMPI {
		return v, nil, false
	}
	v.Rank = int32(le.Uint32(b[0:]))
	v.Size = int32(le.Uint32(b[4:]))
	v.ThreadLevel = int32(le.Uint32(b[8:]))
	v.TagUB = int32(le.Uint32(b[12:]))
	v.Version = int32(le.Uint32(b[16:]))
	v.Subversion = int32(le.Uint32(b[20:]))
	v.LibraryLen = le.Uint32(b[24:])
	v.Threads = le.Uint32(b[28:])
	b = b[SizeofMPI:]
	if library, _, ok = cut(b, uint64(v.LibraryLen), 1); !ok {
		return v, nil, false
	}
	return v, library, true
}

// Append appends v to b, without its tails.
func (v *MPI) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Rank))
	b = le.AppendUint32(b, uint32(v.Size))
	b = le.AppendUint32(b, uint32(v.ThreadLevel))
	b = le.AppendUint32(b, uint32(v.TagUB))
	b = le.AppendUint32(b, uint32(v.Version))
	b = le.AppendUint32(b, uint32(v.Subversion))
	b = le.AppendUint32(b, uint32(v.LibraryLen))
	b = le.AppendUint32(b, uint32(v.Threads))
	return b
}

// DecodeData reads a Data from the beginning of b. ok is false if b is too short. The results are valid as long as
// b.
func DecodeData(b []byte) (v Data, ok bool) {
	if len(b) < SizeofData {
		return v, false
	}
	v.Kind = le.Uint16(b[0:])
	v.Param = le.Uint16(b[2:])
	v.First = le.Uint32(b[4:])
	v.Count = le.Uint32(b[8:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Data) Append(b []byte) []byte {
	b = le.AppendUint16(b, v.Kind)
	b = le.AppendUint16(b, v.Param)
	b = le.AppendUint32(b, uint32(v.First))
	b = le.AppendUint32(b, uint32(v.Count))
	b = le.AppendUint32(b, uint32(0))
	return b
}

// DecodeSum reads a Sum from the beginning of b. ok is false if b is too short. The results are valid as long as b.
func DecodeSum(b []byte) (v Sum, ok bool) {
	if len(b) < SizeofSum {
		return v, false
	}
	v.Peer = le.Uint32(b[0:])
	v.Bytes = le.Uint64(b[8:])
	v.Sum = le.Uint64(b[16:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Sum) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Peer))
	b = le.AppendUint32(b, uint32(0))
	b = le.AppendUint64(b, uint64(v.Bytes))
	b = le.AppendUint64(b, uint64(v.Sum))
	return b
}

// DecodeSums reads a Sums from the beginning of b. parts are the Count elements behind it, 24 bytes each. ok is
// false if b is too short. The results are valid as long as b.
func DecodeSums(b []byte) (v Sums, parts []byte, ok bool) {
	if len(b) < SizeofSums {
		return v, nil, false
	}
	v.Flags = le.Uint32(b[0:])
	v.Count = le.Uint32(b[4:])
	v.Operation = le.Uint64(b[8:])
	v.Round = le.Uint64(b[16:])
	b = b[SizeofSums:]
	if parts, _, ok = cut(b, uint64(v.Count), 24); !ok {
		return v, nil, false
	}
	return v, parts, true
}

// Append appends v to b, without its tails.
func (v *Sums) Append(b []byte) []byte {
	b = le.AppendUint32(b, uint32(v.Flags))
	b = le.AppendUint32(b, uint32(v.Count))
	b = le.AppendUint64(b, uint64(v.Operation))
	b = le.AppendUint64(b, uint64(v.Round))
	return b
}

// DecodeChanged reads a Changed from the beginning of b. ok is false if b is too short. The results are valid as
// long as b.
func DecodeChanged(b []byte) (v Changed, ok bool) {
	if len(b) < SizeofChanged {
		return v, false
	}
	v.Operation = le.Uint64(b[0:])
	v.Peer = le.Uint32(b[8:])
	v.Exact = le.Uint32(b[12:])
	v.Bytes = le.Uint64(b[16:])
	v.At = le.Uint64(b[24:])
	v.Length = le.Uint64(b[32:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Changed) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Operation))
	b = le.AppendUint32(b, uint32(v.Peer))
	b = le.AppendUint32(b, uint32(v.Exact))
	b = le.AppendUint64(b, uint64(v.Bytes))
	b = le.AppendUint64(b, uint64(v.At))
	b = le.AppendUint64(b, uint64(v.Length))
	return b
}

// DecodeUnreachable reads a Unreachable from the beginning of b. ok is false if b is too short. The results are
// valid as long as b.
func DecodeUnreachable(b []byte) (v Unreachable, ok bool) {
	if len(b) < SizeofUnreachable {
		return v, false
	}
	v.Address = le.Uint64(b[0:])
	v.At = le.Uint64(b[8:])
	v.Written = le.Uint32(b[16:])
	v.Mapped = le.Uint32(b[20:])
	return v, true
}

// Append appends v to b, without its tails.
func (v *Unreachable) Append(b []byte) []byte {
	b = le.AppendUint64(b, uint64(v.Address))
	b = le.AppendUint64(b, uint64(v.At))
	b = le.AppendUint32(b, uint32(v.Written))
	b = le.AppendUint32(b, uint32(v.Mapped))
	return b
}
