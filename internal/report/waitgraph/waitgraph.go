// Package waitgraph draws which processes wait for which in a deadlock, as a file for Graphviz (DOT) or as a picture
// (SVG).
//
// The package lays out the picture itself. The nodes that block each other lie on a circle, so that a cycle is visible.
// The nodes that only wait for them are folded into a few groups beside it. A general layout would take several
// megabytes (Graphviz compiled to WebAssembly), or show less (layered layouts draw cycles as long arcs back). Users who
// want another layout can use the DOT file.
package waitgraph

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
)

// Kind is the role of a node in the deadlock.
type Kind string

// The kinds.
const (
	Knot    Kind = "knot"    // processes that block each other
	Waiting Kind = "waiting" // processes that wait for the knot, or for processes that have ended
	Ended   Kind = "ended"   // processes that will make no more calls
)

// Graph is a deadlock in the form that the report keeps.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Arcs  []Arc  `json:"arcs"`
}

// Node is a set of processes at one place.
type Node struct {
	Kind  Kind   `json:"kind"`
	Ranks []int  `json:"ranks"`
	Call  string `json:"call"`            // the function that they are in, or how they ended
	Place string `json:"place,omitempty"` // file and line
}

// Arc says that a node waits for another.
type Arc struct {
	From int `json:"from"` // index of the node
	To   int `json:"to"`
	// Any: one of the node's arcs with Any is enough. Of the other arcs, all are needed.
	Any   bool   `json:"any"`
	Label string `json:"label,omitempty"` // what the node waits for: "send, tag 5"
}

// Formats are the file name extensions of the formats that Write supports.
var Formats = []string{".dot", ".gv", ".svg"}

// Write writes the graph in the format of the file name's extension.
func (g *Graph) Write(w io.Writer, name string) error {
	switch filepath.Ext(name) {
	case ".svg":
		return g.SVG(w)
	case ".dot", ".gv":
		return g.DOT(w)
	default:
		return fmt.Errorf("%s: the name of a graph ends in %s", name, strings.Join(Formats, ", "))
	}
}

// who returns a short name for the processes of a node.
func (n *Node) who() string {
	text := finding.RankNames(n.Ranks)
	const longest = 26
	if len(text) > longest {
		text = fmt.Sprintf("%d ranks, first %d", len(n.Ranks), n.Ranks[0])
	}
	return text
}

// DOT writes the graph for Graphviz.
func (g *Graph) DOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("// The wait-for graph. A process needs all of its solid arcs, and one of its dashed arcs.\n")
	b.WriteString("digraph deadlock {\n\tgraph [layout=circo];\n\tnode [shape=box, fontname=\"sans-serif\", " +
		"style=filled];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		lines := []string{n.who(), n.Call}
		if n.Place != "" {
			lines = append(lines, n.Place)
		}
		fmt.Fprintf(&b, "\tn%d [label=%s, fillcolor=%q];\n", i, dotText(strings.Join(lines, "\n")), fill[n.Kind])
	}
	for _, a := range g.Arcs {
		style := "solid"
		if a.Any {
			style = "dashed"
		}
		fmt.Fprintf(&b, "\tn%d -> n%d [style=%s, label=%s];\n", a.From, a.To, style, dotText(a.Label))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotText quotes a text for DOT.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// fill is the colour of a node.
var fill = map[Kind]string{Knot: "#ffd7d2", Waiting: "#e8eef7", Ended: "#e6e6e6"}
