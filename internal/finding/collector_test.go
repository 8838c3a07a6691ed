package finding

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

func (r *recorder) Full(max int) { r.limited = append(r.limited, fmt.Sprint("full ", max)) }

// recorder is a sink that records its calls.
type recorder struct {
	findings []*Finding
	limited  []string
}

func (r *recorder) Finding(f *Finding) { r.findings = append(r.findings, f) }

func (r *recorder) Limited(f *Finding, limit int) {
	r.limited = append(r.limited, fmt.Sprintf("%s %d", f.Check, limit))
}

func at(function string, line int) []Frame {
	return []Frame{
		{Function: function, File: "/src/" + function + ".c", Line: line, Module: "prog"},
		{Function: "main", File: "/src/main.c", Line: 10, Module: "prog"},
	}
}

func occurrence(check, key string, rank int) *Finding {
	return &Finding{
		Check: check, Key: key, Severity: Error, Ranks: []int{rank},
		Sites: []Site{{Rank: rank, Role: "send", Stack: at("put", 7)}},
	}
}

func TestCollectorJoins(t *testing.T) {
	var sink recorder
	c := NewCollector(Config{}, &sink)
	c.Report(occurrence("A:B", "1", 4))
	c.Report(occurrence("A:B", "1", 2))
	c.Report(occurrence("A:B", "1", 2))
	elsewhere := occurrence("A:B", "1", 9)
	elsewhere.Sites[0].Stack = at("get", 3)
	elsewhere.Severity = Fatal
	elsewhere.Count = 5
	c.Report(elsewhere)
	c.Report(occurrence("A:B", "2", 0))
	c.Report(occurrence("A:C", "1", 0))

	if len(sink.findings) != 3 {
		t.Fatalf("%d findings were passed on, want 3", len(sink.findings))
	}
	if f := sink.findings[0]; f.Count != 1 || !reflect.DeepEqual(f.Ranks, []int{4}) {
		t.Errorf("what was passed on grew: %+v", f)
	}
	findings, sum := c.Snapshot()
	f := findings[0]
	if f.Count != 8 || !reflect.DeepEqual(f.Ranks, []int{2, 4, 9}) || f.Severity != Fatal {
		t.Errorf("joined: %+v", f)
	}
	if s := f.Sites[0]; s.Rank != 4 || !reflect.DeepEqual(s.Also, []int{2}) {
		t.Errorf("site: rank %d, also %v", s.Rank, s.Also)
	}
	if want := (Summary{Fatal: 1, Error: 2}); sum != want {
		t.Errorf("summary %+v, want %+v", sum, want)
	}
	if n := c.Occurrences()["A:B"]; n != 9 {
		t.Errorf("%d occurrences, want 9", n)
	}
}

// TestLimit: the reports of one place are limited, another place of the same check is still reported, and all are
// counted.
func TestLimit(t *testing.T) {
	var sink recorder
	c := NewCollector(Config{Limit: 3}, &sink)
	for i := range 10 {
		c.Report(occurrence("A:B", fmt.Sprint(i), i))
	}
	other := occurrence("A:B", "other", 0)
	other.Sites[0].Stack = at("get", 3)
	c.Report(other)
	c.Report(occurrence("A:C", "0", 0))
	if len(sink.findings) != 5 {
		t.Errorf("%d findings were passed on, want 5", len(sink.findings))
	}
	if want := []string{"A:B 3"}; !reflect.DeepEqual(sink.limited, want) {
		t.Errorf("limits told: %q, want %q", sink.limited, want)
	}
	findings, sum := c.Snapshot()
	if want := (Summary{Error: 12, Limited: 7}); sum != want || len(findings) != 12 {
		t.Errorf("%d findings, summary %+v, want 12, %+v", len(findings), sum, want)
	}
}

