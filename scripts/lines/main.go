// Command lines is a linter: no line of Go or C may have more than 120 characters. A tab counts as four characters.
// Generated code is exempt. So is a line with an expectation ("want") or with the options ("run:") of an example: each
// of them must be in one line.
package main

import (
	"bytes"
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

const most = 120

// exempt are the beginnings of comments that must be in one line.
var exempt = [][]byte{[]byte("/* want "), []byte("/* run: ")}

// generated is the mark of generated code (https://go.dev/s/generatedcode) in Go and C files.
var generated = regexp.MustCompile(`(?m)^(//|/\*) Code generated .* DO NOT EDIT\.`)

func main() {
	long, err := find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
	for _, file := range slices.Sorted(maps.Keys(long)) {
		fmt.Printf("%s: more than %d characters in lines %d\n", file, most, long[file])
	}
	if len(long) > 0 {
		os.Exit(1)
	}
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
			if width(string(line)) > most && !isExempt(line) {
				long[filepath.ToSlash(path)] = append(long[filepath.ToSlash(path)], number)
			}
		}
		return nil
	})
	return long, err
}

func isExempt(line []byte) bool {
	return slices.ContainsFunc(exempt, func(e []byte) bool { return bytes.Contains(line, e) })
}

// width returns the number of characters of a line, without the line end.
func width(line string) int {
	line = strings.TrimRight(line, "\r\n")
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}
