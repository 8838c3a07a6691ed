package ring

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// proc is a process of the session.
type proc struct {
	info    Proc
	name    string // of its file
	file    file
	page    *layout.Process
	fd      int             // pidfd, -1 if there is none
	status  unix.WaitStatus // of its end, from the kernel
	known   bool            // status is valid
	rings   []*cursor
	maps    []*mapping // of rings, in the same order
	files   []file     // of rings and of the processes that it replaced
	multi   bool       // other threads may have records
	seen    uint64     // latest time that merge has seen
	pause   func()     // for tests: called between the two looks at rings
	gone    bool       // it has ended (or was replaced)
	kind    EndKind    // if it is gone: Replaced, or the end if its page does not say it
	drained bool       // it is gone, and all of its records have been delivered
	goneAt  time.Duration
	more    bool // there may be more records already
	unread  bool // its records cannot be read any more, and its end has been delivered as Lost
}

// A Witness is notified about processes as soon as something is noticed. A Handler gets the same news later: when all
// records before it have been read.
type Witness interface {
	// Registered: a process has registered.
	Registered(r *Registration)
	// Died: a process that has registered, or that the library has announced, has ended.
	Died(pid int)
}

// registered is a process that has registered, but that the preload library has not announced yet.
type registered struct {
	*Registration
	fd int // pidfd, -1 if there is none
}

// Live reads the rings of a session while its processes run. Only one goroutine may call Poll and Wait. Any goroutine
// may call Finish and Stop.
type Live struct {
	Host string // name of this node, "" if the job has only one

	s        *Session
	w        *watcher
	procs    map[ProcID]*proc
	order    []*proc          // as in procs, for taking turns
	byName   map[string]*proc // by the name of the file
	byPID    map[int]*proc    // the present process with that number
	orphans  []file           // files of rings without a known process
	left     bool             // attach has left some files for later
	ending   []*proc          // gone, in the order of their ends, and not yet delivered
	early    []*registered    // by number; nil once the library has announced the process, or once it has ended
	came     bool             // there was a process
	turn     int
	polls    uint
	idle     bool
	finished atomic.Bool
	stopped  atomic.Bool
	last     bool // the directories were read after all processes had ended

	batch   Batch
	current *proc // the process whose rings are being read
	handler Handler
	ended   func(ProcID)
	unborn  func(number int)
	more    func()

	// Numbers gives processes and threads their numbers. Other sources may share it.
	Numbers *Numbers
	// Witness, if it is not nil, is called by the goroutine that polls, as soon as something is noticed.
	Witness Witness

	strict  bool // collective calls are held
	breaks  bool // all calls wait, see Pass
	asked   uint32
	cursors map[ThreadID]*cursor

	mu    sync.Mutex
	notes []string
	stats Stats // of rings that are gone; the method Stats adds the others
	live  []*mapping
	leave []leaving

	leaves chan struct{} // has an element if there is something new in leave
}

// leaving is a process that waits in its exit for the verdict.
type leaving struct {
	pid  int
	page *os.File
}

// OpenLive begins to read the session's rings.
func OpenLive(s *Session) (*Live, error) {
	w, err := newWatcher(s.Dir, s.Fallback)
	if err != nil {
		return nil, err
	}
	l := &Live{
		s: s, w: w, idle: true,
		procs: make(map[ProcID]*proc), byName: make(map[string]*proc), byPID: make(map[int]*proc),
		strict: s.control.Strict.Load() != 0, breaks: s.control.Breaks.Load() != 0,
		cursors: make(map[ThreadID]*cursor), Numbers: new(Numbers), leaves: make(chan struct{}, 1),
	}
	// Made once, so that Poll does not allocate.
	l.ended, l.unborn = l.end, l.endEarly
	l.more = func() {
		l.w.files()
		l.attach(l.current)
	}
	return l, nil
}

// Finish announces that no further processes will be started: the launcher has ended. When all processes that have
// called MPI are gone and all of their records have been delivered, Poll returns io.EOF.
func (l *Live) Finish() {
	l.finished.Store(true)
	l.w.interrupt()
}

