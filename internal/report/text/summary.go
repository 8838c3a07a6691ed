package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
)

// Findings in the table of the summary.
const (
	maxInTable        = 8
	maxInVerboseTable = 40
)

// Summary prints what the user must know about the run, the findings that were not printed in full, and one line with
// the counts of findings and what to do next.
func (r *Reporter) Summary(run *report.Run, findings []*finding.Finding, sum finding.Summary) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	say := func(color, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		for _, l := range wrap(clean(text), max(0, r.opts.Width-len("mpivet: ")), 2) {
			b.WriteString("mpivet: " + r.opts.paint(color, l) + "\n")
		}
	}
	r.sayRun(say, run)
	shown := slices.DeleteFunc(slices.Clone(findings), func(f *finding.Finding) bool {
		return f.Known || f.Severity < r.opts.Show
	})
	slices.SortStableFunc(shown, func(a, b *finding.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	unprinted := r.table(&b, shown)
	more := hidden(sum)
	switch {
	case sum.Fatal+sum.Error+sum.Warning > 0 || sum.Info > 0 && r.opts.Show == finding.Info:
		next := r.next(shown, r.brief+unprinted > 0)
		say(severityColor(heaviest(sum)), "%s%s%s%s", r.counts(sum, shown), more, r.facts(run), next)
	case sum.Info > 0:
		say(green, "no errors, %s%s%s", notes(sum.Info), more, r.facts(run))
	case sum.Known > 0 && !r.opts.Quiet:
		say(green, "no new findings%s%s", more, r.facts(run))
	case !r.opts.Quiet:
		say(green, "no findings%s%s", more, r.facts(run))
	}
	r.write(b.String())
}

// sayRun says what the user must know about the run.
func (r *Reporter) sayRun(say func(color, format string, args ...any), run *report.Run) {
	if !r.opts.Quiet {
		if r.opts.Verbose && run.Calls > 0 {
			say("", "%s", traffic(run))
		}
		if run.Interrupted {
			say(yellow, "the run was interrupted: findings are of what happened up to there")
		}
		if run.ExitStatus != 0 && (!run.EndedByMpivet || r.opts.Verbose) {
			say("", "the program ended with %s", ending(run.ExitStatus))
		}
	}
	if run.Unrecorded > 0 {
		say(yellow, "%s found no room to record in: their calls were not checked",
			number(uint64(run.Unrecorded), "thread"))
	}
	if run.Shrunk > 0 && !r.opts.Quiet {
		say("", "%s had less room to record in than wanted, so that they may have waited more often",
			number(uint64(run.Shrunk), "thread"))
	}
	for _, n := range run.Notes {
		say("", "note: %s", n)
	}
}

// Progress prints a line about a job that still runs.
func (r *Reporter) Progress(p *report.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := "no findings"
	if p.Findings.Total() > 0 {
		f = r.counts(p.Findings, nil)
	}
	r.write(fmt.Sprintf("mpivet: %s so far: %s, %s, %s, %d of %s waiting\n", p.Elapsed.Round(time.Second),
		number(p.Calls, "call"), number(p.Messages, "message"), f, p.Waiting, number(uint64(p.Ranks), "rank")))
}

// hidden says which findings were not reported, in parentheses.
func hidden(sum finding.Summary) string {
	var list []string
	if sum.Limited > 0 {
		list = append(list, number(uint64(sum.Limited), "report")+" not shown because of --limit")
	}
	if sum.Beyond > 0 {
		list = append(list, number(uint64(sum.Beyond), "report")+" not shown because of --max-reports")
	}
	if sum.Suppressed > 0 {
		list = append(list, number(uint64(sum.Suppressed), "finding")+" suppressed by --suppress")
	}
	if sum.Known > 0 {
		list = append(list, digits(uint64(sum.Known))+" known from --baseline")
	}
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// facts returns the facts of the run for the last line.
func (r *Reporter) facts(run *report.Run) string {
	if r.opts.Quiet {
		return ""
	}
	text := ", MPI was not initialised"
	if run.Ranks > 0 {
		text = ", " + number(uint64(run.Ranks), "rank")
		if len(run.Nodes) > 1 {
			text += fmt.Sprintf(" on %d nodes", len(run.Nodes))
		}
	}
	if run.MPI != "" {
		text += ", " + run.MPI
	}
	return text + ", " + seconds(run.Duration)
}

// next says what to do next.
func (r *Reporter) next(shown []*finding.Finding, more bool) string {
	if r.opts.Quiet || len(shown) == 0 {
		return ""
	}
	checks := make(map[string]bool)
	for _, f := range shown {
		checks[f.Check] = true
	}
	name := "CHECK"
	if len(checks) == 1 {
		_, name, _ = strings.Cut(shown[0].Check, ":")
	}
	text := ". More: mpivet explain " + name
	if more {
		text += "; --verbose prints all in full"
	}
	if len(shown) > 1 {
		text += "; --write-suppressions FILE hides what you accept"
	}
	return text
}

// traffic says how much was recorded and matched.
func traffic(run *report.Run) string {
	return fmt.Sprintf("%s, %s and %s matched; ranks waited %s for the analyzer", number(run.Calls, "call"),
		number(run.Messages, "message"), number(run.Collectives, "collective"), seconds(run.Stall))
}

func ending(status int) string {
	if status > 128 && status < 128+65 {
		if name := unix.SignalName(unix.Signal(status - 128)); name != "" {
			return fmt.Sprintf("exit status %d (%s)", status, name)
		}
	}
	return fmt.Sprintf("exit status %d", status)
}

// table prints one line for each finding that was not printed as it occurred, or has several call paths. With
// Options.Verbose it has all findings. It returns the number of those that were not printed.
func (r *Reporter) table(b *strings.Builder, findings []*finding.Finding) (unprinted int) {
	limit := maxInVerboseTable
	if !r.opts.Verbose {
		limit = maxInTable
		findings = slices.DeleteFunc(slices.Clone(findings), func(f *finding.Finding) bool {
			printed := r.printed[f.Check+" "+f.Key]
			if !printed {
				unprinted++
			}
			return printed && f.NumPaths() == 1
		})
	} else if len(findings) == 1 && findings[0].Count == 1 {
		return 0
	}
	for i, f := range findings {
		if i == limit && len(findings) > limit+1 {
			fmt.Fprintf(b, "mpivet:   … and %s\n", number(uint64(len(findings)-limit), "more finding"))
			break
		}
		name := fmt.Sprintf("%-7s", strings.ToUpper(f.Severity.String()))
		fmt.Fprintf(b, "mpivet:   %s %s", r.opts.paint(severityColor(f.Severity), name), clean(f.Check))
		if at := r.opts.where(f); at != nil {
			fmt.Fprintf(b, ", %s", clean(frame(at, r.opts.Dir)))
		}
		if len(f.Ranks) > 0 {
			fmt.Fprintf(b, ", %s", finding.RankNames(f.Ranks))
		}
		if f.Count > 1 {
			fmt.Fprintf(b, ", %s times", digits(uint64(f.Count)))
		}
		if n := f.NumPaths(); n > 1 {
			fmt.Fprintf(b, " from %d call paths", n)
		}
		b.WriteByte('\n')
	}
	return unprinted
}

func heaviest(s finding.Summary) finding.Severity {
	switch {
	case s.Fatal > 0:
		return finding.Fatal
	case s.Error > 0:
		return finding.Error
	case s.Warning > 0:
		return finding.Warning
	}
	return finding.Info
}

// counts formats the counts that are not 0, highest severity first. A single finding is named.
func (r *Reporter) counts(s finding.Summary, shown []*finding.Finding) string {
	var list []string
	for _, c := range []struct {
		n    int
		noun string
	}{{s.Fatal, "fatal error"}, {s.Error, "error"}, {s.Warning, "warning"}} {
		if c.n > 0 {
			list = append(list, number(uint64(c.n), c.noun))
		}
	}
	if len(shown) == 1 && len(list) == 1 {
		name := shown[0].Check
		if at := r.at(shown[0]); at != "" {
			name = at + " " + name
		}
		list[0] += " (" + name + ")"
	}
	switch {
	case s.Info > 0 && r.opts.Show == finding.Info:
		list = append(list, number(uint64(s.Info), "note"))
	case s.Info > 0:
		list = append(list, notes(s.Info))
	}
	return strings.Join(list, ", ")
}

// notes says how many findings of severity info there are, and how to see them.
func notes(n int) string { return number(uint64(n), "note") + " (--show info)" }

// number returns a count with its noun.
func number(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return digits(n) + " " + noun + "s"
}

// digits separates the digits of large numbers into groups of three.
func digits(n uint64) string {
	s := fmt.Sprint(n)
	if len(s) < 5 {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func seconds(d time.Duration) string {
	switch {
	case d > 0 && d < 100*time.Millisecond:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
