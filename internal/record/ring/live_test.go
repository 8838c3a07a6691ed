package ring

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// rank is a real process in the role of a rank. It ends when its input is closed.
type rank struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func startRank(t testing.TB) *rank {
	t.Helper()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &rank{cmd, in}
	t.Cleanup(r.end)
	return r
}

func (r *rank) pid() int { return r.cmd.Process.Pid }

func (r *rank) end() {
	if r.in != nil {
		r.in.Close()
		_ = r.cmd.Wait()
		r.in = nil
	}
}

// log is a Handler that logs the deliveries, one word each.
type log struct {
	t     testing.TB
	words []string
	ends  []*ProcEnd
	calls int
}

func (l *log) Proc(p *Proc)     { l.words = append(l.words, fmt.Sprintf("proc%d", p.ID)) }
func (l *log) Thread(t *Thread) { l.words = append(l.words, fmt.Sprintf("thread%d/%d", t.Proc, t.ID)) }
func (l *log) Tick()            { l.words = append(l.words, "tick") }
func (l *log) TickInDoubt()     { l.words = append(l.words, "tick in doubt") }

func (l *log) End(p ProcID, e *ProcEnd) {
	l.words = append(l.words, fmt.Sprintf("end%d", p))
	l.ends = append(l.ends, e)
}

// Batch writes for each record c for a call or i for another one, its number, and : and the return code. An open call
// is in parentheses. A plus in front marks a completed one.
func (l *log) Batch(b *Batch) {
	if b.Repeats > 0 {
		l.words = append(l.words, fmt.Sprintf("%d.x%d", b.Thread, b.Repeats))
	}
	if (len(b.Data) == 0) != (b.Repeats > 0) {
		l.t.Error("a batch without records, or with some and repeated polls")
	}
	first := true
	for d := b.Data; len(d) > 0; first = false {
		n := int(binary.LittleEndian.Uint16(d[layout.RecordLinesAt:])) * layout.Line
		if n == 0 || n > len(d) {
			l.t.Fatalf("a record of %d bytes where %d are left", n, len(d))
		}
		rec := d[:n]
		d = d[n:]
		seq := binary.LittleEndian.Uint64(rec[layout.SizeofRecord:])
		if binary.LittleEndian.Uint16(rec) >= layout.Info {
			seq = binary.LittleEndian.Uint64(rec[layout.SizeofRecord+16:])
			l.words = append(l.words, fmt.Sprintf("%d.i%d", b.Thread, seq))
			if first && b.Resume || len(d) == 0 && b.Open {
				l.t.Error("something that is no call is resumed or open")
			}
			continue
		}
		rc := int32(binary.LittleEndian.Uint32(rec[layout.RecordRCAt:]))
		switch {
		case b.Open && len(d) == 0:
			l.words = append(l.words, fmt.Sprintf("%d.(c%d)", b.Thread, seq))
		case b.Resume && first:
			l.words = append(l.words, fmt.Sprintf("%d.+c%d:%d", b.Thread, seq, rc))
			l.calls++
		default:
			l.words = append(l.words, fmt.Sprintf("%d.c%d:%d", b.Thread, seq, rc))
			l.calls++
		}
	}
}

func (l *log) take() string {
	s := strings.Join(l.words, " ")
	l.words = nil
	return s
}

func newSession(t testing.TB) *Session {
	t.Helper()
	s, err := NewSession(Options{ShmDir: t.TempDir(), TempDir: t.TempDir(), RingSize: minRingSize, TableHash: 42})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openLive(t testing.TB, s *Session) *Live {
	t.Helper()
	l, err := OpenLive(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// poll polls until nothing more comes.
func poll(t testing.TB, l *Live, h *log) string {
	t.Helper()
	for {
		n, err := l.Poll(h)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return h.take()
		}
	}
}

// until polls until the log satisfies a condition.
func until(t testing.TB, l *Live, h *log, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); l.Wait(time.Millisecond) {
		if _, err := l.Poll(h); err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if time.Now().After(end) {
			t.Fatalf("%s did not come; got %q", what, h.words)
		}
	}
}

func want(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("delivered %q\n     want %q", got, want)
	}
}

