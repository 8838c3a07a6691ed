// Package text prints findings for people: each finding as it occurs, and a summary at the end. The first line of a
// finding begins with the rank and the severity, in the form that users of Intel's MPI correctness checker know. It has
// the place of the error and its cause. Then follow the call sites with calls, stacks and lines of source, why it
// matters, and what to do.
package text

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/finding"
)

// Options are options of the output.
type Options struct {
	Color bool
	// Terminal: the output goes to a terminal.
	Terminal bool
	// Width is the column at which lines are wrapped; 0: lines are not wrapped, so that output in files can be
	// searched.
	Width int
	// Dir is a directory. Files below it have paths relative to it; "" makes all paths absolute.
	Dir string
	// Quiet omits from the summary everything that is not a finding.
	Quiet bool
	// Verbose prints all findings in full, with addresses and whole call stacks.
	Verbose bool
	// Show is the lowest severity of findings that are printed. Others are counted. Off means Warning, or Info if
	// Verbose is set.
	Show finding.Severity
	// Prefixes begins every line of a finding with the rank and the severity, not only the first one: for logs in which
	// the lines of several programs mix.
	Prefixes bool
	// Layers tells the program's frames from others.
	Layers *finding.Layers
}

// ForFile returns suitable options for f. mode is the --color option: auto, always or never. With auto, there are
// colours on a terminal, unless the environment variable NO_COLOR is set or TERM is "dumb". Lines are wrapped only on a
// terminal.
func ForFile(f *os.File, mode string) (Options, error) {
	var o Options
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	terminal := err == nil
	o.Terminal = terminal
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

// What is printed without Options.Verbose fits a screen, unless there are many fatal findings.
const (
	fullLines  = 28 // findings are printed in full until so many lines are printed
	firstLines = 36 // the first finding of each check is printed in full until so many lines are printed
	briefLines = 40 // findings are printed as one line until so many lines are printed
)

// Reporter prints findings. It implements [finding.LimitSink]. Several goroutines may use it. Each finding is one
// write, so that the program's output does not interrupt it.
type Reporter struct {
	opts Options

	mu      sync.Mutex
	w       io.Writer
	err     error
	lines   int             // printed for findings
	places  map[string]bool // checks, and checks with places, of the findings that were printed in full
	advised map[string]bool // texts of Why and Advice that were printed
	brief   int             // number of findings that were printed as one line
	printed map[string]bool // checks and keys of the findings that were printed
}

// New returns a reporter that prints to w.
func New(w io.Writer, opts Options) *Reporter {
	if opts.Show == finding.Off {
		opts.Show = finding.Warning
	}
	if opts.Verbose {
		opts.Show = finding.Info
	}
	return &Reporter{
		opts: opts, w: w, places: make(map[string]bool), advised: make(map[string]bool),
		printed: make(map[string]bool),
	}
}

// Err returns the first error of a write.
func (r *Reporter) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// write needs r.mu.
func (r *Reporter) write(s string) {
	if _, err := io.WriteString(r.w, s); err != nil && r.err == nil {
		r.err = err
	}
}

// Finding prints a finding.
func (r *Reporter) Finding(f *finding.Finding) {
	if f.Known || f.Severity < r.opts.Show {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.begin(f)
	place := f.Check + " " + r.at(f)
	switch {
	case r.opts.Verbose || !f.FollowUp && (f.Severity == finding.Fatal || r.lines < fullLines && !r.places[place] ||
		r.lines < firstLines && !r.places[f.Check]):
		r.places[f.Check], r.places[place] = true, true
		r.full(p, f)
	case r.lines < briefLines || f.Severity == finding.Fatal:
		if !f.FollowUp {
			r.brief++
		}
		p.headline(f, r.at(f))
	default:
		return // the summary lists it
	}
	r.printed[f.Check+" "+f.Key] = true
	r.lines += strings.Count(p.String(), "\n")
	r.write(p.String())
}

// full prints a whole finding.
func (r *Reporter) full(p *printer, f *finding.Finding) {
	message := p.headline(f, r.at(f))
	if f.FollowUp {
		p.line(1, "This follows from a finding reported before.")
	}
	for _, m := range message {
		p.line(1, m)
	}
	p.sites(f)
	for _, paragraph := range [][2]string{{"Why: ", f.Why}, {"Advice: ", f.Advice}} {
		if r.opts.Verbose || !r.advised[paragraph[1]] {
			r.advised[paragraph[1]] = true
			p.paragraph(paragraph[0], paragraph[1])
		}
	}
}

// at returns the place of a finding in the form that editors know, or its function if the line is not known. It returns
// "" if there is no call stack.
func (r *Reporter) at(f *finding.Finding) string {
	at := r.opts.where(f)
	switch {
	case at == nil:
		return ""
	case at.Line > 0:
		return fmt.Sprintf("%s:%d", shorten(at.File, r.opts.Dir), at.Line)
	}
	return frame(at, r.opts.Dir)
}

// Limited prints that further findings of a check at the same call sites are only counted.
func (r *Reporter) Limited(f *finding.Finding, limit int) {
	if f.Severity < r.opts.Show || !r.opts.Verbose {
		return // the summary tells how many there are
	}
	n := *f
	n.Severity = finding.Info
	n.Message = fmt.Sprintf("reported %s at the same place; further reports are only counted (--limit)",
		number(uint64(limit), "time"))
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.begin(&n)
	p.headline(&n, "")
	r.lines++
	r.write(p.String())
}

// Full prints that further findings are only counted.
func (r *Reporter) Full(max int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(fmt.Sprintf("mpivet: %s; further ones are only counted (--max-reports), except for fatal ones\n",
		number(uint64(max), "report")))
}
