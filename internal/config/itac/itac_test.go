package itac_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/config/itac"
)

var checks = []string{
	"GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED", "GLOBAL:MSG:DATATYPE:MISMATCH", "GLOBAL:MSG:PENDING",
	"LOCAL:BUFFER:INSUFFICIENT", "LOCAL:MEMORY:OVERLAP",
}

func read(t *testing.T, text string) (*itac.Configuration, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vt.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := itac.New(checks)
	return c, c.ReadFile(path)
}

// settings formats the settings of a configuration: "limit=5".
func settings(c *itac.Configuration) []string {
	var out []string
	for _, s := range c.Settings {
		out = append(out, s.Flag+"="+strings.Join(s.Values, ","))
	}
	return out
}

func TestOptions(t *testing.T) {
	for _, tc := range []struct {
		text     string
		settings string // separated by spaces
		ignored  string // part of the only line
	}{
		{"# only a comment\n\n", "", ""},
		{"CHECK-SUPPRESSION-LIMIT 5", "limit=5", ""},
		{"check-suppression-limit 0 # any number", "limit=0", ""},
		{"CHECK-MAX-ERRORS 1", "max-errors=1", ""},
		{"CHECK-MAX-REPORTS 0", "max-reports=0", ""},
		{"CHECK-MAX-REPORTS 100", "max-reports=100", "vt.conf:1: CHECK-MAX-REPORTS: no more reports are shown"},
		{"DEADLOCK-WARNING 1m+30s", "no-progress=1m30s", ""},
		{"CHECK-MAX-PENDING 20", "max-pending=20", ""},
		{
			"CHECK-MAX-REQUESTS 50\nCHECK-MAX-DATATYPES 500\nCHECK-LEAK-REPORT-SIZE 5",
			"max-requests=50 max-datatypes=500 leak-report-size=5", "",
		},
		{"DEADLOCK-WARNING 90", "no-progress=1m30s", ""},
		{"DEADLOCK-WARNING 1.5H", "no-progress=1h30m0s", ""},
		{
			"\nDEADLOCK-TIMEOUT 10s", "",
			"vt.conf:2: DEADLOCK-TIMEOUT is ignored: mpivet reports a deadlock within a second",
		},
		{"CHECK-TIMEOUT 5s", "", "CHECK-TIMEOUT is ignored"},
		{"CHECK-TRACING on", "", "--record"},
		{"LOGFILE-NAME \"my trace.stf\"", "", "LOGFILE-NAME is ignored: it is about traces"},
		{"FROBNICATE 3", "", "FROBNICATE is ignored: mpivet does not know this option"},
		{"PCTRACE", "stacks=full", ""},
		{"PCTRACE off", "stacks=off", ""},
		{"PCTRACE 0", "stacks=off", ""},
		{"PCTRACE 1", "stacks=off", ""},
		{"PCTRACE 5", "stacks=full", ""},
		{"PCTRACE 1:5", "stacks=full", ""},
		{"CHECK LOCAL:MEMORY:OVERLAP OFF", "check=LOCAL:MEMORY:OVERLAP=off", ""},
		{"CHECK local:memory:overlap", "check=LOCAL:MEMORY:OVERLAP=on", ""},
		{"CHECK LOCAL:** OFF", "check=LOCAL:BUFFER:INSUFFICIENT=off check=LOCAL:MEMORY:OVERLAP=off", ""},
		{"CHECK LOCAL:*:* OFF", "check=LOCAL:BUFFER:INSUFFICIENT=off check=LOCAL:MEMORY:OVERLAP=off", ""},
		// A star does not match a colon, and the pattern must match the whole name.
		{"CHECK LOCAL:* OFF", "", "CHECK LOCAL:* is ignored: mpivet has no such check"},
		{"CHECK GLOBAL:MSG:* OFF", "check=GLOBAL:MSG:PENDING=off", ""},
		{"CHECK LOCAL:BUFFER:INSUFFICIENT_BUFFER OFF", "check=LOCAL:BUFFER:INSUFFICIENT=off", ""},
		{"CHECK LOCAL:MEMORY:INITIALIZATION OFF", "", "mpivet has no such check"},
		{
			"CHECK ** OFF\nCHECK GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED ON",
			"check=GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED=off check=GLOBAL:MSG:DATATYPE:MISMATCH=off " +
				"check=GLOBAL:MSG:PENDING=off " +
				"check=LOCAL:BUFFER:INSUFFICIENT=off check=LOCAL:MEMORY:OVERLAP=off " +
				"check=GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED=on checksums=true", "",
		},
		{"CHECK global:msg:data_transmission_corrupted ON", "checksums=true", "mpivet has no such check"},
	} {
		c, err := read(t, tc.text)
		if err != nil {
			t.Errorf("%q: %v", tc.text, err)
			continue
		}
		if got := strings.Join(settings(c), " "); got != tc.settings {
			t.Errorf("%q: got %s, want %s", tc.text, got, tc.settings)
		}
		if n := len(c.Ignored); tc.ignored == "" && n > 0 ||
			tc.ignored != "" && (n != 1 || !strings.Contains(c.Ignored[0], tc.ignored)) {
			t.Errorf("%q: said %q, want %q", tc.text, c.Ignored, tc.ignored)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\nCHECK-MAX-ERRORS x":   `vt.conf:2: CHECK-MAX-ERRORS: "x" is not a number`,
		"CHECK-MAX-ERRORS -1":    `"-1" is not a number`,
		"CHECK-MAX-ERRORS":       "want one number",
		"CHECK-MAX-REPORTS 1 2":  "want one number",
		"DEADLOCK-WARNING 5x":    `"5x" is not a time such as 30s`,
		"DEADLOCK-WARNING 9e99w": "is not a time",
		"DEADLOCK-WARNING":       "want one time",
		"CHECK":                  "want CHECK PATTERN ON",
		"CHECK A B C":            "want CHECK PATTERN ON",
		"CHECK ** perhaps":       `"perhaps" is neither on nor off`,
		"PCTRACE sometimes":      `"sometimes" is neither on nor off`,
		"LOGFILE-NAME \"x":       "vt.conf:1: a quote is not closed",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	if err := itac.New(nil).ReadFile("/no/such/file"); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestEnvironment(t *testing.T) {
	c := itac.New(checks)
	env := []string{
		"VT_DEADLOCK_WARNING=2m", "VT_CHECK=GLOBAL:MSG:** off", "VT_LOGFILE_NAME=x", "VT_ROOT=/opt/intel",
		"VT_CONFIG=/x", "PATH=/bin", "XVT_CHECK_MAX_ERRORS=2", "VT_CHECK_MAX_ERRORS=0",
	}
	if err := c.ReadEnvironment(env); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"check=GLOBAL:MSG:DATATYPE:MISMATCH=off", "check=GLOBAL:MSG:PENDING=off", "max-errors=0", "no-progress=2m0s",
	}
	if got := settings(c); !reflect.DeepEqual(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(c.Ignored) != 1 || !strings.HasPrefix(c.Ignored[0], "VT_LOGFILE_NAME: LOGFILE-NAME is ignored") {
		t.Errorf("said %q", c.Ignored)
	}
	if err := c.ReadEnvironment([]string{"VT_CHECK_MAX_ERRORS=x"}); err == nil ||
		!strings.HasPrefix(err.Error(), "VT_CHECK_MAX_ERRORS: ") {
		t.Errorf("error %v", err)
	}
}