func TestOneThread(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	want(t, poll(t, l, h), "")
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	want(t, poll(t, l, h), "proc0")
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	want(t, poll(t, l, h), "thread0/0")

	p.info(layout.InfoSite, 1)
	p.call(1, 0, 1)
	want(t, poll(t, l, h), "0.i1 0.(c1)")
	want(t, poll(t, l, h), "")
	p.leave(5)
	want(t, poll(t, l, h), "0.+c1:5")
	p.call(2, 0, 2)
	p.leave(6)
	p.call(3, 0, 1)
	p.leave(7)
	want(t, poll(t, l, h), "0.c2:6 0.c3:7")
	p.call(4, 0, 1)
	want(t, poll(t, l, h), "0.(c4)")
	p.leave(0)
	p.info(layout.InfoSite, 2)
	p.call(5, 0, 1)
	want(t, poll(t, l, h), "0.+c4:0 0.i2 0.(c5)")
	// Records published by a call come before its completion, even if they are seen late.
	p.info(layout.InfoComm, 3)
	want(t, poll(t, l, h), "0.i3")
	p.info(layout.InfoError, 4)
	p.leave(1)
	want(t, poll(t, l, h), "0.i4 0.+c5:1")
	p.call(6, 0, 1)
	p.leave(0)
	p.call(7, 0, 1)
	p.info(layout.InfoComm, 5)
	p.leave(0)
	p.info(layout.InfoSite, 6)
	p.call(8, 0, 1)
	p.leave(0)
	want(t, poll(t, l, h), "0.c6:0 0.(c7) 0.i5 0.+c7:0 0.i6 0.c8:0")
	// The last record stays open.
	p.call(9, 0, 1)
	p.info(layout.InfoError, 7)
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 1 })
	want(t, h.take(), "0.(c9) 0.i7 end0")
	if e := h.ends[0]; e.Kind != Vanished && !(e.Kind == Exited && e.Unseen && e.Code == 0) {
		t.Errorf("end %+v, want an exit that the kernel tells of, or Vanished where it does not", e)
	}
	l.Finish()
	for range 3 {
		if _, err := l.Poll(h); err == io.EOF {
			return
		}
	}
	t.Error("no io.EOF after the last process is gone")
}

// TestRepeats: the number of repeated polls is delivered at each tick, before records that come later, and at the end.
func TestRepeats(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.call(1, 0, 1)
	p.leave(0)
	want(t, poll(t, l, h), "proc0 thread0/0 0.c1:0")
	p.m.hdr.Repeats.Store(5)
	want(t, poll(t, l, h), "") // not yet: without new records, the counter is not read, as that is expensive
	l.Mark()
	want(t, poll(t, l, h), "0.x5")
	l.Mark()
	want(t, poll(t, l, h), "")
	p.m.hdr.Repeats.Store(7)
	p.call(2, 0, 1)
	p.leave(0)
	want(t, poll(t, l, h), "0.x2 0.c2:0")
	p.m.hdr.Repeats.Store(6) // damage
	l.Mark()
	want(t, poll(t, l, h), "")
	p.m.hdr.Repeats.Store(9)
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 1 })
	want(t, h.take(), "0.x2 end0")
}

