package gdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// needs skips a test if a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// output runs a program and returns everything that it prints.
func output(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME=/nonexistent", "MPIVET_INSPECTOR=")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil || err != nil && cmd.ProcessState == nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
	return string(out)
}

// build compiles a program from testdata, with a library that looks like mpivet's.
func build(t *testing.T, dir, source string, flags ...string) string {
	t.Helper()
	compile := func(compiler string, args ...string) {
		t.Helper()
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", compiler, err, out)
		}
	}
	library := filepath.Join(dir, "libmpivet-fake.so")
	compile("gcc", "-g0", "-O0", "-shared", "-fPIC", "-o", library, "testdata/wrapper.c")
	out := filepath.Join(dir, source+"."+strings.Join(flags, ""))
	compiler := "gcc"
	if strings.HasSuffix(source, ".cc") {
		compiler = "g++"
	}
	compile(compiler, append([]string{"-g", "-O0", "-o", out, "testdata/" + source, library}, flags...)...)
	return out
}

// self returns this executable, which plays the inspector.
func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// A session of gdb: a program stops at a function, then gdb executes commands.
type session struct {
	script, program, stop string
	env                   []string
}

func newSession(t *testing.T, program string) *session {
	t.Helper()
	script, err := Write(t.TempDir(), "mpivet_gdb", Script(""))
	if err != nil {
		t.Fatal(err)
	}
	return &session{script: script, program: program, stop: "stop_here", env: []string{"MPIVET_INSPECTOR=" + self(t)}}
}

// gdb executes commands and returns the output of each.
func (s *session) gdb(t *testing.T, commands ...string) []string {
	t.Helper()
	args := []string{
		"-nx", "-q", "-batch", "-iex", "set breakpoint pending on", "-ix", s.script,
		"-ex", "break " + s.stop, "-ex", "run",
	}
	if s.stop == "" {
		args = args[:len(args)-4]
	}
	const mark = "~~~~"
	for _, c := range commands {
		args = append(args, "-ex", "echo \\n"+mark+"\\n", "-ex", c)
	}
	out := output(t, s.env, "gdb", append(args, s.program)...)
	parts := strings.Split(out, "\n"+mark+"\n")
	if len(parts) != len(commands)+1 {
		t.Fatalf("gdb: %s", out)
	}
	if strings.Contains(out, "Traceback") || strings.Contains(out, "Python Exception") {
		t.Errorf("gdb reports an error in Python: %s", out)
	}
	for i := range parts {
		parts[i] = regexp.MustCompile(`^\$\d+ = `).ReplaceAllString(strings.TrimSpace(parts[i]), "")
	}
	return parts[1:]
}

// check executes commands and compares the output of each. A wanted text that begins with ~ is a regular expression.
func (s *session) check(t *testing.T, pairs ...string) {
	t.Helper()
	var commands []string
	for i := 0; i < len(pairs); i += 2 {
		commands = append(commands, pairs[i])
	}
	for i, got := range s.gdb(t, commands...) {
		want := pairs[2*i+1]
		if pattern, ok := strings.CutPrefix(want, "~"); ok {
			if !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: got %q, want a match of %q", commands[i], got, pattern)
			}
		} else if got != want {
			t.Errorf("%s: got %q, want %q", commands[i], got, want)
		}
	}
}

const structure = `{kind = STRUCT, count = 2, entries = {{blocklength = 1, offset = -4, type = "MPI_LB"}, ` +
	`{blocklength = 5, offset = 0, type = "MPI_INT"}}}`

const structureLines = `struct of 2 blocks
  kind = STRUCT
  count = 2
  entries
    [0] = {blocklength = 1, offset = -4, type = "MPI_LB"}
    [1] = {blocklength = 5, offset = 0, type = "MPI_INT"}`

