package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text harmless for a terminal. Names of files, functions and objects come from the program.
func clean(s string) string {
	ok := true
	for _, r := range s {
		if unicode.IsControl(r) || r == utf8.RuneError {
			ok = false
			break
		}
	}
	if ok {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// wrap breaks a line at spaces, so that no part is longer than width if that is possible. Parts after the first are
// indented by hang. Width 0 keeps the line whole.
func wrap(s string, width, hang int) []string {
	if width == 0 || utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	hang = min(hang, width/2)
	var lines []string
	indent := ""
	for utf8.RuneCountInString(indent)+utf8.RuneCountInString(s) > width {
		// Break at the last space that fits, or else at the first one that does not. Leading spaces are the text's
		// indentation.
		from := len(s) - len(strings.TrimLeft(s, " "))
		limit := width - len(indent)
		at, columns := -1, 0
		for i, r := range s {
			if r == ' ' && i > from {
				if columns > limit && at >= 0 {
					break
				}
				at = i
				if columns > limit {
					break
				}
			}
			columns++
		}
		if at < 0 {
			break
		}
		lines = append(lines, indent+s[:at])
		s = strings.TrimLeft(s[at:], " ")
		indent = strings.Repeat(" ", hang)
	}
	return append(lines, indent+s)
}
