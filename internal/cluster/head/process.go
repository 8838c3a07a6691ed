package head

import (
	"errors"

	"github.com/mpivet/mpivet/internal/cluster/wire"
	"github.com/mpivet/mpivet/internal/record/ring"
)

// process returns the node of a process and its number there. It returns nil for a local process.
func (h *Head) process(id ring.ProcID) (*node, int32) {
	for _, n := range h.nodes {
		if n.hello() {
			if p, ok := n.stream.Proc(id); ok {
				return n, int32(p)
			}
		}
	}
	return nil, 0
}

var errNotLocal = errors.New("no process of this job runs on this node")

// Programs implements pipeline.Options.Layouts.
func (h *Head) Programs(id ring.ProcID) (ring.Programs, error) {
	n, p := h.process(id)
	switch {
	case n != nil:
		return &layouts{node: n, process: p}, nil
	case h.local != nil:
		return h.local.Programs(id)
	}
	return nil, errNotLocal
}

// layouts publishes the layouts of a process of another node.
type layouts struct {
	node    *node
	process int32
	last    uint64
}

func (l *layouts) send(m *wire.Layout) {
	m.Process = l.process
	l.node.order(&wire.Order{What: &wire.Order_Layout{Layout: m}})
}

// Write implements ring.Programs.
func (l *layouts) Write(program []int64) (ring.Written, error) {
	l.last++
	l.send(&wire.Layout{What: &wire.Layout_Write{Write: &wire.Program{Id: l.last, Words: program}}})
	return ring.Written(l.last), nil
}

// Publish implements ring.Programs.
func (l *layouts) Publish(handle uint64, program ring.Written) error {
	l.send(&wire.Layout{What: &wire.Layout_Publish{Publish: &wire.Program{Id: uint64(program), Handle: handle}}})
	return nil
}

// Unpublish implements ring.Programs.
func (l *layouts) Unpublish(handle uint64) {
	l.send(&wire.Layout{What: &wire.Layout_Unpublish{Unpublish: handle}})
}

// Freed implements ring.Programs.
func (l *layouts) Freed() { l.send(&wire.Layout{What: &wire.Layout_Freed{Freed: true}}) }

// Close implements ring.Programs.
func (*layouts) Close() {}

// Teller implements pipeline.Options.Told.
func (h *Head) Teller(id ring.ProcID) (ring.Teller, error) {
	n, p := h.process(id)
	switch {
	case n != nil:
		return &told{n, p}, nil
	case h.local != nil:
		return h.local.Teller(id)
	}
	return nil, errNotLocal
}

// told tells the debuggers of a process of another node.
type told struct {
	node    *node
	process int32
}

// Tell implements ring.Teller.
func (t *told) Tell(messages []ring.Unexpected, text string) error {
	m := &wire.Told{Process: t.process, Text: text}
	for _, u := range messages {
		m.Unexpected = append(m.Unexpected, &wire.Unexpected{
			Comm: u.Comm, Source: u.Source, World: u.World, Tag: u.Tag, Bytes: u.Bytes, Function: u.Function,
		})
	}
	t.node.order(&wire.Order{What: &wire.Order_Told{Told: m}})
	return nil
}

// Close implements ring.Teller.
func (*told) Close() {}
