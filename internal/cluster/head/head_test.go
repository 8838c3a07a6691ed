package head

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mpivet/mpivet/internal/cluster/agent"
	"github.com/mpivet/mpivet/internal/cluster/spool"
	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/layout"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// patience is the time after which a test gives up waiting.
const patience = time.Minute

// job is a head with what it has delivered and said.
type job struct {
	t    *testing.T
	head *Head
	tick *ticket.Ticket

	mu    sync.Mutex
	notes []string

	procs   map[ring.ProcID]*ring.Proc
	threads map[ring.ThreadID]*ring.Thread
	calls   map[ring.ThreadID][]uint64 // contents of the records, in order
	ends    map[ring.ProcID]*ring.ProcEnd
}

func (j *job) Proc(p *ring.Proc)                   { j.procs[p.ID] = p }
func (j *job) Thread(th *ring.Thread)              { j.threads[th.ID] = th }
func (j *job) Tick()                               {}
func (j *job) End(id ring.ProcID, e *ring.ProcEnd) { j.ends[id] = e }
func (j *job) Batch(b *ring.Batch) {
	for d := b.Data; len(d) > 0; d = d[layout.Line:] {
		j.calls[b.Thread] = append(j.calls[b.Thread], binary.LittleEndian.Uint64(d[layout.Line-8:]))
	}
}

func newJob(t *testing.T, times Times) *job {
	t.Helper()
	tick, err := ticket.New()
	if err != nil {
		t.Fatal(err)
	}
	j := &job{
		t: t, tick: tick, procs: make(map[ring.ProcID]*ring.Proc), threads: make(map[ring.ThreadID]*ring.Thread),
		calls: make(map[ring.ThreadID][]uint64), ends: make(map[ring.ProcID]*ring.ProcEnd),
	}
	j.head, err = New(Options{
		Address: "127.0.0.1:0", Ticket: tick, Version: "test", Reads: func(uint64) bool { return true },
		Note: func(text string) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.notes = append(j.notes, text)
		},
		Launcher: func(string) {}, Times: times,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tick.Addresses = []string{fmt.Sprintf("127.0.0.1:%d", j.head.Port())}
	t.Cleanup(func() { j.head.Close() })
	return j
}

// noted returns the notes with a text.
func (j *job) noted(text string) (found []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.notes {
		if strings.Contains(n, text) {
			found = append(found, n)
		}
	}
	return found
}

// poll lets the head deliver until a condition holds.
func (j *job) poll(what string, until func() bool) {
	j.t.Helper()
	for end := time.Now().Add(patience); !until(); {
		if _, err := j.head.Poll(j); err != nil && !errors.Is(err, io.EOF) {
			j.t.Fatal(err)
		}
		if time.Now().After(end) {
			j.t.Fatalf("it takes too long: %s; notes %q", what, j.notes)
		}
		j.head.Wait(time.Millisecond)
	}
}

// member is a node of a job with one process of one thread.
type member struct {
	*agent.Agent
	w     *ring.Writer
	spool *spool.Spool
	next  uint64
	mu    sync.Mutex
	got   []*wire.Order
	gone  chan struct{}
}

// join adds a node that reaches the head at an address.
func (j *job) join(host, address string) *member {
	j.t.Helper()
	m := &member{spool: spool.New(j.t.TempDir(), 16<<20), gone: make(chan struct{})}
	way, err := ticket.Parse(j.tick.String())
	if err != nil {
		j.t.Fatal(err)
	}
	way.Addresses = []string{address}
	m.Agent, err = agent.Start(agent.Options{
		Ticket: way, Host: host, Version: "test", Spool: m.spool,
		Do: func(o *wire.Order) *wire.Answer {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.got = append(m.got, o)
			return nil
		},
		Gone: func(error) { close(m.gone) },
	})
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() {
		m.Close()
		m.spool.Release()
	})
	if m.w, err = ring.NewWriter(m.spool, ring.Meta{Version: "test"}); err != nil {
		j.t.Fatal(err)
	}
	m.w.FlushTicks = 1
	m.w.Proc(&ring.Proc{ID: 0, PID: 100, Rank: 0, WorldSize: 2, Exe: "/app"})
	m.w.Thread(&ring.Thread{ID: 0, Proc: 0, Main: true})
	m.tick()
	return m
}

