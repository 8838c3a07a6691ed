package ring

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// strictRank makes a session in strict mode, with a rank that has a ring.
func strictRank(t *testing.T) (*Session, *Live, *log, *producer) {
	t.Helper()
	return sessionRank(t, Options{Strict: true})
}

// sessionRank makes a session with some options, with a rank that has a ring.
func sessionRank(t *testing.T, o Options) (*Session, *Live, *log, *producer) {
	t.Helper()
	o.ShmDir, o.TempDir, o.RingSize, o.TableHash = t.TempDir(), t.TempDir(), minRingSize, 42
	s, err := NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r := startRank(t)
	name, _ := makeProcess(t, s, r.pid(), 0, 0)
	return s, openLive(t, s), &log{t: t}, makeRing(t, s, name, r.pid(), 0, minRingSize)
}

func TestJudge(t *testing.T) {
	_, l, h, p := strictRank(t)
	judged := func(want uint64) {
		t.Helper()
		if got := p.m.hdr.Judged.Load(); got != want {
			t.Errorf("call %d is judged instead of %d", got, want)
		}
	}
	p.call(1, 0, 1)
	p.leave(0)
	poll(t, l, h)
	l.Judge(0, Verdict{}) // not in a call
	judged(0)
	p.call(2, 0, 1)
	poll(t, l, h)
	l.Judge(0, Verdict{Refused: OnWin, Handle: 77, Why: "GLOBAL:COLLECTIVE:WINDOW_MISMATCH"})
	judged(2)
	if g := p.m.hdr; g.Refused != uint32(OnWin) || g.RefusedOn != 77 ||
		!bytes.HasPrefix(g.Why[:], []byte("GLOBAL:COLLECTIVE:WINDOW_MISMATCH\x00")) {
		t.Errorf("refused %d on %d: %q", g.Refused, g.RefusedOn, g.Why)
	}
	p.leave(99)
	p.call(3, 0, 1)
	poll(t, l, h)
	judged(2)
	l.Judge(0, Verdict{Refused: OnComm, Why: "x" + strings.Repeat("×", 200)}) // "×" is two bytes
	why, _, _ := bytes.Cut(p.m.hdr.Why[:], []byte{0})
	if text, ok := bytes.CutSuffix(why, []byte("×…")); !ok || !utf8.Valid(text) || len(text) < 200 {
		t.Errorf("a long text is cut to %q", why)
	}
	p.leave(99)
	p.call(4, 0, 1)
	poll(t, l, h)
	l.Judge(0, Verdict{})
	judged(4)
	if p.m.hdr.Refused != uint32(GoOn) {
		t.Error("the call is still refused")
	}
	l.Judge(5, Verdict{}) // a thread that is gone
}

// TestUnjudged: a process whose records cannot be read is not held.
func TestUnjudged(t *testing.T) {
	s, l, h, p := strictRank(t)
	p.call(1, 0, 1)
	poll(t, l, h)
	p.m.hdr.Head.Store(1 << 40)
	until(t, l, h, "the loss", func() bool { return len(h.ends) == 1 })
	if p.m.hdr.Judged.Load() != layout.Unjudged {
		t.Error("the rank would wait for a verdict forever")
	}
	if s.control.Strict.Load() != 1 {
		t.Error("the others are held no more")
	}
	l.EndStrict()
	if s.control.Strict.Load() != 0 {
		t.Error("the others are still held")
	}
}

// TestWaitForHeldCalls: a rank that begins to hold a call wakes the analyzer, even if it does so before the analyzer
// sleeps.
func TestWaitForHeldCalls(t *testing.T) {
	s, l, h, p := strictRank(t)
	poll(t, l, h)
	p.call(1, 0, 1)
	s.control.Asked.Add(1)
	began := time.Now()
	for range 1000 {
		l.Wait(time.Hour)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("1000 waits took %v although a rank had asked", took)
	}
	want(t, poll(t, l, h), "0.(c1)")
	if s.control.Asleep.Load() != 0 {
		t.Error("it says that it sleeps")
	}
}
