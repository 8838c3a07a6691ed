// Package itac converts the configuration of the correctness checker of Intel Trace Analyzer and Collector, which is
// discontinued, into settings of mpivet's flags.
//
// The configuration is a file with one option per line, or environment variables: CHECK-MAX-ERRORS is
// VT_CHECK_MAX_ERRORS. Case does not matter, '#' begins a comment, and double quotes keep words together.
package itac

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mpivet/mpivet/internal/config"
	"github.com/mpivet/mpivet/internal/finding"
)

// Configuration is the result of the conversion.
type Configuration struct {
	Settings []config.Setting
	// Ignored has one line for each option that has no effect, or a different effect in mpivet, with the reason.
	Ignored []string
	checks  []string
}

// New returns an empty configuration. checks are the names of mpivet's checks.
func New(checks []string) *Configuration { return &Configuration{checks: checks} }

// ReadFile adds the options in a file. An error is one line, with file and line number.
func (c *Configuration) ReadFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; sc.Scan(); n++ {
		if err := c.option(fmt.Sprintf("%s:%d", path, n), sc.Text()); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// variable is the prefix of the environment variables.
const variable = "VT_"

// FileVariable names a configuration file in the environment.
const FileVariable = variable + "CONFIG"

// ReadEnvironment adds the options that environment variables ("VT_CHECK_MAX_ERRORS=5") set. It ignores variables with
// this prefix that are not options of the tool.
func (c *Configuration) ReadEnvironment(environ []string) error {
	for _, e := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(e, "=")
		option, ok := strings.CutPrefix(name, variable)
		if !ok || name == FileVariable {
			continue
		}
		option = strings.ReplaceAll(option, "_", "-")
		if !slices.Contains(traces, option) && options[option] == nil {
			continue
		}
		if err := c.option(name, option+" "+value); err != nil {
			return err
		}
	}
	return nil
}

// option adds a line of a configuration.
func (c *Configuration) option(origin, line string) error {
	words, err := split(line)
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	if len(words) == 0 {
		return nil
	}
	name := strings.ToUpper(words[0])
	switch f := options[name]; {
	case f != nil:
		if err := f(c, origin, words[1:]); err != nil {
			return fmt.Errorf("%s: %s: %w", origin, name, err)
		}
	case slices.Contains(traces, name):
		c.ignore(origin, name, "it is about traces, and mpivet writes none")
	default:
		c.ignore(origin, name, "mpivet does not know this option")
	}
	return nil
}

func (c *Configuration) set(origin, flag, value string) {
	c.Settings = append(c.Settings, config.Setting{Flag: flag, Values: []string{value}, Origin: origin})
}

func (c *Configuration) ignore(origin, option, why string) {
	c.Ignored = append(c.Ignored, fmt.Sprintf("%s: %s is ignored: %s", origin, option, why))
}

// options are the options that mpivet handles, by their names.
var options = map[string]func(c *Configuration, origin string, args []string) error{
	"CHECK":                   (*Configuration).check,
	"CHECK-SUPPRESSION-LIMIT": number("limit"),
	"CHECK-MAX-ERRORS":        number("max-errors"),
	"CHECK-MAX-REPORTS":       maxReports,
	"CHECK-MAX-PENDING":       number("max-pending"),
	"CHECK-MAX-REQUESTS":      number("max-requests"),
	"CHECK-MAX-DATATYPES":     number("max-datatypes"),
	"CHECK-LEAK-REPORT-SIZE":  number("leak-report-size"),
	"DEADLOCK-WARNING":        duration("no-progress"),
	"PCTRACE":                 stacks,
	"CHECK-TIMEOUT":           ignored("CHECK-TIMEOUT", "what happens after a fatal finding is said by --on-error"),
	"CHECK-TRACING": ignored("CHECK-TRACING",
		"mpivet writes no traces; --record keeps a run for mpivet replay"),
	"DEADLOCK-TIMEOUT": ignored("DEADLOCK-TIMEOUT",
		"mpivet reports a deadlock within a second, without waiting for progress"),
	"VERBOSE": ignored("VERBOSE", "--quiet prints nothing, not even a summary"),
}

// traces are the options that do not concern checking.
var traces = []string{
	"ACTIVITY", "ALTSTACK", "AUTOFLUSH", "CLUSTER", "COMPRESS-RAW-DATA", "COUNTER", "CURRENT-DIR", "DEMANGLE",
	"DETAILED-STATES", "ENTER-USERCODE", "ENVIRONMENT", "EXTENDED-VTF", "FLUSH-PID", "FLUSH-PREFIX", "GROUP",
	"HANDLE-SIGNALS", "INTERNAL-MPI", "KEEP-RAW-EVENTS", "LOGFILE-FORMAT", "LOGFILE-NAME", "LOGFILE-PREFIX",
	"LOGFILE-RANK", "MEM-BLOCKSIZE", "MEM-FLUSHBLOCKS", "MEM-INFO", "MEM-MAXBLOCKS", "MEM-MINBLOCKS",
	"MEM-OVERWRITE", "NMCMD", "OS-COUNTER-DELAY", "PCTRACE-CACHE", "PCTRACE-FAST", "PLUGIN", "PROCESS", "PROGNAME",
	"PROTOFILE-NAME", "STATE", "STATISTICS", "STF-PROCS-PER-FILE", "STF-USE-HW-STRUCTURE",
	"STOPFILE-NAME", "SYMBOL", "SYNC-MAX-DURATION", "SYNC-MAX-MESSAGES", "SYNC-PERIOD", "SYNCED-CLUSTER", "SYNCED-HOST",
	"TIME-WINDOWS", "TIMER", "TIMER-SKIP", "UNIFY-COUNTERS", "UNIFY-GROUPS", "UNIFY-SCLS", "UNIFY-SYMBOLS",
}

