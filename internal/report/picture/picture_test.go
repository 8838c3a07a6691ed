package picture

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/mpi/datatype"
)

const figure1 = "struct{LB @-4, 5*INT @0, 7*CHAR @47, 2*DOUBLE @76, UB @100}"

// examples are datatypes to draw, each with a path or "".
var examples = map[string]struct {
	text, path string
	count      int64
}{
	"figure 1":   {figure1, "s_type[2][5]", 0},
	"copies":     {figure1, "copy 1 of s_type[2][5]", 3},
	"plane":      {"subarray([64, 64, 64], [64, 1, 64], [0, 3, 0], C, DOUBLE)", "[10][0][5]", 0},
	"thin plane": {"subarray([64, 64, 64], [64, 64, 1], [0, 0, 3], C, DOUBLE)", "[10][20][0]", 0},
	"nested": {"v = vector(3, 2, 4, INT); w = hvector(2, 1, 24, struct{DOUBLE @0, CHAR @8}); struct{2*v @0, w " +
		"@100, v @160, DOUBLE_INT @208}", "[1][0][1][0][0][0]", 0},
	"a pair":      {"contiguous(2, DOUBLE_INT)", "[1][1]", 0},
	"darray":      {"darray(6, 4, [12, 18], [cyclic(2), block], [2, 3], FORTRAN, DOUBLE)", "[3][2]", 0},
	"large":       {"contiguous(1000000, struct{2*INT @0, DOUBLE @8})", "[500000][0][1]", 0},
	"larger":      {"contiguous(1000000, vector(1000000, 1, 2, struct{INT @0, CHAR @4}))", "[999999]", 0},
	"one run":     {"contiguous(1000000000, contiguous(3, INT))", "[5]", 0},
	"backwards":   {"struct{LB @0, INT @0, DOUBLE @-8, CHAR @-16, UB @-24}", "[3]", 0},
	"overlapping": {"resized(4, 8, contiguous(5, INT))", "", 4},
	"basic":       {"INT", "x", 0},
	"unknown":     {"struct{2*unknown @0, INT @8}", "", 0},
	"empty":       {"resized(0, 100, struct{0*INT @4})", "[0][0]", 2},
	"stage":       {"vector(10, 20, 100, INT)", "[7]", 0},
	"Fortran": {"struct{f90_real(6, 37) @0, f90_integer(9) @8, INTEGER @12, indexed_block(2, [9, 3, 0], COMPLEX) " +
		"@16}", "[3][0][2][1]", 0},
	"many blocks": {manyBlocks(), "[700][0][0]", 0},
	"deep":        {deep(300), "[1][0][0][1][0][1][0]", 0},
	"irregular":   {irregular(), "[501][1]", 0},
	"scattered":   {"contiguous(5000, " + irregular() + ")", "[501]", 0},
}

func manyBlocks() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "vector(%d, 1, 2, %s) @%d, ", i%5+1, []string{"INT", "FLOAT", "CHAR"}[i%3], i*50)
	}
	return "struct{" + strings.TrimSuffix(b.String(), ", ") + "}"
}

func irregular() string {
	var lengths, displacements []string
	for i := range 1000 {
		lengths, displacements = append(lengths, strconv.Itoa(1+i%4)),
			append(displacements, strconv.Itoa((i*7+i%3)*(1-i%2*2)))
	}
	return "indexed([" + strings.Join(lengths, ",") + "], [" + strings.Join(displacements, ",") + "], DOUBLE)"
}

// deep returns a datatype of n levels.
func deep(n int) string {
	text := "struct{INT @0, CHAR @4}"
	for i := range n {
		switch {
		case i%3 == 0 && i < 30:
			text = "contiguous(2, " + text + ")"
		case i%3 == 1:
			text = "resized(0, " + strconv.Itoa(100000*(i+1)) + ", " + text + ")"
		default:
			text = "struct{CHAR @0, " + text + " @8}"
		}
	}
	return text
}

func options(t testing.TB, path string, count int64) Options {
	o := Options{Count: count}
	if path != "" {
		p, err := datatype.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		o.Name, o.Path = p.Name, &p
	}
	return o
}

func draw(t testing.TB, text, path string, count int64) string {
	typ, err := datatype.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Draw(&b, typ, options(t, path, count)); err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return b.String()
}

// TestPictures: the picture of any datatype is valid XML and small, and no text in it is covered.
func TestPictures(t *testing.T) {
	for name, c := range examples {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			svg := draw(t, c.text, c.path, c.count)
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("it took %v", d)
			}
			check(t, svg)
			if c.path != "" && !strings.Contains(svg, `stroke="`+red+`"`) {
				t.Error("the path is not highlighted")
			}
		})
	}
}

