// Command functions is a linter: no function may have more than 80 lines, or a cognitive complexity above 30, except in
// tests and generated code.
package main

import (
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
)

// size is the size of a function.
type size struct{ lines, complexity int }

func (s size) tooLarge() bool { return s.lines > mostLines || s.complexity > mostComplexity }

func main() {
	large, err := find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "functions:", err)
		os.Exit(1)
	}
	for _, name := range slices.Sorted(maps.Keys(large)) {
		fmt.Printf("%s: %d lines, complexity %d\n", name, large[name].lines, large[name].complexity)
	}
	if len(large) > 0 {
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
