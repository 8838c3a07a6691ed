// Code generated from preload/record.h by internal/record/layout/gen. DO NOT EDIT.

package mpiapi

// Kinds of sections of a call's record (enum mv_section_kind).
const (
	SectionEnd    = 0
	SectionIn32   = 1
	SectionIn64   = 2
	SectionOut32  = 3
	SectionOut64  = 4
	SectionStatus = 5
	SectionString = 6
	SectionCut    = 7
)

// headerSize is the size of a record's header (struct mv_record).
const headerSize = 16
