package ring

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// Writer is a Handler that writes the deliveries to a file. A File delivers them again. The methods of the Handler only
// copy the data; another goroutine compresses and writes them.
//
// An error (for example, a full disk) ends the recording, but not the run: see Err.
type Writer struct {
	// FlushTicks is the number of ticks after which a block is written even if it is not full. So little is lost if the
	// analyzer is killed.
	FlushTicks int

	block []byte
	ticks int
	full  chan []byte // blocks to write
	free  chan []byte
	ended sync.WaitGroup

	mu  sync.Mutex
	err error
}

// flushTicks is the usual value of FlushTicks: a second.
const flushTicks = 10

// NewWriter writes a record file to w. Close must be called. Each call of w.Write has one whole part of the file:
// first the head with meta, then the blocks.
func NewWriter(w io.Writer, meta Meta) (*Writer, error) {
	meta.Layout = layout.Records
	b, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	if len(b) > maxMeta-len(fileMagic) {
		return nil, fmt.Errorf("record file: %d bytes of command line and facts are too many", len(b))
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32(nil, skippable)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(fileMagic)+len(b)))
	if _, err := w.Write(append(append(head, fileMagic...), b...)); err != nil {
		return nil, err
	}
	// One block is filled while another one is compressed. A third one bridges the gap.
	r := &Writer{FlushTicks: flushTicks, full: make(chan []byte, 1), free: make(chan []byte, 3)}
	for range cap(r.free) {
		r.free <- nil
	}
	r.block = <-r.free
	r.ended.Add(1)
	go r.write(w, enc)
	return r, nil
}

// write compresses and writes blocks until there are no more.
func (r *Writer) write(w io.Writer, enc *zstd.Encoder) {
	defer r.ended.Done()
	var out []byte
	var num uint32
	for b := range r.full {
		if r.Err() == nil {
			out = append(out[:0], make([]byte, frameHeader+blockHeader)...)
			out = enc.EncodeAll(b, out)
			binary.LittleEndian.PutUint32(out, skippable)
			binary.LittleEndian.PutUint32(out[4:], blockHeader)
			binary.LittleEndian.PutUint32(out[8:], uint32(len(out)-frameHeader-blockHeader))
			binary.LittleEndian.PutUint32(out[12:], uint32(len(b)))
			binary.LittleEndian.PutUint32(out[16:], num)
			binary.LittleEndian.PutUint32(out[20:], crc32.Checksum(out[:20], castagnoli))
			num++
			if _, err := w.Write(out); err != nil {
				r.fail(err)
			}
		}
		r.free <- b[:0]
	}
}

func (r *Writer) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// Err returns the error that has ended the recording, nil if it goes on. Any goroutine may call it.
func (r *Writer) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close writes the rest, with the statistics at the end. It does not close the underlying writer. It returns the error
// that has ended the recording, if any.
func (r *Writer) Close(s Stats) error {
	r.json(msgStats, 0, s)
	r.flush()
	close(r.full)
	r.ended.Wait()
	return r.Err()
}

// Flush writes what there is, although the block is not full.
func (r *Writer) Flush() { r.flush() }

// Written reports whether everything that was flushed has been written.
func (r *Writer) Written() bool { return len(r.free) == cap(r.free)-1 }

// flush passes the block to the writing goroutine.
func (r *Writer) flush() {
	r.ticks = 0
	if len(r.block) > 0 {
		r.full <- r.block
		r.block = <-r.free
	}
}

// message begins a message with a payload of n bytes. The caller appends the payload, padded.
func (r *Writer) message(kind, flags uint8, id uint32, n int) {
	if len(r.block)+n > blockSize {
		r.flush()
	}
	var h [messageSize]byte
	h[0], h[1] = kind, flags
	binary.LittleEndian.PutUint32(h[4:], id)
	binary.LittleEndian.PutUint64(h[8:], uint64(n))
	r.block = append(r.block, h[:]...)
}

func (r *Writer) json(kind uint8, id uint32, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		r.fail(err) // cannot happen: all types are plain
		return
	}
	r.message(kind, 0, id, len(b))
	r.block = append(r.block, b...)
	for len(r.block)%8 != 0 {
		r.block = append(r.block, 0)
	}
}

// Proc implements Handler.
func (r *Writer) Proc(p *Proc) { r.json(msgProc, uint32(p.ID), p) }

// Thread implements Handler.
func (r *Writer) Thread(t *Thread) { r.json(msgThread, uint32(t.ID), t) }

// End implements Handler.
func (r *Writer) End(p ProcID, e *ProcEnd) { r.json(msgEnd, uint32(p), e) }

// Tick implements Handler.
func (r *Writer) Tick() { r.tick(0) }

// TickInDoubt implements Doubter.
func (r *Writer) TickInDoubt() { r.tick(flagDoubt) }

func (r *Writer) tick(flags uint8) {
	r.message(msgTick, flags, 0, 0)
	if r.ticks++; r.ticks >= r.FlushTicks {
		r.flush()
	}
}

// Batch implements Handler.
func (r *Writer) Batch(b *Batch) {
	if b.Repeats > 0 {
		r.message(msgRepeats, 0, uint32(b.Thread), 8)
		r.block = binary.LittleEndian.AppendUint64(r.block, b.Repeats)
		return
	}
	data, resume := b.Data, b.Resume
	for len(data) > 0 {
		part := data
		if len(part) > maxBatch {
			part = part[:split(part)]
		}
		data = data[len(part):]
		flags := uint8(0)
		if resume {
			flags |= flagResume
		}
		if b.Open && len(data) == 0 {
			flags |= flagOpen
		}
		resume = false
		r.message(msgBatch, flags, uint32(b.Thread), len(part))
		r.block = append(r.block, part...)
	}
}

// split returns the length of the leading records that together have about the maximum length of a batch.
func split(data []byte) int {
	at := 0
	for at < len(data) {
		n := int(binary.LittleEndian.Uint16(data[at+layout.RecordLinesAt:])) * layout.Line
		if n == 0 || at > 0 && at+n > maxBatch {
			break
		}
		at += n
	}
	if at == 0 || at > len(data) {
		return len(data)
	}
	return at
}

// Tee returns a Handler that gives everything to all handlers, one after the other.
func Tee(handlers ...Handler) Handler { return tee(handlers) }

type tee []Handler

func (t tee) Proc(p *Proc) {
	for _, h := range t {
		h.Proc(p)
	}
}

func (t tee) Thread(th *Thread) {
	for _, h := range t {
		h.Thread(th)
	}
}

func (t tee) Batch(b *Batch) {
	for _, h := range t {
		h.Batch(b)
	}
}

func (t tee) End(p ProcID, e *ProcEnd) {
	for _, h := range t {
		h.End(p, e)
	}
}

func (t tee) Tick() {
	for _, h := range t {
		h.Tick()
	}
}

func (t tee) TickInDoubt() {
	for _, h := range t {
		tickInDoubt(h)
	}
}

// tickInDoubt gives a handler a tick in doubt, or an ordinary one if it makes no difference.
func tickInDoubt(h Handler) {
	if d, ok := h.(Doubter); ok {
		d.TickInDoubt()
	} else {
		h.Tick()
	}
}
