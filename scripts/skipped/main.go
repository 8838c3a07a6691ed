// Command skipped reads the output of go test -json. It prints failures and the result of each package like go test. At
// the end, it prints the skipped tests and the reasons. It exits with 1 if a test has failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// event is a line of go test -json: see go doc test2json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

func main() {
	failed, err := summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// summarize reports whether a test, or the build of one, has failed.
func summarize(in io.Reader, out io.Writer) (failed bool, err error) {
	output := make(map[string][]string)  // output of running tests, by package and test
	skipped := make(map[string][]string) // skipped tests, by reason
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(out, lines.Text()) // output of the go command itself
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			if e.Action == "build-output" {
				fmt.Fprint(out, e.Output)
			}
			output[key] = append(output[key], e.Output)
		case "skip":
			if e.Test != "" {
				why := reason(output[key])
				name := strings.TrimPrefix(e.Package, "github.com/mpivet/mpivet/") + "." + e.Test
				skipped[why] = append(skipped[why], name)
			}
			delete(output, key)
		case "build-fail":
			failed = true
		case "pass", "fail":
			if e.Action == "fail" {
				failed = true
				fmt.Fprint(out, strings.Join(output[key], ""))
			} else if e.Test == "" {
				fmt.Fprintf(out, "ok  \t%s\t%.1fs\n", e.Package, e.Elapsed)
			}
			delete(output, key)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(skipped)) {
		tests := skipped[why]
		more := ""
		if len(tests) > 3 {
			more = fmt.Sprintf(" and %d more", len(tests)-3)
			tests = tests[:3]
		}
		fmt.Fprintf(out, "skipped: %s\n         %s%s\n", why, strings.Join(tests, ", "), more)
	}
	return failed, lines.Err()
}

// reason returns the last message of a skipped test.
func reason(output []string) string {
	why := "no reason given"
	for _, line := range output {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		if _, text, found := strings.Cut(line, ".go:"); found {
			if _, line, found = strings.Cut(text, ": "); !found {
				line = text
			}
		}
		why = line
	}
	return why
}