// Interrupt ends the Wait that is under way, or the next one. Any goroutine may call it.
func (l *Live) Interrupt() { l.w.interrupt() }

// Stop ends the recording; the ranks go on unrecorded. Poll delivers the records that are there, and then returns
// io.EOF, even if processes still run.
func (l *Live) Stop() {
	l.s.StopRecording()
	l.stopped.Store(true)
}

// Wait returns after d, which should be some milliseconds. It returns earlier if a process begins, calls MPI for the
// first time, or ends. Ranks do not wake the analyzer, and each look at a ring costs its rank a cache miss. So it is
// best to wait for a short time whenever Poll has found nothing. Ranks whose calls wait for the analyzer do wake it.
func (l *Live) Wait(d time.Duration) {
	if l.Asks() {
		l.awaitAsked(d)
		return
	}
	l.w.wait(d)
}

const (
	// rest is the time between two looks at rings with few records. Each look takes a processor from a rank.
	rest = 12 * time.Millisecond
	// few is a number of bytes of records that come between two looks. A ring has room for many times as much.
	few = 64 << 10
)

// Rest returns how long to wait after a poll that has found so many bytes, where the analysis of a job on several nodes
// need not follow at once: at least d, and longer if there are few records.
func Rest(d time.Duration, found int) time.Duration {
	if found < few {
		return max(d, rest)
	}
	return d
}

// Deserted reports whether no process is there.
func (l *Live) Deserted() bool { return len(l.procs) == 0 }

// Asks reports whether calls may wait for the analyzer: in strict mode, and with breaks.
func (l *Live) Asks() bool { return l.strict || l.breaks }

// Notes returns messages for the user about problems since the last call, one sentence each. Any goroutine may call it.
func (l *Live) Notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.notes
	l.notes = nil
	if c := l.s.control; c != nil {
		if k := c.Outdated.Swap(0); k > 0 {
			n = append(n, fmt.Sprintf("%d of the processes ran a program that is linked with another version of "+
				"mpivet, and may be unwatched: link it again with what mpivet link-flags prints", k))
		}
	}
	return n
}

func (l *Live) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// Stats returns the counts so far. Any goroutine may call it.
func (l *Live) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	for _, m := range l.live {
		s.add(m)
	}
	if c := l.s.control; c != nil {
		s.Unrecorded += int(c.Unrecorded.Load())
		s.Shrunk += int(c.Shrunk.Load())
	}
	return s
}

func (s *Stats) add(m *mapping) {
	s.Queries += m.hdr.Queries.Load()
	s.Stalls += m.hdr.Stalls.Load()
	s.StallTime += time.Duration(m.hdr.StallNS.Load())
}

// Close stops the recording and releases the rings. The session itself stays open.
func (l *Live) Close() error {
	l.s.StopRecording()
	for _, p := range l.order {
		l.unmap(p)
		if p.page != nil {
			unmapProcess(p.page)
			p.page = nil
		}
		l.w.unwatch(p.fd)
		p.fd = -1
	}
	for _, r := range l.early {
		if r != nil {
			l.w.unwatch(r.fd)
		}
	}
	l.order, l.procs, l.early = nil, nil, nil
	l.w.close()
	return nil
}

// rounds is the maximum number of chunks of a ring in one Poll. So Poll returns even if ranks continue to write.
const rounds = 32

// Poll delivers the records that are there now, but at most about a megabyte of each ring. It returns their length in
// bytes. After Finish or Stop, it returns io.EOF when no more records can come.
func (l *Live) Poll(h Handler) (n int, err error) {
	// The program may truncate the mapped files. The analyzer must survive that.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer l.rescue()
	l.handler = h
	if l.strict || l.breaks {
		l.asked = l.s.control.Asked.Load() // before the rings are read
	}
	if l.polls++; l.idle || l.polls%8 == 0 {
		l.watch()
	}
	// The rings take turns, so that no rank waits for room while the records of another one are handled.
	for round, more := 0, true; more && round < rounds; round++ {
		more = false
		for i := range l.order {
			p := l.order[(l.turn+i)%len(l.order)]
			if round > 0 && !p.more {
				continue
			}
			got := l.read(p)
			p.more = got >= chunk
			more = more || p.more
			n += got
		}
	}
	l.current = nil
	if l.turn++; l.turn >= len(l.order) {
		l.turn = 0
	}
	l.tell()
	if l.came && len(l.procs) == 0 {
		l.w.rest()
	}
	l.idle = n == 0
	if n > 0 || !l.finished.Load() && !l.stopped.Load() {
		l.last = false
		return n, nil
	}
	if l.stopped.Load() || !l.busy() {
		if !l.last {
			// Look once more for new files and records.
			l.last = true
			l.w.scan()
			l.watch()
			return l.Poll(h)
		}
		return 0, io.EOF
	}
	return 0, nil
}

