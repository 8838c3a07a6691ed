package preload

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// ends is a program that ends in the way given by its argument.
const ends = `
#define _GNU_SOURCE
#include <mpi.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void init(void) { MPI_Init(NULL, NULL); }

__attribute__((noinline)) static void crash(volatile int *p) { *p = 1; }
static int overflow(volatile char *p)
{
    volatile char b[4096];
    b[0] = p ? *p : 0;
    return overflow(b) + b[0];
}
static void op(void *in, void *inout, int *n, MPI_Datatype *t) { crash((int *)16); }

static sigjmp_buf back;
static void jump(int sig) { siglongjmp(back, sig); }
static volatile int seen;
static void note(int sig) { seen = sig; }
static void comm_error(MPI_Comm *c, int *code, ...) { seen = *code; }

static int do_handlers(void)
{
    struct sigaction a, old;
    int r = 0;
    /* before MPI_Init: the default is shown */
    for (int s = 1; s < 32; s++)
        if (sigaction(s, NULL, &old) == 0 && old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
            printf("signal %d has a handler\n", s);
    printf("%d\n", signal(SIGHUP, SIG_IGN) == SIG_DFL);
    printf("%d\n", signal(SIGHUP, SIG_DFL) == SIG_IGN);
    signal(SIGSEGV, jump);
    signal(SIGTERM, note);
    init();
    if (!sigsetjmp(back, 1))
        crash(NULL);
    else
        puts("own SIGSEGV handler");
    raise(SIGTERM);
    printf("own SIGTERM handler %d\n", seen);
    memset(&a, 0, sizeof a);
    a.sa_handler = note;
    sigaction(SIGUSR1, &a, &old);
    printf("%d\n", old.sa_handler == SIG_DFL);
    kill(getpid(), SIGUSR1);
    printf("own SIGUSR1 handler %d\n", seen == SIGUSR1);
    sigaction(SIGUSR1, &old, &a);
    printf("%d\n", a.sa_handler == note);
    printf("%d\n", signal(SIGSEGV, SIG_DFL) == jump);
    MPI_Finalize();
    return r;
}

static int do_errors(void)
{
    MPI_Errhandler h, own;
    MPI_Comm dup;
    int b = 0, rc;
    init();
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h);
    printf("%d\n", h == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&h);
    MPI_Comm_get_errhandler(dup, &h);
    printf("%d\n", h == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    rc = MPI_Send(&b, -1, MPI_INT, 0, 0, dup);
    MPI_Error_class(rc, &rc);
    printf("%d\n", rc == MPI_ERR_COUNT);
    rc = MPI_Comm_rank(MPI_COMM_WORLD, &b);
    MPI_Comm_create_errhandler(comm_error, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Send(&b, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Error_class(seen, &rc);
    printf("%d\n", rc == MPI_ERR_RANK);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h);
    printf("%d\n", h == own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &h);
    printf("%d\n", h == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&dup);
    MPI_Finalize();
    return 0;
}

static int do_children(char *self)
{
    int st;
    init();
    fflush(stdout);
    pid_t p = fork();
    if (!p) {
        MPI_Barrier(MPI_COMM_SELF);
        exit(7);
    }
    waitpid(p, &st, 0);
    printf("fork %d\n", WEXITSTATUS(st));
    p = fork();
    if (!p)
        abort();
    waitpid(p, &st, 0);
    printf("fork abort %d\n", WTERMSIG(st));
    p = vfork();
    if (!p)
        _exit(8);
    waitpid(p, &st, 0);
    printf("vfork %d\n", WEXITSTATUS(st));
    st = system("exit 9");
    printf("system %d\n", WEXITSTATUS(st));
    FILE *f = popen("echo popen", "r");
    char line[80] = "";
    fgets(line, sizeof line, f);
    printf("%s", line);
    pclose(f);
    p = fork();
    if (!p) {
        execl(self, self, "none", NULL);
        _exit(127);
    }
    waitpid(p, &st, 0);
    printf("exec %d\n", WEXITSTATUS(st));
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "none";
    int b = 0, c = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
#define HOW(x) if (!strcmp(how, x))
    HOW("none") return 3;
    HOW("exec") { execl(argv[0], argv[0], "normal", NULL); return 9; }
    HOW("early segv") crash((int *)64);
    HOW("handlers") return do_handlers();
    HOW("errors") return do_errors();
    HOW("children") return do_children(argv[0]);
    init();
    HOW("exit") exit(4);
    HOW("return") return 5;
    HOW("_exit") _exit(6);
    HOW("_Exit") _Exit(6);
    HOW("quick_exit") quick_exit(7);
    HOW("abort") abort();
    HOW("segv") crash((int *)64);
    HOW("overflow") return overflow(NULL);
    HOW("jump") ((void (*)(void))0)();
    HOW("fpe") { volatile int z = 0; return 7 / z; }
    HOW("trap") __builtin_trap();
    HOW("kill") kill(getpid(), SIGKILL);
    HOW("term") kill(getpid(), SIGTERM);
    HOW("mpi segv") {
        MPI_Op o;
        MPI_Op_create(op, 1, &o);
        MPI_Reduce_local(&b, &c, 1, MPI_INT, o);
    }
    HOW("mpi kill") {
        alarm(300); /* in case no process is left to kill it */
        puts("waiting");
        MPI_Recv(&b, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    HOW("mpi abort") MPI_Abort(MPI_COMM_WORLD, 12);
    HOW("fatal") MPI_Send(&b, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    HOW("fatal dup") {
        MPI_Comm dup;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Send(&b, 1, MPI_INT, 99, 0, dup);
    }
    HOW("fatal query") MPI_Comm_size(MPI_COMM_NULL, &b);
    HOW("fatal no comm") {
        MPI_Datatype d = MPI_DATATYPE_NULL;
        MPI_Type_commit(&d);
    }
    MPI_Finalize();
    HOW("late") crash((int *)64);
    return 0;
}
`