func TestMatchCheck(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		covered string
		not     string
	}{
		{
			"LOCAL:MEMORY:OVERLAP", "LOCAL:MEMORY:OVERLAP LOCAL:MEMORY:OVERLAP:SELF",
			"LOCAL:MEMORY LOCAL:MEMORY:OVERLAPPING GLOBAL:LOCAL:MEMORY:OVERLAP",
		},
		{"local:memory:overlap", "LOCAL:MEMORY:OVERLAP", "LOCAL:MEMORY:INACCESSIBLE"},
		{"LOCAL:MEMORY:*", "LOCAL:MEMORY:OVERLAP LOCAL:MEMORY:OVERLAP:SELF", "LOCAL:MEMORY LOCAL:REQUEST:LOST"},
		{"LOCAL", "LOCAL:MEMORY:OVERLAP LOCAL", "GLOBAL:MSG:RACE LOCALE"},
		{"LOCAL:*:NOT_FREED", "LOCAL:COMM:NOT_FREED LOCAL:REQUEST:NOT_FREED:X", "LOCAL:A:B:NOT_FREED LOCAL:NOT_FREED"},
		{
			"**:MISMATCH", "GLOBAL:MSG:DATATYPE:MISMATCH GLOBAL:COLLECTIVE:DATATYPE:MISMATCH:BYTE",
			"MISMATCH GLOBAL:COLLECTIVE:ROOT_MISMATCH",
		},
		{"GLOBAL:**MISMATCH", "GLOBAL:MSG:DATATYPE:MISMATCH GLOBAL:COLLECTIVE:ROOT_MISMATCH", "GLOBAL:MSG:RACE"},
		{"GLOBAL:*:*_MISMATCH", "GLOBAL:COLLECTIVE:ROOT_MISMATCH", "GLOBAL:MSG:DATATYPE:MISMATCH"},
		{"*", "LOCAL:MEMORY:OVERLAP X", ""},
		{"*A*B*:C", "XAXBX:C AB:C", "XAX:BX:C"},
		{"**A*:C", "X:Y:A:C A:AB:C", "X:Y:C"},
	} {
		for name := range strings.FieldsSeq(tc.covered) {
			if !MatchCheck(tc.pattern, name) {
				t.Errorf("%s does not cover %s", tc.pattern, name)
			}
		}
		for name := range strings.FieldsSeq(tc.not) {
			if MatchCheck(tc.pattern, name) {
				t.Errorf("%s covers %s", tc.pattern, name)
			}
		}
	}
}

var known = []Check{
	{"GLOBAL:MSG:DATATYPE:MISMATCH", Error},
	{"GLOBAL:COLLECTIVE:ROOT_MISMATCH", Error},
	{"GLOBAL:DEADLOCK:HARD", Fatal},
	{"LOCAL:MEMORY:OVERLAP", Error},
	{"LOCAL:MEMORY:READ_OVERLAP", Off},
	{"LOCAL:REQUEST:NOT_FREED", Warning},
}

func TestRules(t *testing.T) {
	for _, tc := range []struct {
		rules, check string
		reported     Severity
		want         Severity
	}{
		{"", "LOCAL:MEMORY:OVERLAP", Error, Error},
		{"", "LOCAL:MEMORY:READ_OVERLAP", Warning, Off},
		{"LOCAL:MEMORY:*=on", "LOCAL:MEMORY:READ_OVERLAP", Warning, Warning},
		{"LOCAL:MEMORY:*=off", "LOCAL:MEMORY:OVERLAP", Error, Off},
		{"LOCAL:MEMORY:*=off LOCAL:MEMORY:OVERLAP=on", "LOCAL:MEMORY:OVERLAP", Error, Error},
		{"LOCAL:MEMORY:OVERLAP=on LOCAL=off", "LOCAL:MEMORY:OVERLAP", Error, Off},
		{"*=off GLOBAL:DEADLOCK=on", "LOCAL:REQUEST:NOT_FREED", Warning, Off},
		{"*=off GLOBAL:DEADLOCK=on", "GLOBAL:DEADLOCK:HARD", Fatal, Fatal},
		{"LOCAL:REQUEST:NOT_FREED=fatal", "LOCAL:REQUEST:NOT_FREED", Info, Fatal},
		{"GLOBAL:MSG:DATATYPE:MISMATCH:BYTE=info", "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE", Error, Info},
		{"GLOBAL:MSG:DATATYPE:MISMATCH:BYTE=off", "GLOBAL:MSG:DATATYPE:MISMATCH", Error, Error},
	} {
		r, err := NewRules(known, strings.Fields(tc.rules)...)
		if err != nil {
			t.Errorf("%s: %v", tc.rules, err)
			continue
		}
		if got := r.Severity(tc.check, tc.reported); got != tc.want {
			t.Errorf("%q: %s has severity %v, want %v", tc.rules, tc.check, got, tc.want)
		}
		if got, want := r.Enabled(tc.check), tc.want != Off; got != want {
			t.Errorf("%q: %s enabled: %v, want %v", tc.rules, tc.check, got, want)
		}
	}
	// A check that is off, except for a sub-name, must run.
	r, err := NewRules(known, "GLOBAL:MSG=off", "GLOBAL:MSG:DATATYPE:MISMATCH:BYTE=on")
	if err != nil || !r.Enabled("GLOBAL:MSG:DATATYPE:MISMATCH") {
		t.Errorf("a check is off although a sub-name is on: %v", err)
	}
}