// check looks for errors that no picture may have.
func check(t interface{ Errorf(string, ...any) }, svg string) {
	if len(svg) > 200_000 {
		t.Errorf("the picture has %d bytes", len(svg))
	}
	var texts []label
	var width, height float64
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Errorf("%v in %s", err, svg)
			return
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		float := func(name string) float64 {
			v, err := strconv.ParseFloat(attr[name], 64)
			if err != nil {
				t.Errorf("%s of %s: %v", name, e.Name.Local, err)
			}
			return v
		}
		switch e.Name.Local {
		case "svg":
			width, height = float("width"), float("height")
		case "script", "style", "image", "foreignObject":
			t.Errorf("the picture has a %s", e.Name.Local)
		case "text":
			next, _ := d.Token()
			s, _ := next.(xml.CharData)
			l := label{string(s), float("x"), float("y"), textWidth(string(s), float("font-size")), float("font-size")}
			if attr["text-anchor"] == middle {
				l.x -= l.width / 2
			}
			texts = append(texts, l)
		}
	}
	for i, a := range texts {
		if a.x < 0 || a.x+a.width > width || a.y > height {
			t.Errorf("%q lies outside the picture", a.text)
		}
		for _, b := range texts[:i] {
			if a.x < b.x+b.width-1 && b.x < a.x+a.width-1 && a.y-a.size*0.7 < b.y && b.y-b.size*0.7 < a.y {
				t.Errorf("%q at %.0f,%.0f lies over %q at %.0f,%.0f", a.text, a.x, a.y, b.text, b.x, b.y)
			}
		}
	}
}

type label struct {
	text              string
	x, y, width, size float64
}

