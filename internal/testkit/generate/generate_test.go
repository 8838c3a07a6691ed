package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/pipeline"
)

type collected []*finding.Finding

func (c *collected) Report(f *finding.Finding) { *c = append(*c, f) }

// analyse runs a program and returns the findings of the analysis. starved: ranks may seem to be stopped for a while.
// Then a send that waits for no receive may look like one that waits, as it has not returned for a long time.
func analyse(p *Program, seed uint64, starved bool) (collected, *Run, error) {
	run := Execute(p, seed)
	var got collected
	a := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &got})
	run.Deliver(a, seed, starved)
	a.Finish()
	if a.Trouble() != "" {
		return got, run, fmt.Errorf("the analysis broke: %s", a.Trouble())
	}
	if n := a.Tracker.Damaged(); n > 0 {
		return got, run, fmt.Errorf("%d records make no sense", n)
	}
	return got, run, nil
}

// wrong returns what is wrong with the analysis of a correct program, "" if nothing is.
func wrong(p *Program, seed uint64) string {
	got, run, err := analyse(p, seed, true)
	if err != nil {
		return err.Error()
	}
	if len(run.Hung) > 0 {
		return fmt.Sprintf("the program is not correct: %v", run.Hung)
	}
	var list []string
	for _, f := range got {
		if f.Severity > finding.Info || f.Check != "GLOBAL:MSG:RACE" {
			list = append(list, fmt.Sprintf("%s: %v on ranks %v: %s\n%s", f.Check, f.Severity,
				f.Ranks, f.Message, sites(f)))
		}
	}
	return strings.Join(list, "\n")
}

func sites(f *finding.Finding) string {
	var b strings.Builder
	for _, s := range f.Sites {
		at := ""
		if len(s.Stack) > 0 {
			_, call := Where(s.Stack[0].PC)
			at = fmt.Sprintf(" (%d.%d)", s.Rank, call)
		}
		fmt.Fprintf(&b, "   %s: %s%s\n", s.Role, s.Call, at)
	}
	return b.String()
}

// smaller returns options for a program with fewer actions that is still wrong in the same way.
func smaller(o Options, wrong func(Options) string) (Options, string) {
	why := wrong(o)
	kind, _, _ := strings.Cut(why, ":")
	o.Skip = make(map[int]bool)
	for again := true; again; {
		again = false
		for i := range 40 {
			if o.Skip[i] {
				continue
			}
			o.Skip[i] = true
			if w := wrong(o); w != "" && strings.HasPrefix(w, kind) {
				why, again = w, true
			} else {
				delete(o.Skip, i)
			}
		}
	}
	return o, why
}

// text prints a program in a readable form.
func text(p *Program) string {
	var b strings.Builder
	for r, calls := range p.Ranks {
		for i, c := range calls {
			fmt.Fprintf(&b, "%d.%d %s(", r, i, c.Func)
			f := mpiapi.ByName(c.Func)
			for j, name := range slices.Sorted(maps.Keys(c.Args)) {
				if j > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "%s=%v", name, c.Args[name])
			}
			_ = f
			fmt.Fprintf(&b, ") flag=%v total=%d\n", c.Flag, c.Total)
		}
	}
	return b.String()
}

// TestCorrectPrograms: correct programs give no finding, however they are executed and read.
func TestCorrectPrograms(t *testing.T) {
	for seed, b := *from, newBudget(*streams); b.spend(); seed++ {
		o := Options{Isendrecv: true}
		if wrong(New(seed, o), seed) == "" {
			continue
		}
		tries := func(o Options) string {
			p := New(seed, o)
			for s := range uint64(30) {
				if w := wrong(p, seed+s); w != "" {
					return w
				}
			}
			return ""
		}
		o, why := smaller(o, tries)
		t.Fatalf("seed %d: %s\nreduced:\n%s%s", seed, why, text(New(seed, o)),
			again("TestCorrectPrograms$", seed, "streams"))
	}
}
