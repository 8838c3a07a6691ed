package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/cluster/head"
	"github.com/mpivet/mpivet/internal/cluster/looks"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
)

func execCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "exec [flags] [--] program [args]",
		Short: "Run a program under any launcher: mpiexec -n 4 mpivet exec ./a.out",
		Long: `Put "mpivet exec" before the program in the command of any launcher (mpiexec, srun,
…). The first process on a node starts the analyzer. The analyzer prints findings to
standard error as they occur, and a summary after the last process has ended. It uses
the flags of that first process. If the command has several programs, separated by
colons, put exec before each program that mpivet is to check.

The exit status is that of the program. If all ranks have succeeded, the last one on
each node waits for the analysis, for at most half a minute, and ends with 3 if there
are findings at or above --fail-on. So the launcher fails, too. A program that calls
_exit does not wait: read the JSON report in this case. Without a launcher, exec runs
the program as mpivet run does, as a single process.`,
		Example: "  mpiexec -n 4 mpivet exec --json findings.json ./a.out\n  mpiexec -n 1 mpivet exec ./a : -n 2 " +
			"mpivet exec ./b",
		Args: needProgram,
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
	f.BoolVar(&o.underRun, underRunFlag, false, "mpivet run waits for the ranks")
	f.StringVar(&o.runSession, sessionFlag, "", "the session of mpivet run")
	_ = f.MarkHidden(underRunFlag)
	_ = f.MarkHidden(sessionFlag)
	return cmd
}

// underRunFlag is the flag of exec for ranks that mpivet run starts on several nodes. sessionFlag tells them where its
// session is: ranks on the same node need no other analyzer.
const (
	underRunFlag = "under-run"
	sessionFlag  = "run-session"
)

// execProgram is mpivet exec. It doesn't return, unless there is an error.
func execProgram(o *options, argv []string) error {
	launch.Above() // remember the ancestors while the launcher still runs
	group, err := launch.CallerGroup()
	if err == nil && group.Alone {
		runtime.UnlockOSThread() // this process starts the program, and does not become it
		// "env" simply starts the program.
		return runProgram(o, 0, placement{launcher: "env", here: true}, argv)
	}
	rank, prog, wrong := prepare(o, argv)
	if wrong != nil {
		return wrong
	}
	if rank.Session = launch.LocalSession(o.runSession); rank.Session != "" {
		return rank.Exec()
	}
	if err == nil {
		rank.Session, err = launch.Join(group, func(meeting string) (string, error) {
			if err := launch.Room(group.Size); err != nil {
				return "", err
			}
			me, err := self()
			if err != nil {
				return "", err
			}
			o.tell()
			an := analyzer{meeting: meeting, ranks: group.Size, mpi: prog.MPI.String()}
			an.underRun = o.underRun
			if s := launch.CallerSpread(group.Size); s.Several {
				an.job, an.total = s.Name, s.Ranks
			}
			return launch.Detach(me, an.arguments(o, argv)...)
		})
	}
	// The program runs even if the analyzer fails.
	var unwatched *launch.UnwatchedError
	if err != nil && !(errors.As(err, &unwatched) && unwatched.Silent) {
		say("%s", oneLine(err))
	}
	return rank.Exec()
}

// analyzer has the arguments that exec passes to mpivet analyze, besides the options.
type analyzer struct {
	meeting string // meeting of the group, see launch.End
	ranks   int    // expected number of ranks, 0 if unknown
	mpi     string // name and version, for the report
	job     string // name of the job, if it may have several nodes; "" if not
	// underRun: mpivet run is the head. It ends with the status for the findings, so the ranks do not wait for it.
	underRun bool
	total    int // expected number of ranks on all nodes, 0 if unknown
}

