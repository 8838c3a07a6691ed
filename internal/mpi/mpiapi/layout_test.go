package mpiapi

import (
	"fmt"
	"testing"
)

// at formats the layout of a function's parameters: name@offset, then <offset of the value before the call, >offset of
// the value after it, and [InSection:OutSection].
func at(f *Func) string {
	s := fmt.Sprint(f.Fixed)
	for i := range f.Params {
		p := &f.Params[i]
		s += fmt.Sprintf(" %s@%d", p.Name, p.Layout.At)
		if p.Layout.Before != 0 {
			s += fmt.Sprintf("<%d", p.Layout.Before)
		}
		if p.Layout.After != 0 {
			s += fmt.Sprintf(">%d", p.Layout.After)
		}
		if p.Layout.InSection != 0 || p.Layout.OutSection != 0 {
			s += fmt.Sprintf("[%d:%d]", p.Layout.InSection, p.Layout.OutSection)
		}
	}
	return s
}

func TestLayout(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Send":    "52 buf@16 count@40 datatype@24 dest@44 tag@48 comm@32",
		"MPI_Send_c":  "56 buf@16 count@24 datatype@32 dest@48 tag@52 comm@40",
		"MPI_Recv":    "60 buf@16 count@48 datatype@24 source@52 tag@56 comm@32 status@40[0:5]",
		"MPI_Isend":   "68 buf@16 count@56 datatype@24 dest@60 tag@64 comm@32 request@40>48",
		"MPI_Wait":    "40 request@16<24 status@32[0:5]",
		"MPI_Test":    "52 request@16<24 flag@32>48 status@40[0:5]",
		"MPI_Waitall": "36 count@32 array_of_requests@16[2:0] array_of_statuses@24[0:5]",
		"MPI_Waitsome": "56 incount@48 array_of_requests@16[2:0] outcount@24>52 array_of_indices@32[0:3]" +
			" array_of_statuses@40[0:5]",
		"MPI_Alltoallw": "88 sendbuf@16 sendcounts@24[1:0] sdispls@32[1:0] sendtypes@40[2:0] recvbuf@48" +
			" recvcounts@56[1:0] rdispls@64[1:0] recvtypes@72[2:0] comm@80",
		"MPI_Comm_free":     "32 comm@16<24",
		"MPI_Comm_set_name": "32 comm@16 comm_name@24[6:0]",
		"MPI_Alloc_mem":     "48 size@16 info@24 baseptr@32>40",
		"MPI_Comm_rank":     "32 comm@16 rank@24",
		"MPIX_Comm_agree":   "40 comm@16 flag@24<32>36",
		"MPI_Type_get_contents": "60 datatype@16 max_integers@48 max_addresses@52 max_datatypes@56" +
			" array_of_integers@24 array_of_addresses@32 array_of_datatypes@40[0:4]",
	} {
		f := ByName(name)
		if f == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		if got := at(f); got != want {
			t.Errorf("%s is at\n%s, want\n%s", name, got, want)
		}
	}
}