func TestRuleErrors(t *testing.T) {
	for rule, want := range map[string]string{
		"LOCAL:MEMORY:OVERLAPS=off":       "did you mean LOCAL:MEMORY:OVERLAP?",
		"LOCAL:MEMROY=off":                "did you mean LOCAL:MEMORY?",
		"not_freed=off":                   "did you mean LOCAL:REQUEST:NOT_FREED?",
		"DATATYPE:MISMATCH=off":           "did you mean GLOBAL:MSG:DATATYPE:MISMATCH?",
		"SOMETHING:QUITE:DIFFERENT=error": "mpivet checks lists them all",
		"LOCAL":                           "want PATTERN=on|off|info|warning|error|fatal",
		"=off":                            "want PATTERN=",
		"LOCAL=loud":                      `"loud" is not one of on, off`,
	} {
		if _, err := NewRules(known, rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", rule, err, want)
		}
	}
}

func TestRulesInCollector(t *testing.T) {
	rules, err := NewRules(known, "LOCAL:MEMORY=off", "GLOBAL=info")
	if err != nil {
		t.Fatal(err)
	}
	var sink recorder
	c := NewCollector(Config{Rules: rules}, &sink)
	c.Report(occurrence("LOCAL:MEMORY:OVERLAP", "1", 0))
	c.Report(occurrence("GLOBAL:DEADLOCK:HARD", "1", 0))
	if len(sink.findings) != 1 || sink.findings[0].Severity != Info || c.Summary() != (Summary{Info: 1}) {
		t.Errorf("passed on: %+v, summary %+v", sink.findings, c.Summary())
	}
}

