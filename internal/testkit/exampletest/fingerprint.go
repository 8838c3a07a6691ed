package exampletest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Fingerprint identifies what an example does and where in its file. Comments and trailing spaces do not count, except
// for the options in comments.
func Fingerprint(e *Example) (string, error) {
	source, err := os.ReadFile(e.Path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %q %q %q %q\n", e.NP, e.Args, e.Env, e.Flags, e.CFlags)
	text := string(source)
	if filepath.Ext(e.Path) == ".c" {
		text = withoutComments(text)
	}
	for line := range strings.Lines(text) {
		if filepath.Ext(e.Path) != ".c" {
			line = withoutExpectation(line, filepath.Ext(e.Path))
		}
		fmt.Fprintln(h, strings.TrimRight(line, " \t\n"))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// withoutExpectation removes the comment with an expectation from a line.
func withoutExpectation(line, ext string) string {
	for _, c := range comments(line, ext) {
		if word, _, _ := strings.Cut(c, " "); word == "want" || word == "may" || word == "run:" {
			return strings.TrimRight(line[:strings.Index(line, c)], " \t"+marks[ext])
		}
	}
	return line
}

// withoutComments removes comments of the form /* … */ from a C program. The lines keep their numbers.
func withoutComments(source string) string {
	var out strings.Builder
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '"' || c == '\'':
			end := literal(source[i:])
			out.WriteString(source[i : i+end])
			i += end - 1
		case strings.HasPrefix(source[i:], "/*"):
			comment, _, _ := strings.Cut(source[i+2:], "*/")
			out.WriteString(strings.Repeat("\n", strings.Count(comment, "\n")))
			i += 2 + len(comment) + 1
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// literal returns the length of the string or character that s begins with.
func literal(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0], '\n':
			return i + 1
		}
	}
	return len(s)
}