// TestEnds: a program ends in the same way as without the library, and the process's page says how it ended.
func TestEnds(t *testing.T) {
	const sig = layout.StateSignaled
	tests := []struct {
		how               string
		state, code, kind int
		initialized       bool
		finalized         bool
		inMPI             bool
		stack             []string // functions that must be on it, innermost first
		fault             uint64
	}{
		{how: "none", state: layout.StateExited, code: 3},
		{how: "normal", state: layout.StateExited, initialized: true, finalized: true},
		{how: "early segv", state: sig, code: 11, stack: []string{"crash", "main"}, fault: 64},
		{how: "exit", state: layout.StateExited, code: 4, initialized: true, stack: []string{"main"}},
		{how: "return", state: layout.StateExited, code: 5, initialized: true},
		{how: "_exit", state: layout.StateExited, code: 6, kind: 1, initialized: true, stack: []string{"main"}},
		{how: "_Exit", state: layout.StateExited, code: 6, kind: 1, initialized: true, stack: []string{"main"}},
		{how: "quick_exit", state: layout.StateExited, code: 7, kind: 1, initialized: true, stack: []string{"main"}},
		{how: "abort", state: sig, code: 6, initialized: true, stack: []string{"main"}},
		{how: "segv", state: sig, code: 11, initialized: true, stack: []string{"crash", "main"}, fault: 64},
		{how: "overflow", state: sig, code: 11, initialized: true, stack: []string{"overflow", "overflow"}},
		{how: "jump", state: sig, code: 11, initialized: true, stack: []string{"main"}},
		{how: "fpe", state: sig, code: 8, initialized: true, stack: []string{"main"}},
		{how: "trap", state: sig, code: 4, initialized: true, stack: []string{"main"}},
		{how: "term", state: sig, code: 15, initialized: true, stack: []string{"main"}},
		{how: "kill", state: layout.StateStarted, initialized: true},
		{
			how: "mpi segv", state: sig, code: 11, initialized: true, inMPI: true,
			stack: []string{"crash", "op", "main"}, fault: 16,
		},
		{
			how: "late", state: sig, code: 11, initialized: true, finalized: true,
			stack: []string{"crash", "main"}, fault: 64,
		},
	}
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		functions, err := functionsOf(prog)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			t.Run(test.how, func(t *testing.T) {
				plain := m.run(t, nil, prog, test.how)
				s := newSession(t, options{})
				res := m.run(t, s, prog, test.how)
				if res.state != plain.state || res.stdout != plain.stdout {
					t.Errorf("ends with %v %q, plain: %v %q", res, res.stdout, plain, plain.stdout)
				}
				if (res.stderr == "") != (plain.stderr == "") {
					t.Errorf("stderr %q, plain: %q", res.stderr, plain.stderr)
				}
				p := s.the(prog)
				if p.state() != test.state || p.code() != test.code || p.exitKind() != test.kind ||
					p.initialized() != test.initialized ||
					p.finalized() != test.finalized || p.inMPI() != test.inMPI || p.aborted() {
					t.Errorf("%v, want %+v", p, test)
				}
				if test.fault != 0 && p.fault() != test.fault {
					t.Errorf("fault at %#x, want %#x", p.fault(), test.fault)
				}
				if test.how == "term" && p.sender() != p.pid() {
					t.Errorf("sent by %d, want %d", p.sender(), p.pid())
				}
				var stack []string
				for _, pc := range p.pcs() {
					if p.mapOf(pc) == prog {
						stack = append(stack, functions(pc))
					}
				}
				if len(stack) < len(test.stack) || !slices.Equal(stack[:len(test.stack)], test.stack) {
					t.Errorf("stack %v of %#x, want %v", stack, p.pcs(), test.stack)
				}
				if !test.initialized {
					return
				}
				r := one(t, s, p)
				if open := len(r.calls()) - int(r.done()); open != 0 && !test.inMPI || open != 1 && test.inMPI {
					t.Errorf("%d calls are open", open)
				}
			})
		}
	})
}

