// Package text prints findings for people: each finding as it occurs, and a summary at the end. The form is known to
// users of Intel's MPI correctness checker. Every line begins with the rank and the severity. A finding says what is
// wrong, where (call sites with call and stack), why it matters, and what to do.
package text

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
)

// Options are options of the output.
type Options struct {
	Color bool
	// Width is the column at which lines are wrapped; 0: lines are not wrapped, so that output in files can be
	// searched.
	Width int
	// Dir is a directory. Files below it have paths relative to it; "" makes all paths absolute.
	Dir string
	// Quiet omits from the summary everything that is not a finding.
	Quiet bool
}

// ForFile returns suitable options for f. mode is the --color option: auto, always or never. With auto, there are
// colours on a terminal, unless the environment variable NO_COLOR is set or TERM is "dumb". Lines are wrapped only on a
// terminal.
func ForFile(f *os.File, mode string) (Options, error) {
	var o Options
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	terminal := err == nil
	if terminal && ws.Col >= 40 {
		o.Width = int(ws.Col)
	}
	switch mode {
	case "auto", "":
		o.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	case "always":
		o.Color = true
	case "never":
	default:
		return o, fmt.Errorf("--color %s: want auto, always or never", mode)
	}
	o.Dir, _ = os.Getwd()
	return o, nil
}

const (
	maxFrames   = 40 // of a stack: interpreters and infinite recursion have hundreds
	maxCalls    = 6  // of a place: the calls of hundreds of ranks may differ in one argument
	maxInTable  = 20 // number of findings in the summary
	indentation = "   "
)

// Reporter prints findings. It implements [finding.LimitSink]. Several goroutines may use it. Each finding is one
// write, so that the program's output does not interrupt it.
type Reporter struct {
	opts Options
	mu   sync.Mutex
	w    io.Writer
	err  error
}

// New returns a reporter that prints to w.
func New(w io.Writer, opts Options) *Reporter { return &Reporter{opts: opts, w: w} }

// Err returns the first error of a write.
func (r *Reporter) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Reporter) write(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := io.WriteString(r.w, s); err != nil && r.err == nil {
		r.err = err
	}
}

// Finding prints a finding.
func (r *Reporter) Finding(f *finding.Finding) {
	if f.Known {
		return
	}
	p := r.begin(f)
	message := strings.Split(strings.TrimRight(f.Message, "\n"), "\n")
	p.headline(f.Check, message[0])
	if f.FollowUp {
		p.line(1, "This follows from a finding reported before.")
	}
	for _, m := range message[1:] {
		p.line(1, m)
	}
	for _, place := range report.Fold(f.Sites) {
		p.place(&place)
	}
	p.paragraph("Why: ", f.Why)
	p.paragraph("Advice: ", f.Advice)
	r.write(p.String())
}

// Limited prints that further findings of a check at the same call sites are only counted.
func (r *Reporter) Limited(f *finding.Finding, limit int) {
	n := *f
	n.Severity = finding.Info
	p := r.begin(&n)
	times := "times"
	if limit == 1 {
		times = "time"
	}
	p.headline(f.Check,
		fmt.Sprintf("reported %d %s at the same place; further reports are only counted (--limit)", limit, times))
	r.write(p.String())
}

// Full prints that further findings are only counted.
func (r *Reporter) Full(max int) {
	r.write(fmt.Sprintf("mpivet: %s; further ones are only counted (--max-reports), except for fatal ones\n",
		number(uint64(max), "report")))
}

// printer collects the lines of one finding.
type printer struct {
	strings.Builder
	opts   *Options
	prefix string // without colour
	color  string // of the severity
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[36m"
	green  = "\x1b[32m"
	reset  = "\x1b[0m"
)

func severityColor(s finding.Severity) string {
	switch s {
	case finding.Fatal, finding.Error:
		return red
	case finding.Warning:
		return yellow
	}
	return cyan
}

func (r *Reporter) begin(f *finding.Finding) *printer {
	rank := -1
	switch {
	case len(f.Ranks) > 0:
		rank = f.Ranks[0]
	case len(f.Sites) > 0:
		rank = f.Sites[0].Rank
	}
	p := &printer{opts: &r.opts, color: severityColor(f.Severity)}
	name := strings.ToUpper(f.Severity.String())
	if rank >= 0 {
		p.prefix = fmt.Sprintf("[%d] %s: ", rank, name)
	} else {
		p.prefix = name + ": "
	}
	return p
}

// paint colours a text if the options have colours.
func (o *Options) paint(color, s string) string {
	if !o.Color || color == "" || s == "" {
		return s
	}
	return color + s + reset
}

// headline prints the first line.
func (p *printer) headline(check, text string) {
	lines := wrap(clean(check)+": "+clean(text), p.room(0), len(indentation))
	for i, l := range lines {
		if i == 0 {
			l = p.opts.paint(bold, l)
		}
		p.raw(l)
	}
}

// line prints a line. It wraps it if necessary.
func (p *printer) line(level int, text string) {
	indent := strings.Repeat(indentation, level)
	text = clean(text)
	// The wrapped lines of an indented message are indented, too.
	own := len(text) - len(strings.TrimLeft(text, " "))
	for _, l := range wrap(text, p.room(level), own+2) {
		p.raw(indent + l)
	}
}

// paragraph prints a text after a word that introduces it. It prints nothing if the text is empty.
func (p *printer) paragraph(word, text string) {
	if text == "" {
		return
	}
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 {
			l = word + l
		}
		p.line(1, l)
	}
}

