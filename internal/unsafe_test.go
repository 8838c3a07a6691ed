package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnsafe: only files with _unsafe in their name import package unsafe.
func TestUnsafe(t *testing.T) {
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		name := strings.TrimSuffix(strings.TrimSuffix(file, ".go"), "_test")
		if strings.HasSuffix(name, ".pb") {
			return err // generated
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(name, "_unsafe") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if i.Path.Value == `"unsafe"` {
				t.Errorf("%s imports unsafe: its name must end in _unsafe.go or _unsafe_test.go", file)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
