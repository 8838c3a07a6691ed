package config

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// FuzzParse: any content of a file gives settings of flags, or an error in one line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"limit: 1\ncheck: {a: on}\n", "check: [a, b]", "limit: &x 3\nother: *x", "<<: {limit: 1}", "limit: !!int 3",
		"? limit\n: 3", "limit: |\n  3\n", "[", "\t", "limit: {",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.Int("limit", 0, "")
		fs.StringArray("check", nil, "")
		if err := fs.SetAnnotation("check", Pairs, []string{"true"}); err != nil {
			t.Fatal(err)
		}
		settings, err := parse("file", []byte(text), fs)
		if err == nil {
			err = Apply(fs, settings)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "file:")) {
			t.Errorf("error %q", err)
		}
	})
}
