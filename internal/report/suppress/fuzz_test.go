package suppress

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
)

// FuzzParse: any content of a file gives usable rules, or an error in one line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"- check: LOCAL\n  function: x*\n  file: a.c\n  lines: 1-2\n  frame: caller\n  reason: y\n",
		"- {check: LOCAL, stacks: [[{function: x}], []], reason: y}", "- &a {check: x}\n- *a\n- <<: *a\n", "- !!str x",
		"---\n- a\n---\n- b", "[", "- - -", "? a", "\t",
	} {
		f.Add(text)
	}
	rules, err := finding.NewRules([]finding.Check{{Name: "LOCAL:X", Severity: finding.Error}})
	if err != nil {
		f.Fatal(err)
	}
	found := &finding.Finding{
		Check: "LOCAL:X",
		Sites: []finding.Site{{Stack: []finding.Frame{{Function: "x", File: "/a.c", Line: 1}}}, {}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse("file", []byte(text), rules)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("error %q", err)
			}
			return
		}
		for _, s := range list {
			if s.Check == "" || s.Reason == "" || s.Origin == "" {
				t.Errorf("rule %+v", s)
			}
		}
		finding.NewCollector(finding.Config{Suppressions: list}).Severity(found)
	})
}