// TestPrint: handles and buffers are printed as what they stand for, with MPICH's types and with Open MPI's.
func TestPrint(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	for _, mpi := range []string{"MPICH", "OPENMPI"} {
		t.Run(mpi, func(t *testing.T) {
			s := newSession(t, build(t, dir, "fake.c", "-D"+mpi))
			raw := "-1946157055"
			if mpi == "OPENMPI" {
				s.env = append(s.env, "FAKE_OPENMPI=1")
				raw = "(const MPI_Datatype) 0x8c000001"
			}
			s.check(t,
				"bt", `~#1 .* MPI_Send \(buf=0x1000, count=8\).*\n#2 .*main \(`,
				"mpivet frame", "~#2 .*main ",
				"p structure", structure,
				"p/r structure", raw,
				"p big", `~^\{entry 0, .*entry 199\.\.\.\}$`,
				"p freed", "<0x8c000003 is no datatype that mpivet knows>",
				"p comm", "MPI_COMM_WORLD = {size = 4, rank = 0}",
				"p where", "~^\\(MPI_Comm \\*\\) 0x[0-9a-f]+$",
				"p *where", "MPI_COMM_WORLD = {size = 4, rank = 0}",
				"p requests", "{request 0x1, request 0x2}",
				"p fortran", "Fortran comm 5",
				"p status", "{source = 2, tag = 7}",
				"p file", "file 0x555500001230",
				"p p", "{type = "+structure+", comm = MPI_COMM_WORLD = {size = 4, rank = 0}}",
				"p field", "8 × MPI_INT = {1, 2, 3}",
				"p buffer", "~^0x[0-9a-f]+ 8 × MPI_INT = {1, 2, 3}$",
				"p plain", "5",
				"p text", `~^0x[0-9a-f]+ ".*fake.c`,
				"set mpivet buffers off", "",
				"p field", "{1, 2, 3, 0, 0, 0, 0, 0}",
				"show mpivet buffers", "Showing the buffers of the present MPI call as the call sees them is off.",
				"set mpivet buffers on", "",
				"set print pretty on", "",
				"p structure", "{\n  kind = STRUCT,\n  count = 2,\n  entries = {{\n      blocklength = 1,\n      "+
					"offset = -4,\n      type = \"MPI_LB\"\n    }, {\n      blocklength = 5,\n      "+
					"offset = 0,\n      type = \"MPI_INT\"\n    }}\n}",
			)
		})
	}
}

// TestCommands: each command prints the answer, or one line that says what is wrong.
func TestCommands(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	s := newSession(t, build(t, dir, "fake.c"))
	s.check(t,
		"mpivet type structure", "mpivet: No symbol \"structure\" in current context.",
		"up 2", "~main",
		"mpivet type structure", structureLines,
		"mpivet type structure [2][5]", structureLines,
		"mpivet handle type structure", structureLines,
		"mpivet comm p.comm", "MPI_COMM_WORLD\n  size = 4\n  rank = 0",
		"mpivet comm 5", "MPI_COMM_WORLD\n  size = 4\n  rank = 0",
		"mpivet comm fortran", "Fortran comm 5",
		"mpivet request requests[1]", "request 0x2",
		"mpivet file 3", "Fortran file 3",
		"mpivet type 5", "mpivet: 0x5 is no datatype that mpivet knows",
		"mpivet type comm + ", "~^mpivet: ",
		"mpivet type 1.5", "mpivet: 1.5 is no handle",
		"mpivet type", "mpivet: usage: mpivet type HANDLE [PATH]",
		"mpivet buffer structure field 3 [1]", "3 × particle [1]\n  [0] = {x = 1, id = 2}",
		"mpivet buffer structure buffer 3 [1]", "3 × particle [1]\n  [0] = {x = 1, id = 2}",
		"mpivet buffer structure 8", "mpivet: cannot access memory at 0x8",
		"mpivet buffer structure", "mpivet: usage: mpivet buffer HANDLE ADDRESS [COUNT] [PATH]",
		"mpivet call", "MPI_Send(buf=0x1000, count=8)\n  function = MPI_Send\n"+
			"  arguments = {buf = 0x1000, count = 8}\n  since = 12 s",
		"mpivet requests", "[0] = a request\n  call = "+strings.Repeat("long ", 30)+"\n  since = 2 s",
		"mpivet findings", "no findings",
		"mpivet status status", "{source = 2, tag = 7}",
		"mpivet status &status", "{source = 2, tag = 7}",
		"mpivet status plain", "mpivet: plain is no MPI_Status",
		"mpivet sing", "mpivet: there is no such command: help mpivet lists them",
		"mpivet handle cow 5", "~^mpivet: cow is no kind of handle: datatype, comm",
		"set print elements 5", "",
		"mpivet type big", "~entry 3\n  \\.\\.\\.$",
		"set print elements 0", "",
		"mpivet type big", "~entry 999$",
		"kill", "~killed",
		"mpivet type 5", "mpivet: there is no process",
	)
}

