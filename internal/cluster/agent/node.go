package agent

import (
	"errors"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/ring"
	"github.com/mpivet/mpivet/internal/symbol"
)

// Program is what orders do to the processes of the program on this node. launch.Ranks implements it.
type Program interface {
	Ask()
	Terminate()
	Stop()
	Continue()
}

// Node reads the records of a node and carries out orders. It is a ring.Source that also writes the records to a
// Writer.
type Node struct {
	*ring.Live
	Writer   *ring.Writer
	Program  Program
	Resolver *symbol.Resolver
	Look     func() []byte // what mpivet ps shows of this node

	verdict chan int
	mu      sync.Mutex
	orders  []*wire.Order // for the goroutine that polls
	lays    map[ring.ProcID]*layouts
	tells   map[ring.ProcID]*ring.Told

	last int // length of the records that came at the last poll
}

// layouts are the layouts of a process, with the head's numbers of their programs.
type layouts struct {
	*ring.Layouts
	written map[uint64]ring.Written
}

// NewNode returns a node whose records are read by live.
func NewNode(live *ring.Live) *Node {
	return &Node{
		Live: live, verdict: make(chan int, 1), lays: make(map[ring.ProcID]*layouts),
		tells: make(map[ring.ProcID]*ring.Told),
	}
}

// Verdict waits for the exit status that the head wants. ok is false if it does not come in time.
func (n *Node) Verdict(limit time.Duration, gone <-chan struct{}) (status int, ok bool) {
	select {
	case status = <-n.verdict:
		return status, true
	case <-gone:
	case <-time.After(limit):
	}
	return 0, false
}

// Do carries out an order, see Options.Do.
func (n *Node) Do(m *wire.Order) *wire.Answer {
	switch what := m.GetWhat().(type) {
	case *wire.Order_Verdict:
		select {
		case n.verdict <- int(what.Verdict.GetStatus()):
		default:
		}
	case *wire.Order_Terminate:
		go n.Program.Terminate() // it may take some seconds
	case *wire.Order_Stop:
		n.Program.Stop()
	case *wire.Order_Continue:
		n.Program.Continue()
	case *wire.Order_Ask:
		n.Program.Ask()
	case *wire.Order_Unrecorded:
		n.Live.Stop()
	case *wire.Order_Inspect:
		i := what.Inspect
		state, ran, more := ring.TaskState(int(i.GetPid()), int(i.GetTid()), int(i.GetThreads()))
		return &wire.Answer{What: &wire.Answer_Inspected{Inspected: &wire.Inspected{
			State: uint32(state), Ran: ran, More: more,
		}}}
	case *wire.Order_Resolve:
		return &wire.Answer{What: &wire.Answer_Resolved{Resolved: n.resolve(what.Resolve)}}
	case *wire.Order_Look:
		return &wire.Answer{What: &wire.Answer_Looked{Looked: n.Look()}}
	default:
		n.mu.Lock()
		n.orders = append(n.orders, m)
		n.mu.Unlock()
		n.Live.Interrupt()
	}
	return nil
}

func (n *Node) resolve(m *wire.Resolve) *wire.Resolved {
	all := new(wire.Resolved)
	for _, address := range m.GetAddresses() {
		frames := new(wire.Frames)
		for _, f := range n.Resolver.Lookup(m.GetPath(), m.GetBuildId(), address) {
			frames.Frame = append(frames.Frame, &wire.Frame{
				Function: f.Function, File: f.File, Line: int32(f.Line),
			})
		}
		all.Frames = append(all.Frames, frames)
	}
	return all
}

// Poll delivers the records that are there. They are sent with the next tick, as each part costs about 0.5 ms of
// processor time on both sides. If the program makes a pause, or calls wait for the head, they are sent at once.
func (n *Node) Poll(h ring.Handler) (int, error) {
	n.obey()
	bytes, err := n.Live.Poll(h)
	if errors.Is(err, io.EOF) {
		return bytes, err
	}
	n.last = bytes
	if bytes == 0 || n.Live.Asks() {
		n.Writer.Flush()
	}
	return bytes, err
}

