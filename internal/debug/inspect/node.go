package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Node is a part of an answer: a line of text, and the fields below it.
type Node struct {
	Text   string   `json:"text"`
	Fields []Field  `json:"fields,omitempty"`
	More   int64    `json:"more,omitempty"` // number of further fields, which are left out
	Path   string   `json:"path,omitempty"` // of a node below that has More: a request with it shows the others
	Made   []uint64 `json:"made,omitempty"` // return addresses of the call that made the object, innermost first
}

// Field is a field of a node. It is a node or a text.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	Node *Node  `json:"node,omitempty"`
}

// Limits for the size of an answer. The client opens what is left out by further requests.
const (
	mostFields = 200  // of the node that was asked for
	mostBelow  = 32   // of a node below it
	mostDepth  = 4    // levels of nodes
	mostNodes  = 1500 // of an answer
	mostText   = 400  // characters of a text
)

// item is a node before it is part of an answer. Its fields are made when they are needed.
type item struct {
	text  string
	made  []uint64
	n     int64
	field func(i int64) (name string, value *item)
}

// line returns an item without fields.
func line(format string, args ...any) *item { return &item{text: fmt.Sprintf(format, args...)} }

// list returns an item with n fields that are called [0], [1], …
func list(text string, n int64, at func(i int64) *item) *item {
	return &item{text: text, n: n, field: func(i int64) (string, *item) {
		return "[" + strconv.FormatInt(i, 10) + "]", at(i)
	}}
}

// fields collects the fields of an item.
type fields struct {
	names  []string
	values []func() *item
}

func (f *fields) add(name, format string, args ...any) {
	text := line(format, args...)
	f.lazy(name, func() *item { return text })
}

func (f *fields) lazy(name string, value func() *item) {
	f.names, f.values = append(f.names, name), append(f.values, value)
}

// item returns the item with the fields.
func (f *fields) item(text string) *item {
	return &item{text: text, n: int64(len(f.names)), field: func(i int64) (string, *item) {
		return f.names[i], f.values[i]()
	}}
}

// renderer makes the nodes of an answer.
type renderer struct{ nodes int }

// render returns the node of an item, with its fields from a number on. path is the path of the item.
func render(it *item, from int64, path string) *Node {
	return (&renderer{}).node(it, from, 0, path)
}

func (r *renderer) node(it *item, from int64, depth int, path string) *Node {
	n := &Node{Text: shorten(it.text), Made: it.made}
	most := int64(mostFields)
	if depth > 0 {
		most = mostBelow
	}
	from = max(from, 0)
	i := from
	for ; i < it.n && i-from < most && depth < mostDepth && r.nodes < mostNodes; i++ {
		name, value := it.field(i)
		r.nodes++
		f := Field{Name: name}
		if value.n == 0 && value.made == nil {
			f.Text = shorten(value.text)
		} else {
			f.Node = r.node(value, 0, depth+1, pathBelow(path, name))
		}
		n.Fields = append(n.Fields, f)
	}
	if n.More = max(it.n-i, 0); n.More > 0 && depth > 0 && path != noPath {
		n.Path = path
	}
	return n
}

// noPath is the path of a node that no path leads to.
const noPath = "?"

// pathBelow returns the path of a field.
func pathBelow(path, name string) string {
	number := strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if path == noPath || strings.ContainsAny(number, ".[]") {
		return noPath
	}
	return path + "." + name
}

// shorten cuts a text that is too long, and puts it on one line.
func shorten(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\n", " "), "?")
	if len(s) <= mostText {
		return s
	}
	end := mostText
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// mostSearched is the number of fields among which a path finds one by its name.
const mostSearched = 1 << 20

// open follows a path of names of fields: .entries[3].type
func open(it *item, path string) (*item, error) {
	for rest := path; rest != ""; {
		var name string
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("the path %s has no ] for its [", path)
			}
			name, rest = rest[:end+1], rest[end+1:]
		case rest[0] == '.':
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
			if name == "" {
				continue // .[3] is [3]
			}
		default:
			return nil, fmt.Errorf("the path %s must consist of .NAME and [NUMBER]", path)
		}
		below, err := child(it, name)
		if err != nil {
			return nil, err
		}
		it = below
	}
	return it, nil
}

func child(it *item, name string) (*item, error) {
	if number, err := strconv.ParseInt(strings.Trim(name, "[]"), 10, 64); err == nil && number >= 0 && number < it.n {
		if is, value := it.field(number); is == name {
			return value, nil
		}
	}
	for i := range min(it.n, mostSearched) {
		if is, value := it.field(i); is == name {
			return value, nil
		}
	}
	return nil, fmt.Errorf("there is no %s in %s", name, shorten(it.text))
}
