package match

import (
	"slices"

	"github.com/mpivet/mpivet/internal/ring"
)

// Mode is the communication mode of a send (MPI standard, section 3.4).
type Mode uint8

// The modes.
const (
	Standard Mode = iota
	Buffered
	Synchronous
	Ready
)

// Op is one side of a message: a send begun or a receive posted.
type Op struct {
	Send    bool
	Mode    Mode
	Matched bool
	Removed bool // cancelled
	// Tentative receives may still be cancelled: that they are matched is told when Confirm says that they completed.
	Tentative bool
	Comm      *Comm
	Me        int32 // member that did it
	Peer      int32 // member it names, or Any
	Tag       int32 // or Any
	Count     int64
	Type      *Datatype // nil if unknown
	Call      Call      // where it came from: the record itself while it is posted, then a copy

	// At is the number of the call in its thread, from 1, that began the operation. AnySource, AnyTag: the receive was given
	// MPI_ANY_SOURCE, MPI_ANY_TAG, whatever Peer and Tag say now that it is known what it got. They are for package causal.
	At                uint64
	AnySource, AnyTag bool
	Replay            Replay

	room     []byte
	partner  *Op  // of a tentative receive that is matched
	at       int  // in its pair's list of those
	queued   bool // in a mailbox
	held     bool // by a request or a call under way
	wildcard bool // in the mailbox's list of unresolved receives from any source
	tried    bool // by the pass under way
	seq      uint64
	next     *Op
}

// Observer is told what was matched.
type Observer interface {
	// Message is called for every message whose send and receive were found. Both are valid only until it returns.
	Message(send, recv *Op)
	// Collective is called for every collective that all members have entered, in their order on a communicator. It is
	// valid only until Collective returns.
	Collective(c *Collective)
	// Disagree is called when a member enters a collective in another way than the first did.
	Disagree(c *Comm, position uint64)
}

// Matcher matches the messages and collectives of a run.
type Matcher struct {
	Messages    uint64 // matched so far
	Collectives uint64 // matched so far
	// Replayer, if it is set before the first operation, is told of operations and may keep them.
	Replayer Replayer

	obs     Observer
	free    *Op
	scratch Op
	good    Collective // for observers of collectives that all agree on
}

// New returns a matcher that reports to obs.
func New(obs Observer) *Matcher {
	return &Matcher{obs: obs}
}

// NewOp returns an Op to fill in and post, every exported field of it. The caller holds the Op, and may look at it but
// for Call, until Release.
func (m *Matcher) NewOp() *Op {
	op := m.free
	if op == nil {
		return &Op{held: true, room: make([]byte, 0, 2*ring.Line)}
	}
	m.free = op.next
	op.next = nil
	op.held, op.Matched, op.Removed, op.wildcard, op.Tentative = true, false, false, false, false
	op.AnySource, op.AnyTag, op.Replay = false, false, Replay{}
	return op
}

// Release says that the caller will not look at op any more. It stays posted until it is matched.
func (m *Matcher) Release(op *Op) {
	op.held = false
	if s := op.partner; s != nil { // given up before it completed
		op.settled()
		m.dequeued(s)
	}
	if !op.queued && op.Replay.retained == 0 {
		m.recycle(op)
	}
}

// Confirm says that a tentative receive has completed: it got its message for good.
func (m *Matcher) Confirm(op *Op) {
	op.Tentative = false
	if s := op.partner; s != nil {
		op.settled()
		m.obs.Message(s, op)
		m.dequeued(s)
	}
}

// settled takes a tentative receive out of those that may be undone.
func (op *Op) settled() {
	p := op.Comm.boxes[op.Me].pair(op.Peer, len(op.Comm.Members))
	last := len(p.tentative) - 1
	moved := p.tentative[last]
	p.tentative[op.at], moved.at = moved, op.at
	p.tentative[last] = nil
	p.tentative = p.tentative[:last]
	op.partner = nil
}

func (m *Matcher) recycle(op *Op) {
	op.Call.Raw = nil
	op.next = m.free
	m.free = op
}

// enqueue keeps what op needs beyond the record that it came in.
func (op *Op) enqueue() {
	op.queued = true
	op.copyCall()
}

// dequeued notes that op left its mailbox.
func (m *Matcher) dequeued(op *Op) {
	op.queued = false
	if !op.held && op.Replay.retained == 0 {
		m.recycle(op)
	}
}

