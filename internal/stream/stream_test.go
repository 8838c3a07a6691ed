package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/stream"
)

// TestOrder: early subscribers come first, late ones last, and others in the order in which they subscribed.
func TestOrder(t *testing.T) {
	var topic stream.Topic[int]
	var got []string
	note := func(s string) func(int) { return func(n int) { got = append(got, fmt.Sprint(s, n)) } }
	o := new(stream.Owner)
	if topic.Wanted() {
		t.Error("a topic without subscribers is wanted")
	}
	topic.Late(o, note("late"))
	topic.On(o, note("a"))
	topic.Early(o, note("early"))
	topic.On(o, note("b"))
	topic.Publish(1)
	if want := []string{"early1", "a1", "b1", "late1"}; !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
	if !topic.Wanted() {
		t.Error("a topic with subscribers is not wanted")
	}
}

// TestPanic: an owner that panics gets no more events. Other owners still get theirs.
func TestPanic(t *testing.T) {
	var topic stream.Topic[int]
	var other stream.Topic[string]
	var hot stream.Hot[int]
	var failures []string
	bad := &stream.Owner{Name: "bad", Failed: func(r any, stack []byte) {
		failures = append(failures, fmt.Sprint(r, strings.Contains(string(stack), "TestPanic")))
	}}
	good := new(stream.Owner)
	calls := 0
	topic.On(bad, func(n int) { panic(n) })
	other.On(bad, func(string) { t.Error("an owner that is off gets an event") })
	hot.On(bad, func(*int) { t.Error("an owner that is off gets an event") })
	topic.On(good, func(int) { calls++ })
	topic.Publish(1)
	topic.Publish(2)
	other.Publish("")
	*hot.Next() = 1
	hot.Flush()
	bad.Contain(func() { t.Error("an owner that is off is called") })
	if want := []string{"1 true"}; !slices.Equal(failures, want) || calls != 2 || !bad.Off() || good.Off() {
		t.Errorf("failures %q, want %q; %d calls of the other", failures, want, calls)
	}
}

// TestBare: the panic of an owner on which others depend is not caught.
func TestBare(t *testing.T) {
	var topic stream.Topic[int]
	topic.On(&stream.Owner{Bare: true}, func(int) { panic("x") })
	defer func() {
		if recover() == nil {
			t.Error("the panic did not come through")
		}
	}()
	topic.Publish(1)
}

// TestHot: a subscriber gets all events of a hot topic, in their order, before any later event of another topic.
func TestHot(t *testing.T) {
	var hot stream.Hot[int]
	var cold stream.Topic[int]
	var got, want []int
	o := new(stream.Owner)
	hot.On(o, func(n *int) { got = append(got, *n) })
	cold.On(o, func(n int) { got = append(got, n) })
	for i := range 1000 {
		want = append(want, i)
		if i%57 == 0 {
			cold.Publish(i)
		} else {
			*hot.Next() = i
		}
	}
	hot.Flush()
	if !slices.Equal(got, want) {
		t.Errorf("got %d", got)
	}
}

// event has the size of a typical event.
type event struct{ _ [3]uintptr }

func BenchmarkTopic(b *testing.B) {
	var x stream.Topic[event]
	x.On(new(stream.Owner), func(event) {})
	for b.Loop() {
		x.Publish(event{})
	}
}

func BenchmarkBare(b *testing.B) {
	var x stream.Topic[event]
	x.On(&stream.Owner{Bare: true}, func(event) {})
	for b.Loop() {
		x.Publish(event{})
	}
}

func BenchmarkHot(b *testing.B) {
	var x stream.Hot[event]
	x.On(new(stream.Owner), func(*event) {})
	for b.Loop() {
		*x.Next() = event{}
	}
}

func BenchmarkNobody(b *testing.B) {
	var x stream.Topic[event]
	for b.Loop() {
		if x.Wanted() {
			x.Publish(event{})
		}
	}
}

// TestKeyed: a subscriber gets the events of the keys that it named, and no others.
func TestKeyed(t *testing.T) {
	var k stream.Keyed[uint16, string]
	var got []string
	note := func(by string) func(string) { return func(s string) { got = append(got, by+s) } }
	o := new(stream.Owner)
	k.Late(o, note("late "), 3)
	k.On(o, note(""), 3, 5)
	for key := range uint16(7) {
		if want := key == 3 || key == 5; k.Wanted(key) != want {
			t.Errorf("key %d is wanted: %t", key, !want)
		}
		k.Publish(key, fmt.Sprint(key))
	}
	if want := []string{"3", "late 3", "5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