// call sends records of calls.
func (m *member) call(n int) {
	for range n {
		rec := make([]byte, layout.Line)
		binary.LittleEndian.PutUint16(rec, 1)
		binary.LittleEndian.PutUint16(rec[layout.RecordLinesAt:], 1)
		binary.LittleEndian.PutUint64(rec[layout.Line-8:], m.next)
		m.next++
		m.w.Batch(&ring.Batch{Data: rec})
	}
	m.w.Flush()
}

func (m *member) tick() { m.w.Tick() }

// finish ends the process and the records.
func (m *member) finish() {
	m.w.End(0, &ring.ProcEnd{Kind: ring.Exited, Time: 1})
	_ = m.w.Close(ring.Stats{Queries: 3})
	_ = m.spool.Close()
}

func (j *job) address() string { return j.tick.Addresses[0] }

// whole reports whether a thread has delivered n calls, in order and once.
func (j *job) whole(id ring.ThreadID, n int) bool {
	list := j.calls[id]
	if len(list) < n {
		return false
	}
	for i, v := range list {
		if v != uint64(i) {
			j.t.Fatalf("record %d where %d should be", v, i)
		}
	}
	return len(list) == n
}

func TestNodesAreOneJob(t *testing.T) {
	j := newJob(t, Times{})
	a, b := j.join("n1", j.address()), j.join("n2", j.address())
	a.call(1000)
	b.call(2000)
	j.poll("records of both nodes", func() bool { return len(j.calls) == 2 && len(j.calls[0])+len(j.calls[1]) == 3000 })
	hosts := []string{j.procs[0].Host, j.procs[1].Host}
	slices.Sort(hosts)
	if !slices.Equal(hosts, []string{"n1", "n2"}) || j.procs[0].Node == j.procs[1].Node || j.threads[1].Proc != 1 {
		t.Errorf("processes %+v, %+v, thread %+v", j.procs[0], j.procs[1], j.threads[1])
	}
	a.finish()
	b.finish()
	j.head.Finish()
	j.poll("the ends", func() bool { return len(j.ends) == 2 && !j.head.Busy() })
	if _, err := j.head.Poll(j); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if s := j.head.Stats(); s.Queries != 6 {
		t.Errorf("queries: %d", s.Queries)
	}
	if e := j.ends[0]; e.Kind != ring.Exited || e.Time == 1 {
		t.Errorf("end %+v: the time must be that of the receipt", e)
	}
}

// way is a connection between nodes that can be cut and stopped.
type way struct {
	l  net.Listener
	to string

	mu      sync.Mutex
	conns   []net.Conn
	heard   []byte // what the agent has sent
	stopped bool
	moved   chan struct{}
}

func newWay(t *testing.T, to string) *way {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &way{l: l, to: to, moved: make(chan struct{})}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		w.stop(false)
		w.cut()
	})
	return w
}

func (w *way) serve(c net.Conn) {
	d, err := net.Dial("tcp", w.to)
	if err != nil {
		c.Close()
		return
	}
	w.mu.Lock()
	w.conns = append(w.conns, c, d)
	w.mu.Unlock()
	go w.copy(c, d, nil)
	w.copy(d, c, &w.heard)
}