func TestPictureOfFigure1(t *testing.T) {
	svg := draw(t, figure1, "s_type[2][5]", 0)
	for _, want := range []string{
		">s_type = " + figure1 + "<", ">STRUCT<", ">LB<", ">CHAR<", ">7 × at 47<", ">[2][5]<", ">27 B<",
		">2 × DOUBLE<",
		">76<",
		">extent 104: from lb -4 to ub 100<", ">true extent 92: data from 0 to 92<", ">MPI_CHAR<",
		">s_type(STRUCT)[2][5](CHAR): element 10, 1 byte at displacement 52<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

var update = flag.Bool("update", false, "write the picture in the documentation anew")

// TestDocumentation: the picture in the documentation is the one that is drawn.
func TestDocumentation(t *testing.T) {
	const file = "../../../docs/type-figure1.svg"
	svg := draw(t, figure1, "s_type[2][5]", 0)
	if *update {
		if err := os.WriteFile(file, []byte(svg), 0o644); err != nil { //nolint:gosec // it is to be read
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != svg {
		t.Errorf("%s is not what is drawn now (%v): go test ./internal/picture -update", file, err)
	}
}

func TestPicturesEscape(t *testing.T) {
	typ, err := datatype.Parse("INT")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Draw(&b, typ, Options{Name: "<script>&\x1b\x00\xff"}); err != nil {
		t.Fatal(err)
	}
	check(t, b.String())
	b.Reset()
	if err := Write(&b, typ, Options{Name: "a\x1b[31mb"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}

func TestPathErrors(t *testing.T) {
	typ, err := datatype.Parse(figure1)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"[9]":              "the type has [0] to [4], so no [9]",
		"copy 3 of s[2]":   "there is no copy 3 among 3",
		"copy 2 of s[2,3]": "",
	} {
		p, err := datatype.ParsePath(path)
		if err != nil {
			continue
		}
		if err := Draw(io.Discard, typ, Options{Path: &p, Count: 3}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestText(t *testing.T) {
	typ, err := datatype.Parse(figure1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, typ, options(t, "s_type[2][5]", 0)); err != nil {
		t.Fatal(err)
	}
	want := `s_type = struct{LB @-4, 5*INT @0, 7*CHAR @47, 2*DOUBLE @76, UB @100}
14 elements, 43 bytes of data, extent 104 (-4 to 100), data from 0 to 92
signature 5×INT, 7×CHAR, 2×DOUBLE
s_type(STRUCT)[2][5](CHAR): element 10, 1 byte at displacement 52

How it is made
  STRUCT, 14 elements, extent 104  ◀
  ├─ at -4: LB, a bound
  ├─ 5 × at 0: INT, 4 bytes
  ├─ [2][5] 7 × at 47: CHAR, 1 byte  ◀
  ├─ 2 × at 76: DOUBLE, 8 bytes
  └─ at 100: UB, a bound

Expanded, with displacements relative to the node above
  STRUCT  ◀
  ├─ [0] at -4
  ├─ [1] at 0
  │  └─ [0] … [4] INT at 0, 4 … 16
  ├─ [2] at 47  ◀
  │  ├─ [0] … [4] CHAR at 0, 1 … 4
  │  ├─ [5] CHAR at 5  ◀
  │  └─ [6] CHAR at 6
  ├─ [3] at 76
  │  └─ [0] … [1] DOUBLE at 0, 8
  └─ [4] at 100

Memory
  displacement  bytes
            -4         lb
            -4      4  -
             0     20  5 × INT
            20     27  -
            47      7  7 × CHAR  ◀
            54     22  -
            76     16  2 × DOUBLE
            92      8  -
           100         ub
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestNothingIsLost: the shown and the hidden elements together are all elements.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ, err := datatype.Parse(drawText(t, 3))
		if err != nil || typ.Size <= 0 {
			return
		}
		s, err := newScene(typ, Options{Count: rapid.Int64Range(1, 3).Draw(t, "count")})
		if err != nil {
			t.Fatal(err)
		}
		if _, overlaps := (datatype.Buffer{Base: 1 << 40, Count: 1, Type: s.whole}).SelfOverlap(); overlaps {
			return
		}
		m := newMemory(s.whole)
		w, ok := s.windows(m, room{4, 1, 3})
		if !ok {
			t.Fatal("too irregular")
		}
		st := s.folded(m, w, room{2, 1, 2})
		var n, end int64
		for _, r := range st.runs {
			n += r.n
		}
		for _, h := range st.hidden {
			n += h.elements
			if h.hi <= h.lo || h.lo < end && end != 0 {
				t.Fatalf("%d to %d are hidden", h.lo, h.hi)
			}
			end = h.hi
		}
		if n != s.whole.Elements {
			t.Fatalf("%s: %d elements are shown or counted, but there are %d: %+v %+v", datatype.Format(typ), n,
				s.whole.Elements, st.runs, st.hidden)
		}
	})
}

func TestRandomPictures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ, err := datatype.Parse(drawText(t, 4))
		if err != nil {
			return // too large
		}
		o := Options{Count: rapid.Int64Range(1, 3).Draw(t, "count")}
		if typ.Elements > 0 && rapid.Bool().Draw(t, "path") {
			p := datatype.PathTo(typ, "", rapid.Int64Range(0, typ.Elements*o.Count-1).Draw(t, "element"))
			p.Steps = p.Steps[:rapid.IntRange(0, len(p.Steps)).Draw(t, "steps")]
			o.Path = &p
		}
		var b bytes.Buffer
		if err := Draw(&b, typ, o); err != nil {
			t.Fatal(err)
		}
		check(t, b.String())
		if err := Write(io.Discard, typ, o); err != nil {
			t.Fatal(err)
		}
	})
}

// drawText draws the textual form of a type.
func drawText(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "leaf") == 4 {
		return rapid.SampledFrom([]string{
			"INT", "CHAR", "DOUBLE", "SHORT_INT", "2INT", "f90_integer(4)",
			"BYTE",
		}).Draw(t, "basic")
	}
	num := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	few := rapid.SampledFrom([]int{1, 2, 3, 20, 0, 1000})
	old := func() string { return drawText(t, depth-1) }
	switch num(0, 7) {
	case 0:
		return fmt.Sprintf("contiguous(%d, %s)", few.Draw(t, "count"), old())
	case 1:
		return fmt.Sprintf("vector(%d, %d, %d, %s)", few.Draw(t, "count"), few.Draw(t, "blocklength"), num(-5, 30),
			old())
	case 2:
		return fmt.Sprintf("indexed([%d, %d, %d], [%d, %d, %d], %s)", num(0, 3), num(0, 30), num(0, 3), num(-9, 9),
			num(-9, 99), num(0, 999), old())
	case 3:
		return fmt.Sprintf("resized(%d, %d, %s)", num(-50, 50), num(-9, 300), old())
	case 4:
		n := num(1, 5)
		return fmt.Sprintf("subarray([%d, 7, 9], [%d, %d, %d], [0, 1, 2], C, %s)", 2*n, n, num(1, 6), num(1, 7), old())
	case 5:
		return fmt.Sprintf("darray(4, %d, [%d, %d], [cyclic(2), block], [2, 2], FORTRAN, %s)", num(0, 3), num(3, 30),
			num(3, 30), old())
	}
	var blocks []string
	for range num(1, 12) {
		blocks = append(blocks, fmt.Sprintf("%d*%s @%d", num(0, 9), old(), num(-100, 1000)))
	}
	return "struct{" + strings.Join(blocks, ", ") + "}"
}

// FuzzDraw draws any datatype that can be written as text.
func FuzzDraw(f *testing.F) {
	for _, c := range examples {
		if len(c.text) < 500 {
			f.Add(c.text, c.path)
		}
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		typ, err := datatype.Parse(text)
		if err != nil {
			return
		}
		var o Options
		if p, err := datatype.ParsePath(path); err == nil {
			if _, err := p.Resolve(typ); err == nil {
				o.Path = &p
			}
		}
		var b bytes.Buffer
		if err := Draw(&b, typ, o); err != nil && err != datatype.ErrTooLarge { //nolint:errorlint // not wrapped
			t.Fatal(err)
		}
		if b.Len() > 0 {
			check(t, b.String())
		}
		if err := Write(io.Discard, typ, o); err != nil && err != datatype.ErrTooLarge { //nolint:errorlint // likewise
			t.Fatal(err)
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	for _, name := range []string{"figure 1", "large", "scattered"} {
		b.Run(name, func(b *testing.B) {
			c := examples[name]
			for b.Loop() {
				draw(b, c.text, c.path, c.count)
			}
		})
	}
}
