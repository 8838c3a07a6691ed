// Package yamlfile reads YAML files that people write. Its errors are one line, with the file and the line number.
package yamlfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse returns the content of a file; nil if it is empty. name is the name of the file in errors.
func Parse(name string, data []byte) (ast.Node, error) {
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, Error(name, err)
	}
	var body ast.Node
	for _, d := range f.Docs {
		if _, empty := d.Body.(*ast.NullNode); d.Body == nil || empty {
			continue
		}
		if body != nil {
			return nil, Errorf(name, d.Body, "a second document begins here, but only one is read")
		}
		body = d.Body
	}
	if c, ok := body.(*ast.CommentGroupNode); ok && c != nil {
		return nil, nil
	}
	return body, nil
}

// Error turns an error of package yaml into one line: FILE:LINE: MESSAGE.
func Error(name string, err error) error {
	var y yaml.Error
	if !errors.As(err, &y) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if t := y.GetToken(); t != nil && t.Position != nil {
		name = fmt.Sprintf("%s:%d", name, t.Position.Line)
	}
	return fmt.Errorf("%s: %s", name, strings.Join(strings.Fields(y.GetMessage()), " "))
}

// Errorf returns an error about a part of a file.
func Errorf(name string, n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{name, Line(n)}, args...)...)
}

// Line returns the number of the line in which a part of a file begins, from 1.
func Line(n ast.Node) int {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 {
			return Line(n.Values[0])
		}
	case *ast.MappingValueNode:
		return Line(n.Key)
	case *ast.SequenceNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return Line(n.Values[0])
		}
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// Pairs returns the keys and values of a mapping in their order, and whether n is a mapping.
func Pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// Scalar returns the text of a single value as it is written, without quotes, and whether n is a single value.
func Scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.NullNode:
		return "", false
	case ast.ScalarNode:
		return n.GetToken().Value, true
	case ast.MapKeyNode:
		return n.GetToken().Value, true
	}
	return "", false
}
