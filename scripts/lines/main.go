// Command lines is a linter: no line of Go or C may have more than 120 characters. A tab counts as four characters.
// Generated code is exempt. So is a line of an example with an expectation ("want"), because the expectation must be in
// that line. known.txt lists the files that still have longer lines, with their number. The number must not grow.
// "lines -write" writes a new list.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	most = 120
	list = "scripts/lines/known.txt"
)

// generated is the mark of generated code (https://go.dev/s/generatedcode) in Go and C files.
var generated = regexp.MustCompile(`(?m)^(//|/\*) Code generated .* DO NOT EDIT\.`)

func main() {
	write := flag.Bool("write", false, "write the list of files with longer lines anew")
	flag.Parse()
	ok, err := check(*write)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// check prints the files that have more long lines than in the list. ok is true if there are none.
func check(write bool) (ok bool, err error) {
	long, err := find(".")
	if err != nil {
		return false, err
	}
	if write {
		return true, save(long)
	}
	known, err := load()
	if err != nil {
		return false, err
	}
	ok = true
	for _, file := range slices.Sorted(maps.Keys(long)) {
		if lines := long[file]; len(lines) > known[file] {
			fmt.Printf("%s: more than %d characters in lines %d (%d are known)\n", file, most, lines, known[file])
			ok = false
		}
	}
	return ok, nil
}

// find returns the numbers of the lines that are too long, by file.
func find(root string) (map[string][]int, error) {
	long := make(map[string][]int)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".c", ".h"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || generated.Match(text) {
			return err
		}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			if width(string(line)) > most && !bytes.Contains(line, []byte("/* want ")) {
				long[filepath.ToSlash(path)] = append(long[filepath.ToSlash(path)], number)
			}
		}
		return nil
	})
	return long, err
}

// width returns the number of characters of a line, without the line end.
func width(line string) int {
	line = strings.TrimRight(line, "\r\n")
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}

func load() (map[string]int, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	known := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		var file string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d\n", &file, &n); err != nil {
			return nil, fmt.Errorf("%s: %q is not: file number", list, line)
		}
		known[file] = n
	}
	return known, nil
}

func save(long map[string][]int) error {
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(long)) {
		fmt.Fprintf(&b, "%s %d\n", file, len(long[file]))
	}
	return os.WriteFile(list, []byte(b.String()), 0o644)
}