// busy reports whether a process that has called MPI still runs, or the end of a process is still to be delivered.
func (l *Live) busy() bool {
	for _, p := range l.order {
		if p.gone || len(p.rings) > 0 {
			return true
		}
	}
	return false
}

// rescue turns a fault in a ring's mapping into the loss of that ring.
func (l *Live) rescue() {
	r := recover()
	if r == nil {
		return
	}
	if fault, ok := r.(interface{ Addr() uintptr }); ok && l.current != nil {
		if _, ok := r.(runtime.Error); ok {
			for _, m := range l.current.maps {
				if m.contains(fault.Addr()) {
					l.drop(l.current)
					l.lose(l.current, "the memory that it shared with mpivet is gone: "+
						"the program has truncated its file; what it did since is lost")
					return
				}
			}
		}
	}
	panic(r)
}

// watch notes new files and processes that have ended.
func (l *Live) watch() {
	before := len(l.ending)
	l.w.ready(l.ended, l.unborn)
	if l.w.poll() {
		for _, p := range l.order {
			if !p.gone && dead(p.info.PID) {
				l.end(p.info.ID)
			}
		}
	}
	if l.s.control.Verdicts != 0 {
		l.watchExits()
	}
	for len(l.w.found) > 0 || l.left { // again for the rings of a process that has ended in between: see end
		l.attach(nil)
	}
	if before = min(before, len(l.ending)); len(l.ending)-before > 1 {
		slices.SortStableFunc(l.ending[before:], func(a, b *proc) int { return cmp.Compare(a.endTime(), b.endTime()) })
	}
}

// watchExits finds the processes that wait in their exit. Such a process does nothing else any more, so it counts as
// ended.
func (l *Live) watchExits() {
	for _, p := range l.order {
		if p.gone || p.page.Leaving.Load() == 0 {
			continue
		}
		// If the file cannot be opened, the process stops waiting after a while.
		path := filepath.Join(p.file.dir, p.file.name)
		if f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			l.mu.Lock()
			l.leave = append(l.leave, leaving{p.info.PID, f})
			l.mu.Unlock()
			select {
			case l.leaves <- struct{}{}:
			default:
			}
		}
		l.end(p.info.ID)
	}
}

// Leaving returns the processes that wait in their exit for Release or Verdict, in the order in which they were
// noticed.
func (l *Live) Leaving() (pids []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.leave {
		pids = append(pids, p.pid)
	}
	return pids
}

// Leaves returns a channel that has an element after Leaving got a new process.
func (l *Live) Leaves() <-chan struct{} { return l.leaves }

// Release lets the first n processes that wait in their exit end.
func (l *Live) Release(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer(n, 0)
}

// Verdict lets all processes that wait in their exit end, with the given exit status.
func (l *Live) Verdict(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer(len(l.leave), status)
}

// answer lets the first n processes that wait in their exit end, with an exit status.
func (l *Live) answer(n, status int) {
	for _, p := range l.leave[:n] {
		_, _ = p.page.WriteAt(binary.NativeEndian.AppendUint32(nil, uint32(256+status)), verdictAt)
		p.page.Close()
	}
	l.leave = l.leave[n:]
}

// endTime returns when a process that is gone ended. If the process did not record it, it is the time when the end was
// noticed.
func (p *proc) endTime() time.Duration {
	if p.kind != Replaced && p.page.State.Load() != layout.StateStarted && p.page.EndTime != 0 {
		return time.Duration(p.page.EndTime)
	}
	return p.goneAt
}

