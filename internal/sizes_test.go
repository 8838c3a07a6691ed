package internal

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Types and files of package track must be small enough to read. A type that has become too large is composed of parts,
// which it embeds by value. Each part counts as one field.
const (
	mostMethods = 40
	mostFields  = 25
	mostLines   = 400
)

// TestSizes: no type in package track has too many methods or fields, and no file has too many lines.
func TestSizes(t *testing.T) {
	files, err := filepath.Glob("track/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no files", err)
	}
	methods := make(map[string]int)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, which are more than %d: split it", file, n, mostLines)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[receiver(fn)]++
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				s, ok := spec.Type.(*ast.StructType)
				if ok && s.Fields.NumFields() > mostFields {
					t.Errorf("%s has %d fields, more than %d", spec.Name.Name, s.Fields.NumFields(), mostFields)
				}
			}
			return true
		})
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods, which are more than %d", name, n, mostMethods)
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	return t.(*ast.Ident).Name
}