func (w *way) copy(to, from net.Conn, heard *[]byte) {
	defer to.Close()
	b := make([]byte, 1000)
	for {
		n, err := from.Read(b)
		w.mu.Lock()
		for w.stopped {
			moved := w.moved
			w.mu.Unlock()
			<-moved
			w.mu.Lock()
		}
		if heard != nil {
			*heard = append(*heard, b[:n]...)
		}
		w.mu.Unlock()
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// cut breaks all connections.
func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

// stop lets nothing pass, as a network that is gone.
func (w *way) stop(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = on
	close(w.moved)
	w.moved = make(chan struct{})
}

// TestBrokenConnections breaks connections all the time. All records and orders arrive once, in order.
func TestBrokenConnections(t *testing.T) {
	j := newJob(t, Times{})
	w := newWay(t, j.address())
	m := j.join("n1", w.l.Addr().String())
	const rounds, each = 20, 500
	for i := range rounds {
		m.call(each)
		j.head.Order(&wire.Order{What: &wire.Order_Found{Found: &wire.Found{Thread: int32(i)}}})
		w.cut()
		j.poll("the records of a round", func() bool { return len(j.calls[0]) >= (i+1)*each/2 })
	}
	j.poll("all records", func() bool { return j.whole(0, rounds*each) })
	j.poll("all orders", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return len(m.got) > 0 && m.got[len(m.got)-1].GetFound().GetThread() == rounds-1
	})
	last := int32(-1)
	for _, o := range m.got {
		if f := o.GetFound().GetThread(); f <= last {
			t.Errorf("order %d after %d", f, last)
		} else {
			last = f
		}
	}
}

// TestSilentNode: nothing is concluded while a node is not seen, and all goes on when it is seen again.
func TestSilentNode(t *testing.T) {
	j := newJob(t, Times{Blind: 50 * time.Millisecond, Lost: time.Hour})
	w := newWay(t, j.address())
	far, near := j.join("far", w.l.Addr().String()), j.join("near", j.address())
	ticks := func() bool {
		far.tick()
		near.tick()
		return j.head.Due()
	}
	j.poll("both nodes", func() bool { ticks(); return len(j.procs) == 2 })
	j.poll("ticks of both nodes", ticks)
	w.stop(true)
	j.poll("the note about the silence", func() bool { return len(j.noted("node far is not seen since")) > 0 })
	for j.head.Due() { // what has come before
	}
	for range 50 {
		far.tick()
		near.tick()
		_, _ = j.head.Poll(j)
		if j.head.Due() {
			t.Fatal("time passes for the analysis while a node is not seen")
		}
		j.head.Wait(time.Millisecond)
	}
	far.call(10)
	w.stop(false)
	j.poll("the node is seen again", func() bool { ticks(); return len(j.noted("node far is seen again")) > 0 })
	j.poll("ticks again", ticks)
	j.poll("records", func() bool {
		for id, th := range j.threads {
			if j.procs[th.Proc].Host == "far" {
				return j.whole(id, 10)
			}
		}
		return false
	})
	if len(j.ends) > 0 {
		t.Errorf("ends: %v", j.ends)
	}
}

// TestLostNode: the processes of a node that is given up are lost, which proves nothing about them.
func TestLostNode(t *testing.T) {
	for name, lose := range map[string]func(*member, *way){
		"the agent has ended":  func(m *member, _ *way) { m.Close() },
		"the network is gone":  func(_ *member, w *way) { w.stop(true) },
		"the records are junk": func(m *member, _ *way) { _, _ = m.spool.Write([]byte("junk")) },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, Times{
				Blind: 20 * time.Millisecond, Closed: 50 * time.Millisecond, Lost: 200 * time.Millisecond,
			})
			w := newWay(t, j.address())
			m, other := j.join("n1", w.l.Addr().String()), j.join("n2", j.address())
			m.call(5)
			j.poll("records", func() bool { return len(j.procs) == 2 && len(j.calls) > 0 })
			lose(m, w)
			j.poll("the loss", func() bool { other.tick(); return len(j.ends) > 0 })
			for id, e := range j.ends {
				if e.Kind != ring.Lost || j.procs[id].Host != "n1" || !strings.Contains(e.Reason, "node n1") {
					t.Errorf("end of a process on %s: %+v", j.procs[id].Host, e)
				}
			}
			if n := j.noted("node n1 is given up"); len(n) != 1 {
				t.Errorf("notes: %q", n)
			}
			j.poll("ticks of the other node", func() bool { other.tick(); return j.head.Due() })
			other.finish()
			j.head.Finish()
			j.poll("the end", func() bool { return !j.head.Busy() })
		})
	}
}

