package ring

import (
	"encoding/binary"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// moment is the entry or the return of a call, as seen by the threads: when its time was taken and when it was
// published, on one clock.
type moment struct {
	taken, published uint64
}

type momentID struct {
	call uint64
	exit bool
}

// team is a set of threads of one process that record. Their steps can be interleaved.
type team struct {
	t       *rapid.T
	s       *Session
	pid     int
	process string
	clock   uint64 // counts steps
	timed   bool
	threads []*member
	calls   uint64
	moments map[momentID]*moment
	infos   map[uint64]uint64 // from an info to the call that published it
}

type member struct {
	*producer
	call  uint64 // under way, 0 if none
	taken uint64 // time of the entry or return about to be published, 0 if there is none
	flags uint16
	exit  bool
	late  bool // the time is that of the return of a call without times
}

func (m *team) spawn(tb testing.TB) {
	if len(m.threads) == 3 {
		return
	}
	p := makeRing(tb, m.s, m.process, m.pid, len(m.threads), minRingSize)
	p.tick = new(uint64)
	m.threads = append(m.threads, &member{producer: p})
	if len(m.threads) > 1 {
		m.timed = true
	}
}

// step lets a thread do the next half of its action: take the time, or publish.
func (m *team) step(r *member) {
	m.clock++
	if !r.room(8 * layout.Line) {
		return // it waits
	}
	switch {
	case r.taken == 0 && r.call != 0 && rapid.IntRange(0, 3).Draw(m.t, "info") == 0:
		m.calls++
		r.info(rapid.SampledFrom([]uint16{layout.InfoComm, layout.InfoError, layout.InfoModule}).Draw(m.t, "kind"),
			m.calls)
		m.infos[m.calls] = r.call
		return
	case r.taken == 0:
		r.taken, r.exit = m.clock, r.call != 0
		r.late = r.exit && m.timed && r.flags&layout.Timed == 0
		if !r.exit {
			r.flags = 0
			if m.timed {
				r.flags = layout.Timed
			}
		}
		return
	case r.exit:
		*r.tick = r.taken - 1
		if r.late {
			r.returnsLate(r.taken)
		}
		r.leave(int32(r.call))
		m.moments[momentID{r.call, true}] = &moment{r.taken, m.clock}
		r.call = 0
	default:
		m.calls++
		r.call = m.calls
		*r.tick = r.taken - 1
		r.producer.call(r.call, r.flags, rapid.IntRange(1, 3).Draw(m.t, "lines"))
		m.moments[momentID{r.call, false}] = &moment{r.taken, m.clock}
	}
	r.taken = 0
}

// some lets random threads make random steps.
func (m *team) some(what string, most int) {
	for range rapid.IntRange(0, most).Draw(m.t, what) {
		m.step(rapid.SampledFrom(m.threads).Draw(m.t, "thread"))
	}
}

// judge is a Handler that checks the order of the deliveries.
type judge struct {
	t      *rapid.T
	m      *team
	came   map[momentID]bool
	open   map[ThreadID]uint64
	last   map[ThreadID]uint64
	latest uint64 // latest time of all deliveries
}

func (*judge) Proc(*Proc)           {}
func (*judge) Thread(*Thread)       {}
func (*judge) End(ProcID, *ProcEnd) {}
func (*judge) Tick()                {}

func (j *judge) moment(call uint64, exit bool) {
	id := momentID{call, exit}
	k := j.m.moments[id]
	if k == nil {
		j.t.Fatalf("call %d, exit %v, comes before it was published", call, exit)
	}
	if j.came[id] {
		j.t.Fatalf("call %d, exit %v, comes twice", call, exit)
	}
	j.came[id] = true
	if k.published < j.latest {
		j.t.Fatalf("call %d, exit %v, was published at %d, before something that began at %d and came first",
			call, exit, k.published, j.latest)
	}
	j.latest = max(j.latest, k.taken)
}

func (j *judge) Batch(b *Batch) {
	first := true
	for d := b.Data; len(d) > 0; first = false {
		n := int(binary.LittleEndian.Uint16(d[layout.RecordLinesAt:])) * layout.Line
		rec := d[:n]
		d = d[n:]
		if binary.LittleEndian.Uint16(rec) >= layout.Info {
			call := j.m.infos[binary.LittleEndian.Uint64(rec[layout.SizeofRecord+16:])]
			if binary.LittleEndian.Uint16(rec) != layout.InfoModule {
				if j.open[b.Thread] != call {
					j.t.Fatalf("what call %d has published comes while call %d is open", call, j.open[b.Thread])
				}
			}
			continue
		}
		call := binary.LittleEndian.Uint64(rec[layout.SizeofRecord:])
		resumed := first && b.Resume
		if resumed != (j.open[b.Thread] != 0) || resumed && j.open[b.Thread] != call {
			j.t.Fatalf("call %d, resumed %v, comes while call %d is open", call, resumed, j.open[b.Thread])
		}
		if !resumed {
			if call <= j.last[b.Thread] {
				j.t.Fatalf("call %d of thread %d comes after call %d", call, b.Thread, j.last[b.Thread])
			}
			j.last[b.Thread] = call
			j.moment(call, false)
		}
		if b.Open && len(d) == 0 {
			j.open[b.Thread] = call
			continue
		}
		j.open[b.Thread] = 0
		if rc := binary.LittleEndian.Uint32(rec[layout.RecordRCAt:]); rc != uint32(call) {
			j.t.Fatalf("call %d is complete with result %d", call, rc)
		}
		j.moment(call, true)
	}
}

// TestOrder checks the order for every interleaving of the threads and the reader: the order of each thread is kept;
// every entry and every return comes exactly once; records published by a call come before its completion; and if one
// event happened before another one in the process, it is delivered before it.
func TestOrder(t *testing.T) {
	real := startRank(t)
	round := 0
	s := newSession(t)
	l := openLive(t, s)
	more := l.more
	rapid.Check(t, func(rt *rapid.T) {
		// A new process replaces the one before, as after exec().
		round++
		m := &team{t: rt, s: s, pid: real.pid(), moments: map[momentID]*moment{}, infos: map[uint64]uint64{}}
		m.process, _ = makeProcess(t, s, m.pid, round, 0)
		l.more = more
		for l.byName[m.process] == nil {
			if _, err := l.Poll(discard{}); err != nil {
				rt.Fatal(err)
			}
		}
		l.Notes()
		m.spawn(t)
		j := &judge{t: rt, m: m, came: map[momentID]bool{}, open: map[ThreadID]uint64{}, last: map[ThreadID]uint64{}}
		// The threads continue between the reader's two looks.
		l.more = func() {
			m.some("between", 6)
			if rapid.IntRange(0, 9).Draw(rt, "spawn between") == 0 {
				m.spawn(t)
				m.some("after", 6)
			}
			more()
		}
		if _, err := l.Poll(j); err != nil {
			rt.Fatal(err)
		}
		l.byName[m.process].pause = func() { m.some("within", 4) }
		single := rapid.Bool().Draw(rt, "single")
		rt.Repeat(map[string]func(*rapid.T){
			"steps": func(*rapid.T) { m.some("steps", 20) },
			"spawn": func(*rapid.T) {
				if !single {
					m.spawn(t)
				}
			},
			"poll": func(rt *rapid.T) {
				if _, err := l.Poll(j); err != nil {
					rt.Fatal(err)
				}
			},
		})
		// In the end all events are delivered.
		l.more = more
		l.byName[m.process].pause = nil
		for quiet := 0; quiet < 3; {
			n, err := l.Poll(j)
			if err != nil {
				rt.Fatal(err)
			}
			if n == 0 {
				quiet++
			} else {
				quiet = 0
			}
		}
		for id := range m.moments {
			if !j.came[id] {
				rt.Fatalf("call %d, exit %v, has not come: %v", id.call, id.exit, fmt.Sprint(l.Notes()))
			}
		}
		if notes := l.Notes(); len(notes) > 0 {
			rt.Fatal(notes)
		}
	})
}

// FuzzRing: whatever the program writes over a ring, the reader does not fail, and delivers only valid records.
func FuzzRing(f *testing.F) {
	f.Add([]byte{7, 0, 1, 0}, uint64(128), uint64(1), false)
	f.Add([]byte{0, 0xff, 1, 0, 7, 0, 2, 0}, uint64(192), uint64(0), true)
	s := newSession(f)
	var made [2]*producer
	var maps [2]*mapping
	for i := range made {
		made[i] = makeRing(f, s, "p1.0", 1, i, minRingSize)
		var err error
		if maps[i], err = mapRing(made[i].path()); err != nil {
			f.Fatal(err)
		}
		f.Cleanup(maps[i].close)
	}
	f.Fuzz(func(t *testing.T, b []byte, head, done uint64, two bool) {
		h := &log{t: t}
		p := &proc{multi: two}
		for i, m := range maps {
			if i == 0 || two {
				p.rings = append(p.rings, &cursor{id: ThreadID(i), hdr: m.hdr, data: m.data, size: m.size})
			}
		}
		for round := range uint64(3) {
			for k := range p.rings {
				made[k].m.hdr.Done.Store(done * round)
				made[k].m.hdr.Head.Store(head * round)
				// The input becomes the heads of records.
				clear(made[k].data)
				for i := 0; i+4 <= len(b) && i*16 < len(made[k].data); i += 4 {
					copy(made[k].data[i*16:], b[i:i+4])
					made[k].data[i*16+layout.RecordFlagsAt] = b[i] & layout.Timed
				}
			}
			for range 3 {
				var err error
				if two {
					_, err = p.merge(&Batch{}, h, func() {})
				} else {
					_, err = p.rings[0].poll(&Batch{}, h)
				}
				if err != nil {
					return
				}
			}
		}
	})
}