func TestSuppressions(t *testing.T) {
	odd := occurrence("LOCAL:MEMORY:OVERLAP", "odd", 0)
	odd.Sites[0].Stack[0].Module = "libodd name.so.1"
	get := occurrence("LOCAL:REQUEST:NOT_FREED", "line", 0)
	get.Sites[0].Stack = at("get", 8)
	plain := occurrence("LOCAL:REQUEST:NOT_FREED", "1", 0) // put (put.c:7), main (main.c:10)
	both := occurrence("LOCAL:REQUEST:NOT_FREED", "both", 0)
	both.Sites = append(both.Sites, Site{Rank: 1, Stack: at("get", 8)}, Site{Rank: 2})
	bare := occurrence("LOCAL:REQUEST:NOT_FREED", "bare", 0)
	bare.Sites = []Site{{Rank: 1}}

	stack := func(function string, line int) []FramePattern {
		return []FramePattern{{Function: function, File: function + ".c", First: line, Last: line}, {Function: "main"}}
	}
	for name, tc := range map[string]struct {
		rule       Suppression
		suppresses []*Finding
	}{
		"check": {Suppression{Check: "LOCAL:REQUEST:*"}, []*Finding{plain, get, both, bare}},
		"function": {
			Suppression{Check: "**", Frame: FramePattern{Function: "p?t"}},
			[]*Finding{plain, odd, both},
		},
		"any frame": {
			Suppression{Check: "LOCAL", Frame: FramePattern{Function: "main"}},
			[]*Finding{plain, odd, get, both},
		},
		"caller": {Suppression{Check: "LOCAL", Frame: FramePattern{Function: "main"}, Caller: true}, nil},
		"caller is it": {
			Suppression{Check: "LOCAL", Frame: FramePattern{Function: "get"}, Caller: true},
			[]*Finding{get, both},
		},
		"file":        {Suppression{Check: "LOCAL", Frame: FramePattern{File: "/src/g*"}}, []*Finding{get, both}},
		"end of path": {Suppression{Check: "LOCAL", Frame: FramePattern{File: "src/get.c"}}, []*Finding{get, both}},
		"not a part":  {Suppression{Check: "LOCAL", Frame: FramePattern{File: "et.c"}}, nil},
		"lines": {
			Suppression{Check: "LOCAL", Frame: FramePattern{File: "*.c", First: 5, Last: 8}},
			[]*Finding{plain, odd, get, both},
		},
		"other lines": {Suppression{Check: "LOCAL", Frame: FramePattern{File: "get.c", First: 5, Last: 7}}, nil},
		"one frame":   {Suppression{Check: "LOCAL", Frame: FramePattern{Function: "put", File: "main.c"}}, nil},
		"module": {
			Suppression{Check: "LOCAL", Frame: FramePattern{Module: "libodd name.so*"}},
			[]*Finding{odd},
		},
		"stack": {
			Suppression{Check: "LOCAL:REQUEST", Stacks: [][]FramePattern{stack("put", 7)}},
			[]*Finding{plain},
		},
		"stacks": {
			Suppression{Check: "LOCAL", Stacks: [][]FramePattern{stack("get", 8), stack("put", 7)}},
			[]*Finding{both},
		},
		"longer stack": {Suppression{
			Check:  "LOCAL",
			Stacks: [][]FramePattern{append(stack("put", 7), FramePattern{})},
		}, nil},
		"without stacks": {Suppression{Check: "LOCAL", Stacks: [][]FramePattern{}}, []*Finding{bare}},
	} {
		var sink recorder
		c := NewCollector(Config{Suppressions: []*Suppression{{Check: "GLOBAL"}, &tc.rule}}, &sink)
		for _, f := range []*Finding{plain, odd, get, both, bare} {
			want := slices.Contains(tc.suppresses, f)
			if got := c.Severity(f) == Off; got != want {
				t.Errorf("%s: %s is suppressed: %t", name, f.Key, got)
			}
			c.Report(f)
			c.Report(f)
		}
		n := len(tc.suppresses)
		findings, sum := c.Snapshot()
		if want := (Summary{Error: 5 - n, Suppressed: n}); sum != want || len(findings) != 5-n ||
			len(sink.findings) != 5-n {
			t.Errorf("%s: summary %+v, want %+v", name, sum, want)
		}
		if counts := c.Suppressed(); counts[0].Findings != 0 || counts[1].Findings != n {
			t.Errorf("%s: the rules matched %d and %d findings, want 0 and %d", name, counts[0].Findings,
				counts[1].Findings, n)
		}
	}
}

// TestMaxReports limits the total number of reports, except for fatal findings.
func TestMaxReports(t *testing.T) {
	var sink recorder
	c := NewCollector(Config{MaxReports: 3}, &sink)
	for i := range 10 {
		c.Report(occurrence("A:B", fmt.Sprint(i), i))
	}
	fatal := occurrence("A:C", "fatal", 0)
	fatal.Severity = Fatal
	c.Report(fatal)
	findings, sum := c.Snapshot()
	if want := (Summary{Error: 10, Fatal: 1, Beyond: 7}); sum != want || len(findings) != 11 {
		t.Errorf("%d findings, summary %+v, want %+v", len(findings), sum, want)
	}
	if len(sink.findings) != 4 || !reflect.DeepEqual(sink.limited, []string{"full 3"}) {
		t.Errorf("%d findings were passed on; said %q", len(sink.findings), sink.limited)
	}
}

