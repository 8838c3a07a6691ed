package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// leftoverGrace is how long processes of the program may outlive their launcher before the analysis ends without
// them.
const leftoverGrace = 3 * time.Second

func runCommand() *cobra.Command {
	var o options
	var np int
	var launcher string
	cmd := &cobra.Command{
		Use:   "run [flags] [--] program [args]",
		Short: "Run a program under its MPI's launcher and report what it does wrong",
		Long: `Run starts a program under the launcher of the MPI that it uses, prints findings
to standard error as they occur, and a summary at the end. The program's standard
input and output, arguments and exit status are its own. It may be a script or
wrapper that starts the MPI program.

Flags for mpivet end at the program's name. Without -n the launcher chooses the
number of processes. --launcher replaces the launcher by a command of yours, such
as --launcher "mpiexec -f hosts"; the number of processes is added if -n is given.

Open MPI's launcher is told to allow more ranks than cores and, if you are root,
as in containers, to run as root; set OMPI_ALLOW_RUN_AS_ROOT yourself, to
whatever you like, to prevent the latter.`,
		Example: "  mpivet run -n 4 ./a.out input.dat\n  mpivet run -n 2 --json findings.json python3 script.py",
		Args:    needProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(); err != nil {
				return err
			}
			if cmd.Flags().Changed("np") && np < 1 {
				return usagef("-n %d: must be at least 1", np)
			}
			if launch.AmongRanks() {
				return usagef("mpivet run starts the launcher itself: under one, say mpivet exec (mpiexec -n 4 mpivet exec program)")
			}
			if err := o.validate(); err != nil {
				return err
			}
			return runProgram(&o, np, launcher, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVarP(&np, "np", "n", 0, "`number` of processes")
	f.StringVar(&launcher, "launcher", "", "`command` that starts the ranks, instead of the MPI's own")
	o.addProgramFlags(f)
	o.addReportFlags(f)
	o.addConfigFlags(f)
	return cmd
}

// runProgram is mpivet run.
func runProgram(o *options, np int, launcher string, argv []string) error {
	pipeline.TuneGC()
	prog, err := launch.Detect(argv, o.mpi)
	if err != nil {
		return err
	}
	var command []string
	found := make(chan error, 1)
	go func() { // meanwhile, as launchers are asked for their version
		var err error
		if launcher != "" {
			command, err = launch.CustomLauncher(launcher, np)
		} else {
			command, err = launch.LauncherCommand(prog.MPI, np)
		}
		found <- err
	}()
	if little := launch.Room(np); little != nil {
		if err := <-found; err != nil {
			return err
		}
		say("the program runs unwatched: %v", little)
		return launch.Unwatched(command, prog.MPI, argv)
	}
	rank, err := preloading(prog)
	if err != nil {
		return err
	}
	me, err := self()
	if err != nil {
		return err
	}

	o.tell()
	ring.CleanStale(ring.Options{})
	launch.CleanMeetings()
	session, err := ring.NewSession(sessionOptions(o, np))
	if err != nil {
		return fmt.Errorf("cannot make a session: %w", err)
	}
	defer session.Close() //nolint:errcheck // what can't be removed is stale then
	if err := describe(session, argv, prog.MPI.String(), np); err != nil {
		return err
	}
	live, err := ring.OpenLive(session)
	if err != nil {
		return fmt.Errorf("cannot read the session: %w", err)
	}
	defer live.Close()
	rank.Session = session.Dir
	ranks := launch.NewRanks(session.Dir)
	defer ranks.Close()
	live.Witness = ranks

	var job *launch.Job
	fatal := &fatalities{action: o.onError, ranks: ranks, terminal: launch.AtTerminal(), end: func() { job.Abort() }}
	a, err := newAnalysis(o, os.Stderr, argv, prog.MPI.String(), live, fatal)
	if err != nil {
		return err
	}
	if err := <-found; err != nil {
		return err
	}
	ranks.LauncherKilled = a.launcherKilled
	if err := a.record(); err != nil {
		return err
	}
	a.note(session.Notes()...)

	began := time.Now()
	job, err = launch.Start(launch.JobOptions{
		Launcher: command, Custom: launcher != "", Self: me, Rank: rank, Ranks: ranks, MPI: prog.MPI,
	})
	if err != nil {
		return err
	}
	fatal.over = job.Ended()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end := newEnding(a, session, live, cancel)
	end.kill = job.Kill
	stop := job.Signals(func(s os.Signal) {
		end.asked(s)
		ranks.Continue() // stopped ones would not notice
	}, end.again)
	defer stop()
	go func() {
		// The program is over when its launcher is; what then still runs is given a moment, and left alone.
		left := job.Settle(leftoverGrace)
		live.Finish()
		if left > 0 {
			live.Stop()
		}
	}()
	if err := a.read(ctx, live, true, ranks); err != nil {
		a.note(fmt.Sprintf("reading the records failed (%v): the program ran on unobserved", err))
		live.Stop()
	}
	status := job.Status()
	if s := job.Fault(); s != 0 {
		a.note(fmt.Sprintf("the launcher itself crashed (%s) when the program was over", unix.SignalName(s)))
	}
	ranks.Tick() // the last
	duration := time.Since(began)
	fatal.working.Wait() // nothing is left running
	a.note(live.Notes()...)
	if (status == 128+int(unix.SIGKILL) || status == int(unix.SIGKILL)) && ranks.Failed() == 0 && !a.stopped.Load() && !job.Aborted() {
		a.note(fmt.Sprintf("the launcher tells of a process that was killed (exit status %d), and mpivet has seen none: "+
			"it was killed before it had begun", status))
	}
	return a.finish(status, duration, job.Aborted())
}

// prepare finds the program's MPI and the preload library for it.
func prepare(o *options, argv []string) (*launch.Rank, *launch.Program, error) {
	prog, err := launch.Detect(argv, o.mpi)
	if err != nil {
		return nil, nil, err
	}
	rank, err := preloading(prog)
	return rank, prog, err
}

// preloading returns how ranks of a program are started, with the preload library for its MPI.
func preloading(prog *launch.Program) (*launch.Rank, error) {
	b, err := builder()
	if err != nil {
		return nil, err
	}
	lib, err := b.Library(prog.MPI)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(lib, " :") {
		return nil, fmt.Errorf("the loader can't preload %q, as there is a space or colon in it: set MPIVET_CACHE to another directory", lib)
	}
	return &launch.Rank{Library: lib, First: prog.PreloadFirst, Path: prog.Path, Argv: prog.Argv}, nil
}

func sessionOptions(o *options, ranks int) ring.Options {
	return ring.Options{Ranks: ranks, TableHash: mpiapi.Hash(), NoStacks: o.stacks == "off", Strict: o.strict, Sums: o.wantedSums(), SumLimit: o.sumLimit}
}

// wantedSums says what the ranks are to make sums of data for.
func (o *options) wantedSums() ring.Sums {
	if o.sums {
		return ring.AllSums
	}
	for _, c := range all.Checks() {
		if c.KeptSums && o.rules.Enabled(c.ID) {
			return ring.KeptSums
		}
	}
	return ring.NoSums
}