// TestResultsBehind: an array that a call writes and that is too long for its record follows the record after the
// call's return. The call is complete when the array has come. The array may be longer than the ring.
func TestResultsBehind(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	f := mpiapi.ByName("MPI_Waitsome")
	const elements = 40000
	enter := func(seq uint64) {
		b := make([]byte, (f.Fixed+7)&^7-layout.SizeofRecord+2*layout.SizeofSection)
		binary.LittleEndian.PutUint64(b, seq)
		sec := b[len(b)-2*layout.SizeofSection:]
		binary.LittleEndian.PutUint16(sec, layout.SecCut)
		binary.LittleEndian.PutUint16(sec[2:], uint16(f.Arg(mpiapi.Indices)))
		binary.LittleEndian.PutUint32(sec[4:], elements)
		p.put(uint16(f.ID), 1, 0, b, 2)
		// The length of the fixed part is without the section.
		p.write(p.open+layout.RecordUsedAt, []byte{byte(f.Fixed), 0})
	}
	part := func(seq uint64, first, count int) {
		b := make([]byte, 16+4*count)
		binary.LittleEndian.PutUint16(b, layout.SecOut32)
		binary.LittleEndian.PutUint32(b[4:], uint32(first))
		binary.LittleEndian.PutUint32(b[8:], uint32(count))
		binary.LittleEndian.PutUint64(b[16:], seq)
		p.put(layout.InfoData, 0, 0, b, (layout.SizeofRecord+len(b)+layout.Line-1)/layout.Line)
	}
	enter(1)
	want(t, poll(t, l, h), "proc0 thread0/0 0.(c1)")
	p.leave(3)
	want(t, poll(t, l, h), "")
	for i := range 10 {
		part(uint64(i), i*elements/10, elements/10)
		if i < 9 {
			want(t, poll(t, l, h), fmt.Sprintf("0.i%d", i))
		}
	}
	want(t, poll(t, l, h), "0.i9 0.+c1:3")
	// Fewer elements may come than there is room for: the next call then shows that there are no more.
	enter(2)
	p.leave(4)
	part(20, 0, 2)
	want(t, poll(t, l, h), "0.(c2) 0.i20")
	p.call(3, 0, 1)
	want(t, poll(t, l, h), "0.+c2:4 0.(c3)")
	p.leave(0)
	enter(4)
	p.leave(5)
	want(t, poll(t, l, h), "0.+c3:0 0.(c4)")
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 1 })
	want(t, h.take(), "0.+c4:5 end0")
}

// TestWrapAround sends many times the ring's size through it, with records of all lengths.
func TestWrapAround(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	h := &log{t: t}
	seq := uint64(0)
	var expect []string
	for round := 0; round < 40; round++ {
		for i := 0; p.room((i%300 + 1) * layout.Line); i++ {
			seq++
			p.call(seq, 0, i%300+1)
			p.leave(int32(i))
			expect = append(expect, fmt.Sprintf("0.c%d:%d", seq, i))
		}
		for {
			n, err := l.Poll(h)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 && h.calls == int(seq) {
				break
			}
		}
	}
	got := slices.DeleteFunc(h.words, func(w string) bool {
		return !strings.Contains(w, "c") || strings.HasPrefix(w, "p")
	})
	if !slices.Equal(got, expect) {
		t.Errorf("%d calls delivered, want %d in order", len(got), len(expect))
	}
	if got := p.m.hdr.Tail.Load(); got != p.head {
		t.Errorf("tail %d after all was delivered, want %d", got, p.head)
	}
}

// TestOpenKeepsRoom: the results are written into the record of an open call, so its room must not be released.
func TestOpenKeepsRoom(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	h := &log{t: t}
	p.call(1, 0, 1)
	p.leave(0)
	p.call(2, 0, 1)
	poll(t, l, h)
	if got := p.m.hdr.Tail.Load(); got != layout.Line {
		t.Errorf("tail %d while the call at %d is open", got, layout.Line)
	}
	p.leave(0)
	poll(t, l, h)
	if got := p.m.hdr.Tail.Load(); got != 2*layout.Line {
		t.Errorf("tail %d after the call has returned, want %d", got, 2*layout.Line)
	}
}

