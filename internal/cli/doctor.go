package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
)

func doctorCommand() *cobra.Command {
	var mpi string
	var q hostsQuestion
	cmd := &cobra.Command{
		Use:   "doctor [flags] [program [args]]",
		Short: "Show what mpivet finds on this machine, and what is missing",
		Long: `Doctor shows the MPI of a program, or all MPIs of this machine, with their compiler
wrappers and launchers, and whether the preload library for each is built. It also
checks whether this machine has everything that mpivet needs. The exit status is 1
if something is missing. The line about it says what to do.

With --hosts or --launcher it examines the nodes of a cluster instead: it starts mpivet
on them as mpivet run does. It shows whether they reach this machine, and whether they
have the same mpivet and MPI.`,
		Example: "  mpivet doctor ./a.out\n  mpivet doctor --hosts n1,n2\n  mpivet doctor --launcher \"srun -N 4\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			d := &doctor{out: cmd.OutOrStdout()}
			switch {
			case q.hosts == "" && q.launcher == "":
				if q.head != "" {
					return usagef("--head is for --hosts and --launcher")
				}
				d.examine(args, mpi)
			case len(args) > 0:
				return usagef("--hosts and --launcher examine hosts, not programs (%s)", args[0])
			default:
				q.mpi = mpi
				if err := d.hosts(&q); err != nil {
					return err
				}
			}
			if d.missing > 0 {
				return statusError(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVar(&mpi, "mpi", "",
		"use this `MPI`: mpich, openmpi, abi, or the path of libmpi.so or mpicc")
	cmd.Flags().StringVar(&q.hosts, "hosts", "", "examine these `HOSTS`, separated by commas")
	cmd.Flags().StringVar(&q.launcher, "launcher", "",
		"`command` that starts a process on each host, instead of the launcher of the MPI")
	cmd.Flags().StringVar(&q.head, "head", "", "`HOST:PORT` at which the hosts reach this machine")
	return cmd
}

// doctor prints one line for each thing that it checks.
type doctor struct {
	out     io.Writer
	missing int
}

func (d *doctor) line(mark, what, format string, args ...any) {
	fmt.Fprintf(d.out, "%-8s %-15s %s\n", mark, what, fmt.Sprintf(format, args...))
}

func (d *doctor) ok(what, format string, args ...any) { d.line("ok", what, format, args...) }

// note is for problems that do not prevent mpivet from working.
func (d *doctor) note(what, format string, args ...any) { d.line("note", what, format, args...) }

func (d *doctor) fail(what string, err error) {
	d.missing++
	d.line("MISSING", what, "%s", oneLine(err))
}

func (d *doctor) examine(argv []string, named string) {
	d.ok("mpivet", "%s", versionText())
	d.system()
	b, err := builder()
	if err != nil {
		d.fail("cache", err)
	} else {
		d.cache(b)
	}
	switch {
	case len(argv) > 0:
		prog, err := launch.Detect(argv, named)
		if err != nil {
			d.fail("MPI", err)
			return
		}
		d.ok("program", "%s", prog.Path)
		if prog.Linked != "" {
			d.linked(prog)
			return
		}
		d.mpi(prog.MPI, b)
	case named != "":
		m, err := launch.NamedMPI(named)
		if err != nil {
			d.fail("MPI", err)
			return
		}
		d.mpi(m, b)
	default:
		all := launch.InstalledMPIs()
		if len(all) == 0 {
			d.fail("MPI", fmt.Errorf("none found on this machine: put its mpicc into PATH, or name it with --mpi"))
		}
		for _, m := range all {
			d.mpi(m, b)
		}
	}
}

// linked examines a program that contains mpivet's library.
func (d *doctor) linked(prog *launch.Program) {
	d.ok("MPI", "%s (%s)", prog.MPI, prog.MPI.Why)
	if launcher, err := prog.MPI.Launcher(); err != nil {
		d.fail("launcher", err)
	} else {
		d.ok("launcher", "%s", launcher)
	}
	if _, err := preloading(prog); err != nil {
		d.fail("mpivet's library", err)
	} else {
		d.ok("mpivet's library", "part of the program")
	}
}

// mpi examines an MPI and the tools that belong to it.
func (d *doctor) mpi(m *launch.MPI, b *launch.Builder) {
	d.ok("MPI", "%s in %s (%s)", m, m.Library, m.Why)
	d.functions(m)
	if !m.TellsErrors() {
		d.note("fatal errors", "this %s does not let mpivet see an error that ends the program: such findings only "+
			"tell in which call it ended; MPI_ERRORS_RETURN shows more", m.Flavour)
	}
	launcher, err := m.Launcher()
	if err != nil {
		d.fail("launcher", err)
	} else {
		d.ok("launcher", "%s", launcher)
	}
	cc, _, ccErr := m.Compiler()
	if ccErr == nil {
		d.ok("compiler", "%s", cc)
	}
	if b == nil {
		return
	}
	if lib := os.Getenv(launch.LibraryVariable); lib != "" {
		if _, err := b.Library(m); err != nil {
			d.fail("preload library", err)
		} else {
			d.ok("preload library", "%s (%s)", lib, launch.LibraryVariable)
		}
		return
	}
	path, there, err := b.Cached(m)
	switch {
	case err != nil:
		d.fail("preload library", err)
	case there:
		d.ok("preload library", "%s", path)
		if ccErr != nil {
			d.note("compiler", "%s; not needed now, as the preload library is built", oneLine(ccErr))
		}
	default:
		// Compile it now, to see whether that works.
		path, err = b.Library(m)
		switch {
		case err != nil && ccErr != nil:
			d.fail("compiler", err)
		case err != nil:
			d.fail("preload library", err)
		case launch.IsReadyMade(path):
			d.ok("preload library", "%s (ready-made)", path)
			if ccErr != nil {
				d.note("compiler", "%s; not needed, as there is a ready-made library", oneLine(ccErr))
			}
		default:
			d.ok("preload library", "%s (built just now)", path)
		}
	}
}

// functions says which functions of an MPI mpivet does not know. Programs can call them, but nothing is checked there.
func (d *doctor) functions(m *launch.MPI) {
	const most = 5
	list := mpiapi.Unwatched(m.Exported())
	if len(list) == 0 {
		return
	}
	text := strings.Join(list[:min(len(list), most)], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	d.note("functions", "calls of these are not watched, as mpivet does not know them: %s", text)
}

// minimalShm is the size of shared memory in bytes below which ranks may have to wait for the analyzer.
const minimalShm = 256 << 20

// system checks the kernel and the machine.
func (d *doctor) system() {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		text := unix.ByteSliceToString
		d.ok("system", "%s %s %s", text(u.Sysname[:]), text(u.Release[:]), text(u.Machine[:]))
	}
	var st unix.Statfs_t
	switch err := unix.Statfs("/dev/shm", &st); {
	case err != nil:
		d.note("shared memory", "no /dev/shm (%v): records go through files in %s, which is slower", err, os.TempDir())
	case unix.Access("/dev/shm", unix.W_OK|unix.X_OK) != nil:
		d.note("shared memory", "/dev/shm can't be written to: records go through files in %s, which is slower",
			os.TempDir())
	default:
		free, size := st.Bavail*uint64(st.Bsize), st.Blocks*uint64(st.Bsize)
		if free < minimalShm {
			d.note("shared memory", "/dev/shm has %d of %d MiB free: ranks get small rings (docker: --shm-size=1g)",
				free>>20, size>>20)
		} else {
			d.ok("shared memory", "/dev/shm, %d of %d MiB free", free>>20, size>>20)
		}
	}
	if fd, err := unix.PidfdOpen(os.Getpid(), 0); err != nil {
		d.note("pidfd", "%v: the ends of processes are noticed by looking for them", err)
	} else {
		_ = unix.Close(fd)
		d.ok("pidfd", "available")
	}
	switch scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); {
	case err != nil || strings.TrimSpace(string(scope)) == "0":
		d.ok("ptrace", "unrestricted")
	default:
		d.note("ptrace", "restricted to child processes (kernel.yama.ptrace_scope=%s)",
			strings.TrimSpace(string(scope)))
	}
	d.restrictions()
	if gdb, err := exec.LookPath("gdb"); err == nil {
		d.ok("gdb", "%s", gdb)
	}
}

// restrictions tells what may forbid system calls or files to processes. mpivet needs none that programs do not need,
// except for debuggers.
func (d *doctor) restrictions() {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err == nil && mode != 0 {
		d.note("seccomp", "system calls are filtered, as in containers: debuggers may need --cap-add SYS_PTRACE")
	}
	if on, err := os.ReadFile("/sys/fs/selinux/enforce"); err == nil && strings.TrimSpace(string(on)) == "1" {
		d.note("SELinux", "enforcing: if a program cannot load mpivet's library, set MPIVET_CACHE to a directory "+
			"from which it may load libraries")
	}
	label, err := os.ReadFile("/proc/self/attr/apparmor/current")
	if name := strings.TrimRight(string(label), "\n\x00"); err == nil && name != "" && name != "unconfined" {
		d.note("AppArmor", "the profile %s applies: it must allow /dev/shm and the cache of mpivet", name)
	}
}

func (d *doctor) cache(b *launch.Builder) {
	f, err := os.CreateTemp(b.Dir, ".doctor-*")
	if err != nil {
		// A cache that another user has filled is good enough.
		d.note("cache", "%s can't be written to: only libraries that are in it can be used", b.Dir)
		return
	}
	f.Close()
	_ = os.Remove(f.Name())
	d.ok("cache", "%s", b.Dir)
}
