package python

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// tables is what testdata/tables.py prints.
type tables struct {
	Version uint16
	Codes   []struct {
		Name  string
		First int
		Table string
		Lines [][3]int64 // begin, end, line; 0: there is none
	}
}

func (v *tables) check(t *testing.T) {
	instructions := 0
	for _, c := range v.Codes {
		table, err := hex.DecodeString(c.Table)
		if err != nil {
			t.Fatal(err)
		}
		code := Code{Version: v.Version, FirstLine: c.First, Lines: string(table)}
		for _, r := range c.Lines {
			for at := r[0]; at < r[1]; at += 2 {
				instructions++
				if line := code.Line(at); int64(line) != r[2] {
					t.Errorf("%s, instruction at %d: line %d, want %d", c.Name, at, line, r[2])
				}
			}
		}
	}
	if instructions < 300 {
		t.Errorf("only %d instructions", instructions)
	}
}

// TestLines: the lines are those that each version of Python gives. testdata/tables.py has made the files.
func TestLines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var v tables
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			v.check(t)
		})
	}
}

// TestInstalled: the same with the Python that is installed.
func TestInstalled(t *testing.T) {
	out, err := exec.Command("python3", "testdata/tables.py", "testdata/source.py").Output()
	if err != nil {
		t.Skip(err)
	}
	var v tables
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatal(err)
	}
	v.check(t)
}

// TestAnything: no table makes it fail.
func TestAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Code{
			Version:   rapid.SampledFrom([]uint16{0x0309, 0x030a, 0x030b, 0x030e}).Draw(t, "version"),
			FirstLine: 1,
			Lines:     string(rapid.SliceOf(rapid.Byte()).Draw(t, "lines")),
		}
		c.Line(rapid.Int64().Draw(t, "at"))
	})
}
