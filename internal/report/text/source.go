package text

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/finding"
)

const (
	around    = 1       // lines of source before and after the line of a frame
	maxSource = 4 << 20 // bytes of a file that are searched for a line
	maxColumn = 160     // of a line of source
)

// source prints the lines of source around a frame, with a mark at its line, if the file can be read and is still the
// one that the program was made of, as far as its length tells. Each place is printed once for a finding.
func (p *printer) source(f *finding.Frame) {
	key := fmt.Sprintf("%s:%d", f.File, f.Line)
	if f.File == "" || f.Line < 1 || p.quoted[key] {
		return
	}
	p.quoted[key] = true
	first := max(f.Line-around, 1)
	lines := readLines(f.File, first, f.Line+around)
	if f.Line-first >= len(lines) {
		return
	}
	width := len(fmt.Sprint(first + len(lines) - 1))
	for i, l := range lines {
		mark := " "
		if first+i == f.Line {
			mark = ">"
		}
		text := fmt.Sprintf("%s %*d | %s", mark, width, first+i, clean(l))
		if limit := p.room(3); limit > 0 && utf8.RuneCountInString(text) > limit {
			text = string([]rune(text)[:limit-1]) + "…"
		}
		p.raw(strings.Repeat(indentation, 3) + p.opts.paint(sourceColor(mark), text))
	}
}

func sourceColor(mark string) string {
	if mark == ">" {
		return bold
	}
	return ""
}

// readLines returns the lines first to last of a text file, or those that there are. It returns nil if the file is not
// a text.
func readLines(path string, first, last int) (lines []string) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxSource)
	read := 0
	for n := 1; n <= last && in.Scan(); n++ {
		if read += len(in.Bytes()); read > maxSource {
			return nil
		}
		if n < first {
			continue
		}
		l := in.Text()
		if !utf8.ValidString(l) || strings.ContainsRune(l, 0) {
			return nil
		}
		if utf8.RuneCountInString(l) > maxColumn {
			l = string([]rune(l)[:maxColumn]) + "…"
		}
		lines = append(lines, strings.TrimRight(l, " \t\r"))
	}
	return lines
}
