package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mpivet/mpivet/internal/mpi/mpiapi"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// chunk is the maximum number of bytes of records in a batch, except for records that must stay together. A chunk fits
// into a first-level cache. So the handler finds the records in the cache after the search for their ends.
const chunk = 32 << 10

// forever is later than every time stamp.
const forever = math.MaxUint64

// cursor reads the records of one ring.
//
// The calls of a thread follow one another. So a call has returned if another call follows it. The last call has
// returned if the ring's done says so. done is read before head. So all records that a call published before it
// returned lie before head.
type cursor struct {
	id   ThreadID
	hdr  *layout.Ring
	data []byte // the ring's data twice, so that no record wraps
	size uint64

	pos    uint64 // records before it have been delivered; the open call counts as delivered
	calls  uint64 // calls before pos
	tail   uint64 // the tail that was stored last
	open   bool   // the return of the last call before pos has not been delivered
	openAt uint64
	openTo uint64

	repeats uint64 // delivered
	due     bool   // the repeats are to be looked at

	bytes  uint64 // delivered
	warmed byte   // only has a side effect: see warm

	// If arrays that the open call writes are too long for its record, they follow in InfoData records, after done. The
	// call counts as returned when they have come. want is an upper bound of the number of their elements, have is the
	// number of elements delivered.
	want, have uint64
	held       []byte // copy of the open call's record: it has the results, but waits for the arrays; else empty
	final      bool   // the process has ended: no more records follow

	// For latest: the records before scanned have been looked at. They have scannedCalls calls. If the last of them was
	// not delivered before, it lies from scanAt to scanEnd.
	scanned, scannedCalls, scanAt, scanEnd uint64

	// For merge: done and head of its second look, and the next event.
	done2, head2 uint64
	when         uint64
	ready        bool
}

// damage is the error for a ring whose content was not written by the library.
type damage struct {
	call uint64 // number of calls read before
	what string
}

func (d *damage) Error() string { return d.what }

func (c *cursor) damaged(format string, args ...any) error {
	return &damage{call: c.calls, what: fmt.Sprintf(format, args...)}
}

// at returns the ring's bytes from a position on.
func (c *cursor) at(pos uint64) []byte { return c.data[pos&(c.size-1):] }

// look reads done and head, in this order, and checks them against the values read before.
func (c *cursor) look() (done, head uint64, err error) {
	done = c.hdr.Done.Load()
	head = c.hdr.Head.Load()
	if head-c.tail > c.size || head < c.pos || head%layout.Line != 0 {
		return 0, 0, c.damaged("its head %d is impossible after %d", head, c.pos)
	}
	if done > c.calls+(head-c.pos)/layout.Line {
		return 0, 0, c.damaged("%d calls have returned of at most %d", done, c.calls+(head-c.pos)/layout.Line)
	}
	return done, head, nil
}

// length returns the length in bytes of the record at pos.
func (c *cursor) length(pos, head uint64) (n uint64, kind uint16, err error) {
	w := binary.LittleEndian.Uint32(c.at(pos))
	n, kind = uint64(w>>16)*layout.Line, uint16(w)
	if n == 0 || n > head-pos {
		return 0, 0, c.damaged("a record of length %d at position %d, %d before the end", n, pos, head-pos)
	}
	return n, kind, nil
}

// infos skips records that are not calls. It returns the position of the next call or of the end. belong is the end of
// the last skipped record that belongs to the call before, 0 if there is none.
func (c *cursor) infos(pos, head uint64) (next, belong uint64, err error) {
	for pos < head {
		n, kind, err := c.length(pos, head)
		if err != nil {
			return 0, 0, err
		}
		if kind < layout.Info {
			break
		}
		if belongsToCallBefore(kind, c.at(pos)) {
			belong = pos + n
		}
		pos += n
	}
	return pos, belong, nil
}

// belongsToCallBefore reports whether a record that is not a call was published by the call before it, while that call
// was under way.
func belongsToCallBefore(kind uint16, rec []byte) bool {
	switch kind {
	case layout.InfoComm, layout.InfoNeighbours, layout.InfoError, layout.InfoMPI, layout.InfoSums,
		layout.InfoFreed, layout.InfoChanged, layout.InfoUnreachable:
		return true
	case layout.InfoData:
		switch binary.LittleEndian.Uint16(rec[layout.SizeofRecord:]) {
		case layout.SecOut32, layout.SecOut64, layout.SecStatus:
			return true
		}
	}
	return false
}

