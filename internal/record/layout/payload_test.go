// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.

package layout

import "testing"

// TestPayloads: decoding reverses encoding, and truncated data are refused.
func TestPayloads(t *testing.T) {
	roundTrip(t, "Record", func(v *Record) []byte { return v.Append(nil) }, func(b []byte) (Record, int, bool) {
		v, ok := DecodeRecord(b)
		return v, SizeofRecord, ok
	})
	roundTrip(t, "Times", func(v *Times) []byte { return v.Append(nil) }, func(b []byte) (Times, int, bool) {
		v, ok := DecodeTimes(b)
		return v, SizeofTimes, ok
	})
	roundTrip(t, "Section", func(v *Section) []byte { return v.Append(nil) }, func(b []byte) (Section, int, bool) {
		v, ok := DecodeSection(b)
		return v, SizeofSection, ok
	})
	roundTrip(t, "Status", func(v *Status) []byte { return v.Append(nil) }, func(b []byte) (Status, int, bool) {
		v, ok := DecodeStatus(b)
		return v, SizeofStatus, ok
	})
	roundTrip(t, "Site", func(v *Site) []byte { return v.Append(nil) }, func(b []byte) (Site, int, bool) {
		v, t0, t1, ok := DecodeSite(b)
		return v, SizeofSite + len(t0) + len(t1), ok
	})
	roundTrip(t, "Frame", func(v *Frame) []byte { return v.Append(nil) }, func(b []byte) (Frame, int, bool) {
		v, ok := DecodeFrame(b)
		return v, SizeofFrame, ok
	})
	roundTrip(t, "Code", func(v *Code) []byte { return v.Append(nil) }, func(b []byte) (Code, int, bool) {
		v, t0, t1, t2, ok := DecodeCode(b)
		return v, SizeofCode + len(t0) + len(t1) + len(t2), ok
	})
	roundTrip(t, "Module", func(v *Module) []byte { return v.Append(nil) }, func(b []byte) (Module, int, bool) {
		v, t0, t1, ok := DecodeModule(b)
		return v, SizeofModule + len(t0) + len(t1), ok
	})
	roundTrip(t, "Name", func(v *Name) []byte { return v.Append(nil) }, func(b []byte) (Name, int, bool) {
		v, t0, ok := DecodeName(b)
		return v, SizeofName + len(t0), ok
	})
	roundTrip(t, "Run", func(v *Run) []byte { return v.Append(nil) }, func(b []byte) (Run, int, bool) {
		v, ok := DecodeRun(b)
		return v, SizeofRun, ok
	})
	roundTrip(t, "Comm", func(v *Comm) []byte { return v.Append(nil) }, func(b []byte) (Comm, int, bool) {
		v, t0, t1, ok := DecodeComm(b)
		return v, SizeofComm + len(t0) + len(t1), ok
	})
	roundTrip(t, "Neighbours", func(v *Neighbours) []byte { return v.Append(nil) }, func(b []byte) (Neighbours, int, bool) {
		v, t0, t1, ok := DecodeNeighbours(b)
		return v, SizeofNeighbours + len(t0) + len(t1), ok
	})
	roundTrip(t, "Freed", func(v *Freed) []byte { return v.Append(nil) }, func(b []byte) (Freed, int, bool) {
		v, ok := DecodeFreed(b)
		return v, SizeofFreed, ok
	})
	roundTrip(t, "Error", func(v *Error) []byte { return v.Append(nil) }, func(b []byte) (Error, int, bool) {
		v, t0, ok := DecodeError(b)
		return v, SizeofError + len(t0), ok
	})
	roundTrip(t, "MPI", func(v *MPI) []byte { return v.Append(nil) }, func(b []byte) (MPI, int, bool) {
		v, t0, ok := DecodeMPI(b)
		return v, SizeofMPI + len(t0), ok
	})
	roundTrip(t, "Data", func(v *Data) []byte { return v.Append(nil) }, func(b []byte) (Data, int, bool) {
		v, ok := DecodeData(b)
		return v, SizeofData, ok
	})
	roundTrip(t, "Sum", func(v *Sum) []byte { return v.Append(nil) }, func(b []byte) (Sum, int, bool) {
		v, ok := DecodeSum(b)
		return v, SizeofSum, ok
	})
	roundTrip(t, "Sums", func(v *Sums) []byte { return v.Append(nil) }, func(b []byte) (Sums, int, bool) {
		v, t0, ok := DecodeSums(b)
		return v, SizeofSums + len(t0), ok
	})
	roundTrip(t, "Changed", func(v *Changed) []byte { return v.Append(nil) }, func(b []byte) (Changed, int, bool) {
		v, ok := DecodeChanged(b)
		return v, SizeofChanged, ok
	})
	roundTrip(t, "Unreachable", func(v *Unreachable) []byte { return v.Append(nil) }, func(b []byte) (Unreachable, int, bool) {
		v, ok := DecodeUnreachable(b)
		return v, SizeofUnreachable, ok
	})
}
