package head

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// node is another node of the job, with an agent.
type node struct {
	number int // from 1 on; the head's own node has number 0
	host   string

	receive sync.Mutex // held while a part is taken
	stream  *ring.Stream

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	next    uint64        // number of the part that is expected
	queue   [][]byte      // unpacked parts
	bytes   int           // of the queue
	damage  error         // a part could not be read
	turn    int           // of the present connection; an older one is broken
	live    bool          // there is a connection
	closed  bool          // the agent has closed the connection: it has ended, or comes again
	left    time.Time     // when it did
	at      time.Time     // when the node was last seen
	blind   bool          // the user was told that the node is not seen
	lost    bool          // the head has given up the node
	heeds   int           // streams through which the node gets orders
	orders  []*wire.Order // that the node may not have got
	id      uint64        // of the last order
	answers map[uint64]chan *wire.Answer

	// Of the goroutine that polls.
	over   bool // all records of the node have been delivered, or are lost
	ticked bool // the node has ticked since the last tick of the job
}

func newNode(number int, host string) *node {
	return &node{
		number: number, host: host, changed: make(chan struct{}), at: time.Now(),
		answers: make(map[uint64]chan *wire.Answer),
	}
}

// change wakes those who wait. The lock is held.
func (n *node) change() {
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *node) isLost() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lost
}

// seen notes that something came from the node.
func (n *node) seen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.at = time.Now()
}

// connect notes a connection. It replaces an earlier one that may not be known to be broken yet.
func (n *node) connect() (turn int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn++
	n.live, n.closed, n.at = true, false, time.Now()
	n.change()
	return n.turn
}

// disconnect notes that a connection is broken.
func (n *node) disconnect(turn int, closed bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if turn == n.turn {
		n.live, n.closed, n.left = false, closed, time.Now()
	}
}

func (n *node) expected() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next
}

// take adds a part to the queue. It waits as long as the queue is full. It returns the number of the part that is
// expected next.
func (n *node) take(ctx context.Context, turn int, p *wire.Part, s *server) (uint64, error) {
	n.receive.Lock()
	defer n.receive.Unlock()
	n.mu.Lock()
	n.at = time.Now()
	next, gone := n.next, n.lost || n.turn != turn
	n.mu.Unlock()
	switch {
	case gone:
		return 0, status.Error(codes.FailedPrecondition, "there is another connection, or the node was given up")
	case p.GetNumber() < next:
		return next, nil // it came over the connection that broke
	case p.GetNumber() > next:
		return 0, status.Errorf(codes.InvalidArgument, "part %d where %d should be", p.GetNumber(), next)
	}
	var raw []byte
	var err error
	if next == 0 {
		s.mu.Lock()
		numbers := s.numbers
		s.mu.Unlock()
		n.stream, err = ring.NewStream(p.GetData(), s.o.Reads, numbers, n.number, n.host)
	} else {
		raw, err = n.stream.Unpack(p.GetData())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		n.damage = err
		return 0, status.Errorf(codes.InvalidArgument, "the records cannot be read: %v", err)
	}
	for len(n.queue) > 0 && n.bytes+len(raw) > maxQueue && !n.lost {
		changed := n.changed
		n.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		n.mu.Lock()
		if ctx.Err() != nil {
			// The part is not taken: the agent sends it again. But it is unpacked, so it must be kept.
			break
		}
	}
	n.next++
	if raw != nil {
		n.queue = append(n.queue, raw)
		n.bytes += len(raw)
	}
	n.at = time.Now()
	return n.next, nil
}

// poll delivers the parts of the queue.
func (n *node) poll(h ring.Handler) (bytes int, err error) {
	n.mu.Lock()
	queue, damage := n.queue, n.damage
	n.queue, n.bytes = nil, 0
	if len(queue) > 0 {
		n.change()
	}
	n.mu.Unlock()
	for _, raw := range queue {
		got, err := n.stream.Deliver(raw, h)
		bytes += got
		if err != nil {
			return bytes, err
		}
	}
	if len(queue) == 0 && damage != nil {
		return 0, damage
	}
	return bytes, nil
}

// view is the state of a node's connection.
type view struct {
	silent time.Duration // since the node was last seen
	at     time.Time
	live   bool
	closed time.Duration // since the agent closed the connection, 0 if it did not
	busy   bool          // parts wait for the analysis
}

func (n *node) look() view {
	n.mu.Lock()
	defer n.mu.Unlock()
	v := view{silent: time.Since(n.at), at: n.at, live: n.live, busy: len(n.queue) > 0}
	if !n.live && n.closed {
		v.closed = time.Since(n.left)
	}
	return v
}

// give gives up the node.
func (n *node) give() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost = true
	n.queue, n.bytes = nil, 0
	n.change()
}

// order sends an order to the node.
func (n *node) order(m *wire.Order) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(m)
}

func (n *node) add(m *wire.Order) {
	n.id++
	m.Id = n.id
	if !n.lost {
		n.orders = append(n.orders, m)
		n.change()
	}
}

// ask sends an order to the node. The answer comes through the channel. There is none if the node is lost.
func (n *node) ask(m *wire.Order) <-chan *wire.Answer {
	c := make(chan *wire.Answer, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(m)
	n.answers[m.GetId()] = c
	return c
}

// answered passes an answer on to the one who has asked.
func (n *node) answered(m *wire.Answer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.received(m.GetId())
	if c := n.answers[m.GetId()]; c != nil {
		delete(n.answers, m.GetId())
		c <- m
	}
}

// received notes that the node has got the orders up to a number.
func (n *node) received(id uint64) {
	for len(n.orders) > 0 && n.orders[0].GetId() <= id {
		n.orders = n.orders[1:]
	}
}

// heed notes that a stream for orders begins (1) or ends (-1).
func (n *node) heed(change int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.heeds += change
}

// heeding reports whether the node gets orders.
func (n *node) heeding() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heeds > 0 && !n.lost
}

// resume returns the number of the first order for a new connection.
func (n *node) resume(received uint64) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.received(received)
	return received + 1
}

// nextOrder waits for the order with a number, or the first one after it.
func (n *node) nextOrder(ctx context.Context, id uint64) (*wire.Order, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		for _, m := range n.orders {
			if m.GetId() >= id {
				return m, nil
			}
		}
		changed := n.changed
		n.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		n.mu.Lock()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("no connection: %w", ctx.Err())
		}
	}
}
