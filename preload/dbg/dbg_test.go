package dbg_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/debugger"
	"github.com/mpivet/mpivet/preload/dbg"
)

// processProgram compiles the program that has the tables.
func processProgram(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#define TABLE_HASH 0x%xull\n", mpiapi.Hash())
	for _, f := range mpiapi.Funcs() {
		fmt.Fprintf(&b, "#define ID_%s %d\n#define FIXED_%[1]s %[3]d\n", f.Name, f.ID, f.Fixed)
		for i := range f.Params {
			fmt.Fprintf(&b, "#define AT_%s_%s %d\n", f.Name, f.Params[i].Name, f.Params[i].Layout.At)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"layout.h": []byte(b.String()), "record.h": dbg.Sources()["record.h"]} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "process")
	out, err := exec.Command(cc, "-g", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-I", dir, "testdata/process.c",
		"-o", program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// start starts the program, and returns its process ID when its tables are complete.
func start(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q %v", line, err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// good is what a debugger shows of a process whose tables are right.
const good = `rank 1
comm MPI_COMM_WORLD: id 0xb, rank 1 of 4, group 0 1 2 3
  class 0: count 5
  class 1: count 3, active
  class 22: count 1, active
  class 23: count 7
  class 88: count 2, active
  send: pending, rank 3 (3), tag 40, 16 bytes, actual 3 (3) 40 16, at 0x1000; MPI_Isend; 4 x MPI_INT; ` +
	`by thread 1000; for 10.0 s; called before 0x1234
  send: pending, rank 0 (0), tag 0, 240 bytes, actual 0 (0) 0 240, at 0x2000; MPI_Psend_init, started; ` +
	`30 x MPI_DOUBLE; for 10.0 s; called before 0x1234
  receive: pending, rank -1 (-1), tag 7, 40 bytes, at 0x1000; MPI_Recv; 10 x MPI_INT; thread 1000 is in the call; ` +
	`for 1.0 s
  receive: pending, rank 0 (0), tag any, 4 bytes, at 0x1000; MPI_Recv_init, started; 1 x MPI_INT; by thread 1000; ` +
	`for 10.0 s; called before 0x1234
  unexpected: pending, rank 3 (3), tag 8, 400 bytes in MPI; sent by MPI_Isend; for 5.0 s
  unexpected: pending, rank 2 (2), tag 10, -1 bytes in MPI
comm half: id 0xc, rank 0 of 2, group 1 3
  class 67: count 0, active
  send: pending, rank 1 (3), tag 21, 24 bytes, actual 1 (3) 21 24, at 0x1000; MPI_Sendrecv; 3 x MPI_DOUBLE; ` +
	`thread 1001 is in the call; for 1.0 s
  receive: pending, rank 0 (1), tag any, -1 bytes, at 0x1000; MPI_Sendrecv; 5 x datatype 0xcc000001; ` +
	`thread 1001 is in the call; for 1.0 s
comm 0x84000002 by MPI_Intercomm_create: id 0xd, rank 0 of 2, group 1 3
  send: pending, rank 1 (2), tag 49, 16 bytes, actual 1 (2) 49 16, at 0x1000; MPI_Isend; 4 x MPI_INT; ` +
	`for 10.0 s; called before 0x1234
  unexpected: pending, rank 1 (2), tag 9, 0 bytes in MPI; sent by MPI_Send; for 5.0 s
comm unknown communicator 0x84000077: id 0x84000077, rank -1 of 0
  send: pending, rank 2 (-1), tag 42, 16 bytes, actual 2 (-1) 42 16, at 0x1000; MPI_Isend; 4 x MPI_INT; ` +
	`by thread 1000; for 10.0 s; called before 0x1234
comm unknown communicator: id 0x0, rank -1 of 0
  receive: pending, rank -1 (-1), tag any, 8 bytes, at 0x1000; MPI_Imrecv; 2 x MPI_INT; for 10.0 s; ` +
	`called before 0x1234
`

// without returns the lines of a text that do not contain any of some words.
func without(text string, words ...string) string {
	var b strings.Builder
lines:
	for line := range strings.Lines(text) {
		for _, w := range words {
			if strings.Contains(line, w) {
				continue lines
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestTables: a debugger shows the communicators, messages and collectives of a process, live and in a core file.
func TestTables(t *testing.T) {
	program := processProgram(t)
	front := debugger.Build(t)
	pid := start(t, program, "good")
	if got := front.Look(t, pid); got != good {
		t.Errorf("got:\n%s\nwant:\n%s", got, good)
	}
	gcore, err := exec.LookPath("gcore")
	if err != nil {
		t.Skip("no gcore: ", err)
	}
	core := filepath.Join(t.TempDir(), "core")
	if out, err := exec.Command(gcore, "-o", core, pid).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := front.Look(t, core+"."+pid); got != good {
		t.Errorf("in the core file:\n%s\nwant:\n%s", got, good)
	}
}

// TestDamaged: if some tables are damaged, a debugger shows what is wrong, and everything that is not concerned.
func TestDamaged(t *testing.T) {
	program := processProgram(t)
	front := debugger.Build(t, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1")
	const another = "message: mpivet's message queues: the process runs under another version of mpivet"
	for _, c := range []struct {
		scenario string
		want     string // the beginning of the output, "" for good
		has      string // text in the output
		lacks    string
	}{
		{"good", good, "", "error"},
		{"odd", "", "  unexpected: no information\n", "error"},
		{"silent", "", "  unexpected: no information\n", "error"},
		{"untold", "", "  unexpected: no information\n", "error"},
		{"told", "", "  unexpected: error: the table of unexpected messages makes no sense", ""},
		{"toldmagic", "", "  unexpected: error: the table of unexpected messages makes no sense", ""},
		{"early", "message: mpivet's message queues: mpivet records nothing yet", "", "comm "},
		{"magic", "message: mpivet's message queues: the process has overwritten the variable", "", "comm "},
		{"version", another + `. Use the library that belongs to it: the command "mpivet dbg-library"`, "", "comm "},
		{"table", another + `, with other MPI functions. Use the library that belongs to it: the command ` +
			`"/opt/?s/mpivet dbg-library" prints its path`, "", "comm "},
		{"circle", "", "error: the list of threads is a circle", "Psend"},
		{"latecircle", "", "error: the list of threads is a circle", ""},
		{"self", "", "error: the list of threads is a circle", ""},
		{"thread", "", "error: the list of threads cannot be read", ""},
		{"names", "", "datatype 0x4c000405", "error"},
		{"nonames", "", "datatype 0x4c000405", "error"},
		{"objects", "rank 1\n", "error: the table of communicators cannot be read", "half"},
		{"count", "rank 1\n", "error: the table of communicators cannot be read", "half"},
		{"past", "", "", ""}, // there is memory behind the table
		{"object", "", "error: the table of communicators cannot be read", "half"},
		{"kind", "", "error: the table of communicators cannot be read", "half"},
		{"bits", "", "error: a table of requests cannot be read", "by thread 1000"},
		{"keys", "", "error: a table of requests cannot be read", "by thread 1000"},
		{"entry", "", "error: a table of requests cannot be read", "by thread 1000"},
		{"record", "", "error: the record of a call makes no sense", ""},
		{"polling", "rank 1\n", "MPI_Sendrecv", "MPI_Recv;"},
		{"now", "", "error: the record of a call makes no sense", "MPI_Recv;"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			got := front.Look(t, start(t, program, c.scenario))
			if c.lacks != "" && strings.Contains(got, c.lacks) {
				t.Errorf("there is %q", c.lacks)
			}
			if !strings.HasPrefix(got, c.want) || !strings.Contains(got, c.has) || strings.Contains(got, "blocks") {
				t.Errorf("not %q and %q", c.want, c.has)
			}
			seen := make(map[string]bool)
			for line := range strings.Lines(without(got, "class", "error", "unexpected", "comm ")) {
				if seen[line] {
					t.Errorf("twice: %s", line)
				}
				seen[line] = true
			}
			if t.Failed() {
				t.Logf("got:\n%s", got)
			}
		})
	}
}

// TestGarbage: whatever a process has overwritten, the library returns.
func TestGarbage(t *testing.T) {
	program := processProgram(t)
	front := debugger.Build(t, "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1")
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		got := front.Look(t, start(t, program, "damage", strconv.Itoa(seed)))
		if strings.Contains(got, "blocks") || t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, got)
		}
	}
}
