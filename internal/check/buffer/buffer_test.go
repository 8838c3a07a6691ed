package buffer_test

import (
	"strings"
	"testing"

	"github.com/mpivet/mpivet/internal/check/all"
	"github.com/mpivet/mpivet/internal/finding"
	"github.com/mpivet/mpivet/internal/pipeline"
	. "github.com/mpivet/mpivet/internal/testkit/fakerun"
)

type collected []*finding.Finding

func (c *collected) Report(f *finding.Finding) { *c = append(*c, f) }

// Each message needs room for its data and for MPI_BSEND_OVERHEAD. Messages of a process to itself take room until it
// has received them.
func TestRoom(t *testing.T) {
	const overhead, request = 100, 0x98000000
	attach := func(k *Rank, size int) {
		k.Call("attach", "MPI_Buffer_attach", Args{"*buffer": 0x100000, "size": size})
	}
	detach := func(k *Rank) { k.Call("detach", "MPI_Buffer_detach", Args{"*buffer_addr": 0x6000}) }
	attachTo := func(k *Rank, comm uint64, buffer, size int) {
		k.Call("attach", "MPI_Comm_attach_buffer", Args{"comm": comm, "*buffer": buffer, "size": size})
	}
	detachFrom := func(k *Rank, comm uint64) {
		k.Call("detach", "MPI_Comm_detach_buffer", Args{"comm": comm, "*buffer_addr": 0x6000})
	}
	message := func(bytes, dest int) Args {
		return Args{"count": bytes, "datatype": uint64(Byte), "dest": dest, "tag": 0, "comm": World}
	}
	send := func(k *Rank, bytes, dest int) { k.Call("send", "MPI_Bsend", message(bytes, dest)) }
	recv := func(k *Rank, bytes int) {
		k.Call("recv", "MPI_Recv", Args{
			"count": bytes, "datatype": uint64(Byte), "source": 0, "tag": 0, "comm": World,
			">status": []Status{{Bytes: int64(bytes)}},
		})
	}
	start := func(k *Rank, bytes, dest int) {
		a := message(bytes, dest)
		a["*request"], a[">request"] = 0x5000, request
		k.Call("make", "MPI_Bsend_init", a)
		k.Call("start", "MPI_Start", Args{"request": request, "*request": 0x5000})
		k.Call("wait", "MPI_Wait", Args{"request": request, "*request": 0x5000, ">status": []Status{{}}})
		k.Call("free", "MPI_Request_free", Args{"request": request, "*request": 0x5000})
	}
	for _, c := range []struct {
		name  string
		build func(k *Rank)
		want  string // a part of the message, "" if nothing is found
		s     finding.Severity
	}{
		{
			"as it should be",
			func(k *Rank) { attach(k, 300); send(k, 200, 1); detach(k); attach(k, 300); detach(k) }, "", 0,
		},
		{
			"a buffer of the communicator",
			func(k *Rank) { attachTo(k, World, 0x100000, 300); send(k, 200, 1); detachFrom(k, World) }, "", 0,
		},
		{
			"too long for the buffer of the communicator",
			func(k *Rank) { attach(k, 300); attachTo(k, World, 0x200000, 200); send(k, 200, 1) },
			"for a message of 200 bytes", finding.Error,
		},
		{
			"a buffer of another communicator",
			func(k *Rank) { attachTo(k, Self, 0x100000, 300); send(k, 10, 1) }, "while no buffer is attached",
			finding.Error,
		},
		{
			"a second buffer of the communicator",
			func(k *Rank) { attachTo(k, World, 0x100000, 300); attachTo(k, World, 0x200000, 300) },
			"while another buffer is attached", finding.Error,
		},
		{
			"an automatic buffer",
			func(k *Rank) {
				k.Append(Names([]Name{{Kind: KindConst, Value: 7, Name: "MPI_BUFFER_AUTOMATIC"}}))
				attachTo(k, World, 0x7, 0)
				send(k, 200, 1)
				send(k, 100000, 1)
				detachFrom(k, World)
			}, "", 0,
		},
		{"to no process", func(k *Rank) { send(k, 10, ProcNull) }, "", 0},
		{
			"while no buffer is attached", func(k *Rank) { send(k, 10, 1) }, "MPI_Bsend while no buffer is attached",
			finding.Error,
		},
		{
			"after it is detached", func(k *Rank) { attach(k, 300); detach(k); send(k, 10, 1) },
			"while no buffer is attached", finding.Error,
		},
		{"too long", func(k *Rank) { attach(k, 300); send(k, 201, 1) }, "201 bytes, which needs 301", finding.Error},
		{
			"a request too long", func(k *Rank) { attach(k, 300); start(k, 201, 1) }, "MPI_Start for a message of 201",
			finding.Error,
		},
		{"a request", func(k *Rank) { attach(k, 300); start(k, 200, 1) }, "", 0},
		{
			"besides one to itself", func(k *Rank) { attach(k, 300); send(k, 60, 0); send(k, 60, 0) }, "take 160",
			finding.Error,
		},
		{
			"besides a request to itself",
			func(k *Rank) { attach(k, 300); start(k, 60, 0); send(k, 60, 0) }, "take 160", finding.Error,
		},
		{"after one to itself", func(k *Rank) { attach(k, 300); send(k, 60, 0); recv(k, 60); send(k, 60, 0) }, "", 0},
		{"besides one to another", func(k *Rank) { attach(k, 300); send(k, 60, 1); send(k, 60, 1) }, "", 0},
		{
			"attached twice", func(k *Rank) { attach(k, 300); attach(k, 300) }, "while another buffer is attached",
			finding.Error,
		},
		{"not attached", func(k *Rank) { detach(k) }, "while no buffer is attached", finding.Warning},
		{"negative", func(k *Rank) { attach(k, -5) }, "size=-5, which is negative", finding.Error},
		{"no room for any", func(k *Rank) { attach(k, 99) }, "with size=99, too small", finding.Warning},
	} {
		p := New(2)
		k := p.Ranks[0]
		k.Append(Names([]Name{{Kind: KindConst, Value: overhead, Name: "MPI_BSEND_OVERHEAD"}}))
		c.build(k)
		var found collected
		l := pipeline.New(pipeline.Options{Checks: all.Checks(), Reporter: &found})
		p.Deliver(l, 7, 0)
		l.Finish()
		if l.Trouble() != "" {
			t.Fatal(l.Trouble())
		}
		var of []*finding.Finding
		for _, f := range found {
			if f.Check == "LOCAL:BUFFER:INSUFFICIENT" {
				of = append(of, f)
			}
		}
		switch {
		case c.want == "" && len(of) > 0:
			t.Errorf("%s: found %s", c.name, of[0].Message)
		case c.want != "" && (len(of) != 1 || of[0].Severity != c.s || !strings.Contains(of[0].Message, c.want)):
			t.Errorf("%s: found %+v, want %q", c.name, of, c.want)
		}
	}
}