// arguments returns the command line of mpivet analyze.
func (an analyzer) arguments(o *options, command []string) []string {
	args := []string{
		"analyze", "--meeting=" + an.meeting, fmt.Sprintf("--ranks=%d", an.ranks), "--mpi-text=" + an.mpi,
		"--job=" + an.job, fmt.Sprintf("--%s=%t", underRunFlag, an.underRun), fmt.Sprintf("--job-ranks=%d", an.total),
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
			if err := o.validate(); err != nil {
				return err
			}
			return analyze(&o, an, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&an.meeting, "meeting", "", "where the ranks meet")
	f.IntVar(&an.ranks, "ranks", 0, "processes to expect, if known")
	f.StringVar(&an.mpi, "mpi-text", "", "name and version of the MPI")
	f.BoolVar(&an.underRun, underRunFlag, false, "mpivet run waits for the ranks")
	f.StringVar(&an.job, "job", "", "name of the job")
	f.IntVar(&an.total, "job-ranks", 0, "processes of the job on all nodes, if known")
	o.addProgramFlags(f)
	o.addReportFlags(f)
	return cmd
}

// failed reports an error to the rank that has started the analyzer.
func failed(err error) error {
	if err == nil || !launch.Failed(err) {
		return err
	}
	return statusError(exitFailed)
}

// analyze is mpivet analyze: it makes the session, reports that it is ready, and analyses until all ranks have ended.
func analyze(o *options, an analyzer, command []string) error {
	launch.CloseInherited()
	// The launcher may end first, and with it the readers of standard error. The files must be written nevertheless.
	signal.Ignore(syscall.SIGPIPE)
	so := sessionOptions(o, an.ranks)
	so.Verdicts = !an.underRun
	ring.CleanStale(so)
	launch.CleanMeetings()
	session, err := ring.NewSession(so)
	if err != nil {
		return failed(fmt.Errorf("cannot make a session: %w", err))
	}
	defer session.Close() //nolint:errcheck // later runs remove stale sessions
	if err := describe(session, command, an.mpi, an.ranks, ""); err != nil {
		return failed(err)
	}
	live, err := ring.OpenLive(session)
	if err != nil {
		return failed(fmt.Errorf("cannot read the session: %w", err))
	}
	defer live.Close()
	ranks := launch.NewRanks(session.Dir)
	defer ranks.Close()
	live.Witness = ranks
	p, err := an.takePart(o, live)
	if err != nil {
		say("this node is analysed alone: %v", oneLine(err))
	}
	if p.ticket != nil {
		return an.follow(o, session, live, ranks, command, p.ticket)
	}
	defer p.withdraw()
	return an.lead(o, session, live, ranks, command, p.head)
}

// lead analyses the records of this node, or of the whole job if this is its head. h is nil if it is not.
func (an *analyzer) lead(o *options, session *ring.Session, live *ring.Live, ranks *launch.Ranks, command []string,
	h *head.Head,
) error {
	var src source = live
	if h != nil {
		src = h
		defer h.Close() //nolint:errcheck // the process ends
		o.resolver = pipeline.NewResolver()
		o.resolver.SetRemote(h.Resolve)
	}
	program := allNodes{ranks, h}
	over := make(chan struct{})
	fatal := &fatalities{action: o.onError, ranks: program, over: over, end: program.Terminate}
	a, err := newAnalysis(o, os.Stderr, command, an.mpi, src, fatal)
	if err != nil {
		return failed(err)
	}
	ranks.LauncherKilled = a.launcherKilled
	if err := a.record(); err != nil {
		return failed(err)
	}
	a.note(session.Notes()...)
	if launch.Ready(session.Dir) != nil {
		return statusError(exitFailed) // the rank that started this process has ended, or does not wait any more
	}
	defer launch.End(an.meeting)
	if h != nil {
		go looks.Serve(session.Dir, h, over)
	}

	// Batch systems first ask all processes of a job to end, and kill them later. In between, write the report.
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		ranks.AwaitEnd(an.ranks, live, over)
		live.Finish()
		if h != nil {
			awaitNodes(h, ranks, nodesExpected{ranks: an.total}, over)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	end := newEnding(a, session, src, cancel)
	end.meeting = an.meeting
	go func() {
		end.asked(<-asked)
		program.Continue()
		src.Stop()
		<-asked
		end.again()
	}()
	began := time.Now()
	err = a.read(ctx, src, true, ranks)
	close(over)
	if err != nil {
		a.note(fmt.Sprintf("reading the records failed (%v): the program continued unobserved", err))
	}
	ranks.Tick() // the last
	duration := time.Since(began)
	fatal.working.Wait()
	a.note(src.Notes()...)
	err = a.finish(ranks.Failed(), duration, fatal.ended.Load())
	verdict(src, err)
	return err
}
