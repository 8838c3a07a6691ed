// Package nearmiss searches for near misses. A near miss is an operation that would match an operation that waits in
// vain, except for one difference. The search examines the unmatched operations in mailboxes and the counts there. It
// is done only when a finding has to be explained.
package nearmiss

import (
	"slices"

	"github.com/mpivet/mpivet/internal/analysis/waiting"
	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/track"
)

// Kind says why two operations do not match.
type Kind uint8

// The kinds, the most informative first.
const (
	Tag       Kind = iota // the tags differ
	Comm                  // the communicators differ
	Elsewhere             // the sender is the right process, but the receiver is a third process
	Other                 // the receiver is the right process, but the sender is a third process
	Taken                 // a message that would match was received by an earlier receive with a wildcard
	Count                 // all other operations have found partners: this is one more than the other side has posted
)

// Want is an operation that finds no partner.
type Want struct {
	Send          bool // a send is looked for: the operation is a receive or a probe
	Comm          *match.Comm
	Me, Peer, Tag int32 // members; Peer and Tag may be match.Any
	Process       *track.Process
	Op            *match.Op // nil for a probe
}

// Wanted returns the operation that a thread needs for a clause. The result is false if the clause is not about a
// message.
func Wanted(b *waiting.Blocked, c *waiting.Clause) (Want, bool) {
	w := Want{Send: c.What == waiting.ToSend, Process: b.Thread.Process, Op: c.Op}
	switch {
	case c.What != waiting.ToSend && c.What != waiting.ToReceive:
		return w, false
	case c.Op != nil:
		w.Comm, w.Me, w.Peer, w.Tag = c.Op.Comm, c.Op.Me, c.Op.Peer, c.Op.Tag
	default:
		w.Comm, w.Me, w.Peer, w.Tag = c.Comm.Comm, c.Comm.Me, c.Source, c.Tag
	}
	return w, true
}

// Miss is an operation that nearly matches a Want.
type Miss struct {
	Kind Kind
	Want *Want
	Op   *match.Op     // the operation; nil for Taken and Count
	Took *match.Taking // Taken
	// Sent and Received are the numbers of messages that one process has sent to the other so far on the communicator,
	// and of receives for them.
	Sent, Received int
}

// Search returns the near misses of w, the most informative first, at most one of each kind. spent reports whether a
// process will send and receive nothing more. Only then are counts meaningful.
func Search(w *Want, spent func(member int32) bool) (found []Miss) {
	if w.Comm.Opaque || w.Comm.World != nil && w.Comm.World.Unsure {
		return nil
	}
	s := search{want: w}
	s.mailbox()
	if w.Comm.Whole() == nil { // partitioned messages match no others
		s.others()
	}
	if w.Peer != match.Any {
		s.elsewhere()
	}
	for k := Tag; k <= Other; k++ {
		if op := s.best[k]; op != nil {
			found = append(found, Miss{Kind: k, Want: w, Op: op})
		}
	}
	if w.Peer == match.Any {
		return found
	}
	from, to := w.Peer, w.Me
	if !w.Send {
		from, to = to, from
	}
	if w.Send {
		if t := w.Comm.Taken(from, to, w.Tag); t != nil {
			found = append(found, Miss{Kind: Taken, Want: w, Took: t})
		}
	}
	if sent, received := w.Comm.Exchanged(from, to); len(found) == 0 && sent > 0 && spent(w.Peer) {
		found = append(found, Miss{Kind: Count, Want: w, Sent: sent, Received: received})
	}
	return found
}

type search struct {
	want *Want
	best [Other + 1]*match.Op // for each kind: the operation of the lowest members, and of these the first posted
}

func (s *search) note(k Kind, op *match.Op) {
	old := s.best[k]
	if op != s.want.Op && (old == nil || op.Me < old.Me || op.Me == old.Me && op.Peer < old.Peer) {
		s.best[k] = op
	}
}

func fits(a, b int32) bool { return a == b || a == match.Any || b == match.Any }

// mailbox examines the operations at the receiving side on the same communicator: messages that have arrived, and
// receives.
func (s *search) mailbox() {
	w := s.want
	to := w.Me
	if !w.Send {
		if to = w.Peer; to == match.Any {
			return
		}
	}
	w.Comm.Unpaired(to, match.Any, func(op *match.Op) {
		peer := op.Me // the member that is not on w's side
		if !w.Send {
			peer = op.Peer // the member that it would receive from
		}
		switch {
		case op.Send != w.Send:
		case w.Send && !fits(w.Peer, peer), !w.Send && !fits(w.Me, peer):
			if fits(w.Tag, op.Tag) {
				s.note(Other, op)
			}
		case !fits(w.Tag, op.Tag):
			s.note(Tag, op)
		}
	})
}

// others examines the other communicators of the process that waits.
func (s *search) others() {
	w := s.want
	if w.Peer == match.Any {
		return
	}
	w.Process.Communicators(func(v *track.View) {
		if v.Comm == w.Comm || v.Opaque || v.World != w.Comm.World || s.best[Comm] != nil {
			return
		}
		peer := int32(slices.Index(v.Members, w.Comm.Members[w.Peer]))
		if peer < 0 || v.Members[v.Me] != w.Comm.Members[w.Me] {
			return
		}
		from, to := peer, v.Me
		if !w.Send {
			from, to = to, from
		}
		v.Unpaired(to, from, func(op *match.Op) {
			if op.Send == w.Send && fits(w.Tag, op.Tag) && (op.Send || fits(op.Peer, from)) {
				s.note(Comm, op)
			}
		})
	})
}

// elsewhere examines the operations of the process that should act with third processes on the same communicator:
// messages that it has sent to them, or, if it should receive, receives of third processes for the message.
func (s *search) elsewhere() {
	w := s.want
	from := w.Peer
	if !w.Send {
		from = w.Me
	}
	for to := range w.Comm.Members {
		if s.best[Elsewhere] != nil {
			return
		}
		if int32(to) == w.Me || int32(to) == w.Peer {
			continue
		}
		w.Comm.Unpaired(int32(to), from, func(op *match.Op) {
			if op.Send == w.Send && fits(w.Tag, op.Tag) && (op.Send || op.Peer == from) {
				s.note(Elsewhere, op)
			}
		})
	}
}
