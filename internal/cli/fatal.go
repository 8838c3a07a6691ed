package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/launch"
)

// Values of --on-error.
const (
	onErrorAbort    = "abort"
	onErrorContinue = "continue"
	onErrorPause    = "pause"
	onErrorGDB      = "gdb"
)

// endGrace is the time for a program to end after one of its processes has ended with an error. Launchers end the
// program then.
const endGrace = 5 * time.Second

// fatalities carries out the action of --on-error, at the first fatal finding, or at the last error that --max-errors
// allows.
type fatalities struct {
	action string
	ranks  allNodes
	over   <-chan struct{} // closed when the program has ended
	end    func()          // ends the program
	// terminal: mpivet's standard input is a terminal, so that a debugger can talk to the user.
	terminal bool
	debugger sync.Mutex // the terminal is for one debugger at a time
	// process returns the process of a rank. ok is false if it is not known or has ended.
	process func(rank int) (v victim, ok bool)

	once    sync.Once
	working sync.WaitGroup
	ended   atomic.Bool // end was called
}

// victim is a process in a finding.
type victim struct {
	rank, pid int
	node      string // "" if it is this node
}

// gdb returns the command to look at the process.
func (v victim) gdb() string {
	command := fmt.Sprintf("mpivet gdb %d", v.pid)
	if v.node != "" {
		command = fmt.Sprintf("on node %s: %s", v.node, command)
	}
	return command
}

// found starts the action for a finding. why is the reason ("a fatal finding"). The goroutine of the analysis calls it.
func (x *fatalities) found(f *finding.Finding, why string) {
	if x.action == onErrorContinue {
		return
	}
	var victims []victim
	for _, r := range f.Ranks {
		if v, ok := x.process(r); ok {
			victims = append(victims, v)
		}
	}
	if len(f.Sites) > 0 { // the process of the first site comes first
		slices.SortStableFunc(victims, func(a, b victim) int {
			return map[int]int{f.Sites[0].Rank: -1}[a.rank] - map[int]int{f.Sites[0].Rank: -1}[b.rank]
		})
	}
	x.once.Do(func() {
		x.working.Go(func() { x.act(f, fmt.Sprintf("%s (%s)", why, f.Check), victims) })
	})
}

func (x *fatalities) act(f *finding.Finding, why string, victims []victim) {
	if endsItself(f.Check) || len(victims) == 0 && x.action != onErrorAbort {
		// The launcher will end the program. There is nothing to look at.
		select {
		case <-x.over:
			return
		case <-time.After(endGrace):
		}
		victims = nil
	}
	if len(victims) > 0 {
		switch x.action {
		case onErrorPause:
			x.pause(f.Check, why, victims)
			return
		case onErrorGDB:
			here := slices.DeleteFunc(slices.Clone(victims), func(v victim) bool { return v.node != "" })
			switch {
			case len(here) > 0:
				x.debug(why, here)
			case x.terminal: // the user is there, and can go to the node
				x.pause(f.Check, why, victims)
				return
			default:
				say("gdb is not started: the ranks of the finding are on other nodes")
			}
		}
	}
	say("ending the program after %s", why)
	x.ended.Store(true)
	x.end()
}

// endsItself reports whether a fatal finding is about the end of a process, after which launchers end the program.
func endsItself(check string) bool { return finding.MatchCheck("LOCAL:EXIT", check) }

// victimLimit is the greatest number of processes that are named, or whose stacks are printed.
const victimLimit = 16

// pause keeps the program as it is: it stops the processes, unless they are in a deadlock.
func (x *fatalities) pause(check, why string, victims []victim) {
	if !finding.MatchCheck("GLOBAL:DEADLOCK:HARD", check) {
		x.ranks.Stop()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the program is left as it is after %s, until mpivet is interrupted or killed; to look at it:", why)
	shown := victims[:min(victimLimit, len(victims))]
	width := 0
	for _, v := range shown {
		width = max(width, len(v.gdb()))
	}
	for _, v := range shown {
		fmt.Fprintf(&b, "\nmpivet:   %-*s  rank %d", width, v.gdb(), v.rank)
	}
	if n := len(victims) - victimLimit; n > 0 {
		fmt.Fprintf(&b, "\nmpivet:   and %d more", n)
	}
	say("%s", b.String())
}

// debug opens a debugger. Without a terminal, the debugger only prints the stacks of the processes in the finding.
func (x *fatalities) debug(why string, victims []victim) {
	if x.terminal {
		v := victims[0]
		say("gdb is attached to rank %d (process %d) after %s; the program ends with it", v.rank, v.pid, why)
		victims = victims[:1]
	}
	x.openGDB(victims[:min(victimLimit, len(victims))])
}

// openGDB attaches gdb to processes, one after the other, and waits for its end.
func (x *fatalities) openGDB(victims []victim) {
	x.debugger.Lock()
	defer x.debugger.Unlock()
	gdb, err := launch.FindProgram("gdb")
	if err != nil {
		say("--on-error gdb: there is no gdb: %v", oneLine(err))
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-x.over: // there are no processes to look at any more
			cancel()
		case <-ctx.Done():
		}
	}()
	for _, v := range victims {
		if x.terminal {
			err = launch.Debug(ctx, x.command(gdb, v.pid))
		} else {
			say("gdb on rank %d (process %d):", v.rank, v.pid)
			err = launch.Stacks(ctx, gdb, v.pid)
		}
		if err != nil {
			say("gdb: %v", oneLine(err))
		}
	}
}

// command returns the command that attaches gdb to a process and shows the findings. gdb is the path of gdb. It is of
// use without mpivet's extension, too.
func (*fatalities) command(gdb string, pid int) []string {
	mpivet, err := self()
	if err == nil {
		if _, err = gdbScript(mpivet); err == nil {
			return []string{mpivet, "gdb", strconv.Itoa(pid), "--", "-ex", "mpivet findings"}
		}
	}
	say("mpivet's extension is not loaded into gdb: %v", oneLine(err))
	return []string{gdb, "-q", "-p", strconv.Itoa(pid)}
}