// TestOutside: outside MPI calls, pointers are printed as always.
func TestOutside(t *testing.T) {
	needs(t, "gdb", "gcc")
	s := newSession(t, build(t, t.TempDir(), "fake.c"))
	s.env = append(s.env, "FAKE_DOES=outside")
	s.check(t, "up 2", "~main", "p buffer", "~^\\(void \\*\\) 0x[0-9a-f]+$", "p field[0]", "1",
		"mpivet call", "the thread is in no MPI call", "bt", `~MPI_Send \(\)`)
}

// TestCPlusPlus: references to handles are handles, too.
func TestCPlusPlus(t *testing.T) {
	needs(t, "gdb", "g++")
	s := newSession(t, build(t, t.TempDir(), "fake.cc"))
	s.stop = "stop"
	s.check(t, "p type", structure, "p same", structure,
		"mpivet type type", structureLines)
}

// TestCore: a core file shows the same as the process.
func TestCore(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	s := newSession(t, build(t, dir, "fake.c"))
	core := filepath.Join(dir, "core")
	s.gdb(t, "generate-core-file "+core)
	s.stop = ""
	s.check(t, "core-file "+core, "~.", "mpivet frame", "~main", "p structure", structure, "mpivet type structure",
		structureLines, "p buffer", "~8 × MPI_INT = {1, 2, 3}$")
	if exe, err := Executable(core); err != nil || exe != s.program {
		t.Errorf("the core file is of %s, %v", exe, err)
	}
}

// TestErrors: whatever is wrong, the user sees one line, and plain values.
func TestErrors(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	program := build(t, dir, "fake.c")
	plain := newSession(t, build(t, dir, "fake.c", "-DPLAIN"))
	plain.check(t, "up 2", "~main", "p structure", "-1946157055", "p buffer", "~^\\(void \\*\\) 0x",
		"mpivet type structure", "mpivet: the program does not run under mpivet",
		"mpivet call", "mpivet: the program does not run under mpivet")

	exe := regexp.QuoteMeta(self(t))
	for _, c := range []struct{ does, want string }{
		{"dies", "~^mpivet: the inspector " + exe + ` has ended: mpivet: unknown command "inspect"$`},
		{"dies later", "~^mpivet: the inspector " + exe + " has ended$"},
		{"babbles", "~^mpivet: the inspector " + exe + " does not speak the protocol$"},
	} {
		s := newSession(t, program)
		s.env = append(s.env, "FAKE_DOES="+c.does)
		s.check(t, "up 2", "~main", "mpivet type structure", c.want, "p structure", "~^-1946157055$",
			"mpivet type structure", c.want)
	}

	// An inspector that dies after each answer is started again.
	s := newSession(t, program)
	s.env = append(s.env, "FAKE_DOES=one answer")
	s.check(t, "up 2", "~main", "p comm", "MPI_COMM_WORLD = {size = 4, rank = 0}", "p structure", structure,
		"mpivet call", "~^MPI_Send")

	// Tables that were overwritten, and tables of another version.
	s = newSession(t, program)
	s.check(t, "up 2", "~main", "set var mpivet_debug.version = 7", "",
		"mpivet type structure", "mpivet: the process uses another version of mpivet (7), this is version 6",
		"p structure", "~-1946157055$",
		"set var mpivet_debug.version = 6", "", "p structure", structure,
		"set var mpivet_debug.magic = 12345", "",
		"mpivet type big", "mpivet: the tables of mpivet in the process are damaged, or of another version",
		"set var mpivet_debug.magic = 0", "",
		"mpivet type big", "mpivet: the program does not run under mpivet, or it has not initialized MPI",
		"p big", "-1946157054")
}

