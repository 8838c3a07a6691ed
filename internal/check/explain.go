package check

import (
	"fmt"
	"slices"
	"strings"
)

// Sections are the headings of a check's Doc, in this order. Each has a text, and those about a program have code.
var Sections = []string{"Rule", "Why it matters", "Wrong", "Right", "How it is decided", "Not seen", "Options"}

// heading begins the line of a heading.
const heading = "### "

// CheckDoc returns an error if a section of an explanation is missing, is in the wrong order, or has no text or code.
func CheckDoc(doc string) error {
	var names []string
	texts := make(map[string]string)
	for line := range strings.Lines(doc) {
		if name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), heading); ok {
			names = append(names, name)
		} else if len(names) > 0 {
			texts[names[len(names)-1]] += line
		} else if strings.TrimSpace(line) != "" {
			return fmt.Errorf("there is text before the first heading: %q", strings.TrimSpace(line))
		}
	}
	if !slices.Equal(names, Sections) {
		return fmt.Errorf("the headings are %q, want %q", names, Sections)
	}
	for _, name := range names {
		text := texts[name]
		code := strings.Contains(text, "\n    ")
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("there is no text under %q", name)
		}
		if (name == "Wrong" || name == "Right") && !code {
			return fmt.Errorf("there is no code under %q", name)
		}
		if (name == "Wrong" || name == "Right") && !strings.Contains(text, "\nIn Fortran:\n\n    ") {
			return fmt.Errorf("there is no code in Fortran under %q", name)
		}
	}
	return nil
}

// Plain returns an explanation for a terminal: headings in capitals.
func Plain(doc string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(doc) + "\n") {
		if name, ok := strings.CutPrefix(line, heading); ok {
			line = strings.ToUpper(name)
		}
		b.WriteString(line)
	}
	return b.String()
}