// attach opens the files that have been found: all of them, or only the rings of one process.
func (l *Live) attach(only *proc) {
	found := append(l.orphans, l.w.found...)
	l.orphans, l.w.found, l.left = nil, l.w.found[:0], only != nil
	rings := make(map[string][]file)
	for _, f := range found {
		if f.name[0] == 't' {
			p := procOf(f.name)
			rings[p] = append(rings[p], f)
		}
	}
	take := func(p *proc) {
		for _, f := range rings[p.name] {
			l.attachRing(p, f)
		}
		delete(rings, p.name)
	}
	if only != nil {
		take(only)
	} else {
		// Rings of known processes come first: a new process with the same number means that the old one is over.
		for name := range rings {
			if p := l.byName[name]; p != nil {
				take(p)
			}
		}
	}
	for _, f := range found {
		if f.name[0] == 'x' {
			l.attachRegistration(f)
		}
	}
	for _, f := range found {
		switch {
		case f.name[0] != 'p':
		case only != nil:
			l.orphans = append(l.orphans, f)
		default:
			if p := l.attachProc(f); p != nil {
				take(p)
			}
		}
	}
	for _, f := range found {
		if _, ok := rings[procOf(f.name)]; ok && f.name[0] == 't' {
			l.orphans = append(l.orphans, f)
		}
	}
}

// procOf returns the name of the process's file for a ring's file: "t12.0.3" belongs to "p12.0".
func procOf(ring string) string {
	i := strings.LastIndexByte(ring, '.')
	if i < 1 {
		return ""
	}
	return "p" + ring[1:i]
}

// attachRegistration begins to watch a process that has registered.
func (l *Live) attachRegistration(f file) {
	r, ok := readRegistration(f.dir, f.name)
	if !ok {
		return
	}
	if l.Witness != nil {
		l.Witness.Registered(r)
	}
	if p := l.byPID[r.PID]; p == nil || p.gone {
		l.early = append(l.early, &registered{r, l.w.watchRegistered(r, len(l.early))})
	}
	_ = os.Chmod(filepath.Join(f.dir, f.name), noticedMode) // else the process waits for a while
}

// registration removes a process from the registered ones and returns it, or nil if it has not registered.
func (l *Live) registration(pid int) *registered {
	for i, r := range l.early {
		if r != nil && r.PID == pid {
			l.early[i] = nil
			return r
		}
	}
	return nil
}

// endEarly handles the end of a process that had only registered when its end was noticed. If it was killed, the
// handler gets a process without a thread. Otherwise it was not an MPI program, or the library could not be loaded.
func (l *Live) endEarly(number int) {
	// The library may have announced it in the meantime.
	l.w.lastFiles()
	l.attach(nil)
	r := l.early[number]
	if r == nil {
		return
	}
	l.early[number] = nil
	status, known := WaitStatus(r.fd, r.PID)
	l.w.unwatch(r.fd)
	if l.Witness != nil {
		l.Witness.Died(r.PID)
	}
	if !known || !status.Signaled() {
		return
	}
	l.came = true
	p := &Proc{ID: l.Numbers.NextProc(), PID: r.PID, Rank: r.Rank, WorldSize: -1, Start: now(), Host: l.Host}
	if len(r.Above) > 0 {
		p.PPID = r.Above[0].PID
	}
	l.handler.Proc(p)
	l.handler.End(p.ID, &ProcEnd{Kind: Vanished, Code: int(status.Signal()), Time: now()})
}