// functionsOf returns a function that finds a function by an address, in a program that is not position independent.
func functionsOf(prog string) (func(pc uint64) string, error) {
	out, err := exec.Command("nm", "-n", "--defined-only", prog).Output()
	if err != nil {
		return nil, err
	}
	type sym struct {
		at   uint64
		name string
	}
	var syms []sym
	for line := range strings.Lines(string(out)) {
		var s sym
		var kind string
		if n, _ := fmt.Sscanf(line, "%x %s %s", &s.at, &kind, &s.name); n == 3 && strings.EqualFold(kind, "t") {
			syms = append(syms, s)
		}
	}
	return func(pc uint64) string {
		name := ""
		for _, s := range syms {
			if s.at <= pc {
				name = s.name
			}
		}
		return name
	}, nil
}

// TestHandlers: signal handlers and error handlers of the program work, and look the same as without the library.
func TestHandlers(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		for _, how := range []string{"handlers", "errors"} {
			plain := m.run(t, nil, prog, how)
			s := newSession(t, options{})
			res := m.run(t, s, prog, how)
			if res.state != plain.state || res.stdout != plain.stdout || res.stderr != plain.stderr {
				t.Errorf("%s: %v\n%s%s\nplain: %v\n%s%s", how, res, res.stdout, res.stderr, plain,
					plain.stdout, plain.stderr)
			}
			if plain.state != 0 {
				t.Errorf("%s: %v %s", how, plain, plain.stderr)
			}
			p := s.the(prog)
			if p.state() != layout.StateExited || p.code() != 0 {
				t.Errorf("%s: %v", how, p)
			}
			if how != "errors" {
				continue
			}
			r := one(t, s, p)
			names, _ := r.names()
			errs := r.errors()
			if len(errs) != 2 || errs[0].class != int(names["MPI_ERR_COUNT"]) ||
				errs[1].class != int(names["MPI_ERR_RANK"]) || errs[0].text == "" {
				t.Errorf("errors %+v", errs)
			}
			if set := r.named("MPI_Comm_set_errhandler"); len(set) != 3 ||
				set[0].value("errhandler") != names["MPI_ERRORS_RETURN"] ||
				set[2].value("errhandler") != names["MPI_ERRORS_ARE_FATAL"] {
				t.Errorf("error handlers set: %v", set)
			}
			if get := r.named("MPI_Comm_get_errhandler"); get[0].after("errhandler") != names["MPI_ERRORS_ARE_FATAL"] {
				t.Errorf("error handler %x", get[0].after("errhandler"))
			}
		}
	})
}

