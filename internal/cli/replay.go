package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpivet/mpivet/internal/config"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/report/jsonreport"
	"github.com/mpivet/mpivet/internal/symbol"
)

func replayCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE",
		Short: "Analyse a file that --record wrote, with the same result",
		Long: `Replay analyses the records in a file written by --record, as if the program ran
now, and prints findings and summary to standard output. The exit status is that of
the run: the status of the program if it failed, else 3 for findings at or above
--fail-on. If the file is truncated or damaged, replay analyses the part before the
damage, and the exit status is at least 1.`,
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

// replay is mpivet replay.
func replay(o *options, path string) error {
	f, err := ring.OpenFile(path, mpiapi.Reads)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	_, err = replayFile(o, f)
	return err
}

// Replay analyses records as mpivet replay does without flags. It prints the text to out, where files below dir have
// relative paths; nothing if out is nil. It returns the report and the exit status. The resolver finds functions and
// lines: pipeline.NewResolver. Environment variables for flags are taken from environment ("NAME=value"). The error is
// not nil if the file is damaged.
func Replay(
	f *ring.File, r *symbol.Resolver, environment []string, out io.Writer, dir string,
) (doc *jsonreport.Document, status int, err error) {
	var o options
	flags := pflag.NewFlagSet("replay", pflag.ContinueOnError)
	o.addReportFlags(flags)
	o.addConfigFlags(flags)
	o.quiet, o.resolver, o.out, o.outDir = out == nil, r, out, dir
	settings := config.Environment(func(name string) (value string, found bool) {
		for _, v := range environment {
			if value, found = strings.CutPrefix(v, name+"="); found {
				return value, true
			}
		}
		return "", false
	}, flags)
	if err := config.Apply(flags, settings); err != nil {
		return nil, 0, err
	}
	if err := o.validate(); err != nil {
		return nil, 0, err
	}
	a, err := replayFile(&o, f)
	var exit statusError
	if errors.As(err, &exit) {
		status, err = int(exit), nil
	}
	if err != nil {
		return nil, 0, err
	}
	findings, sum := a.collector.Snapshot()
	return jsonreport.New(&a.run, findings, sum), status, a.damage
}

// replayFile analyses a record file. If a flag for a limit is not set, the limit is that of the run.
func replayFile(o *options, f *ring.File) (*analysis, error) {
	// In strict mode, mpivet held calls.
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
		return nil, err
	}
	if a.damage = a.read(context.Background(), f, false); a.damage != nil {
		say("%v", oneLine(a.damage))
		a.note(a.damage.Error())
	}
	s := f.Stats()
	for note := range strings.Lines(s.Notes) {
		a.note(strings.TrimSpace(note))
	}
	err = a.finish(s.ExitStatus, s.Duration, s.Aborted)
	if err == nil && a.damage != nil {
		err = statusError(exitFailed)
	}
	return a, err
}
