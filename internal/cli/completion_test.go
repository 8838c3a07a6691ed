package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestCompletion: shells offer checks and the values of flags. After the program's name, all words are the program's.
func TestCompletion(t *testing.T) {
	for _, k := range []struct {
		line string // up to the word to complete, which is after the last blank
		want string // the words that are offered
		end  string // what else the shell does: 0 offers files, 4 does not, 6 adds no blank either
	}{
		{"run --fail-on ", "fatal error warning never", ":4"},
		{"exec --on-error=", "abort continue pause gdb", ":4"},
		{"replay --color ", "auto always never", ":4"},
		{"run --json ", "", ":0"},
		{"run --limit ", "", ":4"},
		{"run --mpi ", "mpich openmpi", ":0"},
		{"run --check LOCAL:MPI:*=", "LOCAL:MPI:*=on LOCAL:MPI:*=off LOCAL:MPI:*=warning LOCAL:MPI:*=error", ":4"},
		{"run -n 2 ", "", ":0"},
		{"run -n 2 ./a.out --", "", ":0"},
		{"replay ", "", ":0"},
		{"version ", "", ":4"},
		{"explain LOCAL:MPI:CALL_FAILED ", "", ":4"},
	} {
		words, end := completions(t, k.line)
		if strings.Join(words, " ") != k.want || end != k.end {
			t.Errorf("%q gives %q and %s, want %q and %s", k.line, words, end, k.want, k.end)
		}
	}
	for line, want := range map[string]string{
		"explain ": "LOCAL:MEMORY:OVERLAP", "checks ": "LOCAL:MEMORY:OVERLAP", "run --check ": "LOCAL:MEMORY:OVERLAP=",
		"run --break-on ": "LOCAL:MEMORY:OVERLAP", "run --fail": "--fail-on", "": "explain",
	} {
		if words, _ := completions(t, line); !strings.Contains(" "+strings.Join(words, " ")+" ", " "+want+" ") {
			t.Errorf("%q does not give %s, but %q", line, want, words)
		}
	}
	if words, _ := completions(t, ""); strings.Contains(strings.Join(words, " "), "inspect") {
		t.Errorf("hidden commands are offered: %q", words)
	}
}

// completions returns the words that are offered for the last word of a line, and the number that tells the shell what
// else to do.
func completions(t *testing.T, line string) (words []string, end string) {
	t.Helper()
	var out, ignored bytes.Buffer
	cmd := Command()
	cmd.SetOut(&out)
	cmd.SetErr(&ignored)
	cmd.SetArgs(append([]string{"__complete"}, strings.Split(line, " ")...))
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(out.String()) {
		word, _, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if strings.HasPrefix(word, ":") {
			return words, word
		}
		words = append(words, word)
	}
	t.Fatalf("%q: there is no end: %s", line, &out)
	return nil, ""
}
