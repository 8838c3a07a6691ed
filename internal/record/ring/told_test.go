package ring

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// TestTold: what is told is in the process's file, which has no name any more.
func TestTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d1.0")
	head := make([]byte, layout.ToldSize)
	le := binary.LittleEndian
	le.PutUint64(head[layout.ToldMagicAt:], layout.MagicTold)
	le.PutUint32(head[layout.ToldVersionAt:], layout.Version)
	le.PutUint64(head[layout.ToldSizeAt:], layout.ToldSize)
	if err := os.WriteFile(path, head, 0o600); err != nil {
		t.Fatal(err)
	}
	process, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	told, err := openTold(path)
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file still has its name: %v", err)
	}

	read := func() (sequence uint64, messages, more int, text string) {
		t.Helper()
		b := make([]byte, layout.ToldSize)
		if n, err := process.ReadAt(b, 0); err != nil || n != len(b) {
			t.Fatal(n, err)
		}
		num := func(at int) int { return int(le.Uint32(b[at:])) }
		return le.Uint64(b[layout.ToldSequenceAt:]), num(layout.ToldUnexpectedAt), num(layout.ToldUnexpectedMoreAt),
			string(b[num(layout.ToldTextAtAt):][:num(layout.ToldTextLengthAt)])
	}
	for _, c := range []struct {
		messages       int
		text           string
		wanted, more   int
		wantedText     string
		wantedSequence uint64
	}{
		{2, "{}", 2, 0, "{}", 2},
		{2, "{}", 2, 0, "{}", 2}, // nothing new
		{5000, "{}", 1636, 3364, "{}", 4},
		{0, strings.Repeat("x", ToldText+1), 0, 0, "", 6},
	} {
		if err := told.Tell(make([]Unexpected, c.messages), c.text); err != nil {
			t.Fatal(err)
		}
		s, n, more, text := read()
		if s != c.wantedSequence || n != c.wanted || more != c.more || text != c.wantedText {
			t.Errorf("%d messages: sequence %d, %d messages, %d more, %.20q", c.messages, s, n, more, text)
		}
	}

	if err := os.WriteFile(path, head[8:], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openTold(path); err == nil || !strings.Contains(err.Error(), "not a file for debuggers") {
		t.Error(err)
	}
}
