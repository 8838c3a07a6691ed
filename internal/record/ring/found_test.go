package ring

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// waitingRank makes a session in which calls wait, with a rank that has a ring.
func waitingRank(t *testing.T) (*Session, *Live, *log, *producer) {
	t.Helper()
	return sessionRank(t, Options{Breaks: true})
}

// TestPass: a call is let into MPI, and then out of it.
func TestPass(t *testing.T) {
	_, l, h, p := waitingRank(t)
	for call := range uint64(3) {
		p.call(1, 0, 1)
		poll(t, l, h)
		l.Pass(0)
		if got := p.m.hdr.Passed.Load(); got != 2*(call+1) {
			t.Errorf("in call %d: passed %d", call+1, got)
		}
		p.leave(0)
		poll(t, l, h)
		l.Pass(0)
		if got := p.m.hdr.Passed.Load(); got != 2*(call+1)+1 {
			t.Errorf("after call %d: passed %d", call+1, got)
		}
	}
	l.Pass(7) // a thread that is gone
}

// TestPassUnread: a process whose records cannot be read does not wait.
func TestPassUnread(t *testing.T) {
	s, l, h, p := waitingRank(t)
	p.call(1, 0, 1)
	poll(t, l, h)
	p.m.hdr.Head.Store(1 << 40)
	until(t, l, h, "the loss", func() bool { return len(h.ends) == 1 })
	if p.m.hdr.Passed.Load() != layout.Unjudged {
		t.Error("the rank would wait forever")
	}
	if s.control.Breaks.Load() != 1 {
		t.Error("the others wait no more")
	}
	l.EndBreaks()
	if s.control.Breaks.Load() != 0 || len(l.Notes()) == 0 {
		t.Error("the others still wait, or nobody is told why they do not")
	}
}

// TestFound: a thread gets the last findings, whole characters of the first line.
func TestFound(t *testing.T) {
	s, l, h, p := waitingRank(t)
	p.call(1, 0, 1)
	poll(t, l, h)
	size := len(layout.Finding{}.Text)
	texts := []string{"one\nmore", "two", strings.Repeat("é", size), "three", "x" + strings.Repeat("é", size)}
	wants := []string{"one", "two", strings.Repeat("é", (size-1)/2), "three", "x" + strings.Repeat("é", (size-2)/2)}
	for i, text := range texts {
		l.Found(0, "LOCAL:TEST", text)
		f := p.m.hdr.Findings[i%layout.Findings]
		got, _, ok := strings.Cut(string(f.Text[:]), "\x00")
		if got != wants[i] || !ok || !strings.HasPrefix(string(f.Check[:]), "LOCAL:TEST\x00") {
			t.Errorf("finding %d: %q, %q", i, f.Check, got)
		}
	}
	if n, all := p.m.hdr.Found.Load(), s.control.Found.Load(); n != 5 || all != 10 {
		t.Errorf("%d findings in the ring, %d in the control file", n, all)
	}
	l.Found(7, "LOCAL:TEST", "a thread that is gone")
}
