package ring

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mpivet/mpivet/internal/record/layout"
)

// A record file is a sequence of zstd frames, so zstd -d can read it, too. The first one is a skippable frame with
// fileMagic and Meta in JSON. Then come blocks. A block consists of a skippable frame with a blockHeader, and of a
// frame with a checksum that can be decompressed alone. So the blocks of a truncated file are still usable. The last
// message of the last block has the Stats.
//
// A block is a sequence of messages: a header of 16 bytes (type, flags, two unused bytes, a thread or process number as
// uint32, the payload's length as uint64) and the payload, padded to 8 bytes. All numbers are little endian.
const (
	skippable   = 0x184d2a50 // zstd's magic number for a frame to skip
	fileMagic   = "MPIVETRECORDS/1\n"
	frameHeader = 8         // of a skippable frame: magic number, length
	blockHeader = 16        // compressed length, length, number of the block, CRC-32C of these: uint32 each
	blockSize   = 1 << 20   // bytes after which a block is full
	maxBlock    = 16 << 20  // longer ones are refused
	maxMeta     = 1 << 20   // longer ones are refused
	maxBatch    = blockSize // longer batches are split
	messageSize = 16
	maxPacked   = maxBlock + maxBlock/8
)

// Types of messages.
const (
	msgProc    = 1 + iota // Proc in JSON
	msgThread             // Thread in JSON
	msgBatch              // records; the flags are resume and open
	msgEnd                // ProcEnd in JSON
	msgTick               // the flag is doubt
	msgStats              // Stats in JSON; the last one
	msgRepeats            // number of repeated polls, uint64
)

