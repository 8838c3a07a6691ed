package waitgraph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
)

// some returns a graph of n processes that block each other, of others that wait for them, and of one that has ended.
func some(n int) *Graph {
	g := new(Graph)
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Kind: Knot, Ranks: []int{i}, Call: "MPI_Recv", Place: `a "b" <c>.c:12`})
		g.Arcs = append(g.Arcs, Arc{From: i, To: (i + 1) % n, Any: i == 0, Label: "to send, tag 1"})
	}
	g.Nodes = append(g.Nodes,
		Node{Kind: Waiting, Ranks: []int{100, 101, 102}, Call: "MPI_Barrier"},
		Node{Kind: Ended, Ranks: []int{200}, Call: "has ended"})
	g.Arcs = append(g.Arcs, Arc{From: n, To: 0, Label: "to call it too"}, Arc{From: n, To: n + 1})
	return g
}

// TestSVG: the picture is well-formed and has every node and arc. No box overlaps another box or the border.
func TestSVG(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 8, 24} {
		g := some(n)
		if n == 0 {
			g.Arcs = nil
		}
		var b strings.Builder
		if err := g.Write(&b, "x.svg"); err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%d: %v", n, err)
			}
		}
		if got := strings.Count(b.String(), "<rect x="); got != len(g.Nodes) {
			t.Errorf("%d: %d boxes", n, got)
		}
		if got := strings.Count(b.String(), "marker-end") - 2; got != len(g.Arcs) {
			t.Errorf("%d: %d arcs of %d", n, got, len(g.Arcs))
		}
		if !strings.Contains(b.String(), ">ranks 100-102<") {
			t.Errorf("%d: the ranks of a group are not named", n)
		}
		at, size := g.layout()
		for i, p := range at {
			if p.x < boxWidth/2 || p.y < boxHeight/2 || p.x > size.x-boxWidth/2 || p.y > size.y-boxHeight/2-legend {
				t.Errorf("%d: box %d at %v leaves the picture of %v", n, i, p, size)
			}
			for j, q := range at[:i] {
				if math.Abs(p.x-q.x) < boxWidth && math.Abs(p.y-q.y) < boxHeight {
					t.Errorf("%d: boxes %d and %d overlap", n, i, j)
				}
			}
		}
	}
}

func TestDOT(t *testing.T) {
	var b strings.Builder
	if err := some(2).Write(&b, "x.dot"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`n0 \[label="rank 0\\nMPI_Recv\\na \\"b\\" <c>.c:12", fillcolor="#ffd7d2"\];`,
		`n0 -> n1 \[style=dashed, label="to send, tag 1"\];`, `n1 -> n0 \[style=solid, `,
		`n2 -> n3 \[style=solid, label=""\];`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if err := some(1).Write(io.Discard, "x.png"); err == nil || !strings.Contains(fmt.Sprint(err), ".svg") {
		t.Errorf("a picture of unknown format: %v", err)
	}
}