// TestFatalErrors: if MPI ends the program because of an error, the error is recorded before that, and MPI prints the
// same.
func TestFatalErrors(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		for how, want := range map[string]struct{ call, class string }{
			"fatal":         {"MPI_Send", "MPI_ERR_RANK"},
			"fatal dup":     {"MPI_Send", "MPI_ERR_RANK"},
			"fatal query":   {"MPI_Comm_size", "MPI_ERR_COMM"},
			"fatal no comm": {"MPI_Type_commit", "MPI_ERR_TYPE"},
		} {
			plain := m.run(t, nil, prog, how)
			s := newSession(t, options{})
			res := m.run(t, s, prog, how)
			if res.state != plain.state || res.stdout != plain.stdout {
				t.Errorf("%s: %v, plain: %v", how, res, plain)
			}
			if !alike(m, res.stderr, plain.stderr) {
				t.Errorf("%s: stderr\n%s\nplain\n%s", how, res.stderr, plain.stderr)
			}
			p := s.the(prog)
			if p.state() != layout.StateExited || !p.inMPI() || p.finalized() || p.aborted() {
				t.Errorf("%s: %v", how, p)
			}
			r := one(t, s, p)
			names, _ := r.names()
			errs := r.errors()
			if len(errs) != 1 || !errs[0].fatal || errs[0].class != int(names[want.class]) || errs[0].text == "" {
				t.Errorf("%s: errors %+v, want %s", how, errs, want.class)
			}
			calls := r.calls()
			if last := calls[len(calls)-1]; last.name() != want.call || len(calls) != int(r.done())+1 {
				t.Errorf("%s: last call %s, %d of %d done", how, last.name(), r.done(), len(calls))
			}
		}

		plain := m.run(t, nil, prog, "mpi abort")
		s := newSession(t, options{})
		res := m.run(t, s, prog, "mpi abort")
		if res.state != plain.state {
			t.Errorf("MPI_Abort: %v, plain: %v", res, plain)
		}
		if p := s.the(prog); !p.aborted() || p.state() == layout.StateStarted {
			t.Errorf("MPI_Abort: %v", p)
		}
	})
}

var (
	variable = regexp.MustCompile(`0x[0-9a-f]+|:\d+\]|\[\d+,\d+\]|Abort\(\d+\)`)
	function = regexp.MustCompile(`Fatal error in (internal_|PMPI_|MPI_)`)
)

// alike reports whether MPI prints the same about an error, except for parts that differ from run to run.
func alike(m *mpi, a, b string) bool {
	key := func(s string) string {
		return function.ReplaceAllString(variable.ReplaceAllString(s, ""), "")
	}
	// The helper process of an Open MPI program without a launcher may fail before it prints the text.
	const broken = "ORTE_ERROR_LOG"
	return key(a) == key(b) || m.name == "openmpi" && (strings.Contains(a, broken) || strings.Contains(b, broken))
}

