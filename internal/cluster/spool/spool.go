// Package spool keeps the parts of a node's records until the head of the job has them, so that a slow network does not
// slow the program down. It keeps them in memory, and in a file of bounded size. As long as there is room, the file has
// all parts from the first one on, so the records of the node are not lost if the head is.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// memory is the number of bytes that wait in memory. More wait in the file.
const memory = 4 << 20

// ErrIncomplete is the error of Save if the first parts are not in the file any more.
var ErrIncomplete = errors.New("the records were too long to keep all of them")

// Spool is a queue of parts. ring.Writer writes to it. Any goroutine may call its methods.
type Spool struct {
	limit int64 // of the file

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change
	file     *os.File      // nil if there is none, or none any more
	parts    []part        // those that the head does not have, in order
	first    uint64        // number of the first one in parts
	inMemory int64
	unsent   int64 // bytes of parts
	at       int64 // end of the part in the file that was written last
	complete bool  // the file has all parts from the first one on, without a gap
	closed   bool  // there are no more parts
	gone     bool  // the head will not take any more parts
}

// part is a part that the head does not have.
type part struct {
	data []byte // nil if it is in the file only
	at   int64  // its place in the file, -1 if it is not there
	size int
}

// New returns an empty queue. The file is made in dir. It has at most limit bytes, and is not visible. Without a limit
// or a file, the queue is in memory, and Write waits if there is too much.
func New(dir string, limit int64) *Spool {
	s := &Spool{limit: limit, changed: make(chan struct{})}
	if limit > 0 {
		if f, err := os.CreateTemp(dir, ".mpivet-spool-*"); err == nil {
			_ = os.Remove(f.Name())
			s.file, s.complete = f, true
		}
	}
	return s
}

// change wakes those who wait. The lock is held.
func (s *Spool) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Write adds a part. It waits as long as there is no room. After Gone, it drops parts for which there is no room.
func (s *Spool) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.add(data) {
			s.change()
			return len(data), nil
		}
		if s.gone {
			s.complete = false
			return len(data), nil
		}
		changed := s.changed
		s.mu.Unlock()
		<-changed
		s.mu.Lock()
	}
}

// add adds a part if there is room.
func (s *Spool) add(data []byte) bool {
	p := part{at: -1, size: len(data)}
	if at, ok := s.place(int64(len(data))); ok {
		if _, err := s.file.WriteAt(data, at); err == nil {
			p.at, s.at = at, at+int64(len(data))
		} else {
			s.lose() // the disk is full
		}
	}
	if s.gone {
		return p.at >= 0
	}
	switch small := s.inMemory+int64(len(data)) <= memory || len(s.parts) == 0; {
	case small:
		p.data = append([]byte(nil), data...)
		s.inMemory += int64(len(data))
	case p.at < 0:
		return false
	}
	s.parts = append(s.parts, p)
	s.unsent += int64(len(data))
	return true
}

// place returns a place in the file for n bytes. It overwrites only parts that the head has.
func (s *Spool) place(n int64) (at int64, ok bool) {
	if s.file == nil || n > s.limit {
		return 0, false
	}
	if s.at+n <= s.limit && s.complete {
		return s.at, true
	}
	if s.gone {
		return 0, false
	}
	// From here on, the file is a ring.
	first := int64(-1)
	for i := range s.parts {
		if s.parts[i].at >= 0 {
			first = s.parts[i].at
			break
		}
	}
	switch {
	case first < 0:
		at = 0
	case first < s.at && s.at+n <= s.limit:
		at = s.at
	case first < s.at && n <= first:
		at = 0
	case first >= s.at && s.at+n <= first:
		at = s.at
	default:
		return 0, false
	}
	s.complete = false
	return at, true
}

// lose gives up the file. Parts that are only there stay readable.
func (s *Spool) lose() {
	s.complete, s.limit = false, 0
}

// Next returns a part, and waits until it is there. It returns io.EOF after the last part.
func (s *Spool) Next(ctx context.Context, number uint64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if number < s.first {
			return nil, fmt.Errorf("part %d was delivered already", number)
		}
		if i := number - s.first; i < uint64(len(s.parts)) {
			return s.get(&s.parts[i])
		}
		if s.closed {
			return nil, io.EOF
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

func (s *Spool) get(p *part) ([]byte, error) {
	if p.data != nil {
		return p.data, nil
	}
	b := make([]byte, p.size)
	_, err := s.file.ReadAt(b, p.at)
	return b, err
}

// Delivered notes that the head has all parts before a number.
func (s *Spool) Delivered(next uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.first < next && len(s.parts) > 0 {
		p := &s.parts[0]
		s.inMemory -= int64(len(p.data))
		s.unsent -= int64(p.size)
		s.parts = s.parts[1:]
		s.first++
	}
	s.change()
}

// Waiting returns the number of bytes that the head does not have.
func (s *Spool) Waiting() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsent
}

// Close notes that there are no more parts.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.change()
	return nil
}

// Empty waits until the head has all parts.
func (s *Spool) Empty(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.parts) > 0 && !s.gone {
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Gone notes that the head is gone for good. The queue keeps what fits into the file for Save.
func (s *Spool) Gone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	s.change()
}

// Save writes all parts to a file, which is a record file then. It may be called after the last Write.
func (s *Spool) Save(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil || !s.complete {
		return ErrIncomplete
	}
	_, err := io.Copy(w, io.NewSectionReader(s.file, 0, s.at))
	return err
}

// Release closes the file.
func (s *Spool) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		s.file.Close()
		s.file, s.complete = nil, false
	}
}
