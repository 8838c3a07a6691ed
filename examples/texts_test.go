package examples

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/testkit/exampletest"
	"github.com/mpivet/mpivet/internal/testkit/recorded"
)

// texts has what mpivet prints for one example of each check, so that a review shows changes of wording.
const texts = "testdata/texts"

var rewriteTexts = flag.Bool("texts", false, "rewrite "+texts)

// shortest returns the example that shows a check best: with the fewest other findings. It returns nil if no recorded
// example with MPICH has a finding of the check.
func shortest(check string, list []*exampletest.Example) (best *exampletest.Example) {
	fewest := 0
	for _, e := range list {
		certain := func(w exampletest.Want) bool { return w.Check == check && !w.Optional }
		if !e.Recorded("mpich", recordedVersions["mpich"]) || !slices.ContainsFunc(e.Wants, certain) {
			continue
		}
		if n := len(e.Wants); best == nil || n < fewest {
			best, fewest = e, n
		}
	}
	return best
}

// TestTexts compares what mpivet prints for one example of each check. To rewrite the texts after a change of wording:
// go test ./examples -run TestTexts -texts
func TestTexts(t *testing.T) {
	paths, err := exampletest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	var list []*exampletest.Example
	for _, path := range paths {
		e, err := exampletest.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	dictionary, err := recorded.ReadDictionary(filepath.Join(recordings, "mpich"))
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, c := range all.Checks() {
		e := shortest(c.ID, list)
		if e == nil {
			continue
		}
		file := filepath.Join(texts, strings.ToLower(strings.ReplaceAll(c.ID, ":", "_"))+".txt")
		known[file] = true
		t.Run(c.ID, func(t *testing.T) { compareText(t, file, e, dictionary) })
	}
	if len(known) < len(all.Checks())*3/4 {
		t.Errorf("only %d of %d checks have an example", len(known), len(all.Checks()))
	}
	files, _ := filepath.Glob(filepath.Join(texts, "*"))
	for _, file := range files {
		if !known[file] {
			t.Errorf("%s is the text of no check: remove it", file)
		}
	}
}

// compareText compares what mpivet prints for an example with a file.
func compareText(t *testing.T, file string, e *exampletest.Example, dictionary recorded.Dictionary) {
	t.Helper()
	fingerprint, err := exampletest.Fingerprint(e)
	if err != nil {
		t.Fatal(err)
	}
	run, err := recorded.Find(recordingOf("mpich", e), dictionary, fingerprint)
	if err != nil {
		t.Skip(err) // TestRecordings says so
	}
	text, err := run.Text(e.Path, append(slices.Clone(e.Env), "MPIVET_SHOW=info"))
	if err != nil {
		t.Fatal(err)
	}
	got := exampletest.Name(e) + "\n\n" + text
	if *rewriteTexts {
		if err := os.MkdirAll(texts, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./examples -run TestTexts -texts rewrites it); got:\n%s", file, got)
	}
}
