package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
)

func stack(functions ...string) []finding.Frame {
	var s []finding.Frame
	for i, f := range functions {
		s = append(s, finding.Frame{Function: f, PC: uint64(i)})
	}
	return s
}

func TestFold(t *testing.T) {
	a, b := stack("exchange", "main"), stack("other", "main")
	moved := stack("exchange", "main")
	moved[0].PC = 0x7777 // another process has loaded the program at another address
	places := report.Fold([]finding.Site{
		{Rank: 3, Role: "receive", Call: "MPI_Recv(*buf=0x10, source=2)", Stack: a},
		{Rank: 0, Role: "receive", Call: "MPI_Recv(*buf=0x20, source=2)", Stack: moved, Also: []int{5, 4}},
		{Rank: 1, Role: "send", Call: "MPI_Send(*buf=0x20)", Stack: a},
		{Rank: 2, Role: "receive", Call: "MPI_Recv(*buf=0x10, source=9)", Stack: a},
		{Rank: 6, Role: "receive", Call: "MPI_Recv(*buf=0x10, source=2)", Stack: b},
		{Rank: 7, Role: "exit"},
		{Rank: 8, Role: "exit"},
	})
	var got strings.Builder
	for _, p := range places {
		fmt.Fprintf(&got, "%s %v %d", p.Role, p.Ranks, len(p.Stack))
		for _, c := range p.Calls {
			fmt.Fprintf(&got, " %s%v", c.Text, c.Ranks)
		}
		got.WriteByte('\n')
	}
	want := `receive [0 2 3 4 5] 2 MPI_Recv(*buf=0x10, source=2)[0 3 4 5] MPI_Recv(*buf=0x10, source=9)[2]
send [1] 2 MPI_Send(*buf=0x20)[1]
receive [6] 2 MPI_Recv(*buf=0x10, source=2)[6]
exit [7 8] 0 [7 8]
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
