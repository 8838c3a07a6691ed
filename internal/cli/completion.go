package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// completer returns the words that a shell may offer. The shell keeps those that begin with the word to complete.
type completer = cobra.CompletionFunc

// argumentCompleters has the commands whose arguments are not files. Shells complete the others as files.
var argumentCompleters = map[string]completer{
	"checks":      first(completeChecks),
	"explain":     first(completeChecks),
	"ps":          first(completeRuns),
	"gdb":         first(completeDebuggees),
	"type":        cobra.NoFileCompletions,
	"build":       cobra.NoFileCompletions,
	"dbg-library": cobra.NoFileCompletions,
	"version":     cobra.NoFileCompletions,
}

// flagCompleters has the flags whose values are neither files nor of a type that tells the values.
var flagCompleters = map[string]completer{
	"check":    completeRules,
	"break-on": completeBreaks,
	"mpi":      completeMPIs,
}

// addCompletions tells cobra how shells complete the arguments and flags of all commands.
func addCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if c := argumentCompleters[cmd.Name()]; c != nil {
			cmd.ValidArgsFunction = c
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if c := flagCompleter(f); c != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, c) // cannot fail: the flag exists and has none yet
			}
		})
	}
}

// flagCompleter returns the completer of a flag, or nil if its values are files.
func flagCompleter(f *pflag.Flag) completer {
	if e, ok := f.Value.(enum); ok {
		return cobra.FixedCompletions(e.values, cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Value.Type() {
	case "int", "int64", "duration":
		return cobra.NoFileCompletions
	}
	return flagCompleters[f.Name]
}

// first completes only the first argument.
func first(c completer) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c(cmd, args, word)
	}
}

func completeChecks(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, c := range all.Checks() {
		names = append(names, cobra.CompletionWithDesc(c.ID, c.Title))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeRules completes a value of --check: the name of a check first, and then what is to become of it.
func completeRules(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	if pattern, _, named := strings.Cut(word, "="); named {
		for _, value := range []string{"on", "off", "warning", "error"} {
			words = append(words, pattern+"="+value)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	for _, c := range all.Checks() {
		words = append(words, cobra.CompletionWithDesc(c.ID+"=", c.Title))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeBreaks(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, directive := completeChecks(cmd, args, word)
	return append([]cobra.Completion{"error", "warning"}, names...), directive
}

// completeMPIs offers the names of MPIs. If none of them matches, the shell completes files.
func completeMPIs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"mpich", "openmpi"}, cobra.ShellCompDirectiveDefault
}

// completeRuns offers this user's runs.
func completeRuns(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return ownRuns(), cobra.ShellCompDirectiveNoFileComp
}

// completeDebuggees offers this user's runs. If none of them matches, the shell completes files, for core files.
func completeDebuggees(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return ownRuns(), cobra.ShellCompDirectiveDefault
}

func ownRuns() (names []cobra.Completion) {
	for _, s := range ring.Sessions(ring.Options{}) {
		if s.UID == os.Getuid() {
			names = append(names, s.Name)
		}
	}
	return names
}