// Scratch returns an Op to fill in for PostScratch, the exported fields down to Call but for Matched, Removed and
// Tentative. There is only one.
func (m *Matcher) Scratch() *Op { return &m.scratch }

// PostScratch posts what Scratch has been filled with: Post and Release of an operation that is over. Where it finds
// its partner at once, as nearly always one of the two does, nothing is copied.
func (m *Matcher) PostScratch() {
	op := &m.scratch
	c := op.Comm
	if !c.Opaque && (c.World == nil || !c.World.Unsure) {
		to, from := op.Peer, op.Me
		if !op.Send {
			to, from = from, to
		}
		b := &c.boxes[to]
		p := b.pair(from, len(c.Members))
		mine, others := &p.recvs, &p.sends
		if op.Send {
			mine, others = others, mine
		}
		q := others.head
		switch {
		case b.any.head != nil:
		case q == nil:
			n := m.NewOp()
			n.Send, n.Mode, n.Comm, n.Me, n.Peer, n.Tag = op.Send, op.Mode, c, op.Me, op.Peer, op.Tag
			n.Count, n.Type = op.Count, op.Type
			n.held, n.queued = false, true
			n.room = append(n.room[:0], op.Call.Raw...)
			n.Call = Call{Thread: op.Call.Thread, Raw: n.room}
			b.seq++
			n.seq = b.seq
			mine.push(n)
			if m.Replayer != nil {
				n.At = op.At
				m.Replayer.Quick(n, nil)
			}
			return
		case !q.Tentative && (q.Tag == op.Tag || q.Tag == Any):
			others.remove(nil, q)
			q.Matched = true
			m.Messages++
			if op.Send {
				m.obs.Message(op, q)
			} else {
				m.obs.Message(q, op)
			}
			if m.Replayer != nil {
				m.Replayer.Quick(op, q)
			}
			m.dequeued(q)
			return
		}
	}
	n := m.NewOp()
	n.Send, n.Mode, n.Comm, n.Me, n.Peer, n.Tag = op.Send, op.Mode, op.Comm, op.Me, op.Peer, op.Tag
	n.Count, n.Type, n.Call, n.At = op.Count, op.Type, op.Call, op.At
	m.Post(n)
	if m.Replayer != nil {
		m.Replayer.Quick(n, nil)
	}
	m.Release(n)
}

// list is a queue of operations in the order in which they were posted.
type list struct {
	head, tail *Op
}

func (l *list) push(op *Op) {
	op.next = nil
	if l.tail == nil {
		l.head = op
	} else {
		l.tail.next = op
	}
	l.tail = op
}

// insert puts op where its seq belongs.
func (l *list) insert(op *Op) {
	if l.tail == nil || l.tail.seq < op.seq {
		l.push(op)
		return
	}
	p := &l.head
	for *p != nil && (*p).seq < op.seq {
		p = &(*p).next
	}
	op.next = *p
	*p = op
}

// remove takes out op, which comes behind prev (nil: at the head).
func (l *list) remove(prev, op *Op) {
	if prev == nil {
		l.head = op.next
	} else {
		prev.next = op.next
	}
	if l.tail == op {
		l.tail = prev
	}
	op.next = nil
}

// drop takes out op wherever it is.
func (l *list) drop(op *Op) bool {
	var prev *Op
	for q := l.head; q != nil; prev, q = q, q.next {
		if q == op {
			l.remove(prev, q)
			return true
		}
	}
	return false
}

// pair is what is between one sender and one receiver.
type pair struct {
	sends list
	recvs list // from this very source
	dirty bool // in mailbox.dirty
	// tentative are the receives that are matched and may still be cancelled, in no order.
	tentative []*Op
}

// mailbox is the receiving end of one member: MPI matches messages destination by destination.
type mailbox struct {
	dense  []pair          // by source, in small communicators
	sparse map[int32]*pair // in large ones
	any    list            // receives from MPI_ANY_SOURCE whose message is not known yet
	seq    uint64          // operations posted
	dirty  []*pair         // pairs in which something waits for such a receive
}

// denseLimit is the size of communicator up to which every mailbox has an array over all sources.
const denseLimit = 64

