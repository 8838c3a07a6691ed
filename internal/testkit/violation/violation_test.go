package violation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
)

// without are the collectives that are not in the table, with an example in examples/collective for each. Those over a
// group do not return if not all of the group call them, not even in strict mode.
var without = map[string]string{
	"MPI_Finalize":                     "missing_finalize.c",
	"MPI_Comm_free":                    "comm_free_some.c", // matched only at the end
	"MPI_Comm_create_group":            "group_constructor.c",
	"MPI_Comm_create_from_group":       "session_call.c",
	"MPI_Intercomm_create_from_groups": "session_between.c",
}

// TestTable: every collective of the standard is in the table.
func TestTable(t *testing.T) {
	in := make(map[string]bool)
	for _, f := range Forms() {
		in[f.Call.Name] = true
	}
	for _, f := range mpiapi.Funcs() {
		switch {
		case !f.Coll || f.Since == 0 || f.Base != f.ID || without[f.Name] != "":
		case !in[f.Name]:
			t.Errorf("%s is not in the table", f.Name)
		}
	}
	for name, example := range without {
		if in[name] {
			t.Errorf("%s is in the table", name)
		}
		e, err := exampletest.Load(filepath.Join("../../../examples/collective", example))
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Wants) == 0 || !strings.Contains(string(source), name+"(") {
			t.Errorf("%s shows nothing wrong with %s", example, name)
		}
	}
}

// TestCases: every case changes an argument or the function, has a twin, and names an existing check.
func TestCases(t *testing.T) {
	ids := make(map[string]bool)
	for _, c := range all.Checks() {
		ids[c.ID] = true
	}
	names := make(map[string]bool)
	for _, c := range Cases() {
		if names[c.Name()] {
			t.Errorf("two cases are called %q", c.Name())
		}
		names[c.Name()] = true
		if !ids[c.Check] {
			t.Errorf("%s: there is no check %s", c.Name(), c.Check)
		}
		if c.Rule != "order" && !strings.Contains(c.Wrong.Call, "odd(") &&
			!strings.Contains(c.Wrong.Call, "every_other(") {
			t.Errorf("%s: all processes do the same: %s", c.Name(), c.Wrong.Call)
		}
		if strings.Contains(c.Right.Call, "odd(") ||
			c.Right.Call == "" && c.Func.Class == mpiapi.Collective && !strings.HasPrefix(c.Func.Name, "MPI_Comm_") {
			t.Errorf("%s: the twin is %q", c.Name(), c.Right.Call)
		}
	}
	for _, row := range Rows() {
		for _, rule := range row.Rules {
			if !names[row.Func.Name+": "+rule] && !names[row.Func.Name+" between two groups: "+rule] {
				t.Errorf("%s: no case for %q", row.Func.Name, rule)
			}
		}
	}
}

// TestPrograms: a program's expectations are at the lines of its cases. Every case is in a program, and also in a
// program of twins.
func TestPrograms(t *testing.T) {
	wrong, right := 0, 0
	for _, p := range append(Programs(), Twins()...) {
		e, err := exampletest.Parse("/x/"+p.Name+".c", p.Source)
		if err != nil {
			t.Error(err)
			continue
		}
		if e.Twin() {
			right += len(p.Lines)
			continue
		}
		wrong += len(p.Lines)
		if len(e.Wants) != len(p.Lines) {
			t.Errorf("%s has %d cases and %d wants", p.Name, len(p.Lines), len(e.Wants))
		}
		for _, w := range e.Wants {
			if p.Lines[w.Line] == "" {
				t.Errorf("%s: no case at line %d", p.Name, w.Line)
			}
		}
	}
	n, twins := 0, 0
	for _, c := range Cases() {
		n++
		if c.Right.Call != "" {
			twins++
		}
	}
	if wrong != n || right != twins {
		t.Errorf("%d cases, %d in programs; %d twins, %d in programs", n, wrong, twins, right)
	}
}
