// Command functions is a linter: no function has more than 80 lines or a cognitive complexity above 30, outside of
// generated code. known.txt lists those that still have, with their numbers: they must not grow, and what is mended is
// taken out. "functions -write" writes the list anew.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/uudashr/gocognit"
)

const (
	mostLines      = 80
	mostComplexity = 30
	list           = "scripts/functions/known.txt"
)

// A size is how large a function is.
type size struct{ lines, complexity int }

func (s size) tooLarge() bool { return s.lines > mostLines || s.complexity > mostComplexity }

func main() {
	write := flag.Bool("write", false, "write the list of known functions anew")
	flag.Parse()
	large, err := find(".")
	if err == nil && *write {
		err = save(large)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
	known, err := load()
	if err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
	failed := false
	for _, name := range slices.Sorted(maps.Keys(large)) {
		s, k := large[name], known[name]
		if s.lines > max(k.lines, mostLines) || s.complexity > max(k.complexity, mostComplexity) {
			fmt.Printf("%s: %d lines, complexity %d\n", name, s.lines, s.complexity)
			failed = true
		}
	}
	for name := range known {
		if _, ok := large[name]; !ok {
			fmt.Printf("%s: is not large any more: take it out of %s\n", name, list)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// find returns the functions that are too large, as "file function".
func find(root string) (map[string]size, error) {
	large := make(map[string]size)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			s := size{set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1, gocognit.Complexity(fn)}
			if s.tooLarge() {
				large[filepath.ToSlash(path)+" "+name(fn)] = s
			}
		}
		return nil
	})
	return large, err
}

// name returns a function's name, with its receiver's type.
func name(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

func load() (map[string]size, error) {
	f, err := os.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known := make(map[string]size)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var file, fn string
		var s size
		if n, _ := fmt.Sscanf(lines.Text(), "%s %s %d %d", &file, &fn, &s.lines, &s.complexity); n != 4 {
			return nil, fmt.Errorf("%s: %q is not: file function lines complexity", list, lines.Text())
		}
		known[file+" "+fn] = s
	}
	return known, nil
}

func save(large map[string]size) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(large)) {
		fmt.Fprintf(&b, "%s %d %d\n", name, large[name].lines, large[name].complexity)
	}
	return os.WriteFile(list, []byte(b.String()), 0o644)
}