func (b *mailbox) pair(source int32, members int) *pair {
	if b.dense != nil {
		return &b.dense[source]
	}
	if members <= denseLimit {
		b.dense = make([]pair, members)
		return &b.dense[source]
	}
	p := b.sparse[source]
	if p == nil {
		if b.sparse == nil {
			b.sparse = make(map[int32]*pair)
		}
		p = new(pair)
		b.sparse[source] = p
	}
	return p
}

// compatible reports whether a receive for tag want takes a message tagged tag.
func compatible(want, tag int32) bool { return want == tag || want == Any }

// Post enters an operation into matching. Non-overtaking (MPI standard, section 3.5): of the sends from one member
// that a receive accepts it takes the first, of the receives that accept a send the first posted. A receive from any
// source takes part once Resolve says which message it got; until then what it might take waits for it.
func (m *Matcher) Post(op *Op) {
	c := op.Comm
	if c.Opaque || c.World != nil && c.World.Unsure {
		return
	}
	if op.Send {
		m.postSend(op, &c.boxes[op.Peer])
		return
	}
	b := &c.boxes[op.Me]
	b.seq++
	op.seq = b.seq
	if op.Peer == Any {
		op.wildcard = true
		op.enqueue()
		b.any.push(op)
		return
	}
	p := b.pair(op.Peer, len(c.Members))
	if b.any.head != nil {
		op.enqueue()
		p.recvs.push(op)
		b.mark(p)
		m.rescan(b, p)
		return
	}
	var prev *Op
	for s := p.sends.head; s != nil; prev, s = s, s.next {
		if compatible(op.Tag, s.Tag) { // no earlier receive accepts it, or it would not be here
			p.sends.remove(prev, s)
			m.matched(b, p, s, op)
			return
		}
	}
	op.enqueue()
	p.recvs.push(op)
}

func (m *Matcher) postSend(op *Op, b *mailbox) {
	p := b.pair(op.Me, len(op.Comm.Members))
	b.seq++
	op.seq = b.seq
	if b.any.head != nil {
		op.enqueue()
		p.sends.push(op)
		b.mark(p)
		m.rescan(b, p)
		return
	}
	var prev *Op
	for r := p.recvs.head; r != nil; prev, r = r, r.next {
		if compatible(r.Tag, op.Tag) {
			p.recvs.remove(prev, r)
			m.matched(b, p, op, r)
			return
		}
	}
	op.enqueue()
	p.sends.push(op)
}

func (b *mailbox) mark(p *pair) {
	if !p.dirty {
		p.dirty = true
		b.dirty = append(b.dirty, p)
	}
}

// rescan matches what can be matched between one sender and the owner of b. A send waits when a receive from any source
// that is not resolved yet was posted before the receive that would take it.
func (m *Matcher) rescan(b *mailbox, p *pair) {
	if p.recvs.head == nil || p.sends.head == nil {
		return
	}
	for s := p.sends.head; s != nil; s = s.next {
		s.tried = false
	}
	var prev *Op
	for r := p.recvs.head; r != nil; {
		next := r.next
		var ps *Op
		taken := false
		for s := p.sends.head; s != nil; ps, s = s, s.next {
			if !compatible(r.Tag, s.Tag) {
				continue
			}
			if s.tried || b.claims(r.seq, s.Tag) {
				// The first message that r accepts may belong to an earlier receive. Then r takes another, so that nothing
				// it accepts is free for later receives.
				for ; s != nil; s = s.next {
					s.tried = s.tried || compatible(r.Tag, s.Tag)
				}
				break
			}
			p.sends.remove(ps, s)
			p.recvs.remove(prev, r)
			m.matched(b, p, s, r)
			taken = true
			break
		}
		if !taken {
			prev = r
		}
		r = next
	}
}

// claims reports whether an unresolved receive from any source, posted before position seq, accepts tag.
func (b *mailbox) claims(seq uint64, tag int32) bool {
	for r := b.any.head; r != nil && r.seq < seq; r = r.next {
		if compatible(r.Tag, tag) {
			return true
		}
	}
	return false
}

// Resolve says what a receive from any source got, as its status told.
func (m *Matcher) Resolve(op *Op, source, tag int32) {
	if !op.wildcard {
		return
	}
	b := &op.Comm.boxes[op.Me]
	op.wildcard = false
	b.any.drop(op)
	op.Peer, op.Tag = source, tag
	p := b.pair(source, len(op.Comm.Members))
	p.recvs.insert(op)
	b.mark(p)
	m.settle(b)
}

