package finding

import (
	"fmt"
	"strings"
)

var severityNames = [...]string{Off: "off", Info: "info", Warning: "warning", Error: "error", Fatal: "fatal"}

// String returns the severity's name in lower case, as in options and JSON.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// ParseSeverity returns the severity with the given name. The name may be "off".
func ParseSeverity(name string) (Severity, error) {
	for s, n := range severityNames {
		if strings.EqualFold(n, name) {
			return Severity(s), nil
		}
	}
	return Off, fmt.Errorf("no severity %q: want fatal, error, warning, info or off", name)
}

// ParseFailOn returns the lowest severity that makes a run fail. Off stands for "never".
func ParseFailOn(name string) (Severity, error) {
	if strings.EqualFold(name, "never") {
		return Off, nil
	}
	s, err := ParseSeverity(name)
	if err != nil || s == Off {
		return Off, fmt.Errorf("can't fail on %q: want fatal, error, warning, info or never", name)
	}
	return s, nil
}

// Summary counts findings, not their occurrences.
type Summary struct {
	Fatal, Error, Warning, Info int
	Suppressed                  int // by suppressions; included in none of the counts above
	Known                       int // in the baseline; included in none of the counts above
	Limited                     int // included above, but not passed on to sinks: too many at one place
	Beyond                      int // included above, but not passed on to sinks: too many in all
}

// Total returns the number of findings, without those suppressed or known.
func (s Summary) Total() int { return s.Fatal + s.Error + s.Warning + s.Info }

// AtLeast returns the number of findings with the given severity or a higher one; 0 if it is Off.
func (s Summary) AtLeast(threshold Severity) int {
	n := 0
	switch threshold {
	case Info:
		n += s.Info
		fallthrough
	case Warning:
		n += s.Warning
		fallthrough
	case Error:
		n += s.Error
		fallthrough
	case Fatal:
		n += s.Fatal
	}
	return n
}

// count changes the count of a severity.
func (s *Summary) count(sev Severity, by int) {
	switch sev {
	case Fatal:
		s.Fatal += by
	case Error:
		s.Error += by
	case Warning:
		s.Warning += by
	case Info:
		s.Info += by
	}
}

// ExitFindings is the exit status of a run with findings at or above the fail-on threshold.
const ExitFindings = 3

// ExitStatus returns the exit status of a run: the program's own status if it failed; else [ExitFindings] if there are
// findings at or above failOn (Off: never); else 0.
func ExitStatus(program int, s Summary, failOn Severity) int {
	switch {
	case program != 0:
		return program
	case s.AtLeast(failOn) > 0:
		return ExitFindings
	}
	return 0
}
