package finding

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Suppressions is a list of findings that the user does not want to see. The file has a line for each:
//
//	CHECK [function=PATTERN] [file=PATTERN] [module=PATTERN]
//
// CHECK is a pattern as in [MatchCheck]. The conditions must all hold for one frame of a call stack of the finding; without
// conditions every finding of the check is meant. In their patterns "*" is any run of characters and "?" any one; a file is
// matched by its absolute path, or by its last parts if the pattern does not begin with "/" or "*", and may end in ":LINE".
// A value with spaces is put in double quotes. "#" begins a comment. For example:
//
//	LOCAL:REQUEST:NOT_FREED  function=HPCC_Power2NodesTime   # known, fixed in 1.5
//	LOCAL:*:NOT_FREED        module=libhdf5.so*
//	GLOBAL:MSG:PENDING       file=src/io.c:120
type Suppressions struct {
	list []suppression
}

type suppression struct {
	check                  string
	function, file, module string // "": any
	line                   int    // 0: any
}

// ReadSuppressions reads suppressions from a file. Rules, if not nil, are asked whether the checks exist. Errors name file
// and line.
func ReadSuppressions(path string, rules *Rules) (*Suppressions, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	s := new(Suppressions)
	if err := s.Parse(f, path, rules); err != nil {
		return nil, err
	}
	return s, nil
}

// Parse adds the suppressions in r, which is called name in errors.
func (s *Suppressions) Parse(r io.Reader, name string, rules *Rules) error {
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		fields, err := splitFields(sc.Text())
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if len(fields) == 0 {
			continue
		}
		if rules != nil {
			if err := rules.validate(fields[0]); err != nil {
				return fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
		e := suppression{check: fields[0]}
		for _, f := range fields[1:] {
			key, value, ok := strings.Cut(f, "=")
			if !ok || value == "" {
				return fmt.Errorf("%s:%d: %q: want function=…, file=… or module=…", name, n, f)
			}
			switch key {
			case "function":
				e.function = value
			case "module":
				e.module = value
			case "file":
				e.file = value
				if at := strings.LastIndexByte(value, ':'); at > 0 {
					if line, err := strconv.Atoi(value[at+1:]); err == nil && line > 0 {
						e.file, e.line = value[:at], line
					}
				}
				if e.file[0] != '/' && e.file[0] != '*' {
					e.file = "*/" + e.file
				}
			default:
				return fmt.Errorf("%s:%d: unknown condition %q: want function, file or module", name, n, key)
			}
		}
		s.list = append(s.list, e)
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// splitFields splits a line at blanks outside of double quotes and drops a comment.
func splitFields(line string) ([]string, error) {
	var fields []string
	var field strings.Builder
	quoted, started := false, false
	for _, c := range line {
		switch {
		case c == '"':
			quoted, started = !quoted, true
		case !quoted && c == '#' && !started:
			return fields, nil
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if started {
				fields = append(fields, field.String())
				field.Reset()
				started = false
			}
		default:
			field.WriteRune(c)
			started = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed")
	}
	if started {
		fields = append(fields, field.String())
	}
	return fields, nil
}

// match tells whether a finding is suppressed.
func (s *Suppressions) match(f *Finding) bool {
	if s == nil {
		return false
	}
	for i := range s.list {
		if s.list[i].match(f) {
			return true
		}
	}
	return false
}

func (e *suppression) match(f *Finding) bool {
	if !MatchCheck(e.check, f.Check) {
		return false
	}
	if e.function == "" && e.file == "" && e.module == "" {
		return true
	}
	for i := range f.Sites {
		for j := range f.Sites[i].Stack {
			fr := &f.Sites[i].Stack[j]
			if (e.function == "" || matchText(e.function, fr.Function)) &&
				(e.file == "" || matchText(e.file, fr.File) && (e.line == 0 || e.line == fr.Line)) &&
				(e.module == "" || matchText(e.module, fr.Module)) {
				return true
			}
		}
	}
	return false
}
