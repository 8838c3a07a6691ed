package inspect

import (
	"encoding/binary"
	"fmt"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

// fortranTables are the names of Open MPI's tables that lead from Fortran handles to handles. Versions differ.
var fortranTables = map[mpiapi.Kind][]string{
	mpiapi.Comm:       {"ompi_comm_f_to_c_table", "ompi_mpi_communicators"},
	mpiapi.Group:      {"ompi_group_f_to_c_table"},
	mpiapi.Datatype:   {"ompi_datatype_f_to_c_table"},
	mpiapi.Op:         {"ompi_op_f_to_c_table"},
	mpiapi.Request:    {"ompi_request_f_to_c_table"},
	mpiapi.Win:        {"ompi_mpi_windows"},
	mpiapi.File:       {"ompi_file_f_to_c_table"},
	mpiapi.Info:       {"ompi_info_f_to_c_table"},
	mpiapi.Errhandler: {"ompi_errhandler_f_to_c_table"},
	mpiapi.Message:    {"ompi_message_f_to_c_table"},
	mpiapi.Session:    {"ompi_instance_f_to_c_table"},
}

// FortranTables returns the names of the symbols that the request hello may have.
func FortranTables() []string {
	var all []string
	for k := mpiapi.Comm; k <= mpiapi.Session; k++ {
		all = append(all, fortranTables[k]...)
	}
	return all
}

// An opal_pointer_array_t is a struct with the address of an array of pointers. Its place depends on the version and on
// how Open MPI was built. It is at usualAddr in common builds. All other places are tried, too, as a wrong place does
// not lead to a known handle.
const (
	usualAddr  = 112
	firstAddr  = 16
	behindAddr = 256
)

// toHandle returns the handle that a value stands for. Values are handles, or Fortran's integers.
func (s *look) toHandle(kind mpiapi.Kind, value uint64, fortran bool) (uint64, error) {
	if s.HandleSize == 4 { // MPICH: both are the same int
		return uint64(uint32(value)), nil
	}
	if !fortran {
		return value, nil
	}
	index := int32(value)
	if index < 0 {
		return 0, fmt.Errorf("%d is no Fortran handle", index)
	}
	found := false
	for _, name := range fortranTables[kind] {
		at := s.symbols[name]
		if at == 0 {
			continue
		}
		found = true
		if h, ok := s.pointerIn(kind, at, uint64(index)); ok {
			return h, nil
		}
	}
	if !found {
		return 0, fmt.Errorf("the table of Open MPI's Fortran handles is not known: %s", fortranTables[kind][0])
	}
	return 0, fmt.Errorf("%d is no Fortran handle that mpivet knows", index)
}

// pointerIn returns an element of an opal_pointer_array_t, if it is a known handle.
func (s *look) pointerIn(kind mpiapi.Kind, table, index uint64) (uint64, bool) {
	try := func(offset uint64) (uint64, bool) {
		array, ok := s.pointer64(table + offset)
		if !ok || array == 0 || array%8 != 0 {
			return 0, false
		}
		h, ok := s.pointer64(array + 8*index)
		if !ok || h == 0 || !s.known(kind, h) {
			return 0, false
		}
		return h, true
	}
	if h, ok := try(usualAddr); ok {
		return h, true
	}
	for offset := uint64(firstAddr); offset < behindAddr; offset += 8 {
		if h, ok := try(offset); ok {
			return h, true
		}
	}
	return 0, false
}

func (s *look) pointer64(at uint64) (uint64, bool) {
	var b [8]byte
	if at == 0 || s.Memory().ReadMemory(at, b[:]) != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}

// known reports whether the tables have a handle.
func (s *look) known(kind mpiapi.Kind, handle uint64) bool {
	if s.names.NameHandle(kind, handle) != "" || s.Object(kind, handle) != nil {
		return true
	}
	var err error
	if kind == mpiapi.Request {
		_, err = s.Request(handle)
	} else {
		_, err = s.Find(kind, handle)
	}
	return err == nil
}