// attachProc begins to follow a process. It returns nil if that is not possible.
func (l *Live) attachProc(f file) *proc {
	page, err := mapProcess(filepath.Join(f.dir, f.name))
	if err != nil {
		l.note("a process of the program is not recorded: %v", err)
		l.unanswered()
		return nil
	}
	p := &proc{
		info: Proc{
			ID: l.Numbers.NextProc(), Host: l.Host,
			PID: int(page.PID), PPID: int(page.PPID),
			Rank: int(page.Rank), WorldSize: int(page.WorldSize),
			Exe: text(page.Exe[:]), Start: time.Duration(page.StartTime),
		},
		name: f.name, file: f, page: page,
	}
	l.came = true
	before := l.registration(p.info.PID)
	if old := l.byPID[p.info.PID]; old != nil && !old.gone {
		// The same number: after exec(), or the old process died and a new one got its number.
		if startedAfter(p.info.PID, old.info.Start) {
			l.end(old.info.ID)
		} else {
			old.gone, old.kind, old.goneAt = true, Replaced, now()
			before = &registered{fd: old.fd}
			old.fd = -1
			l.ending = append(l.ending, old)
			// Its files are removed with those of the last process with this number: the library counts the exec()
			// calls by them.
			p.files = append(p.files, old.file)
			p.files = append(p.files, old.files...)
			old.files, old.file = nil, file{}
		}
		// The records of the old one come first.
		for !old.drained {
			l.read(old)
		}
		l.tell()
	}
	l.procs[p.info.ID], l.byName[p.name], l.byPID[p.info.PID] = p, p, p
	l.order = append(l.order, p)
	l.handler.Proc(&p.info)
	var gone bool
	if p.fd, gone = l.w.watch(p.info.PID, p.info.ID, p.info.Start, before); gone {
		l.end(p.info.ID)
	}
	return p
}

func (l *Live) attachRing(p *proc, f file) {
	p.files = append(p.files, f)
	if p.unread {
		l.unanswered() // nothing answers this thread
		return
	}
	m, err := mapRing(filepath.Join(f.dir, f.name))
	if err != nil {
		l.unanswered()
		if errors.Is(err, os.ErrNotExist) {
			return // the user has removed it
		}
		l.lose(p, err.Error())
		return
	}
	t := &Thread{
		ID: l.Numbers.NextThread(), Proc: p.info.ID,
		Index: int(m.hdr.Thread), TID: int(m.hdr.TID), Main: m.hdr.MainThread != 0,
	}
	c := &cursor{id: t.ID, hdr: m.hdr, data: m.data, size: m.size}
	p.rings = append(p.rings, c)
	l.cursors[c.id] = c
	p.maps = append(p.maps, m)
	p.multi = p.multi || len(p.rings) > 1
	l.mu.Lock()
	l.live = append(l.live, m)
	l.mu.Unlock()
	l.handler.Thread(t)
}

// end handles the end of a process.
func (l *Live) end(id ProcID) {
	p := l.procs[id]
	if p == nil || p.gone {
		return
	}
	p.gone, p.kind = true, Vanished
	p.status, p.known = WaitStatus(p.fd, p.info.PID)
	l.w.unwatch(p.fd)
	p.fd = -1
	l.w.lastFiles() // its last rings
	p.goneAt = l.w.died(p.name)
	l.ending = append(l.ending, p)
	if l.Witness != nil {
		l.Witness.Died(p.info.PID)
	}
}

// read delivers the records of a process, and returns their length.
func (l *Live) read(p *proc) (n int) {
	if p.unread {
		// The records are no longer read, so no thread may wait for room.
		for _, c := range p.rings {
			c.hdr.Tail.Store(c.hdr.Head.Load())
		}
		p.drained = p.gone
		return 0
	}
	l.current = p
	for _, c := range p.rings {
		c.final = p.gone
	}
	var err error
	if !p.multi {
		if len(p.rings) == 1 {
			n, err = p.rings[0].poll(&l.batch, l.handler)
			switch {
			case err == errTimed:
				// There is another thread, and it may have recorded something before these records.
				p.multi, err = true, nil
				l.w.files()
				l.attach(p)
				n++
			case err != nil:
				err = p.lost(p.rings[0], err)
			}
		}
	} else {
		n, err = p.merge(&l.batch, l.handler, l.more)
	}
	if err != nil {
		l.lose(p, err.Error())
		return n
	}
	p.drained = p.gone && n == 0
	return n
}

// lostError says what was lost in a ring.
type lostError string

func (e lostError) Error() string { return string(e) }

// lost returns the error for the loss of a ring.
func (p *proc) lost(c *cursor, err error) error {
	return lostError(fmt.Sprintf("the memory that it shares with mpivet is damaged (%v): "+
		"the program has written over it; what it did after its MPI call number %d is lost", err, c.calls))
}

