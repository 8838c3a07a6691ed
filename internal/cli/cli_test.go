package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mpivet": func() { os.Exit(Run(os.Args[1:])) }, "restrict": restrict})
}

// TestScript runs the command lines in testdata/script. The conditions [mpich], [openmpi] and [mpi4py] are true if
// these are installed. The commands are: "mpicc IMPLEMENTATION SOURCE PROGRAM" compiles, "mpiexec IMPLEMENTATION ARGS…"
// launches, "noleft" fails if a process or a session is left behind, and "mksession NAME" makes a session whose control
// file is all zero.
func TestScript(t *testing.T) {
	mpirun.NeedLive(t)
	cache := os.Getenv("MPIVET_CACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// All scripts share one cache, because a build takes seconds.
			e.Setenv("MPIVET_CACHE", cache)
			e.Setenv("NO_COLOR", "1")
			e.Vars = append(e.Vars, mpirun.FastSettings()...)
			// To link a program with Debian's static library of MPICH.
			e.Setenv("CC", "gcc")
			e.Setenv("MPICH", "-I/usr/include/x86_64-linux-gnu/mpich")
			e.Setenv("STATIC", strings.Join(append([]string{staticMPICH}, staticNeeds...), " "))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if name, ok := strings.CutPrefix(cond, "mpmd:"); ok {
				return mpirun.MPI{Mpirun: "mpiexec." + name}.TwoPrograms(), nil
			}
			switch cond {
			case "mpich", "openmpi":
				_, err := exec.LookPath("mpicc." + cond)
				return err == nil, nil
			case "static":
				return canLinkStatically(), nil
			case "root":
				return os.Getuid() == 0, nil
			case "namespaces": // the user may make them
				unshare := exec.Command("unshare", "-r", "-m", "-p", "-f", "--mount-proc", "-u", "-i", "-n", "true")
				return unshare.Run() == nil, nil
			case "suid": // programs get the rights of their owners
				var fs unix.Statfs_t
				return unix.Statfs(os.TempDir(), &fs) == nil && fs.Flags&unix.ST_NOSUID == 0, nil
			case "mpi4py":
				return exec.Command("/usr/bin/python3", "-c",
					"import importlib.util as u, sys; sys.exit(u.find_spec('mpi4py') is None)").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mpicc":   scriptCompile,
			"mpiexec": scriptLaunch,
			"noleft":  scriptNothingLeft,
			"mksession": func(ts *testscript.TestScript, _ bool, args []string) {
				dir := filepath.Join(ts.Getenv("TMPDIR"), fmt.Sprintf("mpivet-%d-%s", os.Getuid(), args[0]))
				ts.Check(os.Mkdir(dir, 0o700))
				ts.Check(os.WriteFile(filepath.Join(dir, "control"), make([]byte, 400), 0o600))
			},
		},
	})
}

// staticMPICH is Debian's static library of MPICH, which needs shared libraries.
const staticMPICH = "/usr/lib/x86_64-linux-gnu/libmpich.a"

var staticNeeds = []string{"-lhwloc", "-lucp", "-lucs", "-lm", "-lpthread"}

// canLinkStatically reports whether a program can be linked with the static library of MPICH.
func canLinkStatically() bool {
	if _, err := os.Stat(staticMPICH); err != nil {
		return false
	}
	cmd := exec.Command("gcc", append([]string{"-x", "c", "-", "-o", os.DevNull, "-shared"}, staticNeeds...)...)
	cmd.Stdin = strings.NewReader("int x;")
	return cmd.Run() == nil
}

func scriptCompile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: mpicc mpich|openmpi source program [flags]")
	}
	cc := append([]string{"-g", "-O0", args[1], "-o", args[2]}, args[3:]...)
	ts.Check(ts.Exec("mpicc."+args[0], cc...))
}

func scriptLaunch(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: mpiexec mpich|openmpi args")
	}
	words := args[1:]
	if args[0] == "openmpi" {
		words = append([]string{"--oversubscribe"}, words...)
		if os.Getuid() == 0 {
			words = append([]string{"--allow-run-as-root"}, words...)
		}
	}
	err := ts.Exec("mpiexec."+args[0], words...)
	if err != nil && !neg {
		ts.Fatalf("mpiexec: %v", err)
	}
	if err == nil && neg {
		ts.Fatalf("mpiexec succeeded, though it should not")
	}
}

// scriptNothingLeft fails if a program built by the script still runs, or a session is left in the file system. It
// waits a moment, because processes of mpivet exec may outlive the launcher.
func scriptNothingLeft(ts *testscript.TestScript, _ bool, _ []string) {
	var left string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = leftBehind(ts.Getenv("WORK"), ts.Getenv("TMPDIR")); left == "" {
			return
		}
	}
	ts.Fatalf("left behind: %s", left)
}

// A session has a directory in the script's TMPDIR, and one in shared memory.
func leftBehind(work, temp string) string {
	procs, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, p := range procs {
		if exe, err := os.Readlink(p); err == nil && strings.HasPrefix(exe, work+"/") {
			return exe + " still runs as " + filepath.Base(filepath.Dir(p))
		}
	}
	sessions, _ := filepath.Glob(filepath.Join(temp, "mpivet-*"))
	for _, s := range sessions {
		return s
	}
	return ""
}