func TestEnds(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	var ranks [5]*rank
	var pages [5]*layout.Process
	var rings [5]*producer
	for i := range ranks {
		ranks[i] = startRank(t)
		var name string
		name, pages[i] = makeProcess(t, s, ranks[i].pid(), 0, i)
		rings[i] = makeRing(t, s, name, ranks[i].pid(), 0, minRingSize)
	}
	poll(t, l, h)
	pages[3].Code, pages[3].ExitKind = 4, 1
	pages[3].State.Store(layout.StateExited)
	pages[1].Code, pages[1].FaultAddr, pages[1].NPCs = 11, 16, 2
	pages[1].PCs[0], pages[1].PCs[1] = 100, 200
	pages[1].NMaps = 1
	pages[1].Maps[0] = layout.Map{Start: 90, End: 300}
	copy(pages[1].Maps[0].Path[:], "/bin/program")
	pages[1].Initialized, pages[1].InMPI = 1, 1
	pages[1].State.Store(layout.StateSignaled)
	pages[4].NPCs, pages[4].NMaps = 1<<31, 1<<31 // overwritten by the program
	pages[4].State.Store(layout.StateExited)
	for _, i := range []int{3, 1, 4} {
		rings[i].call(uint64(i), 0, 1)
		rings[i].leave(0)
		ranks[i].end()
	}
	until(t, l, h, "three ends", func() bool { return len(h.ends) == 3 })
	var ends []string
	for _, w := range h.words {
		if strings.HasPrefix(w, "end") {
			ends = append(ends, w)
		}
	}
	want(t, strings.Join(ends, " "), "end3 end1 end4")
	for _, i := range []int{3, 1, 4} {
		c, e := slices.Index(h.words, fmt.Sprintf("%d.c%d:0", i, i)), slices.Index(h.words, fmt.Sprintf("end%d", i))
		if c < 0 || c > e {
			t.Errorf("rank %d: its last call is not delivered before its end: %v", i, h.words)
		}
	}
	if e := h.ends[0]; e.Kind != Exited || e.Code != 4 || !e.Underscore {
		t.Errorf("rank 3: %+v", e)
	}
	if e := h.ends[1]; e.Kind != Signaled || e.Code != 11 || e.FaultAddr != 16 ||
		!slices.Equal(e.PCs, []uint64{100, 200}) ||
		len(e.Maps) != 1 || e.Maps[0].Path != "/bin/program" || !e.Initialized || !e.InMPI {
		t.Errorf("rank 1: %+v", e)
	}
	if e := h.ends[2]; e.Kind != Exited || len(e.PCs) != 64 || len(e.Maps) != 8 {
		t.Errorf("rank 4: %+v", e)
	}
	// Their files are gone. The files of the others are there.
	left, _ := filepath.Glob(filepath.Join(s.Dir, "[pt]*"))
	if len(left) != 4 {
		t.Errorf("files left: %v", left)
	}
}

// TestDeathsInTheOrderOfTheirBeginning: a launcher that sees the connections of a dying process closed may kill another
// process so fast that this one is gone first. The same may happen in a program that is started after another has
// ended.
func TestDeathsInTheOrderOfTheirBeginning(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	for run := range 3 {
		h.take()
		h.ends = nil
		var ranks [2]*rank
		var files [2]*os.File
		for i := range ranks {
			ranks[i] = startRank(t)
			name, _ := makeProcess(t, s, ranks[i].pid(), 0, i)
			makeRing(t, s, name, ranks[i].pid(), 0, minRingSize)
			f, err := os.OpenFile(filepath.Join(s.Dir, name), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			files[i] = f
		}
		until(t, l, h, "both ranks", func() bool { return len(h.words) == 4 })
		for i := range files { // as the kernel does when rank 0 begins to end, and then rank 1
			files[i].Close()
			poll(t, l, h)
		}
		ranks[1].end()
		until(t, l, h, "the end of rank 1", func() bool { return len(h.ends) == 1 })
		ranks[0].end()
		until(t, l, h, "the end of rank 0", func() bool { return len(h.ends) == 2 })
		if one, zero := h.ends[0].Time, h.ends[1].Time; zero >= one {
			t.Errorf("run %d: rank 0 began to end at %v, rank 1 at %v", run, zero, one)
		}
	}
}

// TestFinishEndsWait: Finish ends a wait, as no more events come.
func TestFinishEndsWait(t *testing.T) {
	l := openLive(t, newSession(t))
	over := make(chan struct{})
	go func() {
		l.Wait(time.Hour)
		close(over)
	}()
	l.Finish()
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits on")
	}
	if _, err := l.Poll(&log{t: t}); err != io.EOF {
		t.Errorf("%v, want io.EOF", err)
	}
}

