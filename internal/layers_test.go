package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers says for each folder of internal which other folders it may import. Records become events, events become
// facts, facts become findings, and findings become reports. No folder imports a later one.
var layers = map[string][]string{
	"lazyregexp": {},

	"stream":  {},
	"finding": {"lazyregexp"},
	"mpi":     {},

	"record":   {"mpi", "lazyregexp"},
	"match":    {"mpi", "record", "stream"},
	"track":    {"mpi", "record", "stream", "match"},
	"analysis": {"mpi", "record", "stream", "match", "track"},
	"check":    {"mpi", "record", "stream", "match", "track", "analysis", "finding", "report/waitgraph"},

	"report": {"mpi/datatype", "finding", "config/yamlfile", "lazyregexp"},
	"symbol": {"lazyregexp"},
	"config": {"finding"},
	"launch": {"record", "lazyregexp"},
	"debug":  {"mpi", "record", "finding"},

	"pipeline": {"mpi", "record", "stream", "match", "track", "analysis", "finding", "check", "symbol"},
	"cluster":  {"record", "symbol"},
	"cli": {
		"mpi", "record", "match", "track", "analysis", "finding", "check", "report", "config", "launch", "debug",
		"symbol", "pipeline", "cluster", "preload", "lazyregexp",
	},
}

// TestLayers: imports go in one direction. Tests, and packages for tests only, may import more.
func TestLayers(t *testing.T) {
	const module = "github.com/mpivet/mpivet/"
	seen := make(map[string]bool)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		layer, _, _ := strings.Cut(filepath.ToSlash(file), "/")
		if layer == "testkit" {
			return nil
		}
		allowed, known := layers[layer]
		if !known {
			t.Errorf("%s is in no layer: add the folder to the table", file)
			return nil
		}
		seen[layer] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			name, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			name = strings.TrimPrefix(name, "internal/")
			below := func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") }
			if !below(layer) && !slices.ContainsFunc(allowed, below) {
				t.Errorf("%s imports %s, which its layer may not: only %v", file, name, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for l := range layers {
		if !seen[l] {
			t.Errorf("there is no folder %s: take it out of the table", l)
		}
	}
}
