package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

// gdbLook is a command of gdb, and a regular expression for its output.
type gdbLook struct{ command, want string }

// debugger runs mpivet gdb and checks the output of each command.
func (h *hung) debugger(t *testing.T, what string, looks []gdbLook) {
	t.Helper()
	const mark = "~~~~"
	args := []string{"gdb", what, "--", "-batch", "-nx"}
	for _, l := range looks {
		args = append(args, "-ex", "echo \\n"+mark+"\\n", "-ex", l.command)
	}
	cmd := exec.Command(mpivet, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+h.temp, "LC_ALL=C.UTF-8", "DEBUGINFOD_URLS=", "MPIVET_INSPECTOR=")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(out), "\n"+mark+"\n")
	if len(parts) != len(looks)+1 {
		t.Fatalf("gdb: %s", out)
	}
	if !regexp.MustCompile(`(?m)^#\d+ .* (main|[\w:]*waits) \(`).MatchString(parts[0]) {
		t.Errorf("gdb does not begin in the program: %s", parts[0])
	}
	for i, l := range looks {
		if !regexp.MustCompile("(?s)" + l.want).MatchString(parts[i+1]) {
			t.Errorf("%s: %q does not match %q", l.command, parts[i+1], l.want)
		}
	}
	if strings.Contains(string(out), "Python Exception") || strings.Contains(string(out), "Traceback") {
		t.Errorf("an error in Python: %s", out)
	}
}

// waitsInRecv reports whether rank 0 is in MPI_Recv.
func waitsInRecv(r *psRun) bool {
	return len(r.Processes) == 2 && len(r.Processes[0].Threads) > 0 && r.Processes[0].Threads[0].InMPI &&
		strings.HasPrefix(r.Processes[0].Threads[0].Call, "MPI_Recv")
}

// TestGDB: in gdb, the handles and buffers of a hung rank are shown as what they stand for. A core file shows the same.
func TestGDB(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		h := hang(t, 2, compile(t, m, "debugged"))
		r := h.until("rank 0 waits", waitsInRecv)
		looks := []gdbLook{
			{"print particle", `= {kind = RESIZED, .*type = {kind = STRUCT, count = 3, ` +
				`entries = {{blocklength = 1, offset = 0, type = "?MPI_CHAR"?}, .*offset = 32, type = "?MPI_INT"?}}`},
			{"print/r op", `= (-?\d+|\(MPI_Op\) 0x)`},
			{"print row", `= {kind = VECTOR, count = 2, blocklength = 1, stride = 4`},
			{"print big", `= {kind = STRUCT, count = 1000, `},
			{"print garbage", `= <0x7c123456 is no datatype that mpivet knows`},
			{"print half", `half.* = {`},
			{"print *&half", `half.* = {`},
			{"print op", `= MPI_SUM\n`},
			{"print none", `= MPI_REQUEST_NULL\n`},
			{"print request", `MPI_Irecv.*tag = 77`},
			{"print group", `group`},
			{"print info", `info`},
			{"mpivet info info", `pairs = color = red`},
			{"mpivet type row", `^grid row: vector\(2, 1, 4, INT\)`},
			{"mpivet message message", `^message by MPI_Mprobe`},
			{"print status", `{source = `},
			{"print particles", `'a'.*10.*'b'.*11`},
			{"print buffer", `0x[0-9a-f]+.*'a'.*10.*'b'.*11`},
			{"print lengths[3]", `= 1\n`},
			{"mpivet type particle", `kind = RESIZED.*\n +entries`},
			{"mpivet type big [3]", `MPI_INT`},
			{"mpivet buffer particle particles 2 [0][1]", `= 1\n.*= 2\n.*= 3\n`},
			{"mpivet buffer particle 8", `cannot`},
			{"mpivet call", `^MPI_Recv\(.*waits for = rank 1 to send \(tag=5, MPI_COMM_WORLD\)`},
			{"mpivet calls", `MPI_Recv\(`},
			{"mpivet requests", `MPI_Irecv`},
			{"mpivet comms", `MPI_COMM_WORLD.*half`},
			{"mpivet queues", `MPI_Irecv`},
			{"mpivet collectives", `MPI_Barrier`},
			{"mpivet findings", `.`},
			{"mpivet type particle", `^resized`},
			{"mpivet type freed", `was freed|is no datatype`},
			{"mpivet comm 12345", `mpivet: `},
			{"info locals", `particle = {kind`},
			{`printf "%s\n", (char *)&MPIR_dll_name`, `^/\S+/libmpivet_dbg-\w+\.so\n`},
		}
		core := filepath.Join(h.temp, "core")
		live := append(append([]gdbLook{}, looks...), gdbLook{"generate-core-file " + core, "Saved corefile"})
		h.debugger(t, h.name+":0", live)
		h.debugger(t, strconv.Itoa(r.Processes[0].PID), looks[:3])
		autoLoads(t, r.Processes[0].PID)
		h.debugger(t, core, looks)
	})
}