// TestHeadIsGone: nothing waits for a head that has ended, and the records of the node can be replayed.
func TestHeadIsGone(t *testing.T) {
	j := newJob(t, Times{})
	m := j.join("n1", j.address())
	m.call(100)
	j.poll("some records", func() bool { return len(j.calls[0]) > 0 })
	j.head.s.grpc.Stop()
	m.call(100)
	select {
	case <-m.gone:
	case <-time.After(patience):
		t.Fatal("the agent still waits for the head")
	}
	m.finish()
	var file bytes.Buffer
	if err := m.spool.Save(&file); err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/records"
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ring.OpenFile(path, func(uint64) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again := &job{
		t: t, procs: make(map[ring.ProcID]*ring.Proc), threads: make(map[ring.ThreadID]*ring.Thread),
		calls: make(map[ring.ThreadID][]uint64), ends: make(map[ring.ProcID]*ring.ProcEnd),
	}
	for err == nil {
		_, err = f.Poll(again)
	}
	if !errors.Is(err, io.EOF) || !again.whole(0, 200) || len(again.ends) != 1 {
		t.Errorf("%d calls, %d ends: %v", len(again.calls[0]), len(again.ends), err)
	}
}

// TestStrangers: what does not come from the job is refused, and noted once.
func TestStrangers(t *testing.T) {
	j := newJob(t, Times{})
	w := newWay(t, j.address())
	m := j.join("n1", w.l.Addr().String())
	m.call(1)
	j.poll("records", func() bool { return j.whole(0, 1) })
	w.mu.Lock()
	heard := slices.Clone(w.heard)
	w.mu.Unlock()
	if len(heard) == 0 {
		t.Fatal("nothing was heard")
	}
	other, err := ticket.New()
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := other.AgentConfig()
	if err != nil {
		t.Fatal(err)
	}
	wrong.VerifyConnection = nil
	for name, attack := range map[string]func(net.Conn) error{
		"garbage": func(c net.Conn) error { _, err := c.Write(bytes.Repeat([]byte("GET / "), 1000)); return err },
		"2 GiB": func(c net.Conn) error {
			zeros := make([]byte, 1<<20)
			for range 2 << 10 {
				if _, err := c.Write(zeros); err != nil {
					return nil // refused
				}
			}
			return errors.New("2 GiB were accepted")
		},
		"what the agent sent, again": func(c net.Conn) error {
			if _, err := c.Write(heard); err != nil {
				return nil // refused
			}
			_ = c.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				return errors.New("it is accepted")
			}
			return nil
		},
		"no key":    func(c net.Conn) error { return greet(c, &tls.Config{InsecureSkipVerify: true}) },
		"wrong key": func(c net.Conn) error { return greet(c, wrong) },
	} {
		c, err := net.Dial("tcp", j.address())
		if err != nil {
			t.Fatal(err)
		}
		if err := attack(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
	}
	m.call(1)
	j.poll("records", func() bool { return j.whole(0, 2) && len(j.noted("was refused")) > 0 })
	if n := j.noted("was refused"); len(n) != 1 {
		t.Errorf("notes: %q", n)
	}
	if h := j.head.Hosts(); len(h) != 1 {
		t.Errorf("nodes: %q", h)
	}
}

// greet tries to talk TLS, and fails if it is accepted.
func greet(c net.Conn, config *tls.Config) error {
	config.NextProtos = []string{"h2"}
	s := tls.Client(c, config)
	if s.Handshake() != nil {
		return nil
	}
	// The client learns of the refusal when it reads.
	_ = s.SetReadDeadline(time.Now().Add(patience))
	if _, err := s.Read(make([]byte, 1)); err == nil {
		return errors.New("it is accepted")
	}
	return nil
}

// TestOtherVersion: an agent of another version is refused with the reason, and its program goes on.
func TestOtherVersion(t *testing.T) {
	j := newJob(t, Times{})
	j.head.o.Version = "other"
	m := j.join("n1", j.address())
	select {
	case <-m.gone:
	case <-time.After(patience):
		t.Fatal("the agent still tries")
	}
	if h := j.head.Hosts(); len(h) != 0 {
		t.Errorf("nodes: %q", h)
	}
}
