package launch

import (
	"os"
	"syscall"
	"testing"

	"github.com/mpivet/mpivet/internal/record/ring"
)

// TestLauncherEndsBeforeARankRegisters checks that a rank has lost its launcher if it has the parent of orphans when it
// registers. A later death by SIGPIPE in MPI_Init is then not a finding. A rank whose parent belongs to the launcher
// has not lost it.
func TestLauncherEndsBeforeARankRegisters(t *testing.T) {
	for _, k := range []struct {
		name  string
		rank  int
		above []ring.Ancestor
		lost  bool
	}{
		{"orphan", 1, []ring.Ancestor{{PID: os.Getpid(), Name: "mpivet"}}, true},
		{"orphan without rank", -1, []ring.Ancestor{{PID: os.Getpid(), Name: "mpivet"}}, false},
		{
			"child", 1, []ring.Ancestor{
				{PID: os.Getppid(), Start: startOf(t, os.Getppid()), Name: "go"},
				{PID: os.Getpid(), Name: "mpivet"},
			}, false,
		},
	} {
		t.Run(k.name, func(t *testing.T) {
			ranks := NewRanks(t.TempDir())
			defer ranks.Close()
			told := ""
			ranks.LauncherKilled = func(what string) { told = what }
			ranks.Registered(&ring.Registration{PID: 1 << 30, Rank: k.rank, Above: k.above})
			e := &ring.ProcEnd{Kind: ring.Signaled, Code: int(syscall.SIGPIPE), InMPI: true, Time: monotonic()}
			ranks.End(ring.ProcID(1), e)
			if e.Asked != k.lost || (told != "") != k.lost {
				t.Errorf("the end follows from the launcher's: %t, want %t; told %q", e.Asked, k.lost, told)
			}
		})
	}
}

func startOf(t *testing.T, pid int) uint64 {
	t.Helper()
	st, err := statProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	return st.start
}