// autoLoads checks that gdb itself loads the extension with the preload library, if the user has allowed it.
func autoLoads(t *testing.T, pid int) {
	t.Helper()
	library, err := exec.Command(mpivet, "dbg-library").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gdb", "-nx", "-batch", "-iex", "add-auto-load-safe-path "+filepath.Dir(string(library)),
		"-p", strconv.Itoa(pid), "-ex", "mpivet call").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "MPI_Recv(") {
		t.Errorf("gdb does not load the extension by itself: %v: %s", err, out)
	}
}

// TestGDBDamaged: if the tables are damaged, gdb says so.
func TestGDBDamaged(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		h := hang(t, 2, compile(t, m, "debugged"))
		h.until("rank 0 waits", waitsInRecv)
		h.debugger(t, h.name+":0", []gdbLook{
			{"set mpivet_debug.kept = 0x1230", `^$`},
			{"print particle", `= <.*0x`},
			{"mpivet type particle", `^mpivet: `},
			{"set mpivet_debug.kept_bits = 77", `^$`},
			{"print particle", `= <.*table of 1<<77 objects`},
			{"set mpivet_debug.threads = mpivet_debug.told", `^$`},
			{"mpivet calls", `.`},
			{"mpivet requests", `.`},
			{"mpivet queues", `.`},
			{"set mpivet_debug.objects[0] = -8", `^$`},
			{"mpivet comms", `.`},
			{"set mpivet_debug.told_size = 1", `^$`},
			{"mpivet findings", `^mpivet: `},
			{"set mpivet_debug.version = 99", `^$`},
			{"mpivet type particle", `^mpivet: .*version`},
			{"set mpivet_debug.magic = 1", `^$`},
			{"mpivet type particle", `^mpivet: `},
			{"print particle", `= `},
		})
	})
}

// TestGDBFortran: handles of mpi_f08 are printed, and commands show INTEGER handles.
func TestGDBFortran(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		if _, err := exec.LookPath(m.FC); err != nil {
			t.Skipf("%s is not installed", m.FC)
		}
		source, err := filepath.Abs(filepath.Join("testdata", "debugged.f90"))
		if err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(t.TempDir(), "debugged")
		cmd := exec.Command(m.FC, "-g", "-O0", "-o", program, source)
		cmd.Dir = t.TempDir() // for files of modules
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		h := hang(t, 2, program)
		h.until("rank 0 waits", waitsInRecv)
		looks := []gdbLook{
			{"print particle", `= {kind = CONTIGUOUS, count = 3`},
			{"print comm", `MPI_Comm_dup.* = {`},
			{"print pending", `MPI_Irecv`},
			{"print values", `= .*7, 7, 7`},
			{"mpivet status status", `source = `},
			{"mpivet buffer particle values 2 [2]", `7\n`},
			{"up", `debugged`},
			{"print plain", `= -?\d+\n`},
			{"mpivet type plain", `^contiguous.*kind = CONTIGUOUS`},
			{"mpivet type 99999", `mpivet: `},
		}
		core := filepath.Join(h.temp, "core")
		h.debugger(t, h.name+":0", append(slices.Clip(looks), gdbLook{"generate-core-file " + core, "Saved corefile"}))
		h.debugger(t, core, looks)
	})
}

