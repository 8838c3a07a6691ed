// Package wholerun runs the whole analysis on programs of package fakerun, for tests.
package wholerun

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	"github.com/mpivet/mpivet/internal/testkit/fakerun"
)

// Findings are the findings of all checks.
type Findings []*finding.Finding

// Report implements pipeline.Reporter.
func (c *Findings) Report(f *finding.Finding) { *c = append(*c, f) }

// Names returns each check with findings, and the ranks that it names.
func (c Findings) Names() []string {
	var s []string
	for _, f := range c {
		s = append(s, fmt.Sprintf("%s %v", f.Check, f.Ranks))
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// Analyse runs the whole analysis of a program. It reads the records in several ways, which must all give the same
// findings.
func Analyse(t *testing.T, build func() *fakerun.Program) Findings {
	t.Helper()
	var want Findings
	for _, n := range []int{1, 3, 1000} {
		for first := range 2 {
			var got Findings
			p := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
			build().Deliver(p, n, first)
			p.Finish()
			if p.Trouble() != "" {
				t.Fatal(p.Trouble())
			}
			if bad := p.Tracker.Damaged(); bad != 0 {
				t.Fatalf("%d records were not understood", bad)
			}
			if want == nil {
				want = append(Findings{}, got...)
			}
			if g, w := got.Names(), want.Names(); !slices.Equal(g, w) {
				t.Fatalf("read in batches of %d from rank %d: found %v, before %v", n, first, g, w)
			}
		}
	}
	return want
}
