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
	moved[0].PC = 0x7777 // another process has the program elsewhere
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

func TestTrim(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"send main __libc_start_call_main __libc_start_main@@GLIBC_2.34 _start", "send main"},
		{"send worker start_thread __clone3", "send worker"},
		{"send worker start_thread clone", "send worker"},
		{"send _start", "send"},
		{"send lost", "send lost"},
		{"_start", "_start"},
		{"", ""},
	} {
		var got []string
		for _, f := range report.Trim(stack(strings.Fields(tc.in)...)) {
			got = append(got, f.Function)
		}
		if g := strings.Join(got, " "); g != tc.want {
			t.Errorf("Trim(%s) = %s, want %s", tc.in, g, tc.want)
		}
	}
}