// times returns when the call in the record between two positions was entered and left. leave is 0 if the call is still
// open. Both are 0 if there was only one thread.
func (c *cursor) times(pos, end uint64) (enter, leave uint64) {
	return c.recordTimes(c.at(pos)[:end-pos])
}

func (c *cursor) recordTimes(rec []byte) (enter, leave uint64) {
	switch flags := binary.LittleEndian.Uint16(rec[layout.RecordFlagsAt:]); {
	case flags&layout.Timed != 0:
	case flags&layout.Late != 0:
		return 0, c.hdr.Late.Load()
	default:
		return 0, 0
	}
	t := rec[len(rec)-layout.SizeofTimes:]
	return binary.LittleEndian.Uint64(t), binary.LittleEndian.Uint64(t[8:])
}

// errTimed means that a call of a thread has a time, although the process seemed to have only one thread: there is
// another.
var errTimed = errors.New("ring: times in the records of a single thread")

// poll delivers the records that are there, at most about a chunk, and returns their length.
func (c *cursor) poll(b *Batch, h Handler) (int, error) {
	c.repeat(b, h)
	done, head, err := c.look()
	if err != nil || head == c.pos && !(c.open && c.returned(done, false)) {
		return 0, err
	}
	if c.hdr.Late.Load() != 0 {
		return 0, errTimed
	}
	before := c.bytes
	// A second run is needed only after a call that has published records.
	for was := before - 1; err == nil && c.bytes != was && c.bytes-before < chunk; {
		was = c.bytes
		err = c.run(b, h, done, head, false, 0)
	}
	c.release()
	return int(c.bytes - before), err
}

// repeat delivers how many polls have been repeated. It looks only if there are new records, if it is due, or at the
// end: each look costs the thread a cache miss.
func (c *cursor) repeat(b *Batch, h Handler) {
	if !c.due && !c.final && c.hdr.Head.Load() == c.pos {
		return
	}
	c.due = false
	n := c.hdr.Repeats.Load()
	if n <= c.repeats {
		return
	}
	*b = Batch{Thread: c.id, Repeats: n - c.repeats}
	c.repeats = n
	h.Batch(b)
	b.Repeats = 0
}

// run delivers records between pos and head, at most about a chunk. With timed, it stops before the first event that is
// later than limit. Without timed, it stops with errTimed before a record that has times.
func (c *cursor) run(b *Batch, h Handler, done, head uint64, timed bool, limit uint64) error {
	b.Thread, b.Resume = c.id, false
	start := c.pos
	if c.open {
		next, err := c.publishOpen(b, h, head)
		if err != nil {
			return err
		}
		if !c.openReturned(done, next < head, timed, limit) {
			c.holdOpen(b, h, done, next)
			return nil
		}
		start = c.resumeOpen(b, h)
	}
	s, err := c.scan(start, head, timed, limit)
	c.pos, c.calls = s.end, s.calls
	if s.lastEnd != 0 && (s.open || s.complete && (done < s.calls || !c.final && c.cutResults(s.last, s.lastEnd) > 0)) {
		c.open, c.openAt, c.openTo = true, s.last, s.lastEnd
		c.want, c.have = c.cutResults(s.last, s.lastEnd), c.outElements(s.lastEnd, s.end)
		c.emit(b, h, start, s.lastEnd, true)
		start = s.lastEnd
	}
	c.emit(b, h, start, s.end, false)
	return err
}

// publishOpen delivers the records that the open call has published. It returns the position of the next call or of the
// end.
func (c *cursor) publishOpen(b *Batch, h Handler, head uint64) (next uint64, err error) {
	next, belong, err := c.infos(c.pos, head)
	if err == nil && belong != 0 {
		c.have += c.outElements(c.pos, belong)
		c.emit(b, h, c.pos, belong, false)
		c.pos = belong
	}
	return next, err
}

// openReturned reports whether the return of the open call can be delivered. further says that another call follows it.
func (c *cursor) openReturned(done uint64, further, timed bool, limit uint64) bool {
	if !c.returned(done, further) {
		return false
	}
	if !timed {
		return true
	}
	_, leave := c.openTimes()
	return leave <= limit
}