const (
	flagResume = 1
	flagOpen   = 2
	flagDoubt  = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Meta describes the origin of a record file.
type Meta struct {
	Version   string    `json:"mpivet"`  // of mpivet
	Command   []string  `json:"command"` // of the run
	Start     time.Time `json:"start"`
	TableHash uint64    `json:"table"`  // mpiapi.Hash()
	Layout    int       `json:"layout"` // of records: Version of the mpivet that wrote them, set by NewWriter
	// Facts are further values for the analysis of the file, by name.
	Facts map[string]string `json:"facts,omitempty"`
}

// ErrOtherVersion is wrapped by the error for a file that was recorded by an mpivet with another table of MPI
// functions, or with other records.
var ErrOtherVersion = errors.New("recorded by another version of mpivet")

// FileError is the error for a record file that is truncated or corrupt. Everything before the damage has been
// delivered.
type FileError struct {
	Path   string
	Offset int64 // of the damaged block
	Calls  int64 // delivered
	What   string
	Cut    bool // the file ends early
}

func (e *FileError) Error() string {
	how := "corrupt"
	if e.Cut {
		how = "truncated"
	}
	return fmt.Sprintf("record file %s: %s after %d calls (offset %d: %s): analysed up to there",
		e.Path, how, e.Calls, e.Offset, e.What)
}

// File is a source that reads a file written by a Writer.
type File struct {
	Meta Meta

	path   string
	r      *bufio.Reader
	close  func() error
	zstd   *zstd.Decoder
	offset int64
	block  uint32 // number of the next block
	packed []byte
	data   []byte
	calls  int64
	procs  int
	thread []fileThread
	stats  Stats
	err    error
	batch  Batch
}

// fileThread is the state of a thread: it decides which batch may come next.
type fileThread struct {
	open  bool
	calls uint64 // that were delivered, open ones included
}

// OpenFile opens a record file. reads reports whether the caller can interpret records that were written with the table
// of a hash: mpiapi.Reads.
func OpenFile(path string, reads func(tableHash uint64) bool) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := newFile(f, filepath.Base(path), reads)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

func newFile(in io.Reader, path string, reads func(uint64) bool) (*File, error) {
	f := &File{path: path, r: bufio.NewReaderSize(in, 256<<10), close: func() error { return nil }}
	var head [frameHeader + len(fileMagic)]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil && !short(err) {
		return nil, fmt.Errorf("record file %s: %w", path, err)
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if binary.LittleEndian.Uint32(head[:]) != skippable || string(head[frameHeader:]) != fileMagic ||
		size < uint32(len(fileMagic)) || size > maxMeta {
		return nil, fmt.Errorf("record file %s: not a file that mpivet recorded", path)
	}
	b := make([]byte, size-uint32(len(fileMagic)))
	if _, err := io.ReadFull(f.r, b); err != nil {
		if short(err) {
			return nil, &FileError{Path: path, Cut: true, What: "end of file"}
		}
		return nil, fmt.Errorf("record file %s: %w", path, err)
	}
	if err := json.Unmarshal(b, &f.Meta); err != nil {
		return nil, &FileError{Path: path, What: err.Error()}
	}
	if err := f.Meta.readable(path, reads); err != nil {
		return nil, err
	}
	f.offset = int64(frameHeader) + int64(size)
	var err error
	f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
	return f, err
}

// readable returns an error that wraps ErrOtherVersion if the records are of another version than this one.
func (m *Meta) readable(path string, reads func(uint64) bool) error {
	if !reads(m.TableHash) || m.Layout != layout.Records {
		return fmt.Errorf("record file %s: %w (%s); replay it with that one", path, ErrOtherVersion, m.Version)
	}
	return nil
}

// short reports whether an error means that the file has ended.
func short(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Stats returns the counts of the run, once Poll has returned io.EOF.
func (f *File) Stats() Stats { return f.stats }

// Calls returns the number of calls delivered.
func (f *File) Calls() int64 { return f.calls }

// Close closes the file.
func (f *File) Close() error {
	if f.zstd != nil {
		f.zstd.Close()
	}
	return f.close()
}

// Poll delivers the next block of the file. The error is io.EOF at the end, a *FileError if the file is damaged.
func (f *File) Poll(h Handler) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	defer func() { f.err = err }()
	raw, err := f.content()
	if err != nil {
		return 0, err
	}
	for len(raw) > 0 {
		m := message{}
		if raw, err = m.cut(raw); err != nil {
			return n, f.damaged(err)
		}
		if m.kind == msgStats {
			if err := json.Unmarshal(m.payload, &f.stats); err != nil {
				return n, f.damaged(err)
			}
			return n, io.EOF
		}
		if err := f.deliver(&m, h); err != nil {
			return n, f.damaged(err)
		}
		if m.kind == msgBatch {
			n += len(m.payload)
		}
	}
	return n, nil
}

// content returns the next part to be delivered.
func (f *File) content() ([]byte, error) {
	if f.zstd != nil {
		return f.next()
	}
	if f.block > 0 {
		return nil, &FileError{Path: f.path, Calls: f.calls, Cut: true, What: "end of file"}
	}
	f.block++
	return f.data, nil
}

func (f *File) damaged(err error) error {
	return &FileError{Path: f.path, Offset: f.offset, Calls: f.calls, What: err.Error()}
}

// next returns the content of the next block.
func (f *File) next() ([]byte, error) {
	f.offset += int64(len(f.packed))
	if len(f.packed) > 0 {
		f.offset += frameHeader + blockHeader
	}
	f.packed = f.packed[:0]
	var h [frameHeader + blockHeader]byte
	if err := f.read(h[:]); err != nil {
		return nil, err
	}
	packed, size, num := binary.LittleEndian.Uint32(h[8:]), binary.LittleEndian.Uint32(h[12:]),
		binary.LittleEndian.Uint32(h[16:])
	switch {
	case binary.LittleEndian.Uint32(h[:]) != skippable || binary.LittleEndian.Uint32(h[4:]) != blockHeader ||
		binary.LittleEndian.Uint32(h[20:]) != crc32.Checksum(h[:20], castagnoli):
		return nil, f.damaged(errors.New("no block begins here"))
	case num != f.block:
		return nil, f.damaged(fmt.Errorf("block %d where %d should be", num, f.block))
	case size > maxBlock || packed > maxPacked || packed == 0:
		return nil, f.damaged(fmt.Errorf("block of %d bytes", size))
	}
	f.block++
	if cap(f.packed) < int(packed) {
		f.packed = make([]byte, packed)
	}
	b := f.packed[:packed]
	if err := f.read(b); err != nil {
		return nil, err
	}
	f.packed = b
	raw, err := f.zstd.DecodeAll(b, f.data[:0])
	if err != nil {
		return nil, f.damaged(err)
	}
	f.data = raw
	if len(raw) != int(size) {
		return nil, f.damaged(fmt.Errorf("block of %d bytes instead of %d", len(raw), size))
	}
	return raw, nil
}

func (f *File) read(b []byte) error {
	_, err := io.ReadFull(f.r, b)
	if err == nil {
		return nil
	}
	e := &FileError{Path: f.path, Offset: f.offset, Calls: f.calls, What: err.Error(), Cut: short(err)}
	if e.Cut {
		e.What = "end of file"
	}
	return e
}

// message is a part of a block.
type message struct {
	kind, flags uint8
	id          uint32
	payload     []byte
}

// cut takes the first message off a block.
func (m *message) cut(b []byte) (rest []byte, err error) {
	if len(b) < messageSize {
		return nil, errors.New("a message ends early")
	}
	m.kind, m.flags, m.id = b[0], b[1], binary.LittleEndian.Uint32(b[4:])
	n := binary.LittleEndian.Uint64(b[8:])
	b = b[messageSize:]
	if n > uint64(len(b)) {
		return nil, fmt.Errorf("a message of %d bytes where %d are left", n, len(b))
	}
	m.payload = b[:n:n]
	return b[min((n+7)&^7, uint64(len(b))):], nil
}

// deliver passes a message to the handler, after a check that it is valid at this place.
func (f *File) deliver(m *message, h Handler) error {
	switch m.kind {
	case msgProc:
		p := new(Proc)
		if err := json.Unmarshal(m.payload, p); err != nil {
			return err
		}
		if int(p.ID) != f.procs {
			return fmt.Errorf("process %d where %d should be", p.ID, f.procs)
		}
		f.procs++
		h.Proc(p)
	case msgThread:
		t := new(Thread)
		if err := json.Unmarshal(m.payload, t); err != nil {
			return err
		}
		if int(t.ID) != len(f.thread) || t.Proc < 0 || int(t.Proc) >= f.procs {
			return fmt.Errorf("thread %d of process %d where thread %d should be", t.ID, t.Proc, len(f.thread))
		}
		f.thread = append(f.thread, fileThread{})
		h.Thread(t)
	case msgBatch:
		if uint64(m.id) >= uint64(len(f.thread)) {
			return fmt.Errorf("records of unknown thread %d", m.id)
		}
		b := &f.batch
		*b = Batch{
			Thread: ThreadID(m.id), Resume: m.flags&flagResume != 0, Open: m.flags&flagOpen != 0,
			Data: m.payload,
		}
		calls, err := f.thread[m.id].check(b)
		if err != nil {
			return err
		}
		h.Batch(b)
		f.calls += int64(calls)
	case msgRepeats:
		if uint64(m.id) >= uint64(len(f.thread)) || len(m.payload) != 8 {
			return fmt.Errorf("repeated polls of unknown thread %d", m.id)
		}
		f.batch = Batch{Thread: ThreadID(m.id), Repeats: binary.LittleEndian.Uint64(m.payload)}
		if f.batch.Repeats > math.MaxInt64-uint64(f.calls) {
			return errors.New("more calls than can be")
		}
		h.Batch(&f.batch)
		f.calls += int64(f.batch.Repeats)
	case msgEnd:
		e := new(ProcEnd)
		if err := json.Unmarshal(m.payload, e); err != nil {
			return err
		}
		if uint64(m.id) >= uint64(f.procs) {
			return fmt.Errorf("end of unknown process %d", m.id)
		}
		h.End(ProcID(m.id), e)
	case msgTick:
		if m.flags&flagDoubt != 0 {
			tickInDoubt(h)
		} else {
			h.Tick()
		}
	default:
		return fmt.Errorf("message of unknown kind %d", m.kind)
	}
	return nil
}

// check checks that a batch follows the rules of Batch, and returns how many calls begin in it.
func (t *fileThread) check(b *Batch) (calls int, err error) {
	last := false // the last record is a call
	for d := b.Data; len(d) > 0; {
		if len(d) < layout.Line {
			return 0, errors.New("a record ends early")
		}
		n := int(binary.LittleEndian.Uint16(d[layout.RecordLinesAt:])) * layout.Line
		if n == 0 || n > len(d) {
			return 0, fmt.Errorf("a record of %d bytes where %d are left", n, len(d))
		}
		if last = binary.LittleEndian.Uint16(d) < layout.Info; last {
			calls++
		} else if len(d) == len(b.Data) && b.Resume {
			return 0, errors.New("a record that is not a call returns")
		}
		d = d[n:]
	}
	if b.Open && !last || b.Resume && calls == 0 || b.Resume != t.open && (b.Resume || calls > 0) ||
		b.Resume && b.Open && calls == 1 {
		return 0, errors.New("a call returns that was not open, or does not return")
	}
	t.open = b.Open || t.open && !b.Resume
	if b.Resume {
		calls-- // it was counted before
	}
	t.calls += uint64(calls)
	return calls, nil
}