// TestChildren: children made by fork record nothing. After exec, they do.
func TestChildren(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		plain := m.run(t, nil, prog, "children")
		s := newSession(t, options{})
		res := m.run(t, s, prog, "children")
		if res.state != plain.state || res.stdout != plain.stdout {
			t.Errorf("%v %q, plain: %v %q", res, res.stdout+res.stderr, plain, plain.stdout)
		}
		ps := s.processes(prog)
		if len(ps) != 2 {
			t.Fatalf("processes %v, want the program and the one it executes", ps)
		}
		if p := ps[0]; p.state() != layout.StateExited || p.code() != 0 || !p.finalized() {
			t.Errorf("parent: %v", p)
		}
		if p := ps[1]; p.state() != layout.StateExited || p.code() != 3 ||
			int(p.u32(layout.ProcessPPIDAt)) != ps[0].pid() {
			t.Errorf("child: %v", p)
		}
		r := one(t, s, ps[0])
		if n := len(r.named("MPI_Barrier")); n != 1 {
			t.Errorf("%d barriers, want the parent's alone", n)
		}

		s = newSession(t, options{})
		if res := m.run(t, s, prog, "exec"); res.state != 0 {
			t.Fatal(res, res.stderr)
		}
		ps = s.processes(prog)
		if len(ps) != 2 || ps[0].pid() != ps[1].pid() || ps[0].state() != layout.StateStarted ||
			ps[1].state() != layout.StateExited ||
			ps[0].name != fmt.Sprintf("p%d.0", ps[0].pid()) || ps[1].name != fmt.Sprintf("p%d.1", ps[0].pid()) {
			t.Errorf("after exec: %v", ps)
		}
	})
}

// TestKill: the calls of a rank before it was killed are in its ring, and so is the call in which it waits.
func TestKill(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		s := newSession(t, options{})
		cmd := exec.Command(prog, "mpi kill")
		cmd.Env = m.env(s)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var b [7]byte
		if _, err := out.Read(b[:]); err != nil {
			t.Fatal(err)
		}
		// It enters MPI_Recv now, and never leaves it.
		for {
			if r := one(t, s, s.the(prog)); len(r.named("MPI_Recv")) == 1 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		p := s.the(prog)
		r := one(t, s, p)
		if c := r.call(t, "MPI_Recv"); p.state() != layout.StateStarted || len(r.calls()) != int(r.done())+1 ||
			c.value("tag") != 1 || len(r.stack(c.site)) == 0 {
			t.Errorf("%v, %d calls, %d done", p, len(r.calls()), r.done())
		}
	})
}

const many = `
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int b = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++)
        MPI_Send(&b, 1, MPI_INT, MPI_PROC_NULL, i % 1000, MPI_COMM_WORLD);
    MPI_Finalize();
    puts("end");
    return 0;
}
`

// TestFullRing: a rank waits for the analyzer, but not after the analyzer has stopped the recording. Once the analyzer
// is dead, a rank writes over its oldest records, so that its last calls can be seen.
func TestFullRing(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "many", many)
		check := func(t *testing.T, s *session) {
			t.Helper()
			if res := m.run(t, s, prog); res.state != 0 || res.stdout != "end\n" || res.stderr != "" {
				t.Errorf("%v %q %q", res, res.stdout, res.stderr)
			}
			if p := s.the(prog); p.state() != layout.StateExited || !p.finalized() {
				t.Errorf("%v", p)
			}
		}
		header := func(s *session) ring {
			b, err := os.ReadFile(filepath.Join(s.dir, "t"+s.the(prog).name[1:]+".0"))
			if err != nil {
				t.Fatal(err)
			}
			return ring{header: b[:4096]}
		}
		t.Run("drained", func(t *testing.T) {
			s := newSession(t, options{ring: 64 << 10})
			stop := s.drain()
			check(t, s)
			stop()
			if r := header(s); r.done() != 100002 || r.stalls() == 0 {
				t.Errorf("%d calls, %d waits", r.done(), r.stalls())
			}
		})
		t.Run("dead", func(t *testing.T) {
			s := newSession(t, options{ring: 64 << 10})
			s.die()
			check(t, s)
			if r := header(s); r.done() != 100002 || r.stalls() != 1 {
				t.Errorf("%d calls, %d waits", r.done(), r.stalls())
			}
		})
		t.Run("dies", func(t *testing.T) {
			s := newSession(t, options{ring: 64 << 10})
			defer time.AfterFunc(500*time.Millisecond, s.die).Stop()
			check(t, s)
		})
		t.Run("stopped", func(t *testing.T) {
			s := newSession(t, options{ring: 64 << 10})
			defer time.AfterFunc(500*time.Millisecond, func() {
				if _, err := s.control.WriteAt([]byte{1}, 36); err != nil {
					t.Error(err)
				}
			}).Stop()
			check(t, s)
		})
		t.Run("removed", func(t *testing.T) {
			s := newSession(t, options{ring: 64 << 10})
			defer time.AfterFunc(500*time.Millisecond, func() { os.Remove(filepath.Join(s.dir, "control")) }).Stop()
			check(t, s)
		})
	})
}

