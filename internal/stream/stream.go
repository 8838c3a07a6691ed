// Package stream passes typed events from those who notice something to those who want to know. A topic is a field of a
// struct that documents all events of a stage: track.Events, match.Events. Whoever wants an event subscribes a function to
// its topic. An event that nobody subscribed to costs the publisher one comparison: see [Topic.Wanted].
//
// All of it happens in one goroutine. An event, and what it points to, is valid until the subscriber returns, unless the
// event's documentation says otherwise.
package stream

import (
	"runtime/debug"
	"slices"
)

// Owner stands for one subscriber of several topics: a check, or a fact that checks share.
type Owner struct {
	Name string
	// Bare: a panic in the owner's functions is not caught here, since others depend on what the owner knows.
	Bare bool
	// Failed is called once, when a function of the owner has panicked. The owner gets no events afterwards.
	Failed func(reason any, stack []byte)

	off bool
	hot []func() // delivers what the owner's Hot topics still hold
}

// Off reports whether the owner has been switched off after a panic.
func (o *Owner) Off() bool { return o.off }

// Contain calls f as Publish calls a subscriber: a panic switches the owner off. A bare owner's panic goes on.
func (o *Owner) Contain(f func()) {
	switch {
	case o.off:
	case o.Bare:
		f()
	default:
		defer o.recovered()
		f()
	}
}

func (o *Owner) recovered() {
	if r := recover(); r != nil {
		o.off = true
		if o.Failed != nil {
			o.Failed(r, debug.Stack())
		}
	}
}

// flush delivers the events that came before the one at hand.
func (o *Owner) flush() {
	for _, f := range o.hot {
		f()
	}
}

// turn orders the subscribers of a topic.
type turn int8

const (
	early turn = iota - 1
	usual
	late
)

type subscriber[E any] struct {
	owner *Owner
	turn  turn
	f     func(E)
}

// Topic is one kind of event. The zero value has no subscribers.
type Topic[E any] struct {
	subscribers []subscriber[E]
	// only is the function of the one subscriber, if there is only one and its owner is bare. Events that come with
	// nearly every record have such a subscriber, and this saves half of the time that an event takes.
	only func(E)
}

// On subscribes f. Subscribers are called in the order in which they subscribed.
func (t *Topic[E]) On(o *Owner, f func(E)) { t.add(o, usual, f) }

// Early subscribes f, which is called before those that subscribed by On.
func (t *Topic[E]) Early(o *Owner, f func(E)) { t.add(o, early, f) }

// Late subscribes f, which is called after those that subscribed by On.
func (t *Topic[E]) Late(o *Owner, f func(E)) { t.add(o, late, f) }

func (t *Topic[E]) add(o *Owner, at turn, f func(E)) {
	i := len(t.subscribers)
	for i > 0 && t.subscribers[i-1].turn > at {
		i--
	}
	t.subscribers = slices.Insert(t.subscribers, i, subscriber[E]{o, at, f})
	t.only = nil
	if len(t.subscribers) == 1 && o.Bare {
		t.only = f
	}
}

// Wanted reports whether anybody has subscribed. Publishers that must work to make an event ask first.
func (t *Topic[E]) Wanted() bool { return len(t.subscribers) != 0 }

// Publish tells all subscribers of e.
func (t *Topic[E]) Publish(e E) {
	if t.only != nil {
		t.only(e)
		return
	}
	t.publish(e)
}

func (t *Topic[E]) publish(e E) {
	for i := range t.subscribers {
		switch s := &t.subscribers[i]; {
		case s.owner.off:
		case s.owner.Bare:
			s.f(e)
		default:
			s.contained(e)
		}
	}
}

func (s *subscriber[E]) contained(e E) {
	defer s.owner.recovered()
	if len(s.owner.hot) != 0 {
		s.owner.flush()
	}
	s.f(e)
}

// Keyed is one kind of event with a topic for each key, such as the number of an MPI function. A subscriber names the keys that
// it wants. The zero value has no subscribers.
type Keyed[K ~uint16, E any] struct {
	topics []Topic[E] // by key
}

// On subscribes f to the events of keys.
func (k *Keyed[K, E]) On(o *Owner, f func(E), keys ...K) { k.add(o, usual, f, keys) }

// Early subscribes f, which is called before those that subscribed by On.
func (k *Keyed[K, E]) Early(o *Owner, f func(E), keys ...K) { k.add(o, early, f, keys) }

// Late subscribes f, which is called after those that subscribed by On.
func (k *Keyed[K, E]) Late(o *Owner, f func(E), keys ...K) { k.add(o, late, f, keys) }

func (k *Keyed[K, E]) add(o *Owner, at turn, f func(E), keys []K) {
	for _, key := range keys {
		for int(key) >= len(k.topics) {
			k.topics = append(k.topics, Topic[E]{})
		}
		k.topics[key].add(o, at, f)
	}
}

// Wanted reports whether anybody has subscribed to the events of key.
func (k *Keyed[K, E]) Wanted(key K) bool {
	return int(key) < len(k.topics) && k.topics[key].Wanted()
}

// Publish tells all subscribers of e, an event of key.
func (k *Keyed[K, E]) Publish(key K, e E) {
	if int(key) < len(k.topics) {
		k.topics[key].Publish(e)
	}
}

// run is how many events of a hot topic are delivered at once.
const run = 32

// Hot is a topic of events that come with nearly every record. They are delivered in runs, which shares the cost of catching
// panics. A subscriber gets them before any other event that comes after them, and at the latest when [Hot.Flush] is called.
type Hot[E any] struct {
	subscribers []subscriber[*E]
	n           int
	events      [run]E
}

// On subscribes f. The event is valid until f returns.
func (h *Hot[E]) On(o *Owner, f func(*E)) {
	h.subscribers = append(h.subscribers, subscriber[*E]{owner: o, f: f})
	o.hot = append(o.hot, h.Flush)
}

// Wanted reports whether anybody has subscribed.
func (h *Hot[E]) Wanted() bool { return len(h.subscribers) != 0 }

// Next returns the next event for the caller to fill in whole. What it points to must stay valid until Flush is called.
func (h *Hot[E]) Next() *E {
	if h.n == len(h.events) {
		h.Flush()
	}
	h.n++
	return &h.events[h.n-1]
}

// Flush delivers the events that have not been delivered. The publisher calls it before the memory goes that the events
// point to.
func (h *Hot[E]) Flush() {
	if h.n == 0 {
		return
	}
	n := h.n
	h.n = 0 // a subscriber may cause another flush
	for i := range h.subscribers {
		if s := &h.subscribers[i]; s.owner.Bare {
			deliver(s, h.events[:n])
		} else if !s.owner.off {
			contained(s, h.events[:n])
		}
	}
	clear(h.events[:n]) // keep nothing alive
}

func contained[E any](s *subscriber[*E], events []E) {
	defer s.owner.recovered()
	deliver(s, events)
}

func deliver[E any](s *subscriber[*E], events []E) {
	for i := range events {
		s.f(&events[i])
	}
}