// TestInspector: which executable is the inspector.
func TestInspector(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	program := build(t, dir, "fake.c")
	link := filepath.Join(dir, "mpivet")
	copyFile(t, self(t), link)
	none := "mpivet: no inspector: put mpivet in PATH, or set the environment variable MPIVET_INSPECTOR to its path"
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"nothing", nil, none},
		{"environment", []string{"MPIVET_INSPECTOR=" + link}, structureLines},
		{
			"no program",
			[]string{"MPIVET_INSPECTOR=/no/where"},
			"mpivet: MPIVET_INSPECTOR is /no/where, which is no program",
		},
		{"process", []string{"FAKE_PROGRAM=" + link}, structureLines},
		{"process, gone", []string{"FAKE_PROGRAM=/no/where"}, none},
		{"path", []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, structureLines},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, program)
			s.env = c.env
			s.check(t, "next", "~.", "up 2", "~.", "mpivet type structure", c.want)
		})
	}
	// A program that others can write, or that they have named in a core file, is not executed.
	if err := os.Chmod(link, 0o777); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, program)
	s.env = []string{"FAKE_PROGRAM=" + link}
	s.check(t, "up 2", "~.", "mpivet type structure", none)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o755); err != nil { // whatever the umask is
		t.Fatal(err)
	}
}

// TestAgain: one inspector serves a session of gdb, and values are read again when the process has run.
func TestAgain(t *testing.T) {
	needs(t, "gdb", "gcc")
	dir := t.TempDir()
	s := newSession(t, build(t, dir, "fake.c"))
	log := filepath.Join(dir, "log")
	s.env = append(s.env, "FAKE_LOG="+log)
	s.check(t, "up 2", "~main", "p structure", structure, "p field", "8 × MPI_INT = {1, 2, 3}",
		"set var field[2] = 4", "", "p field", "{1, 2, 4, 0, 0, 0, 0, 0}",
		"frame 1", "~MPI_Send", "finish", "~main", "p comm", "~^MPI_COMM_WORLD")
	if b, err := os.ReadFile(log); err != nil || string(b) != "started\n" {
		t.Errorf("%v: %q", err, b)
	}
}

// TestMI: frontends can browse types and buffers by variable objects.
func TestMI(t *testing.T) {
	needs(t, "gdb", "gcc")
	s := newSession(t, build(t, t.TempDir(), "fake.c"))
	in := strings.Join([]string{
		"-enable-pretty-printing", "-gdb-set breakpoint pending on", "-gdb-set mi-async off",
		`-interpreter-exec console "source ` + s.script + `"`, "-break-insert -f stop_here",
		`-interpreter-exec console "run"`, "-stack-select-frame 2",
		"-var-create s * structure", "-var-list-children --all-values s", "-var-list-children --all-values s.entries",
		"-var-list-children --all-values s.entries.[0]", "-var-create b * buffer", "-var-list-children --all-values b",
		"-var-create g * big", "-var-list-children --all-values g 998 1000",
		"-var-update --all-values *", "-gdb-exit", "",
	}, "\n")
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	out := output(t, s.env, "sh", "-c", fmt.Sprintf("gdb -nx -q -i=mi '%s' <'%s'", s.program, file))
	if !regexp.MustCompile(`name="s",numchild="0",value="\{(\.\.\.|kind = STRUCT, .*)\}"`).MatchString(out) {
		t.Errorf("no value of s in %s", out) // gdb 16 shows the members
	}
	for _, want := range []string{
		`exp="kind",numchild="0",value="STRUCT"`,
		`name="s.entries.[1]",exp="[1]"`, `exp="offset",numchild="0",value="-4"`,
		`exp="type",numchild="0",value="\"MPI_LB\""`, `name="b.[2]",exp="[2]",numchild="0",value="3"`,
		`exp="[999]",numchild="0",value="entry 999"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in %s", want, out)
		}
	}
}
