package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/ring"
)

func execCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "exec [flags] [--] program [args]",
		Short: "Run a program under a launcher of yours: mpiexec -n 4 mpivet exec ./a.out",
		Long: `Exec is put before the program in the command of any launcher (mpiexec, srun, …).
The first of the processes on a node starts the analyzer, which prints findings to
standard error as they occur, and a summary after the last process has ended. The
flags that count are those of that first process. Several programs, separated by
colons, may each have their own exec, or none.

The exit status is the program's own, as findings are complete only after it ended:
look into the JSON report for them. Without a launcher, the program is run alone as
by mpivet run.`,
		Example: "  mpiexec -n 4 mpivet exec --json findings.json ./a.out\n  mpiexec -n 1 mpivet exec ./a : -n 2 mpivet exec ./b",
		Args:    needProgram,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.resolve(); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			return execProgram(&o, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	o.addProgramFlags(f)
	o.addReportFlags(f)
	o.addConfigFlags(f)
	return cmd
}

// execProgram is mpivet exec. It doesn't return if all goes well.
func execProgram(o *options, argv []string) error {
	group, err := launch.CallerGroup()
	if err != nil {
		return err
	}
	if group.Alone {
		return runProgram(o, 0, "env", argv) // which starts what it is given
	}
	rank, prog, err := prepare(o, argv)
	if err != nil {
		return err
	}
	me, err := self()
	if err != nil {
		return err
	}
	rank.Session, err = launch.Join(group, func() error {
		o.tell()
		an := analyzer{session: group.Name, ranks: group.Size, mpi: prog.MPI.String(), detach: true}
		if err := launch.Detach(me, an.arguments(o, argv)...); err != nil {
			return statusError(exitFailed) // it has said why
		}
		return nil
	})
	if err != nil {
		return err
	}
	return rank.Exec()
}

// analyzer is what mpivet analyze is told by exec, besides the options.
type analyzer struct {
	session string // name
	ranks   int    // to expect, 0 if unknown
	mpi     string // name and version, for the report
	detach  bool
}

// arguments returns mpivet's command line for it.
func (an analyzer) arguments(o *options, command []string) []string {
	args := []string{
		"analyze", "--session=" + an.session, fmt.Sprintf("--ranks=%d", an.ranks), "--mpi-text=" + an.mpi,
		fmt.Sprintf("--detach=%t", an.detach),
	}
	return append(append(append(args, o.arguments()...), "--"), command...)
}

// analyzeCommand is the analyzer that exec starts.
func analyzeCommand() *cobra.Command {
	var o options
	var an analyzer
	cmd := &cobra.Command{
		Use:    "analyze",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if !an.detach {
				if err := o.validate(); err != nil {
					return err
				}
				return analyze(&o, an, args)
			}
			me, err := self()
			if err != nil {
				return err
			}
			an.detach = false
			return launch.Detached(me, an.arguments(&o, args)...)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.BoolVar(&an.detach, "detach", false, "start another one that runs on, and wait until it is ready")
	f.StringVar(&an.session, "session", "", "name of the session")
	f.IntVar(&an.ranks, "ranks", 0, "processes to expect, if known")
	f.StringVar(&an.mpi, "mpi-text", "", "name and version of the MPI")
	o.addProgramFlags(f)
	o.addReportFlags(f)
	return cmd
}

// analyze is mpivet analyze: it makes the session, says that it is ready, and reports until all ranks have ended.
func analyze(o *options, an analyzer, command []string) error {
	launch.CloseInherited()
	// The launcher may be gone before us, and with it the readers of what we say; files are still to be written.
	signal.Ignore(syscall.SIGPIPE)
	so := sessionOptions(o, an.ranks)
	so.Name = an.session
	ring.CleanStale(so)
	session, err := ring.NewSession(so)
	if err != nil {
		return fmt.Errorf("cannot make a session: %w", err)
	}
	defer session.Close() //nolint:errcheck // what can't be removed is stale then
	if err := describe(session, command, an.mpi, an.ranks); err != nil {
		return err
	}
	live, err := ring.OpenLive(session)
	if err != nil {
		return fmt.Errorf("cannot read the session: %w", err)
	}
	defer live.Close()
	ranks := launch.NewRanks(session.Dir)
	over := make(chan struct{})
	fatal := &fatalities{action: o.onError, ranks: ranks, over: over, end: ranks.Terminate}
	a, err := newAnalysis(o, os.Stderr, command, an.mpi, live, fatal)
	if err != nil {
		return err
	}
	if err := a.record(); err != nil {
		return err
	}
	a.note(session.Notes()...)
	if err := launch.Ready(); err != nil {
		return fmt.Errorf("analyze is for mpivet's own use: %w", err)
	}

	// Batch systems ask all processes of a job to end, and kill them later: time for the report.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		ranks.AwaitEnd(an.ranks, over)
		live.Finish()
	}()
	go func() {
		<-asked
		a.interrupted()
		ranks.Continue()
		live.Stop()
	}()
	began := time.Now()
	err = a.read(context.Background(), live, true, ranks)
	close(over)
	if err != nil {
		a.note(fmt.Sprintf("reading the records failed (%v): the program ran on unobserved", err))
	}
	duration := time.Since(began)
	fatal.working.Wait()
	a.note(live.Notes()...)
	return a.finish(ranks.Failed(), duration, false)
}
