package tables

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/mpivet/mpivet/internal/record/event"
	"github.com/mpivet/mpivet/internal/record/layout"
)

// Thread is a thread that has called MPI, with its last call.
type Thread struct {
	TID     int
	Index   int        // 0 for the first thread of the process that called MPI, 1 for the next, …
	Call    event.Call // the last recorded one. If there was none, its Func is nil
	InCall  bool       // the thread is in that call
	Polling bool       // it repeats that call, a test or probe
	Number  uint64     // of the call, from 1
	Entered time.Duration

	requests uint64
}

// Threads returns the threads that have called MPI and have not ended, in the order of their first calls. After an
// error, there may be some of them.
func (t *Tables) Threads() ([]*Thread, error) {
	var list []*Thread
	seen := make(map[uint64]bool)
	var failed error
	for at := u64(t.header, layout.DebugThreadsAt); at != 0; {
		if seen[at] || len(seen) >= maxSteps {
			return list, damaged("the list of threads does not end")
		}
		seen[at] = true
		b, err := read(t.memory, at, layout.SizeofDebugThread)
		if err != nil {
			return list, fmt.Errorf("the list of threads: %w", err)
		}
		at = u64(b, layout.DebugThreadNextAt)
		h := &Thread{
			TID: int(u32(b, layout.DebugThreadTIDAt)), Index: int(u32(b, layout.DebugThreadThreadAt)),
			Number: u64(b, layout.DebugThreadCallAt), Entered: duration(u64(b, layout.DebugThreadBeatAt)),
			requests: u64(b, layout.DebugThreadRequestsAt),
		}
		record := u64(b, layout.DebugThreadRecordAt)
		h.InCall = record != 0
		h.Polling = h.InCall && u32(b, layout.DebugThreadPollingAt) != 0
		now, n := b[layout.DebugThreadNowAt:][:layout.Now], u32(b, layout.DebugThreadNowLengthAt)
		if h.Polling {
			now, n, err = t.polled(record)
		}
		if err == nil && n > 0 {
			h.Call, err = callIn(now, n)
		}
		if err != nil {
			failed = fmt.Errorf("thread %d: %w", h.TID, err)
		}
		if h.InCall && h.Call.Func != nil {
			h.Call.State = event.Open
		}
		if h.TID != 0 || h.requests != 0 {
			list = append(list, h)
		}
	}
	// The newest thread is the first of the list.
	slices.SortStableFunc(list, func(a, b *Thread) int { return cmp.Compare(a.Index, b.Index) })
	return list, failed
}

// polled returns the record of a test or probe that a thread repeats, and its length.
func (t *Tables) polled(at uint64) (record []byte, n uint32, err error) {
	head, err := read(t.memory, at, layout.SizeofRecord)
	if err != nil {
		return nil, 0, err
	}
	n = uint32(binary.LittleEndian.Uint16(head[layout.RecordLinesAt:])) * layout.Line
	record, err = read(t.memory, at, int(min(n, layout.Now)))
	return record, n, err
}

// Request is a request that is not complete.
type Request struct {
	Handle     uint64
	Thread     *Thread    // that made it
	Call       event.Call // that made it
	Persistent bool
	Active     bool          // started and not complete
	Begun      time.Duration // when it was made or last started
	PC         uint64        // return address of the call
}

// Request returns the open request with a handle.
func (t *Tables) Request(handle uint64) (*Request, error) {
	threads, err := t.Threads()
	for _, h := range threads {
		r, e := t.requestOf(h, handle)
		if r != nil {
			return r, nil
		}
		if e != nil {
			err = e
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, unknownError(fmt.Sprintf("%#x is no request that mpivet knows: it is complete, or no call has made it",
		handle))
}

// requestTable is a struct mv_open_requests.
type requestTable struct {
	bits          uint32
	unlisted      uint64
	keys, entries uint64
}

func (t *Tables) requestTable(h *Thread) (r requestTable, err error) {
	b, err := read(t.memory, h.requests, layout.SizeofOpenRequests)
	if err != nil {
		return r, fmt.Errorf("the requests of thread %d: %w", h.TID, err)
	}
	r = requestTable{
		bits: u32(b, layout.OpenRequestsBitsAt), unlisted: u64(b, layout.OpenRequestsUnlistedAt),
		keys: u64(b, layout.OpenRequestsKeysAt), entries: u64(b, layout.OpenRequestsEntriesAt),
	}
	if r.bits > maxBits {
		return r, damaged("a table of 1<<%d lists of requests", r.bits)
	}
	return r, nil
}

// requestOf returns the request of a thread with a handle, nil if there is none.
func (t *Tables) requestOf(h *Thread, handle uint64) (*Request, error) {
	if h.requests == 0 || handle == 0 {
		return nil, nil //nolint:nilnil // nothing is there
	}
	table, err := t.requestTable(h)
	if err != nil {
		return nil, err
	}
	first := handle * spread >> (64 - table.bits) * layout.RequestWays
	keys, err := read(t.memory, table.keys+8*first, 8*layout.RequestWays)
	if err != nil {
		return nil, fmt.Errorf("the requests of thread %d: %w", h.TID, err)
	}
	for i := range layout.RequestWays {
		if u64(keys, 8*i) == handle {
			return t.request(h, table, first+uint64(i), handle)
		}
	}
	return nil, nil //nolint:nilnil // nothing is there
}

func (t *Tables) request(h *Thread, table requestTable, i, handle uint64) (*Request, error) {
	b, err := read(t.memory, table.entries+i*layout.SizeofOpenRequest, layout.SizeofOpenRequest)
	if err != nil {
		return nil, fmt.Errorf("the requests of thread %d: %w", h.TID, err)
	}
	flags := u32(b, layout.OpenRequestFlagsAt)
	r := &Request{
		Handle: handle, Thread: h, Persistent: flags&layout.RequestPersistent != 0,
		Active: flags&layout.RequestActive != 0, Begun: duration(u64(b, layout.OpenRequestBeatAt)),
		PC: u64(b, layout.OpenRequestSiteAt),
	}
	r.Call, err = callIn(b[layout.OpenRequestRecordAt:][:layout.RequestRecord], u32(b, layout.OpenRequestLengthAt))
	if err != nil {
		return nil, fmt.Errorf("the request %#x: %w", handle, err)
	}
	return r, nil
}

// Requests returns all open requests, by thread, and the number of further ones that found no room. After an error,
// there may be some of them.
func (t *Tables) Requests() (list []*Request, unlisted uint64, err error) {
	threads, err := t.Threads()
	for _, h := range threads {
		if h.requests == 0 {
			continue
		}
		table, e := t.requestTable(h)
		if e != nil {
			err = e
			continue
		}
		unlisted += table.unlisted
		n := uint64(layout.RequestWays) << table.bits
		keys, e := readChunks(t.memory, table.keys, 8*n)
		if e != nil {
			err = fmt.Errorf("the requests of thread %d: %w", h.TID, e)
			continue
		}
		for i := range n {
			handle := u64(keys, int(8*i))
			if handle == 0 {
				continue
			}
			r, e := t.request(h, table, i, handle)
			if e != nil {
				err = e
				continue
			}
			list = append(list, r)
		}
	}
	return list, unlisted, err
}
