// Package waitgraph draws who waits for whom in a deadlock, as a file for Graphviz (DOT) or as a picture (SVG).
//
// The picture is laid out here: what blocks each other lies on a circle, so that a cycle is seen to be one, and all
// that only waits for it, folded into a few groups, beside it. General layout (Graphviz compiled to WebAssembly, or
// layered layouts, which draw cycles as long arcs back) would take several megabytes, or show less; the DOT file is for
// those who want another one.
package waitgraph

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/mpivet/mpivet/internal/finding"
)

// Kind says what a node has to do with the deadlock.
type Kind string

// The kinds.
const (
	Knot    Kind = "knot"    // processes that block each other
	Waiting Kind = "waiting" // that wait for these, or for such as have ended
	Ended   Kind = "ended"   // that will do nothing any more
)

// Graph is a deadlock as the report keeps it.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Arcs  []Arc  `json:"arcs"`
}

// Node are processes at one place.
type Node struct {
	Kind  Kind   `json:"kind"`
	Ranks []int  `json:"ranks"`
	Call  string `json:"call"`            // the function that they are in, or what has become of them
	Place string `json:"place,omitempty"` // file and line
}

// Arc says that a node waits for another.
type Arc struct {
	From int `json:"from"` // index of the node
	To   int `json:"to"`
	// Any: one of the node's arcs of this kind is enough; else all are needed.
	Any   bool   `json:"any"`
	Label string `json:"label,omitempty"` // what is waited for: "send, tag 5"
}

// Formats are the endings of names of files that Write can fill.
var Formats = []string{".dot", ".gv", ".svg"}

// Write writes the graph in the format that the name of a file ends in.
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

// who names the processes of a node, short.
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
	b.WriteString("// Who waits for whom: solid arcs are all needed, of dashed ones one is enough.\n")
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