// settle matches what waited for a receive from any source that is no longer in the way.
func (m *Matcher) settle(b *mailbox) {
	dirty := b.dirty
	for _, p := range dirty {
		m.rescan(b, p)
	}
	if b.any.head == nil {
		for _, p := range dirty {
			p.dirty = false
		}
		b.dirty = b.dirty[:0]
	}
}

// Withdraw takes back an operation that was cancelled, or that failed before it took part. It has no effect on one that
// is matched for good. What a tentative receive seemed to have got goes to the next.
func (m *Matcher) Withdraw(op *Op) {
	if op.partner != nil {
		m.undo(op)
	}
	if op.Matched || op.Removed {
		return
	}
	op.Removed = true
	if !op.queued {
		return
	}
	if op.Send {
		op.Comm.boxes[op.Peer].pair(op.Me, len(op.Comm.Members)).sends.drop(op)
	} else {
		b := &op.Comm.boxes[op.Me]
		if op.wildcard {
			op.wildcard = false
			b.any.drop(op)
			m.settle(b)
		} else {
			b.pair(op.Peer, len(op.Comm.Members)).recvs.drop(op)
		}
	}
	m.dequeued(op)
}

// matched puts s and r together, which are in no list any more.
func (m *Matcher) matched(b *mailbox, p *pair, s, r *Op) {
	s.Matched, r.Matched = true, true
	m.Messages++
	if m.Replayer != nil {
		m.Replayer.Link(s, r)
	}
	if r.Tentative {
		if !s.queued {
			s.enqueue()
		}
		if !r.queued {
			r.enqueue()
		}
		r.queued = false
		r.partner, r.at = s, len(p.tentative)
		p.tentative = append(p.tentative, r)
		return
	}
	m.obs.Message(s, r)
	if s.queued {
		m.dequeued(s)
	}
	if r.queued {
		m.dequeued(r)
	}
}

// undo takes the message away from a receive that turned out to be cancelled, and from those posted later that have
// not completed either, and matches anew.
func (m *Matcher) undo(op *Op) {
	b := &op.Comm.boxes[op.Me]
	p := b.pair(op.Peer, len(op.Comm.Members))
	var undone []*Op
	p.tentative = slices.DeleteFunc(p.tentative, func(r *Op) bool {
		if r.seq >= op.seq {
			undone = append(undone, r)
		}
		return r.seq >= op.seq
	})
	for i, r := range p.tentative {
		r.at = i
	}
	for _, r := range undone {
		s := r.partner
		r.partner = nil
		r.Matched, s.Matched = false, false
		if m.Replayer != nil {
			m.Replayer.Unlink(s, r)
		}
		m.Messages--
		p.sends.insert(s)
		if r != op {
			r.queued = true
			p.recvs.insert(r)
		}
	}
	if b.any.head != nil {
		b.mark(p)
	}
	m.rescan(b, p)
}

// Candidate reports whether a message that a receive with these arguments would accept is on its way to member me:
// such a receive or probe is not stuck. It errs on the side of yes.
func (c *Comm) Candidate(me, source, tag int32) bool {
	if c.Opaque || c.World != nil && c.World.Unsure {
		return true
	}
	b := &c.boxes[me]
	has := func(p *pair) bool {
		for s := p.sends.head; s != nil; s = s.next {
			if compatible(tag, s.Tag) {
				return true
			}
		}
		return false
	}
	if source != Any {
		return has(b.pair(source, len(c.Members)))
	}
	for i := range b.dense {
		if has(&b.dense[i]) {
			return true
		}
	}
	for _, p := range b.sparse {
		if has(p) {
			return true
		}
	}
	return false
}

// Expected reports whether a receive is posted that may take the send op, though it isn't settled yet which one: the
// send is not stuck. It errs on the side of yes.
func (op *Op) Expected() bool {
	b := &op.Comm.boxes[op.Peer]
	for r := b.any.head; r != nil; r = r.next {
		if compatible(r.Tag, op.Tag) {
			return true
		}
	}
	for r := b.pair(op.Me, len(op.Comm.Members)).recvs.head; r != nil; r = r.next {
		if compatible(r.Tag, op.Tag) {
			return true
		}
	}
	return false
}
