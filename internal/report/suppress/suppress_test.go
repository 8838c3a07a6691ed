package suppress_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report/suppress"
)

var known = []finding.Check{
	{Name: "LOCAL:REQUEST:NOT_FREED", Severity: finding.Warning},
	{Name: "GLOBAL:MSG:PENDING", Severity: finding.Warning},
}

func read(t *testing.T, text string) ([]*finding.Suppression, error) {
	t.Helper()
	rules, err := finding.NewRules(known)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "known.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return suppress.ReadFile(path, rules)
}

func TestReadFile(t *testing.T) {
	list, err := read(t, `
# what we know
- check: LOCAL:*:NOT_FREED
  module: libhdf5.so*
  reason: the library keeps them

- check: GLOBAL:MSG:PENDING
  function: "finish"
  file: src/io.c
  lines: 120-140
  frame: caller
  reason: >
    for
    nobody
- {check: LOCAL, lines: 7, file: a.c, reason: x}
- check: LOCAL
  stacks:
    - - {function: put, file: put.c, lines: "7"}
      - function: main
    - - {module: a.out}
  reason: y
- check: LOCAL
  stacks: []
  reason: z
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []finding.Suppression{
		{
			Check: "LOCAL:*:NOT_FREED", Reason: "the library keeps them",
			Frame: finding.FramePattern{Module: "libhdf5.so*"}, Origin: "3",
		},
		{
			Check: "GLOBAL:MSG:PENDING", Reason: "for nobody", Caller: true, Origin: "7",
			Frame: finding.FramePattern{Function: "finish", File: "src/io.c", First: 120, Last: 140},
		},
		{Check: "LOCAL", Reason: "x", Frame: finding.FramePattern{File: "a.c", First: 7, Last: 7}, Origin: "15"},
		{Check: "LOCAL", Reason: "y", Origin: "16", Stacks: [][]finding.FramePattern{
			{{Function: "put", File: "put.c", First: 7, Last: 7}, {Function: "main"}}, {{Module: "a.out"}},
		}},
		{Check: "LOCAL", Reason: "z", Origin: "22", Stacks: [][]finding.FramePattern{}},
	}
	if len(list) != len(want) {
		t.Fatalf("%d rules, want %d", len(list), len(want))
	}
	for i, got := range list {
		got.Origin = got.Origin[strings.LastIndexByte(got.Origin, ':')+1:]
		if !reflect.DeepEqual(*got, want[i]) {
			t.Errorf("rule %d: got %+v, want %+v", i, *got, want[i])
		}
	}
	if list, err := read(t, "# nothing\n"); err != nil || len(list) > 0 {
		t.Errorf("an empty file: %v, %v", list, err)
	}
	if list, err := read(t, "[]\n"); err != nil || len(list) > 0 {
		t.Errorf("an empty list: %v, %v", list, err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"LOCAL:REQUEST:NOT_FREED function=x\n":        "known.yaml:1: want a list of rules",
		"check: LOCAL\nreason: x":                     "known.yaml:1: want a list of rules",
		"- LOCAL":                                     "known.yaml:1: want a rule",
		"- check: LOCAL\n  reason: x\n- check: LOCAL": "known.yaml:3: the rule has no reason",
		"- check: LOCAL\n  reason: '  '":              "known.yaml:1: the rule has no reason",
		"- reason: x":                                 "known.yaml:1: the rule has no check",
		"- check: LOCAL:REQEST\n  reason: x": "known.yaml:1: no check matches \"LOCAL:REQEST\": did " +
			"you mean LOCAL:REQUEST?",
		"- check: LOCAL\n  reason: x\n  fun: y":            "known.yaml:3: ",
		"- check: LOCAL\n  reason: [x]":                    "known.yaml:2: ",
		"- check: LOCAL\n  reason: x\n  lines: 7":          "known.yaml:1: lines: say of which file",
		"- {check: LOCAL, reason: x, file: a, lines: 7-}":  `known.yaml:1: lines: "7-" is neither a line nor a range`,
		"- {check: LOCAL, reason: x, file: a, lines: 9-7}": `"9-7" is neither`,
		"- {check: LOCAL, reason: x, file: a, lines: 0}":   `"0" is neither`,
		"- {check: LOCAL, reason: x, file: a, frame: top}": `frame: "top" is neither any nor caller`,
		"- {check: LOCAL, reason: x, frame: caller}":       "frame: caller needs a function",
		"- {check: LOCAL, reason: x, stacks: [[]]}":        "one of them has no frames",
		"- {check: LOCAL, reason: x, file: a, stacks: []}": "either stacks or conditions",
		"- check: LOCAL\n reason: x":                       "known.yaml:",
	} {
		_, err := read(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want a line with %q", text, err, want)
		}
	}
	if _, err := suppress.ReadFile("/no/such/file", nil); err == nil {
		t.Error("no error for a missing file")
	}
}

func at(function string, line int) []finding.Frame {
	return []finding.Frame{
		{Function: function, File: "/src/lib/" + function + ".c", Line: line, Module: "prog"},
		{Function: "operator*", File: "/usr/x.h", Line: 3, Module: "prog"},
		{Function: "main", File: "/src/main.c", Line: 10, Module: "prog"},
		{Function: "__libc_start_main", Module: "libc.so.6"},
	}
}

// TestWritten: the written rules suppress the findings that they were made of, and no others.
func TestWritten(t *testing.T) {
	report := func(key string, sites ...finding.Site) *finding.Finding {
		return &finding.Finding{
			Check: "LOCAL:REQUEST:NOT_FREED", Key: key, Severity: finding.Warning, Sites: sites,
			Message: "It's: \"odd\" # here\nand more",
		}
	}
	written := []*finding.Finding{
		report("one", finding.Site{Stack: at("put", 7)}),
		report("two", finding.Site{Stack: at("put", 8)}, finding.Site{Rank: 1, Stack: at("get", 8)}),
		report("another line", finding.Site{Rank: 5, Stack: at("put", 9)}),
		report("bare", finding.Site{}),
		report("stripped", finding.Site{Stack: []finding.Frame{{Function: "a.out+0x1234", Module: "a.out"}}}),
	}
	others := []*finding.Finding{
		report("other function", finding.Site{Stack: at("set", 7)}),
		report("half of it", finding.Site{Stack: at("get", 8)}),
		report("more of it", finding.Site{Stack: at("put", 7)}, finding.Site{Rank: 1, Stack: at("set", 8)}),
		report("deeper", finding.Site{Stack: append([]finding.Frame{{Function: "inner"}}, at("put", 7)...)}),
		report("other offset", finding.Site{Stack: []finding.Frame{{Function: "a.out+0x1238", Module: "a.out"}}}),
	}
	pending := report("other check", finding.Site{Stack: at("put", 7)})
	pending.Check = "GLOBAL:MSG:PENDING"
	others = append(others, pending)

	text, err := suppress.Format(written, "/src")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "- check:"); n != 4 {
		t.Errorf("%d rules, want 4:\n%s", n, text)
	}
	if !strings.Contains(string(text), "file: lib/put.c") {
		t.Errorf("files are not named relative to the directory:\n%s", text)
	}
	rules, err := read(t, string(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	c := finding.NewCollector(finding.Config{Suppressions: rules})
	for _, f := range written {
		if c.Severity(f) != finding.Off {
			t.Errorf("%s is not suppressed by\n%s", f.Key, text)
		}
	}
	for _, f := range others {
		if c.Severity(f) == finding.Off {
			t.Errorf("%s is suppressed by\n%s", f.Key, text)
		}
	}
	if text, err = suppress.Format(nil, "/"); err != nil {
		t.Fatal(err)
	}
	if rules, err = read(t, string(text)); err != nil || len(rules) > 0 {
		t.Errorf("without findings: %v, %v", rules, err)
	}
}