// lose stops reading a process's records. For the handler, the process has ended.
func (l *Live) lose(p *proc, why string) {
	who := fmt.Sprintf("process %d", p.info.PID)
	if p.info.Rank >= 0 {
		who = fmt.Sprintf("rank %d (%s)", p.info.Rank, who)
	}
	l.note("%s: %s", who, why)
	p.unread = true
	l.unjudge(p)
	e := p.ended()
	e.Kind, e.Time, e.Reason = Lost, now(), why
	l.handler.End(p.info.ID, e)
}

// tell delivers the ends of processes whose records have all been delivered, in the order of the ends.
func (l *Live) tell() {
	for len(l.ending) > 0 && l.ending[0].drained {
		p := l.ending[0]
		l.ending = slices.Delete(l.ending, 0, 1)
		if !p.unread {
			l.handler.End(p.info.ID, p.ended())
		}
		l.forget(p)
	}
}

// forget releases the resources of a process that has ended.
func (l *Live) forget(p *proc) {
	l.unmap(p)
	unmapProcess(p.page)
	p.page = nil
	for _, f := range append(p.files, p.file) {
		if f.name != "" {
			_ = os.Remove(filepath.Join(f.dir, f.name))
			l.w.forget(f.name)
			if f.name[0] == 'p' {
				l.forgetObjects(f.name)
			}
		}
	}
	delete(l.procs, p.info.ID)
	if l.byName[p.name] == p {
		delete(l.byName, p.name)
	}
	if l.byPID[p.info.PID] == p {
		delete(l.byPID, p.info.PID)
	}
	l.order = slices.DeleteFunc(l.order, func(q *proc) bool { return q == p })
}

// drop releases a process's rings without touching their data.
func (l *Live) drop(p *proc) {
	l.unjudge(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range p.maps {
		l.live = slices.DeleteFunc(l.live, func(o *mapping) bool { return o == m })
		m.close()
	}
	l.forgetRings(p)
}

// unmap unmaps a process's rings and keeps their counters.
func (l *Live) unmap(p *proc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range p.maps {
		l.stats.add(m)
		l.live = slices.DeleteFunc(l.live, func(o *mapping) bool { return o == m })
		m.close()
	}
	l.forgetRings(p)
}

func (l *Live) forgetRings(p *proc) {
	for _, c := range p.rings {
		delete(l.cursors, c.id)
	}
	p.maps, p.rings = nil, nil
}

// ended returns what is known of a process's end.
func (p *proc) ended() *ProcEnd {
	g := p.page
	e := &ProcEnd{
		Kind: p.kind, Time: p.goneAt,
		Initialized: g.Initialized != 0, Finalized: g.Finalized != 0, Aborted: g.Aborted != 0,
	}
	if p.kind == Replaced {
		return e
	}
	switch g.State.Load() {
	case layout.StateExited:
		e.Kind, e.Underscore = Exited, g.ExitKind != 0
	case layout.StateSignaled:
		e.Kind, e.FaultAddr, e.SenderPID = Signaled, g.FaultAddr, int(g.SenderPID)
	default:
		switch {
		case p.known && p.status.Exited():
			e.Kind, e.Code, e.Underscore, e.Unseen = Exited, p.status.ExitStatus(), true, true
		case p.known && p.status.Signaled():
			e.Code = int(p.status.Signal())
		}
		return e
	}
	e.Code, e.InMPI, e.TID = int(g.Code), g.InMPI != 0, int(g.EndTID)
	e.Time = p.endTime()
	e.PCs = slices.Clone(g.PCs[:min(int(g.NPCs), len(g.PCs))])
	for i := range min(int(g.NMaps), len(g.Maps)) {
		m := &g.Maps[i]
		e.Maps = append(e.Maps, Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: text(m.Path[:])})
	}
	slices.SortFunc(e.Maps, func(a, b Mapping) int { return cmp.Compare(a.Start, b.Start) })
	return e
}

// text returns the string up to the first zero byte, or the whole array if there is none.
func text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}

// now is CLOCK_MONOTONIC.
func now() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano())
}