// TestNoRoom: if there is no room for a ring of the wanted size, a smaller one is made, or one in the other directory,
// or none. The program runs in any case.
func TestNoRoom(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		// The shell's limit on file sizes is in units of 1024 bytes.
		limited := func(kib int, args ...string) []string {
			return append([]string{"/bin/bash", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, kib), "sh"}, args...)
		}
		s := newSession(t, options{})
		if res := m.run(t, s, limited(400, prog, "normal")...); res.state != 0 {
			t.Skipf("%s doesn't run with small files only: %v %s", m.name, res, res.stderr)
		}
		ps := s.processes(prog)
		if r := one(t, s, ps[0]); r.size() != 256<<10 || s.shrunk() != 1 || s.unrecorded() != 0 || r.done() != 2 {
			t.Errorf("ring of %d bytes, %d shrunk, %d unrecorded", r.size(), s.shrunk(), s.unrecorded())
		}

		if os.Getuid() != 0 {
			return
		}
		small := t.TempDir()
		if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=40k,mode=700"); err != nil {
			t.Logf("no small file system: %v", err)
			return
		}
		defer syscall.Unmount(small, syscall.MNT_DETACH)
		s = newSession(t, options{dir: small})
		if res := m.run(t, s, prog, "normal"); res.state != 0 {
			t.Errorf("nowhere: %v %s", res, res.stderr)
		}
		if s.unrecorded() != 1 {
			t.Errorf("%d unrecorded, want 1", s.unrecorded())
		}
		if p := s.the(prog); !p.initialized() || !p.finalized() || p.state() != layout.StateExited {
			t.Errorf("unrecorded: %v", p)
		}
		os.RemoveAll(filepath.Join(small, "control"))
		other := newSession(t, options{})
		s = newSession(t, options{dir: small, fallback: other.dir})
		if res := m.run(t, s, prog, "normal"); res.state != 0 {
			t.Errorf("elsewhere: %v %s", res, res.stderr)
		}
		if files, _ := filepath.Glob(filepath.Join(other.dir, "t*")); len(files) != 1 || s.unrecorded() != 0 {
			t.Errorf("rings elsewhere: %v, %d unrecorded", files, s.unrecorded())
		}
	})
}

// TestBadSession: a session that cannot be trusted, or a directory that is not a session, is ignored.
func TestBadSession(t *testing.T) {
	each(t, func(t *testing.T, m *mpi) {
		prog := m.program(t, "ends", ends, "-no-pie")
		for what, spoil := range map[string]func(s *session) error{
			"other table":   func(s *session) error { _, err := s.control.WriteAt([]byte{1, 2, 3}, 16); return err },
			"other version": func(s *session) error { _, err := s.control.WriteAt([]byte{9}, 8); return err },
			"cut off":       func(s *session) error { return s.control.Truncate(100) },
			"no control":    func(s *session) error { return os.Remove(filepath.Join(s.dir, "control")) },
			"writable":      func(s *session) error { return os.Chmod(s.dir, 0o777) },
			"not there":     func(s *session) error { return os.RemoveAll(s.dir) },
			"a link": func(s *session) error {
				c := filepath.Join(s.dir, "control")
				if err := os.Rename(c, c+"2"); err != nil {
					return err
				}
				return os.Symlink(c+"2", c)
			},
		} {
			s := newSession(t, options{})
			if err := spoil(s); err != nil {
				t.Fatal(err)
			}
			if res := m.run(t, s, prog, "none"); res.state.ExitStatus() != 3 || res.stderr != "" {
				t.Errorf("%s: %v %q", what, res, res.stderr)
			}
			if files, _ := filepath.Glob(filepath.Join(s.dir, "[pt]*")); len(files) != 0 {
				t.Errorf("%s: %v", what, files)
			}
		}
	})
}
