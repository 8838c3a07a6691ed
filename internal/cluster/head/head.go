// Package head receives the records of all nodes of a job, and delivers them as one source. Everything that needs an
// order in time uses causality, or the times at which the head receives something: clocks of different nodes are never
// compared.
package head

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mpivet/mpivet/internal/cluster/ticket"
	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/symbol"
)

// Options are the settings of a head.
type Options struct {
	Address string // host:port to listen on; the port may be 0
	Ticket  *ticket.Ticket
	Version string            // of mpivet
	Host    string            // name of this node
	Reads   func(uint64) bool // see ring.OpenFile
	// Note tells the user something. Any goroutine may call it.
	Note func(text string)
	// Launcher tells that the launcher was killed on a node. Any goroutine may call it.
	Launcher func(what string)
	Times    Times
}

// Times are the times after which the head acts. The zero value has the usual ones.
type Times struct {
	Blind  time.Duration // a node that was not seen for so long is reported
	Lost   time.Duration // a node that was not seen for so long is given up
	Closed time.Duration // so is one whose agent closed the connection so long ago, and has not come again
}

func (t *Times) defaults() {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&t.Blind, 3 * time.Second}, {&t.Lost, 2 * time.Minute}, {&t.Closed, 10 * time.Second}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
}

// Head is the source of the records of a whole job: those of the local node, and those of all others.
type Head struct {
	o     Options
	local *ring.Live // nil if no process of the job runs on this node
	s     *server
	addr  net.Addr

	localOver bool
	fromLocal int // bytes of the local records at the last poll
	began     time.Time
	finished  atomic.Bool
	stopped   atomic.Bool
	since     atomic.Int64 // when finished was set, in ns since began
	handler   ring.Handler

	looks   map[ring.ThreadID]*inspection
	present atomic.Int64 // ranks that other nodes have had
	world   atomic.Int64 // size of the job
	nodes   []*node      // as Poll has seen them
	polled  sync.Mutex   // of nodes
}

// inspection is a question about a thread.
type inspection struct {
	answer <-chan *wire.Answer
	last   *wire.Inspected // nil: no answer yet
}

// New makes a head that listens. local may be nil. It takes over the numbering of local's processes and threads.
func New(o Options, local *ring.Live) (*Head, error) {
	o.Times.defaults()
	h := &Head{o: o, local: local, began: time.Now(), looks: make(map[ring.ThreadID]*inspection)}
	numbers := new(ring.Numbers)
	if local != nil {
		numbers = local.Numbers
		local.Host = o.Host
	}
	var err error
	h.s, h.addr, err = listen(o.Address, o.Ticket, &h.o, numbers)
	return h, err
}

// Port returns the port on which the head listens.
func (h *Head) Port() int {
	a, _ := h.addr.(*net.TCPAddr)
	return a.Port
}

// Ranks returns the number of processes of the program that other nodes have had so far. Any goroutine may call it.
func (h *Head) Ranks() int { return int(h.present.Load()) }

// WorldSize returns the number of processes that the job has by what the processes of other nodes know, 0 if it is not
// known. Any goroutine may call it.
func (h *Head) WorldSize() int { return int(h.world.Load()) }

// Hosts returns the names of the other nodes, in the order of their numbers. Any goroutine may call it.
func (h *Head) Hosts() (names []string) {
	for _, n := range h.all() {
		names = append(names, n.host)
	}
	return names
}

// Meta returns what the first of the other nodes tells of the run. The goroutine that polls may call it.
func (h *Head) Meta() (m ring.Meta) {
	for _, n := range h.nodes {
		if n.hello() {
			return n.stream.Meta
		}
	}
	return m
}

// Busy reports whether a node that is not lost has records that were not delivered yet, or may get some.
func (h *Head) Busy() bool {
	h.polled.Lock()
	defer h.polled.Unlock()
	return slices.ContainsFunc(h.nodes, func(n *node) bool { return !n.over })
}

func (h *Head) all() []*node {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return slices.Clone(h.s.nodes)
}

// Finish announces that no more nodes will come. Poll returns io.EOF when all nodes have delivered everything.
func (h *Head) Finish() {
	if h.finished.CompareAndSwap(false, true) {
		h.since.Store(int64(time.Since(h.began)))
		h.s.mu.Lock()
		h.s.shutting = true
		h.s.mu.Unlock()
		h.s.came.Ring()
	}
}

