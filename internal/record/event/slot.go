package event

import (
	"encoding/binary"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// Slot is the place of a value in the records of a function: an offset from the record's start. The zero value stands
// for a parameter that the function does not have. A slot lies in the fixed part of a record, so every record of the
// function has it.
type Slot struct {
	At   uint16
	Wide bool // eight bytes, else four
}

// Exists reports whether the function has this parameter.
func (s Slot) Exists() bool { return s.At != 0 }

// Int loads the value with sign extension.
func (s Slot) Int(rec []byte) int64 {
	if s.Wide {
		return int64(binary.LittleEndian.Uint64(rec[s.At:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(rec[s.At:])))
}

// Handle loads the value with zero extension.
func (s Slot) Handle(rec []byte) uint64 {
	if s.Wide {
		return binary.LittleEndian.Uint64(rec[s.At:])
	}
	return uint64(binary.LittleEndian.Uint32(rec[s.At:]))
}

// ValueSlot returns the slot of parameter i of f, if it is passed by value. A negative i stands for a parameter that
// does not exist.
func ValueSlot(f *mpiapi.Func, i int) Slot {
	if i < 0 || f.Params[i].Pointer {
		return Slot{}
	}
	return Slot{f.Params[i].Layout.At, f.Params[i].Layout.Wide}
}

// AddressSlot returns the slot of the address that is passed as parameter i of f. i may be negative.
func AddressSlot(f *mpiapi.Func, i int) Slot {
	if i < 0 {
		return Slot{}
	}
	return Slot{f.Params[i].Layout.At, true}
}

// BeforeSlot returns the slot of the value at the address in parameter i of f, at the beginning of the call. i may be
// negative.
func BeforeSlot(f *mpiapi.Func, i int) Slot {
	if i < 0 {
		return Slot{}
	}
	return Slot{f.Params[i].Layout.Before, f.Params[i].Layout.WideValue}
}

// AfterSlot returns the slot of the value at the address in parameter i of f, after the call. i may be negative.
func AfterSlot(f *mpiapi.Func, i int) Slot {
	if i < 0 {
		return Slot{}
	}
	return Slot{f.Params[i].Layout.After, f.Params[i].Layout.WideValue}
}
