package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// moves builds a program that moves data, with an MPI that damages some of them.
func moves(t *testing.T, m mpirun.MPI, name string) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libfaulty.so")
	if out, err := exec.Command(m.CC, "-shared", "-fPIC", "-o", library, filepath.Join("testdata", "faulty.c"), "-ldl").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return compile(t, m, name, library)
}

func TestDamagedData(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "moves")
		for _, c := range []struct {
			mode  string
			ranks []int // the receiver of the damaged part, and its sender
			say   string
			line  string
		}{
			{
				"bcast",
				[]int{0, 2},
				"in MPI_Bcast (collective 2 on MPI_COMM_WORLD) are not what was sent",
				"MPI_Bcast(large,",
			},
			{
				"gatherv",
				[]int{1, 2},
				"the 20 bytes that rank 1 received from rank 2.",
				"MPI_Gatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 1,",
			},
			{"scatter", []int{0, 3}, "the 36 bytes that rank 3 received from rank 0.", "rank ? b : MPI_IN_PLACE"},
			{"allgather", []int{0, 2}, "the 36 bytes that rank 0 received from rank 2.", ""},
			{"alltoallv", []int{1, 3}, "the 8 bytes that rank 3 received from rank 1.", ""},
			{"columns", []int{0, 1}, "the 48 bytes that rank 1 received from rank 0.", "MPI_Bcast(b, 3, columns,"},
			{
				"inter",
				[]int{1, 3},
				"the 20 bytes that rank 3 received from rank 1.",
				"MPI_Gather(a, 5, MPI_INT, b, 5, MPI_INT, root, groups);",
			},
		} {
			t.Run(c.mode, func(t *testing.T) {
				r := vet(t, 4, []string{"--checksums"}, program, c.mode)
				f := r.found(t, "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED")
				if !slices.Equal(f.Ranks, c.ranks) || !strings.Contains(f.Message, c.say) {
					t.Errorf("ranks %v: %s", f.Ranks, f.Message)
				}
				if c.line != "" && !atLine(t, f, "moves.c", c.line) {
					t.Errorf("not at the call with %q", c.line)
				}
				if len(r.report.Findings) != 1 {
					t.Errorf("%d findings", len(r.report.Findings))
				}
				if r.Status != 3 {
					t.Errorf("exit status %d", r.Status)
				}
			})
		}
	})
}

// TestUndamagedData: correct collectives of all kinds give no finding, and neither does a byte that is not part of any
// data.
func TestUndamagedData(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "moves")
		for _, mode := range []string{"all", "gap"} {
			t.Run(mode, func(t *testing.T) { vet(t, 4, []string{"--checksums"}, program, mode).clean(t) })
		}
		t.Run("off", func(t *testing.T) { vet(t, 4, nil, program, "bcast").clean(t) })
	})
}

// TestDamagedPending: the data of a nonblocking or persistent operation are checked when the call that completes it
// returns.
func TestDamagedPending(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "moves_pending")
		for _, c := range []struct {
			mode  string
			ranks []int
			say   string
			line  string
		}{
			{
				"wait",
				[]int{0, 2},
				"in MPI_Ibcast (collective 1 on MPI_COMM_WORLD) are not what was sent: " +
					"the 36 bytes that rank 2 received from rank 0",
				"MPI_Ibcast(rank ? b : a, 9",
			},
			{"waitall", []int{1, 2}, "the 20 bytes that rank 1 received from rank 2.", "MPI_Igatherv("},
			{"waitany", []int{0, 3}, "the 36 bytes that rank 3 received from rank 0.", "MPI_Iscatter("},
			{"waitsome", []int{0, 2}, "the 36 bytes that rank 0 received from rank 2.", "MPI_Iallgather("},
			{"test", []int{1, 3}, "the 16 bytes that rank 3 received from rank 1.", "MPI_Ialltoall("},
			{"status", []int{0, 1}, "the 32 bytes that rank 1 received from rank 0.", "MPI_Ibcast(rank ? b : a, 8"},
			{
				"persistent",
				[]int{0, 2},
				"_Bcast_init (collective 1 on MPI_COMM_WORLD) are not what was sent: " +
					"the 36 bytes that rank 2 received from rank 0.",
				"MPI_Bcast_init(",
			},
			{"pair", []int{0, 3}, "the 24 bytes that rank 3 received from rank 0.", "MPI_DOUBLE_INT"},
			{"committed", []int{0, 1}, "the 16 bytes that rank 1 received from rank 0.", ""},
			{"freed", []int{0, 1}, "the 32 bytes that rank 1 received from rank 0.", "MPI_Ibcast(rank ? b : a, 2, t"},
		} {
			t.Run(c.mode, func(t *testing.T) {
				r := vet(t, 4, []string{"--checksums"}, program, c.mode)
				f := r.found(t, "GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED")
				if !slices.Equal(f.Ranks, c.ranks) || !strings.Contains(f.Message, c.say) || f.Count != 1 {
					t.Errorf("ranks %v, %d times: %s", f.Ranks, f.Count, f.Message)
				}
				if c.line != "" && !atLine(t, f, "moves_pending.c", c.line) {
					t.Errorf("not at the call with %q", c.line)
				}
				if len(r.report.Findings) != 1 {
					t.Errorf("%d findings", len(r.report.Findings))
				}
			})
		}
	})
}