// Stop ends the recording on all nodes. The ranks go on unrecorded. Poll delivers what is there, and then returns
// io.EOF.
func (h *Head) Stop() {
	h.stopped.Store(true)
	h.Finish()
	if h.local != nil {
		h.local.Stop()
	}
	h.Order(&wire.Order{What: &wire.Order_Unrecorded{Unrecorded: true}})
}

// Order sends an order to all nodes.
func (h *Head) Order(m *wire.Order) {
	for _, n := range h.all() {
		n.order(&wire.Order{What: m.GetWhat()})
	}
}

// Poll implements ring.Source.
func (h *Head) Poll(handler ring.Handler) (bytes int, err error) {
	h.handler = handler
	if h.local != nil && !h.localOver {
		bytes, err = h.local.Poll(handler)
		if h.fromLocal = bytes; errors.Is(err, io.EOF) {
			h.localOver, err = true, nil
		}
		if err != nil {
			return bytes, err
		}
	}
	all := h.all()
	if len(all) != len(h.nodes) {
		h.polled.Lock()
		h.nodes = all
		h.polled.Unlock()
	}
	over, ranks := h.local == nil || h.localOver, 0
	for _, n := range all {
		got, err := h.pollNode(n, handler)
		bytes += got
		if err != nil {
			h.lose(n, fmt.Sprintf("its records cannot be read: %v", err))
		}
		if n.hello() {
			ranks += n.stream.Ranks()
			h.world.Store(max(h.world.Load(), int64(n.stream.WorldSize())))
		}
		over = over && n.over
	}
	h.present.Store(int64(ranks))
	if over && bytes == 0 && h.finished.Load() {
		return 0, io.EOF
	}
	return bytes, nil
}

// pollNode delivers what a node has sent, and gives the node up if it was not seen for too long.
func (h *Head) pollNode(n *node, handler ring.Handler) (bytes int, err error) {
	if n.over {
		return 0, nil
	}
	bytes, err = n.poll(handler)
	if errors.Is(err, io.EOF) {
		h.setOver(n)
		return bytes, nil
	}
	if err != nil {
		return bytes, err
	}
	if n.hello() && n.stream.Ticks() > 0 {
		n.ticked = true
	}
	v := n.look()
	h.tell(n, v)
	switch late := h.late(); {
	case v.busy || bytes > 0:
	case v.closed > h.o.Times.Closed:
		h.lose(n, "its analyzer has ended")
	case v.silent > h.o.Times.Lost:
		h.lose(n, fmt.Sprintf("it was not seen for %v", v.silent.Round(time.Second)))
	case late > afterFinish && (!v.live || h.stopped.Load() || late > 2*afterFinish):
		h.lose(n, "it was not seen at the end of the run")
	}
	return bytes, nil
}

// afterFinish is the time for nodes to deliver the rest.
const afterFinish = 10 * time.Second

// late returns how long ago Finish was called, 0 if it was not.
func (h *Head) late() time.Duration {
	if !h.finished.Load() {
		return 0
	}
	return time.Since(h.began) - time.Duration(h.since.Load())
}

// tell tells the user that a node is not seen, or is seen again.
func (h *Head) tell(n *node, v view) {
	switch {
	case !n.blind && v.silent > h.o.Times.Blind:
		n.blind = true
		h.o.Note(fmt.Sprintf("node %s is not seen since %s: nothing is concluded from what it does not tell", n.host,
			v.at.Format(time.TimeOnly)))
	case n.blind && v.silent < h.o.Times.Blind/2:
		n.blind = false
		h.o.Note(fmt.Sprintf("node %s is seen again", n.host))
	}
}

func (h *Head) setOver(n *node) {
	h.polled.Lock()
	defer h.polled.Unlock()
	n.over = true
}

// lose gives up a node: its processes go on, but nothing is known of them any more.
func (h *Head) lose(n *node, why string) {
	n.give()
	h.setOver(n)
	h.o.Note(fmt.Sprintf("node %s is given up, as %s: its ranks go on unwatched, and nothing is concluded from what "+
		"they do not tell", n.host, why))
	if n.hello() {
		n.stream.Lose(h.handler, fmt.Sprintf("node %s is not seen any more: %s", n.host, why))
	}
}

