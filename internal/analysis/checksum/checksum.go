// Package checksum compares the data that members of a collective operation received with the data that others sent
// them. It compares the checksums that the processes computed of the data.
package checksum

import (
	"slices"

	"github.com/mpivet/mpivet/internal/match"
	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/track"
)

// Difference is a part that did not arrive as it was sent.
type Difference struct {
	From, To         int32 // member numbers
	Bytes            uint64
	Sender, Receiver match.Call
}

// Pairing holds the checksums of collectives that have not returned on all members: a few words for each part.
type Pairing struct {
	comms      map[*match.Comm]map[place]*collective
	distrusted map[*match.Comm]bool
	free       []*collective
}

// New returns an empty pairing.
func New() *Pairing {
	return &Pairing{comms: make(map[*match.Comm]map[place]*collective), distrusted: make(map[*match.Comm]bool)}
}

// place is the place of a collective on a communicator. round counts the starts of a persistent collective.
type place struct{ position, round uint64 }

// collective is the collective at one place of a communicator.
type collective struct {
	members []member
	over    int  // members that have returned
	void    bool // a member changed the data that it sends; this is reported elsewhere
}

type member struct {
	call           match.Call
	sent, received []part // by peer
}

// part is the data that a member sends to, or has received from, another member.
type part struct {
	peer       int32 // everybody, or a member number
	bytes, sum uint64
}

const everybody int32 = -1

// Distrust stops all comparisons on a communicator, because its members disagree or a call has failed. One operation
// may then have taken the data of another.
func (p *Pairing) Distrust(c *match.Comm) {
	p.distrusted[c] = true
	delete(p.comms, c)
}

// trusted reports whether all members can be expected to call the collectives and to receive the data meant for them.
func (p *Pairing) trusted(c *match.Comm) bool {
	return !c.Opaque && (c.World == nil || !c.World.Unsure) && !p.distrusted[c]
}

func (p *Pairing) at(c *match.Comm, at place) *collective {
	of := p.comms[c]
	if of == nil {
		of = make(map[place]*collective)
		p.comms[c] = of
	}
	k := of[at]
	if k == nil {
		if n := len(p.free); n > 0 {
			k, p.free = p.free[n-1], p.free[:n-1]
		} else {
			k = new(collective)
		}
		k.over, k.void = 0, false
		k.members = slices.Grow(k.members[:0], c.Size())[:c.Size()]
		for i := range k.members {
			m := &k.members[i]
			m.sent, m.received = m.sent[:0], m.received[:0]
		}
		of[at] = k
	}
	return k
}

// Add enters the checksums of a call at a position of v. When all members have returned from the collective, it returns
// the parts that differ from what was sent.
func (p *Pairing) Add(v *track.View, position uint64, call match.Call, s *event.Sums) []Difference {
	if s.Failed {
		p.Distrust(v.Comm)
	}
	if !p.trusted(v.Comm) {
		delete(p.comms, v.Comm)
		return nil
	}
	at := place{position, s.Round}
	k := p.at(v.Comm, at)
	m := &k.members[v.Me]
	if !s.Received {
		m.call.Thread, m.call.Raw = call.Thread, append(m.call.Raw[:0], call.Raw...)
		m.sent = parts(m.sent, v, s)
		return nil
	}
	m.received = parts(m.received, v, s)
	if k.over++; k.over < len(k.members) {
		return nil
	}
	var list []Difference
	if !k.void {
		list = k.compare()
	}
	p.drop(v.Comm, at, k)
	return list
}

// Void excludes a collective from the comparison, because a member changed the data that it sends. The collective must
// not have been compared yet.
func (p *Pairing) Void(c *match.Comm, position, round uint64) {
	if p.trusted(c) {
		p.at(c, place{position, round}).void = true
	}
}

// drop forgets a collective.
func (p *Pairing) drop(c *match.Comm, at place, k *collective) {
	of := p.comms[c]
	if delete(of, at); len(of) == 0 {
		delete(p.comms, c)
	}
	if len(p.free) < spare {
		p.free = append(p.free, k)
	}
}

// spare is the number of collectives whose memory is kept for reuse.
const spare = 16

// parts appends the parts that a record describes, with member numbers. It leaves out parts with an invalid peer.
func parts(list []part, v *track.View, s *event.Sums) []part {
	for i := range s.Len() {
		switch a := s.At(i); {
		case a.All:
			list = append(list, part{everybody, a.Bytes, a.Value})
		case a.Peer < uint32(v.Peers):
			list = append(list, part{v.Base + int32(a.Peer), a.Bytes, a.Value})
		}
	}
	return list
}

func (k *collective) compare() (list []Difference) {
	for to := range k.members {
		for _, got := range k.members[to].received {
			from := got.peer
			if from < 0 {
				continue
			}
			sent, ok := k.members[from].to(int32(to))
			if ok && sent.bytes == got.bytes && sent.sum != got.sum {
				list = append(list, Difference{
					From: from, To: int32(to), Bytes: got.bytes,
					Sender: k.members[from].call.Clone(), Receiver: k.members[to].call.Clone(),
				})
			}
		}
	}
	return list
}

// to returns the part that the member sent to another member.
func (m *member) to(other int32) (part, bool) {
	if len(m.sent) == 1 && m.sent[0].peer == everybody {
		return m.sent[0], true
	}
	i, ok := slices.BinarySearchFunc(m.sent, other, func(p part, peer int32) int { return int(p.peer - peer) })
	if !ok {
		return part{}, false
	}
	return m.sent[i], true
}
