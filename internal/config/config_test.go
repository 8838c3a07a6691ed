package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/mpivet/mpivet/internal/config"
)

// options has flags of all types.
type options struct {
	limit    int
	quiet    bool
	wait     time.Duration
	json     string
	check    []string
	suppress []string
}

func flags(o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	fs.IntVarP(&o.limit, "limit", "l", 10, "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	fs.DurationVar(&o.wait, "no-progress", time.Minute, "")
	fs.StringVar(&o.json, "json", "", "")
	fs.StringArrayVar(&o.check, "check", nil, "")
	fs.StringArrayVar(&o.suppress, "suppress", nil, "")
	fs.String(config.FileFlag, "", "")
	fs.Bool("help", false, "")
	for flag, mark := range map[string]string{"check": config.Pairs, "suppress": config.Input} {
		if err := fs.SetAnnotation(flag, mark, []string{"true"}); err != nil {
			panic(err)
		}
	}
	return fs
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPrecedence: the order of precedence is the command line, the environment, the file, the default. The values of a
// flag that may be repeated are joined, and the last one has priority.
func TestPrecedence(t *testing.T) {
	path := write(t, `
# for our cluster
l: 1
quiet: true
no-progress: 30s
json: from file
check:
  LOCAL:MEMORY:*: off
  "**": warning
suppress: [a.yaml, /b.yaml]
`)
	var o options
	fs := flags(&o)
	if err := fs.Parse([]string{"--json", "from flag", "--check", "C=on"}); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"MPIVET_JSON": "from env", "MPIVET_LIMIT": "2", "MPIVET_CHECK": "B=on, B:C=off,", "MPIVET_SESSION": "x",
		"MPIVET_QUIET": "",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	file, err := config.ReadFile(path, fs)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Apply(fs, config.Environment(lookup, fs), file); err != nil {
		t.Fatal(err)
	}
	want := options{
		limit: 2, quiet: true, wait: 30 * time.Second, json: "from flag",
		check:    []string{"LOCAL:MEMORY:*=off", "**=warning", "B=on", "B:C=off", "C=on"},
		suppress: []string{filepath.Join(filepath.Dir(path), "a.yaml"), "/b.yaml"},
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	if !fs.Changed("no-progress") || fs.Changed("help") {
		t.Error("the flags that were set do not know it")
	}
}

// TestOrder: within a layer, the values of one flag keep their order.
func TestOrder(t *testing.T) {
	var o options
	fs := flags(&o)
	layer := []config.Setting{
		{Flag: "check", Values: []string{"a=on"}},
		{Flag: "limit", Values: []string{"1"}},
		{Flag: "check", Values: []string{"b=on", "c=on"}},
		{Flag: "limit", Values: []string{"2"}},
	}
	if err := config.Apply(fs, layer, []config.Setting{{Flag: "check", Values: []string{"d=on"}}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"d=on", "a=on", "b=on", "c=on"}; !reflect.DeepEqual(o.check, want) || o.limit != 2 {
		t.Errorf("limit %d, check %q, want 2, %q", o.limit, o.check, want)
	}
}

// TestLayersApart: a call of Apply does not change what an earlier call has set.
func TestLayersApart(t *testing.T) {
	var o options
	fs := flags(&o)
	for i, value := range []string{"3", "4"} {
		if err := config.Apply(fs, []config.Setting{
			{Flag: "limit", Values: []string{value}}, {Flag: "unknown here", Values: []string{"x"}},
		}); err != nil {
			t.Fatal(err)
		}
		if o.limit != 3 {
			t.Errorf("limit is %d after layer %d", o.limit, i)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	var o options
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		if s, err := config.ReadFile(write(t, text), flags(&o)); err != nil || len(s) > 0 {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"limit: 1\nlimits: 2":              "m.yaml:2: there is no flag --limits: do you mean limit?",
		"no_progress: 2s":                  "m.yaml:1: there is no flag --no_progress: do you mean no-progress?",
		"jason: x":                         "m.yaml:1: there is no flag --jason: mpivet help run lists them",
		"help: true":                       "m.yaml:1: there is no flag --help",
		"config: other.yaml":               "m.yaml:1: a configuration file can't name another one",
		"quiet: true\n\nlimit: ten":        `m.yaml:3: limit: "ten" is not a whole number`,
		"limit: [1, 2]":                    "m.yaml:1: limit takes a single value",
		"limit:":                           "m.yaml:1: limit has no value",
		"quiet: maybe":                     `m.yaml:1: quiet: "maybe" is neither true nor false`,
		"no-progress: 5":                   `m.yaml:1: no-progress: "5" is not a duration such as 30s or 5m`,
		"suppress:\n- a\n- b: c":           "m.yaml:3: suppress takes a list of single values",
		"suppress:\n  a: b":                "m.yaml:1: suppress takes one value or a list",
		"check:\n  LOCAL: [on]":            "m.yaml:2: want PATTERN: ACTION",
		"- limit":                          "m.yaml:1: want the names of flags with their values",
		"limit":                            "m.yaml:1: want the names of flags with their values",
		"quiet: true\nlimit: 1\n---\nx: 1": "m.yaml:4: a second document begins here",
		"limit: 1\nlimit: 2":               "m.yaml:2: ",
		"limit: 1\nquiet: [":               "m.yaml:2: ",
		"**: off":                          "m.yaml:1: ",
	} {
		var o options
		fs := flags(&o)
		s, err := config.ReadFile(write(t, text), fs)
		if err == nil {
			err = config.Apply(fs, s)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want a line with %q", text, err, want)
		}
	}
	var o options
	fs := flags(&o)
	if _, err := config.ReadFile("/no/such/file", fs); err == nil {
		t.Error("no error for a missing file")
	}
	env := config.Environment(func(name string) (string, bool) { return "x", name == "MPIVET_NO_PROGRESS" }, fs)
	if err := config.Apply(fs, env); err == nil ||
		!strings.Contains(err.Error(), `MPIVET_NO_PROGRESS: no-progress: "x" is not a duration`) {
		t.Errorf("environment: %v", err)
	}
}

// TestUnknown: a variable that looks like the variable of a flag, but is not, is named.
func TestUnknown(t *testing.T) {
	fs := pflag.NewFlagSet("run", pflag.ContinueOnError)
	fs.Int("limit", 0, "")
	fs.String("hidden", "", "")
	_ = fs.MarkHidden("hidden")
	got := config.Unknown([]string{
		"MPIVET_LIMITS=3", "MPIVET_LIMIT=3", "MPIVET_SESSION=x", "PATH=/bin", "MPIVET_HIDDEN=1", "MPIVET_EMPTY=",
		"MPIVET_Q=1",
	}, fs, "MPIVET_SESSION")
	want := []string{
		"MPIVET_HIDDEN has no effect, as there is no flag --hidden: mpivet help run lists them",
		"MPIVET_LIMITS has no effect, as there is no flag --limits: do you mean limit?",
		"MPIVET_Q has no effect, as there is no flag --q: mpivet help run lists them",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