func TestUndamagedPending(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "moves_pending")
		t.Run("all", func(t *testing.T) { vet(t, 4, []string{"--checksums"}, program).clean(t) })
		t.Run("strict", func(t *testing.T) { vet(t, 4, []string{"--checksums", "--strict"}, program).clean(t) })
		t.Run("gap", func(t *testing.T) { vet(t, 4, []string{"--checksums"}, program, "gap").clean(t) })
		t.Run("off", func(t *testing.T) { vet(t, 4, nil, program, "wait").clean(t) })
	})
}

// TestDamagedMessages: a message arrives damaged, for each way to receive it.
func TestDamagedMessages(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "messages")
		for _, c := range []struct{ mode, say, line string }{
			{
				"recv", "MPI_Send of rank 0 sends 24 bytes, but MPI_Recv of rank 1 (messages.c:36) receives other data",
				"MPI_Recv(b, 2 * FEW, MPI_INT, 0,",
			},
			{"large", "between byte 196608 and byte 204799.", "MPI_Recv(more,"},
			{"column", "sends 24 bytes, but ", "MPI_Irecv(b, 1, column"},
			{"sendrecv", "sends 24 bytes, but ", "MPI_Sendrecv(a,"},
			{"replace", "sends 24 bytes, but ", "MPI_Sendrecv_replace(a,"},
			{"mrecv", "sends 24 bytes, but ", "MPI_Mrecv(b,"},
			{"waitall", "sends 24 bytes, but ", "MPI_Irecv(b + i * FEW,"},
			{"testany", "sends 24 bytes, but ", "MPI_Irecv(b, FEW, MPI_INT, MPI_ANY_SOURCE"},
			{"persistent", "sends 24 bytes, but ", "MPI_Recv_init("},
		} {
			t.Run(c.mode, func(t *testing.T) {
				r := vet(t, 2, []string{"--checksums"}, program, c.mode)
				f := r.found(t, "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED")
				if !slices.Equal(f.Ranks, []int{0, 1}) || !strings.Contains(f.Message, c.say) || f.Count != 1 {
					t.Errorf("ranks %v, %d times: %s", f.Ranks, f.Count, f.Message)
				}
				if !atLine(t, f, "messages.c", c.line) {
					t.Errorf("not at the call with %q", c.line)
				}
				if len(r.report.Findings) != 1 {
					t.Errorf("%d findings", len(r.report.Findings))
				}
			})
		}
	})
}

// TestUndamagedMessages: the same without damage gives no finding. Neither do other changes that this check must not
// report.
func TestUndamagedMessages(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := moves(t, m, "messages")
		t.Run("all", func(t *testing.T) { vet(t, 2, []string{"--checksums"}, program).clean(t) })
		t.Run("strict", func(t *testing.T) { vet(t, 2, []string{"--checksums", "--strict"}, program).clean(t) })
		t.Run("behind", func(t *testing.T) { vet(t, 2, []string{"--checksums"}, program, "behind").clean(t) })
		t.Run("off", func(t *testing.T) { vet(t, 2, nil, program, "recv").clean(t) })
		t.Run("shared", func(t *testing.T) {
			for _, f := range vet(t, 2, []string{"--checksums"}, program, "shared").report.Findings {
				if f.Check == "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED" {
					t.Errorf("%s", f.Message)
				}
			}
		})
	})
}

// TestNoDevice: the loader of Level Zero and a CUDA without devices are no reason to leave out checks of data. hwloc
// and UCX load them to look for devices.
func TestNoDevice(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		for _, name := range []string{"libze_loader.so.1", "libcuda.so.1"} {
			program := compile(t, m, "changed", fakeCUDA(t, m, name, 3)...) // CUDA_ERROR_NOT_INITIALIZED
			if r := vet(t, 2, nil, program); len(r.report.Findings) != 1 ||
				r.report.Findings[0].Check != "LOCAL:MEMORY:ILLEGAL_MODIFICATION" {
				t.Errorf("%s: %v\n%s", name, r.report.Findings, r.Stderr)
			}
		}
	})
}

// fakeCUDA makes a library whose query function returns a result for all addresses. It returns the flags that link a
// program with it.
func fakeCUDA(t *testing.T, m mpirun.MPI, name string, result int) []string {
	t.Helper()
	dir := t.TempDir()
	library := filepath.Join(dir, name)
	if out, err := exec.Command(m.CC, "-shared", "-fPIC", "-Wl,-soname,"+name, fmt.Sprint("-DRESULT=", result),
		"-o", library, filepath.Join("testdata", "cuda.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{"-Wl,--no-as-needed", library, "-Wl,-rpath," + dir}
}

// TestDeviceMemory: memory of a device, as its runtime library reports it, is not read. Here, every address is such
// memory.
func TestDeviceMemory(t *testing.T) {
	each(t, func(t *testing.T, m mpirun.MPI) {
		program := compile(t, m, "device", fakeCUDA(t, m, "libcuda.so.1", 0)...)
		for _, flags := range [][]string{nil, {"--checksums"}} {
			r := vet(t, 2, flags, program)
			for _, f := range r.report.Findings {
				if f.Check == "LOCAL:MEMORY:INACCESSIBLE" {
					t.Errorf("%q: %s", flags, f.Message)
				}
			}
		}
	})
}
