package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/cluster/looks"
	"github.com/mpivet/mpivet/internal/debug/state"
	"github.com/mpivet/mpivet/internal/launch"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// betweenLooks is the time between two looks of mpivet ps at a run.
const betweenLooks = 250 * time.Millisecond

func pause() { time.Sleep(betweenLooks) }

func psCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ps [flags] [RUN]",
		Short: "Look at a running or hung job: what each rank does, which ranks are behind",
		Long: `Ps lists your runs on this node. With the name of a run, or the beginning of the
name, it shows what each rank of that run does: the MPI call of each thread, and the
least time that the thread has been in it. For each communicator, window and file, it
shows how often each rank has called each collective, which ranks are in one now, and
which ranks are behind the others.

A job on several nodes is shown as a whole on the node of its analysis. This is the
node of mpivet run or mpivet head. Under mpivet exec it is the node whose ranks began
first: the other nodes name it.

It reads the memory that the ranks share with the analyzer. It does not need the
analyzer, which may have died or hang. It does not disturb the run.`,
		Example: "  mpivet ps\n  mpivet ps 3f2a\n  mpivet ps --json 3f2a",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s takes one run, but there is also %q", cmd.CommandPath(), args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sessions := ring.Sessions(ring.Options{})
			if len(args) == 0 {
				return listRuns(cmd, sessions, asJSON)
			}
			s, err := findRun(sessions, args[0])
			if err != nil {
				return err
			}
			r, err := state.Look(s.Name, whole(s), pause)
			if err != nil {
				return lookError(s, err)
			}
			if asJSON {
				return writeJSON(cmd, map[string]any{"schema": state.Schema, "runs": []*state.Run{r}})
			}
			return r.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema "+state.Schema+")")
	return cmd
}

// whole returns a session with the other nodes of its job.
func whole(s *ring.SessionView) state.Session {
	return looks.Session{SessionView: s, Host: launch.Hostname()}
}

// lookAtSession returns what the head of a job shows of this node, as JSON; nothing if that is not possible.
func lookAtSession(s *ring.Session) []byte {
	views := ring.Sessions(ring.Options{})
	for i := range views {
		if !slices.Contains(views[i].Dirs, s.Dir) {
			continue
		}
		if v, err := views[i].Look(true); err == nil {
			if b, err := json.Marshal(v); err == nil {
				return b
			}
		}
	}
	return nil
}

func writeJSON(cmd *cobra.Command, v any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// listRuns prints this user's runs. It reports a run that can't be read on standard error, and lists the others.
func listRuns(cmd *cobra.Command, sessions []ring.SessionView, asJSON bool) error {
	runs := []*state.Run{}
	others := 0
	var failed error
	for i := range sessions {
		s := &sessions[i]
		if s.UID != os.Getuid() {
			others++
			continue
		}
		r, err := state.Find(s.Name, whole(s), pause)
		switch {
		case errors.Is(err, ring.ErrNoRun): // the run has just ended, or is being set up
		case err != nil:
			say("%v", oneLine(lookError(s, err)))
			if !errors.Is(err, ring.ErrOtherVersion) {
				failed = statusError(exitFailed)
			}
		default:
			runs = append(runs, r)
		}
	}
	if asJSON {
		if err := writeJSON(cmd, map[string]any{"schema": state.Schema, "runs": runs}); err != nil {
			return err
		}
		return failed
	}
	if len(runs) > 0 {
		if err := state.List(cmd.OutOrStdout(), runs); err != nil {
			return err
		}
	} else {
		say("no runs of yours on this node")
	}
	if others > 0 {
		say("runs of other users: %d, which only they can look at", others)
	}
	return failed
}

// findRun returns the session with a name, or with a name that begins so.
func findRun(sessions []ring.SessionView, name string) (*ring.SessionView, error) {
	var found []*ring.SessionView
	for i := range sessions {
		switch s := &sessions[i]; {
		case s.Name == name && s.UID == os.Getuid():
			return s, nil
		case name != "" && strings.HasPrefix(s.Name, name):
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return nil, usagef("no run %q on this node: mpivet ps lists yours", name)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, s := range found {
		names = append(names, s.Name)
	}
	return nil, usagef("%q may be %s", name, strings.Join(names, " or "))
}

// lookError returns the reason why a session can't be read.
func lookError(s *ring.SessionView, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		who := strconv.Itoa(s.UID)
		if u, e := user.LookupId(who); e == nil {
			who = u.Username
		}
		return fmt.Errorf("run %s is of user %s, and only they can look at it", s.Name, who)
	}
	return fmt.Errorf("run %s: %w", s.Name, err)
}