// holdOpen delivers the records up to next. The open call stays open.
func (c *cursor) holdOpen(b *Batch, h Handler, done, next uint64) {
	c.emit(b, h, c.pos, next, false)
	c.pos = next
	if c.want > 0 && done >= c.calls && len(c.held) == 0 {
		// The arrays may need the whole ring, so they must not wait for the room of this call's record.
		c.held = append(c.held, c.at(c.openAt)[:c.openTo-c.openAt]...)
	}
}

// resumeOpen ends the open call: it delivers its record again. It returns the position of the first record that is
// still to be delivered. That is the record of the call itself if the next records can be delivered with it.
func (c *cursor) resumeOpen(b *Batch, h Handler) (start uint64) {
	c.open, b.Resume = false, true
	switch {
	case len(c.held) > 0:
		c.hand(b, h, c.held, false)
		c.held = c.held[:0]
	case c.pos == c.openTo:
		return c.openAt
	default:
		c.emit(b, h, c.openAt, c.openTo, false)
	}
	return c.pos
}

// span is a result of scan: the records from pos to end.
type span struct {
	end, calls    uint64 // the position behind the last record, and the number of calls before it
	last, lastEnd uint64 // where the last call's record begins and ends; lastEnd is 0 if there is no call
	open          bool   // the last call's return is to be delivered later
	complete      bool   // there are no records to read after end
}

// scan finds the records from pos on that can be delivered in one batch. The batch begins at start.
func (c *cursor) scan(start, head uint64, timed bool, limit uint64) (span, error) {
	var (
		p             = c.pos
		calls         = c.calls
		last, lastEnd uint64
		open          bool
		err           error
		warm          = p // lines before it are in the cache, or on their way there
	)
	for p < head && !open {
		if p >= warm {
			warm = p + min(head-p, ahead)
			c.warm(c.at(p)[:warm-p])
		}
		rec := c.at(p)
		w := binary.LittleEndian.Uint32(rec)
		end := p + uint64(w>>16)*layout.Line
		if end == p || end > head {
			_, _, err = c.length(p, head)
			head = p
			break
		}
		if uint16(w) >= layout.Info {
			next, belong, infoErr := c.infos(p, head)
			if infoErr != nil {
				err, head = infoErr, p
				break
			}
			if belong != 0 && lastEnd != 0 {
				// Three batches deliver it: first the open call, then the records that it has published, then, in the
				// next run, its return.
				p, open = belong, true
				break
			}
			p = next
			continue
		}
		if p-start >= chunk {
			break
		}
		if flags := binary.LittleEndian.Uint16(rec[layout.RecordFlagsAt:]); flags&(layout.Timed|layout.Late) != 0 {
			if !timed {
				err = errTimed
				break
			}
			enter, leave := c.times(p, end)
			if enter > limit {
				break
			}
			open = leave > limit
		}
		last, lastEnd = p, end
		calls++
		p = end
	}
	return span{end: p, calls: calls, last: last, lastEnd: lastEnd, open: open, complete: p >= head}, err
}

// ahead is how many bytes of records are fetched at once. It is about as many lines as a core can fetch in parallel.
const ahead = 32 * layout.Line

// warm touches every line, so that the core fetches them in parallel. Another core has written the lines. The beginning
// of a record is known only after the one before it was read, so the fetches would otherwise wait for one another.
func (c *cursor) warm(data []byte) {
	var sum byte
	for i := 0; i < len(data); i += layout.Line {
		sum += data[i]
	}
	c.warmed = sum
}

// emit delivers the records between two positions, if any. The batch's Resume holds for the first only.
func (c *cursor) emit(b *Batch, h Handler, from, to uint64, open bool) {
	if from == to {
		return
	}
	c.hand(b, h, c.at(from)[:to-from:to-from], open)
}

func (c *cursor) hand(b *Batch, h Handler, data []byte, open bool) {
	b.Open, b.Data = open, data
	c.bytes += uint64(len(data))
	h.Batch(b)
	b.Resume = false
}

// returned reports whether the open call has returned, with all its results. further says that another call follows it.
func (c *cursor) returned(done uint64, further bool) bool {
	return further || done >= c.calls && (c.have >= c.want || c.final)
}

// openTimes returns the times of the open call.
func (c *cursor) openTimes() (enter, leave uint64) {
	if len(c.held) > 0 {
		return c.recordTimes(c.held)
	}
	return c.times(c.openAt, c.openTo)
}