// TestBaseline: findings at the places of the baseline are known. If only lines differ, as many places are known as
// there were in the baseline.
func TestBaseline(t *testing.T) {
	found := func(check, function string, line int) *Finding {
		f := occurrence(check, fmt.Sprint(check, function, line), 0)
		f.Sites[0].Stack, f.Sites[0].Call = at(function, line), "MPI_Send(x)"
		return f
	}
	elsewhere := found("A:B", "put", 7)
	elsewhere.Sites[0].Stack[0].File, elsewhere.Sites[0].Stack[0].PC = "/home/other/put.c", 5
	elsewhere.Sites[0].Call = "MPI_Send(y)"
	otherCall := found("A:B", "put", 7)
	otherCall.Sites[0].Call = "MPI_Ssend(x)"
	ranks := found("A:B", "put", 7)
	ranks.Sites = append(ranks.Sites, Site{Rank: 5, Call: "MPI_Send(z)", Stack: at("put", 7)})
	for name, tc := range map[string]struct {
		earlier, now []*Finding
		known        []bool
	}{
		"nothing":         {nil, []*Finding{found("A:B", "put", 7)}, []bool{false}},
		"same":            {[]*Finding{found("A:B", "put", 7)}, []*Finding{found("A:B", "put", 7)}, []bool{true}},
		"other check":     {[]*Finding{found("A:B", "put", 7)}, []*Finding{found("A:C", "put", 7)}, []bool{false}},
		"other function":  {[]*Finding{found("A:B", "put", 7)}, []*Finding{found("A:B", "get", 7)}, []bool{false}},
		"other call":      {[]*Finding{found("A:B", "put", 7)}, []*Finding{otherCall}, []bool{false}},
		"other directory": {[]*Finding{found("A:B", "put", 7)}, []*Finding{elsewhere}, []bool{true}},
		"more ranks":      {[]*Finding{found("A:B", "put", 7)}, []*Finding{ranks}, []bool{true}},
		"moved":           {[]*Finding{found("A:B", "put", 7)}, []*Finding{found("A:B", "put", 9)}, []bool{true}},
		"moved and new": {
			[]*Finding{found("A:B", "put", 7)},
			[]*Finding{found("A:B", "put", 9), found("A:B", "put", 12)},
			[]bool{true, false},
		},
		"the same is last": {
			[]*Finding{found("A:B", "put", 7)},
			[]*Finding{found("A:B", "put", 9), found("A:B", "put", 7)},
			[]bool{false, true},
		},
		"two moved": {
			[]*Finding{found("A:B", "put", 7), found("A:B", "put", 8)},
			[]*Finding{found("A:B", "put", 8), found("A:B", "put", 9), found("A:B", "put", 10)},
			[]bool{true, true, false},
		},
		"moved, then same": {
			[]*Finding{found("A:B", "put", 7), found("A:B", "put", 8)},
			[]*Finding{found("A:B", "put", 9), found("A:B", "put", 7)},
			[]bool{true, true},
		},
	} {
		var sink recorder
		c := NewCollector(Config{Baseline: NewBaseline(tc.earlier, nil)}, &sink)
		known := 0
		for i, f := range tc.now {
			c.Report(f)
			c.Report(f)
			if tc.known[i] {
				known++
			}
		}
		findings, sum := c.Snapshot()
		if want := (Summary{Error: len(tc.now) - known, Known: known}); sum != want {
			t.Errorf("%s: summary %+v, want %+v", name, sum, want)
		}
		told := map[string]bool{} // findings that are new at the end
		for _, f := range sink.findings {
			told[f.Key] = !f.Known
		}
		for i, f := range findings {
			if f.Known != tc.known[i] || told[f.Key] == f.Known || f.Count != 2 {
				t.Errorf("%s: finding %d is known: %t, told as new: %t; count %d", name, i, f.Known, told[f.Key],
					f.Count)
			}
		}
	}
}

func TestRankList(t *testing.T) {
	for _, tc := range []struct {
		ranks []int
		want  string
	}{
		{nil, "rank "},
		{[]int{3}, "rank 3"},
		{[]int{7, 0, 1, 3, 2, 2}, "ranks 0-3,7"},
		{[]int{0, 1}, "ranks 0,1"},
		{[]int{0, 1, 2, 4, 5, 7, 8, 9}, "ranks 0-2,4,5,7-9"},
	} {
		if got := RankNames(tc.ranks); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.ranks, got, tc.want)
		}
	}
}

func TestExitStatus(t *testing.T) {
	for _, tc := range []struct {
		program int
		sum     Summary
		failOn  string
		want    int
	}{
		{0, Summary{}, "info", 0},
		{0, Summary{Warning: 1}, "error", 0},
		{0, Summary{Warning: 1}, "warning", 3},
		{0, Summary{Fatal: 1}, "error", 3},
		{0, Summary{Fatal: 1}, "never", 0},
		{0, Summary{Error: 1}, "fatal", 0},
		{0, Summary{Suppressed: 1}, "info", 0},
		{139, Summary{Fatal: 1}, "error", 139},
	} {
		failOn, err := ParseFailOn(tc.failOn)
		if err != nil {
			t.Fatal(err)
		}
		if got := ExitStatus(tc.program, tc.sum, failOn); got != tc.want {
			t.Errorf("program %d, %+v, --fail-on %s: %d, want %d", tc.program, tc.sum, tc.failOn, got, tc.want)
		}
	}
	if _, err := ParseFailOn("off"); err == nil {
		t.Error("--fail-on off is accepted")
	}
}