// hello reports whether the node has sent the head of its records.
func (n *node) hello() bool { return n.expected() > 0 }

// Due implements pipeline.Pacer. Time passes for the analysis only when all nodes have told what happened meanwhile. So
// a node that is not seen, or that is slow, is never taken for one in which nothing happens.
func (h *Head) Due() bool {
	for _, n := range h.nodes {
		if !n.over && !n.ticked {
			return false
		}
	}
	for _, n := range h.nodes {
		n.ticked = false
	}
	return true
}

// Rest implements pipeline.Pacer.
func (h *Head) Rest() { h.Mark() }

// Mark leaves marks for mpivet ps, see ring.Live.Mark.
func (h *Head) Mark() {
	if h.local != nil {
		h.local.Mark()
	}
}

// Wait implements pipeline.Waiter. The records of other nodes end it.
func (h *Head) Wait(d time.Duration) {
	if len(h.nodes) == 0 && h.local != nil {
		h.local.Wait(d)
		return
	}
	switch {
	case h.local == nil || h.local.Deserted():
		d = max(d, 50*time.Millisecond) // there is nothing to look for before something comes
	case h.local.Asks():
		d = min(d, 2*time.Millisecond) // its calls wait
	default:
		d = ring.Rest(d, h.fromLocal)
	}
	h.s.came.Wait(d)
}

// Stats implements ring.Source.
func (h *Head) Stats() (s ring.Stats) {
	if h.local != nil {
		s = h.local.Stats()
	}
	for _, n := range h.nodes {
		if n.over && n.hello() {
			t := n.stream.Stats()
			s.Queries += t.Queries
			s.Stalls += t.Stalls
			s.StallTime += t.StallTime
			s.Unrecorded += t.Unrecorded
			s.Shrunk += t.Shrunk
		}
	}
	return s
}

// Notes returns what the user has to know about the nodes, after the end.
func (h *Head) Notes() (notes []string) {
	if h.local != nil {
		notes = h.local.Notes()
	}
	for _, n := range h.nodes {
		if !n.over || !n.hello() {
			continue
		}
		t := n.stream.Stats()
		if t.StallTime > time.Second {
			notes = append(notes, fmt.Sprintf("ranks on node %s waited %v for the analyzer (%d times)", n.host,
				t.StallTime.Round(time.Millisecond), t.Stalls))
		}
		if t.Notes != "" {
			notes = append(notes, fmt.Sprintf("node %s: %s", n.host, t.Notes))
		}
	}
	return notes
}

// Verdict lets the processes that wait for their exit status end, on all nodes.
func (h *Head) Verdict(status int) {
	if h.local != nil {
		h.local.Verdict(status)
	}
	h.Order(&wire.Order{What: &wire.Order_Verdict{Verdict: &wire.Verdict{Status: int32(status)}}})
}

// Close stops the server. It lets orders reach the nodes before.
func (h *Head) Close() error {
	deadline := time.Now().Add(lastOrders)
	for _, n := range h.all() {
		for n.heeding() && n.pending() && time.Now().Before(deadline) {
			time.Sleep(2 * time.Millisecond)
		}
	}
	h.s.grpc.Stop()
	for _, n := range h.all() {
		n.receive.Lock()
		if n.stream != nil {
			n.stream.Close()
		}
		n.receive.Unlock()
	}
	return nil
}

// lastOrders is the time for the last orders to reach the nodes.
const lastOrders = 2 * time.Second

// pending reports whether there are orders that the node may not have got.
func (n *node) pending() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.orders) > 0
}

// of returns the node of a thread and the thread's number there. It returns nil for a local thread.
func (h *Head) of(id ring.ThreadID) (*node, *wire.Call) {
	for _, n := range h.nodes {
		if n.hello() {
			if th, number, open, ok := n.stream.Call(id); ok {
				return n, &wire.Call{Thread: int32(th), Number: number, Open: open}
			}
		}
	}
	return nil, nil
}

// Judge implements hold.Gate.
func (h *Head) Judge(id ring.ThreadID, v ring.Verdict) {
	n, call := h.of(id)
	switch {
	case n != nil:
		n.order(&wire.Order{What: &wire.Order_Judge{Judge: &wire.Judge{
			Call: call, Refused: uint32(v.Refused), Handle: v.Handle, Why: v.Why,
		}}})
	case h.local != nil:
		h.local.Judge(id, v)
	}
}