// Wait implements pipeline.Waiter. Records are sent later anyway, so the node rests longer if there are few.
func (n *Node) Wait(d time.Duration) {
	if !n.Live.Asks() {
		d = ring.Rest(d, n.last)
	}
	n.Live.Wait(d)
}

// obey carries out the orders for the goroutine that polls.
func (n *Node) obey() {
	n.mu.Lock()
	orders := n.orders
	n.orders = nil
	n.mu.Unlock()
	if len(orders) == 0 {
		return
	}
	// The program may truncate the mapped files.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, m := range orders {
		switch what := m.GetWhat().(type) {
		case *wire.Order_Judge:
			c := what.Judge.GetCall()
			n.JudgeCall(ring.ThreadID(c.GetThread()), c.GetNumber(), ring.Verdict{
				Refused: ring.Refusal(what.Judge.GetRefused()), Handle: what.Judge.GetHandle(),
				Why: what.Judge.GetWhy(),
			})
		case *wire.Order_Refused:
			n.Refused()
		case *wire.Order_EndStrict:
			n.EndStrict()
		case *wire.Order_Pass:
			c := what.Pass.GetCall()
			n.PassCall(ring.ThreadID(c.GetThread()), c.GetNumber(), c.GetOpen())
		case *wire.Order_EndBreaks:
			n.EndBreaks()
		case *wire.Order_Found:
			n.Found(ring.ThreadID(what.Found.GetThread()), what.Found.GetCheck(), what.Found.GetText())
		case *wire.Order_Layout:
			n.layout(what.Layout)
		case *wire.Order_Told:
			n.tell(what.Told)
		}
	}
}

func (n *Node) layout(m *wire.Layout) {
	id := ring.ProcID(m.GetProcess())
	l := n.lays[id]
	if l == nil {
		// Without the file, data that are not contiguous are not checked.
		file, err := n.Live.Layouts(id)
		if err != nil {
			return
		}
		l = &layouts{file, make(map[uint64]ring.Written)}
		n.lays[id] = l
	}
	switch what := m.GetWhat().(type) {
	case *wire.Layout_Write:
		if at, err := l.Write(what.Write.GetWords()); err == nil {
			l.written[what.Write.GetId()] = at
		}
	case *wire.Layout_Publish:
		at, ok := l.written[what.Publish.GetId()]
		if !ok || l.Publish(what.Publish.GetHandle(), at) != nil {
			l.Unpublish(what.Publish.GetHandle())
		}
	case *wire.Layout_Unpublish:
		l.Unpublish(what.Unpublish)
	case *wire.Layout_Freed:
		l.Freed()
	}
}

func (n *Node) tell(m *wire.Told) {
	id := ring.ProcID(m.GetProcess())
	t, known := n.tells[id]
	if !known {
		t, _ = n.Live.Told(id) // without the file, debuggers see the other tables
		n.tells[id] = t
	}
	if t == nil {
		return
	}
	var list []ring.Unexpected
	for _, u := range m.GetUnexpected() {
		list = append(list, ring.Unexpected{
			Comm: u.GetComm(), Source: u.GetSource(), World: u.GetWorld(), Tag: u.GetTag(), Bytes: u.GetBytes(),
			Function: u.GetFunction(),
		})
	}
	if t.Tell(list, m.GetText()) != nil {
		t.Close()
		n.tells[id] = nil
	}
}

// Handler returns the handler that releases what orders have opened for a process.
func (n *Node) Handler() ring.Handler { return closer{n} }

// closer closes the files of processes that have ended.
type closer struct{ *Node }

func (closer) Proc(*ring.Proc)     {}
func (closer) Thread(*ring.Thread) {}
func (closer) Batch(*ring.Batch)   {}
func (closer) Tick()               {}

func (c closer) End(id ring.ProcID, _ *ring.ProcEnd) {
	if l := c.lays[id]; l != nil {
		l.Close()
		delete(c.lays, id)
	}
	if t := c.tells[id]; t != nil {
		t.Close()
	}
	delete(c.tells, id)
}
