package exampletest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/testkit/mpirun"
)

func parse(t *testing.T, name, source string) *Example {
	t.Helper()
	e, err := Parse("/x/"+name, source)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestParse(t *testing.T) {
	e := parse(t, "a.c", `/* What it shows. */
/* run: np=3 timeout=5s within=2s args="-a b" env=A=1 env="B=2 3" flags="--strict" cflags=-O2 mpi=mpich<5 mpi=openmpi>=4.1 hangs=openmpi,mpich status=4 stdout=any */
int main() {
    f(); /* want "A:B" */
    g(); /* want info "A:B:C" "x(.|\n)*\(y\)" count=2 ranks=0,2 func="ns::g" may "D" */ /* may fatal "E" */
    h(); /* nothing that we want "here" */
} /* want nowhere "F" */
`)
	if e.NP != 3 || e.Timeout != 5*time.Second || e.Within != 2*time.Second ||
		e.Status != 4 || e.Stdout {
		t.Errorf("options: %+v", e)
	}
	for mpi, suits := range map[string]bool{
		"mpich 4.0.2": true, "mpich 5.0": false, "mpich 5.1.1": false, "openmpi 4.0.9": false, "openmpi 4.1.4": true,
		"openmpi 6.0.0rc2": true,
	} {
		name, version, _ := strings.Cut(mpi, " ")
		if e.Recorded(name, version) != suits {
			t.Errorf("it makes sense with %s: %v", mpi, !suits)
		}
		if !e.Hangs.Has(name, version) {
			t.Errorf("it does not hang with %s", mpi)
		}
	}
	if got := strings.Join(append(append(append(e.Args, e.Env...), e.Flags...), e.CFlags...),
		"|"); got != "-a|b|A=1|B=2 3|--strict|-O2" {
		t.Errorf("lists: %s", got)
	}
	if len(e.Wants) != 5 {
		t.Fatalf("%d wants: %+v", len(e.Wants), e.Wants)
	}
	w := e.Wants[1]
	if w.Line != 5 || w.Check != "A:B:C" || w.Severity != "info" || w.Count != 2 || len(w.Ranks) != 2 ||
		w.Ranks[1] != 2 || w.Func != "ns::g" || w.Optional {
		t.Errorf("second want: %+v", w)
	}
	if !w.Says.MatchString("a x\nb (y)") {
		t.Errorf("regular expression %q", w.Says)
	}
	if w := e.Wants[2]; !w.Optional || w.Check != "D" || w.Line != 5 || w.Count != -1 {
		t.Errorf("third want: %+v", w)
	}
	if w := e.Wants[3]; !w.Optional || w.Check != "E" || w.Severity != "fatal" {
		t.Errorf("fourth want: %+v", w)
	}
	if w := e.Wants[4]; w.Line != 0 || w.Check != "F" {
		t.Errorf("fifth want: %+v", w)
	}
}

func TestParseOtherLanguages(t *testing.T) {
	for name, source := range map[string]string{
		"a.f90": "! run: np=2\ncall f() ! want \"X\"\n",
		"a.cc":  "// run: np=2\nf(); // want \"X\"\n",
		"a.py":  "# run: np=2\nf() # want \"X\"\n",
	} {
		if e := parse(t, name, source); e.NP != 2 || len(e.Wants) != 1 || e.Wants[0].Line != 2 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, source, says string }{
		{"a.c", "int main() {}\n", "np=N"},
		{"a.c", "/* run: np=2 */\n", "has a want"},
		{"a_ok.c", "/* run: np=2 */ /* want \"X\" */\n", "no want"},
		{"a_ok.c", "/* run: np=2 */ /* may warning \"X\" */\n", "no want"},
		{"a.c", "/* run: np=2 speed=3 */", "no option"},
		{"a.c", "/* run: np=two */", "two"},
		{"a.c", "/* run: np=2 */\n/* want X */", "a.c:2"},
		{"a.c", "/* run: np=2 */\n/* want \"X */", "not closed"},
		{"a.c", "/* run: np=2 */\n/* want \"X\" \"(\" */", "missing closing"},
		{"a.c", "/* run: np=2 */\n/* want \"X\" size=3 */", "size"},
		{"a.c", "/* run: np=2 */\n/* want info */", "missing"},
		{"a.c", "/* run: np=2 mpi=lam */", "lam"},
	} {
		_, err := Parse("/x/"+c.name, c.source)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want one that says %q", c.source, err, c.says)
		}
	}
}

const program = `/* run: np=2 */
int main() {
    send(); /* want "MSG" "int" count=1 ranks=0,1 */
    recv(); /* want "MSG" func="take" */
    wait(); /* may "HANG" */
}
`

func finding(check, severity, message string, lines ...int) string {
	sites := ""
	for i, line := range lines {
		if i > 0 {
			sites += ","
		}
		fn := "take"
		sites += `{"rank":0,"role":"r","call":"MPI_X()","stack":[{"function":"lib","file":"/usr/lib.c","line":3},` +
			`{"function":"` + fn + `","file":"/x/a.c","line":` + string(rune('0'+line)) +
			`},{"function":"main","file":"/x/a.c","line":2}]}`
	}
	return `{"check":"` + check + `","severity":"` + severity + `","count":1,"ranks":[0,1],"message":"` +
		message + `","sites":[` + sites + `]}`
}

