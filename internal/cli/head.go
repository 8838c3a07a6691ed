package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/cluster/looks"
	"github.com/mpivet/mpivet/internal/launch"
)

func headCommand() *cobra.Command {
	var o options
	var ticketFile string
	var ranks int
	cmd := &cobra.Command{
		Use:   "head [flags]",
		Short: "Analyse a job on several nodes here, if its nodes cannot find the analyzer by themselves",
		Long: `Usually, nothing needs this command: mpivet run, and mpivet exec on the nodes of a job,
find each other. It is for sites where the nodes share no home directory, or cannot
connect to each other or to the node of mpivet run.

Head writes a ticket into a file, which only you can read, and waits for the nodes. The
nodes find the ticket if MPIVET_TICKET is the path of that file, or its content. The
ticket is secret, and is valid for this job only. --head is the address at which the
nodes reach this command, if it is not one of this machine's own. Head prints the
findings, and ends after the last process of the job, with 3 if there are findings at
or above --fail-on.`,
		Example: "  mpivet head --ticket ~/ticket --ranks 64 --json found.json &\n" +
			"  MPIVET_TICKET=~/ticket srun -n 64 mpivet exec ./a.out; wait",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := o.resolve(); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			if ticketFile == "" {
				return usagef("mpivet head needs --ticket FILE: the nodes read it")
			}
			return runHead(&o, ticketFile, ranks)
		},
	}
	f := cmd.Flags()
	o.addProgramFlags(f)
	o.addReportFlags(f)
	o.addConfigFlags(f)
	f.StringVar(&ticketFile, "ticket", "", "write the ticket for the nodes to `FILE`")
	f.IntVar(&ranks, "ranks", 0, "end when `N` processes have come and ended; 0: as many as MPI_COMM_WORLD has")
	return cmd
}

// runHead is mpivet head.
func runHead(o *options, ticketFile string, expected int) error {
	signal.Ignore(syscall.SIGPIPE)
	o.tell()
	w, err := openWatch(o, expected, []string{"mpivet", "head"}, "", true)
	if err != nil {
		return err
	}
	defer w.close()
	a := w.analysis
	if err := a.record(); err != nil {
		return err
	}
	if err := writeTicket(ticketFile, w.ticket.String()); err != nil {
		return fmt.Errorf("--ticket: %w", err)
	}
	defer os.Remove(ticketFile)
	over := make(chan struct{})
	w.fatal.over, w.fatal.end = over, w.fatal.ranks.Terminate
	go looks.Serve(w.session.Dir, w.head, over)
	w.live.Finish() // no process runs here
	go awaitNodes(w.head, w.ranks, nodesExpected{ranks: expected, patient: true}, over)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	end := newEnding(a, w.session, w.src, cancel)
	go func() {
		end.asked(<-asked)
		w.fatal.ranks.Continue()
		w.src.Stop()
		<-asked
		end.again()
	}()
	began := time.Now()
	if err := a.read(ctx, w.src, true, w.ranks); err != nil {
		a.note(fmt.Sprintf("reading the records failed (%v): the program continued unobserved", err))
	}
	close(over)
	duration := time.Since(began)
	if m := w.head.Meta(); m.Command != nil {
		a.run.Command, a.run.MPI = m.Command, m.Facts[factMPI]
	}
	w.fatal.working.Wait()
	a.note(w.src.Notes()...)
	err = a.finish(w.ranks.Failed(), duration, w.fatal.ended.Load())
	verdict(w.src, err)
	return err
}

// verdict passes the result of the analysis to the processes that wait for it.
func verdict(src source, result error) {
	var status statusError
	if errors.As(result, &status) && status == exitFindings {
		src.Verdict(int(status))
	} else {
		src.Verdict(exitClean)
	}
}

// writeTicket writes a file that only the user can read. A visible file is complete.
func writeTicket(path, text string) error {
	hidden := fmt.Sprintf("%s.%d", path, os.Getpid())
	f, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(hidden, path)
	}
	return err
}

// readTicket returns the value of MPIVET_TICKET, or the content of the file that it names. It waits a while for the
// file.
func readTicket(value string) (string, error) {
	if value == "" || value[0] != '/' {
		return value, nil
	}
	for end := time.Now().Add(meetGrace); ; time.Sleep(50 * time.Millisecond) {
		b, err := launch.ReadOwn(value)
		if err == nil || time.Now().After(end) || !errors.Is(err, os.ErrNotExist) {
			return string(b), err
		}
	}
}
