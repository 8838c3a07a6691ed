package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// page has what all manual pages show besides the command.
type page struct {
	version string
	date    time.Time
}

// manual returns the manual page of a command, in troff. It changes the texts of the command: cobra takes them for
// Markdown, but they are plain text for the terminal.
func (p page) manual(cmd *cobra.Command) ([]byte, error) {
	cmd.Long = markdown(cmd.Long)
	cmd.Short = strings.TrimPrefix(cmd.Short, "mpivet ") // the page puts the name before it
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(describe)
	var b bytes.Buffer
	header := &doc.GenManHeader{
		Section: "1", Date: &p.date, Source: strings.TrimSpace("mpivet " + p.version), Manual: "User Commands",
	}
	err := doc.GenMan(cmd, header, &b)
	return option.ReplaceAll(b.Bytes(), []byte(".TP\n$1\n")), err
}

// option is a flag in troff, as cobra writes it: a paragraph with a tab before the description, and a strange value if
// the flag needs none. A tagged paragraph is indented as a whole.
var option = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*?)(?:\[=[a-z]+\])?\n[\t ]+`)

// special are the characters that have a meaning in Markdown.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<>~#|]")

func escape(text string) string { return special.ReplaceAllString(text, `\$0`) }

// markdown returns a text of a command as Markdown. Indented lines are examples.
func markdown(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
		} else {
			lines[i] = escape(line)
		}
	}
	return strings.Join(lines, "\n")
}

// shown is the value of a flag on a manual page. Cobra shows the values of strings in quotes, but not those of other
// types.
type shown struct{ pflag.Value }

func (shown) Type() string { return "" }

// describe changes a flag so that the page shows the name of its value, as --help does, and the default in the text.
func describe(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	f.Usage = escape(usage)
	if f.NoOptDefVal != "" { // it needs no value
		return
	}
	if !slices.Contains([]string{"", "0", "-1", "[]"}, f.DefValue) { // these mean that there is no default
		f.Usage += " (default " + escape(f.DefValue) + ")"
	}
	f.DefValue, f.Value = name, shown{f.Value}
}
