// Package layout is Go's view of preload/record.h: the bytes of shared memory and of record files. All of it is
// generated from that header, which is the only definition.
//
// A struct that both sides map has atomic fields where one side writes while the other side reads. The comments of the
// header say which side writes a field, and in which order. A struct that lies in a record has a function that decodes
// it and checks all lengths, and a method that appends it to a record. Names follow those of the header: struct mv_ring
// is Ring, and MV_SUM_ALL is SumAll. SizeofRing is the size of a Ring in bytes, and RingHeadAt is the offset of its
// field Head.
//
// Everything is little endian.
package layout

//go:generate go run ./gen