func TestExec(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.call(1, 0, 1)
	want(t, poll(t, l, h), "proc0 thread0/0 0.(c1)")
	p.leave(0)
	name, _ = makeProcess(t, s, r.pid(), 1, 0)
	p = makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.call(2, 0, 1)
	p.leave(0)
	want(t, poll(t, l, h), "0.+c1:0 end0 proc1 thread1/1 1.c2:0")
	if k := h.ends[0].Kind; k != Replaced {
		t.Errorf("kind of end %d, want Replaced", k)
	}
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 2 })
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "[pt]*")); len(left) != 0 {
		t.Errorf("files left: %v", left)
	}
}

// TestWithoutPidfd: an old kernel, or a container that forbids pidfd_open.
func TestWithoutPidfd(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	l.w.noPidfd = true
	h := &log{t: t}
	r := startRank(t)
	makeProcess(t, s, r.pid(), 0, 0)
	want(t, poll(t, l, h), "proc0")
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 1 })
}

// TestWithoutInotify: the user has as many inotify instances as allowed.
func TestWithoutInotify(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	l.w.inotify = -1
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	makeRing(t, s, name, r.pid(), 0, minRingSize)
	until(t, l, h, "the thread", func() bool { return slices.Contains(h.words, "thread0/0") })
}

func TestFilesInOtherOrder(t *testing.T) {
	s := newSession(t)
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.call(1, 0, 1)
	// The ring is found without its process.
	path := filepath.Join(s.Dir, name)
	if err := os.Rename(path, filepath.Join(s.Dir, "."+name)); err != nil {
		t.Fatal(err)
	}
	l := openLive(t, s)
	h := &log{t: t}
	want(t, poll(t, l, h), "")
	if err := os.Rename(filepath.Join(s.Dir, "."+name), path); err != nil {
		t.Fatal(err)
	}
	want(t, poll(t, l, h), "proc0 thread0/0 0.(c1)")
}

// born is a handler that lets a process make its ring and end, right after the process was found.
type born struct {
	*log
	then func()
}

func (b *born) Proc(p *Proc) {
	b.log.Proc(p)
	b.then()
}

// TestShortLife: a process is found, makes one call and ends before it is watched.
func TestShortLife(t *testing.T) {
	for _, inotify := range []bool{true, false} {
		s := newSession(t)
		l := openLive(t, s)
		if !inotify {
			l.w.inotify = -1
		}
		r := startRank(t)
		name, _ := makeProcess(t, s, r.pid(), 0, 0)
		h := &born{log: &log{t: t}, then: func() {
			p := makeRing(t, s, name, r.pid(), 0, minRingSize)
			p.call(1, 0, 1)
			r.end()
		}}
		l.w.scan()
		for range 3 {
			if _, err := l.Poll(h); err != nil {
				t.Fatal(err)
			}
		}
		want(t, h.take(), "proc0 thread0/0 0.(c1) end0")
	}
}