// Refused implements hold.Gate.
func (h *Head) Refused() {
	if h.local != nil {
		h.local.Refused()
	}
	h.Order(&wire.Order{What: &wire.Order_Refused{Refused: true}})
}

// EndStrict implements hold.Gate.
func (h *Head) EndStrict() {
	if h.local != nil {
		h.local.EndStrict()
	}
	h.Order(&wire.Order{What: &wire.Order_EndStrict{EndStrict: true}})
}

// Found implements pipeline.Threads.
func (h *Head) Found(id ring.ThreadID, check, text string) {
	n, call := h.of(id)
	switch {
	case n != nil:
		n.order(&wire.Order{What: &wire.Order_Found{Found: &wire.Found{
			Thread: call.GetThread(), Check: check, Text: text,
		}}})
	case h.local != nil:
		h.local.Found(id, check, text)
	}
}

// Pass implements pipeline.Threads.
func (h *Head) Pass(id ring.ThreadID) {
	n, call := h.of(id)
	switch {
	case n != nil:
		n.order(&wire.Order{What: &wire.Order_Pass{Pass: &wire.Pass{Call: call}}})
	case h.local != nil:
		h.local.Pass(id)
	}
}

// EndBreaks implements pipeline.Threads.
func (h *Head) EndBreaks() {
	if h.local != nil {
		h.local.EndBreaks()
	}
	h.Order(&wire.Order{What: &wire.Order_EndBreaks{EndBreaks: true}})
}

// Task implements pipeline.Tasks: it asks the node of a thread about the thread. The answer is that of an earlier call,
// so known is false at first. local is true if the thread is of this node.
func (h *Head) Task(id ring.ThreadID, pid, tid, threads int) (state byte, ran uint64, more, known, local bool) {
	n, _ := h.of(id)
	if n == nil {
		return 0, 0, false, false, true
	}
	q := h.looks[id]
	if q == nil {
		q = new(inspection)
		h.looks[id] = q
	}
	if q.answer != nil {
		select {
		case m := <-q.answer:
			q.last, q.answer = m.GetInspected(), nil
		default:
		}
	}
	if q.answer == nil {
		q.answer = n.ask(&wire.Order{What: &wire.Order_Inspect{Inspect: &wire.Inspect{
			Pid: int32(pid), Tid: int32(tid), Threads: int32(threads),
		}}})
	}
	last := q.last
	q.last = nil // each answer is used once
	if last == nil {
		return 0, 0, false, false, false
	}
	return byte(last.GetState()), last.GetRan(), last.GetMore(), true, false
}

// resolvePatience is the time to wait for functions and lines from a node.
const resolvePatience = 2 * time.Second

// Resolve asks the other nodes for the function and line of an address in a file that this node does not have.
func (h *Head) Resolve(path string, buildID []byte, address uint64) []symbol.Frame {
	ctx, cancel := context.WithTimeout(context.Background(), resolvePatience)
	defer cancel()
	for _, n := range h.all() {
		if !n.heeding() {
			continue
		}
		answer := n.ask(&wire.Order{What: &wire.Order_Resolve{Resolve: &wire.Resolve{
			Path: path, BuildId: buildID, Addresses: []uint64{address},
		}}})
		select {
		case m := <-answer:
			if list := m.GetResolved().GetFrames(); len(list) == 1 && len(list[0].GetFrame()) > 0 {
				var frames []symbol.Frame
				for _, f := range list[0].GetFrame() {
					frames = append(frames, symbol.Frame{
						Function: f.GetFunction(), File: f.GetFile(), Line: int(f.GetLine()),
					})
				}
				return frames
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// Looks asks the other nodes what mpivet ps shows of them. It returns the answers that come in time, by host.
func (h *Head) Looks(limit time.Duration) map[string][]byte {
	looks := make(map[string][]byte)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answers := make(map[string]<-chan *wire.Answer)
	for _, n := range h.all() {
		if n.heeding() {
			answers[n.host] = n.ask(&wire.Order{What: &wire.Order_Look{Look: &wire.Look{}}})
		}
	}
	for host, c := range answers {
		select {
		case m := <-c:
			looks[host] = m.GetLooked()
		case <-ctx.Done():
			return looks
		}
	}
	return looks
}
