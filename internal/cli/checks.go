package cli

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mpivet/mpivet/internal/check"
	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
)

func checksCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "checks [PATTERN]",
		Short: "List the checks",
		Long: `Checks lists all checks, or those whose names match a pattern of --check. It prints
the name, the severity, and the error that the check reports. Checks marked
"portability" report code that worked in this run, but need not work elsewhere.
--profile practical switches them off.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("mpivet checks takes one pattern, but there is also %q", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			n := 0
			for _, c := range all.Checks() {
				if len(args) > 0 && !finding.MatchCheck(args[0], c.ID) {
					continue
				}
				n++
				title := c.Title
				if c.Portability {
					title += " (portability)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Severity, title)
			}
			if n == 0 {
				_, err := finding.NewRules(knownChecks(), args[0]+"=on")
				return usageError{err}
			}
			return w.Flush()
		},
	}
}

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain CHECK",
		Short: "Explain a check: its rule, an example, what to do",
		Long: `Explain prints the rule of a check, wrong and right code in C and in Fortran, how
the check decides, and its options. The argument is the name of a check, a part
of it, or words of its title. If several checks match, it lists them.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("mpivet explain needs the name of a check, or a word: mpivet checks lists all checks")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = []string{strings.Join(args, " ")}
			found := findChecks(args[0])
			switch len(found) {
			case 0:
				_, err := finding.NewRules(knownChecks(), args[0]+"=on")
				if err == nil {
					err = fmt.Errorf("no check %q: mpivet checks lists them all", args[0])
				}
				return usageError{err}
			case 1:
				c := found[0]
				fmt.Fprintf(cmd.OutOrStdout(), "%s (%s)\n%s\n\n%s", c.ID, c.Severity, c.Title, check.Plain(c.Text()))
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, c := range found {
				fmt.Fprintf(w, "%s\t%s\n", c.ID, c.Title)
			}
			return w.Flush()
		},
	}
}

// findChecks returns the checks that a name may mean: the check with this name, else the check of which it is a
// sub-name, else the only check whose name contains it, else all checks whose names or titles contain its words.
func findChecks(name string) []*check.Check {
	words := strings.Fields(strings.ToLower(name))
	name = strings.ToUpper(name)
	var exact, parent, part, named []*check.Check
	for _, c := range all.Checks() {
		switch {
		case c.ID == name:
			exact = append(exact, c)
		case strings.HasPrefix(name, c.ID+":"):
			parent = append(parent, c)
		case strings.Contains(c.ID, name):
			part, named = append(part, c), append(named, c)
		case containsAll(strings.ToLower(c.ID+" "+c.Title), words):
			named = append(named, c)
		}
	}
	switch {
	case len(exact) > 0:
		return exact
	case len(parent) > 0:
		return parent[len(parent)-1:]
	case len(part) == 1:
		return part
	}
	return named
}

func containsAll(s string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
}

// The profiles.
const (
	portable  = "portable"  // the program must be correct with every MPI
	practical = "practical" // the program must work in this run
)

// profileRules returns the rules of a profile, in the form of --check.
func profileRules(profile string) (rules []string) {
	if profile != practical {
		return nil
	}
	for _, c := range all.Checks() {
		if c.Portability {
			rules = append(rules, c.ID+"=off")
		}
	}
	return rules
}

// knownChecks returns the checks in the form that rules need.
func knownChecks() []finding.Check {
	var out []finding.Check
	for _, c := range all.Checks() {
		out = append(out, finding.Check{Name: c.ID, Severity: c.Severity})
	}
	return out
}
