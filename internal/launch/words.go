package launch

import (
	"errors"
	"strings"
)

// SplitWords splits a command line into words by the shell's rules of quoting. It does not expand anything.
func SplitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	var quote rune
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			// In double quotes, a backslash is special only before a few characters.
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", r) {
				word.WriteByte('\\')
			}
			if r != '\n' {
				word.WriteRune(r)
			}
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if escaped {
		return nil, errors.New("backslash at the end")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
