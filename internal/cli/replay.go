package cli

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
)

func replayCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE",
		Short: "Analyse what --record wrote, with the same result",
		Long: `Replay analyses the records in a file written by --record, as if the program ran
now, and prints findings and summary to standard output. The exit status is that of
the run: the program's own if it failed, else 3 for findings at or above --fail-on.
A file that is cut short or damaged is analysed as far as it goes; the status is
then at least 1.`,
		Args: oneArg("a file that --record wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(); err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return err
			}
			return replay(&o, args[0])
		},
	}
	o.addReportFlags(cmd.Flags())
	o.addConfigFlags(cmd.Flags())
	return cmd
}

// replay is mpivet replay. Limits that no flag was given for are those of the run.
func replay(o *options, path string) error {
	f, err := ring.OpenFile(path, mpiapi.Hash())
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	// In strict mode calls waited for other reasons than MPI's.
	o.onError, o.strict = f.Meta.Facts[factStrict], f.Meta.Facts[factStrict] != ""
	if d, err := time.ParseDuration(f.Meta.Facts[factNoProgress]); err == nil && !o.flags.Changed("no-progress") {
		o.noProgress = d
	}
	if n, err := strconv.Atoi(f.Meta.Facts[factMaxPending]); err == nil && !o.flags.Changed("max-pending") {
		o.maxPending = n
	}
	for _, l := range o.leakFlags() {
		if n, err := strconv.Atoi(f.Meta.Facts[l.flag]); err == nil && !o.flags.Changed(l.flag) {
			*l.n = n
		}
	}
	o.maxErrors, _ = strconv.Atoi(f.Meta.Facts[factMaxErrors])
	o.tell()
	a, err := newAnalysis(o, os.Stdout, f.Meta.Command, f.Meta.Facts[factMPI], nil, nil)
	if err != nil {
		return err
	}
	damage := a.read(context.Background(), f, false)
	if damage != nil {
		say("%v", oneLine(damage))
		a.note(damage.Error())
	}
	s := f.Stats()
	for note := range strings.Lines(s.Notes) {
		a.note(strings.TrimSpace(note))
	}
	err = a.finish(s.ExitStatus, s.Duration, s.Aborted)
	if err == nil && damage != nil {
		err = statusError(exitFailed)
	}
	return err
}
