package finding

import (
	"fmt"
	"slices"
	"strings"
)

// MatchCheck reports whether a pattern covers the name of a check. Names consist of parts separated by colons. In a
// pattern, "*" matches any characters within a part, and "**" matches any characters including colons. Case does not
// matter. A pattern also covers every name below a name that it matches. So LOCAL:MEMORY, LOCAL:MEMORY:* and
// LOCAL:MEMORY:** all cover LOCAL:MEMORY:OVERLAP, and the name of a check covers its sub-names.
func MatchCheck(pattern, name string) bool {
	pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], ':') {
		if glob(pattern, name[:end], ':') {
			return true
		}
	}
	return false
}

// MatchName is [MatchCheck] for the whole name: names below a matching name are not covered.
func MatchName(pattern, name string) bool {
	return glob(strings.ToUpper(pattern), strings.ToUpper(name), ':')
}

// matchText reports whether a pattern matches the whole of a text: "*" matches any characters, "?" any one character.
func matchText(pattern, text string) bool { return glob(pattern, text, 0) }

// glob matches with backtracking. If sep is not 0, "*" does not match it, "**" does, and "?" is an ordinary character.
func glob(p, s string, sep byte) bool {
	// The positions at which to continue after the last "*" and the last "**" if the rest does not match.
	type mark struct{ p, s int }
	none := mark{-1, 0}
	star, deep := none, none
	i, j := 0, 0
	for {
		switch {
		case i < len(p) && p[i] == '*':
			n := i
			for n < len(p) && p[n] == '*' {
				n++
			}
			if n-i > 1 || sep == 0 {
				deep, star = mark{n, j}, none
			} else {
				star = mark{n, j}
			}
			i = n
			continue
		case j < len(s) && i < len(p) && (p[i] == s[j] || sep == 0 && p[i] == '?'):
			i, j = i+1, j+1
			continue
		case j == len(s) && i == len(p):
			return true
		}
		switch {
		case star != none && star.s < len(s) && s[star.s] != sep:
			star.s++
			i, j = star.p, star.s
		case deep != none && deep.s < len(s):
			deep.s++
			star = none
			i, j = deep.p, deep.s
		default:
			return false
		}
	}
}

// Check is the information about a check that the rules need.
type Check struct {
	Name string
	// Severity is the severity that it reports by default; Off for a check that is off by default.
	Severity Severity
}

// Rules says which checks are on, and which severities are replaced.
type Rules struct {
	known []Check
	list  []rule
}

type rule struct {
	pattern  string
	on       bool // with the check's own severity
	severity Severity
}

// NewRules parses rules of the form PATTERN=ACTION. The last rule that matches a check is used. The action is on, off,
// or the severity (info, warning, error, fatal) that the check's findings get. For patterns see [MatchCheck]. A pattern
// that covers none of the known checks is an error, which suggests a similar name.
func NewRules(known []Check, specs ...string) (*Rules, error) {
	r := &Rules{known: known}
	for _, spec := range specs {
		pattern, action, ok := strings.Cut(spec, "=")
		pattern, action = strings.TrimSpace(pattern), strings.TrimSpace(action)
		if !ok || pattern == "" {
			return nil, fmt.Errorf("check rule %q: want PATTERN=on|off|info|warning|error|fatal", spec)
		}
		if err := r.Known(pattern); err != nil {
			return nil, err
		}
		entry := rule{pattern: pattern}
		if entry.on = strings.EqualFold(action, "on"); !entry.on {
			s, err := ParseSeverity(action)
			if err != nil {
				return nil, fmt.Errorf("check rule %q: %q is not one of on, off, info, warning, error, fatal", spec,
					action)
			}
			entry.severity = s
		}
		r.list = append(r.list, entry)
	}
	return r, nil
}

// Known returns an error if a pattern covers no known check. The error suggests a similar name.
func (r *Rules) Known(pattern string) error {
	for _, k := range r.known {
		// A sub-name that is known only at run time is accepted if its check is known.
		if MatchCheck(pattern, k.Name) || MatchCheck(k.Name, pattern) {
			return nil
		}
	}
	if s := r.suggest(pattern); s != "" {
		return fmt.Errorf("no check matches %q: did you mean %s?", pattern, s)
	}
	return fmt.Errorf("no check matches %q: mpivet checks lists them all", pattern)
}

// suggest returns the known name that a mistyped name probably means; "" if there is no similar name.
func (r *Rules) suggest(pattern string) string {
	want := strings.ToUpper(pattern)
	for _, k := range r.known {
		if strings.HasSuffix(k.Name, ":"+want) {
			return k.Name
		}
	}
	best, bestDistance := "", 1+max(2, len(want)/4)
	for _, k := range r.known {
		// The user may also have meant the beginning of a name.
		for end := len(k.Name); end > 0; end = strings.LastIndexByte(k.Name[:end], ':') {
			if d := distance(want, k.Name[:end]); d < bestDistance {
				best, bestDistance = k.Name[:end], d
			}
		}
	}
	return best
}

// distance returns the Levenshtein distance of two strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Severity returns the severity that a finding of a check gets, given the severity that the check reports; Off if the
// check is off.
func (r *Rules) Severity(check string, reported Severity) Severity {
	return r.decide(check).apply(reported)
}

// decision is the result of the rules for a check.
type decision struct {
	overrule bool // replace the reported severity by severity
	severity Severity
}

func (d decision) apply(reported Severity) Severity {
	if d.overrule {
		return d.severity
	}
	return reported
}

func (r *Rules) decide(check string) decision {
	if r == nil {
		return decision{}
	}
	for _, e := range slices.Backward(r.list) {
		if MatchCheck(e.pattern, check) {
			return decision{overrule: !e.on, severity: e.severity}
		}
	}
	for _, k := range r.known {
		if k.Severity == Off && MatchCheck(k.Name, check) {
			return decision{overrule: true, severity: Off}
		}
	}
	return decision{}
}

// Enabled reports whether a check, or any of its sub-names, is to report findings. Expensive checks ask this before
// they begin.
func (r *Rules) Enabled(check string) bool {
	if r == nil || r.Severity(check, Error) != Off {
		return true
	}
	return slices.ContainsFunc(r.list, func(e rule) bool {
		return MatchCheck(check, e.pattern) && r.Severity(e.pattern, Error) != Off
	})
}