// TestDamage: whatever the program writes over the shared memory, the analyzer reports it and continues with the
// others.
func TestDamage(t *testing.T) {
	tests := map[string]func(p *producer){
		"head back": func(p *producer) { p.m.hdr.Head.Store(0) },
		"head far":  func(p *producer) { p.m.hdr.Head.Store(1 << 40) },
		"head odd":  func(p *producer) { p.m.hdr.Head.Add(17) },
		"done far":  func(p *producer) { p.m.hdr.Done.Store(1 << 40) },
		"length 0": func(p *producer) {
			p.call(2, 0, 1)
			p.write(p.open+layout.RecordLinesAt, []byte{0, 0})
			p.leave(0)
		},
		"length too long": func(p *producer) {
			p.call(2, 0, 1)
			p.write(p.open+layout.RecordLinesAt, []byte{2, 0})
			p.leave(0)
		},
		"length of an info": func(p *producer) {
			p.info(layout.InfoSite, 1)
			p.write(p.head-layout.Line+layout.RecordLinesAt, []byte{9, 0})
		},
		"truncated": func(p *producer) { truncate(p) },
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			l := openLive(t, s)
			h := &log{t: t}
			r, other := startRank(t), startRank(t)
			n0, _ := makeProcess(t, s, r.pid(), 0, 3)
			p := makeRing(t, s, n0, r.pid(), 0, minRingSize)
			n1, _ := makeProcess(t, s, other.pid(), 0, 1)
			q := makeRing(t, s, n1, other.pid(), 0, minRingSize)
			p.call(1, 0, 1)
			p.leave(0)
			poll(t, l, h)
			do(p)
			until(t, l, h, "the loss", func() bool { return len(h.ends) == 1 })
			if e := h.ends[0]; e.Kind != Lost || e.Reason == "" {
				t.Errorf("end %+v, want Lost with a reason", e)
			}
			notes := strings.Join(l.Notes(), "\n")
			if !strings.Contains(notes, "rank 3") || !strings.Contains(notes, "lost") {
				t.Errorf("notes %q do not say that rank 3 lost something", notes)
			}
			h.take()
			q.call(5, 0, 1)
			q.leave(0)
			want(t, poll(t, l, h), "1.c5:0")
			if name != "truncated" {
				// A thread that waits for room gets room.
				poll(t, l, h)
				if head, tail := p.m.hdr.Head.Load(), p.m.hdr.Tail.Load(); head != tail {
					t.Errorf("tail %d, head %d: the rank would wait forever", tail, head)
				}
			}
			r.end()
			other.end()
			l.Finish()
			for end := time.Now().Add(20 * time.Second); ; l.Wait(time.Millisecond) {
				if _, err := l.Poll(h); err == io.EOF {
					break
				}
				if time.Now().After(end) {
					t.Fatal("no io.EOF after a loss")
				}
			}
			if len(h.ends) != 2 {
				t.Errorf("%d ends, want one for each process", len(h.ends))
			}
		})
	}
}

func truncate(p *producer) {
	p.call(2, 0, 1)
	p.leave(0)
	if err := os.Truncate(p.path(), 4096); err != nil {
		p.t.Error(err)
	}
}