// TestSnapshotWhileReporting makes a report while the checks run, as SIGINT does.
func TestSnapshotWhileReporting(t *testing.T) {
	c := NewCollector(Config{Limit: 2}, &recorder{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 2000 {
			c.Report(occurrence("A:B", fmt.Sprint(i%50), i%7))
		}
	})
	for range 50 {
		findings, sum := c.Snapshot()
		if len(findings) != sum.Error {
			t.Errorf("%d findings, but %d counted", len(findings), sum.Error)
		}
	}
	wg.Wait()
}

// BenchmarkRepeated measures another occurrence of a finding: some programs cause one with each message.
func BenchmarkRepeated(b *testing.B) {
	rules, err := NewRules(known, "LOCAL:MEMORY:*=warning")
	if err != nil {
		b.Fatal(err)
	}
	c := NewCollector(Config{Rules: rules, Limit: 10})
	f := occurrence("LOCAL:MEMORY:OVERLAP", "somewhere", 3)
	for b.Loop() {
		c.Report(f)
	}
}

// from returns an occurrence of one cause, with another caller.
func from(caller string, count int, ranks ...int) *Finding {
	f := occurrence("A:B", "cause", ranks[0])
	f.Count, f.Ranks, f.Message = count, ranks, "from "+caller
	f.Sites[0].Stack = append(f.Sites[0].Stack[:1:1], Frame{Function: caller, File: "/src/c.c", Line: 1})
	return f
}

// TestCollectorPaths: occurrences of one cause by several call paths are one finding, and none of the paths is lost.
func TestCollectorPaths(t *testing.T) {
	var sink recorder
	c := NewCollector(Config{}, &sink)
	for _, f := range []*Finding{
		from("step", 1, 0), from("step", 2, 1), from("setup", 5, 3), from("step", 1, 2), from("setup", 1, 4),
	} {
		c.Report(f)
	}
	if len(sink.findings) != 1 {
		t.Fatalf("%d findings were passed on, want 1", len(sink.findings))
	}
	findings, sum := c.Snapshot()
	f := findings[0]
	if sum.Error != 1 || f.Count != 10 || !reflect.DeepEqual(f.Ranks, []int{0, 1, 2, 3, 4}) || f.NumPaths() != 2 {
		t.Fatalf("got %+v, %+v", f, sum)
	}
	for i, want := range []struct {
		count   int
		ranks   []int
		message string
	}{{4, []int{0, 1, 2}, "from step"}, {6, []int{3, 4}, "from setup"}} {
		p := f.Paths[i]
		if p.Count != want.count || !reflect.DeepEqual(p.Ranks, want.ranks) || p.Message != want.message ||
			p.Sites[0].Stack[1].Function != strings.TrimPrefix(want.message, "from ") {
			t.Errorf("path %d: %+v, want %+v", i, p, want)
		}
	}
}

// TestCollectorManyPaths: memory is bounded, and further paths are counted.
func TestCollectorManyPaths(t *testing.T) {
	c := NewCollector(Config{})
	for i := range 3 * maxPaths {
		for range 2 {
			c.Report(from(fmt.Sprint("f", i), 1, 0))
		}
	}
	findings, _ := c.Snapshot()
	if f := findings[0]; len(f.Paths) != maxPaths || f.NumPaths() != 3*maxPaths || f.Count != 6*maxPaths {
		t.Errorf("%d paths, %d more, %d times", len(f.Paths), f.MorePaths, f.Count)
	}
}

// TestSuppressedPath: a rule for one call path of a cause does not hide the others.
func TestSuppressedPath(t *testing.T) {
	var sink recorder
	c := NewCollector(Config{Suppressions: []*Suppression{{
		Check: "A:B", Frame: FramePattern{Function: "library"},
	}}}, &sink)
	for range 2 {
		c.Report(from("library", 1, 0))
		c.Report(from("mine", 1, 1))
	}
	findings, sum := c.Snapshot()
	if len(findings) != 1 || findings[0].Message != "from mine" || findings[0].Count != 2 {
		t.Errorf("got %+v", findings)
	}
	if sum.Suppressed != 1 || sum.Error != 1 || c.Suppressed()[0].Findings != 1 {
		t.Errorf("got %+v, %v", sum, c.Suppressed()[0])
	}
}