// outElements returns how many elements written by the call are in the InfoData records between two positions.
func (c *cursor) outElements(pos, end uint64) (n uint64) {
	for pos < end {
		size, kind, err := c.length(pos, end)
		if err != nil {
			return n
		}
		if rec := c.at(pos); kind == layout.InfoData && belongsToCallBefore(kind, rec) {
			n += uint64(binary.LittleEndian.Uint32(rec[layout.SizeofRecord+8:]))
		}
		pos += size
	}
	return n
}

// cutResults returns an upper bound of the number of elements that a call writes to arrays that are not in its record
// but follow it.
func (c *cursor) cutResults(pos, end uint64) (n uint64) {
	rec := c.at(pos)[:end-pos]
	at, limit := (int(binary.LittleEndian.Uint16(rec[layout.RecordUsedAt:]))+7)&^7, len(rec)
	if binary.LittleEndian.Uint16(rec[layout.RecordFlagsAt:])&layout.Timed != 0 {
		limit -= layout.SizeofTimes
	}
	var params []mpiapi.Param
	for at+layout.SizeofSection <= limit {
		w := binary.LittleEndian.Uint64(rec[at:])
		kind, param, count := uint16(w), int(uint16(w>>16)), w>>32
		if kind == layout.SecEnd || kind > layout.SecCut {
			break
		}
		if kind == layout.SecCut {
			if params == nil {
				f := mpiapi.ByID(mpiapi.FuncID(binary.LittleEndian.Uint16(rec)))
				if f == nil {
					return 0
				}
				params = f.Params
			}
			// If the parameter has values both at entry and after the call, the values at entry come first, and n
			// includes them. The call then waits for the next call.
			if param < len(params) && params[param].Layout.OutSection != 0 {
				n += count
			}
		}
		at += layout.SizeofSection + (int(count)*sectionWidth[kind]+7)&^7
	}
	return n
}

// sectionWidth is the length of an element by kind of section.
var sectionWidth = [layout.SecCut + 1]int{
	layout.SecIn32: 4, layout.SecIn64: 8, layout.SecOut32: 4,
	layout.SecOut64: 8, layout.SecStatus: layout.SizeofStatus, layout.SecString: 1,
}

// release tells the thread that the delivered records may be overwritten. The record of a call that is under way is
// kept, as the thread will write the results into it.
func (c *cursor) release() {
	to := c.pos
	if c.open && len(c.held) == 0 {
		to = c.openAt
	}
	if to != c.tail {
		c.tail = to
		c.hdr.Tail.Store(to)
	}
}

// next returns the time of the next event: the entry of a call, or the return of the open one. The time is 0 for an
// event without a time, as it comes at once. ok is false if there is no event yet.
func (c *cursor) next(done, head uint64) (time uint64, ok bool, err error) {
	if c.pos < head {
		n, kind, err := c.length(c.pos, head)
		if err != nil {
			return 0, false, err
		}
		if kind >= layout.Info {
			return 0, true, nil
		}
		if !c.open {
			enter, _ := c.times(c.pos, c.pos+n)
			return enter, true, nil
		}
	} else if !c.open || !c.returned(done, false) {
		return 0, false, nil
	}
	_, leave := c.openTimes()
	return leave, true, nil
}

// latest returns the latest time of an entry or a return that lies before head and has not been delivered, 0 if there
// is none. It looks at each record only once, so repeated calls are cheap.
func (c *cursor) latest(done, head uint64) uint64 {
	if c.scanned < c.pos {
		c.scanned, c.scannedCalls, c.scanEnd = c.pos, c.calls, 0
		if c.open {
			c.scanAt, c.scanEnd = c.openAt, c.openTo
		}
	}
	for c.scanned < head {
		n, kind, err := c.length(c.scanned, head)
		if err != nil {
			// poll or run reports it when everything before it has been delivered.
			break
		}
		if kind < layout.Info {
			c.scanAt, c.scanEnd = c.scanned, c.scanned+n
			c.scannedCalls++
		}
		c.scanned += n
	}
	if c.scanEnd == 0 || c.scanEnd <= c.pos && !c.open {
		return 0
	}
	enter, leave := uint64(0), uint64(0)
	if c.open && c.scanAt == c.openAt {
		enter, leave = c.openTimes()
	} else {
		enter, leave = c.times(c.scanAt, c.scanEnd)
	}
	if done >= c.scannedCalls {
		return max(enter, leave)
	}
	return enter
}