// TestGDBCXX: handles are printed in objects and references of C++, live and from a core file.
func TestGDBCXX(t *testing.T) {
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("gdb is not installed")
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		if _, err := exec.LookPath(m.CXX); err != nil {
			t.Skipf("%s is not installed", m.CXX)
		}
		program := filepath.Join(t.TempDir(), "debugged")
		source := filepath.Join("testdata", "debugged.cc")
		if out, err := exec.Command(m.CXX, "-g", "-O0", "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		h := hang(t, 2, program)
		h.until("rank 0 waits", waitsInRecv)
		looks := []gdbLook{
			{"print *this", `row = {kind = VECTOR, count = 3.*comm = .*MPI_Comm_dup.*` +
				`requests = .*MPI_Irecv.*MPI_REQUEST_NULL`},
			{"print type", `{kind = VECTOR, count = 3, blocklength = 2, stride = 8, type = MPI_DOUBLE`},
			{"print this->requests[0]", `MPI_Irecv from 1, tag 4`},
			{"print values", `2 × MPI_DOUBLE at 0x[0-9a-f]+: 0\.5, 1\.5`},
			{"mpivet type this->row", `^vector\(3, 2, 8, DOUBLE\)`},
			{"mpivet comm this->comm", `^communicator: .*rank 0 of 2`},
			{"mpivet call", `^MPI_Recv\(.*waits for = rank 1 to send`},
			{"info args", `type = .*kind = VECTOR`},
		}
		core := filepath.Join(h.temp, "core")
		h.debugger(t, h.name+":0", append(slices.Clip(looks), gdbLook{"generate-core-file " + core, "Saved corefile"}))
		h.debugger(t, core, looks)
	})
}

// TestLLDB: the extension for lldb shows handles and buffers of a hung rank.
func TestLLDB(t *testing.T) {
	lldb, err := exec.LookPath("lldb")
	if err != nil {
		t.Skip("lldb is not installed")
	}
	environment := append(os.Environ(), "MPIVET_INSPECTOR=", "LC_ALL=C.UTF-8")
	const debian12 = "/usr/lib/llvm-14/lib/python3.11/dist-packages" // its lldb does not find its own module
	if _, err := os.Stat(debian12); err == nil {
		environment = append(environment, "PYTHONPATH="+debian12)
	}
	each(t, func(t *testing.T, m mpirun.MPI) {
		h := hang(t, 2, compile(t, m, "debugged"))
		r := h.until("rank 0 waits", waitsInRecv)
		script := filepath.Join(t.TempDir(), "mpivet_lldb.py")
		text, err := exec.Command(mpivet, "gdb", "--print-lldb-script").Output()
		if err != nil || os.WriteFile(script, text, 0o600) != nil {
			t.Fatal(err)
		}
		const frame = "script t = lldb.debugger.GetSelectedTarget().GetProcess().GetSelectedThread(); " +
			"[t.SetSelectedFrame(f.idx) for f in t if f.GetFunctionName() == 'main']"
		looks := []gdbLook{
			{"frame variable particle", `particle = .*resized\(0, 40, struct\{CHAR @0, 3\*DOUBLE @8, INT @32\}\)`},
			{"frame variable request", `MPI_Irecv.*tag 77`},
			{"frame variable garbage", `0x7c123456 is no datatype that mpivet knows`},
			{"mpivet type row", `^.*grid row: vector\(2, 1, 4, INT\)`},
			{"mpivet buffer particle particles 2 [0][1]", `= 1\n.*= 2\n.*= 3\n`},
			{"mpivet comm half", `communicator: half`},
			{"mpivet info info", `color = red`},
			{"mpivet call", `MPI_Recv\(.*waits for = rank 1 to send`},
			{"mpivet requests", `MPI_Irecv.*tag 77`},
			{"mpivet comm nonsense", `mpivet: `}, // the last one: lldb stops at an error
		}
		const mark = "~~~~"
		args := []string{
			"-x", "-b", "-p", strconv.Itoa(r.Processes[0].PID), "-o", "command script import " + script, "-o", frame,
		}
		for _, l := range looks {
			args = append(args, "-o", `script print("\n`+mark+`")`, "-o", l.command)
		}
		cmd := exec.Command(lldb, args...)
		cmd.Env = environment
		out, _ := cmd.CombinedOutput()
		parts := strings.Split(string(out), "\n"+mark+"\n")
		if len(parts) != len(looks)+1 {
			t.Fatalf("lldb: %s", out)
		}
		for i, l := range looks {
			if !regexp.MustCompile("(?s)" + l.want).MatchString(parts[i+1]) {
				t.Errorf("%s: %q does not match %q", l.command, parts[i+1], l.want)
			}
		}
		if strings.Contains(string(out), "Traceback") {
			t.Errorf("an error in Python: %s", out)
		}
	})
}
