package ring

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Stream reads a record file that arrives in the parts that a Writer writes, from another node. One goroutine may call
// Unpack while another one calls Deliver.
type Stream struct {
	Meta Meta

	// for Unpack
	zstd  *zstd.Decoder
	block uint32 // number of the next block

	// for Deliver
	file    File // it checks the messages
	numbers *Numbers
	node    int
	host    string
	procs   []ProcID              // by the number that the node has given
	threads []ThreadID            // likewise
	thread  map[ThreadID]ThreadID // the reverse of threads
	proc    map[ProcID]ProcID     // the reverse of procs
	alive   map[ProcID]bool       // processes without an end, by the number that the node has given
	ticks   int
	world   int
	over    bool
	now     func() time.Duration
}

// NewStream begins to read the records of a node. head is the first part. reads is that of OpenFile. Processes and
// threads get their numbers from numbers.
func NewStream(head []byte, reads func(uint64) bool, numbers *Numbers, node int, host string) (*Stream, error) {
	s := &Stream{
		numbers: numbers, node: node, host: host, thread: make(map[ThreadID]ThreadID), proc: make(map[ProcID]ProcID),
		alive: make(map[ProcID]bool), now: now,
	}
	f, err := newFile(bytes.NewReader(head), host, reads)
	if err != nil {
		return nil, err
	}
	s.Meta, s.zstd = f.Meta, f.zstd
	s.file.path = host
	return s, nil
}

// Close releases what Unpack needs.
func (s *Stream) Close() { s.zstd.Close() }

// Unpack checks and decompresses the next part.
func (s *Stream) Unpack(part []byte) ([]byte, error) {
	if len(part) < frameHeader+blockHeader {
		return nil, errors.New("a block ends early")
	}
	packed, size, num := binary.LittleEndian.Uint32(part[8:]), binary.LittleEndian.Uint32(part[12:]),
		binary.LittleEndian.Uint32(part[16:])
	data := part[frameHeader+blockHeader:]
	switch {
	case binary.LittleEndian.Uint32(part) != skippable || binary.LittleEndian.Uint32(part[4:]) != blockHeader ||
		binary.LittleEndian.Uint32(part[20:]) != crc32.Checksum(part[:20], castagnoli):
		return nil, errors.New("no block begins here")
	case num != s.block:
		return nil, fmt.Errorf("block %d where %d should be", num, s.block)
	case size > maxBlock || int(packed) != len(data):
		return nil, fmt.Errorf("a block of %d bytes where %d should be", len(data), packed)
	}
	raw, err := s.zstd.DecodeAll(data, make([]byte, 0, size))
	if err != nil {
		return nil, err
	}
	if len(raw) != int(size) {
		return nil, fmt.Errorf("a block of %d bytes instead of %d", len(raw), size)
	}
	s.block++
	return raw, nil
}

// Deliver passes the messages of an unpacked part to the handler. It returns the length of their records. After the
// last part, the error is io.EOF.
func (s *Stream) Deliver(raw []byte, h Handler) (n int, err error) {
	if s.over {
		return 0, errors.New("records after their end")
	}
	for len(raw) > 0 {
		m := message{}
		if raw, err = m.cut(raw); err != nil {
			return n, err
		}
		if m.kind == msgStats {
			if err := json.Unmarshal(m.payload, &s.file.stats); err != nil {
				return n, err
			}
			s.over = true
			return n, io.EOF
		}
		if err := s.file.deliver(&m, numbered{s, h}); err != nil {
			return n, err
		}
		if m.kind == msgBatch {
			n += len(m.payload)
		}
	}
	return n, nil
}

// Stats returns the counts of the node, once Deliver has returned io.EOF.
func (s *Stream) Stats() Stats { return s.file.stats }

// Over reports whether all records of the node have been delivered.
func (s *Stream) Over() bool { return s.over }

// Ticks returns the number of ticks of the node since the last call.
func (s *Stream) Ticks() int {
	n := s.ticks
	s.ticks = 0
	return n
}

// Alive returns the number of processes whose ends have not been delivered.
func (s *Stream) Alive() int { return len(s.alive) }

// Ranks returns the number of processes that have a rank.
func (s *Stream) Ranks() int { return s.file.procs }

// WorldSize returns the greatest size of MPI_COMM_WORLD that a process had from its launcher.
func (s *Stream) WorldSize() int { return s.world }

// Call returns the number that a node has given to a thread, and the number of its last call that was delivered, from
// 1 on. open: this call had not returned. ok is false if the thread is of another node.
func (s *Stream) Call(id ThreadID) (thread ThreadID, number uint64, open, ok bool) {
	thread, ok = s.thread[id]
	if !ok {
		return 0, 0, false, false
	}
	t := &s.file.thread[thread]
	return thread, t.calls, t.open, true
}

// Proc returns the number that a node has given to a process. ok is false if the process is of another node.
func (s *Stream) Proc(id ProcID) (proc ProcID, ok bool) {
	proc, ok = s.proc[id]
	return proc, ok
}

// Lose delivers the ends of all processes that have not ended: their records cannot be read any more.
func (s *Stream) Lose(h Handler, why string) {
	for i, id := range s.procs {
		if s.alive[ProcID(i)] {
			delete(s.alive, ProcID(i))
			h.End(id, &ProcEnd{Kind: Lost, Time: s.now(), Reason: why})
		}
	}
	s.over = true
}

// numbered passes on the messages of a node, with the numbers that processes and threads have in the job.
type numbered struct {
	s *Stream
	h Handler
}

func (n numbered) Proc(p *Proc) {
	s := n.s
	i := p.ID
	p.ID, p.Node, p.Host = s.numbers.NextProc(), s.node, s.host
	s.procs = append(s.procs, p.ID)
	s.proc[p.ID] = i
	s.alive[i] = true
	s.world = max(s.world, p.WorldSize)
	n.h.Proc(p)
}

func (n numbered) Thread(t *Thread) {
	s := n.s
	i := t.ID
	t.ID, t.Proc = s.numbers.NextThread(), s.procs[t.Proc]
	s.thread[t.ID] = i
	s.threads = append(s.threads, t.ID)
	n.h.Thread(t)
}

func (n numbered) Batch(b *Batch) {
	b.Thread = n.s.threads[b.Thread]
	n.h.Batch(b)
}

// End implements Handler. The time is the time of receipt, because clocks of nodes differ.
func (n numbered) End(id ProcID, e *ProcEnd) {
	s := n.s
	if !s.alive[id] {
		return
	}
	delete(s.alive, id)
	e.Time = s.now()
	n.h.End(s.procs[id], e)
}

func (n numbered) Tick() { n.s.ticks++ }
