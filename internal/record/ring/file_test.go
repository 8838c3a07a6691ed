package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// record returns a record of a call, or of something else, with a number in it.
func record(kind uint16, seq uint64, lines int) []byte {
	b := make([]byte, lines*layout.Line)
	binary.LittleEndian.PutUint16(b, kind)
	binary.LittleEndian.PutUint16(b[layout.RecordLinesAt:], uint16(lines))
	if kind < layout.Info {
		binary.LittleEndian.PutUint64(b[layout.SizeofRecord:], seq)
	} else {
		binary.LittleEndian.PutUint64(b[layout.SizeofRecord+16:], seq)
	}
	return b
}

// perform gives a handler one delivery of every kind.
func perform(h Handler) {
	h.Proc(&Proc{PID: 10, PPID: 9, Rank: 3, WorldSize: 4, Exe: "/bin/a", Start: time.Second})
	h.Thread(&Thread{TID: 10, Main: true})
	h.Tick()
	h.Batch(&Batch{Data: append(record(layout.InfoSite, 1, 2), record(7, 1, 1)...), Open: true})
	h.Proc(&Proc{ID: 1, PID: 11, Rank: -1})
	h.Thread(&Thread{ID: 1, Proc: 1, TID: 11})
	h.Batch(&Batch{Data: record(layout.InfoComm, 2, 1)})
	h.Batch(&Batch{Thread: 1, Data: record(8, 2, 3)})
	h.Batch(&Batch{Thread: 1, Repeats: 1 << 40})
	h.Batch(&Batch{Data: append(record(7, 1, 1), record(9, 3, 1)...), Resume: true, Open: true})
	h.Batch(&Batch{Data: record(9, 3, 1), Resume: true})
	h.End(1, &ProcEnd{
		Kind: Signaled, Code: 11, FaultAddr: 1 << 63, PCs: []uint64{1, 1 << 63},
		Maps: []Mapping{{1, 2, 3, "/x"}},
	})
	tickInDoubt(h)
	h.End(0, &ProcEnd{Kind: Lost, Reason: "because"})
}

var testMeta = Meta{
	Version: "1.2.3", Command: []string{"a", "b c"}, Start: time.Unix(1e9, 0).UTC(), TableHash: 1<<63 + 5,
	Facts: map[string]string{"ranks": "4"},
}

var testStats = Stats{Queries: 1, Stalls: 2, StallTime: 3, Unrecorded: 4, Shrunk: 5}