func (p *printer) raw(s string) {
	p.WriteString(p.opts.paint(p.color, strings.TrimSuffix(p.prefix, " ")))
	if s = strings.TrimRight(s, " "); s != "" {
		p.WriteByte(' ')
		p.WriteString(s)
	}
	p.WriteByte('\n')
}

// room returns the number of columns for a line at a level; 0 if it is not limited.
func (p *printer) room(level int) int {
	if p.opts.Width == 0 {
		return 0
	}
	return max(p.opts.Width-len(p.prefix)-level*len(indentation), 20)
}

// place prints the place of an event: the ranks, the call and the stack.
func (p *printer) place(pl *report.Place) {
	who := "Rank " + strconv.Itoa(pl.Ranks[0])
	switch {
	case len(pl.Ranks) > 1 && len(pl.Calls) > 1:
		who = "Ranks " + finding.RankList(pl.Ranks)
	case len(pl.Ranks) > 1:
		who += " (same on " + finding.RankNames(pl.Ranks[1:]) + ")"
	}
	if pl.Role != "" {
		who += ", " + pl.Role
	}
	p.line(1, who+":")
	for i, c := range pl.Calls {
		if c.Text == "" {
			continue
		}
		if i == maxCalls && len(pl.Calls) > maxCalls+1 {
			p.line(2, fmt.Sprintf("… and %d more calls like these", len(pl.Calls)-maxCalls))
			break
		}
		text := c.Text
		if len(pl.Calls) > 1 {
			text = "[" + finding.RankList(c.Ranks) + "] " + text
		}
		p.line(2, text)
	}
	stack := finding.Trim(pl.Stack)
	for i, f := range stack {
		if i == maxFrames-1 && len(stack) > maxFrames {
			p.line(3, fmt.Sprintf("… %d more frames", len(stack)-maxFrames))
			p.line(3, frame(&stack[len(stack)-1], p.opts.Dir))
			break
		}
		p.line(3, frame(&f, p.opts.Dir))
	}
}

// frame returns a line of a stack: function (file:line), or function (module) if the line is not known.
func frame(f *finding.Frame, dir string) string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", f.Function, shorten(f.File, dir), f.Line)
	case f.File != "":
		return fmt.Sprintf("%s (%s)", f.Function, shorten(f.File, dir))
	case f.Module != "" && !strings.HasPrefix(f.Function, f.Module+"+"):
		return fmt.Sprintf("%s (%s)", f.Function, f.Module)
	}
	return f.Function
}

// shorten returns the path of a file relative to dir if the file is below dir.
func shorten(file, dir string) string {
	if dir == "" || dir == "/" {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return file
	}
	return rel
}