func report(t *testing.T, findings ...string) *mpirun.Report {
	t.Helper()
	r, err := mpirun.ReadReport([]byte(`{"schema":"mpivet/1","findings":[` + strings.Join(findings, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCompare(t *testing.T) {
	e := parse(t, "a.c", program)
	good := finding("MSG", "error", "int and float", 3, 4)
	for _, c := range []struct {
		name     string
		findings []string
		want     []string // beginnings of problems
	}{
		{"as wanted", []string{good}, nil},
		{"optional one", []string{good, finding("HANG", "fatal", "", 5)}, nil},
		{"missing", nil, []string{"MISSING  a.c:3: MSG", "MISSING  a.c:4: MSG"}},
		{"extra check", []string{good, finding("OTHER", "info", "hm", 3)}, []string{"EXTRA    OTHER (info) at a.c:3"}},
		{"extra place", []string{good, finding("MSG", "error", "int", 6)}, []string{"EXTRA    MSG (error) at a.c:6"}},
		{
			"extra without a place",
			[]string{good, finding("MSG", "error", "int")},
			[]string{"EXTRA    MSG (error) without a place"},
		},
		{
			"optional at another place",
			[]string{good, finding("HANG", "fatal", "", 6)},
			[]string{"EXTRA    HANG (fatal) at a.c:6"},
		},
		{
			"wrong line",
			[]string{finding("MSG", "error", "int", 3, 5)},
			[]string{"WRONG    a.c:4: MSG is reported at line 3, 5 instead"},
		},
		{
			"first site wrong",
			[]string{finding("MSG", "error", "int", 6, 3, 4)},
			[]string{"EXTRA    MSG (error) at a.c:6"},
		},
		{
			"no stack",
			[]string{finding("MSG", "error", "int")},
			[]string{"WRONG    a.c:3: MSG is reported without a place", "WRONG    a.c:4", "EXTRA"},
		},
		{
			"wrong words",
			[]string{finding("MSG", "error", "float", 3, 4)},
			[]string{"WRONG    a.c:3: MSG does not match"},
		},
		{
			"wrong severity",
			[]string{finding("MSG", "warning", "int", 3, 4)},
			[]string{"WRONG    a.c:3: MSG has severity warning, not error", "WRONG    a.c:4"},
		},
		{
			"wrong count",
			[]string{strings.Replace(good, `"count":1`, `"count":2`, 1)},
			[]string{"WRONG    a.c:3: MSG occurs 2 times, not 1"},
		},
		{
			"wrong ranks",
			[]string{strings.Replace(good, `[0,1]`, `[1]`, 1)},
			[]string{"WRONG    a.c:3: MSG concerns ranks [1], not [0 1]"},
		},
		{
			"wrong function",
			[]string{strings.ReplaceAll(good, `"take"`, `"give"`)},
			[]string{"WRONG    a.c:4: MSG is in function \"give\""},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			problems := Compare(e, report(t, c.findings...), func(check string) string {
				return map[string]string{"MSG": "error", "HANG": "fatal"}[check]
			})
			ok := len(problems) == len(c.want)
			for i := range c.want {
				ok = ok && strings.HasPrefix(problems[i], c.want[i])
			}
			if !ok {
				t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(problems, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestNowhere(t *testing.T) {
	e := parse(t, "a.c", "/* run: np=1 */\n/* want nowhere \"KILLED\" */\n")
	none := func(string) string { return "" }
	if p := Compare(e, report(t, finding("KILLED", "fatal", "")), none); p != nil {
		t.Errorf("a finding without a place: %v", p)
	}
	if p := Compare(e, report(t, finding("KILLED", "fatal", "", 2)), none); len(p) != 1 {
		t.Errorf("a finding with a place: %v", p)
	}
}

func TestDifferences(t *testing.T) {
	a, b := finding("A", "error", "m", 3), finding("B", "error", "m", 3)
	if d := Differences(report(t, a, b), report(t, b, a)); d != nil {
		t.Errorf("same in another order: %v", d)
	}
	if d := Differences(report(t, a), report(t, a, b)); len(d) != 1 ||
		!strings.Contains(d[0], `only in the replay: {"check":"B"`) {
		t.Errorf("one more: %v", d)
	}
	if d := Differences(report(t, a), report(t, strings.Replace(a, `"line":3`, `"line":4`, 1))); len(d) != 1 &&
		len(d) != 2 {
		t.Errorf("another line: %v", d)
	}
	if d := Differences(report(t, a, a), report(t, a)); len(d) != 1 {
		t.Errorf("one occurs twice: %v", d)
	}
}

func TestReadReportRefusesOtherSchemas(t *testing.T) {
	if _, err := mpirun.ReadReport([]byte(`{"schema":"mpivet/2"}`)); err == nil {
		t.Error("schema mpivet/2 is accepted")
	}
	if _, err := mpirun.ReadReport([]byte(`{`)); err == nil {
		t.Error("half a report is accepted")
	}
}

// TestExamplesParse: every program under examples/ has valid expectations, and a short explanation on top.
func TestExamplesParse(t *testing.T) {
	paths, err := Find("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 100 {
		t.Errorf("only %d examples found", len(paths))
	}
	names := map[string]bool{}
	for _, path := range paths {
		e, err := Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		name := Name(e)
		if names[name] {
			t.Errorf("two examples are called %s", name)
		}
		names[name] = true
		if filepath.Base(filepath.Dir(path)) == "clean" && !e.Twin() {
			t.Errorf("%s: programs in clean/ end in _ok", path)
		}
	}
}