func write(t testing.TB, do func(Handler)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	do(w)
	if err := w.Close(testStats); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// replay delivers a record file and returns the error at the end.
func replay(f *File, h Handler) error {
	for {
		if _, err := f.Poll(h); err != nil {
			return err
		}
	}
}

// only reads the records of one table.
func only(hash uint64) func(uint64) bool { return func(h uint64) bool { return h == hash } }

func TestFile(t *testing.T) {
	direct, again := &log{t: t}, &log{t: t}
	path := filepath.Join(t.TempDir(), "a.mpivet")
	if err := os.WriteFile(path, write(t, func(h Handler) { perform(Tee(direct, h)) }), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path, only(testMeta.TableHash))
	if err != nil {
		t.Fatal(err)
	}
	meta := testMeta
	meta.Layout = layout.Records
	if !reflect.DeepEqual(f.Meta, meta) {
		t.Errorf("meta %+v, want %+v", f.Meta, meta)
	}
	if err := replay(f, again); err != io.EOF {
		t.Fatal(err)
	}
	if f.Stats() != testStats || f.Calls() != 3+1<<40 {
		t.Errorf("stats %+v, %d calls", f.Stats(), f.Calls())
	}
	want(t, again.take(), direct.take())
	if !reflect.DeepEqual(again.ends, direct.ends) {
		t.Errorf("ends %+v, want %+v", again.ends, direct.ends)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenFile(path, only(1)); !errors.Is(err, ErrOtherVersion) || !strings.Contains(err.Error(), "1.2.3") {
		t.Errorf("opened for another table: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, fmt.Appendf(nil, `"layout":%d`, layout.Records),
		fmt.Appendf(nil, `"layout":%d`, layout.Records-1), 1)
	if _, err := newFile(bytes.NewReader(b), path, only(testMeta.TableHash)); !errors.Is(err, ErrOtherVersion) {
		t.Errorf("opened with other records: %v", err)
	}
}

// TestLongFile has several blocks, and batches that are longer than one.
func TestLongFile(t *testing.T) {
	do := func(h Handler) {
		h.Proc(&Proc{})
		h.Thread(&Thread{})
		for i := range 5 {
			var data []byte
			for k := range 1 << (3*i + 1) {
				data = append(data, record(7, uint64(k), k%40+1)...)
			}
			h.Batch(&Batch{Data: data, Open: i%2 == 0, Resume: i%2 == 1})
		}
		h.Batch(&Batch{Data: append(record(7, 1, 65535), record(7, 1, 65535)...), Resume: true})
	}
	direct, again := &log{t: t}, &log{t: t}
	b := write(t, func(h Handler) { do(Tee(direct, h)) })
	f, err := newFile(bytes.NewReader(b), "f", only(testMeta.TableHash))
	if err != nil {
		t.Fatal(err)
	}
	if err := replay(f, again); err != io.EOF {
		t.Fatal(err)
	}
	if f.block < 3 {
		t.Errorf("only %d blocks", f.block)
	}
	if again.take() != direct.take() {
		t.Error("something else is delivered")
	}
}

// TestTruncated cuts a record file at every byte.
func TestTruncated(t *testing.T) {
	direct := &log{t: t}
	whole := write(t, func(h Handler) {
		perform(Tee(direct, h))
		h.(*Writer).flush()
	})
	all := direct.take()
	seen := map[string]bool{}
	for n := range whole {
		f, err := newFile(bytes.NewReader(whole[:n]), "a.mpivet", only(testMeta.TableHash))
		if err != nil {
			if !strings.Contains(err.Error(), "a.mpivet") {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		h := &log{t: t}
		err = replay(f, h)
		var e *FileError
		if !errors.As(err, &e) || !e.Cut || e.Path != "a.mpivet" || e.Calls != f.calls || e.Offset > int64(n) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		got := h.take()
		if !strings.HasPrefix(all, got) {
			t.Fatalf("%d bytes: delivered %q", n, got)
		}
		seen[got] = true
	}
	if !seen[all] || !seen[""] {
		t.Error("not everything before the cut is delivered")
	}
}

// TestCorrupt changes every byte of a record file.
func TestCorrupt(t *testing.T) {
	direct := &log{t: t}
	whole := write(t, func(h Handler) { perform(Tee(direct, h)) })
	all := direct.take()
	for n := range whole {
		b := bytes.Clone(whole)
		b[n] ^= 0x55
		f, err := newFile(bytes.NewReader(b), "a.mpivet", only(testMeta.TableHash))
		if err != nil {
			continue
		}
		h := &log{t: t}
		err = replay(f, h)
		var e *FileError
		if !errors.As(err, &e) && err != io.EOF {
			t.Fatalf("byte %d: %v", n, err)
		}
		if got := h.take(); !strings.HasPrefix(all, got) || err == io.EOF && got != all {
			t.Fatalf("byte %d: delivered %q, %v", n, got, err)
		}
	}
}

// fullDisk takes a number of bytes, and then returns an error.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.left {
		n := d.left
		d.left = 0
		return n, errFull
	}
	d.left -= len(b)
	return len(b), nil
}

func TestFullDisk(t *testing.T) {
	w, err := NewWriter(&fullDisk{1000}, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	w.Proc(&Proc{})
	w.Thread(&Thread{})
	data := make([]byte, 0, 1<<16)
	for i := range uint64(1 << 10) {
		data = append(data, record(7, i*0x9e3779b97f4a7c15, 1)...)
	}
	for range 200 {
		w.Batch(&Batch{Data: data})
	}
	if err := w.Close(Stats{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}

// FuzzRecordFile: whatever a file contains, reading it ends with an error or the end.
func FuzzRecordFile(f *testing.F) {
	f.Add(write(f, perform))
	// The payload of a block, to get past the checksums.
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := newFile(bytes.NewReader(b), "f", only(testMeta.TableHash)); err == nil {
			if err := replay(r, discard{}); err == nil {
				t.Error("no error at the end")
			}
		}
		r := &File{path: "f"}
		for rest := b; len(rest) > 0; {
			var m message
			var err error
			if rest, err = m.cut(rest); err != nil {
				return
			}
			if r.deliver(&m, &log{t: t}) != nil {
				return
			}
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	w, err := NewWriter(io.Discard, testMeta)
	if err != nil {
		b.Fatal(err)
	}
	w.Proc(&Proc{})
	w.Thread(&Thread{})
	var data []byte
	for i := range uint64(chunk / layout.Line) {
		data = append(data, record(uint16(i%2+7), i, 1)...)
	}
	b.SetBytes(layout.Line)
	for i := 0; i < b.N; i += chunk / layout.Line {
		w.Batch(&Batch{Data: data})
	}
	if err := w.Close(Stats{}); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkFile(b *testing.B) {
	var data []byte
	for i := range uint64(chunk / layout.Line) {
		data = append(data, record(uint16(i%2+7), i, 1)...)
	}
	const batches = 1000
	file := write(b, func(h Handler) {
		h.Proc(&Proc{})
		h.Thread(&Thread{})
		for range batches {
			h.Batch(&Batch{Data: data})
		}
	})
	b.SetBytes(layout.Line)
	b.ResetTimer()
	for i := 0; i < b.N; i += batches * chunk / layout.Line {
		f, err := newFile(bytes.NewReader(file), "f", only(testMeta.TableHash))
		if err != nil {
			b.Fatal(err)
		}
		if err := replay(f, discard{}); err != io.EOF {
			b.Fatal(err)
		}
	}
}
