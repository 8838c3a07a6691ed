package state

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mpivet/mpivet/internal/debug/tables"
	"github.com/mpivet/mpivet/internal/finding"
)

// List prints one line for each run.
func List(w io.Writer, runs []*Run) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATE\tRANKS\tAGE\tMPI\tCOMMAND")
	for _, r := range runs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n",
			r.ID, r.state(), number(r.Ranks), ago(r.Age), orDash(r.MPI), orDash(strings.Join(r.Command, " ")))
	}
	return t.Flush()
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func ago(s Seconds) string { return tables.Ago(time.Duration(s)) }

// state returns the condition of the run in one or two words.
func (r *Run) state() string {
	s := string(r.Condition)
	if r.Condition == Waiting || r.Condition == Computing {
		s += " for " + ago(r.Still)
	}
	if r.Analyzer != "running" && r.Condition != Abandoned {
		s += ", analyzer " + r.Analyzer
	}
	if r.Head != "" {
		s += ", part of a job"
	}
	return s
}

// conditions explains the conditions.
var conditions = map[Condition]string{
	Starting:  "no process has initialized MPI yet",
	Running:   "MPI calls begin and end",
	Waiting:   "all processes are inside MPI; no call has begun or ended for at least %s",
	Computing: "no MPI call has begun or ended for at least %s; not all processes are inside one",
	Ended:     "all processes have ended; the analyzer has still to report",
	Abandoned: "nothing runs any more, and the analyzer died before it could report; the next mpivet run cleans up",
}

// Print prints a run with its processes and their collective calls.
func (r *Run) Print(w io.Writer) error {
	b := new(strings.Builder)
	fmt.Fprintf(b, "run %s: %s\n", r.ID, orDash(strings.Join(r.Command, " ")))
	if r.MPI != "" {
		fmt.Fprintf(b, "%s, %s ranks, for %s\n", r.MPI, number(r.Ranks), ago(r.Age))
	}
	say := conditions[r.Condition]
	if strings.Contains(say, "%s") {
		say = fmt.Sprintf(say, ago(r.Still))
	}
	fmt.Fprintf(b, "%s: %s\n", r.Condition, say)
	if r.Head != "" {
		fmt.Fprintf(b, "These are the ranks on this node. "+
			"mpivet ps shows the whole job on the node of its analyzer (%s).\n", r.Head)
	}
	if r.Condition != Abandoned {
		switch r.Analyzer {
		case "gone":
			b.WriteString("analyzer: it has died; what is shown here needs none\n")
		case "stuck":
			b.WriteString("analyzer: it does not respond; what is shown here does not need it\n")
		case "stopped":
			b.WriteString("analyzer: it has stopped recording, so this may be old\n")
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(b, "not shown: %s\n", p)
	}
	several := false
	for _, p := range r.Processes {
		several = several || p.World > 0
	}
	r.printProcesses(b, several)
	for _, o := range r.Objects {
		o.print(b, several)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Run) printProcesses(w io.Writer, several bool) {
	if len(r.Processes) == 0 {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	hosts := slices.ContainsFunc(r.Processes, func(p *Process) bool { return p.Host != "" })
	host := func(string) string { return "" }
	if hosts {
		host = func(name string) string { return name + "\t" }
	}
	fmt.Fprintf(t, "RANK\t%sPID\tFOR\tDOES\n", host("HOST"))
	for _, p := range r.Processes {
		rank := "-"
		if p.Rank >= 0 {
			rank = fmt.Sprint(p.Rank)
		}
		if several {
			rank = worldName(p.World) + rank
		}
		if !p.view.Alive || len(p.Threads) == 0 {
			fmt.Fprintf(t, "%s\t%s%d\t\t%s\n", rank, host(p.Host), p.PID, p.State)
		}
		for i, h := range p.Threads {
			who, where, pid := rank, p.Host, fmt.Sprint(p.PID)
			if i > 0 {
				who, where = "", ""
			}
			if h.TID != p.PID {
				pid = fmt.Sprintf("thread %d", h.TID)
			}
			fmt.Fprintf(t, "%s\t%s%s\t%s\t%s\n", who, host(where), pid, h.time(), h.does(p.view.Alive))
		}
	}
	_ = t.Flush()
}

func worldName(n int) string { return fmt.Sprintf("world %d: ", n) }

func (t *Thread) time() string {
	if t.Still == 0 {
		return "-"
	}
	return "≥ " + ago(t.Still)
}

// does says where a thread is.
func (t *Thread) does(alive bool) string {
	call := t.Call
	if call == "" {
		call = "an MPI call"
	}
	switch {
	case t.Calls == 0:
		return "has called no MPI yet"
	case !alive && t.InMPI:
		return "ended in " + call
	case !alive:
		return "ended after " + call
	case t.InMPI:
		return call
	}
	return "outside MPI, after " + call
}

func (o *Object) print(w io.Writer, several bool) {
	if len(o.Collectives) == 0 {
		return
	}
	name := o.Name
	if several {
		name = worldName(o.World) + name
	}
	fmt.Fprintf(w, "\n%s (%s)\n", name, o.members())
	if len(o.Without) > 0 {
		fmt.Fprintf(w, "  it is not there on %s: freed, or not made yet\n", finding.RankNames(o.Without))
	}
	if len(o.Unseen) > 0 {
		fmt.Fprintf(w, "  not seen: %s\n", finding.RankNames(o.Unseen))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range o.Collectives {
		fmt.Fprintf(t, "  %s\t%s\n", c.Name, c.text())
	}
	_ = t.Flush()
}

func (o *Object) members() string {
	s := fmt.Sprintf("%d processes", o.Size)
	if o.Size == 1 {
		s = "1 process"
	}
	if o.RemoteSize > 0 {
		s = fmt.Sprintf("%d + %d processes", o.Size, o.RemoteSize)
	}
	if o.Name == "MPI_COMM_WORLD" || o.Name == "MPI_COMM_SELF" && len(o.Ranks) > 1 {
		return s
	}
	return s + " with " + finding.RankNames(o.Ranks)
}

// text says how many times each rank has called the collective: "3 × by ranks 0-2 (inside), 2 × by rank 3; rank 3 is
// behind".
func (c *Collective) text() string {
	var parts []string
	for _, n := range c.Counts {
		in, out := split(n.Ranks, c.Inside)
		for _, s := range []struct {
			ranks []int
			how   string
		}{{in, ", in it now"}, {out, ""}} {
			if len(s.ranks) > 0 {
				parts = append(parts, fmt.Sprintf("%d × %s%s", n.Count, finding.RankNames(s.ranks), s.how))
			}
		}
	}
	s := strings.Join(parts, "; ")
	if len(c.Behind) > 0 {
		verb := "is"
		if len(c.Behind) > 1 {
			verb = "are"
		}
		s += fmt.Sprintf(" ← %s %s behind", finding.RankNames(c.Behind), verb)
	}
	return s
}

// split splits ranks into those that are in a list and the others.
func split(ranks, list []int) (in, out []int) {
	set := make(map[int]bool, len(list))
	for _, r := range list {
		set[r] = true
	}
	for _, r := range ranks {
		if set[r] {
			in = append(in, r)
		} else {
			out = append(out, r)
		}
	}
	return in, out
}