func TestBadFiles(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 2)
	if err := os.WriteFile(filepath.Join(s.Dir, ".x"), make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.Dir, ".x"), filepath.Join(s.Dir, "t"+name[1:]+".0")); err != nil {
		t.Fatal(err)
	}
	for i, b := range [][]byte{nil, make([]byte, 100), make([]byte, 8192)} {
		if err := os.WriteFile(filepath.Join(s.Dir, ".x"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(s.Dir, ".x"), filepath.Join(s.Dir, fmt.Sprintf("p99999.%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	want(t, poll(t, l, h), "proc0 end0")
	if n := l.Notes(); len(n) != 4 {
		t.Errorf("notes %q, want one for each bad file", n)
	}
}

// TestFairness: a rank with much to deliver does not keep the others waiting.
func TestFairness(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	var p [2]*producer
	for i := range p {
		r := startRank(t)
		name, _ := makeProcess(t, s, r.pid(), 0, i)
		p[i] = makeRing(t, s, name, r.pid(), 0, 1<<20)
	}
	poll(t, l, h)
	for i := range uint64(1 << 14) {
		p[0].call(i, 0, 1)
		p[0].leave(0)
	}
	p[1].call(77, 0, 1)
	n, err := l.Poll(h)
	if err != nil || n != 1<<20+layout.Line {
		t.Errorf("%d bytes at once, %v", n, err)
	}
	if i := slices.Index(h.words, "1.(c77)"); i < 0 || i > 2*chunk/layout.Line {
		t.Errorf("the other rank is served after %d records of the busy one", i)
	}
}

// TestUnwatchedDaemon: a process that never calls MPI and outlives the launcher does not keep the analyzer running.
func TestUnwatchedDaemon(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	makeProcess(t, s, r.pid(), 0, -1)
	poll(t, l, h)
	l.Finish()
	var err error
	for range 3 {
		if _, err = l.Poll(h); err != nil {
			break
		}
	}
	if err != io.EOF {
		t.Errorf("%v, want io.EOF", err)
	}
}

func TestStop(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.call(1, 0, 1)
	l.Stop()
	if s.control.Stop.Load() != 1 {
		t.Error("ranks are not told to stop recording")
	}
	var err error
	for range 5 {
		if _, err = l.Poll(h); err != nil {
			break
		}
	}
	if err != io.EOF {
		t.Errorf("%v, want io.EOF", err)
	}
	want(t, h.take(), "proc0 thread0/0 0.(c1)")
}

func TestStats(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	h := &log{t: t}
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, minRingSize)
	p.m.hdr.Queries.Store(10)
	p.m.hdr.Stalls.Store(2)
	p.m.hdr.StallNS.Store(3000)
	s.control.Unrecorded.Store(4)
	s.control.Shrunk.Store(5)
	poll(t, l, h)
	expect := Stats{Queries: 10, Stalls: 2, StallTime: 3 * time.Microsecond, Unrecorded: 4, Shrunk: 5}
	if got := l.Stats(); got != expect {
		t.Errorf("%+v, want %+v", got, expect)
	}
	r.end()
	until(t, l, h, "the end", func() bool { return len(h.ends) == 1 })
	if got := l.Stats(); got != expect {
		t.Errorf("after the end %+v, want %+v", got, expect)
	}
}

func TestPollDoesNotAllocate(t *testing.T) {
	s := newSession(t)
	l := openLive(t, s)
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	p := makeRing(t, s, name, r.pid(), 0, 1<<20)
	h := discard{}
	if _, err := l.Poll(h); err != nil {
		t.Fatal(err)
	}
	rec := make([]byte, layout.Line)
	rec[layout.RecordLinesAt] = 1
	n := testing.AllocsPerRun(100, func() {
		for range 10 {
			p.write(p.head, rec)
			p.head += layout.Line
			p.m.hdr.Head.Store(p.head)
			p.m.hdr.Done.Add(1)
			if _, err := l.Poll(h); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Poll(h); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// discard is a Handler that does nothing.
type discard struct{}

func (discard) Proc(*Proc)           {}
func (discard) Thread(*Thread)       {}
func (discard) Batch(*Batch)         {}
func (discard) End(ProcID, *ProcEnd) {}
func (discard) Tick()                {}

func BenchmarkLive(b *testing.B) {
	for _, open := range []bool{false, true} {
		b.Run(fmt.Sprintf("open=%v", open), func(b *testing.B) {
			s := newSession(b)
			l := openLive(b, s)
			r := startRank(b)
			name, _ := makeProcess(b, s, r.pid(), 0, 0)
			const size = 4 << 20
			p := makeRing(b, s, name, r.pid(), 0, size)
			for i := 0; i < size; i += layout.Line {
				p.data[i] = 7
				p.data[i+layout.RecordLinesAt] = 1
			}
			h := discard{}
			if _, err := l.Poll(h); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			// The records are there already: only the positions move.
			for i := 0; i < b.N; {
				n := uint64(min(b.N-i, size/layout.Line-1))
				p.head += n * layout.Line
				done := p.m.hdr.Done.Load() + n
				if open {
					done--
				}
				p.m.hdr.Done.Store(done)
				p.m.hdr.Head.Store(p.head)
				for {
					n, err := l.Poll(h)
					if err != nil {
						b.Fatal(err)
					}
					if n == 0 {
						break
					}
				}
				if open {
					p.m.hdr.Done.Add(1)
				}
				i += int(n)
			}
			b.ReportMetric(float64(b.N)*1e3/float64(b.Elapsed().Nanoseconds()), "Mrec/s")
		})
	}
}
