// Package stream passes typed events from publishers to subscribers. A topic is a field of a struct that documents all
// events of a stage: track.Events, match.Events. A subscriber registers a function with a topic. An event without
// subscribers costs the publisher one comparison: see [Topic.Wanted].
//
// All calls happen in one goroutine. An event, and the memory that it points to, is valid until the subscriber returns,
// unless the documentation of the event says otherwise.
// event's documentation says otherwise.
package stream

import (
	"runtime/debug"
	"slices"
)

// Owner represents one subscriber of several topics: a check, or a fact that checks share.
type Owner struct {
	Name string
	// Bare: a panic in the owner's functions is not caught here, because other owners depend on this one.
	Bare bool
	// Failed is called once, after a function of the owner has panicked. The owner gets no events after that.
	Failed func(reason any, stack []byte)

	off bool
	hot []func() // deliver the events that the owner's Hot topics still hold
}

// Off reports whether the owner has been switched off after a panic.
func (o *Owner) Off() bool { return o.off }

// Contain calls f in the same way as Publish calls a subscriber: a panic switches the owner off. The panic of a bare
// owner is not caught.
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

// flush delivers the events of hot topics that came before the present event.
func (o *Owner) flush() {
	for _, f := range o.hot {
		f()
	}
}

// turn is the position of a subscriber in the order of a topic's subscribers.
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
	// only is the function of the subscriber, if there is only one and its owner is bare. Events that come with nearly
	// every record have such a subscriber. This saves half of the time of an event.
	only func(E)
}

// On subscribes f. Subscribers are called in the order in which they subscribed.
func (t *Topic[E]) On(o *Owner, f func(E)) { t.add(o, usual, f) }

// Early subscribes f. It is called before the functions that were subscribed with On.
func (t *Topic[E]) Early(o *Owner, f func(E)) { t.add(o, early, f) }

// Late subscribes f. It is called after the functions that were subscribed with On.
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

// Wanted reports whether there is a subscriber. Publishers ask this first if an event is expensive to make.
func (t *Topic[E]) Wanted() bool { return len(t.subscribers) != 0 }

// Publish passes e to all subscribers.
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

// Keyed is one kind of event with a topic for each key, such as the number of an MPI function. A subscriber names its
// keys. The zero value has no subscribers.
type Keyed[K ~uint16, E any] struct {
	topics []Topic[E] // by key
}

// On subscribes f to the events of keys.
func (k *Keyed[K, E]) On(o *Owner, f func(E), keys ...K) { k.add(o, usual, f, keys) }

// Early subscribes f. It is called before the functions that were subscribed with On.
func (k *Keyed[K, E]) Early(o *Owner, f func(E), keys ...K) { k.add(o, early, f, keys) }

// Late subscribes f. It is called after the functions that were subscribed with On.
func (k *Keyed[K, E]) Late(o *Owner, f func(E), keys ...K) { k.add(o, late, f, keys) }

func (k *Keyed[K, E]) add(o *Owner, at turn, f func(E), keys []K) {
	for _, key := range keys {
		for int(key) >= len(k.topics) {
			k.topics = append(k.topics, Topic[E]{})
		}
		k.topics[key].add(o, at, f)
	}
}

// Wanted reports whether there is a subscriber to the events of key.
func (k *Keyed[K, E]) Wanted(key K) bool {
	return int(key) < len(k.topics) && k.topics[key].Wanted()
}

// Publish passes e, an event of key, to the subscribers of key.
func (k *Keyed[K, E]) Publish(key K, e E) {
	if int(key) < len(k.topics) {
		k.topics[key].Publish(e)
	}
}

// run is the number of events of a hot topic that are delivered at once.
const run = 32

// Hot is a topic of events that come with nearly every record. They are delivered in groups, which share the cost of
// catching panics. A subscriber gets them before any later event of another topic, and at the latest when [Hot.Flush]
// is called.
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

// Wanted reports whether there is a subscriber.
func (h *Hot[E]) Wanted() bool { return len(h.subscribers) != 0 }

// Next returns the next event. The caller must fill in all fields. The memory that the event points to must stay valid
// until Flush is called.
func (h *Hot[E]) Next() *E {
	if h.n == len(h.events) {
		h.Flush()
	}
	h.n++
	return &h.events[h.n-1]
}

// Flush delivers the events that have not been delivered. The publisher must call it before the memory that the events
// point to becomes invalid.
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
	clear(h.events[:n]) // keep no memory alive
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
