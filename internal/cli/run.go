package cli

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/cluster/head"
	"github.com/mpivet/mpivet/internal/cluster/looks"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/preload"
)

// leftoverGrace is the time for processes of the program to end after their launcher. Then the analysis ends without
// them.
const leftoverGrace = 3 * time.Second

func runCommand() *cobra.Command {
	var o options
	var np int
	var where placement
	cmd := &cobra.Command{
		Use:   "run [flags] [--] program [args]",
		Short: "Run a program under its MPI's launcher and report its errors",
		Long: `Run starts a program under the launcher of the program's MPI. It prints findings
to standard error as they occur, and a summary at the end. It does not change the
program's standard input and output, arguments and exit status. The program may be
a script or wrapper that starts the MPI program.

Flags for mpivet end at the program's name. Without -n the launcher chooses the
number of processes. --launcher replaces the launcher by another command, such as
--launcher "mpiexec -f hosts". With -n, the number of processes is added to it.

Open MPI's launcher gets an option that allows more ranks than cores. If you are
root, as in containers, it also gets environment variables that allow root. Set
OMPI_ALLOW_RUN_AS_ROOT yourself, to any value, to prevent the latter.`,
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
				return usagef("mpivet run starts the launcher itself: under a launcher, say mpivet exec " +
					"(mpiexec -n 4 mpivet exec program)")
			}
			if err := o.validate(); err != nil {
				return err
			}
			if where.hosts != "" && where.launcher != "" {
				return usagef("--hosts is for the launcher of the MPI: name the hosts in --launcher")
			}
			return runProgram(&o, np, where, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.IntVarP(&np, "np", "n", 0, "`number` of processes")
	f.StringVar(&where.launcher, "launcher", "",
		"`command` that starts the ranks, instead of the launcher of the MPI")
	f.StringVar(&where.hosts, "hosts", "", "run the ranks on these `HOSTS`, separated by commas")
	o.addProgramFlags(f)
	o.addReportFlags(f)
	o.addConfigFlags(f)
	return cmd
}

// placement says how and where the ranks are started.
type placement struct {
	launcher string // command, "" for the launcher of the MPI
	hosts    string // separated by commas, "" for what the launcher chooses
	here     bool   // all on this node
}

// several reports whether ranks may run on other nodes.
func (p placement) several() bool {
	words, _ := launch.SplitWords(p.launcher) // errors are reported later
	return !p.here && (p.hosts != "" || launch.Spans(words))
}

// misplaced returns an option in the arguments of a program that looks like a number of processes, "" if there is none.
func misplaced(args []string) string {
	for i, a := range args {
		name, value, joined := strings.Cut(a, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if n, err := strconv.Atoi(value); err == nil && n > 0 && (name == "-n" || name == "-np" || name == "--np") {
			if joined {
				return a
			}
			return a + " " + value
		}
	}
	return ""
}

// runProgram is mpivet run.
func runProgram(o *options, np int, where placement, argv []string) error {
	prog, err := launch.Detect(argv, o.mpi)
	if err != nil {
		return err
	}
	if option := misplaced(argv[1:]); np == 0 && where.launcher == "" && option != "" {
		say("note: %q is after the program, so the program gets it: mpivet run %s %s …", option, option, argv[0])
	}
	command := findLauncher(where.launcher, np, prog.MPI)
	if little := launch.Room(np); little != nil {
		line, err := command()
		if err != nil {
			return err
		}
		say("the program runs unwatched: %v", little)
		return launch.Unwatched(line, prog.MPI, argv)
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
	w, err := openWatch(o, np, argv, prog.MPI.String(), where.several())
	if err != nil {
		return err
	}
	defer w.close()
	line, err := command()
	if err != nil {
		return err
	}
	rank.Session = w.session.Dir
	job := launch.JobOptions{
		Launcher: line, Custom: where.launcher != "", Self: me, Rank: rank, Ranks: w.ranks, MPI: prog.MPI,
	}
	if w.ticket != nil {
		if where.hosts != "" {
			job.Launcher = launch.HostsCommand(job.Launcher, prog.MPI, where.hosts)
		}
		job.Launcher = launch.HandOn(job.Launcher, prog.MPI, launch.TicketVariable)
		session := launch.DescribeSession(w.session.Dir)
		job.Args = []string{"exec", "--" + underRunFlag, "--" + sessionFlag + "=" + session}
		job.Args = append(job.Args, o.nodeArguments()...)
		job.Args = append(append(job.Args, "--"), argv...)
		job.Env = []string{launch.TicketVariable + "=" + w.ticket.String()}
	}
	return w.run(job)
}

// findLauncher finds the command that starts the ranks. It does so in the background, because it takes a while to ask
// launchers for their version. The returned function waits for the result.
func findLauncher(launcher string, np int, mpi *launch.MPI) func() ([]string, error) {
	command := sync.OnceValues(func() ([]string, error) {
		if launcher != "" {
			return launch.CustomLauncher(launcher, np)
		}
		return launch.LauncherCommand(mpi, np)
	})
	go command() //nolint:errcheck // the caller gets the result from the second call
	return command
}

// watchedRun is a run of a program under mpivet run.
type watchedRun struct {
	session  *ring.Session
	live     *ring.Live
	head     *head.Head     // nil unless ranks may run on other nodes
	ticket   *ticket.Ticket // for the agents of the nodes
	src      source
	ranks    *launch.Ranks
	fatal    *fatalities
	analysis *analysis
	job      *launch.Job // nil until the program is started
}

// openWatch makes the session for the records of the ranks, and the analysis that reads it.
func openWatch(o *options, np int, argv []string, mpi string, several bool) (_ *watchedRun, err error) {
	w := new(watchedRun)
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.session, err = ring.NewSession(sessionOptions(o, np)); err != nil {
		return nil, fmt.Errorf("cannot make a session: %w", err)
	}
	if err := describe(w.session, argv, mpi, np, ""); err != nil {
		return nil, err
	}
	if w.live, err = ring.OpenLive(w.session); err != nil {
		return nil, fmt.Errorf("cannot read the session: %w", err)
	}
	w.src = w.live
	if several {
		if w.head, w.ticket, err = newHead(o.head, w.live); err != nil {
			return nil, err
		}
		w.src = w.head
		o.resolver = pipeline.NewResolver()
		o.resolver.SetRemote(w.head.Resolve)
	}
	w.ranks = launch.NewRanks(w.session.Dir)
	w.live.Witness = w.ranks
	w.fatal = &fatalities{
		action: o.onError, ranks: allNodes{w.ranks, w.head}, terminal: launch.AtTerminal(), end: w.abort,
	}
	if w.analysis, err = newAnalysis(o, os.Stderr, argv, mpi, w.src, w.fatal); err != nil {
		return nil, err
	}
	w.ranks.LauncherKilled = w.analysis.launcherKilled
	return w, nil
}

// close ends reading and removes the session.
func (w *watchedRun) close() {
	if w.ranks != nil {
		w.ranks.Close()
	}
	if w.head != nil {
		_ = w.head.Close()
	}
	if w.live != nil {
		w.live.Close()
	}
	if w.session != nil {
		_ = w.session.Close() // a later run removes remaining files
	}
}

// abort ends the program, on all nodes.
func (w *watchedRun) abort() {
	w.fatal.ranks.order(&wire.Order{What: &wire.Order_Ask{Ask: true}})
	w.fatal.ranks.order(&wire.Order{What: &wire.Order_Terminate{Terminate: true}})
	w.job.Abort()
}

// run starts the program and analyses its records until it has ended.
func (w *watchedRun) run(program launch.JobOptions) (err error) {
	a := w.analysis
	if err := a.record(); err != nil {
		return err
	}
	a.note(w.session.Notes()...)
	began := time.Now()
	if w.job, err = launch.Start(program); err != nil {
		return err
	}
	w.fatal.over = w.job.Ended()
	if w.head != nil {
		done := make(chan struct{})
		defer close(done)
		go looks.Serve(w.session.Dir, w.head, done)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer w.handleSignals(cancel)()
	go w.finishWhenOver()
	if err := a.read(ctx, w.src, true, w.ranks); err != nil {
		a.note(fmt.Sprintf("reading the records failed (%v): the program continued unobserved", err))
		w.src.Stop()
	}
	status := w.job.Status()
	if s := w.job.Fault(); s != 0 {
		a.note(fmt.Sprintf("the launcher itself crashed (%s) when the program was over", unix.SignalName(s)))
	}
	w.ranks.Tick() // the last
	duration := time.Since(began)
	w.fatal.working.Wait() // until the action of --on-error is done
	a.note(w.src.Notes()...)
	if w.killedUnseen(status) {
		a.note(fmt.Sprintf("the launcher reports a process that was killed (exit status %d), but mpivet has seen "+
			"none: the process was killed before it had begun", status))
	}
	err = a.finish(status, duration, w.job.Aborted())
	if w.head != nil {
		w.head.Verdict(exitClean) // the agents end
	}
	return err
}

// handleSignals lets signals to mpivet end the program and the analysis, until the returned function is called.
func (w *watchedRun) handleSignals(cancel context.CancelFunc) (stop func()) {
	end := newEnding(w.analysis, w.session, w.src, cancel)
	end.kill = w.job.Kill
	return w.job.Signals(func(s os.Signal) {
		end.asked(s)
		w.fatal.ranks.Continue() // a stopped rank can't handle the signal
	}, end.again)
}

// finishWhenOver ends the reading after the launcher has ended. It waits a moment for processes that outlive the
// launcher, and then ignores them.
func (w *watchedRun) finishWhenOver() {
	left := w.job.Settle(leftoverGrace)
	w.live.Finish()
	if w.head != nil {
		w.head.Finish()
	}
	if left > 0 {
		w.src.Stop()
	}
}

// killedUnseen reports whether the exit status means that a process was killed, although mpivet has not seen that.
func (w *watchedRun) killedUnseen(status int) bool {
	killed := status == 128+int(unix.SIGKILL) || status == int(unix.SIGKILL)
	return killed && w.ranks.Failed() == 0 && !w.analysis.stopped.Load() && !w.job.Aborted()
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

// preloading returns the Rank for processes of a program, with the preload library for its MPI.
func preloading(prog *launch.Program) (*launch.Rank, error) {
	switch prog.Linked {
	case "":
	case preload.Identity():
		return &launch.Rank{First: prog.PreloadFirst, Path: prog.Path, Argv: prog.Argv}, nil
	default:
		return nil, fmt.Errorf("%s was linked with another version of mpivet: link it again with what mpivet "+
			"link-flags prints", prog.Path)
	}
	b, err := builder()
	if err != nil {
		return nil, err
	}
	lib, err := b.Library(prog.MPI)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(lib, " :") {
		return nil, fmt.Errorf("the loader can't preload %q, because its path contains a space or colon: "+
			"set MPIVET_CACHE to another directory", lib)
	}
	serveDebuggers(lib)
	return &launch.Rank{Library: lib, First: prog.PreloadFirst, Path: prog.Path, Argv: prog.Argv}, nil
}

func sessionOptions(o *options, ranks int) ring.Options {
	return ring.Options{
		Ranks: ranks, TableHash: mpiapi.Hash(), NoStacks: o.stacks == "off", Strict: o.strict, Sums: o.wantedSums(),
		SumLimit: o.sumLimit, Breaks: len(o.breakOn) > 0, Debugger: queueLibrary(),
	}
}

// wantedSums returns the data for which the ranks must compute checksums.
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
