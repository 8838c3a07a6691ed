package jsonreport_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/report"
	"github.com/mpivet/mpivet/internal/report/jsonreport"
	"github.com/mpivet/mpivet/internal/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func render(t *testing.T, findings []*finding.Finding, sum finding.Summary) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jsonreport.New(reporttest.Run(), findings, sum).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	findings, sum := reporttest.Findings()
	got := render(t, findings, sum)
	path := filepath.Join("testdata", "report.golden")
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
	// The document does not depend on the order of the findings.
	slices.Reverse(findings)
	if again := render(t, findings, sum); !bytes.Equal(got, again) {
		t.Error("the order of findings shows")
	}
}

// TestSchema checks that no list or object is null. Tools rely on this.
func TestSchema(t *testing.T) {
	var b bytes.Buffer
	f := &finding.Finding{Check: "X", Severity: finding.Fatal, Sites: []finding.Site{{}}}
	if err := jsonreport.New(&report.Run{}, []*finding.Finding{f}, finding.Summary{}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("null")) {
		t.Errorf("null in\n%s", &b)
	}
	var d jsonreport.Document
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != "mpivet/1" || d.Findings[0].Severity != "fatal" {
		t.Errorf("%+v", d)
	}
}

func TestWriteFile(t *testing.T) {
	findings, sum := reporttest.Findings()
	doc := jsonreport.New(reporttest.Run(), findings, sum)
	want := render(t, findings, sum)
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("report.json", link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path, link, "/dev/null"} {
		if err := doc.WriteFile(p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("file holds %d bytes, want %d: %v", len(got), len(want), err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	if err := doc.WriteFile(filepath.Join(dir, "no", "such", "dir.json")); err == nil {
		t.Error("no error for a missing directory")
	}
}

// TestReadFile: the findings read from a report are at the same places, so the report can be the baseline of the next
// run.
func TestReadFile(t *testing.T) {
	findings, sum := reporttest.Findings()
	findings[0].Known = true
	sum.Known = 1
	run := reporttest.Run()
	run.Suppressions = []finding.SuppressionCount{{Suppression: &finding.Suppression{
		Check: "LOCAL", Reason: "why",
		Origin: "known.yaml:3",
	}, Findings: 2}}
	path := filepath.Join(t.TempDir(), "out.json")
	if err := jsonreport.New(run, findings, sum).WriteFile(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var d jsonreport.Document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Suppressions) != 1 ||
		d.Suppressions[0] != (jsonreport.Suppression{
			Check: "LOCAL", Reason: "why", Origin: "known.yaml:3",
			Findings: 2,
		}) {
		t.Errorf("suppressions: %+v", d.Suppressions)
	}
	if n := slices.IndexFunc(d.Findings, func(f jsonreport.Finding) bool { return f.Known }); n < 0 ||
		d.Summary.Known != 1 {
		t.Errorf("nothing is known: %+v", d.Summary)
	}
	earlier, err := jsonreport.ReadFile(path)
	if err != nil || len(earlier) != len(findings) {
		t.Fatalf("%d findings, want %d: %v", len(earlier), len(findings), err)
	}
	c := finding.NewCollector(finding.Config{Baseline: finding.NewBaseline(earlier, nil)})
	for _, f := range findings {
		c.Report(f)
	}
	if got, want := c.Summary(), (finding.Summary{Known: len(findings)}); got != want {
		t.Errorf("the same findings again: %+v, want %+v", got, want)
	}
	if err := os.WriteFile(path, []byte(`{"schema":"other"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := jsonreport.ReadFile(path); err == nil {
		t.Error("no error for another schema")
	}
}