// clean makes a text harmless for a terminal. Names of files, functions and objects come from the program.
func clean(s string) string {
	ok := true
	for _, r := range s {
		if unicode.IsControl(r) || r == utf8.RuneError {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wrap breaks a line at spaces, so that no part is longer than width if that is possible. Parts after the first are
// indented by hang. Width 0 keeps the line whole.
func wrap(s string, width, hang int) []string {
	if width == 0 || utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	hang = min(hang, width/2)
	var lines []string
	indent := ""
	for utf8.RuneCountInString(indent)+utf8.RuneCountInString(s) > width {
		// Break at the last space that fits, or else at the first one that does not. Leading spaces are the text's
		// indentation.
		from := len(s) - len(strings.TrimLeft(s, " "))
		limit := width - len(indent)
		at, columns := -1, 0
		for i, r := range s {
			if r == ' ' && i > from {
				if columns > limit && at >= 0 {
					break
				}
				at = i
				if columns > limit {
					break
				}
			}
			columns++
		}
		if at < 0 {
			break
		}
		lines = append(lines, indent+s[:at])
		s = strings.TrimLeft(s[at:], " ")
		indent = strings.Repeat(" ", hang)
	}
	return append(lines, indent+s)
}

// Summary prints the facts of the run, the notes for the user, and the counts of findings.
func (r *Reporter) Summary(run *report.Run, findings []*finding.Finding, sum finding.Summary) {
	var b strings.Builder
	say := func(color, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		for _, l := range wrap(clean(text), max(0, r.opts.Width-len("mpivet: ")), 2) {
			b.WriteString("mpivet: " + r.opts.paint(color, l) + "\n")
		}
	}
	if !r.opts.Quiet {
		say("", "%s", facts(run))
		if run.Interrupted {
			say(yellow, "the run was interrupted: findings are of what happened up to there")
		}
		if run.ExitStatus != 0 {
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
	findings = slices.DeleteFunc(slices.Clone(findings), func(f *finding.Finding) bool { return f.Known })
	if sum.Total() > 1 || len(findings) == 1 && findings[0].Count > 1 {
		r.table(&b, findings)
	}
	var hidden []string
	if sum.Limited > 0 {
		hidden = append(hidden, number(uint64(sum.Limited), "report")+" not shown because of --limit")
	}
	if sum.Beyond > 0 {
		hidden = append(hidden, number(uint64(sum.Beyond), "report")+" not shown because of --max-reports")
	}
	if sum.Suppressed > 0 {
		hidden = append(hidden, number(uint64(sum.Suppressed), "finding")+" suppressed by --suppress")
	}
	if sum.Known > 0 {
		hidden = append(hidden, digits(uint64(sum.Known))+" known from --baseline")
	}
	more := ""
	if len(hidden) > 0 {
		more = " (" + strings.Join(hidden, ", ") + ")"
	}
	switch {
	case sum.Total() > 0:
		say(severityColor(heaviest(sum)), "%s%s", counts(sum), more)
	case sum.Known > 0 && !r.opts.Quiet:
		say(green, "no new findings%s", more)
	case !r.opts.Quiet:
		say(green, "no findings%s", more)
	}
	r.write(b.String())
}

// facts returns the first line of the summary.
func facts(run *report.Run) string {
	var b strings.Builder
	if run.Ranks > 0 {
		b.WriteString(number(uint64(run.Ranks), "rank"))
	} else {
		b.WriteString("MPI was not initialised")
	}
	if run.MPI != "" {
		b.WriteString(", " + run.MPI)
	}
	if run.Calls == 0 {
		fmt.Fprintf(&b, ", no MPI calls in %s", seconds(run.Duration))
		return b.String()
	}
	fmt.Fprintf(&b, ", %s, %s and %s matched in %s; ranks waited %s for the analyzer", number(run.Calls, "call"),
		number(run.Messages, "message"), number(run.Collectives, "collective"), seconds(run.Duration),
		seconds(run.Stall))
	return b.String()
}

func ending(status int) string {
	if status > 128 && status < 128+65 {
		if name := unix.SignalName(unix.Signal(status - 128)); name != "" {
			return fmt.Sprintf("exit status %d (%s)", status, name)
		}
	}
	return fmt.Sprintf("exit status %d", status)
}

// table prints one line for each finding, so that users can find it again above.
func (r *Reporter) table(b *strings.Builder, findings []*finding.Finding) {
	for i, f := range findings {
		if i == maxInTable && len(findings) > maxInTable+1 {
			fmt.Fprintf(b, "mpivet:   … and %s\n", number(uint64(len(findings)-maxInTable), "more finding"))
			return
		}
		name := fmt.Sprintf("%-7s", strings.ToUpper(f.Severity.String()))
		fmt.Fprintf(b, "mpivet:   %s %s", r.opts.paint(severityColor(f.Severity), name), clean(f.Check))
		if f.Count > 1 {
			fmt.Fprintf(b, ", %s times", digits(uint64(f.Count)))
		}
		if len(f.Ranks) > 0 {
			fmt.Fprintf(b, ", %s", finding.RankNames(f.Ranks))
		}
		if at := where(f); at != nil {
			fmt.Fprintf(b, ", %s", clean(frame(at, r.opts.Dir)))
		}
		b.WriteByte('\n')
	}
}

// where returns the innermost frame of a finding that has a line; else the innermost frame; nil if there is none.
func where(f *finding.Finding) *finding.Frame {
	var first *finding.Frame
	for i := range f.Sites {
		stack := finding.Trim(f.Sites[i].Stack)
		for j := range stack {
			fr := &stack[j]
			if fr.Line > 0 {
				return fr
			}
			if first == nil {
				first = fr
			}
		}
	}
	return first
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

// counts formats the counts that are not 0, highest severity first.
func counts(s finding.Summary) string {
	var list []string
	for _, c := range []struct {
		n    int
		noun string
	}{{s.Fatal, "fatal error"}, {s.Error, "error"}, {s.Warning, "warning"}} {
		if c.n > 0 {
			list = append(list, number(uint64(c.n), c.noun))
		}
	}
	if s.Info > 0 {
		list = append(list, digits(uint64(s.Info))+" info")
	}
	return strings.Join(list, ", ")
}

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