// renamed has the checks that have another name in mpivet.
var renamed = map[string]string{
	"LOCAL:BUFFER:INSUFFICIENT_BUFFER": "LOCAL:BUFFER:INSUFFICIENT",
}

// sumChecks are the checks that also need the flag --checksums.
var sumChecks = []string{
	"GLOBAL:COLLECTIVE:DATA_TRANSMISSION_CORRUPTED", "GLOBAL:MSG:DATA_TRANSMISSION_CORRUPTED",
}

// check handles CHECK PATTERN [ON|OFF]. The pattern must match whole names.
func (c *Configuration) check(origin string, args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return fmt.Errorf("want CHECK PATTERN ON or CHECK PATTERN OFF")
	}
	on, err := boolean(args[1:])
	if err != nil {
		return err
	}
	action := "=" + onOff(on)
	found := false
	for _, name := range c.checks {
		if finding.MatchName(args[0], name) {
			c.set(origin, "check", name+action)
			found = true
		}
	}
	for theirs, ours := range renamed {
		if finding.MatchName(args[0], theirs) && !finding.MatchName(args[0], ours) && slices.Contains(c.checks, ours) {
			c.set(origin, "check", ours+action)
			found = true
		}
	}
	if !found {
		c.ignore(origin, "CHECK "+args[0], "mpivet has no such check")
	}
	if on && slices.Contains(sumChecks, strings.ToUpper(args[0])) {
		c.set(origin, "checksums", "true")
	}
	return nil
}

func maxReports(c *Configuration, origin string, args []string) error {
	if err := number("max-reports")(c, origin, args); err != nil {
		return err
	}
	if args[0] != "0" {
		c.Ignored = append(c.Ignored,
			origin+": CHECK-MAX-REPORTS: no more reports are shown then, but the program goes on; --max-errors ends it")
	}
	return nil
}

// stacks handles PCTRACE: on, off, or the number of levels.
func stacks(c *Configuration, origin string, args []string) error {
	if len(args) == 1 {
		levels := args[0][strings.LastIndexByte(args[0], ':')+1:] // the number of levels after the levels to skip
		if n, err := strconv.Atoi(levels); err == nil {
			args = []string{onOff(n > 1)}
		}
	}
	on, err := boolean(args)
	if err != nil {
		return err
	}
	if on {
		c.set(origin, "stacks", "full")
	} else {
		c.set(origin, "stacks", "off")
	}
	return nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func ignored(option, why string) func(*Configuration, string, []string) error {
	return func(c *Configuration, origin string, _ []string) error {
		c.ignore(origin, option, why)
		return nil
	}
}

// number returns a function that sets a flag to a whole number.
func number(flag string) func(*Configuration, string, []string) error {
	return func(c *Configuration, origin string, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want one number")
		}
		if n, err := strconv.Atoi(args[0]); err != nil || n < 0 {
			return fmt.Errorf("%q is not a number", args[0])
		}
		c.set(origin, flag, args[0])
		return nil
	}
}

// duration returns a function that sets a flag to a duration.
func duration(flag string) func(*Configuration, string, []string) error {
	return func(c *Configuration, origin string, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("want one time, such as 30s or 1m+30s")
		}
		d, err := parseTime(args[0])
		if err != nil {
			return err
		}
		c.set(origin, flag, d.String())
		return nil
	}
}

// units are the units of durations.
var units = map[byte]time.Duration{
	'c': time.Microsecond, 'l': time.Millisecond, 's': time.Second, 'm': time.Minute, 'h': time.Hour,
	'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
}

// parseTime reads a duration such as 1m+30s. A number without a unit is in seconds.
func parseTime(text string) (time.Duration, error) {
	var sum time.Duration
	for part := range strings.SplitSeq(strings.ToLower(text), "+") {
		unit := time.Second
		if n := len(part); n > 0 && units[part[n-1]] != 0 {
			unit, part = units[part[n-1]], part[:n-1]
		}
		f, err := strconv.ParseFloat(part, 64)
		if err != nil || f < 0 || f*float64(unit) > float64(1<<62) {
			return 0, fmt.Errorf("%q is not a time such as 30s or 1m+30s", text)
		}
		sum += time.Duration(f * float64(unit))
	}
	return sum, nil
}

// boolean reads on, off, true or false. No argument means on.
func boolean(args []string) (bool, error) {
	if len(args) == 0 {
		return true, nil
	}
	switch strings.ToLower(args[0]) {
	case "on", "true":
		return true, nil
	case "off", "false":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither on nor off", args[0])
}

// split splits a line at blanks outside of double quotes, and drops a comment.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted, started := false, false
	end := func() {
		if started {
			words = append(words, word.String())
			word.Reset()
		}
		started = false
	}
	for _, r := range line {
		switch {
		case r == '"':
			quoted, started = !quoted, true
		case !quoted && r == '#' && !started:
			return words, nil
		case !quoted && (r == ' ' || r == '\t' || r == '\r'):
			end()
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed")
	}
	end()
	return words, nil
}
