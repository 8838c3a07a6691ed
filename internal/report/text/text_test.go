package text_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
	"github.com/mpivet/mpivet/internal/report/reporttest"
	"github.com/mpivet/mpivet/internal/report/text"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it); got:\n%s", path, got)
	}
}

func render(opts text.Options) []byte {
	var b bytes.Buffer
	r := text.New(&b, opts)
	findings, sum := reporttest.Findings()
	for _, f := range findings {
		r.Finding(f)
	}
	r.Limited(findings[0], 10)
	r.Summary(reporttest.Run(), findings, sum)
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, opts := range map[string]text.Options{
		"file.golden":     {Dir: "/home/user/src"},
		"absolute.golden": {Quiet: true},
		"terminal.golden": {Dir: "/home/user", Color: true, Width: 72},
		"verbose.golden":  {Dir: "/home/user/src", Verbose: true, Prefixes: true},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, render(opts)) })
	}
}

// TestHarmless: control characters in names from the program must not reach the terminal.
func TestHarmless(t *testing.T) {
	out := render(text.Options{})
	for _, r := range string(out) {
		if r != '\n' && r < ' ' || r == utf8.RuneError {
			t.Fatalf("control character %q in output", r)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, width := range []int{20, 40, 60, 80, 200} {
		for line := range strings.Lines(string(render(text.Options{Width: width}))) {
			line = strings.TrimSuffix(line, "\n")
			// The table of the summary is not wrapped, and a word may be longer than a line.
			if n := utf8.RuneCountInString(line); width >= 60 && n > width && !strings.HasPrefix(line, "mpivet:   ") {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
	}
}

// TestPrefix: the first line has the rank and the severity, or all lines have them.
func TestPrefix(t *testing.T) {
	findings, _ := reporttest.Findings()
	for _, all := range []bool{false, true} {
		var b bytes.Buffer
		text.New(&b, text.Options{Prefixes: all}).Finding(findings[2])
		first := true
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "[0] FATAL: ") != (first || all) {
				t.Errorf("line %q", line)
			}
			first = false
		}
	}
}

// send returns an error in a send, which a function of a line calls.
func send(function string, line int, inner ...finding.Frame) *finding.Finding {
	return &finding.Finding{
		Check: "X:Y", Key: fmt.Sprint(function, line), Severity: finding.Error, Count: 1, Ranks: []int{1},
		Message: "It is wrong.", Why: "It matters.", Advice: "Mend it.",
		Sites: []finding.Site{{
			Rank: 1, Role: "send", Call: "MPI_Send(*buf=0x7ffe, count=1, *status=MPI_STATUS_IGNORE)",
			Stack: append(inner, finding.Frame{Function: function, File: "/src/a.c", Line: line}),
		}},
	}
}

// TestScreen: however many findings there are, the report fits a screen. Nothing is hidden without a count.
func TestScreen(t *testing.T) {
	var b bytes.Buffer
	r := text.New(&b, text.Options{})
	var all []*finding.Finding
	for i := range 300 {
		all = append(all, send("f", i+1))
		r.Finding(all[i])
	}
	r.Summary(&report.Run{Ranks: 2}, all, finding.Summary{Error: 300})
	if n := strings.Count(b.String(), "\n"); n > 50 {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
	for _, want := range []string{"300 errors", "--verbose", "more findings"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// TestNotes: notes are counted, and printed on demand.
func TestNotes(t *testing.T) {
	f := send("f", 1)
	f.Severity = finding.Info
	for show, want := range map[finding.Severity]string{
		finding.Off:  "mpivet: no errors, 1 note (--show info), 2 ranks, 0.0 s\n",
		finding.Info: "[1] INFO: X:Y: /src/a.c:1: It is wrong.\n",
	} {
		var b bytes.Buffer
		r := text.New(&b, text.Options{Show: show})
		r.Finding(f)
		r.Summary(&report.Run{Ranks: 2}, []*finding.Finding{f}, finding.Summary{Info: 1})
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("show %s: got\n%s", show, b.String())
		}
	}
}

// TestLayers: the place of a finding is in the program, not in what wraps MPI. Both are shown.
func TestLayers(t *testing.T) {
	var b bytes.Buffer
	text.New(&b, text.Options{Layers: finding.NewLayers([]string{"boost::mpi::*"}, 2)}).Finding(send("solve", 7,
		finding.Frame{Function: "boost::mpi::detail::send", File: "/usr/include/b.hpp", Line: 3},
		finding.Frame{Function: "boost::mpi::communicator::send<int>", File: "/usr/include/b.hpp", Line: 9}))
	const want = `[1] ERROR: X:Y: /src/a.c:7: It is wrong.
   Rank 1, send:
      MPI_Send(buf, count=1, status=MPI_STATUS_IGNORE)
         boost::mpi::detail::send (/usr/include/b.hpp:3)
         … 1 more frame of libraries
         solve (/src/a.c:7)
   Why: It matters.
   Advice: Mend it.
`
	if b.String() != want {
		t.Errorf("printed\n%swant\n%s", b.String(), want)
	}
}

// TestSource: the lines around the program's innermost frame are printed if the file can be read.
func TestSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.c")
	if err := os.WriteFile(file, []byte("one\n\ttwo\r\nthree\nfour"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{
		1: "         > 1 | one\n           2 |     two\n   Why",
		2: "           1 | one\n         > 2 |     two\n           3 | three\n   Why",
		4: "           3 | three\n         > 4 | four\n   Why",
		5: fmt.Sprintf("f (%s:5)\n   Why", file),
	} {
		f := send("f", line)
		f.Sites[0].Stack[0].File = file
		var b bytes.Buffer
		text.New(&b, text.Options{}).Finding(f)
		if !strings.Contains(b.String(), want) {
			t.Errorf("line %d: got\n%s", line, b.String())
		}
	}
}

// TestPaths: the summary says from how many call paths a cause was reached.
func TestPaths(t *testing.T) {
	f := send("f", 1)
	f.Count, f.Paths, f.MorePaths = 900, make([]finding.Path, 60), 8
	var b bytes.Buffer
	text.New(&b, text.Options{}).Summary(&report.Run{Ranks: 2}, []*finding.Finding{f}, finding.Summary{Error: 1})
	const want = "ERROR   X:Y, f (/src/a.c:1), rank 1, 900 times from 68 call paths\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s", b.String())
	}
}

func TestSummaryLines(t *testing.T) {
	run := report.Run{
		Ranks: 1, MPI: "MPICH 4.0.2", Calls: 9999, Messages: 1, Collectives: 1,
		Duration: 61 * time.Second,
	}
	for _, tc := range []struct {
		name string
		run  report.Run
		sum  finding.Summary
		opts text.Options
		want string
	}{
		{
			"clean", run,
			finding.Summary{},
			text.Options{},
			"mpivet: no findings, 1 rank, MPICH 4.0.2, 61.0 s\n",
		},
		{
			"verbose", run,
			finding.Summary{},
			text.Options{Verbose: true},
			"mpivet: 9999 calls, 1 message and 1 collective matched; ranks waited 0.0 s for the analyzer\n" +
				"mpivet: no findings, 1 rank, MPICH 4.0.2, 61.0 s\n",
		},
		{"quiet and clean", run, finding.Summary{}, text.Options{Quiet: true}, ""},
		{
			"suppressed", run,
			finding.Summary{Suppressed: 1},
			text.Options{},
			"mpivet: no findings (1 finding suppressed by --suppress), 1 rank, MPICH 4.0.2, 61.0 s\n",
		},
		{
			"counts", run,
			finding.Summary{Error: 1, Warning: 2, Info: 3, Limited: 3},
			text.Options{},
			"mpivet: 1 error, 2 warnings, 3 notes (--show info) (3 reports not shown because of --limit), 1 rank, " +
				"MPICH 4.0.2, 61.0 s\n",
		},
		{
			"many", run,
			finding.Summary{Error: 9, Beyond: 4},
			text.Options{},
			"mpivet: 9 errors (4 reports not shown because of --max-reports), 1 rank, MPICH 4.0.2, 61.0 s\n",
		},
		{
			"known", run,
			finding.Summary{Known: 2},
			text.Options{},
			"mpivet: no new findings (2 known from --baseline), 1 rank, MPICH 4.0.2, 61.0 s\n",
		},
		{"known and quiet", run, finding.Summary{Known: 2}, text.Options{Quiet: true}, ""},
		{
			"no MPI",
			report.Run{Duration: 2 * time.Millisecond},
			finding.Summary{},
			text.Options{},
			"mpivet: no findings, MPI was not initialised, 0.002 s\n",
		},
		{
			"segfault",
			report.Run{Ranks: 2, Calls: 3, ExitStatus: 139},
			finding.Summary{},
			text.Options{},
			"mpivet: the program ended with exit status 139 (SIGSEGV)\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			text.New(&b, tc.opts).Summary(&tc.run, nil, tc.sum)
			if !strings.Contains(b.String(), tc.want) || tc.want == "" && b.Len() > 0 {
				t.Errorf("got %q, want %q", b.String(), tc.want)
			}
		})
	}
}

func TestColorOption(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for mode, want := range map[string]bool{"auto": false, "": false, "always": true, "never": false} {
		o, err := text.ForFile(f, mode)
		if err != nil || o.Color != want || o.Width != 0 {
			t.Errorf("%q on a file: %+v, %v", mode, o, err)
		}
	}
	if _, err := text.ForFile(f, "sometimes"); err == nil {
		t.Error("--color sometimes is accepted")
	}
}

// TestOrder: a finding says what is wrong, where, why it matters, and what to do.
func TestOrder(t *testing.T) {
	var b bytes.Buffer
	text.New(&b, text.Options{}).Finding(&finding.Finding{
		Check: "X", Severity: finding.Error, Message: "It is wrong.\nIn detail.", Why: "It matters.",
		Advice: "Mend it.",
		Sites:  []finding.Site{{Rank: 1, Role: "send", Call: "MPI_Send()"}},
	})
	const want = `[1] ERROR: X: It is wrong.
   In detail.
   Rank 1, send:
      MPI_Send()
   Why: It matters.
   Advice: Mend it.
`
	if got := b.String(); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

// TestDeepStack: the deep stack of an interpreter or of infinite recursion is shortened.
func TestDeepStack(t *testing.T) {
	f := &finding.Finding{
		Check: "X", Severity: finding.Error, Message: "deep",
		Sites: []finding.Site{{Role: "send", Call: "MPI_Send()"}},
	}
	for range 500 {
		f.Sites[0].Stack = append(f.Sites[0].Stack, finding.Frame{Function: "recurse", File: "/a.c", Line: 3})
	}
	f.Sites[0].Stack = append(f.Sites[0].Stack, finding.Frame{Function: "main", File: "/a.c", Line: 9})
	var b bytes.Buffer
	text.New(&b, text.Options{Verbose: true}).Finding(f)
	if n := strings.Count(b.String(), "\n"); n > 50 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"… 461 more frames\n", "main (/a.c:9)\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
